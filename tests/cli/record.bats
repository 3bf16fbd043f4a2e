#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# record, here from recordings: what is written is what was there; files that are cut, damaged or not ours.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/pipe.bash

DATA=$BATS_TEST_DIRNAME/../data
EVERYTHING=(-E --aer --sq -k -u -Q)

setup()
{
	set -o pipefail
	file=$BATS_TEST_TMPDIR/file.nvt
}

# rows OPTION...: what trace prints, without meta and summary.
rows()
{
	"$NVMETOOL" trace --json "$@" | jq -c 'select(.type | IN("meta", "summary") | not)'
}

@test "a recording of a recording replays the same, in all formats" {
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -w "$file" -k -u -Q --aer --sq
	diff <(rows -i "$DATA/mixed.nvt" "${EVERYTHING[@]}") <(rows -i "$file" "${EVERYTHING[@]}")
	for format in text csv kernel perf; do
		diff <("$NVMETOOL" trace -i "$DATA/mixed.nvt" -f "$format" "${EVERYTHING[@]}") \
			<("$NVMETOOL" trace -i "$file" -f "$format" "${EVERYTHING[@]}")
	done
	[ "$(stat -c %a "$file")" = 600 ]
}

@test "a selection is recorded" {
	"$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file" -O write
	[ "$(rows -i "$file" | jq -r .op | sort -u)" = write ]
	diff <(rows -i "$DATA/stream.nvt" -O write) <(rows -i "$file")
}

@test "a recording says what was selected for it, and what for the recording it was made of" {
	recorded() { "$NVMETOOL" trace -i "$file" -n 1 --json | jq -c 'select(.type == "meta") | [.recorded_filters, .filters]'; }
	"$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file"
	[ "$(recorded)" = '[[],{"nsid":["1"]}]' ]
	"$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file.1" -O write,read -L 1us
	"$NVMETOOL" record -i "$file.1" -w "$file" --comm 'f*' --size 4k
	[ "$(recorded)" = '[[{"opcode":["write,read"],"min_lat_ns":1000},{"comm":["f*"],"size":["4k"]}],{"nsid":["1"]}]' ]
}

@test "through a pipe, and from one" {
	diff <(rows -i "$DATA/stream.nvt") \
		<("$NVMETOOL" record -i "$DATA/stream.nvt" -w - | rows -i -)
	diff <(rows -i "$DATA/stream.nvt") <(rows -i - <"$DATA/stream.nvt")
}

@test "several are merged by time" {
	rows -i "$DATA/mixed.nvt" -i "$DATA/stream.nvt" >"$file"
	[ "$(wc -l <"$file")" = 3020 ]
	jq -es 'map(.mono_ns) | . == sort' "$file"
}

# counts KEYS OPTION...: commands by keys, in lines of the keys and the count.
counts()
{
	"$NVMETOOL" latency --json -A --by "$1" "${@:2}" 2>/dev/null |
		jq -r --arg keys "$1" 'select(.type == "latency") | [getpath($keys | split(",")[] | [.]), .count] | @tsv' | sort
}

# Both have an nvme0. The recording made of both tells them apart as well.
@test "the controllers of two hosts are two" {
	a=$DATA/latency.nvt b=$DATA/stream.nvt
	"$NVMETOOL" record -i "$a" -i "$b" -w "$file"
	"$NVMETOOL" record -i "$a" -w "$file.a"
	for key in ctrl dev; do
		{ counts "$key" -i "$a" | sed 's/^/host-a /' && counts "$key" -i "$b" | sed 's/^/testhost /'; } >"$file.want"
		[ "$(wc -l <"$file.want")" -ge 4 ]
		for from in "-i $a -i $b" "-i $b -i $a" "-i $file" "-i $file.a -i $b"; do
			# shellcheck disable=SC2086 # words are wanted
			{
				counts "$key" $from | diff <(sed 's| |/|' "$file.want") -
				counts "host,$key" $from | diff <(sed 's| |\t|' "$file.want") -
				[ "$(counts host $from | xargs)" = "host-a 1000 testhost 3000" ]
			}
		done
	done
	for from in "-i $a -i $b" "-i $file"; do
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" errors -s --json $from 2>/dev/null | jq -r 'select(.type == "errors") | "\(.ctrl) \(.op) \(.count)"' | sort >"$file.errors"
		for name in latency:host-a stream:testhost; do
			"$NVMETOOL" errors -s --json -i "$DATA/${name%:*}.nvt" 2>/dev/null |
				jq -r --arg host "${name#*:}" 'select(.type == "errors") | "\($host)/\(.ctrl) \(.op) \(.count)"'
		done | sort | diff - "$file.errors"
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" trace --json $from 2>/dev/null | jq -r 'select(.type == "io").ctrl' | sort -u | xargs >"$file.ctrls"
		[ "$(cat "$file.ctrls")" = "host-a/nvme0 host-a/nvme1 testhost/nvme0 testhost/nvme1" ]
	done
	# Recordings of one host: names as ever.
	[ "$(counts ctrl -i "$a" -i "$DATA/stacks.nvt" | grep -c /)" = 0 ]
	[ "$(counts host -i "$a" | xargs)" = "host-a 1000" ]
}

@test "what two recordings of a host both have counts once" {
	load=$DATA/readme.nvt
	"$NVMETOOL" record -i "$load" -O read -w "$file"
	"$NVMETOOL" record -i "$load" --comm 'postgres*' -w "$file.b"
	both=$("$NVMETOOL" trace -i "$load" -O read --comm 'postgres*' --json --no-meta | jq -s 'length - 1')
	either=$("$NVMETOOL" trace -i "$load" --json | jq -s 'map(select(.op == "read" or (.comm | startswith("postgres")?))) | length')
	[ "$both" -gt 100 ]
	for command in "trace --json" "latency --json" "pattern --json"; do
		# shellcheck disable=SC2086 # words are wanted
		run -0 --separate-stderr "$NVMETOOL" $command -i "$file" -i "$file.b"
		[[ $stderr == *"events in several of the recordings, counted once: $both"* ]]
		jq -es --argjson n "$either" '.[-1] | .complete and .emitted == $n and .paired == .emitted + .filtered' <<<"$output"
	done
	cp "$load" "$file"
	diff <("$NVMETOOL" latency --json --no-meta -i "$load") <("$NVMETOOL" latency --json --no-meta -i "$load" -i "$file")
	# A comparison has all of both.
	run -0 --separate-stderr "$NVMETOOL" diff --json "$load" "$file"
	jq -es 'map(select(.type == "diff")) | length > 0 and all(.[]; .count_a == .count_b)' <<<"$output"
}

@test "the same recording twice is refused" {
	ln -s "$DATA/latency.nvt" "$file"
	for args in "-i $DATA/latency.nvt -i $file" "-i - -i -"; do
		# shellcheck disable=SC2086 # words are wanted
		run -2 --separate-stderr "$NVMETOOL" latency $args <"$DATA/latency.nvt"
		[[ $stderr == *"it is named twice"* ]]
		[ -z "$output" ]
	done
}

@test "stdout stays empty, the account goes to stderr" {
	run -0 --separate-stderr "$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file"
	[ "$output" = "" ]
	[[ $stderr == *"recorded 3000 events ($(stat -c %s "$file") bytes) in '$file'"* ]]
}

@test "a file must be named, and may not be a link" {
	run -2 "$NVMETOOL" record -i "$DATA/stream.nvt"
	ln -s target "$file"
	run -1 --separate-stderr "$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file"
	[[ $stderr == *"symbolic link"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/target" ]
}

@test "what another user owns, or what has a second name, is not written to" {
	echo kept >"$BATS_TEST_TMPDIR/other"
	ln "$BATS_TEST_TMPDIR/other" "$file"
	run -1 --separate-stderr "$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file"
	[ "$stderr" = "error: cannot write '$file': it has more than one name (hard links); remove it, or name another file" ]
	[ "$(cat "$file")" = kept ]
	rm "$file"
	[ "$(id -u)" = 0 ] || skip "files of others are made by root"
	for make in touch mkfifo; do
		rm -f "$file"
		$make "$file"
		chown 65534 "$file"
		run -1 --separate-stderr timeout 20 "$NVMETOOL" trace -i "$DATA/stream.nvt" -w "$file" 3<>"$file"
		[ "$stderr" = "error: cannot write '$file': it belongs to another user; remove it, or name another file" ]
	done
}

@test "a recording that is both input and output is left alone, whichever descriptor it comes by" {
	cp "$DATA/stream.nvt" "$file"
	run -2 "$NVMETOOL" record -i "$file" -w "$file"
	for args in "record -i - -w $file" "trace -i - -w $file" "trace -i -" "trace -i $file"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr bash -c '"$NVMETOOL" "$@" <"$0" >>"$0"' "$file" $args
		[[ $stderr == *"it is both input and output"* ]]
		cmp "$DATA/stream.nvt" "$file"
	done
}

@test "a full disk is an error, a reader that leaves is not" {
	run -1 --separate-stderr "$NVMETOOL" record -i "$DATA/stream.nvt" -w /dev/full
	[[ $stderr == *"cannot write '/dev/full'"*"No space left on device"* ]]
	"$NVMETOOL" record -i "$DATA/stream.nvt" -w - | head -c 100 >/dev/null
}

@test "a reader that stops is left at a signal, and what it did not get is counted" {
	"$NVMETOOL" record -i "$DATA/stream.nvt" --max-events 200 -w "$file.few" # are read at once
	for name in INT TERM; do
		rm -f "$file"
		mkfifo "$file"
		exec {both}<>"$file"
		head -c 61440 /dev/zero >&"$both" # a page is left
		"$NVMETOOL" record -i "$file.few" -w "$file" --strict 2>"$file.err" 3>&- {both}>&- &
		pid=$!
		until_full "$file"
		kill -$name "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = 7 ]
		dd bs=61440 count=1 iflag=fullblock status=none <&"$both" >/dev/null
		dd bs=61440 count=1 status=none <&"$both" >"$file.part"
		run -5 --separate-stderr "$NVMETOOL" trace -i "$file.part" --no-header
		grep -q "lost: $((200 - ${#lines[@]})) lines, because the reader" "$file.err"
		run ! grep 'add up' "$file.err"
		exec {both}>&-
	done
}

@test "a slow reader gets everything" {
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -i "$DATA/stream.nvt" -w - |
		python3 -c 'import os, time
while data := os.read(0, 1024):
    os.write(1, data)
    time.sleep(0.005)' >"$file"
	[ "$("$NVMETOOL" trace --no-header -i "$file" | wc -l)" = 3020 ]
}

@test "a pipe that nobody opens is given up at a signal" {
	mkfifo "$file"
	for args in "record" "trace"; do
		run -124 timeout -k 5 0.3 "$NVMETOOL" $args -i "$DATA/stream.nvt" -w "$file"
	done
}

@test "a cut recording is read up to the cut" {
	size=$(stat -c %s "$DATA/stream.nvt")
	head -c $((size - 1)) "$DATA/stream.nvt" >"$file"
	run -5 --separate-stderr "$NVMETOOL" trace -i "$file" --no-header
	[ "${#lines[@]}" = 3000 ]
	[[ $stderr == *"cut at byte $((size - 1)); events read: 3000"* ]]
	run -5 --separate-stderr "$NVMETOOL" latency --json -i "$file"
	[ "$(jq 'select(.type == "summary").complete' <<<"$output")" = false ]
	for at in 3 15 16 39 300 1000; do
		head -c "$at" "$DATA/stream.nvt" >"$file"
		run -5 --separate-stderr "$NVMETOOL" trace -i "$file" --no-header
		[ "$output" = "" ]
		[[ $stderr == *"cut at byte $at; "* ]]
	done
}

# The second run is on a recording of what was left, which must not pass for a whole one.
@test "most of a recording survives a cut at two thirds, and is not called complete" {
	for name in latency stream; do
		"$NVMETOOL" record -i "$DATA/$name.nvt" -w "$file"
		"$NVMETOOL" trace --json -i "$file" | jq -c 'select(.type == "io")' >"$file.whole"
		truncate -s $(($(stat -c %s "$file") * 2 / 3)) "$file"
		run -5 "$NVMETOOL" record -i "$file" -w "$file.again"
		run -5 "$NVMETOOL" trace --json -i "$file" -w "$file.cut"
		run -7 "$NVMETOOL" trace --json --strict -i "$file.again" -w "$file.made"
		for cut in "$file.cut" "$file.made"; do
			n=$(jq -c 'select(.type == "io")' "$cut" | tee "$file.part" | wc -l)
			[ "$n" -ge $(($(wc -l <"$file.whole") / 2)) ]
			head -n "$n" "$file.whole" | diff - "$file.part"
			[ "$(tail -1 "$cut" | jq .complete)" = false ]
		done
		run -0 --separate-stderr "$NVMETOOL" latency -i "$file.again"
		[[ $stderr == *"made from one that was cut"* ]]
	done
}

# stacks.nvt has neither results, request flags nor completions without a submission, latency.nvt not the latter.
@test "what a recording lacks is null, and refused only where it was asked for" {
	for args in "errors -i $DATA/latency.nvt" "errors -i $DATA/stacks.nvt" "trace --json -i $DATA/stacks.nvt" \
		"trace -E -i $DATA/latency.nvt" "record -i $DATA/stacks.nvt -w $file"; do
		# shellcheck disable=SC2086 # words are wanted
		run -0 --separate-stderr "$NVMETOOL" $args
	done
	for from in "$DATA/stacks.nvt" "$file"; do
		"$NVMETOOL" trace --json -i "$from" 2>"$file.err" |
			jq -es 'map(select(.type == "io")) | length == 120 and all(.[]; .result == null and .retries == null and .flags == null)'
		grep -qx 'nvmetool: not in the recording: results and retries, request flags' "$file.err"
		"$NVMETOOL" errors --json -i "$from" 2>/dev/null |
			jq -es 'map(select(.type == "error")) | length > 0 and all(.[]; .attempt == null and .retries == null)'
	done
	for args in "trace -f kernel" "errors -R" "latency --by flags" "trace --status retry" "trace --aer"; do
		# shellcheck disable=SC2086 # words are wanted
		run -5 --separate-stderr "$NVMETOOL" $args -i "$DATA/stacks.nvt"
		[[ $stderr == "error: "*": not in the recording; "* ]]
	done
}

@test "what is refused leaves no file behind, and an old one as it was" {
	for args in "record --aer" "trace --aer" "latency --by flags"; do
		from=$DATA/latency.nvt
		[[ $args != *flags ]] || from=$DATA/stacks.nvt
		rm -f "$file"
		# shellcheck disable=SC2086 # words are wanted
		run -5 "$NVMETOOL" $args -i "$from" -w "$file"
		[ ! -e "$file" ]
		echo before >"$file"
		# shellcheck disable=SC2086 # words are wanted
		run -5 "$NVMETOOL" $args -i "$from" -w "$file"
		[ "$(cat "$file")" = before ]
	done
}

@test "a damaged block is skipped and told" {
	cp "$DATA/stream.nvt" "$file"
	printf '\x55' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") - 3000)) conv=notrunc status=none
	run -5 --separate-stderr "$NVMETOOL" trace -i "$file" --no-header
	[ "${#lines[@]}" -lt 3000 ]
	[[ $stderr == *"damaged at byte "*", blocks skipped: "* ]]
	run -5 --separate-stderr "$NVMETOOL" latency --json -i "$file"
	[ "$(jq 'select(.type == "summary").complete' <<<"$output")" = false ]
}

@test "what is no recording is refused, at once" {
	: >"$file"
	run -5 --separate-stderr "$NVMETOOL" trace -i "$file"
	[[ $stderr == *"it is empty"* ]]
	gzip -c "$DATA/stream.nvt" >"$file"
	run -5 --separate-stderr "$NVMETOOL" trace -i "$file"
	[[ $stderr == *"it is not a recording"* ]]
	run -5 --separate-stderr "$NVMETOOL" trace -i "$NVMETOOL"
	[[ $stderr == *"it is not a recording"* ]]
	run -5 --separate-stderr timeout 5 "$NVMETOOL" latency -i /dev/zero
	[[ $stderr == *"not a regular file"* ]]
	run -5 --separate-stderr "$NVMETOOL" trace -i "$BATS_TEST_TMPDIR"
	[[ $stderr == *"directory"* ]]
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	run -5 --separate-stderr timeout 5 "$NVMETOOL" trace -i "$BATS_TEST_TMPDIR/fifo"
	[[ $stderr == *"pipe"* ]]
	run -5 --separate-stderr "$NVMETOOL" trace -i /no/such/file
	[[ $stderr == *"No such file"* ]]
	printf 'NVMETOOL\2\0\0\0\0\0\0\0' >"$file" # hits of probes, which an early nvmetool recorded
	for cmd in "trace -i" info; do
		# shellcheck disable=SC2086 # options
		run -5 --separate-stderr "$NVMETOOL" $cmd "$file"
		[[ $stderr == *"version 2, and this nvmetool reads version 1; use the version of nvmetool that wrote it"* ]]
	done
}

@test "where lockdown kept the status of commands from record, errors are null, and what needs it is refused" {
	# One command of mixed.nvt has none.
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -w "$file" --lba 1 -k
	for args in latency stacks trace "pattern --at complete"; do
		# shellcheck disable=SC2086 # words are wanted
		run -0 --separate-stderr "$NVMETOOL" $args -i "$file" --json --no-meta
		[ "$(grep -c 'lacks status' <<<"$stderr")" = 1 ]
		jq -es 'length == 2 and .[1].emitted == 1 and .[1].errors == null and (.[0].errors // null) == null' <<<"$output"
		# shellcheck disable=SC2086 # words are wanted
		run -0 "$NVMETOOL" $args -i "$file"
		[[ $output != *'errors 0'* ]]
		for option in "--status ok" "--status error" "--fail-if errors==0"; do
			# shellcheck disable=SC2086 # words are wanted
			run -5 --separate-stderr "$NVMETOOL" $args -i "$file" $option
			[[ $stderr == *"has no status of commands"* ]]
		done
	done
	run -5 --separate-stderr "$NVMETOOL" errors -i "$file" --no-header
	[[ ${#lines[@]} == 1 && $output == *" aer "* ]] # no command
	[[ $stderr == *"error: errors: the recording has no status of commands; "* ]]
	# Together with one that does: what is known is printed, but nobody knows how many failed.
	run -0 --separate-stderr "$NVMETOOL" errors -i "$DATA/mixed.nvt" --no-header
	[ "${#lines[@]}" = 7 ]
	[[ $stderr == *"lacks status, result and retries of some commands"* ]]
	[ "$("$NVMETOOL" trace -i "$DATA/mixed.nvt" --status ok,error --json | jq -c 'select(.cid == 5)')" = "" ]
	run -5 "$NVMETOOL" errors -i "$DATA/mixed.nvt" --fail-if 'errors>0'
}

# flight OPTION...: files of a flight recorder over stream.nvt, in $dir; what it says in $stderr
flight()
{
	dir=$BATS_TEST_TMPDIR/files
	rm -rf "$dir"
	mkdir "$dir"
	run -0 --separate-stderr "$NVMETOOL" record --ring 4M -i "$DATA/stream.nvt" -w "$dir/%t.nvt" "$@"
}

@test "a flight recorder writes what is before and after each trigger, and misses nothing of it" {
	rows -i "$DATA/stream.nvt" -E | grep -v '"type":"submit"' >"$file.all"
	flight --trigger 'errors>0' --before 200ms --after 100ms
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 6 ]
	for one in "$dir"/*; do
		"$NVMETOOL" info --json "$one" | jq 'select(.type == "info")' >"$file.info"
		at=$(basename "$one" .nvt)
		# The name, the file's head and the message have the time of the trigger.
		[ "$(jq -r '.trigger_ts | gsub("[-:]"; "") | .[:19] + "Z"' "$file.info")" = "$at" ]
		jq -e '.whole and .complete and .inflight_at_exit == null and (.trigger | startswith("errors = "))' "$file.info"
		[[ $stderr == *"errors = "?" > 0, nvme"?n?": writing '$one'"* ]]
		rows -i "$one" -E | grep -v '"type":"submit"' >"$file.one"
		from=$(jq '.time_ns' "$file.info")
		# It is a piece of the recording without a gap, which begins where it says.
		jq -c --slurpfile one "$file.one" --argjson from "$from" 'select(.ts >= $one[0].ts and .ts <= $one[-1].ts)' "$file.all" |
			diff - "$file.one"
		jq -es --slurpfile info "$file.info" '($info[0].trigger_ts) as $at | any(.[]; .ts == $at and .status > 0)' "$file.one"
	done
}

@test "what a flight recorder was asked for is in its files, though blocks are longer" {
	flight --trigger 'lat>5.1ms' --before 500ms --after 300ms
	[ "$(find "$dir" -name '*.nvt' | wc -l)" -ge 1 ]
	for one in "$dir"/*; do
		at=$("$NVMETOOL" info --json "$one" | jq -r 'select(.type == "info").trigger_ts')
		mono=$(rows -i "$DATA/stream.nvt" | jq --arg at "$at" 'select(.ts == $at).mono_ns')
		window() { jq -c --argjson at "$mono" 'select(.mono_ns >= $at - 5e8 and .mono_ns <= $at + 3e8)' | sort; }
		rows -i "$DATA/stream.nvt" | window >"$file.want"
		rows -i "$one" | window | diff "$file.want" -
		jq -es --argjson at "$mono" 'any(.[]; .mono_ns == $at and .lat_ns > 5100000)' "$file.want"
	done
}

@test "a flight recorder takes a bound at its word" {
	slowest=$(rows -i "$DATA/stream.nvt" | jq -s 'map(.lat_ns | numbers) | max')
	flight --trigger "max>=${slowest}ns"
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 1 ]
	flight --trigger "max>${slowest}ns"
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 0 ]
}

@test "conditions on rates and percentiles are judged each second" {
	flight --trigger 'read.p50>1ns and iops>700' --before 1s --after 100ms --max-files 100
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 2 ]
	flight --trigger 'iops>1100 or read.iops<600 or write.errors>100'
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 0 ]
	[[ $stderr == *"nothing was written: the condition was never true"* ]]
}

@test "a storm of triggers makes at most --max-files, the first ones" {
	flight --trigger 'lat>1ns' --after 100ms --max-files 3
	[ "$(find "$dir" -name '*.nvt' | wc -l)" = 3 ]
	[[ $stderr == *"there are 3 files (--max-files): move one away to make room"* ]]
	[[ $stderr == *"not written: "*" more, because there were 3 files (--max-files)"* ]]
	first=$("$NVMETOOL" info --json "$DATA/stream.nvt" | jq -r 'select(.type == "info").ts')
	[ "$("$NVMETOOL" info --json "$(find "$dir" -name '*.nvt' | sort | head -1)" | jq -r 'select(.type == "info").ts')" = "$first" ]
}

@test "options of a flight recorder that make no sense are refused" {
	for args in "--trigger errors>0" "--ring 4M -w $file" "--ring 4M --trigger lat<1ms -w %t" "--ring 4M --trigger lat>5 -w %t" \
		"--ring 1M -w %t" "--ring 4M --trigger speed>3 -w %t" "--ring 4M --trigger read.resets>0 -w %t" \
		"--fail-if timeouts>0"; do
		[[ $args == *-w* ]] || args+=" -w $file"
		# shellcheck disable=SC2086 # words are wanted
		run -2 "$NVMETOOL" record -i "$DATA/stream.nvt" $args
	done
	run -2 "$NVMETOOL" record --ring 4M -i - -w '%t.nvt' <"$DATA/stream.nvt"
	run -1 --separate-stderr "$NVMETOOL" record --ring 4M -i "$DATA/stream.nvt" -w "$BATS_TEST_TMPDIR/none/%t.nvt"
	[[ $stderr == *"cannot write"*"No such file or directory"* ]]
	run -5 --separate-stderr "$NVMETOOL" record --ring 4M --trigger 'timeouts>0' -i "$DATA/stream.nvt" -w "$BATS_TEST_TMPDIR/%t.nvt"
	[[ $stderr == *"timeouts: not in the recording; record again with this version"* ]]
}

@test "the files of a flight recorder have the losses of the recording they were cut from" {
	"$NVMETOOL" record -i "$DATA/stream.nvt" -w "$file"
	truncate -s -1 "$file"
	mkdir "$BATS_TEST_TMPDIR/files"
	run -5 "$NVMETOOL" record --ring 4M --trigger 'errors>0' --max-files 1 -i "$file" -w "$BATS_TEST_TMPDIR/files/%t.nvt"
	run -7 "$NVMETOOL" trace --json --strict -i "$BATS_TEST_TMPDIR"/files/*.nvt
}

# shown FILE COMMAND OPTION...: what it prints of FILE, data and notes, without the words it was started by
shown()
{
	"$NVMETOOL" "${@:2}" -i "$1" 2>&1 | sed "s/\"argv\":\[[^]]*\]//; s|$1|FILE|g"
}

@test "a recording of a recording has all that was not selected away" {
	local again=$BATS_TEST_TMPDIR/again.nvt
	local -i n=0

	for file in stacks keys flushes flags readme mixed corners report; do
		file=$DATA/$file.nvt
		"$NVMETOOL" record -i "$file" -w "$again" --quiet
		# Its size differs.
		diff <("$NVMETOOL" info --json --no-meta "$file" | jq 'del(.file, .file_bytes)') \
			<("$NVMETOOL" info --json --no-meta "$again" | jq 'del(.file, .file_bytes)')
		while read -ra words; do
			diff <(shown "$file" "${words[@]}") <(shown "$again" "${words[@]}")
			n+=1
		done <<-'END'
			trace --json --show both --sq --aer -P -R
			trace --json -Q
			trace --json -k -u
			trace --json --flushes
			latency --json -Q --phases
			latency --json --by comm,cgroup,owner,sched,during
			latency --json --by owner
			latency --json --by sched
			inflight --json --at 1ms
		END
	done
	[ "$n" -ge 70 ]
}

@test "what only some of merged recordings have is left out, with a word" {
	local again=$BATS_TEST_TMPDIR/again.nvt

	run -0 --separate-stderr "$NVMETOOL" record -i "$DATA/stacks.nvt" -i "$DATA/readme.nvt" -w "$again"
	[[ $stderr == *"not in all of the recordings, so left out: queued, kstack, ustack, aer"$'\n'* ]]
	[ "$("$NVMETOOL" info --json --no-meta "$again" | jq -c .host)" = null ]
	# Two of one host keep it.
	run -0 --separate-stderr "$NVMETOOL" record -i "$DATA/before.nvt" -i "$DATA/wander.nvt" -w "$again"
	[[ $stderr != *"left out"* ]]
	[ "$("$NVMETOOL" info --json --no-meta "$again" | jq -c .host)" = \
		"$("$NVMETOOL" info --json --no-meta "$DATA/before.nvt" | jq -c .host)" ]
}
