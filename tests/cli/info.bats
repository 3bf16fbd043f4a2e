#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# info: what a recording holds equals what the commands say that replay it.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

# told FILE: the object that info prints of FILE
told()
{
	"$NVMETOOL" info --json --no-meta "$1"
}

@test "counts equal those of trace, for every recording" {
	for file in "$DATA"/*.nvt; do
		"$NVMETOOL" trace -i "$file" --json --no-meta >"$out"
		told "$file" >"$out.info"
		jq -es --slurpfile info "$out.info" '
			[.[] | select(.type == "io")] as $io | $info[0] as $i |
			$i.commands == ($io | length) and $i.bytes == ($io | map(.bytes) | add // 0) and
			$i.errors == ($io | map(select(.status != null and .status != 0)) | length) and
			$i.ops == ($io | group_by(.op) | map({ (.[0].op): length }) | add // {})' "$out"
	done
}

@test "origin and time are those of meta and summary" {
	for file in "$DATA"/*.nvt; do
		"$NVMETOOL" trace -i "$file" --json >"$out"
		told "$file" >"$out.info"
		jq -es --slurpfile info "$out.info" '.[0] as $m | .[-1] as $s | $info[0] |
			.host == $m.host and .kernel == $m.kernel and .arch == $m.arch and .time_ns == $m.time_ns and
			.duration_ns == $s.duration_ns and .lost == $s.lost and .complete == $s.complete and
			.ctrls == $m.ctrls and .filters == $m.recorded_filters' "$out"
	done
}

@test "the selections of a recording, one after the other" {
	"$NVMETOOL" record --quiet -i "$DATA/load.nvt" -w "$out.1" -O read,write -c 0
	"$NVMETOOL" record --quiet -i "$out.1" -w "$out.2" -L 10us
	[ "$(told "$out.2" | jq -c '.filters | map(select(. != {}))')" = '[{"ctrl_id":["0"],"opcode":["read,write"]},{"min_lat_ns":10000}]' ]
	run -0 "$NVMETOOL" info "$out.2"
	[[ $output == *$'\n  selection ctrl_id=0 opcode=read,write\n            min_lat_ns=10000\n'* ]]
	run -0 "$NVMETOOL" info "$DATA/load.nvt"
	[[ $output == *$'\n  selection all commands\n'* ]]
}

@test "text is a block for each file, of at most 80 columns" {
	run -0 "$NVMETOOL" info "$DATA/readme.nvt" "$DATA/mixed.nvt"
	[ "${lines[0]}" = "$DATA/readme.nvt, 34.4K, whole" ]
	[[ $output == *$'\n\n'"$DATA/mixed.nvt, "* ]]
	[[ $output == *$'\n  commands  1200, 7 failed, 44.4M of data\n            979 read, 199 write, 21 flush, 1 get-log\n'* ]]
	[[ $output == *$'\n  extras    -Q --aer\n'* ]]
	run ! grep -E '.{81}| $' <<<"${output//$DATA\//}"
}

@test "all that not every recording has is listed, timeouts and keys, too" {
	run -0 "$NVMETOOL" info "$DATA/keys.nvt"
	[[ $output == *$'\n  extras    --keys owner,sched,during,file,syncer\n'* ]]
	[ "$(told "$DATA/keys.nvt" | jq -c .extras)" = '["owner","sched","during","file","syncer"]' ]
	run -0 "$NVMETOOL" info "$DATA/report.nvt"
	[[ $output == *$'\n  extras    -k -u --aer --timeouts\n'* ]]
	[ "$(told "$DATA/report.nvt" | jq -c .extras)" = '["kernel_stacks","user_stacks","aer","timeouts","resets"]' ]
	"$NVMETOOL" record --quiet -i "$DATA/keys.nvt" --keys sched -w "$out.nvt"
	[ "$(told "$out.nvt" | jq -c .extras)" = '["owner","sched","during","file","syncer"]' ] # a copy keeps all
}

@test "times are local, and the date stands once" {
	TZ=Asia/Kolkata run -0 "$NVMETOOL" info "$DATA/readme.nvt"
	[ "${lines[2]}" = '  time      2023-11-15 03:43:24.000 to 03:43:25.988 (+05:30), 1.989 s' ]
}

@test "a file that is cut or none is told and ends with 5, the others are shown" {
	head -c 3000 "$DATA/load.nvt" >"$out.cut"
	echo none >"$out.none"
	run -5 --separate-stderr "$NVMETOOL" info "$out.cut" "$out.none" "$out.gone" "$DATA/load.nvt"
	[[ $output == "$out.cut, 2.9K, cut or damaged"* ]]
	[[ $output == *"$DATA/load.nvt, 22.9K, whole"* ]]
	[ "${#stderr_lines[@]}" = 3 ]
	[[ ${stderr_lines[0]} == *'it is cut at byte 3000; events read: 0' ]]
	told "$out.cut" 2>/dev/null >"$out" || [ $? = 5 ]
	jq -e '(.whole or .complete) == false' "$out"
}

# with_losses FROM TO: the same recording, but its last block says that something was lost
with_losses()
{
	python3 - "$1" "$2" <<-'END'
		import re, struct, sys, zlib
		data = open(sys.argv[1], 'rb').read()
		at, out = 16, data[:16]
		while at < len(data):
		    magic, kind, size, count, crc = struct.unpack('<5I', data[at:at + 20])
		    payload = data[at + 24:at + 24 + size]
		    if kind == 6:
		        payload = payload.replace(b'lost.ring_full=0', b'lost.ring_full=3')
		        for name in (b'submitted', b'completed', b'paired'):
		            payload = re.sub(b'(?m)^%s=(\\d+)' % name, lambda m: b'%s=%d' % (name, int(m[1]) + 3), payload)
		        assert payload != data[at + 24:at + 24 + size]
		    head = struct.pack('<5I', magic, kind, len(payload), count, zlib.crc32(payload))
		    out += head + struct.pack('<I', zlib.crc32(head)) + payload
		    at += 24 + size
		open(sys.argv[2], 'wb').write(out)
	END
}

@test "losses are told, and such a recording is not complete" {
	told "$DATA/load.nvt" | jq -e '.whole and .complete and ([.lost[] // 0] | add) == 0'
	with_losses "$DATA/load.nvt" "$out"
	told "$out" | jq -e '.whole and (.complete | not) and .lost.ring_full == 3'
	run -0 "$NVMETOOL" info "$out"
	[[ $output == *$'\n  lost      3 commands, because the event buffer was full; use a larger --buffer' ]]
}

@test "without a file it says so" {
	run -2 "$NVMETOOL" info
	[ "$output" = "error: no FILE: name the recordings to look at; try 'nvmetool info --help'" ]
}

@test "standard input, of which the size is not known" {
	"$NVMETOOL" info --json --no-meta - <"$DATA/load.nvt" >"$out"
	jq -e --slurpfile info <(told "$DATA/load.nvt") '.file == "-" and .file_bytes == null and
		(del(.file, .file_bytes)) == ($info[0] | del(.file, .file_bytes))' "$out"
}

@test "JSON is as the schema says, CSV has a line for each file" {
	"$NVMETOOL" info --json "$DATA"/*.nvt >"$out"
	check_records info "$out"
	"$NVMETOOL" info --csv "$DATA"/*.nvt >"$out"
	check_csv "$out"
	[ "$(wc -l <"$out")" = "$(($(find "$DATA" -maxdepth 1 -name '*.nvt' | wc -l) + 1))" ]
}
