#!/usr/bin/env bash
# One shard of a manifest, as one task of a Slurm array. Submitted by: python -m fleet slurm MANIFEST TARGET
# usage: sbatch --array=0-(SHARDS - 1) array.sh MANIFEST TARGET
#
# MAPEVERYTHING        the command, "mapeverything" by default
# FLEET_PYTHON         a Python that has the package, where the manifest or the target is a URL
# FLEET_MAX_RESTARTS   how often a task is queued again, 5 by default
#
#SBATCH --job-name=mapeverything
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -uo pipefail

manifest=${1:?usage: array.sh MANIFEST TARGET}
target=${2:?usage: array.sh MANIFEST TARGET}
shard=${SLURM_ARRAY_TASK_ID:?the script is a task of an array: sbatch --array=0-N}
jobs=${SLURM_CPUS_PER_TASK:-1}
binary=${MAPEVERYTHING:-mapeverything}

if [[ $manifest == *://* || $target == *://* ]]; then
    "${FLEET_PYTHON:-python3}" -m fleet shard "$manifest" "$target" --binary "$binary" --shard "$shard" -j "$jobs"
else
    "$binary" batch run "$manifest" -o "$target" --shard "$shard" -j "$jobs" --progress off
fi
status=$?

case $status in
    0) exit 0 ;;
    # They would fail again; what can be done is done.
    2 | 65 | 66) exit "$status" ;;
esac
# A task that is queued again begins where this one ended: what is done stays done. Slurm itself queues those again
# whose machine died.
if ((${SLURM_RESTART_COUNT:-0} < ${FLEET_MAX_RESTARTS:-5})) && command -v scontrol >/dev/null; then
    echo "shard $shard: status $status, queued again" >&2
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard" && sleep 5
fi
exit "$status"
