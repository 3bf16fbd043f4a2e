#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# help: texts follow from the tables, fit a terminal, and go to standard output.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

commands()
{
	"$NVMETOOL" __complete "" | cut -f1
}

@test "without a command the overview goes to standard error, exit 2" {
	run -2 --separate-stderr "$NVMETOOL"
	[ -z "$output" ]
	[[ $stderr == *"usage: nvmetool COMMAND"* ]]
}

# one_screen FILE: are there at most 24 lines of 79 columns?
one_screen()
{
	awk 'length > 79 || NR > 24 { print NR ": " $0; bad = 1 } END { exit bad }' "$1"
}

@test "-h and --help name every command on one screen; help begins with them, and goes on" {
	"$NVMETOOL" -h >"$BATS_TEST_TMPDIR/brief"
	one_screen "$BATS_TEST_TMPDIR/brief"
	cmp "$BATS_TEST_TMPDIR/brief" <("$NVMETOOL" --help)
	run -0 --separate-stderr "$NVMETOOL" help
	[ -z "$stderr" ]
	cmp <(head -n 21 <<<"$output") <(head -n 21 "$BATS_TEST_TMPDIR/brief")
	[[ $output == *$'\nExit status\n'* ]]
	for cmd in $(commands); do
		[[ $output == *$'\n'"  $cmd "* ]]
	done
}

# on_terminal COMMAND: runs it on a terminal of 24 lines and prints what appears there.
on_terminal()
{
	SHELL=/bin/bash TERM=xterm timeout 20 script -qec "stty rows 24 cols 80; $1" /dev/null </dev/null | tr -d '\r'
}

@test "CMD -h and CMD --help fit one screen: usage, options, four examples, where the rest is" {
	for cmd in $(commands); do
		run -0 --separate-stderr "$NVMETOOL" "$cmd" -h
		[ -z "$stderr" ]
		[[ $output == "nvmetool $cmd: "*$'\n'"usage: nvmetool $cmd "* ]]
		[ "$output" = "$("$NVMETOOL" "$cmd" --help)" ]
		one_screen <(echo "$output")
		# Each option is one line, and there are ten at most. An alias is told by help CMD.
		[ "$(grep -cE '^  (-.,|   ) --' <<<"$output")" -le 10 ]
		run ! grep -E '^ {10}' <<<"$output"
		output=$("$NVMETOOL" "$cmd" -h)
		mapfile -t lines <<<"$output"
		[ "$(grep -c "^  nvmetool $cmd.*  # [a-z]" <<<"$output")" = 4 ]
		[ "${lines[-1]}" = "All options, fields and more examples: nvmetool help $cmd" ]
	done
}

@test "-h shows -w, --duration, --fail-if and -i of each command that has them; help CMD marks aliases" {
	for cmd in $(commands); do
		for option in --write --duration --fail-if --input; do
			[ "$("$NVMETOOL" help "$cmd" | grep -cE -- "^  (-.,|   ) $option ")" = \
				"$("$NVMETOOL" "$cmd" -h | grep -cE -- "^  (-.,|   ) $option ")" ]
		done
	done
	"$NVMETOOL" help latency | grep -q -- '--csv .*; alias of --format csv$'
	"$NVMETOOL" help latency | grep -q -- '-m, --milliseconds .*; alias of --unit ms$'
}

# names: of options, in the order of the help on standard input
names()
{
	grep -oE -- '^  (-.,|   ) (-., )*--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'
}

@test "help and manual page begin with the options of -h, in its order; the rarely needed come last" {
	for cmd in $(commands); do
		"$NVMETOOL" help "$cmd" | sed '/^Fields of\|^Examples/,$d' >"$BATS_TEST_TMPDIR/help"
		"$NVMETOOL" "$cmd" -h | names >"$BATS_TEST_TMPDIR/brief" || [ "$cmd" = completion ]
		sed -n '/^Main options/,/^$/p' "$BATS_TEST_TMPDIR/help" | names | diff "$BATS_TEST_TMPDIR/brief" - || [ "$cmd" = completion ]
		"$NVMETOOL" help --man "$cmd" | sed -n 's/^\.It \(Fl . , \)*Fl Fl \([a-z0-9-]*\).*/--\2/p' |
			diff <(names <"$BATS_TEST_TMPDIR/help") -
	done
	[ "$("$NVMETOOL" help trace | grep -E '^(Main options|Further options|Selection|Output|Run control|General|Rarely needed|Fields.*"io".*)$' | tr '\n' '/')" = \
		'Main options/Further options/Selection/Output/Run control/General/Rarely needed/Fields of "io": a whole command: submission and completion/' ]
	"$NVMETOOL" help latency | sed -n '/^Rarely needed/,/^$/p' | names | grep -qx -e --lbs512
	"$NVMETOOL" help trace | grep -q -- '-E, --events  *alias of --show both'
	"$NVMETOOL" help top | grep -q -- '-C, --noclear .*; alias of --batch'
}

@test "help CMD is the whole text: every option, with a heading, and every example" {
	for cmd in $(commands); do
		run -0 --separate-stderr "$NVMETOOL" help "$cmd"
		[ -z "$stderr" ]
		[[ $output == "nvmetool $cmd: "*"usage: nvmetool $cmd "*$'\nGeneral\n'*$'\nExamples\n'* ]]
		"$NVMETOOL" "$cmd" -h | sed -n 's/^  \(nvmetool.*[^ ]\)  *# /\1\n/p' |
			while read -r line && read -r caption; do
				[[ $output == *"  $caption:"$'\n'"    $line"* ]]
			done
	done
}

@test "help CMD goes through \$PAGER on a terminal, and says all without one that runs" {
	PAGER='head -n 1' run -0 on_terminal "$NVMETOOL help trace"
	[ "$output" = "$("$NVMETOOL" help trace | head -n 1)" ]
	"$NVMETOOL" help trace >"$BATS_TEST_TMPDIR/want"
	for pager in '' cat /nonexistent/pager; do
		PAGER=$pager on_terminal "$NVMETOOL help trace 2>/dev/null" | diff "$BATS_TEST_TMPDIR/want" -
	done
	on_terminal "PAGER='head -n 1' TERM=dumb $NVMETOOL help trace" | diff "$BATS_TEST_TMPDIR/want" -
	PAGER='head -n 1' "$NVMETOOL" help trace | diff "$BATS_TEST_TMPDIR/want" -
}

@test "help CMD without \$PAGER goes through less" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "less $*"; cat >/dev/null\n' >"$BATS_TEST_TMPDIR/bin/less"
	chmod +x "$BATS_TEST_TMPDIR/bin/less"
	run -0 on_terminal "unset PAGER; PATH=$BATS_TEST_TMPDIR/bin:\$PATH $NVMETOOL help trace"
	[ "$output" = "less -FRX" ]
}

@test "a pager that fails changes nothing of the exit status" {
	PAGER='exit 3' run -0 --separate-stderr on_terminal "$NVMETOOL help trace"
	[ -z "$output$stderr" ]
}

@test "every help fits 80 columns" {
	for cmd in "" $(commands); do
		# shellcheck disable=SC2086 # no command is no word
		"$NVMETOOL" help $cmd | awk -v cmd="$cmd" 'length > 79 { print cmd ": " $0; bad = 1 } END { exit bad }'
	done
}

@test "help shows defaults and the words of options" {
	run -0 "$NVMETOOL" help trace
	[[ $output == *"--buffer SIZE"*"[8m]"* ]]
	[[ $output == *"--unit UNIT"*"ns, us, ms, s [us]"* ]]
	[[ $output == *"-f, -o, --format, --output-format FMT"*"text, csv, json"* ]]
}

@test "help refuses what it does not know" {
	run -2 --separate-stderr "$NVMETOOL" help trase
	[ "$stderr" = "error: trase: no such command; did you mean trace?" ]
	run -2 --separate-stderr "$NVMETOOL" help trace list
	[ "$stderr" = "error: help: expected one command" ]
	run -2 --separate-stderr "$NVMETOOL" help --schema
	[ "$stderr" = "error: --schema: expected a command" ]
	run -2 --separate-stderr "$NVMETOOL" help --man --schema trace
	[ "$stderr" = "error: --man and --schema: they ask for two texts; drop one of them" ]
}

@test "the version names the libraries'" {
	run -0 --separate-stderr "$NVMETOOL" --version
	[[ ${lines[0]} =~ ^nvmetool\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ ${lines[1]} =~ ^libbpf\ v[0-9.]+,\ libelf\ 0\.[0-9]+,\ zlib\ [0-9.]+,\ [a-z]+$ ]]
	[ "$output" = "$("$NVMETOOL" -V)" ]
	[ "$output" = "$("$NVMETOOL" trace -V)" ]
}

@test "--install makes a link for each command, and the links run it" {
	run -0 --separate-stderr "$NVMETOOL" --install "$BATS_TEST_TMPDIR"
	for cmd in $(commands); do
		[ -L "$BATS_TEST_TMPDIR/nvmetool-$cmd" ]
		[ "$("$BATS_TEST_TMPDIR/nvmetool-$cmd" --help)" = "$("$NVMETOOL" "$cmd" --help)" ]
	done
	run -0 "$NVMETOOL" --install "$BATS_TEST_TMPDIR"
}

@test "--install replaces nothing and names what is in its way" {
	echo mine >"$BATS_TEST_TMPDIR/nvmetool-trace"
	run -1 --separate-stderr "$NVMETOOL" --install "$BATS_TEST_TMPDIR"
	[[ $stderr == "error: $BATS_TEST_TMPDIR/nvmetool-trace: File exists; remove it first, or choose another directory" ]]
	[ "$(cat "$BATS_TEST_TMPDIR/nvmetool-trace")" = mine ]
	run -2 "$NVMETOOL" --install
	run -1 --separate-stderr "$NVMETOOL" --install "$BATS_TEST_TMPDIR/none"
	[[ $stderr == *"No such file or directory"* ]]
}
