#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures how long reading a recording takes: nvmetool's of commands, perf's of tracepoints (perf script), blktrace's of block
# events (blkparse), as many records of each. A table, and build/bench/replay.ndjson with one object per line.
#
# usage: replay.sh [--json] [COUNT]     records [1000000]; needs root
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILT=$(realpath "${O:-$BENCH/../../build}")
NVMETOOL=$BUILT/nvmetool
JSON=''
[ "${1:-}" != --json ] || { JSON=1 && shift; }
COUNT=${1:-1000000}
TIMEFORMAT='%R %U %S'
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT

# measure NAME RECORDS COMMAND...: CPU time of the best of three runs
measure()
{
	local name=$1 records=$2 best=999999 user sys ms _

	shift 2
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>"$OUT/err"; } 2>"$OUT/time"
		read -r _ user sys <"$OUT/time"
		ms=$(awk -v u="$user" -v s="$sys" 'BEGIN { printf "%d", (u + s) * 1000 }')
		[ "$ms" -ge "$best" ] || best=$ms
	done
	jq -nc --arg name "$name" --argjson records "$records" --argjson ms "$best" --argjson bytes "$(wc -c <"$FILE")" \
		'{ what: $name, records: $records, cpu_ns_per_record: ($ms * 1e6 / $records | floor),
		records_per_cpu_s: ($records / $ms * 1000 | floor), bytes_per_record: ($bytes / $records * 10 | floor / 10) }'
}

FILE=$OUT/nvmetool
"$BUILT/bench/nvmetool-flood" record --attach raw_tp --strict --buffer 64M -w "$FILE" -- \
	"$BUILT/bench/flood_load" "$COUNT" 200000 2>/dev/null
perf record -q -m 64M -e raw_syscalls:sys_enter -o "$OUT/perf" -- "$BUILT/bench/flood_load" "$COUNT" 200000 2>/dev/null
"$BENCH/blkevents" "$COUNT" "$OUT/blk"
{
	measure 'nvmetool trace' "$COUNT" "$NVMETOOL" trace -i "$FILE" -w /dev/null
	measure 'nvmetool trace --csv' "$COUNT" "$NVMETOOL" trace --csv -i "$FILE" -w /dev/null
	measure 'nvmetool trace --json' "$COUNT" "$NVMETOOL" trace --json -i "$FILE" -w /dev/null
	measure 'nvmetool latency' "$COUNT" "$NVMETOOL" latency -i "$FILE"
	FILE=$OUT/deep
	python3 "$BENCH/../cli/lib/nvt.py" deep 200000 20000 "$FILE" # 20 000 commands in flight all the time
	measure 'replay deep' 200000 "$NVMETOOL" pattern -i "$FILE"
	FILE=$OUT/perf
	measure 'perf script' "$(perf script -i "$FILE" 2>/dev/null | wc -l)" perf script -i "$FILE"
	FILE=$OUT/blk.blktrace.0
	cd "$OUT"
	measure 'blkparse' "$COUNT" blkparse -i blk
} >"$BUILT/bench/replay.ndjson"
if [ -n "$JSON" ]; then
	cat "$BUILT/bench/replay.ndjson"
else
	jq -rs '(map(select(.what == "nvmetool trace"))[0].cpu_ns_per_record) as $ours | .[] |
		[.what, .records_per_cpu_s, .cpu_ns_per_record, .bytes_per_record, (.cpu_ns_per_record / $ours * 10 | round / 10)] | @tsv' \
		"$BUILT/bench/replay.ndjson" |
		awk -F '\t' 'BEGIN { printf "%-22s %12s %8s %8s %6s\n", "reading a recording", "records/s", "ns each", "bytes", "ratio" }
		{ printf "%-22s %12s %8s %8s %6s\n", $1, $2, $3, $4, $5 }'
fi
