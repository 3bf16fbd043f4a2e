#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# completion: the scripts are short and hold no option; real shells complete with them.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

DATA=$BATS_TEST_DIRNAME/../data

setup()
{
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$(realpath "$NVMETOOL")" "$BATS_TEST_TMPDIR/bin/nvmetool"
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# in_bash LINE: what a real bash offers at the end of LINE, one candidate per line.
in_bash()
{
	bash --norc -c '
		source <(nvmetool completion bash)
		COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
		read -ra COMP_WORDS <<<"$1"
		[[ $1 == *" " ]] && COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		compopt() { echo "compopt $*"; }
		complete -p nvmetool | grep -q "_nvmetool nvmetool" || exit 1
		_nvmetool nvmetool "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}

in_fish()
{
	fish --no-config -c '
		nvmetool completion fish | source
		complete -C $argv[1]' "$1" | cut -f1
}

@test "scripts name no option" {
	for shell in bash zsh fish; do
		nvmetool completion "$shell" >"$BATS_TEST_TMPDIR/script"
		[ -s "$BATS_TEST_TMPDIR/script" ]
		nvmetool __complete trace -- | cut -f1 | grep -vx -- -- >"$BATS_TEST_TMPDIR/options"
		run -1 grep -Ff "$BATS_TEST_TMPDIR/options" "$BATS_TEST_TMPDIR/script"
	done
}

@test "the real shells parse their scripts" {
	nvmetool completion bash | bash -n
	nvmetool completion zsh | zsh -n
	nvmetool completion fish | fish -n
}

# Some options are for recordings alone, others for the kernel.
@test "every option in the help is completed, with or without a recording, and no other" {
	for cmd in $(nvmetool __complete "" | cut -f1); do
		nvmetool help "$cmd" | sed '/^Examples/,$d' | grep -o '^ \{2,6\}\(-., \)*--[a-z0-9-]*\(, --[a-z0-9-]*\)*' |
			grep -o -- '--[a-z0-9-]*' | sort >"$BATS_TEST_TMPDIR/help"
		{
			nvmetool __complete "$cmd" --
			nvmetool __complete "$cmd" -i drive.nvt --
		} | cut -f1 | grep -vx -- -- | sort -u >"$BATS_TEST_TMPDIR/completed"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/completed"
	done
}

# words CMD...: what is offered, in a line
words()
{
	nvmetool __complete "$@" | cut -f1 | tr '\n' ' '
}

@test "an option that is set is not offered again, by any of its names; a list may be given again" {
	[ "$(words trace --json --js)" = "" ]
	[ "$(words trace -j --form)" = "" ]
	[ "$(words trace -f csv --json)" = "" ]
	[ "$(words trace -m --uni)" = "" ]
	[ "$(words trace --unit ms --milli)" = "" ]
	[ "$(words trace -QR --qu)" = "--quiet " ]
	[ "$(words trace -O read --opc)" = "--opcode " ]
	[ "$(words trace -v --verb)" = "--verbose " ]
}

@test "a value of a list is not offered twice, wherever it stands" {
	[ "$(words latency --by dev,ct)" = "dev,ctrl " ]
	[ "$(words latency --by dev,de)" = "" ]
	[ "$(words latency --by dev -b de)" = "" ]
	[ "$(words latency --by=dev --by=de)" = "" ]
	[ "$(words trace -Oread -O rea)" = "" ]
	[ "$(words trace -O '!read,rea')" = "" ]
	[ "$(words trace --columns +slba,+slb)" = "" ]
}

@test "what another word of the line excludes is not offered, what it makes possible is" {
	[ "$(words latency -f svg --ta)" = "" ]
	[ "$(words latency --by dev -f s)" = "" ]
	[ "$(words latency --table -f s)" = "" ]
	[ "$(words export -f hdr --map)" = "" ]
	[ "$(words export -f fio --map)" = "--map " ]
	[ "$(words latency --max-ev)" = "" ]
	[ "$(words latency -i drive.nvt --max-ev)" = "--max-events " ]
	[ "$(words latency -i drive.nvt --prob)" = "" ]
	[[ "$(words trace --)" == *" -- " ]]
	[[ "$(words trace -i drive.nvt --)" != *" -- " ]]
	[ "$(words latency --columns hos)" = "" ]
	[ "$(words latency --by host --columns hos)" = "host " ]
	[ "$(words errors --columns coun)" = "" ]
	[ "$(words errors -s --columns coun)" = "count " ]
	[ "$(words diff a.nvt "")" = ":files " ]
	[ "$(words diff a.nvt b.nvt "")" = "" ]
	[ "$(words help trace "")" = "" ]
	[ "$(words completion bash "")" = "" ]
}

@test "options of a line that is refused are offered all the same: one may mend it" {
	nvmetool latency -f svg --table </dev/null >/dev/null 2>&1 && false
	[ "$(words latency -f svg --table --dura)" = "--duration " ]
}

@test "completion opens no file and prints no message" {
	echo old >"$BATS_TEST_TMPDIR/old"
	run -0 --separate-stderr nvmetool __complete trace -w "$BATS_TEST_TMPDIR/new" -f csv --
	[ -z "$stderr" ]
	[ ! -e "$BATS_TEST_TMPDIR/new" ]
	for cmd in trace latency export metrics record report; do
		run -0 --separate-stderr nvmetool __complete "$cmd" -w "$BATS_TEST_TMPDIR/old" --
		[ -z "$stderr" ]
	done
	[ "$(cat "$BATS_TEST_TMPDIR/old")" = old ]
}

# Each option and value that is offered behind some hundred lines is run: see lib/offers.py.
offers()
{
	for cmd in "$@"; do
		run -0 --separate-stderr python3 "$BATS_TEST_DIRNAME/lib/offers.py" "$NVMETOOL" "$DATA/readme.nvt" "$DATA/sqlite.nvt" "$cmd"
	done
}

EVENTS='trace errors record export inflight'
COUNTS='latency stacks pattern top metrics'

# bats test_tags=all
@test "no command refuses what is offered: those that print events" {
	# shellcheck disable=SC2086 # words
	offers $EVENTS
}

# bats test_tags=all
@test "no command refuses what is offered: those that count" {
	# shellcheck disable=SC2086 # words
	offers $COUNTS
}

# bats test_tags=all
@test "no command refuses what is offered: all others" {
	# shellcheck disable=SC2046 # words
	offers $(nvmetool __complete "" | cut -f1 | grep -vwE "${EVENTS// /|}|${COUNTS// /|}")
}

@test "__complete: commands, operands, values, lists, files, programs" {
	[ "$(nvmetool __complete lat | cut -f1)" = latency ]
	[ "$(nvmetool __complete completion "" | cut -f1 | tr '\n' ' ')" = "bash zsh fish " ]
	[ "$(nvmetool __complete help lat | cut -f1)" = latency ]
	[ "$(nvmetool __complete trace --unit m)" = $'ms\tmilliseconds' ]
	[ "$(nvmetool __complete trace --unit=m | cut -f1)" = --unit=ms ]
	[ "$(nvmetool __complete trace -jf j | cut -f1)" = json ]
	[ "$(nvmetool __complete trace --opcode=read,write-z | cut -f1)" = --opcode=read,write-zeroes ]
	[ "$(nvmetool __complete trace -O admin:iden | cut -f1)" = admin:identify ]
	[ "$(nvmetool __complete trace -w "")" = :files ]
	[ "$(nvmetool __complete trace --btf "")" = :dirs ]
	[ "$(nvmetool __complete trace -- "")" = :commands ]
	[ "$(nvmetool __complete trace -- fio "")" = :files ]
	[ "$(nvmetool __complete --install "")" = :dirs ]
	[ "$(nvmetool __complete trace --columns=slb | cut -f1)" = --columns=slba ]
	[ "$(nvmetool __complete trace --columns op,+slb | cut -f1)" = op,+slba ]
	[ -z "$(nvmetool __complete nosuch "")" ]
	[ -z "$(nvmetool __complete trace --nosuch=x)" ]
}

@test "bash completes commands, options and values" {
	[ "$(in_bash 'nvmetool la')" = latency ]
	[ "$(in_bash 'nvmetool trace --ctrl')" = --ctrl-id ]
	[ "$(in_bash 'nvmetool trace --unit m')" = ms ]
	[ "$(in_bash 'nvmetool trace -O read,write-z')" = read,write-zeroes ]
	[ "$(in_bash 'nvmetool trace ')" = "" ]
	[ "$(in_bash 'sudo nvmetool la')" = latency ]
}

@test "bash: behind = and : only what readline replaces" {
	[ "$(in_bash 'nvmetool trace --format=js')" = json ]
	[ "$(in_bash 'nvmetool trace -O admin:iden')" = identify ]
	[ "$(in_bash 'nvmetool trace --opcode=read,admin:iden')" = identify ]
}

@test "bash: files and programs are left to it" {
	[ "$(in_bash 'nvmetool trace -w ')" = $'compopt -o default' ]
	in_bash 'nvmetool trace -- bas' | grep -qx bash
}

@test "bash completes at a terminal" {
	cat >"$BATS_TEST_TMPDIR/rc" <<-'EOF'
		PS1='ready> '
		bind 'set enable-bracketed-paste off'
		source <(nvmetool completion bash)
	EOF
	# The tabs stand in the input of the terminal; echo shows what they became.
	printf 'echo nvmetool\nnvmetool trace --form\t=js\t --help | head -n 1 >%s\nexit\n' \
		"$BATS_TEST_TMPDIR/out" >"$BATS_TEST_TMPDIR/keys"
	timeout 20 script -qec "bash --rcfile $BATS_TEST_TMPDIR/rc -i" "$BATS_TEST_TMPDIR/log" \
		<"$BATS_TEST_TMPDIR/keys" >"$BATS_TEST_TMPDIR/screen"
	[[ "$(cat "$BATS_TEST_TMPDIR/screen")" == *--format* ]]
	[[ "$(cat "$BATS_TEST_TMPDIR/out")" == "nvmetool trace: "* ]]
}

@test "fish completes commands, options, values and files" {
	[ "$(in_fish 'nvmetool la')" = latency ]
	[ "$(in_fish 'nvmetool trace --ctrl')" = --ctrl-id ]
	[ "$(in_fish 'nvmetool trace --format=js')" = --format=json ]
	[ "$(in_fish 'nvmetool trace -O read,write-z')" = read,write-zeroes ]
	[ "$(in_fish 'nvmetool trace -O admin:iden')" = admin:identify ]
	touch "$BATS_TEST_TMPDIR/file.nvt"
	[ "$(in_fish "nvmetool trace -i $BATS_TEST_TMPDIR/fi")" = "$BATS_TEST_TMPDIR/file.nvt" ]
	[ "$(in_fish "nvmetool trace --input=$BATS_TEST_TMPDIR/fi")" = "--input=$BATS_TEST_TMPDIR/file.nvt" ]
	in_fish 'nvmetool trace -- bas' | grep -qx bash
}

@test "zsh completes through its completion system" {
	cat >"$BATS_TEST_TMPDIR/ask" <<-'EOF'
		autoload -Uz compinit
		compinit -u -d $1/dump
		source <(nvmetool completion zsh)
		[[ $_comps[nvmetool] == _nvmetool ]] || exit 1
		compadd() { while (( $# )); do [[ $1 == -a ]] && print -l -- ${(P)2}; shift; done }
		_files() { print files $* }
		compset() { true }
		ask() { words=("$@") CURRENT=$#; _nvmetool }
		ask nvmetool la
		ask nvmetool trace --format=js
		ask nvmetool trace -O admin:iden
		ask nvmetool trace -w ''
		ask nvmetool completion z
	EOF
	run -0 --separate-stderr zsh -f "$BATS_TEST_TMPDIR/ask" "$BATS_TEST_TMPDIR"
	[ "$output" = $'latency\n--format=json\nadmin:identify\nfiles\nzsh' ]
}

@test "an unknown shell is a usage error" {
	run -2 --separate-stderr nvmetool completion tcsh
	[ "$stderr" = "error: tcsh: no such shell; use bash, zsh or fish" ]
	run -2 --separate-stderr nvmetool completion
	[ "$stderr" = "error: completion: expected one shell; name bash, zsh or fish" ]
}

@test "what follows a ! is completed; no list or object is offered as a column" {
	[ "$(nvmetool __complete trace --opcode='read,!write-z' | cut -f1)" = '--opcode=read,!write-zeroes' ]
	[ "$(nvmetool __complete trace --status='!ret' | cut -f1)" = '--status=!retry' ]
	nvmetool __complete trace --columns= | cut -f1 >"$BATS_TEST_TMPDIR/columns"
	grep -qx -e --columns=slba "$BATS_TEST_TMPDIR/columns"
	run ! grep -Ex -e '--columns=(fields|flags)' "$BATS_TEST_TMPDIR/columns"
	run ! grep -E 'hist|pct_ns' <<<"$(nvmetool __complete latency --columns= | cut -f1)"
}
