#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# top on a recording (tests/data/latency.c): views, figures against latency's, order, three formats, conditions.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

top()
{
	"$NVMETOOL" top -i "$DATA/latency.nvt" "$@"
}

# rows OPTION...: the records, without meta and summary.
rows()
{
	top --json "$@" | jq -c 'select(.type == "top")'
}

@test "every record is as the schema says, in every view" {
	for view in proc cgroup dev ctrl queue; do
		top --json --view "$view" >"$out.$view"
		jq -es '(map(select(.type == "top").count) | add == 979) and
			(.[-1] | [.paired, .emitted, .filtered, .complete] == [1000, 979, 21, true])' "$out.$view"
	done
	top --json --by host,ctrl,ns,qid,cpu,opcode,size,comm,status >"$out.by"
	"$NVMETOOL" top --json -i "$DATA/keys.nvt" --by none >"$out.none"
	"$NVMETOOL" top --json -i "$DATA/keys.nvt" --by owner,sched,during,flags >"$out.keys"
	check_json top "$out".*
	top --csv --view queue >"$out"
	check_csv "$out"
}

@test "a view has its keys, and reads and writes apart" {
	keys()
	{
		rows --view "$1" 1h | jq -r 'keys[]' | sort -u | grep -Ex 'pid|comm|cgroup|dev|ctrl|qid|op' | xargs
	}
	[ "$(keys proc)" = "comm dev op pid" ]
	[ "$(keys cgroup)" = "cgroup dev op" ]
	[ "$(keys dev)" = "dev op" ]
	[ "$(keys ctrl)" = "ctrl op" ]
	[ "$(keys queue)" = "ctrl op qid" ]
	rows --view ctrl 1h | jq -es 'map(.op) | unique | contains(["read", "write"])'
}

@test "figures are those of latency" {
	for pair in proc:pid,comm,dev,opcode cgroup:cgroup,dev,opcode dev:dev,opcode ctrl:ctrl,opcode queue:ctrl,qid,opcode; do
		figures='[.seq, .pid, .comm, .cgroup, .dev, .ctrl, .qid, .op, .count, .errors, .bytes, .iops, .mean_ns, .max_ns'
		rows --view "${pair%:*}" 100ms | jq -c "$figures, .p50_ns, .p99_ns]" | sort >"$out"
		"$NVMETOOL" latency -i "$DATA/latency.nvt" --by "${pair#*:}" --json 100ms |
			jq -c "select(.type == \"latency\") | $figures, .pct_ns.p50, .pct_ns.p99]" | sort | diff - "$out"
		[ -s "$out" ]
	done
}

# made JQ FILE: rows of top by the keys in $by against the sums of what trace prints; JQ is the key of a record of either.
made()
{
	"$NVMETOOL" top --json --no-meta -i "$2" --by "$by" 1h | jq -c "select(.type == \"top\") |
		[[$1], .count, .bytes, .errors, .mean_ns, .max_ns]" | sort >"$out"
	"$NVMETOOL" trace --json --no-meta -i "$2" 2>/dev/null | jq -sc "map(select(.type == \"io\" and .admin != true) |
		.status %= 2048 | .cpu = .submit_cpu | .key = [$1]) | group_by(.key)[] | [.[0].key, length, (map(.bytes) | add),
		(map(select(.status != 0)) | length), (map(.lat_ns) | add / length | floor), (map(.lat_ns) | max)]" | sort |
		diff "$out" -
	[ -s "$out" ]
}

@test "--by: rows by each key are the sums of what trace prints" {
	for name in latency report; do
		for by in ctrl dev qid cpu pid comm; do
			made ".$by" "$DATA/$name.nvt"
		done
		by=none made 0 "$DATA/$name.nvt"
		by=ns made .nsid "$DATA/$name.nvt"
		by=opcode made '.op, .opcode' "$DATA/$name.nvt"
		by=status made '.status, .status_name' "$DATA/$name.nvt"
		by=comm,size made \
			'.comm, (.size // if .bytes <= 16384 then "<=16k" elif .bytes <= 65536 then "<=64k" else ">64k" end)' "$DATA/$name.nvt"
	done
	by=cgroup made .cgroup_id "$DATA/latency.nvt"
	by=flags made .flags "$DATA/latency.nvt"
	for by in owner sched during owner,opcode,dev; do
		diff <("$NVMETOOL" top -i "$DATA/keys.nvt" --json --by $by 1h | jq -c 'select(.type == "top") | [.owner, .sched, .during, .op, .count]' | sort) \
			<("$NVMETOOL" latency -i "$DATA/keys.nvt" --json --by $by | jq -c 'select(.type == "latency") | [.owner, .sched, .during, .op, .count]' | sort)
	done
}

@test "a view is a name for --by" {
	while read -r view keys; do
		diff <("$NVMETOOL" top -i "$DATA/keys.nvt" --view "$view" 50ms) <("$NVMETOOL" top -i "$DATA/keys.nvt" --by "$keys" 50ms)
		diff <(top --csv --view "$view" -i "$DATA/keys.nvt" 100ms) <(top --csv --by "$keys" -i "$DATA/keys.nvt" 100ms)
	done <<-'END'
		proc pid,comm,dev,opcode
		cgroup cgroup,dev,opcode
		dev dev,opcode
		ctrl ctrl,opcode
		queue ctrl,qid,opcode
		owner owner,dev,opcode
	END
	run --separate-stderr top --view dev --by comm
	[ "$status" = 2 ]
	[[ $stderr == "error: --view and --by: "* ]]
}

@test "%UTIL is shown of what can be busy alone; of keys that come late nothing is known of what is in flight" {
	columns() { top --by "$1" 1h | head -1 | grep -c %UTIL || true; }
	[ "$(for by in dev ctrl,qid ctrl host,ctrl,opcode; do columns $by; done | xargs)" = "1 1 1 1" ]
	[ "$(for by in qid comm dev,comm none dev,size; do columns $by; done | xargs)" = "0 0 0 0 0" ]
	rows --by dev,status 100ms | jq -es 'length > 5 and all(.[]; .qd == null and .util_pct == null and .inflight == null)'
}

@test "INTERVAL is a second unless one is given" {
	[ "$(rows | jq -s 'map(.interval_ns) | max')" = 1000000000 ]
	[ "$(rows 100ms | jq -s 'map(.interval_ns) | max')" = 100000000 ]
	[ "$(rows 100ms 3 | jq -s 'map(.seq) | max')" -le 2 ]
}

@test "rows are sorted by what was asked for, largest first" {
	for pair in io:iops mb:bytes_per_s avg:mean_ns p50:p50_ns p99:p99_ns max:max_ns err:errors; do
		rows -s "${pair%:*}" --view queue 1h | jq -es "map(.${pair#*:}) | length > 5 and . == (sort | reverse)"
	done
}

@test "text has 20 rows and says how many more there are, other formats have all" {
	all=$(rows 1h | wc -l)
	[ "$all" -gt 20 ]
	[ "$(top 1h | wc -l)" = 22 ]
	[ "$(top 1h | tail -1)" = "($((all - 20)) more rows: -r)" ]
	[ "$(top -r 3 1h | wc -l)" = 5 ]
	[ "$(top -r "$all" 1h | wc -l)" = "$((all + 1))" ]
	[ "$(rows -r 3 1h | wc -l)" = 3 ]
	[ "$(top -b 1h)" = "$(top -C 1h)" ]
	[ "$(top --view dev 1h | head -1 | xargs)" = "DEV OP IO/s MB/s KB QD %UTIL AVG(us) P50(us) P99(us) MAX(us) ERR OLD(s)" ]
}

# tests/data/readme.nvt has further attempts, which did not wait.
@test "-Q: QUEUE is the mean of the phase queue+scheduler; without it there is no such column" {
	for name in latency readme; do
		for by in dev,opcode pid,comm none; do
			"$NVMETOOL" top -i "$DATA/$name.nvt" --json -Q --by $by 1h | jq -c 'select(.type == "top") |
				[.dev, .op, .pid, .comm, .queue_mean_ns]' | sort >"$out"
			"$NVMETOOL" latency -i "$DATA/$name.nvt" --phases --by $by --json 2>/dev/null |
				jq -c 'select(.phase == "queue+scheduler") | [.dev, .op, .pid, .comm, .mean_ns]' | sort | diff - "$out"
			[ -s "$out" ]
		done
	done
	[ "$(top -Q --view dev 1h | head -1 | xargs)" = \
		"DEV OP IO/s MB/s KB QD %UTIL AVG(us) P50(us) P99(us) MAX(us) QUEUE(us) ERR OLD(s)" ]
	rows 1h | jq -es 'length > 0 and all(has("queue_mean_ns") | not)'
	diff <(rows 1h) <(rows -Q 1h | jq -c 'del(.queue_mean_ns)')
	rows -s queue --view queue 1h | jq -es 'map(.queue_mean_ns) | length > 5 and . == (sort | reverse)'
	run -5 --separate-stderr "$NVMETOOL" top -Q "$DATA/report.nvt"
	[[ $stderr == "error: times of block layer entry (record -Q): not in the recording; "* ]]
}

@test "a mean size is bytes by commands; a small QD is not rounded to 0" {
	rows 1h >"$out"
	jq -es 'length > 0 and all((.bytes / .count - .mean_bytes | fabs) < 0.006)' "$out"
	"$NVMETOOL" top --json --no-meta -i "$DATA/readme.nvt" 1 1 | jq -es 'map(select(.type == "top").qd) | min < 0.005 and min > 0'
	"$NVMETOOL" top --csv -i "$DATA/readme.nvt" --columns qd 1 | tr -d '\r' | grep -q '^0\.00[0-9]*[1-9]$'
	"$NVMETOOL" top -i "$DATA/readme.nvt" --columns qd 1 | grep -q '^0\.00[1-9]$'
}

@test "what was outstanding is what the times in the recording say" {
	for name in latency readme mixed stream; do
		"$NVMETOOL" trace --json -i "$DATA/$name.nvt" >"$out.trace" 2>/dev/null
		for options in "--view proc 1ms" "--view queue 100ms" "--by comm,qid,opcode 1ms"; do
			# shellcheck disable=SC2086 # options and their words
			"$NVMETOOL" top --json -i "$DATA/$name.nvt" $options >"$out" 2>/dev/null
			[ "$("$BATS_TEST_DIRNAME/lib/outstanding.py" "$out.trace" "$out")" -gt 20 ]
		done
	done
}

# What is in flight at the end of a recording is not in it; and a pipe cannot be read ahead.
@test "what a recording does not tell is null, never 0" {
	rows 1h | jq -es 'length > 0 and all(.[]; .qd != null and .inflight == null and .oldest_ns == null)'
	[ "$(top --view dev --columns inflight,oldest_ns 1h | sort -u | xargs)" = "- - INFLIGHT OLD(s)" ]
	"$NVMETOOL" top --json --view dev -i - <"$DATA/latency.nvt" >"$out"
	jq -es 'map(select(.type == "top")) | length > 0 and all(.[]; .qd == null and .util_pct == null and .inflight == null)' "$out"
	rows --view dev --min-lat 1us | jq -es 'length > 0 and all(.[]; .util_pct == null and .qd == null)'
}

@test "the selection, and admin commands only if they are selected" {
	[ "$(rows -O write 1h | jq -r .op | sort -u)" = write ]
	[ "$(rows -q admin --view ctrl 1h | jq -r .op)" = get-log ]
	run --separate-stderr top -p 99
	[ "$status" = 0 ]
	[[ $stderr == *"no matching command completed; -q admin selects admin commands"* ]]
	for options in "-q admin" "-O read"; do
		# shellcheck disable=SC2086 # an option and its argument
		run --separate-stderr top -p 99 $options
		[[ $stderr == *"no matching command completed"* && $stderr != *"-q admin"* ]]
	done
}

@test "a condition is checked of all rows, also of those not printed" {
	run --separate-stderr top -r 1 --fail-if 'errors>0' 1h
	[ "$status" = 6 ]
	run --separate-stderr top --fail-if 'read.p99>1s' 1h
	[ "$status" = 0 ]
}
