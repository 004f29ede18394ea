#!/bin/sh
# SPDX-License-Identifier: MIT
# Sets up, builds and runs every test. HELIXAVATAR_REAL_AVATARS and HELIXAVATAR_MALFORMED name folders of real
# characters and of bad files; without them those tests show as skipped.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh cmake/setup.sh test
cmake --preset release >/dev/null
cmake --build --preset release
HELIXAVATAR_NODE_MODULES="$root/build/node/node_modules"
PATH="$root/build/release/src:$PATH"  # the encoder, for test programs of other folders
export HELIXAVATAR_NODE_MODULES PATH
ctest --preset release -j2 --no-tests=error
