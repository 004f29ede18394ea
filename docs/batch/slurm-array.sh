#!/bin/sh
# SPDX-License-Identifier: MIT
# One share of a folder as one task of a Slurm job array; the same folders must be seen by every node.
#   sbatch --array=1-8 --export=ALL,IN=characters,OUT=avatars docs/batch/slurm-array.sh
# A task that was killed is started again (--requeue, or the same sbatch once more): --resume keeps what is done.
#SBATCH --job-name=helixavatar
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=helixavatar-%a.log
set -u
helixavatar import "$IN" -o "$OUT" --resume --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" ${SLURM_MEM_PER_NODE:+--memory "$SLURM_MEM_PER_NODE"} ${FLAGS:-}
code=$?
# Files that cannot become avatars are told by `helixavatar summarize`; the task itself did its work.
case $code in 0 | 1 | 3 | 4) exit 0 ;; *) exit $code ;; esac
