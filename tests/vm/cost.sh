#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# In a guest, by DRUPE_VM_ARMS=cost: what a run with a scope costs beside the shell's
# pipeline systemd-run --user --scope … bwrap … prlimit … true of the same words.
# The numbers are those of an emulated processor; the ratio is what counts.
#   DRUPE_VM_RUNS  of each kind (40)
set -euo pipefail
umask 022
base=$(mktemp -d "$HOME/drupe-cost.XXXXXX")
trap 'rm -rf "$base"' EXIT
mkdir "$base/ws"
cat >"$base/policy.yaml" <<'END'
version: 1
backends: {scope: systemd, network: none}
profiles:
  build:
    cgroup: {memory_max: 512M, memory_swap_max: 0, tasks_max: 128, cpu_quota: 200%}
END
drupe=$PWD/drupe
bench=$PWD/bench-run
cd "$base/ws"
"$bench" "$drupe" "${DRUPE_VM_RUNS:-40}" "$base/policy.yaml"
