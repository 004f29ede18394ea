#!/bin/sh
# SPDX-License-Identifier: MIT
# Whether programs of several builds (debug and release, g++ and clang, sanitized) give the same bytes.
# Usage: sh tests/determinism/compare.sh WORK PROGRAM OTHER... -- CHARACTER...
# Each imports, conforms and judges every character, textures not encoded, and lists the sums of all that came of it;
# prints one line a build, and where they differ. Exit code 1 when any differs.
set -eu
usage() { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
[ $# -ge 5 ] || usage
work=$1
shift
mkdir -p "$work"
: >"$work/programs"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  readlink -f "$1" >>"$work/programs"
  shift
done
[ "$(grep -c . "$work/programs")" -ge 2 ] && [ $# -ge 2 ] || usage
shift

i=0 status=0
while IFS= read -r program; do
  out=$work/$i
  rm -rf "$out" && mkdir -p "$out"
  for character; do
    name=$(basename "$character")
    # A character that cannot be converted must fail alike everywhere.
    for command in import conform; do
      flags="--quiet"
      [ "$command" = conform ] || flags="$flags --no-ktx2"
      code=0
      # shellcheck disable=SC2086
      "$program" $command "$character" -o "$out/$name.$command.web.glb" $flags >"$out/$name.$command.txt" 2>&1 || code=$?
      [ $code -lt 64 ] || { echo "$program $command $character: ended with $code" >&2; status=1; }
      # The name of the output folder is the one thing that may differ.
      sed -i "s|$out/||g" "$out/$name.$command.txt"
      echo "$code" >>"$out/$name.$command.txt"
    done
    (cd "$out" && "$program" preflight "$name.import.web.glb" --no-project --format json >"$name.judged.json" 2>&1) || true
  done
  (cd "$out" && sha256sum ./*) >"$work/$i.sums"
  echo "$(grep -c . "$work/$i.sums") files, $(sha256sum <"$work/$i.sums" | cut -c1-16)  $program"
  diff "$work/0.sums" "$work/$i.sums" >"$work/$i.differences" || { grep '^>' "$work/$i.differences"; status=1; }
  i=$((i + 1))
done <"$work/programs"
exit $status
