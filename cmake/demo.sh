#!/bin/sh
# SPDX-License-Identifier: MIT
# Sets up, builds, imports the embedded sample character and prints the receipt's summary and the preflight report.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh cmake/setup.sh demo
cmake --preset release >/dev/null
cmake --build --preset release --target helixavatar helixavatar-sample
out="$root/build/demo"
mkdir -p "$out"
echo
echo "== a character as Meshy would export it"
build/release/tests/helixavatar-sample "$out/sample.glb"
build/release/src/helixavatar inspect "$out/sample.glb" | sed '/^joints$/,$d'
echo
echo "== helixavatar import sample.glb -o sample.web.glb"
build/release/src/helixavatar import "$out/sample.glb" -o "$out/sample.web.glb"
echo
echo "source   build/demo/sample.glb"
echo "avatar   build/demo/sample.web.glb"
echo "receipt  build/demo/sample.avatar-import.json"
