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

# Lines of guest.sh to rows: what is added to the run without a tool. Where the interrupt falls into the
# submission, as with this drive it mostly does, the submission's span is the whole; else the two are added.
report()
{
	awk -v kernel="$1" -v json="$JSON" '
	function cost(whole) { return whole ? $(NF - 5) : $(NF - 3) + $(NF - 1) }
	$(NF - 4) >= 20 { kind = 1 }
	$(NF - 4) < 20 { kind = 0 }
	{ whole = cost(1); apart = cost(0); NF -= 6; sub(/ +$/, "") }
	$0 == "none" { base[1] = whole; base[0] = apart; if (!json) printf "%-28s %8s\n", "kernel " kernel, "added"; next }
	{ added = (kind ? whole : apart) - base[kind] }
	json { printf "{\"kernel\":\"%s\",\"tool\":\"%s\",\"instructions\":%d}\n", kernel, $0, added; next }
	{ printf "%-28s %8d\n", $0, added }'
}

for kernel in "${KERNELS[@]}"; do
	"$ROOT/tests/vm/run.sh" -k "$kernel" -t icount -c "$BENCH/guest.sh" | tr -d '\r' |
		sed -n 's/ *$//; / [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*$/p' | report "$kernel"
done
