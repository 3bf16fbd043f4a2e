#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The expected output of commands on the recordings here: expected/, pictures/ and the outputs that README.md shows.
#
# usage: goldens.sh                 makes all of them anew; read what `git diff` says then
#        goldens.sh --list          their names
#        goldens.sh --print NAME    what one should hold, as the program says it now
#
# NVMETOOL is the program.
set -euo pipefail

DATA=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
README=$DATA/../../README.md
NVMETOOL=$(realpath "${NVMETOOL:?the program}")

# NAME and its command, with the recordings of this directory. The driver's lines may end in a blank: they have a bar behind
# it in errors-kernel.txt.
GOLDENS='
expected/trace.txt           trace -i mixed.nvt
expected/trace-events.txt    trace -i mixed.nvt -E --aer --sq -R -k -u
expected/trace-wide.txt      trace -i mixed.nvt -W -Q -P
expected/trace-kernel.txt    trace -i mixed.nvt -f kernel --aer --sq
expected/trace-perf.txt      trace -i mixed.nvt -f perf --aer --sq
expected/trace.csv           trace -i mixed.nvt --csv -E --aer --sq -Q
expected/trace.json          trace -i mixed.nvt -E --aer --sq --json -Q -k -u -P | grep -E "\"type\":\"(submit|complete|aer|sq)\""
expected/errors.txt          errors -i mixed.nvt
expected/errors-kernel.txt   errors -i mixed.nvt -f kernel | sed "s/\$/|/"
expected/errors-summary.txt  errors -i mixed.nvt -s -a
expected/errors.csv          errors -i mixed.nvt --csv
expected/errors.json         errors -i mixed.nvt --json --no-meta | grep -v "\"type\":\"summary\""
expected/latency.csv         latency -i latency.nvt -A --csv --by ctrl,opcode -P 50,99.9
expected/latency.json        latency -i latency.nvt --json --no-meta --by opcode,cgroup | grep -v "\"type\":\"summary\""
expected/latency-rows.csv    latency -i latency.nvt -A --csv -H rows --by ctrl,opcode
pictures/latency.svg         latency -i readme.nvt -f svg --utc
pictures/stacks.svg          stacks -i sqlite.nvt -k --by comm -f svg --utc
'

names()
{
	awk 'NF { print $1 }' <<<"$GOLDENS"
	echo README.md
}

# replay RECORDING WORDS: what the program prints of the recording; WORDS as a shell reads them. drive.nvt is what an
# earlier command recorded.
replay()
{
	local words=$2

	[[ $words =~ --decode|' -i ' ]] || words+=" -i '$1'"
	(cd "$DATA/../.." && bash -c "\"\$NVMETOOL\" ${words//drive.nvt/\"$SCRATCH/drive.nvt\"}" 2>"$SCRATCH/notes") || { cat "$SCRATCH/notes" >&2 && return 1; }
}

# README.md as it is, but for the outputs of the blocks below `<!-- replay: RECORDING -->`.
readme()
{
	local line recording='' inside=''

	while IFS= read -r line; do
		case $line in
		'<!-- replay: '*) recording=${line#<!-- replay: } recording=${recording% -->} ;;
		'```'*)
			if [ -n "$inside" ]; then
				inside='' recording=''
			elif [ -n "$recording" ]; then
				inside=yes
			fi
			;;
		"\$ nvmetool "*) ;;
		*) [ -z "$inside" ] || continue ;;
		esac
		printf '%s\n' "$line"
		[[ -z $inside || $line != "\$ nvmetool "* ]] || replay "$recording" "${line#"\$ nvmetool "}"
	done <"$README"
}

# golden NAME
golden()
{
	local command

	if [ "$1" = README.md ]; then
		readme
		return
	fi
	command=$(awk -v name="$1" '$1 == name { sub(/^[^ ]+ +/, ""); print }' <<<"$GOLDENS")
	[ -n "$command" ] || { echo "error: no golden '$1'" >&2 && return 2; }
	(cd "$DATA" && eval "\"\$NVMETOOL\" ${command%% *} --quiet ${command#* }")
}

# renew NAME: in place; a command that fails leaves the file as it was.
renew()
{
	local file=$DATA/$1

	[ "$1" != README.md ] || file=$README
	golden "$1" >"$SCRATCH/new"
	cmp -s "$SCRATCH/new" "$file" || { cat "$SCRATCH/new" >"$file" && echo "$1"; }
}

export NVMETOOL
SCRATCH=$(mktemp -d)
trap 'rm -r "$SCRATCH"' EXIT
case ${1:-} in
--list) names ;;
--print) golden "${2:?NAME}" ;;
'') for name in $(names); do renew "$name"; done ;;
*) sed -n 's/^# \?//; /^usage/,/^$/p' "$0" >&2 && exit 2 ;;
esac
