#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts a Slurm of one node here, runs a command in it, and stops it: slurm_localhost.sh FOLDER COMMAND...
# Everything that it makes lies in FOLDER; nothing of another Slurm on the machine is touched.
set -eu
folder=$(cd "$1" && pwd)
shift
host=$(hostname -s)
run=$folder/slurm
mkdir -p "$run/state" "$run/spool" "$run/munge"
chmod 700 "$run/munge"
mungekey -c -k "$run/munge/key" >/dev/null
free_port() {  # that nobody listens on
  port=$1
  while grep -qi ":$(printf %04x "$port") 0\{8\}:0000 0A" /proc/net/tcp; do port=$((port + 1)); done
  echo "$port"
}
controller=$(free_port $((20000 + $$ % 20000)))
node=$(free_port $((controller + 1)))
cat >"$run/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$node
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$run/munge/socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=2
MinJobAge=300
JobRequeue=1
StateSaveLocation=$run/state
SlurmdSpoolDir=$run/spool
SlurmctldPidFile=$run/slurmctld.pid
SlurmdPidFile=$run/slurmd.pid
SlurmctldLogFile=$run/slurmctld.log
SlurmdLogFile=$run/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$run/slurm.conf"
stop() {
  for service in slurmd slurmctld munged; do
    [ -s "$run/$service.pid" ] && kill "$(cat "$run/$service.pid")" 2>/dev/null || true
  done
}
trap stop EXIT INT TERM
munged --key-file="$run/munge/key" --socket="$run/munge/socket" --pid-file="$run/munged.pid" \
  --log-file="$run/munge/log" --seed-file="$run/munge/seed" --force </dev/null >/dev/null 2>&1
slurmctld </dev/null >/dev/null 2>&1
slurmd </dev/null >/dev/null 2>&1
tries=0
until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "slurm did not start"; cat "$run"/*.log; exit 99; }
  sleep 0.1
done
"$@"
