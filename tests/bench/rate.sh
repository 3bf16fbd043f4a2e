#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How many commands a second trace prints, natively: events that no drive sent (flood.bpf.c) go through its buffer. A
# table, and build/bench/rate.ndjson with one object per run.
#
# usage: rate.sh [--json] [COUNT]     commands of each run [4000000]; needs root and two idle CPUs
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
RESULTS=$(realpath "${O:-$BENCH/../../build}")/bench
JSON=''
[ "${1:-}" != --json ] || { JSON=1 && shift; }
COUNT=${1:-4000000}
TIMEFORMAT="%R %U %S"
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT

# run RATE EACH BUFFER OPTION...: traces COUNT events at RATE a second (0: as fast as it goes), EACH with one system call.
# The time of the load is subtracted from the command's; its exit status 7 says that events were lost.
run()
{
	local rate=$1 each=$2 buffer=$3 status=0 lost sent ns load_ns user

	shift 3
	{ time "$RESULTS/nvmetool-flood" trace --attach raw_tp --strict --buffer "$buffer" -w /dev/null "$@" -- \
		"$RESULTS/flood_load" "$COUNT" "$rate" "$each" >"$OUT/out" 2>"$OUT/err" || status=$?; } 2>"$OUT/time"
	read -r sent ns load_ns < <(grep -E '^[0-9]+ [0-9]+ [0-9]+$' "$OUT/err")
	read -r _ user _ <"$OUT/time"
	lost=$(sed -n 's/.* lost: \([0-9]*\) commands\?, because.*/\1/p' "$OUT/err")
	jq -nc --arg options "$*" --arg buffer "$buffer" --argjson asked "$rate" --argjson sent "$sent" --argjson ns "$ns" \
		--argjson lost "${lost:-0}" --argjson status "$status" --argjson user "$user" --argjson load_ns "$load_ns" \
		'{ options: $options, buffer: $buffer, asked_per_s: $asked, sent: $sent, per_s: ($sent / $ns * 1e9 | floor),
		lost: $lost, status: $status, user_ns_per_line: (($user * 1e9 - $load_ns) / ($sent - $lost) | floor) }'
}

# exact BUFFER: what was printed, and what its summary calls lost, of bursts from two CPUs that no reader can follow
exact()
{
	local ns sent

	# shellcheck disable=SC2016 # for sh
	"$RESULTS/nvmetool-flood" trace --attach raw_tp --json --no-meta --columns cid --buffer "$1" -w "$OUT/exact" -- \
		sh -c '"$@" & "$@"; wait' sh "$RESULTS/flood_load" "$COUNT" 0 16 2>"$OUT/err"
	read -r sent ns < <(awk '/^[0-9]+ [0-9]+ [0-9]+$/ { sent += $1; if ($2 > ns) ns = $2 } END { print sent, ns }' "$OUT/err")
	jq -nc --arg buffer "$1" --argjson sent "$sent" --argjson ns "$ns" --argjson printed "$(grep -c '"type":"io"' "$OUT/exact")" \
		--argjson lost "$(tail -n 1 "$OUT/exact" | jq .lost.ring_full)" \
		'{ options: "--json, exact loss", buffer: $buffer, asked_per_s: 0, sent: $sent, per_s: ($sent / $ns * 1e9 | floor),
		lost: $lost, printed: $printed, exact: ($printed + $lost == $sent) }'
}

{
	for options in '-f text' '--csv' '--json'; do
		# shellcheck disable=SC2086 # words
		run 800000 1 16M $options
	done
	exact 16M
	exact 64K
} >"$RESULTS/rate.ndjson"
if [ -n "$JSON" ]; then
	cat "$RESULTS/rate.ndjson"
else
	jq -r '[.options, .buffer, .per_s, .lost, .user_ns_per_line // "", .exact // ""] | @tsv' "$RESULTS/rate.ndjson" |
		awk -F '\t' 'BEGIN { printf "%-20s %6s %10s %10s %10s %s\n", "trace", "buffer", "sent/s", "lost", "user ns", "exact" }
		{ printf "%-20s %6s %10s %10s %10s %s\n", $1, $2, $3, $4, $5, $6 }'
fi
