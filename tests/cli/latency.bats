#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# latency on a recording (tests/data/latency.c): keys, figures, three formats, conditions.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

LOAD=$DATA/latency.nvt

latency()
{
	"$NVMETOOL" latency -i "$LOAD" "$@"
}

# rows OPTION...: the latency records, without meta and summary.
rows()
{
	latency --json "$@" | jq -c 'select(.type == "latency")'
}

@test "how long a replay is does not depend on what is selected" {
	mixed()
	{
		"$NVMETOOL" latency -i "$DATA/mixed.nvt" --by opcode --json "$@" | jq -c 'select(.op == "zone-append" or .type == "summary")'
	}
	[ "$(mixed | jq '.interval_ns, .iops, .duration_ns')" = "$(mixed -O zone-append | jq '.interval_ns, .iops, .duration_ns')" ]
	[ "$(mixed -p 99 | jq .duration_ns)" = "$(mixed | jq -s '.[-1].duration_ns')" ]
}

@test "every record is as the schema says, for every key" {
	for by in none ctrl ns dev qid cpu opcode size flags pid comm cgroup status \
		ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,status; do
		latency -A --json --by "$by" >"$out.$by"
		jq -es '(map(select(.type == "latency").count) | add == 1000) and
			(.[-1] | [.paired, .emitted, .filtered, .complete] == [1000, 1000, 0, true])' "$out.$by"
	done
	check_json latency "$out".*
}

@test "--by cpu is where a command was submitted" {
	"$NVMETOOL" latency -i "$DATA/mixed.nvt" -A --by cpu --json | jq -c 'select(.type == "latency") | [.cpu, .count]' | sort >"$out"
	"$NVMETOOL" trace -i "$DATA/mixed.nvt" --json | jq -sc 'map(select(.type == "io")) | group_by(.submit_cpu)[] |
		[.[0].submit_cpu, length]' | sort | diff "$out" -
}

@test "rates are of the interval, and a status has its code type and code" {
	rows --by status | jq -es 'length > 0 and all(.[]; (.bytes_per_s - .bytes * 1e9 / .interval_ns | fabs) < 0.01 and
		(.iops - .count * 1e9 / .interval_ns | fabs) < 0.01 and .sct_sc == (if .status == 641 then "2/81" else "0/00" end))'
}

@test "admin commands need -A" {
	[ "$(rows --by opcode | jq -sc '[length, any(.[]; .admin)]')" = '[3,false]' ]
	[ "$(rows -A --by opcode | jq -r 'select(.admin).op')" = get-log ]
}

# corners OPTION...: rows of the recording of what is rare (tests/data/corners.c).
corners()
{
	"$NVMETOOL" latency -i "$DATA/corners.nvt" --json "$@" | jq -c 'select(.type == "latency")'
}

@test "fabrics commands have no namespace, and statuses of their own" {
	[ "$(corners -A -c 64,65 --by ns,opcode | jq -r '[.nsid, .op] | join("=")' | sort | xargs)" = \
		"1=dsm 1=identify 1=read 1=write =connect =property-get" ]
	[ "$(corners -A -c 64,65 --by ns | jq -c '[.nsid, .count]' | xargs)" = "[null,2] [1,11]" ]
	[ "$(corners -A --by status | jq -r 'select(.status == 386) | .status_name' | sort | xargs -d '\n')" = \
		"Attempted Write to Read Only Range Connect Invalid Parameters" ]
	[ "$(corners -A --by status | jq -s 'map(select(.status == 0)) | length')" = 1 ]
	[[ $("$NVMETOOL" latency -i "$DATA/corners.nvt" -q admin --by ns -H none) == *"nsid=-"*"nsid=1"* ]]
}

# 64 controllers with four opcodes, 1280 processes.
@test "every row of a large recording is there" {
	for keys in ctrl,opcode ctrl,opcode,qid; do
		corners --by "$keys" -c 0-63 >"$out"
		[ "$(jq -s 'map(select(.op != "(other)")) | [length, all(.[]; .count == 5)]' -c "$out")" = '[256,true]' ]
	done
	[ "$(corners --by pid | jq -s 'length')" = 1281 ]
	"$NVMETOOL" latency -i "$DATA/corners.nvt" --by pid --json --strict >/dev/null
}

@test "a submitter of whom nothing is known" {
	[ "$(corners -c 64 --by comm,cgroup | jq -c '[.comm, .cgroup_id, .cgroup]')" = '["",null,null]' ]
	[[ $("$NVMETOOL" latency -i "$DATA/corners.nvt" -c 64 --by comm,cgroup --table) =~ $'\n'-\ +-\ +10\  ]]
	[[ $("$NVMETOOL" latency -i "$DATA/corners.nvt" -c 64 --by comm,cgroup) == *" comm=- cgroup=-"* ]]
}

@test "percentiles are bucket edges of nearest-rank values, count, sum, min and max exact" {
	"$NVMETOOL" trace -i "$LOAD" --json >"$BATS_TEST_TMPDIR/trace"
	for bits in 0 3 6; do
		rows --by none --hist-bits "$bits" -P 0,1,50,90,99,99.9,99.99,100 >"$out"
		jq -es --slurpfile row "$out" '
			map(select(.type == "io" and (.admin | not)).lat_ns) | sort as $v | $row[0] as $r | ($v | length) as $n |
			$r.count == $n and $r.min_ns == $v[0] and $r.max_ns == $v[-1] and
			$r.sum_ns == ($v | add) and $r.mean_ns == ($r.sum_ns / $n | floor) and
			all($r.pct_ns | to_entries[];
				(.key[1:] | tonumber) as $p |
				$v[[($p * $n / 100 - 1e-9 | ceil), 1] | max - 1] as $value |
				($r.hist.buckets[] | select(.[0] <= $value and $value < .[1])[1]) as $edge |
				.value == ([$edge, $r.max_ns] | min))' "$BATS_TEST_TMPDIR/trace"
	done
}

@test "buckets hold every command, at any resolution and offset" {
	for shape in --hist-bits=0 --hist-bits=6 --lat-min-us=65 --lat-shift=4 "--lat-min-us=100000 --hist-bits=1"; do
		# shellcheck disable=SC2086 # two options
		rows $shape | jq -es 'length > 0 and all(.[]; (.hist.buckets | map(.[2]) | add) == .count and
			(.hist.buckets | [.[:-1], .[1:]] | transpose | all(.[]; .[0][1] <= .[1][0])))'
	done
	[ "$(rows --by none --lat-min-us 65 | jq -c '[.hist.kind, .hist.from_ns, .hist.width_ns, .hist.buckets[0][0:2]]')" = \
		'["offset",65000,1000,[0,65000]]' ]
}

@test "intervals add up to the whole" {
	rows 0.25 >"$out"
	jq -es '(map(.seq) | unique) as $seq | $seq == [range(0; $seq | length)] and ($seq | length) > 2' "$out"
	[ "$(jq -s 'map(.count) | add' "$out")" = "$(rows | jq -s 'map(.count) | add')" ]
	rows --by none --cumulative 0.25 >"$out"
	jq -es 'map(.count) | . == sort and .[0] < .[-1]' "$out"
}

@test "a pipe picks one figure" {
	run -0 bash -c "'$NVMETOOL' latency -i '$LOAD' --json --no-meta | jq -r 'select(.op==\"read\").pct_ns[\"p99\"]'"
	[ "${#lines[@]}" = 2 ]
	[[ ${lines[0]} =~ ^[0-9]+$ ]]
}

@test "-Q starts earlier, never later" {
	[ "$(rows -Q --by none | jq .sum_ns)" -gt "$(rows --by none | jq .sum_ns)" ]
}

@test "text: key line, table, figures, no wider than 80 columns" {
	latency --by dev,opcode >"$out"
	[ "$(head -n 1 "$out")" = "latency(us): dev=nvme0n1 op=flush" ]
	[[ $(sed -n 2p "$out") =~ ^RANGE\(us\)\ +COUNT\ +%\ +CUM%\ distribution$ ]]
	grep -Eq '^count [0-9]+, errors [0-9]+, min [0-9.]+, avg [0-9.]+, p50 ' "$out"
	[ "$(awk 'length($0) > 79' "$out")" = "" ]
	latency --table >"$out"
	[ "$(head -n 1 "$out" | tr -s ' ')" = \
		"CTRL OP COUNT IOPS MB/s AVG(us) P50(us) P99(us) P99.9(us) MAX(us) ERR" ]
	[ "$(awk 'length($0) > 80' "$out")" = "" ]
}

@test "text: counts of the table are those of the rows, joined or not" {
	for bits in "" --hist-bits=3; do
		# shellcheck disable=SC2086 # nothing, or an option
		latency --by none -H table $bits >"$out"
		[ "$(awk '/ - / { n += $4 } END { print n }' "$out")" = \
			"$(awk '/^count / { print $2 + 0 }' "$out")" ]
	done
}

@test "text: runs of empty rows are one line" {
	latency --by none -H table --hist-bits 6 >"$out"
	grep -qx '\.\.\.' "$out"
	[ "$(awk '/ - / && $4 == 0 && empty { print } { empty = / - / && $4 == 0 || /^\.\.\.$/ }' "$out")" = "" ]
	[ "$(awk '/ - / { n += $4 } END { print n }' "$out")" = "$(awk '/^count / { print $2 + 0 }' "$out")" ]
}

@test "--table: figures are those of JSON, statuses have names, intervals a heading of their own" {
	# In nanoseconds nothing is rounded.
	latency --by dev,opcode --table -P 99 --no-header --unit ns | awk '{ print $1, $2, $3, $6, $7, $8, $9 }' >"$out"
	diff "$out" <(rows --by dev,opcode -P 99 |
		jq -r '"\(.dev) \(.op) \(.count) \(.mean_ns) \(.pct_ns.p99) \(.max_ns) \(.errors)"')
	mixed() { "$NVMETOOL" latency -i "$DATA/mixed.nvt" "$@"; }
	[ "$(mixed --by status --table --no-header | sed 's/  .*//' | sort)" = "$(printf '%s\n' \
		- 'Compare Failure' 'Invalid Command Opcode' 'Unrecovered Read Error' ok | LC_ALL=C sort)" ]
	"$NVMETOOL" latency -i "$DATA/stream.nvt" --table 1 >"$out"
	[ "$(grep -c '^CTRL' "$out")" = 3 ]
	[ "$(grep -c '^$' "$out")" = 2 ]
	[ -n "$(tail -n 1 "$out")" ]
	[ "$("$NVMETOOL" latency -i "$DATA/stream.nvt" --table --no-header 1 | grep -c '^$')" = 0 ]
}

@test "units and time" {
	[ "$(latency --by none -H none -m | head -n 1)" = "latency(ms): all commands" ]
	[ "$(latency --by none -H none -T --utc | head -n 1)" = 22:13:25 ]
	[[ $(latency --by none --table -e --unit ns) == *"TOTAL(ns)"*"AVG(ns)"* ]]
}

@test "CSV has the figures of JSON" {
	latency --csv --by ctrl,opcode -P 50,99.9 >"$out"
	check_csv "$out"
	diff <(sed 1d "$out" | tr -d '\r' | cut -d, -f 5-12,16-) \
		<(rows --by ctrl,opcode -P 50,99.9 | jq -r '[.ctrl_id, .ctrl, .op, .opcode, .admin, .count, .errors,
			.bytes, .min_ns, .max_ns, .sum_ns, .mean_ns, .pct_ns.p50, .pct_ns["p99.9"]] |
			map(tostring) | join(",")')
}

@test "-H rows: a record per bucket with its host, in CSV and JSON" {
	buckets()
	{
		"$NVMETOOL" latency -i "$LOAD" -i "$DATA/stream.nvt" -A "$@"
	}
	for shape in --hist-bits=3 --hist-bits=6 --lat-min-us=65; do
		buckets "$shape" --by host,ctrl,opcode --json | jq -c 'select(.type == "latency") | . as $r | .hist.buckets[] |
			[$r.host, $r.ts, $r.interval_ns, $r.ctrl_id, $r.ctrl, $r.op, $r.opcode, $r.admin] + .' >"$out.want"
		buckets "$shape" --by ctrl,opcode --json -H rows >"$out$shape"
		jq -c 'select(.type == "bucket") | del(.type) | [.[]]' "$out$shape" | diff "$out.want" -
		buckets "$shape" --by ctrl,opcode --csv -H rows >"$out"
		check_csv "$out"
		# jq 1.6 rounds the months between the two recordings, the interval.
		sed 1d "$out" | tr -d '\r' | cut -d , -f 1,2,4- |
			diff <(jq -r 'del(.[2]) | map(tostring | sub("null"; "")) | join(",")' "$out.want") -
	done
	check_json latency "$out"--*
}

@test "-H rows: no text, no row where there is none, --fail-if as ever" {
	run -2 --separate-stderr latency -H rows
	[ "$stderr" = "error: --histogram rows: text has no records of buckets; add --csv or --json" ]
	[ "$(latency -H rows --csv -O zone-append | wc -l)" = 1 ]
	run -6 latency -H rows --csv --fail-if 'read.count>0'
	[ "$(latency -H rows --csv --columns lo_ns,count --by none | sed 1d | tr -d '\r' | awk -F , '{ n += $2 } END { print n }')" = \
		"$(rows --by none | jq .count)" ]
	run -2 --separate-stderr latency -H rows --csv --columns mean_ns
	[[ $stderr == *"choose from host ts interval_ns ctrl_id ctrl op opcode admin lo_ns hi_ns count"* ]]
}

@test "size classes" {
	[ "$(rows --split-size --by none | jq -r .size | xargs)" = "<=16k <=64k >64k" ]
	[ "$(rows --split-size=4k --by none | jq -r .size | xargs)" = "<=4k >4k" ]
	[ "$(rows --split_size --ctrl_id=0 --lat_min_us=65 --nosplit_size | jq -r '.size // "none"' | sort -u)" = none ]
}

@test "a failed --fail-if says what was true of which row and when, --quiet or not" {
	latency -c 0 -O read --json --hist-bits 6 >"$out"
	p99=$(jq -r 'select(.op == "read").pct_ns.p99' "$out")
	run -6 --separate-stderr latency -c 0 -O read --quiet --utc --fail-if 'p99.9<1ns or p99>100us and count>0'
	line='^failed: read\.p99 = ([0-9.]+) ([um]s) > 100 us and read\.count = ([0-9]+) > 0, nvme0, ([0-9:]{8})$'
	[[ $stderr =~ $line ]]
	unit=1000
	[ "${BASH_REMATCH[2]}" = us ] || unit=1000000
	jq -es --argjson shown "${BASH_REMATCH[1]}" --argjson unit $unit --argjson count "${BASH_REMATCH[3]}" --arg at "${BASH_REMATCH[4]}" \
		'map(select(.op == "read"))[0] | (.pct_ns.p99 / $unit - $shown | fabs) < 0.51 and .count == $count and .ts[11:19] == $at' "$out"
	run -6 --separate-stderr latency -c 0 -O read --json --quiet --fail-if 'p99.9<1ns or p99>100us and count>0'
	tail -n 1 <<<"$output" | jq -e --argjson p99 "$p99" --slurpfile all "$out" '.fail_if | length == 1 and (.[0] |
		.condition == "p99>100us and count>0" and .op == "read" and .row == "nvme0" and
		.values == [$p99, ($all[] | select(.op == "read").count)] and (.ts | endswith("Z")) and .time_ns > 1e18)'
	# The first of many intervals, once; names are escaped.
	run -6 --separate-stderr latency --quiet --by comm,opcode --fail-if 'read.iops>=1' 100ms
	[[ $stderr == 'failed: read.iops = '[0-9]*' >= 1, comm=\x1b[2Jx\x0a, '[0-9][0-9]:[0-9][0-9]:[0-9][0-9] ]]
}

@test "--fail-if compares at most 1.6 % above, unless --hist-bits says otherwise, and what it prints" {
	slow=$(latency -c 0 -O flush --json --hist-bits 6 | jq 'select(.op == "flush").pct_ns.p99')
	rough=$(latency -c 0 -O flush --json --hist-bits 3 | jq 'select(.op == "flush").pct_ns.p99')
	[ "$slow" -lt 3500000 ]
	[ "$rough" -gt 3500000 ]
	for args in latency "metrics --by ctrl,opcode -w $out.prom" "top --by ctrl,opcode"; do
		# shellcheck disable=SC2086 # words are wanted
		run -0 "$NVMETOOL" $args -i "$LOAD" -c 0 -O flush --fail-if 'p99>3500us'
		# shellcheck disable=SC2086 # words are wanted
		run -6 --separate-stderr "$NVMETOOL" $args -i "$LOAD" -c 0 -O flush --quiet --fail-if 'p99>3us'
		[[ $stderr == "failed: "*"p99 = 3.4"*" ms > 3 us, "* ]]
	done
	run -6 latency -O flush --hist-bits 3 --fail-if 'p99>3500us'
	run -6 --separate-stderr latency -c 0 -O flush --json --fail-if 'p99>3us'
	jq -es --argjson slow "$slow" 'map(select(.type == "latency"))[0].hist.bits == 6 and
		map(select(.type == "latency"))[0].pct_ns.p99 == $slow and .[-1].fail_if[0].values[0] == $slow' <<<"$output"
	[ "$(latency -O flush --json --fail-if 'p99>1s' | jq -r 'select(.hist) | .hist.bits' | uniq)" = 6 ]
	[ "$("$NVMETOOL" stacks --hist -i "$DATA/stacks.nvt" --json --fail-if 'p99>1s' | jq -r 'select(.hist) | .hist.bits' | uniq)" = 6 ]
	# The exported buckets have the same edges and numbers.
	for condition in '' "--fail-if p99>1s"; do
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" metrics -i "$LOAD" -w "$out.prom" --quiet $condition
		grep _duration "$out.prom" >"$out.edges${condition:0:3}"
	done
	cmp "$out.edges" "$out.edges--f"
}

@test "--fail-if looks at every row" {
	run -6 latency --fail-if 'p99>1us'
	run -0 latency --fail-if 'p99>60s or errors>1M'
	run -6 latency --json --fail-if 'read.p50>1us and read.errors>=0 or write.count>1G'
	[ "$(tail -n 1 <<<"$output" | jq -c '.fail_if | map(.condition)')" = '["read.p50>1us and read.errors>=0"]' ]
	run -2 --separate-stderr latency --fail-if 'read.count>0 or identify.count>0'
	[ "$stderr" = "error: --fail-if 'identify.': the selection leaves out such commands, so this is never true; select them with -q 0-" ]
	run -0 latency -q 0- --fail-if 'identify.count>1M'
	run -0 latency -A --fail-if 'connect.count>1M'
	run -2 latency -q admin --fail-if 'read.count>0'
	run -2 --separate-stderr latency --by none --fail-if 'read.p99>1us'
	[[ $stderr == *"add opcode to --by"* ]]
}

@test "what cannot be is refused" {
	run -2 latency -P 101
	run -2 latency -P 50,50
	run -2 latency --split-size=64k,16k
	run -2 latency --hist-bits 7
	run -2 latency --by bogus
	run -2 --separate-stderr latency --columns count,bogus
	[[ $stderr == *"bogus"*"count"* ]]
}

@test "--max-inflight takes the commands that found so few outstanding" {
	for file in readme mixed; do
		"$NVMETOOL" trace -i "$DATA/$file.nvt" --json >"$out.trace"
		for most in 1 2 4; do
			python3 "$BATS_TEST_DIRNAME/lib/crowd.py" "$most" <"$out.trace" >"$out"
			[ -s "$out" ]
			"$NVMETOOL" latency -i "$DATA/$file.nvt" --json --max-inflight "$most" |
				jq -r 'select(.type == "latency") | "\(.ctrl) \(.op) \(.count)"' | sort | diff "$out" -
		done
	done
	latency --json --max-inflight 1 | jq -es '.[-1] | .complete and .emitted + .filtered == .paired and .filtered > 0'
}

@test "--phases of a recording are those that its times tell" {
	readme()
	{
		"$NVMETOOL" latency -i "$DATA/readme.nvt" --json --by none "$@"
	}
	run -0 --separate-stderr readme --phases
	[[ $stderr == "nvmetool: not in the recording: the phases queue, scheduler, completion and total" ]]
	check_json latency "$(readme --phases >"$out" && echo "$out")"
	[ "$(readme --phases | jq -r 'select(.type == "latency").phase' | xargs)" = "queue+scheduler device" ]
	[ "$(readme --phases | jq 'select(.phase == "device").sum_ns')" = "$(readme | jq 'select(.type == "latency").sum_ns')" ]
	# Further attempts of a failed command did not wait in the queue.
	[ "$(readme --phases | jq 'select(.phase == "queue+scheduler").sum_ns')" = "$("$NVMETOOL" trace -Q -i "$DATA/readme.nvt" \
		--json | jq -s 'map(select(.retries == 0 and .queue_ns) | .queue_ns) | add')" ]
	run -0 --separate-stderr "$NVMETOOL" latency -i "$DATA/keys.nvt" --phases --table
	[ "$(grep -c 'queue+scheduler' <<<"$output")" = 0 ]
}

@test "--columns chooses" {
	[ "$(latency --csv --columns op,count --no-header | head -n 1 | tr -d '\r')" = \
		"$(rows | jq -rs '.[0] | "\(.op),\(.count)"')" ]
	[ "$(latency --table --columns=-p50_ns,+errors | head -n 1 | grep -c ERRORS)" = 1 ]
}

# heat_is COMMANDS INTERVAL OPTION...: is each cell of a heat map what JSON's histograms say, at three widths?
heat_is()
{
	latency --json --by none "${@:2}" >"$out"
	for columns in 40 80 200; do
		[ "$(python3 "$BATS_TEST_DIRNAME/lib/tty.py" 500 "$columns" "$NVMETOOL" latency -i "$LOAD" -H heat --utc \
			--color never "${@:2}" | python3 "$BATS_TEST_DIRNAME/lib/heat.py" "$out" $((columns < 60 ? 60 : columns)))" = "$1" ]
	done
}

@test "heat: each cell has the shade that JSON's histograms give it" {
	total=$(latency --by none --json | jq 'select(.type == "latency").count')
	[ "$total" -gt 900 ]
	heat_is "$total" 0.05
	heat_is "$(latency --by none --json -O flush | jq 'select(.type == "latency").count')" 10ms -O flush
	LOAD=$DATA/readme.nvt heat_is 1199 0.1 -Q
}

@test "heat: lines without a gap, colours only where they are wanted, no heading with --no-header" {
	latency -H heat 0.2 >"$out"
	[ "$(wc -l <"$out")" = 9 ]
	[ "$(grep -c '^$' "$out")" = 0 ]
	[ "$(latency -H heat 0.2 --no-header | wc -l)" = 6 ]
	diff "$out" <(latency -H heat 0.2 --color always | sed 's/\x1b\[[0-9;]*m//g')
	# The shade from 15 commands on: in the legend, and in each line that has it.
	shaded=$(tail -n +4 "$out" | cut -d '|' -f 2 | grep -c -e -)
	[ "$shaded" -gt 3 ]
	[ "$(latency -H heat 0.2 --color always | grep -c $'\033\\[38;5;67;48;5;67m')" = $((shaded + 1)) ]
	tty=("python3" "$BATS_TEST_DIRNAME/lib/tty.py" 24 80 "$NVMETOOL" latency -i "$LOAD" -H heat 0.2)
	[ "$(TERM=xterm-256color "${tty[@]}" | grep -c $'\033')" -gt 5 ]
	[ "$(NO_COLOR=1 "${tty[@]}" | grep -c $'\033')" = 0 ]
	[ "$(python3 "$BATS_TEST_DIRNAME/lib/tty.py" 10 80 "$NVMETOOL" latency -i "$LOAD" -H heat 50ms | grep -c ^TIME)" = 3 ]
}

@test "heat: conditions are those of each interval, what cannot be is refused" {
	run -6 latency -H heat 0.1 --fail-if 'p99>1ms'
	run -0 latency -H heat 0.1 --fail-if 'p99>10s'
	for options in "" "1 --by dev" "1 -D" "1 -F" "1 --split-size" "1 --phases" "1 --table" "1 --columns count" \
		"1 --hist-bits 2" "1 --lat-min-us 3" "1 --cumulative" "1 -P 50"; do
		# shellcheck disable=SC2086 # several options
		run -2 --separate-stderr latency -H heat $options
		[[ $stderr == "error: "*"heat"* ]]
	done
}

# same_as_svg FILE COLUMNS OPTION...: is each cell of the map on a terminal that wide what cells of the SVG say?
same_as_svg()
{
	"$NVMETOOL" latency -i "$DATA/$1" -f svg --utc "${@:3}" -w "$out.svg"
	step=$(sed -nE 's/^<text class="about".* A column is ([0-9]+) ([a-z]+), .*/\1\2/p' "$out.svg")
	python3 "$BATS_TEST_DIRNAME/lib/tty.py" 500 "$2" "$NVMETOOL" latency -i "$DATA/$1" -H heat "$step" --utc --color never "${@:3}" >"$out"
	[ "$(python3 "$BATS_TEST_DIRNAME/lib/heat.py" "$out.svg" "$2" <"$out")" = \
		"$("$NVMETOOL" latency -i "$DATA/$1" --json --by none "${@:3}" | jq 'select(.type == "latency").count')" ]
}

@test "heat: a terminal of 80 or 200 columns has the cells of the SVG of the same recording" {
	same_as_svg before.nvt 80
	same_as_svg before.nvt 200
	same_as_svg distinct.nvt 200
	same_as_svg readme.nvt 80 -Q
	same_as_svg readme.nvt 120
	same_as_svg latency.nvt 80 -O read
	# One command more in a cell is seen.
	sed -i '0,/: 2 commands,/s//: 3 commands,/' "$out.svg"
	run -1 python3 "$BATS_TEST_DIRNAME/lib/heat.py" "$out.svg" 80 <"$out"
}

# picture_is FILE OPTION...: is each cell of the heat map of a recording what JSON's histograms say? Prints the sum.
picture_is()
{
	"$NVMETOOL" latency -i "$DATA/$1" -f svg --utc "${@:2}" -w "$out"
	step=$(sed -nE 's/^<text class="about".* A column is ([0-9]+) ([a-z]+), .*/\1\2/p' "$out")
	"$NVMETOOL" latency -i "$DATA/$1" --json --by none "$step" "${@:2}" >"$out.json"
	[ "$(python3 "$BATS_TEST_DIRNAME/lib/map.py" "$out" "$out.json")" = \
		"$("$NVMETOOL" latency -i "$DATA/$1" --json --by none "${@:2}" | jq 'select(.type == "latency").count')" ]
}

@test "svg: each cell has the commands that JSON's histograms give it" {
	picture_is latency.nvt
	picture_is readme.nvt -Q
	picture_is stream.nvt
	picture_is before.nvt
	picture_is corners.nvt -A
	picture_is latency.nvt -O flush --status error
	[ "$(grep -c '<text class="about".*>1 command\. ' "$out")" = 1 ]
}

@test "svg: a picture names host, drives and period" {
	where() { latency --utc -f svg | sed -n 's/.*class="where"[^>]*>\(.*\)<\/text>/\1/p'; }
	[ "$(LOAD=$DATA/sqlite.nvt where)" = "db1, nvme0 (QEMU NVMe Ctrl), 2026-11-28 07:26:47 to 07:27:00 Z" ]
	[ "$(LOAD=$DATA/readme.nvt where)" = "db1, 2023-11-14 22:13:24.000 to 22:13:25.988 Z" ]
	LOAD=$DATA/readme.nvt latency --utc -f svg -i "$DATA/sqlite.nvt" -i "$DATA/before.nvt" | grep -q '>db1, host-a, nvme0 (QEMU NVMe Ctrl), 2023-11-14 22:13:24 to 2026-11-28 07:27:00 Z<'
	"$NVMETOOL" stacks --utc -f svg -i "$DATA/stacks.nvt" | grep -q '>host-a, 2023-11-14 22:13:24'
	"$NVMETOOL" latency --utc -f svg -i "$DATA/report.nvt" >"$out"
	python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$out"
	grep 'class="where"' "$out" | grep -q '>&lt;/title&gt;&lt;script&gt;'
}

@test "svg: an empty picture is one, conditions are those of the run, what cannot be is refused" {
	latency -f svg --comm nobody >"$out"
	[ "$(grep -c 'Nothing was seen\.<' "$out")" = 2 ]
	[ "$(python3 "$BATS_TEST_DIRNAME/lib/map.py" "$out")" = 0 ]
	run -6 latency -f svg --fail-if 'count>900'
	run -0 latency -f svg --fail-if 'count<900'
	for options in 1 "--by dev" "-D" "--phases" "--table" "--hist-bits 2" "-H rows" "-e"; do
		# shellcheck disable=SC2086 # several options
		run -2 --separate-stderr latency -f svg $options
		[[ $stderr == "error: "*"heat map"* ]]
	done
}

# tests/data/phases.c says how long each phase is.
@test "--phases of a recording that has them: each phase once, of first attempts and of what ended" {
	phases() { "$NVMETOOL" latency -i "$DATA/phases.nvt" --phases --json --no-meta "$@"; }
	[ "$(phases --by opcode | jq -c 'select(.phase) | [.op, .phase, .count, .errors, .sum_ns, .min_ns, .max_ns]' | xargs)" = \
		'[write,queue,2,0,9000,2000,7000] [write,scheduler,2,0,505000,5000,500000] [write,device,2,0,50000,20000,30000] '\
'[write,completion,2,0,2000,1000,1000] [write,total,2,0,566000,28000,538000] '\
'[read,queue,3,1,12000,3000,5000] [read,device,5,1,370000,60000,90000] '\
'[read,completion,4,0,11000,2000,4000] [read,total,3,0,360000,85000,179000]' ]
	[ "$(phases --by none | jq -c 'select(.type == "summary") | [.paired, .emitted, .entry_unknown]')" = "[7,7,1]" ]
	[ "$(phases --by none -Q | jq -c 'select(.phase == "device" or .phase == "total") | [.phase, .count]' | xargs)" = "[device,6] [total,5]" ]
	[ "$("$NVMETOOL" latency -i "$DATA/phases.nvt" -Q --json --by none | jq 'select(.type == "latency") | .count, .sum_ns' | xargs)" = \
		"6 991000" ]
}

@test "a copy of a recording keeps its phases, and one without them is refused where they are asked for" {
	"$NVMETOOL" record -i "$DATA/phases.nvt" --phases -w "$out.nvt"
	diff <("$NVMETOOL" latency --phases --table "$DATA/phases.nvt") <("$NVMETOOL" latency --phases --table "$out.nvt")
	[ "$("$NVMETOOL" info --json "$out.nvt" | jq -c 'select(.extras).extras')" = '["queue_times","phases"]' ]
	run -5 --separate-stderr "$NVMETOOL" record -i "$DATA/readme.nvt" --phases -w "$out.nvt"
	[[ $stderr == "error: the phases queue, scheduler, completion and total (record --phases): not in the recording; "* ]]
	run -0 --separate-stderr "$NVMETOOL" latency --phases --table --by none "$DATA/phases.nvt" "$DATA/readme.nvt"
	[[ $stderr == *"not in the recording: the phases queue, scheduler, completion and total"* ]]
	[[ $output != *" total "* ]] # of two all rows mean the same
}
