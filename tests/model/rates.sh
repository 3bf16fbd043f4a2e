#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes recordings of the model and says how often `nvmetool report` is right about them, by kind.
#
# usage: rates.sh [-n COUNT] [-s FIRST_SEED] [-k KIND] [-e] [-x] [-o DIR] [-t] [-v]
#
#   -n  so many recordings (100), of the seeds FIRST_SEED (2), FIRST_SEED + 2 and so on: even ones are for tuning, odd ones
#       for judging, see README.md here
#   -k  all of one kind; `build/model -l` lists them
#   -e  who waits is there for a part of the time
#   -x  longer or shorter, and with more innocents, who come again and again or are many
#   -o  keeps recordings, labels and what was said in DIR
#   -t  fails where the rates miss the thresholds of README.md
#   -v  prints what was missed, and what was said instead; it is in build/model.missed anyway
#
# `make model` builds the program; NVMETOOL names the one to judge (build/nvmetool).
set -euo pipefail
umask 077 # so that no note tells who may read a recording
here=$(dirname "${BASH_SOURCE[0]}")
O=${O:-build}
export NVMETOOL=${NVMETOOL:-$O/nvmetool} MODEL=${MODEL:-$O/model}
CHUNK=8 # recordings that are made at once

count=100 first=2 kind='' part=() dir='' strict='' verbose=''
while getopts n:s:k:exo:tv option; do
	case $option in
	n) count=$OPTARG ;;
	s) first=$OPTARG ;;
	k) kind=$OPTARG ;;
	e | x) part+=("-$option") ;;
	o) dir=$OPTARG ;;
	t) strict=yes ;;
	v) verbose=yes ;;
	*) sed -n 's/^# usage: //p' "$0" >&2 && exit 2 ;;
	esac
done
for program in "$NVMETOOL" "$MODEL"; do
	[ -x "$program" ] || { echo "error: $program: it is not there; run 'make all model'" >&2 && exit 2; }
done

# In memory, where there is some.
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$work"' EXIT
export KEEP=''
[ -z "$dir" ] || { mkdir -p "$dir" && KEEP=yes; }
export DIR=${dir:-$work} WORK=$work KIND=$kind PART="${part[*]}"

# chunk FIRST COUNT: the labels go to FIRST.labels, findings and the status of each report to FIRST.said
chunk()
{
	local seed status

	# shellcheck disable=SC2086 # options, each a letter
	"$MODEL" ${KIND:+-k "$KIND"} $PART "$1" "$2" "$DIR" >"$WORK/$1.labels" || return
	for ((seed = $1; seed < $1 + 2 * $2; seed += 2)); do
		status=0
		"$NVMETOOL" report --json --quiet -i "$DIR/$seed.nvt" >"$WORK/$seed.out" 2>"$WORK/$seed.err" || status=$?
		sed -n "/\"type\":\"finding\"/s/^{/{\"seed\":$seed,/p" "$WORK/$seed.out"
		echo "{\"seed\":$seed,\"type\":\"status\",\"status\":$status}"
		[ -n "$KEEP" ] || rm -f "$DIR/$seed.nvt"
	done >"$WORK/$1.said"
}
export -f chunk

for ((i = 0; i < count; i += CHUNK)); do
	echo "$((first + 2 * i)) $((count - i < CHUNK ? count - i : CHUNK))"
done | xargs -P "$(nproc)" -L 1 bash -c 'chunk "$@"' chunk
cat "$work"/*.labels >"$work/labels"
cat "$work"/*.said >"$work/said"
[ -z "$dir" ] || cp "$work/labels" "$work/said" "$dir"
jq -c --slurpfile said "$work/said" -f "$here/judge.jq" "$work/labels" | jq -cs 'sort_by(.seed)[]' >"$work/judged"
[ "$(wc -l <"$work/judged")" = "$count" ] || { echo "error: not all of the $count recordings were judged" >&2 && exit 1; }

# What was missed goes to a file, by seed.
jq -r 'select(.broken or .innocent or .false or .beside or (.sick and (.right | not))) |
	"\(.seed) \(.kind):\(if .broken then " report failed" else "" end)\(if .sick and (.found | not) then " not found" else "" end)" +
	"\(if .found and (.right | not) then " culprit wrong" else "" end)\(if .innocent then " innocent named" else "" end)" +
	"\(if .false then " false" else "" end)\(if .beside then " something else as well" else "" end)\n" +
	"    truth: \(.truth)\n" +
	(if .said == [] then "    said: nothing\n" else (.said | map("    said: \(.)\n") | add) end)' \
	"$work/judged" >"$O/model.missed"
[ -z "$verbose" ] || cat "$O/model.missed"

jq -r '[.kind, .sick, .found, .right, .innocent, .beside, .false, .broken] | map(if . == true then 1 elif . == false then 0 else . end) | @tsv' \
	"$work/judged" | awk -v strict="$strict" -v order="$("$MODEL" -l)" -f "$here/table.awk"
