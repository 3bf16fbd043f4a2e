#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what tracing adds to one I/O, in guest instructions: a table, and build/bench/cost.ndjson with one object per figure.
#
# usage: run.sh [-k KERNEL]... [-r ROWS] [--json]     ROWS: a pattern of names; --json: print the objects
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$BENCH/../.." && pwd)
RESULTS=${O:-$ROOT/build}/bench
. "$BENCH/table.sh"
KERNELS=()
JSON=''
ROWS='*'

while [ $# -gt 0 ]; do
	case $1 in
	-k) KERNELS+=("$2") && shift 2 ;;
	-r) ROWS=$2 && shift 2 ;;
	--json) JSON=1 && shift ;;
	*) sed -n 's/^# \?//; /^usage/p' "$0" >&2 && exit 2 ;;
	esac
done
[ ${#KERNELS[@]} -gt 0 ] || KERNELS=(6.1 6.12)

# Lines of guest.sh to objects: what is added to the run without a tool. Whole or in parts the difference is nearly the
# same (579 and 587 for latency on 6.1).
objects()
{
	awk -v kernel="$1" '
	$2 == "none" { base_whole = $(NF - 2); base_parts = $(NF - 1); next }
	{
		added = "null"
		if ($(NF - 2) != "-" && base_whole != "-") added = $(NF - 2) - base_whole
		else if ($(NF - 1) != "-" && base_parts != "-") added = $(NF - 1) - base_parts
		else if ($NF == "-") $NF = "unsteady"
		why = $NF == "-" ? "" : sprintf(",\"why\":\"%s\"", $NF)
		NF -= 3; $1 = ""; sub(/^ /, "")
		printf "{\"kernel\":\"%s\",\"tool\":\"%s\",\"instructions\":%s%s}\n", kernel, $0, added, why
	}'
}

mkdir -p "$RESULTS"
(cd "$ROOT" && make -s build/bench/span build/bench/span.bpf.o)
for kernel in "${KERNELS[@]}"; do
	"$ROOT/tests/vm/run.sh" -k "$kernel" -t icount -c "export BENCH_ONLY='$ROWS'; $BENCH/guest.sh" | tr -d '\r' |
		tee "$RESULTS/guest-$kernel.log" | sed -n 's/ *$//; /^span: /p' | objects "$kernel"
done >"$RESULTS/cost.ndjson"
if [ -n "$JSON" ]; then
	cat "$RESULTS/cost.ndjson"
else
	jq -r '[.kernel, .tool, .instructions // .why] | @tsv' "$RESULTS/cost.ndjson" |
		table 'added to one I/O' "${KERNELS[@]}"
fi
