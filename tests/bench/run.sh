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

# Lines of guest.sh to objects: what is added to the run without a tool.
objects()
{
	awk -v kernel="$1" '
	$2 == "none" { base = $(NF - 1); next }
	{
		if ($NF == "-" && base == "-") $NF = "unsteady"
		added = $NF == "-" ? $(NF - 1) - base : "null"
		why = $NF == "-" ? "" : sprintf(",\"why\":\"%s\"", $NF)
		NF -= 2; $1 = ""; sub(/^ /, "")
		printf "{\"kernel\":\"%s\",\"tool\":\"%s\",\"instructions\":%s%s}\n", kernel, $0, added, why
	}'
}

# pinned COMMAND...: on the first CPU that we may use. There QEMU's thread for the drive comes before the guest's CPU: the
# completion comes at the same instruction each time. On two CPUs it comes whenever the host is ready, which may be after
# milliseconds; latency then takes 8 instructions more, as its table of slots has another level.
pinned()
{
	taskset -c "$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$@"
}

mkdir -p "$RESULTS"
(cd "$ROOT" && make -s build/bench/span build/bench/span.bpf.o)
for kernel in "${KERNELS[@]}"; do
	pinned "$ROOT/tests/vm/run.sh" -k "$kernel" -t icount -c "export BENCH_ONLY='$ROWS'; $BENCH/guest.sh" | tr -d '\r' |
		tee "$RESULTS/guest-$kernel.log" | sed -n 's/ *$//; /^span: /p' | objects "$kernel"
done >"$RESULTS/cost.ndjson"
if [ -n "$JSON" ]; then
	cat "$RESULTS/cost.ndjson"
else
	jq -r '[.kernel, .tool, .instructions // .why] | @tsv' "$RESULTS/cost.ndjson" |
		table 'added to one I/O' "${KERNELS[@]}"
fi
