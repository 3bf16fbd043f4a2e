#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of changes: a subcommand, a source, an output format, a fact about the kernel, a key of --by and a column are
# added to a copy of the tree, each in a commit of its own, and built together. All that a user sees of them follows from tables.

bats_require_minimum_version 1.5.0

# commit NAME: what was changed in the copy since the last one
commit()
{
	git -C "$TREE" add -A
	git -C "$TREE" -c user.name=test -c user.email=test@localhost commit -q -m "$1"
}

setup_file()
{
	load tree.bash
	need_release_binary
	export TREE=$BATS_FILE_TMPDIR/tree
	copy_tree "$TREE"
	# The objects that are built already save time; make sees from the times that only changed and new ones are missing.
	mkdir "$TREE/build"
	cp -a "$O"/{bpf,cmd,deps,obj,embed.def} "$TREE/build"
	mkdir "$TREE/cmd/tally"
	cp tests/build/subcommand/tally.c "$TREE/cmd/tally"
	cp tests/build/subcommand/tally.bpf.c "$TREE/bpf"
	echo 'CMD(tally)' >>"$TREE/cmd/list.def"
	commit subcommand
	mkdir "$TREE/cmd/beat"
	cp tests/build/source/beat.c "$TREE/cmd/beat"
	echo 'CMD(beat)' >>"$TREE/cmd/list.def"
	commit source
	cp tests/build/format/tsv.c "$TREE/lib/out"
	echo 'FORMAT(TSV, tsv, "tab-separated values")' >>"$TREE/lib/out/format.def"
	commit format
	git -C "$TREE" apply -C1 tests/build/feature/batches.patch
	commit feature
	git -C "$TREE" apply -C1 tests/build/key/tid.patch
	commit key
	git -C "$TREE" apply -C1 tests/build/column/numa.patch
	commit column
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

# cost NAME: a line "ADDED REMOVED FILE" for each file that the commit touches
cost()
{
	git show --format= --numstat ":/^$1" | tr '\t' ' '
}

# lines FILE: how many
lines()
{
	wc -l <"$1"
}

@test "a subcommand costs two files and one line" {
	[ "$(cost subcommand)" = "$(lines bpf/tally.bpf.c) 0 bpf/tally.bpf.c
1 0 cmd/list.def
$(lines cmd/tally/tally.c) 0 cmd/tally/tally.c" ]
	echo "# a subcommand: 2 files of $(cat cmd/tally/tally.c bpf/tally.bpf.c | wc -l) lines together, and 1 line in cmd/list.def" >&3
}

@test "a source costs one file and one line" {
	[ "$(cost source)" = "$(lines cmd/beat/beat.c) 0 cmd/beat/beat.c
1 0 cmd/list.def" ]
	echo "# a source with a command of its own: 1 file of $(lines cmd/beat/beat.c) lines, and 1 line in cmd/list.def" >&3
}

@test "a column costs two lines, its place in an event, and the code that fills it" {
	[ "$(cost column)" = "1 1 bpf/shared/event.def
23 0 lib/session/run_live.c
4 2 lib/view/trace_row.h" ]
	echo "# a column: 1 line in bpf/shared/event.def, 2 in lib/view/trace_row.h, and 23 that fill it" >&3
}

@test "a format costs one file and one line" {
	[ "$(cost format)" = "1 0 lib/out/format.def
$(lines lib/out/tsv.c) 0 lib/out/tsv.c" ]
	echo "# a format: 1 file of $(lines lib/out/tsv.c) lines, and 1 line in lib/out/format.def" >&3
}

@test "a fact about the kernel costs three lines, its member, and the place that uses it" {
	[ "$(cost feature)" = "7 0 cmd/doctor/checks.c
3 0 lib/btf/features.c
1 0 lib/btf/features.h" ]
	echo "# a fact about the kernel: 3 lines in lib/btf/features.c, 1 in features.h, and 7 in doctor, which shows it" >&3
}

# The BPF objects are built with the key; nothing loads them here.
@test "a key costs three files in lib/group/, and one for all commands to have it from the kernel" {
	[ "$(cost key)" = "5 2 bpf/shared/keys.h
4 1 lib/group/fields.h
2 2 lib/group/group.h
16 0 lib/group/key.c" ]
	echo "# a key: 22 lines in lib/group/, and 5 in bpf/shared/keys.h, for every command" >&3
}

@test "help lists the subcommand with its options and the shared ones" {
	"$TOOL" --help | grep -qE '^ +tally +count commands by the direction'
	"$TOOL" help tally >"$BATS_TEST_TMPDIR/help"
	grep -q -- '-z, --zero' "$BATS_TEST_TMPDIR/help"
	grep -q -- '--ctrl-id' "$BATS_TEST_TMPDIR/help"
}

@test "completion offers the subcommand and its options" {
	"$TOOL" __complete tal | grep -q '^tally'
	"$TOOL" __complete tally --ze | grep -q '^--zero'
}

@test "the subcommand has a man page" {
	"$TOOL" help --man tally >"$BATS_TEST_TMPDIR/tally.1"
	mandoc -T lint -W error "$BATS_TEST_TMPDIR/tally.1"
	mandoc -T ascii "$BATS_TEST_TMPDIR/tally.1" | grep -q 'count commands by the direction'
}

@test "the subcommand gives the same rows of a recording as text, CSV, JSON and TSV" {
	"$TOOL" tally -i "$recording" --no-header | awk '{ print $1, $2 }' >"$BATS_TEST_TMPDIR/text"
	[ -s "$BATS_TEST_TMPDIR/text" ]
	"$TOOL" tally -i "$recording" --csv --no-header | tr , ' ' | tr -d '\r' | diff "$BATS_TEST_TMPDIR/text" -
	"$TOOL" tally -i "$recording" -f tsv --no-header | tr '\t' ' ' | diff "$BATS_TEST_TMPDIR/text" -
	"$TOOL" tally -i "$recording" --json | jq -r 'select(.type == "tally") | "\(.direction) \(.commands)"' |
		diff "$BATS_TEST_TMPDIR/text" -
	"$TOOL" tally -i "$recording" --json --zero | jq -s -e 'map(select(.type == "tally")) | length == 4'
}

@test "lint asks for tests of the subcommand" {
	CMDS='tally' run -1 tests/lint/run.sh cli_tests
	[[ $output == *'tests/cli/tally.bats is missing'* ]]
}

# as_csv COMMAND ARGUMENTS...: compares TSV with CSV, of which no value here needs quotes
as_csv()
{
	"$TOOL" "$@" --csv >"$BATS_TEST_TMPDIR/csv"
	[ "$(lines "$BATS_TEST_TMPDIR/csv")" -gt 1 ]
	run ! grep '"' "$BATS_TEST_TMPDIR/csv"
	"$TOOL" "$@" --format tsv | diff <(tr , '\t' <"$BATS_TEST_TMPDIR/csv" | tr -d '\r') -
}

@test "the new format has the values of CSV, whatever the command" {
	as_csv trace -i tests/data/stream.nvt
	as_csv trace -i tests/data/mixed.nvt -E --aer --sq -Q --columns -comm
	as_csv trace -i tests/data/mixed.nvt --no-header --columns op,bytes,lat_ns
	as_csv latency -i tests/data/stream.nvt --by dev,opcode
	as_csv pattern -i tests/data/stream.nvt
	as_csv stacks -i tests/data/stacks.nvt -k
}

@test "help, man pages and completion offer the format, messages too" {
	"$TOOL" help trace | tr -s ' \n' ' ' | grep -q 'text, csv, json, tsv, kernel, perf'
	"$TOOL" help --man trace | grep -q '^\.It Cm tsv'
	"$TOOL" __complete trace -f ts | grep -q '^tsv	tab-separated values'
	run -2 "$TOOL" trace -f tvs -i "$recording"
	[[ $output == *'expected text, csv, json, tsv, kernel, perf'* ]]
}

@test "help, man pages and completion of each command with --by offer the key, messages too" {
	for command in latency pattern stacks; do
		"$TOOL" help "$command" | tr -s ' \n' ' ' | grep -qE ': [a-z, ]*pid, tid, comm, cgroup'
		"$TOOL" help --man "$command" | grep -q '^\.It Cm tid'
		"$TOOL" __complete "$command" --by dev,ti | grep -q '^dev,tid	thread that submitted'
		run -2 "$TOOL" "$command" --by tdi -i "$recording"
		[[ $output == *'expected '*'pid, tid, comm, cgroup'* ]]
	done
}

# sums COMMAND SUM...: its rows by tid against what the I/O commands of each thread in `trace` add up to. SUM is
# COLUMN=FIELD: the column of the row has the sum of that field of trace.
sums()
{
	local command=$1 ours='.tid, .count' theirs='.[0].tid, length' sum file

	for sum in "${@:2}"; do
		ours+=", .${sum%=*}"
		theirs+=", (map(.${sum#*=}) | add)"
	done
	for file in mixed load readme; do
		"$TOOL" trace -i "tests/data/$file.nvt" --json |
			jq -sc "map(select(.type == \"io\" and (.admin | not))) | group_by(.tid)[] | [$theirs]" >"$BATS_TEST_TMPDIR/theirs"
		[ "$(lines "$BATS_TEST_TMPDIR/theirs")" -gt 2 ]
		"$TOOL" "$command" --by tid -i "tests/data/$file.nvt" --json |
			jq -sc "map(select(.type == \"$command\")) | sort_by(.tid)[] | [$ours]" |
			diff "$BATS_TEST_TMPDIR/theirs" -
	done
}

@test "rows by the key have the sums of the same commands in trace" {
	sums latency bytes=bytes sum_ns=lat_ns
	sums pattern bytes=bytes
}

# numa FILE: what trace says of the column in it, each value once
numa()
{
	"$TOOL" trace -i "$1" --json --quiet | jq -c 'select(.type == "io").numa' | sort -u
}

@test "trace shows the column, a recording of a recording keeps it, and an older one does not know it" {
	sed -E 's/"during": 2,/&"numa": 1,/; s/"during": 3,/&"numa": 5,/' tests/cli/lib/nvt.py >"$BATS_TEST_TMPDIR/nvt.py"
	python3 "$BATS_TEST_TMPDIR/nvt.py" unknown nothing "$BATS_TEST_TMPDIR/new.nvt"
	[ "$(numa "$BATS_TEST_TMPDIR/new.nvt")" = 5 ]
	"$TOOL" record --quiet -i "$BATS_TEST_TMPDIR/new.nvt" -w "$BATS_TEST_TMPDIR/copy.nvt"
	[ "$(numa "$BATS_TEST_TMPDIR/copy.nvt")" = 5 ]
	[ "$(numa tests/data/mixed.nvt)" = null ]
	"$TOOL" trace -i tests/data/mixed.nvt --csv | grep -q 'submit_cpu,complete_cpu,numa,ino'
}

@test "a live run of the source has intervals, limits and a summary" {
	"$TOOL" beat --json 0.2 3 >"$BATS_TEST_TMPDIR/beat"
	jq -se '.[0].attach.method == "clock" and .[-1].type == "summary" and .[-1].complete' "$BATS_TEST_TMPDIR/beat"
	jq -se 'map(select(.type == "beat").beats) | length == 3 and sort == . and .[-1] > 0' "$BATS_TEST_TMPDIR/beat"
}

# kernel DIR: makes BTF of a kernel with the types in standard input
kernel()
{
	mkdir "$1"
	clang -target bpf -g -c -x c -o "$1.o" -
	llvm-objcopy --dump-section ".BTF=$1/vmlinux" "$1.o" "$1.stripped"
}

# completes DIR: what doctor says about batches on a kernel with the BTF in DIR
completes()
{
	NVMETOOL_BTF=any "${TOOL%/*}/guest/nvmetool" doctor --btf "$1" --json | jq -r 'select(.name == "batches").detail'
}

@test "doctor reads the fact from BTF" {
	kernel "$BATS_TEST_TMPDIR/old" <<<'struct request { long state; } request;'
	kernel "$BATS_TEST_TMPDIR/new" <<<'struct request { long state; } request; struct io_comp_batch { long n; } batch;'
	[ "$(completes "$BATS_TEST_TMPDIR/old")" = 'the driver completes commands one by one' ]
	[ "$(completes "$BATS_TEST_TMPDIR/new")" = 'the driver completes commands in batches' ]
}
