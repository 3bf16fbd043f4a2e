#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --fail-if on every command that has it: its own names and examples, units, and runs without a command.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

# checking: the commands with --fail-if that read recordings
checking()
{
	local cmd

	for cmd in $("$NVMETOOL" __complete "" | cut -f 1); do
		"$NVMETOOL" help "$cmd" | grep -q -- '^ *-i, --input' || continue
		"$NVMETOOL" help "$cmd" | grep -q -- '^ *--fail-if EXPR' && echo "$cmd"
	done
}

# help_of COMMAND: the text of --fail-if, as one line
help_of()
{
	"$NVMETOOL" help "$1" | awk '/^ *--fail-if EXPR/ { on = 1; print; next } on && /^( ? ? ? ? ? ?-|$)/ { exit } on' | xargs -0 | tr -s ' \n' ' '
}

# on COMMAND ARG...: the command on a recording with ARGs
on()
{
	local words=("$DATA/before.nvt" "$DATA/after.nvt")

	[ "$1" = diff ] || read -ra words < <(replay "$1" "$DATA/stacks.nvt")
	"$NVMETOOL" "$1" "${words[@]}" "${@:2}"
}

@test "help, man page and refusal name examples that the command accepts" {
	local -i n=0

	for cmd in $(checking); do
		text=$(help_of "$cmd")
		mapfile -t examples < <(grep -o "'[^']*'" <<<"$text" | tr -d "'")
		[ "${#examples[@]}" -ge 2 ]
		man=$("$NVMETOOL" help --man "$cmd")
		run -2 --separate-stderr on "$cmd" --fail-if 'nonsense>1'
		[[ $stderr == "error: --fail-if 'nonsense>1', at position 1: no value has this name; write it like "* ]]
		[ "$(wc -l <<<"$stderr")" = 1 ]
		refusal=$stderr
		for example in "${examples[@]}"; do
			[[ $man == *"'$example'"* ]]
			[[ $refusal == *"'$example'"* ]]
			[ "$cmd" = pattern ] && [[ $example == *errors* ]] && return 1
			[ "$cmd $example" = "inflight count>100 or overdue>0" ] && continue # not known to a recording
			run --separate-stderr on "$cmd" --fail-if "$example"
			[ "$status" = 0 ] || [ "$status" = 6 ]
			n+=1
		done
	done
	[ "$n" -ge 20 ]
}

@test "help tells the names that are accepted, and only these are" {
	for cmd in $(checking); do
		[ "$cmd" = diff ] && continue # changes of percentiles alone
		known=$(help_of "$cmd" | sed 's/.*it knows //')
		for name in p99 min max avg bytes_per_s iops count errors lost oldest left overdue timeouts resets; do
			[ "$cmd $name" = "pattern errors" ] && continue # with --at complete
			[ "$cmd $name" = "stacks p99" ] && continue # with --hist
			[[ $cmd == inflight && $name == @(left|overdue) ]] && continue # live
			value=1
			[[ $name != @(p99|min|max|avg|oldest|left) ]] || value=1s
			run --separate-stderr on "$cmd" --fail-if "$name>$value"
			if grep -qwE "${name/p99/pNN}" <<<"$known"; then
				[ "$status" != 2 ]
			else
				[ "$status" = 2 ]
				[[ $stderr == *": this command has only $(sed 's/ *$//' <<<"$known"); write it like "* ]]
			fi
		done
	done
}

@test "a latency in minutes or hours is a slip" {
	for cmd in latency top metrics; do
		run -2 --separate-stderr on "$cmd" --fail-if 'p99>2m'
		[ "$stderr" = "error: --fail-if 'p99>2m', at position 5: a latency is in s, ms, us or ns; 2ms?" ]
		run -2 --separate-stderr on "$cmd" --fail-if 'count>1 or read.max >= 1.5M'
		[[ $stderr == *"ns; 1.5ms?" ]]
		run -2 --separate-stderr on "$cmd" --fail-if 'avg>1h'
		[[ $stderr == *", at position 5: a latency is in s, ms, us or ns; write it like '"* ]]
		for unit in s ms us ns; do
			run on "$cmd" --fail-if "p99>2$unit"
			[ "$status" != 2 ]
		done
	done
	run -2 --separate-stderr "$NVMETOOL" record -i "$DATA/load.nvt" -w "$out-%t.nvt" --ring 4m --trigger 'lat>2m'
	[ "$stderr" = "error: --trigger 'lat>2m', at position 5: a latency is in s, ms, us or ns; 2ms?" ]
	run -0 on inflight --fail-if 'oldest>2m or oldest>1h' # a drive may hang that long
	run -6 on latency --fail-if 'bytes_per_s>1m' # a size
}

@test "a run in which no command matched fails, and says so" {
	local -i n=0

	for cmd in $(checking); do
		expr='lost>0'
		[ "$cmd" = diff ] && expr='p99>+10%'
		[ "$cmd" = inflight ] && continue # nothing in flight is well
		run -6 --separate-stderr on "$cmd" -O 0x77 --quiet --fail-if "$expr"
		[ "$stderr" = "failed: no commands" ]
		run -0 on "$cmd" -O 0x77 --fail-if "$expr" --allow-none
		run -0 on "$cmd" --fail-if "$expr"
		n+=1
		[ "$cmd" = diff ] && continue
		# The count says otherwise.
		run -0 on "$cmd" -O 0x77 --fail-if "$expr or count>0"
		run -6 --separate-stderr on "$cmd" -O 0x77 --quiet --fail-if "count==0"
		[[ $stderr != *"no commands"* ]]
	done
	[ "$n" -ge 10 ]
	run -0 "$NVMETOOL" inflight -i "$DATA/stacks.nvt" --at 1999us -O 0x77 --fail-if 'oldest>1ms'
}

@test "no command: the summary has it, without a row" {
	run -6 --separate-stderr on latency -O 0x77 --json --fail-if 'p99>1s or errors>0'
	[ "$(tail -n 1 <<<"$output" | jq -c '.fail_if | map([.condition, .op, .row, .values])')" = '[["no commands",null,null,[]]]' ]
	tail -n 1 <<<"$output" | jq -e '.fail_if[0].ts == .fail_if[0].ts and (.fail_if[0].time_ns > 0)'
	run -0 --separate-stderr on latency -O 0x77 --json --fail-if 'p99>1s' --allow-none
	[ "$(tail -n 1 <<<"$output" | jq -c .fail_if)" = '[]' ]
}

@test "a condition on an opcode that did not occur fails, and says so" {
	for cmd in latency top metrics pattern; do
		local by=
		[ $cmd = latency ] || [ $cmd = metrics ] || by="--by opcode"
		[ $cmd = pattern ] && expr='read.iops>1G or dsm.iops>1G' || expr='read.p99>60s or dsm.p99>60s'
		[ $cmd = pattern ] && none="write" || none=dsm
		expr=${expr/dsm/$none}
		only="-O !$none"
		for words in "" "--allow-none" "1ms"; do
			[ "$cmd $words" = "metrics 1ms" ] && continue
			# shellcheck disable=SC2086 # words are wanted
			run --separate-stderr "$NVMETOOL" $cmd -i "$DATA/load.nvt" -w "$out.prom" $by $only --quiet $words --fail-if "$expr"
			[ "$words" = --allow-none ] || [ "$stderr" = "failed: no $none completed" ]
			[ "$status" = "$([ "$words" = --allow-none ] && echo 0 || echo 6)" ]
		done
	done
	# Once for each opcode, and in the summary.
	run -6 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" -O write --json --quiet --fail-if \
		'read.p99>2ms or read.errors>0 and read.avg>1s or dsm.max>1s or write.p99>60s'
	[ "$stderr" = $'failed: no read completed\nfailed: no dsm completed' ]
	[ "$(tail -n 1 <<<"$output" | jq -c '.fail_if | map([.condition, .op, .row, .values])')" = \
		'[["no read completed","read",null,[]],["no dsm completed","dsm",null,[]]]' ]
	# Its count is known: it is 0.
	run -0 "$NVMETOOL" latency -i "$DATA/load.nvt" -O write --fail-if 'read.p99>2ms or read.count>0'
	run -6 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" -O write --quiet --utc --fail-if 'read.count<1'
	[[ $stderr == "failed: read.count = 0 < 1, "[0-9][0-9]:* ]]
	run -6 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" -O 0x77 --quiet --fail-if 'read.p99>2ms'
	[ "$stderr" = "failed: no commands" ]
	# It is in neither, in both, in one of two recordings.
	run -6 --separate-stderr "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" --quiet --fail-if 'dsm.p50>+10%'
	[ "$stderr" = "failed: no dsm completed in at least one of the recordings" ]
	run -0 "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" --fail-if 'read.p50>+90%'
	"$NVMETOOL" record -i "$DATA/after.nvt" -O '!read' -w "$out.nvt" --quiet
	run -6 --separate-stderr "$NVMETOOL" diff "$DATA/before.nvt" "$out.nvt" --quiet --fail-if 'read.p50>+90%'
	[ "$stderr" = "failed: no read completed in at least one of the recordings" ]
	# stacks --at error does not say what succeeded, nor does the row (other) what is in it.
	run -0 "$NVMETOOL" stacks --at error --by opcode -i "$DATA/stacks.nvt" --fail-if 'compare.errors>0'
	run -0 "$NVMETOOL" metrics -i "$DATA/load.nvt" --by opcode --max-series 1 -w "$out.prom" --fail-if 'flush.p99>60s'
}

@test "blanks stand where people put them, and a near miss is answered with what was meant" {
	while IFS='|' read -r expr where why; do
		run -2 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" --fail-if "$expr"
		[ "$stderr" = "error: --fail-if '$expr', at position $where: $why" ]
	done <<-'END'
		P99>2ms|1|names have no capitals; p99?
		READ.Max > 2ms|1|names have no capitals; read.max?
		error>0|1|no value has this name; errors?
		read.erors>0|6|no value has this name; errors?
		p99>2msec|5|a latency is in s, ms, us or ns; 2ms?
		p99 > 1.5 µs|7|a latency is in s, ms, us or ns; 1.5us?
		p99>2min|5|a latency is in s, ms, us or ns; 2ms?
		bytes_per_s<1GB|13|a size is in k, m, g or t, powers of 1024; 1g?
		iops < 5K|8|a number may end in k, M or G; 5k?
		p99=2ms|4|one of < <= > >= == != is missing here; ==?
		p99=>2ms|4|one of < <= > >= == != is missing here; >=?
		p99>2ms && errors>0|9|'and' or 'or' is missing here; and?
		p99>2ms OR errors>0|9|'and' or 'or' is missing here; or?
	END
	run -6 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" -O flush --quiet --fail-if ' p99 > 3 us and iops < 1 G or  errors >= 5 '
	[[ $stderr == "failed: flush.p99 = 3."*" ms > 3 us and flush.iops = "*" < 1000000000, "* ]]
	run -6 "$NVMETOOL" latency -i "$DATA/load.nvt" --fail-if 'bytes_per_s < 1 g'
	run -0 "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" --fail-if 'p99 > + 90 %'
	run -0 on inflight --fail-if 'oldest > 2 m'
}

@test "commands that a command does not show match all the same" {
	# errors shows none of the successful ones, and --at error counts none.
	run -0 "$NVMETOOL" errors -i "$DATA/before.nvt" -O read --fail-if 'errors>0'
	run -0 "$NVMETOOL" errors -s -i "$DATA/before.nvt" -O read --fail-if 'errors>0'
	run -0 on stacks --at error -p 101 -O read --fail-if 'errors>100'
	run -0 on trace --show submit --fail-if 'lost>0'
	run -0 on trace --show complete --fail-if 'lost>0'
}

@test "--allow-none without --fail-if" {
	run -2 --separate-stderr on latency --allow-none
	[ "$stderr" = "error: --allow-none: it is about --fail-if; add it" ]
	run -2 --separate-stderr on inflight --allow-none --fail-if 'count>0'
	[[ $stderr == "error: --allow-none: no such option"* ]]
}
