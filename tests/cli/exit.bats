#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Exit statuses and messages that need neither a kernel nor a recording.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

DATA=$BATS_TEST_DIRNAME/../data

@test "an unknown command gets the nearest one, exit 2" {
	run -2 --separate-stderr "$NVMETOOL" lateny
	[ -z "$output" ]
	[ "$stderr" = "error: lateny: no such command; did you mean latency?" ]
	run -2 --separate-stderr "$NVMETOOL" xyzzy
	[ "$stderr" = "error: xyzzy: no such command; try 'nvmetool help'" ]
	run -2 --separate-stderr "$NVMETOOL" --no-such
	[ "$stderr" = "error: --no-such: no such option; try 'nvmetool help'" ]
}

@test "an unknown or shortened option gets the nearest one, exit 2" {
	run -2 --separate-stderr "$NVMETOOL" trace --ctrl-idd=1
	[ "$stderr" = "error: --ctrl-idd: no such option; did you mean --ctrl-id?" ]
	run -2 --separate-stderr "$NVMETOOL" trace --mill
	[ "$stderr" = "error: --mill: no such option; did you mean --milliseconds?" ]
	# A name that was typed whole must not make its beginnings known.
	run -2 --separate-stderr "$NVMETOOL" trace --strict --stri
	[ "$stderr" = "error: --stri: no such option; did you mean --strict?" ]
	run -2 --separate-stderr "$NVMETOOL" trace -json
	[ "$stderr" = "error: -json: no such option; did you mean --json?" ]
}

@test "hostile words reach the terminal escaped, on one line" {
	run -2 --separate-stderr "$NVMETOOL" $'\e[2J\n\x9b'
	[ "$stderr" = 'error: \x1b[2J\x0a\x9b: no such command; try '"'nvmetool help'" ]
	long=$(head -c 4096 /dev/zero | tr '\0' a)
	run -2 --separate-stderr "$NVMETOOL" trace "--$long"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"aaa...: no such option; try 'nvmetool trace --help'" ]]
}

@test "closed standard output is an error, whatever is asked" {
	run -1 --separate-stderr bash -c '"$NVMETOOL" help >&-'
	[ "$stderr" = "error: standard output is closed: nothing can be printed; redirect it: >FILE" ]
	run -0 bash -c '"$NVMETOOL" help <&- 2>&-'
	[[ $output == *"usage: nvmetool"* ]]
}

@test "a full disk is an error, a reader that has gone is none" {
	for args in help "help trace" "help --man trace" "completion bash" "help --schema trace" --version; do
		# shellcheck disable=SC2086 # words are wanted
		run -1 --separate-stderr bash -c '"$NVMETOOL" "$@" >/dev/full' - $args
		[[ $stderr == "error: "*"No space left on device"* ]]
		# shellcheck disable=SC2086 # words are wanted
		run -0 --separate-stderr bash -c '
			exec {gone}> >(:); wait $!
			"$NVMETOOL" "$@" >&$gone' - $args
		[ -z "$stderr" ]
	done
}

@test "locale, time zone and terminal change nothing" {
	run -0 "$NVMETOOL" help trace
	want=$output
	run -0 env -i LANG=tr_TR.UTF-8 LC_ALL=xx TZ=:/etc/shadow TERM=../../x COLUMNS=-1 NO_COLOR=1 \
		POSIXLY_CORRECT=1 LD_PRELOAD= LIBBPF_LOG_LEVEL=debug "$NVMETOOL" help trace
	[ "$output" = "$want" ]
	run -2 --separate-stderr env POSIXLY_CORRECT=1 "$NVMETOOL" trace 1 --no-such
	[[ $stderr == "error: --no-such: "* ]]
}

# bats test_tags=native
@test "a replay needs no privilege and makes no call of BPF" {
	calls=$BATS_TEST_TMPDIR/calls
	none=()
	[ "$(id -u)" != 0 ] || none=(setpriv --bounding-set=-all)
	# Sanitizers look for leaks as a debugger does, and there is one already.
	[[ $NVMETOOL == */san/* ]] || none+=(strace -f -e 'trace=bpf,perf_event_open,socket' -e signal=none -o "$calls")
	for args in trace latency errors pattern stacks "record -w $BATS_TEST_TMPDIR/again"; do
		# shellcheck disable=SC2086 # words are wanted
		run -0 "${none[@]}" "$NVMETOOL" $args -i "$DATA/mixed.nvt"
		[[ $NVMETOOL == */san/* ]] || [ "$(sed 's/^[0-9 ]*//' "$calls")" = "+++ exited with 0 +++" ]
	done
}

@test "a bad word is a usage error on any host, before anything is looked at" {
	while read -r args; do
		# shellcheck disable=SC2086 # words are wanted
		run -2 --separate-stderr "$NVMETOOL" $args
		[ -z "$output" ]
		[[ $stderr == "error: "* ]]
		[ "$(wc -l <<<"$stderr")" = 1 ]
	done <<-'END'
		trace -O reed
		trace --size 4q
		trace --lba foo
		trace -c 5x
		trace -n x
		trace -q foo
		trace -p x
		trace --comm [[:x:]]
		trace --status foo
		trace --columns x
		trace --show submit -L 1ms
		trace --fail-if p99>1ms
		latency -P 101
		latency --split-size=x
		latency --columns p98_ns
		latency --fail-if get-log.p99>1ms
		latency --by none --fail-if read.count>1
		pattern --by x
		pattern --at issue --status error
		pattern --fail-if p99>1ms
		stacks --probe a-b
		stacks --probe vfs_read --hist
		stacks --fail-if read.count>1
		errors -a
		errors --columns x
		record -w /dev/null -O reed
		list --columns x
		doctor --columns x
	END
}

@test "an option that would do nothing is refused" {
	while read -r args; do
		# shellcheck disable=SC2086 # words are wanted
		run -2 --separate-stderr "$NVMETOOL" $args
		[ -z "$output" ]
	done <<-END
		record -i $DATA/mixed.nvt -w /dev/null -j
		record -i $DATA/mixed.nvt -w /dev/null --columns ts
		record -i $DATA/mixed.nvt -w /dev/null -m
		record -i $DATA/mixed.nvt -w /dev/null -T
		pattern -i $DATA/mixed.nvt --unit ms
		list -T
		list -m
		doctor --utc
		doctor --unit s
		stacks -i $DATA/stacks.nvt --columns comm
		stacks -i $DATA/stacks.nvt -f folded --columns comm
		trace -i $DATA/mixed.nvt -f perf --columns dev
	END
}

@test "latency --columns is a table" {
	run -0 --separate-stderr "$NVMETOOL" latency -i "$DATA/latency.nvt" --columns op,count
	[[ ${lines[0]} =~ ^OP\ +COUNT$ ]]
	[ "$output" = "$("$NVMETOOL" latency -i "$DATA/latency.nvt" --columns op,count --table)" ]
}

@test "words of --by by the names of other tools and of columns" {
	rows()
	{
		"$NVMETOOL" "$1" -i "$DATA/latency.nvt" --json --no-meta "${@:2}"
	}
	diff <(rows latency --by op) <(rows latency --by opcode)
	diff <(rows latency --by disk,queue) <(rows latency --by dev,qid)
	diff <(rows pattern --by process,device) <(rows pattern --by comm,dev)
	diff <(rows errors -s -a --by controller,op) <(rows errors -s -a --by ctrl,opcode)
	run -2 --separate-stderr "$NVMETOOL" latency --by opcdoe
	[[ $stderr == "error: bad value 'opcdoe' for --by: expected "*"; did you mean opcode?" ]]
	run -2 --separate-stderr "$NVMETOOL" latency -b ctlr
	[[ $stderr == "error: bad value 'ctlr' for --by: expected "*"; did you mean ctrl?" ]]
	# The -b of top is that of biotop, and takes no word.
	for word in ctlr ctrl; do
		run -2 --separate-stderr "$NVMETOOL" top -b $word
		[ "$stderr" = "error: bad value '$word' for INTERVAL: expected a time, 1ms..24h; a bare number is seconds; did you mean --by ctrl?" ]
	done
	run -2 --separate-stderr "$NVMETOOL" latency --by xyzzy
	[[ $stderr == "error: bad value 'xyzzy' for --by: expected "*status* && $stderr != *"did you mean"* ]]
	# Completion offers each key once, by its own name.
	[ "$("$NVMETOOL" __complete latency --by op | cut -f 1)" = opcode ]
}

@test "what people type by mistake gets the right hint" {
	run -2 --separate-stderr "$NVMETOOL" hist
	[ "$stderr" = "error: hist: no such command; did you mean latency?" ]
	local -i n=0
	while IFS='(,) ' read -r _ tool command _; do
		"$NVMETOOL" help "$command" >/dev/null
		run -2 --separate-stderr "$NVMETOOL" "$tool" -d nvme0n1 1
		[ "$stderr" = "error: $tool: no such command; $command replaces $tool" ]
		n+=1
	done < <(grep '^TOOL(' "$BATS_TEST_DIRNAME/../../lib/cli/tools.def")
	[ "$n" -ge 20 ]
	run -2 --separate-stderr "$NVMETOOL" biotop
	[ "$stderr" = "error: biotop: no such command; top replaces biotop" ]
	# Half of a short word is no slip.
	run -2 --separate-stderr "$NVMETOOL" trace --file x
	[ "$stderr" = "error: --file: no such option; try 'nvmetool trace --help'" ]
	run -2 --separate-stderr "$NVMETOOL" trace --szie 4k
	[ "$stderr" = "error: --szie: no such option; did you mean --size?" ]
	run -2 --separate-stderr "$NVMETOOL" trace -c nvme0n1
	[ "$stderr" = "error: -c nvme0n1: it is a namespace, not a controller; select it with -d" ]
	run -2 --separate-stderr "$NVMETOOL" trace -q foo
	[[ $stderr == *"; try 'nvmetool trace --help'" ]]
	run -0 bash -c '"$NVMETOOL" trace -i "$1" -w /dev/stdout | cat' - "$DATA/mixed.nvt"
	[[ $output == *nvme0n1* ]]
	[[ $output == *"completed: 1 command submitted before attaching"* ]]
}

# The output of a command, but for the words it was started by.
same_without_i()
{
	local file=$DATA/readme.nvt

	diff <("$NVMETOOL" "$@" -i "$file" | sed 's/"argv":\[[^]]*\]//') \
		<("$NVMETOOL" "$@" "$file" | sed 's/"argv":\[[^]]*\]//')
}

@test "a recording is named with -i or alone, in every command" {
	local cmd n=0

	for cmd in $("$NVMETOOL" __complete "" | cut -f 1); do
		"$NVMETOOL" help "$cmd" | grep -q -- '-i, --input' || continue
		case $cmd in
		diff) continue ;; # two
		record) same_without_i record -w - ;;
		metrics) same_without_i metrics -w "$BATS_TEST_TMPDIR/metrics" ;;
		inflight) same_without_i inflight --at 1s ;;
		stacks) same_without_i stacks --at error ;;
		export) same_without_i export -f hdr ;;
		*) same_without_i "$cmd" ;;
		esac
		n=$((n + 1))
	done
	[ "$n" -ge 10 ]
	diff <("$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt") \
		<("$NVMETOOL" diff -i "$DATA/before.nvt" -i "$DATA/after.nvt")
	run -2 --separate-stderr "$NVMETOOL" diff "$DATA/before.nvt" -i "$DATA/after.nvt"
	[[ $stderr == *"which is the first is not clear; name all with -i, or all without" ]]
	run -2 --separate-stderr "$NVMETOOL" report -i "$DATA/before.nvt" 1 "$DATA/after.nvt"
	[[ $stderr == *"which is the first is not clear; name all with -i, or all without" ]]
	# A word that is an interval is none, whatever files are called.
	program=$(realpath "$NVMETOOL")
	cd "$BATS_TEST_TMPDIR"
	cp "$DATA/readme.nvt" 1s
	run -2 --separate-stderr "$program" latency 1s 2s
	[[ $stderr == "error: bad value '2s' for COUNT"* ]]
}
