#!/bin/sh
# SPDX-License-Identifier: MIT
# The shares of a folder over several machines with GNU parallel, by ssh: the same folders must be seen by all.
#   MACHINES=4 IN=characters OUT=avatars sh docs/batch/parallel.sh --sshlogin anna,ben,cleo,dora
# Without --sshlogin the shares run here. Run it again after a failure: --resume keeps what is done.
set -eu
machines=${MACHINES:-2}
# --retries: a share whose machine went away is given to another.
seq "$machines" | parallel --will-cite --halt never --retries 3 --line-buffer --workdir . "$@" \
  "helixavatar import '$IN' -o '$OUT' --resume --shard {}/$machines ${FLAGS:-} || [ \$? -le 4 ]"
helixavatar summarize "$OUT"
