#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the cost of a hit of a probe to the process that has it, natively: spdk beside bpftrace. A table, and
# build/bench/probes.ndjson with one object per run.
#
# usage: probes.sh [--json] [COUNT]     hits of each run [300000]; needs root and two idle CPUs
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=$(realpath "${O:-$BENCH/../../build}")
JSON=''
[ "${1:-}" != --json ] || { JSON=1 && shift; }
COUNT=${1:-300000}
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
PROBE=usdt:$OUT/probes:spdk:nvmf_tgt_state

# wait_for PATTERN PID FILE...: until a line of the files has it
wait_for()
{
	until grep -q "$1" "${@:3}"; do
		kill -0 "$2"
		read -rt 0.02 _ <><(:) || true
	done
}

# run NAME [COMMAND...]: the process fires COUNT hits, traced by COMMAND -p PID; what each takes
# beyond the run without a tracer
run()
{
	local name=$1 target tracer='' start ns printed lost

	shift
	rm -f "$OUT/in"
	mkfifo "$OUT/in"
	"$OUT/probes" "$COUNT" quiet <"$OUT/in" >/dev/null 2>"$OUT/said" &
	target=$!
	exec 7>"$OUT/in"
	wait_for ready "$target" "$OUT/said"
	: >"$OUT/out"
	: >"$OUT/err"
	if [ $# -gt 0 ]; then
		"$@" -p "$target" >"$OUT/out" 2>"$OUT/err" 7>&- &
		tracer=$!
		wait_for '^ready\|^nvmetool: tracing' "$tracer" "$OUT/out" "$OUT/err"
	fi
	start=$(date +%s%N)
	printf 'go\ncount\n' >&7
	wait_for '^[0-9]' "$target" "$OUT/said"
	ns=$((($(date +%s%N) - start) / COUNT))
	if [ -n "$tracer" ]; then
		kill -INT "$tracer"
		wait "$tracer" || true
	fi
	exec 7>&-
	wait "$target"
	[ -n "$tracer" ] || { base=$ns && return; }
	printed=$(grep -c 'nvmf_tgt_state' "$OUT/out" || true)
	# bpftrace says what it lost since it last did, nvmetool how much it is by now.
	lost=$(sed -n 's/^Lost \([0-9]*\) events$/+ \1/p; s/^nvmetool: lost.*: \([0-9]*\) hits\?.*/= \1/p' "$OUT/out" "$OUT/err" |
		awk '{ sum = $1 == "+" ? sum + $2 : $2 } END { print sum + 0 }')
	jq -nc --arg tracer "$name" --argjson ns $((ns - base)) --argjson hits "$COUNT" --argjson printed "$printed" \
		--argjson lost "$lost" '{ tracer: $tracer, hits: $hits, ns_per_hit: $ns, printed: $printed, lost: $lost }'
}

mkdir -p "$BUILD/bench"
gcc -O2 -o "$OUT/probes" "$BENCH/../usdt/probes.c"
READY='interval:ms:100 { printf("ready\n"); }'
{
	run none
	run 'nvmetool spdk' "$BUILD/nvmetool" spdk --buffer 256M --probe nvmf_tgt_state
	run 'nvmetool spdk --json' "$BUILD/nvmetool" spdk --buffer 256M --json --no-meta --probe nvmf_tgt_state
	run 'bpftrace, printf' bpftrace -B line -e "$PROBE { printf(\"nvmf_tgt_state %d\n\", arg1); } $READY"
	run 'bpftrace, count' bpftrace -B line -e "$PROBE { @ = count(); } $READY"
} >"$BUILD/bench/probes.ndjson"
if [ -n "$JSON" ]; then
	cat "$BUILD/bench/probes.ndjson"
else
	jq -r '[.tracer, .hits, .ns_per_hit, .printed, .lost] | @tsv' "$BUILD/bench/probes.ndjson" |
		awk -F '\t' 'BEGIN { printf "%-22s %10s %10s %10s %10s\n", "a hit of a probe", "hits", "ns", "printed", "lost" }
		{ printf "%-22s %10s %10s %10s %10s\n", $1, $2, $3, $4, $5 }'
fi
