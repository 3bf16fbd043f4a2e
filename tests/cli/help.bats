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

@test "help, -h and --help are the same overview and name every command" {
	run -0 --separate-stderr "$NVMETOOL" help
	[ -z "$stderr" ]
	[ "$output" = "$("$NVMETOOL" -h)" ]
	[ "$output" = "$("$NVMETOOL" --help)" ]
	for cmd in $(commands); do
		[[ $output == *$'\n'"  $cmd "* ]]
	done
}

@test "CMD --help, CMD -h and help CMD are the same text" {
	for cmd in $(commands); do
		run -0 --separate-stderr "$NVMETOOL" "$cmd" --help
		[ -z "$stderr" ]
		[[ $output == "nvmetool $cmd: "*"usage: nvmetool $cmd "* ]]
		[ "$output" = "$("$NVMETOOL" "$cmd" -h)" ]
		[ "$output" = "$("$NVMETOOL" help "$cmd")" ]
	done
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

@test "--schema describes fields as JSON" {
	for cmd in $(commands); do
		"$NVMETOOL" help --schema "$cmd" | jq -e --arg cmd "$cmd" '
			.command == $cmd and ([.records[].fields[]] | all(
				(.name | test("^[a-z][a-z0-9_]*$")) and (.nullable | type == "boolean") and
				(.type | IN("integer", "number", "string", "boolean", "any"))))' >"$BATS_TEST_TMPDIR/out"
	done
	"$NVMETOOL" help --schema trace | jq -e '.records | length > 0'
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
	[[ ${lines[1]} =~ ^libbpf\ v[0-9.]+,\ libelf\ 0\.[0-9]+,\ zlib\ [0-9.]+,\ liblzma\ [0-9.]+,\ [a-z]+$ ]]
	[ "$output" = "$("$NVMETOOL" -V)" ]
	[ "$output" = "$("$NVMETOOL" trace -V)" ]
}

@test "--install makes a link for each command, and the links run it" {
	run -0 --separate-stderr "$NVMETOOL" --install "$BATS_TEST_TMPDIR"
	for cmd in $(commands); do
		[ -L "$BATS_TEST_TMPDIR/nvmetool-$cmd" ]
		[ "$("$BATS_TEST_TMPDIR/nvmetool-$cmd" --help)" = "$("$NVMETOOL" help "$cmd")" ]
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
