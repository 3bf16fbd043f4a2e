#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a new subcommand costs: two files and a line; all else follows from its tables.

bats_require_minimum_version 1.5.0

setup_file()
{
	load tree.bash
	need_release_binary
	export TREE=$BATS_FILE_TMPDIR/tree
	copy_tree "$TREE"
	# What is built already saves time; make sees from the times that only the new files are missing.
	cp -a "$O" "$TREE/build"
	mkdir "$TREE/cmd/tally"
	cp tests/build/subcommand/tally.c "$TREE/cmd/tally"
	cp tests/build/subcommand/tally.bpf.c "$TREE/bpf"
	echo 'CMD(tally)' >>"$TREE/cmd/list.def"
	clean_make "$TREE" -j2 O=build >"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log"; return 1; }
	export TOOL=$TREE/build/nvmetool
}

setup()
{
	load tree.bash
	need_release_binary
	cd "$TREE" || return
	recording=$(find tests/data -name '*.nvt' | LC_ALL=C sort | head -n 1)
}

@test "it costs two files and one line" {
	[ "$(git status --porcelain)" = " M cmd/list.def
?? bpf/tally.bpf.c
?? cmd/tally/" ]
	[ "$(git diff --numstat)" = "1	0	cmd/list.def" ]
	count=$(cat cmd/tally/tally.c bpf/tally.bpf.c | wc -l)
	echo "# a subcommand: 2 files of $count lines together, and 1 line in cmd/list.def" >&3
}

@test "help lists it with its options and the shared ones" {
	"$TOOL" --help | grep -qE '^ +tally +count commands by the direction'
	"$TOOL" help tally >"$BATS_TEST_TMPDIR/help"
	grep -q -- '-z, --zero' "$BATS_TEST_TMPDIR/help"
	grep -q -- '--ctrl-id' "$BATS_TEST_TMPDIR/help"
}

@test "completion offers it and its options" {
	"$TOOL" __complete tal | grep -q '^tally'
	"$TOOL" __complete tally --ze | grep -q '^--zero'
}

@test "it has a man page" {
	"$TOOL" help --man tally >"$BATS_TEST_TMPDIR/tally.1"
	mandoc -T lint -W error "$BATS_TEST_TMPDIR/tally.1"
	mandoc -T ascii "$BATS_TEST_TMPDIR/tally.1" | grep -q 'count commands by the direction'
}

@test "a recording gives the same rows as text, CSV and JSON" {
	"$TOOL" tally -i "$recording" --no-header | awk '{ print $1, $2 }' >"$BATS_TEST_TMPDIR/text"
	[ -s "$BATS_TEST_TMPDIR/text" ]
	"$TOOL" tally -i "$recording" --csv --no-header | tr , ' ' | tr -d '\r' | diff "$BATS_TEST_TMPDIR/text" -
	"$TOOL" tally -i "$recording" --json | jq -r 'select(.type == "tally") | "\(.direction) \(.commands)"' |
		diff "$BATS_TEST_TMPDIR/text" -
	"$TOOL" tally -i "$recording" --json --zero | jq -s -e 'map(select(.type == "tally")) | length == 4'
}

@test "lint asks for its tests" {
	CMDS='tally' run -1 tests/lint/run.sh cli_tests
	[[ $output == *'tests/cli/tally.bats is missing'* ]]
}
