#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tracing adds to one I/O, in guest instructions: a table, and with --json one object per line.
#
# usage: run.sh [-k KERNEL]... [--json]
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$BENCH/../.." && pwd)
KERNELS=()
JSON=

while [ $# -gt 0 ]; do
	case $1 in
	-k) KERNELS+=("$2") && shift 2 ;;
	--json) JSON=1 && shift ;;
	*) sed -n 's/^# \?//; /^usage/p' "$0" >&2 && exit 2 ;;
	esac
done
[ ${#KERNELS[@]} -gt 0 ] || KERNELS=(6.1 6.12)

# NAME SUBMIT IRQ COUNT per line to rows: what is added to the run without a tool. The name may have blanks.
report()
{
	awk -v kernel="$1" -v json="$JSON" '
	{ count = $NF; cost = $(NF - 2) + $(NF - 1); NF -= 3; sub(/ +$/, "") }
	$0 == "none" { base = cost; if (!json) printf "%-28s %8s\n", "kernel " kernel, "added"; next }
	json { printf "{\"kernel\":\"%s\",\"tool\":\"%s\",\"instructions\":%d,\"samples\":%d}\n",
		kernel, $0, cost - base, count; next }
	{ printf "%-28s %8d\n", $0, cost - base }'
}

for kernel in "${KERNELS[@]}"; do
	"$ROOT/tests/vm/run.sh" -k "$kernel" -t icount -c "$BENCH/guest.sh" | tr -d '\r' |
		grep -E ' [0-9]+ [0-9]+ [0-9]+$' | report "$kernel"
done
