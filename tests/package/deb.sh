#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the Debian packages of a build, installs them, uses the program, removes them, and looks whether anything is left.
# Usage: sh tests/package/deb.sh BUILD WORK. All of it happens in a throw-away overlay over this machine's own file
# system, which therefore keeps no trace of it. Exit code 77: what that takes is not there (root, dpkg, overlayfs).
set -eu
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED: $1" >&2; exit 1; }

if [ "${1:-}" != inside ]; then
  build=$1 work=$2
  [ "$(id -u)" -eq 0 ] || skip "mounting an overlay and installing need root"
  for program in dpkg dpkg-shlibdeps apt-get unshare chroot; do
    command -v $program >/dev/null 2>&1 || skip "$program is not installed"
  done
  ! dpkg --status helixavatar >/dev/null 2>&1 || skip "helixavatar is installed on this machine already"
  rm -rf "$work" && mkdir -p "$work/packages"
  (cd "$build" && cpack -B "$work/packages" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; fail "cpack"; }
  rm -rf "$work/packages/_CPack_Packages"
  sample="$build/tests/helixavatar-sample"
  "$sample" "$work/packages/knight.glb" --triangles 6000 --texture 64 >/dev/null
  script=$(readlink -f "$0")
  # The upper layer lies on a tmpfs: an overlay cannot lie on another one, which containers often are.
  exec unshare --mount --propagation private sh "$script" inside "$work/packages" "$script"
fi

packages=$2 script=$3
if [ "${4:-}" != used ]; then
  layers=$(dirname "$packages")/layers
  mkdir -p "$layers"
  mount -t tmpfs helixavatar-test "$layers" 2>/dev/null || skip "no tmpfs may be mounted here"
  mkdir "$layers/upper" "$layers/scratch" "$layers/root" "$layers/given"
  cp "$packages"/* "$script" "$layers/given/"
  mount -t overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/scratch" overlay "$layers/root" 2>/dev/null ||
    skip "no overlay may be mounted here"
  mount --bind /dev "$layers/root/dev" && mount -t proc proc "$layers/root/proc"
  mkdir "$layers/root/given" && mount --bind "$layers/given" "$layers/root/given"
  status=0
  chroot "$layers/root" sh /given/deb.sh inside /given /given/deb.sh used || status=$?
  # The upper layer holds what was written; a device 0,0 stands for what was taken away. apt, dpkg and man-db keep books.
  books='^(var/(lib/(apt|dpkg)|cache/(apt|man|debconf|ldconfig)|log)|etc/ld.so.cache|run|tmp|root|given)(/|$)'
  (cd "$layers/upper" && find . -mindepth 1 -printf '%P\n') | grep -vE "$books" | sort >"$layers/written" || true
  while IFS= read -r place; do
    if [ -c "$layers/upper/$place" ]; then
      echo "FAILED: taken away: /$place" >&2; status=1
    elif [ ! -e "/$place" ] && [ ! -L "/$place" ] && ! grep -qxF "/$place" "$layers/given/others"; then
      echo "FAILED: left behind: /$place" >&2; status=1
    fi
  done <"$layers/written"
  umount -R "$layers/root" && umount "$layers" && rmdir "$layers"
  [ $status -ne 0 ] || echo "installed, used, removed: nothing is left"
  exit $status
fi

cd "$packages"
export DEBIAN_FRONTEND=noninteractive
# Dependencies that are missing come from the package index, and stay: they are others' packages.
apt-get install -y -qq --no-install-recommends ./helixavatar_*.deb >install.log 2>&1 || { cat install.log; fail "apt-get install"; }
dpkg --verify helixavatar || fail "files differ from the package"
missing=$(ldd /usr/bin/helixavatar | grep 'not found' || true)
[ -z "$missing" ] || fail "libraries: $missing"

helixavatar import knight.glb -o knight.web.glb --no-ktx2 --quiet >import.log || { cat import.log; fail "import"; }
helixavatar preflight knight.web.glb --no-project >judged || { cat judged; fail "preflight"; }
grep -q '^PASS  knight.web.glb' judged || { cat judged; fail "the avatar does not pass"; }

commands=$(helixavatar --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 10 ] || fail "--help names no commands"
for command in "" $commands; do
  page=/usr/share/man/man1/helixavatar${command:+-$command}.1.gz
  [ -s "$page" ] || fail "no man page for $command"
  if command -v man >/dev/null 2>&1; then
    complaints=$(MANROFFSEQ='' LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >page.txt) || fail "man $page"
    [ -z "$complaints" ] || fail "$page: $complaints"
    grep -q '^NAME' page.txt || fail "$page is empty"
  fi
done

if [ -r /usr/share/bash-completion/bash_completion ]; then
  bash -c '. /usr/share/bash-completion/bash_completion && _completion_loader helixavatar; complete -p helixavatar' |
    grep -q _helixavatar || fail "bash does not find the completion"
fi
if command -v zsh >/dev/null 2>&1; then
  zsh -fc 'autoload -Uz compinit && compinit -D -u && print $_comps[helixavatar]' | grep -q '^_helixavatar$' ||
    fail "zsh does not find the completion"
fi
if command -v fish >/dev/null 2>&1; then
  HOME=$packages fish -c 'complete -C "helixavatar preflig"' | grep -q '^preflight' || fail "fish does not find the completion"
fi

# Its libraries' packages may stay away: the names of the files are what counts here.
dpkg --install --force-depends ./helixavatar-dev_*.deb >>install.log 2>&1 || { cat install.log; fail "helixavatar-dev"; }
[ -n "$(dpkg -L helixavatar-dev | grep '/helixavatarConfig.cmake$')" ] || fail "helixavatar-dev has no CMake package"

dpkg --purge helixavatar-dev helixavatar >>install.log 2>&1 || { cat install.log; fail "dpkg --purge"; }
added=$(grep -o '^Selecting previously unselected package [^ ]*' install.log | sed 's/.* //' | grep -v '^helixavatar' || true)
for package in $added; do dpkg -L "$package" 2>/dev/null; done | sort -u >others
