#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# pattern on recordings (tests/data): keys, figures against trace's events, three formats, filters, conditions.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

# pattern FILE OPTION...
pattern()
{
	"$NVMETOOL" pattern -i "$DATA/$1.nvt" "${@:2}"
}

# rows FILE OPTION...: the records, without meta and summary.
rows()
{
	pattern "$1" --json "${@:2}" | jq -c 'select(.type == "pattern")'
}

@test "every record is as the schema says, for every key" {
	for by in dev ctrl ns comm pid opcode cgroup qid dev,ctrl,ns,comm,pid,opcode,cgroup,qid; do
		for at in issue complete; do
			pattern latency --json -a --by "$by" --at "$at" >"$out.$by.$at"
			jq -es '(map(select(.type == "pattern").count) | add == 979) and
				(.[-1] | [.paired, .emitted, .filtered, .complete] == [1000, 979, 21, true])' "$out.$by.$at"
		done
	done
	check_json pattern "$out".*
}

@test "fields not asked for are absent" {
	[ "$(rows latency | jq -r 'keys_unsorted[]' | sort -u | xargs)" = "backward bytes count crossing dev interval_ns\
 others read_bytes read_pct reads rnd_pct seq seq_pct streams strided time_ns ts type unaligned unaligned_pct write_bytes writes" ]
	rows latency -S -b opcode | jq -es 'length > 0 and all(.[]; has("op") and has("opcode") and has("admin") and has("sizes") and
		([has("dev", "seeks", "align", "limits")] | any | not))'
	rows latency -a | jq -es 'length > 0 and all(.[]; has("sizes") and has("seeks") and has("align") and has("limits"))'
}

@test "counts and bytes are those of the commands" {
	for file in latency stream; do
		"$NVMETOOL" trace -i "$DATA/$file.nvt" --json >"$out"
		jq -cs 'map(select(.type == "io" and (.admin | not))) | group_by(.dev) | map([.[0].dev, length,
			(map(select(.op == "read")) | length, (map(.bytes) | add // 0)),
			(map(select(.op == "write")) | length, (map(.bytes) | add // 0))])' "$out" >"$out.want"
		rows "$file" | jq -cs 'map([.dev, .count, .reads, .read_bytes, .writes, .write_bytes])' | diff - "$out.want"
		rows "$file" | jq -es 'length > 0 and all(.[]; .reads + .writes + .others == .count and .bytes >= .read_bytes + .write_bytes)'
	done
}

# The order is that of submission or of completion; the rule is biopattern's.
@test "with one stream, sequential is what starts where the last of its direction ended" {
	for at in issue:--show=submit:submit complete:--quiet:io; do
		IFS=: read -r point option type <<<"$at"
		"$NVMETOOL" trace -i "$DATA/stream.nvt" --json "$option" |
			jq -r --arg type "$type" 'select(.type == $type and .nlb != null) | [.dev, .op, .slba, .nlb] | @tsv' |
			awk '{ key = $1 " " $2; if (seen[$1]++) { n[$1]++; hits[$1] += $3 == end[key] } end[key] = $3 + $4 }
				END { for (dev in n) printf "%s %.2f\n", dev, hits[dev] * 100 / n[dev] }' | sort >"$out.want"
		[ "$(wc -l <"$out.want")" = 2 ]
		rows stream --streams 1 --at "$point" | jq -r '[.dev, .seq_pct] | @tsv' |
			awk '{ printf "%s %.2f\n", $1, $2 }' | diff - "$out.want"
	done
}

# The definition again, of as many streams as trace follows.
@test "trace -P and pattern call the same commands sequential" {
	for file in latency stream load; do
		for at in issue:--show=submit complete:--quiet; do
			"$NVMETOOL" trace -P -i "$DATA/$file.nvt" --json "${at#*:}" -O read,write >"$out"
			jq -rs 'map(select(.pattern)) | group_by(.dev)[] |
				[.[0].dev, length, (map(select(.pattern == "S")) | length)] | @tsv' "$out" |
				awk '{ printf "%s %d %.2f\n", $1, $2, $3 * 100 / $2 }' >"$out.want"
			[ -s "$out.want" ]
			rows "$file" --at "${at%:*}" -O read,write | jq -r '[.dev, .count - 1, .seq_pct] | @tsv' |
				awk '{ printf "%s %d %.2f\n", $1, $2, $3 }' | diff "$out.want" -
		done
	done
}

@test "histograms hold every read and write" {
	rows latency -a | jq -es 'length > 0 and all(.[]; . as $r | (.sizes | map(.[2]) | add) == .reads + .writes and
		(.seeks | map(.[2]) | add) == .reads + .writes - 1 and (.align | map(.[2]) | add) == .reads + .writes and
		.limits.lba.checked == .reads + .writes)'
	rows stream -a | jq -es 'length > 0 and all(.[]; .sizes, .seeks, .align | . == sort and all(.[]; .[1] == null or .[0] < .[1]))'
}

# The definition again: from where the last read or write of the same row and device ended.
@test "seeks are from the row's own last command, not from that of the device" {
	for file in stream load; do
		"$NVMETOOL" trace -i "$DATA/$file.nvt" --json -O read,write --quiet >"$out"
		for by in dev comm opcode comm,opcode; do
			jq -rs --arg by "$by" 'def keys($by): . as $e | $by | split(",") |
					map(if . == "opcode" then $e.op else $e[.] end) | join("+");
				[.[] | select(.type == "io")] | group_by(keys($by))[] | (.[0] | keys($by)) as $key |
				[group_by(.dev)[] | sort_by(.mono_ns) | range(1; length) as $i | .[$i] as $e | .[$i - 1] as $b |
					(($e.slba - $b.slba - $b.nlb) * ($e.bytes / $e.nlb) | fabs) |
					if . == 0 then 0 else (log2 | floor | exp2) end] |
				group_by(.) | map([.[0], length]) | select(. != []) | [$key, tojson] | @tsv' "$out" | sort >"$out.want"
			[ -s "$out.want" ]
			rows "$file" --at complete -O read,write -K --by "$by" | jq -r --arg by "$by" '. as $r |
				($by | split(",") | map(if . == "opcode" then $r.op else $r[.] end) | join("+")) as $key |
				[.seeks[] | [.[0], .[2]]] | select(. != []) | [$key, tojson] | @tsv' | sort |
				diff "$out.want" -
		done
	done
	# An interval does not forget where the row was: each command but the first of a row and device has a seek.
	rows stream --at complete -O read -K --by dev,comm 1 | jq -es '(map(.seeks[][2]) | add) ==
		(map(.count) | add) - (map([.dev, .comm]) | unique | length) and length > (map([.dev, .comm]) | unique | length)'
}

@test "fabrics commands have no namespace" {
	[ "$(rows corners -q admin --by ns | jq -c '[.nsid, .count]' | xargs)" = "[null,2] [1,1]" ]
}

@test "seeks and ends do not wrap at 64 bits" {
	rows corners -c 64 -O read -K | jq -e '.seq_pct == 0 and .backward == 0 and (.seeks | length) == 1 and
		.seeks[0][0] > 9e18 and .seeks[0][1:] == [null, 5]'
}

# Both have an nvme0n1, each its own.
@test "the devices of two hosts are two" {
	for file in latency:host-a stream:testhost; do
		"$NVMETOOL" trace -P -i "$DATA/${file%:*}.nvt" --json |
			jq -r --arg host "${file#*:}" 'select(.type == "io") | ["\($host)/\(.dev)", .pattern] | @tsv'
	done | sort | uniq -c >"$out.want"
	"$NVMETOOL" trace -P -i "$DATA/latency.nvt" -i "$DATA/stream.nvt" --json |
		jq -r 'select(.type == "io") | [.dev, .pattern] | @tsv' | sort | uniq -c | diff "$out.want" -
	for file in latency:host-a stream:testhost; do
		rows "${file%:*}" -K | jq -cS --arg host "${file#*:}" '.dev |= "\($host)/\(.)" | del(.ts, .time_ns, .interval_ns)'
	done | sort >"$out.want"
	rows latency -i "$DATA/stream.nvt" -K | jq -cS 'del(.ts, .time_ns, .interval_ns)' | sort | diff "$out.want" -
}

@test "a recording without limits claims nothing about them" {
	rows latency | jq -es 'length > 0 and all(.[]; .unaligned == null and .unaligned_pct == null and .crossing == null)'
	pattern latency --csv | head -2 | tail -1 | grep -q ',,,,'
}

@test "filters choose among the commands" {
	all=$(rows latency | jq -s 'map(.count) | add')
	for option in "-O read" "-d nvme0n1" "-c 1" "-n 2" "-q 1-2" "-p 1001" "--comm fio" "--size 4k" "--lba 0-1000000" \
		"-L 100us" "--status error" "-g /user.slice"; do
		# shellcheck disable=SC2086 # two words
		pattern latency --json --at complete $option >"$out"
		n=$(jq -s 'map(select(.type == "pattern").count) | add' "$out")
		# shellcheck disable=SC2086 # two words
		want=$("$NVMETOOL" trace -i "$DATA/latency.nvt" --json $option | jq -s 'map(select(.type == "io" and (.admin | not))) | length')
		echo "$option: $n, trace $want, of $all"
		[ "$n" = "$want" ]
		[ "$n" -gt 0 ]
		[ "$n" -lt "$all" ]
		[ "$(jq -s '.[-1] | .emitted + .filtered == .paired' "$out")" = true ]
	done
}

@test "-L and --status choose the completion, and cannot be had at issue" {
	[ "$(rows latency -L 100us)" = "$(rows latency --at complete -L 100us)" ]
	run -2 pattern latency --at issue -L 1ms
	[[ $output == *"use --at complete"* ]]
	run -2 pattern latency --at issue --status error
}

@test "lines people type today: biopattern, bitesize" {
	pattern stream -T 1 >"$out"
	head -1 "$out" | grep -Eqx ' +TIME DEV +%RND +%SEQ STREAMS +COUNT +KBYTES +%RD +%WR +AVGKB %UNALIGNED'
	sed -n 2p "$out" | grep -Eq '^[0-9:.]+ nvme0n1 +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+'
	pattern stream -D -T 1 | diff - "$out"
	pattern stream -S -T 1 >"$out"
	grep -q '^SIZE(bytes) .* COUNT ' "$out"
	grep -q '^4k - 8k ' "$out"
}

@test "text says what JSON says" {
	pattern stream --no-header | awk '{ print $1, $2, $3, $5, $6, $7 }' >"$out"
	rows stream | jq -r '[.dev, .rnd_pct, .seq_pct, .count, .bytes / 1024, .read_pct] | @tsv' |
		awk '{ printf "%s %.1f %.1f %d %d %.1f\n", $1, $2, $3, $4, $5, $6 }' | diff - "$out"
	pattern stream --columns dev,count,backward,strided,crossing | head -1 | grep -qx 'DEV *COUNT BACKWARD STRIDED CROSSING'
	pattern stream -A | grep -q '^LIMIT *BYTES *CHECKED *OFF *%$'
	pattern stream -K | grep -q '^SEEK(bytes) '
}

@test "CSV is as RFC 4180 says, in the order of JSON" {
	pattern latency --csv -a -b dev,comm,opcode >"$out"
	check_csv "$out"
	[ "$(head -1 "$out" | tr -d '\r')" = ts,time_ns,interval_ns,seq,dev,op,opcode,admin,comm,count,reads,writes,others,bytes,\
read_bytes,write_bytes,seq_pct,rnd_pct,read_pct,streams,unaligned,unaligned_pct,crossing,backward,strided ]
}

@test "--fail-if sees what pattern knows" {
	run -6 pattern latency --fail-if 'count>100'
	run -0 pattern latency --fail-if 'count>100000'
	run -6 pattern latency -b opcode --fail-if 'read.count>100 and lost==0'
	run -6 pattern latency --at complete --fail-if 'errors>0'
	run -6 pattern latency -p 4242 --fail-if 'iops<10 and bytes_per_s==0'
	run -2 pattern latency --fail-if 'errors>0'
	[[ $output == *"add --at complete"* ]]
	run -2 pattern latency --fail-if 'p99>1ms'
	[[ $output == *"this command has only bytes_per_s, iops, count, errors and lost"* ]]
	run -2 pattern latency --fail-if 'read.count>1'
}

@test "submissions do not tell how many commands failed: null, not 0" {
	[ "$(pattern latency --json | jq -c 'select(.type == "summary") | has("errors"), .errors' | xargs)" = "true null" ]
	[ "$(pattern latency --json --at complete | jq 'select(.type == "summary").errors')" = \
		"$("$NVMETOOL" latency -i "$DATA/latency.nvt" --json | jq 'select(.type == "summary").errors')" ]
}

@test "bad words are refused" {
	for option in "--at there" "--by size" "--streams 0" "--streams 100000" "--streams x"; do
		# shellcheck disable=SC2086 # two words
		run -2 pattern latency $option
		[ -z "${lines[1]:-}" ]
	done
}

@test "--max-events ends the run" {
	for command in latency stacks; do
		[ "$("$NVMETOOL" "$command" -i "$DATA/stacks.nvt" --max-events 7 --json |
			jq -c 'select(.type == "summary") | .emitted, .complete' | xargs)" = "7 true" ]
		run -2 --separate-stderr "$NVMETOOL" "$command" --max-events 7
		[[ $stderr == "error: --max-events: this command counts in the kernel"* ]]
	done
	[ "$(rows latency --max-events 100 | jq -s 'map(.count) | add')" = 100 ]
}

@test "admin commands stand apart" {
	rows latency -q admin | jq -es 'length > 0 and all(.[]; .dev == "nvme1" and .others == .count and .seq_pct == null)'
}
