#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# metrics: what it exports equals what latency prints, the programs that read it take it, and nobody can hold it up.

# shellcheck disable=SC2154 # data.bash sets out, run --separate-stderr sets stderr
# shellcheck disable=SC2030,SC2031 # each test has its own port and servers
bats_require_minimum_version 1.5.0
load lib/data.bash

HTTP=$BATS_TEST_DIRNAME/lib/scrape.py
CMD=$BATS_TEST_DIRNAME/../../cmd/metrics

teardown()
{
	local pid

	for pid in "${servers[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
}

# serve ARG...: starts metrics on a free port, sets $port and $server
serve()
{
	local notes line

	exec {notes}< <(exec "$NVMETOOL" metrics --listen 127.0.0.1:0 "$@" 2>&1 3>&-)
	server=$!
	servers+=("$server")
	while read -r line <&"$notes"; do
		[[ $line == *'listening on http://127.0.0.1:'* ]] || continue
		port=${line##*127.0.0.1:}
		port=${port%/metrics}
		return
	done
	return 1
}

# get ARG...: scrapes with curl, which fails where not all that it gets is read: grep -c does, grep -q does not
get()
{
	curl -sS --max-time 10 "$@" "http://127.0.0.1:$port/metrics"
}

# until_true COMMAND...: tries it for at most ten seconds
until_true()
{
	local tries

	for ((tries = 0; tries < 100; tries++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# as_json FILE: [name, labels without le, le, value] of each sample, a line each
as_json()
{
	python3 - "$1" <<-'END'
		import json, re, sys
		for line in open(sys.argv[1]):
		    if line.startswith('#'):
		        continue
		    name, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)\n', line).groups()
		    labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ''))
		    le = labels.pop('le', None)
		    print(json.dumps([name, labels, le, float(value)], sort_keys=True))
	END
}

# bats test_tags=native
@test "counts, sums, bytes and errors equal those of latency" {
	for file in "$DATA"/{bits,corners,keys,latency,load,mixed}.nvt; do
		"$NVMETOOL" metrics --quiet -A -i "$file" -w "$out.prom" || [ $? = 5 ]
		"$NVMETOOL" latency --quiet -A --by ctrl,dev,opcode --json --no-meta -i "$file" >"$out.json" || [ $? = 5 ]
		as_json "$out.prom" | jq -es --slurpfile latency "$out.json" '
			def of($name): map(select(.[0] == "nvmetool_command_" + $name) |
				{ key: (.[1] | [.controller, .device, .operation] | join("/")), value: .[3] }) | from_entries;
			($latency | map(select(.type == "latency"))) as $rows |
			def want(f): $rows | map({ key: ([.ctrl, .dev, .op] | join("/")), value: f }) | from_entries;
			of("duration_seconds_count") == want(.count) and of("bytes_total") == want(.bytes) and
			(of("duration_seconds_sum") | map_values(. * 1e9 | round)) == want(.sum_ns) and
			(of("errors_total") | . == {} or . == want(.errors))'
	done
}

@test "control groups of one path are one row, with the sums of both" {
	"$NVMETOOL" metrics --quiet --by cgroup -i "$DATA/alike.nvt" -w "$out.prom"
	"$NVMETOOL" latency --quiet --by none --json --no-meta -i "$DATA/alike.nvt" | jq -r 'select(.type == "latency") |
		"duration_seconds_count \(.count)", "bytes_total \(.bytes)", "errors_total \(.errors)"' >"$out.want"
	sed -n 's/^nvmetool_command_\([a-z_]*\(count\|total\)\){cgroup="\/user.slice"}/\1/p' "$out.prom" | diff "$out.want" -
	[ "$(grep -c '^errors_total 3$' "$out.want")" = 1 ]
}

@test "buckets are those of latency, joined at the edges; the last one is the count" {
	"$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" --by none -w "$out.prom"
	"$NVMETOOL" latency --quiet -i "$DATA/load.nvt" --by none --json --no-meta >"$out.json"
	as_json "$out.prom" | jq -es --slurpfile latency "$out.json" '
		map(select(.[0] == "nvmetool_command_duration_seconds_bucket")) as $buckets |
		[$latency[] | select(.type == "latency").hist.buckets[]] as $ours |
		($buckets | length) == 42 and $buckets[-1][2] == "+Inf" and
		all($buckets[:-1][]; (.[2] | tonumber * 1e9 | round) as $edge |
			all($ours[]; .[1] <= $edge or .[0] >= $edge) and
			.[3] == ([$ours[] | select(.[1] <= $edge)[2]] | add // 0)) and
		$buckets[-1][3] == ([$ours[][2]] | add)'
	grep -q "^nvmetool_command_duration_seconds_count $(jq -s '[.[] | select(.type == "latency").count] | add' "$out.json")\$" "$out.prom"
}

@test "promtool finds nothing to say" {
	for file in "$DATA"/{corners,keys,mixed}.nvt; do
		"$NVMETOOL" metrics --quiet -A --by ctrl,dev,opcode,cgroup -i "$file" -w "$out.prom" || [ $? = 5 ]
		run -0 promtool check metrics <"$out.prom"
		[ -z "$output" ]
	done
	"$NVMETOOL" metrics --quiet -Q -i "$DATA/load.nvt" -w "$out.prom"
	run -0 promtool check metrics <"$out.prom"
	[ -z "$output" ]
}

# recorded_queue: the recordings that have the times of block layer entry
recorded_queue()
{
	for file in "$DATA"/*.nvt; do
		[[ $("$NVMETOOL" info --json "$file") != *'"queue_times"'* ]] || echo "$file"
	done
}

# bats test_tags=native
@test "-Q: a second histogram is that of latency -Q, and nothing else changes" {
	recorded_queue >"$out.files"
	[ "$(wc -l <"$out.files")" -ge 4 ]
	while read -r file; do
		"$NVMETOOL" metrics --quiet -A -i "$file" -w "$out.plain"
		"$NVMETOOL" metrics --quiet -AQ -i "$file" -w "$out.prom"
		diff <(grep -v nvmetool_start_time "$out.plain") <(grep -v -e nvmetool_block_ -e nvmetool_start_time "$out.prom")
		"$NVMETOOL" latency --quiet -AQ --by ctrl,dev,opcode --json --no-meta -i "$file" >"$out.json"
		as_json "$out.prom" | jq -es --slurpfile latency "$out.json" '
			def by_key: map({ (.key): .value }) | add;
			def of($name): map(select(.[0] == "nvmetool_block_duration_seconds_" + $name) |
				{ key: ([.[1] | .controller, .device, .operation] | join("/")), le: .[2], value: .[3] });
			[$latency[] | select(.type == "latency") | .key = ([.ctrl, .dev, .op] | join("/"))] as $rows |
			def some: map(select(.value > 0)); # -Q leaves out rows whose time in the queue is not known
			(of("count") | some | by_key) == ($rows | map(.value = .count) | by_key) and
			(of("sum") | some | map(.value = (.value * 1e9 | round)) | by_key) == ($rows | map(.value = .sum_ns) | by_key) and
			all(of("bucket")[]; . as $bucket | (if .le == "+Inf" then infinite else .le | tonumber * 1e9 | round end) as $edge |
				.value == ([$rows[] | select(.key == $bucket.key).hist.buckets[] | select((.[1] // infinite) <= $edge)[2]] | add // 0))'
	done <"$out.files"
}

@test "-Q: what waited before the driver makes the difference, also in (other)" {
	"$NVMETOOL" metrics --quiet -Q -i "$DATA/load.nvt" --max-series 2 -w "$out.prom"
	as_json "$out.prom" | jq -es '
		def of($name): [.[] | select(.[0] == "nvmetool_" + $name)];
		(of("block_duration_seconds_count") | map(.[1, 3])) == (of("command_duration_seconds_count") | map(.[1, 3])) and
		(of("block_duration_seconds_sum") | length == 3 and any(.[1].operation == "(other)")) and
		(of("block_duration_seconds_sum") | map(.[3]) | add) > (of("command_duration_seconds_sum") | map(.[3]) | add)'
	run -5 "$NVMETOOL" metrics -Q -i "$DATA/keys.nvt" -w "$out.prom"
	[[ $output == 'error: times of block layer entry (record -Q): not in the recording; '* ]]
}

@test "the file is replaced as a whole, readable by all, and nothing is left beside it" {
	mkdir "$out.dir"
	echo old >"$out.old"
	ln -s "$out.old" "$out.dir/nvme.prom"
	(umask 077 && "$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" -w "$out.dir/nvme.prom")
	[ "$(stat -c '%F %a' "$out.dir/nvme.prom")" = 'regular file 644' ]
	[ "$(cat "$out.old")" = old ]
	[ "$(ls -A "$out.dir")" = nvme.prom ]
	(program=$(realpath "$NVMETOOL") && cd "$out.dir" && "$program" metrics --quiet -i "$DATA/load.nvt" -w other.prom)
	cmp "$out.dir/nvme.prom" "$out.dir/other.prom"
}

@test "a file that cannot be written is told" {
	run -1 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out.none/nvme.prom"
	[[ $output == "error: cannot write '$out.none/nvme.prom': No such file or directory; "* ]]
	mkdir "$out.dir"
	mkdir "$out.dir/nvme.prom"
	run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out.dir/nvme.prom"
	[[ $output == "error: cannot write '$out.dir/nvme.prom': it is no regular file, "* ]]
	[ "$(ls -A "$out.dir")" = nvme.prom ]
	mkfifo "$out.fifo"
	run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out.fifo"
	[ -p "$out.fifo" ]
}

@test "one destination, no default address, and processes are no labels" {
	run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt"
	[[ $output == 'error: metrics: no destination is given; give --listen ADDR:PORT or -w FILE' ]]
	run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen 127.0.0.1:0 -w "$out"
	run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w -
	for key in pid comm; do
		run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out" --by "ctrl,$key"
	done
	for where in 127.0.0.1 :1 1.2.3:4 127.0.0.1:65536 127.0.0.1: '[::1:1' ::1:1 '[]:1' localhost:1 unix:; do
		run -2 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen "$where"
		[[ $output == "error: --listen '$where': "* ]]
	done
	run -5 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen fd
}

@test "controllers that -c leaves out have no series" {
	"$NVMETOOL" metrics --quiet -i "$DATA/cases/hung-read-6.1.nvt" -w "$out.prom"
	[ "$(grep -c '^nvmetool_timeouts_total{' "$out.prom")" = 5 ]
	"$NVMETOOL" metrics --quiet -i "$DATA/cases/hung-read-6.1.nvt" -c 3 -w "$out.prom"
	[ "$(grep '^nvmetool_timeouts_total{' "$out.prom")" = 'nvmetool_timeouts_total{controller="nvme3"} 0' ]
}

@test "more combinations than --max-series share (other), and are counted" {
	"$NVMETOOL" metrics --quiet -i "$DATA/mixed.nvt" --max-series 2 -w "$out.prom"
	[ "$(grep -c '^nvmetool_command_duration_seconds_count' "$out.prom")" = 3 ]
	others=$(sed -n 's/^nvmetool_command_duration_seconds_count{controller="(other)",device="(other)",operation="(other)"} //p' "$out.prom")
	[ "$others" -gt 0 ]
	grep -q "^nvmetool_lost_total{cause=\"keys_full\"} $others\$" "$out.prom"
	grep -q '^nvmetool_complete 0$' "$out.prom"
}

@test "--fail-if sees rows as latency does" {
	run -6 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out" --fail-if 'read.count>1'
	run -0 "$NVMETOOL" metrics -i "$DATA/load.nvt" -w "$out" --fail-if 'p50>3600s'
}

@test "the format is negotiated, and both formats have the same samples" {
	serve -i "$DATA/load.nvt"
	get -D "$out.head" >"$out.text"
	grep -qx $'Content-Type: text/plain; version=0.0.4; charset=utf-8\r' "$out.head"
	get -D "$out.head" -H 'Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1' >"$out.open"
	grep -qx $'Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r' "$out.head"
	[ "$(tail -n 1 "$out.open")" = '# EOF' ]
	# The process goes on; in a file its figures would be taken for those of node_exporter.
	diff <(grep -v '^#\|^process_' "$out.text") <(grep -v '^#\|^process_' "$out.open")
	"$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" -w "$out.file"
	grep -v '^\(# [A-Z]* \)\?process_' "$out.text" | cmp - "$out.file"
}

# bats test_tags=native
@test "the version is told, and what the process itself takes, by the names of Prometheus" {
	serve -i "$DATA/load.nvt"
	get >"$out.text"
	[ -z "$(promtool check metrics <"$out.text")" ]
	grep -qx "nvmetool_build_info{version=\"$("$NVMETOOL" --version | awk '{ print $2; exit }')\"} 1" "$out.text"
	value() { sed -n "s/^process_$1 //p" "$out.text"; }
	# In ticks of the clock, kilobytes, descriptors as /proc has them.
	python3 - "$server" "$(value cpu_seconds_total)" "$(value resident_memory_bytes)" "$(value start_time_seconds)" "$(value open_fds)" "$(value max_fds)" <<-'END'
		import os, sys, time
		pid, cpu, resident, start, fds, most = sys.argv[1], *map(float, sys.argv[2:])
		stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
		tick = os.sysconf("SC_CLK_TCK")
		used = (int(stat[11]) + int(stat[12])) / tick
		assert 0 < cpu <= used + 0.1, (cpu, used)
		pages = int(open(f"/proc/{pid}/statm").read().split()[1])
		assert resident / 2 < pages * os.sysconf("SC_PAGESIZE") < resident * 2, (resident, pages)
		began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + int(stat[19]) / tick
		assert abs(start - began) < 0.1, (start, began)
		# The connection of the scrape is closed by now.
		assert len(os.listdir(f"/proc/{pid}/fd")) in (fds, fds - 1), fds
		limit = [line.split()[3] for line in open(f"/proc/{pid}/limits") if line.startswith("Max open files")]
		assert most == int(limit[0]), most
	END
}

@test "compressed, the text is the same" {
	serve -i "$DATA/load.nvt"
	get -D "$out.head" -H 'Accept-Encoding: gzip' | gunzip >"$out.gzip"
	grep -qx $'Content-Encoding: gzip\r' "$out.head"
	get | grep -v '^process_' | cmp - <(grep -v '^process_' "$out.gzip")
	[ "$(sed -n $'s/^Content-Length: \\(.*\\)\r/\\1/p' "$out.head")" -lt "$(($(stat -c %s "$out.gzip") / 5))" ]
}

@test "HEAD has the head of GET, and nothing behind it" {
	serve -i "$DATA/load.nvt"
	get -D "$out.get" >/dev/null
	get -I >"$out.head"
	# The memory of the process may have a digit more.
	diff <(sed 's/^Content-Length: [1-9][0-9]*\r/Content-Length/' "$out.get") <(sed 's/^Content-Length: [1-9][0-9]*\r/Content-Length/' "$out.head")
}

@test "whatever else is asked for is refused" {
	serve -i "$DATA/load.nvt"
	while IFS='|' read -r status head; do
		# shellcheck disable=SC2059 # heads have escapes
		printf "$head" | python3 "$HTTP" raw "$port" >"$out"
		[[ $(head -n 1 "$out") == "HTTP/1.1 $status "* ]] || { echo "$head" && head -n 1 "$out" && false; }
	done <<-'END'
		404|GET / HTTP/1.1\r\n\r\n
		405|POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc
		505|GET /metrics HTTP/3.0\r\n\r\n
		400|GET /metrics\r\n\r\n
		400|\x16\x03\x01\x02\n\n
		200|GET /metrics HTTP/1.0\n\n
		200|GET http://x/metrics?a HTTP/1.1\r\n\r\n
	END
	grep -q '^nvmetool_complete 1$' "$out"
}

@test "a head of more than 8 KiB is refused, and its sender is told" {
	serve -i "$DATA/load.nvt"
	{ printf 'GET /metrics HTTP/1.1\r\nA: ' && head -c 1000000 /dev/zero | tr '\0' a; } |
		python3 "$HTTP" raw "$port" >"$out"
	[[ $(head -n 1 "$out") == 'HTTP/1.1 431 '* ]]
	{ printf 'GET /metrics HTTP/1.1\r\nA: ' && head -c 8162 /dev/zero | tr '\0' a && printf '\r\n\r\n'; } |
		python3 "$HTTP" raw "$port" >"$out"
	[[ $(head -n 1 "$out") == 'HTTP/1.1 200 '* ]]
}

@test "one who has closed his side gets the answer, one who asked for nothing gets none" {
	serve -i "$DATA/load.nvt"
	printf 'GET /metrics HTTP/1.1\r\n\r\n' | python3 "$HTTP" raw "$port" half >"$out"
	[ "$(tail -n 1 "$out")" = "$(get | tail -n 1)" ]
	printf 'GET /metrics HTTP/1.1\r\n' | python3 "$HTTP" raw "$port" half >"$out"
	[ ! -s "$out" ]
}

# bats test_tags=native
@test "a thousand connections, slow ones and silent ones: each scrape is answered within a second, memory stays" {
	# Sanitizers keep freed memory for a while.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1 serve -i "$DATA/load.nvt"
	run -0 python3 "$HTTP" crowd "$port" "$server"
	[ -z "$output" ]
}

@test "a connection that sends nothing is closed after five seconds" {
	serve -i "$DATA/load.nvt"
	run -0 python3 "$HTTP" idle "$port"
	[ "$output" -ge 4 ]
	[ "$output" -le 7 ]
}

@test "it serves until it is asked to end" {
	serve -i "$DATA/load.nvt"
	get >/dev/null
	kill -TERM "$server"
	wait "$server"
	run -7 get
}

@test "a unix socket; one that nobody listens to is replaced, others are not" {
	path=$BATS_TEST_TMPDIR/sock
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$path"
	exec {notes}< <(exec "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen "unix:$path" 2>&1 3>&-)
	servers+=($!)
	read -r line <&"$notes"
	[ "$line" = "nvmetool: listening on unix:$path" ]
	curl -sS --unix-socket "$path" http://x/metrics | grep -c '^nvmetool_complete 1$'
	run -1 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen "unix:$path"
	[[ $output == "error: cannot listen on unix:$path: "* ]]
	touch "$out.file"
	run -1 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen "unix:$out.file"
	[ -f "$out.file" ]
}

@test "a port that is taken is told" {
	serve -i "$DATA/load.nvt"
	run -1 "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen "127.0.0.1:$port"
	[[ $output == "error: cannot listen on 127.0.0.1:$port: Address "*"in use; "* ]]
}

@test "IPv6" {
	exec {notes}< <(exec "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen '[::1]:0' 2>&1 3>&-)
	servers+=($!)
	read -r line <&"$notes"
	[[ $line == 'nvmetool: listening on http://[::1]:'* ]] || skip 'this host has no IPv6'
	curl -sSg "${line#*on }" | grep -c '^nvmetool_complete 1$'
}

# bats test_tags=native
@test "systemd passes a socket" {
	port=$(free_port)
	systemd-socket-activate -l "127.0.0.1:$port" "$NVMETOOL" metrics -i "$DATA/load.nvt" --listen fd 2>"$out.err" 3>&- &
	servers+=($!)
	until_true grep -qi listening "$out.err"
	get | grep -c '^nvmetool_complete 1$'
	get | grep -c '^nvmetool_complete 1$'
}

# ask QUERY: the value that Prometheus gives, of the only series
ask()
{
	curl -sS --max-time 10 --data-urlencode "query=$1" "http://127.0.0.1:$prom/api/v1/query" | jq -r '.data.result[0].value[1] // empty'
}

asked()
{
	[ -n "$(ask "$1")" ]
}

# start_prometheus PORT...: lets it scrape these each second, sets $prom
start_prometheus()
{
	local targets

	targets=$(printf '"127.0.0.1:%s",' "$@")
	cat >"$out.yml" <<-END
		global: { scrape_interval: 1s }
		rule_files: ["$(realpath "$CMD/nvmetool.rules.yml")"]
		scrape_configs: [{ job_name: nvmetool, static_configs: [{ targets: [${targets%,}] }] }]
	END
	prom=$(free_port)
	prometheus --config.file="$out.yml" --storage.tsdb.path="$out.tsdb" --web.listen-address="127.0.0.1:$prom" \
		--log.level=warn 2>"$out.log" 3>&- &
	servers+=($!)
}

@test "Prometheus: counts equal those of latency, quantiles within a bucket, and two hosts add up" {
	serve -Q -i "$DATA/load.nvt"
	first=$port
	serve -i "$DATA/stream.nvt"
	start_prometheus "$first" "$port"
	for port in "$first" "$port"; do
		until_true asked "nvmetool_complete{instance=\"127.0.0.1:$port\"}"
	done
	"$NVMETOOL" latency --quiet -i "$DATA/load.nvt" --by none -O read --json --no-meta >"$out.one"
	one="nvmetool_command_duration_seconds_bucket{operation=\"read\",instance=\"127.0.0.1:$first\"}"
	for p in 50 90 99; do
		got=$(ask "histogram_quantile(0.$p, sum by (le) ($one))")
		# Edges are apart by at most a half of the lower one.
		jq -es --argjson got "$got" --arg p "p$p" '[.[] | select(.type == "latency")][0].pct_ns[$p] / 1e9 |
			$got >= . / 1.5 and $got <= . * 1.5' "$out.one"
	done
	[ "$(ask "sum(${one/_bucket/_count})")" = "$(jq -s '[.[] | select(.type == "latency").count] | add' "$out.one")" ]
	"$NVMETOOL" latency --quiet -Q -i "$DATA/load.nvt" --by none -O read --json --no-meta >"$out.queued"
	block=${one/command/block}
	[ "$(ask "sum(${block/_bucket/_count})")" = "$(jq -s '[.[] | select(.type == "latency").count] | add' "$out.queued")" ]
	[ "$(ask "round(sum(${block/_bucket/_sum}) * 1e9)")" = "$(jq -s '[.[] | select(.type == "latency").sum_ns] | add' "$out.queued")" ]
	"$NVMETOOL" latency --quiet -i "$DATA/load.nvt" -i "$DATA/stream.nvt" --by none --json --no-meta >"$out.two"
	jq -rs '.[] | select(.type == "latency").hist.buckets[] | @tsv' "$out.two" >"$out.buckets"
	for le in 0.000131072 0.001048576 +Inf; do
		[ "$(ask "sum by (le) (nvmetool_command_duration_seconds_bucket{le=\"$le\"})")" = \
			"$(awk -v le="$le" 'le == "+Inf" || $2 <= le * 1e9 + 0.5 { n += $3 } END { print n + 0 }' "$out.buckets")" ]
	done
}

# panels: title and expr of each query of the dashboard, with its variables filled in, a JSON object per line
panels()
{
	jq -c '.panels[] | .title as $title | .targets[] | { $title, expr: (.expr |
		gsub("\\$(instance|controller)"; ".*") | gsub("\\$__(rate_interval|range)"; "5m")) }' "$CMD/dashboard.json"
}

@test "the dashboard and the rules keep hosts and drives apart, with the figures of latency" {
	local hosts=() served=() nobody

	nobody=$(free_port)
	for file in load latency; do
		serve -Q -i "$DATA/$file.nvt"
		hosts+=("$port")
		served+=("127.0.0.1:$port=$out.$file")
		"$NVMETOOL" latency --quiet -i "$DATA/$file.nvt" --by ctrl,dev,opcode -P 50,99,99.9 --json --no-meta >"$out.$file"
	done
	start_prometheus "${hosts[@]}" "$nobody"
	for port in "${hosts[@]}"; do
		until_true asked "rate(nvmetool_complete{instance=\"127.0.0.1:$port\"}[5m])"
	done
	run -0 python3 "$BATS_TEST_DIRNAME/lib/fleet.py" "$CMD/dashboard.json" "$prom" "127.0.0.1:$nobody" "${served[@]}"
	[ -z "$output" ]
}

@test "each alert fires on series that are made for it, and none where all is well" {
	cp "$CMD/nvmetool.rules.yml" "$BATS_TEST_TMPDIR"
	worst=$(panels | jq -r 'select(.title == "Worst drives by p99").expr')
	sed "s/WORST/${worst//&/\\&}/" "$BATS_TEST_DIRNAME/lib/alerts.yml" >"$BATS_TEST_TMPDIR/alerts.yml"
	promtool check rules "$BATS_TEST_TMPDIR/nvmetool.rules.yml"
	promtool test rules "$BATS_TEST_TMPDIR/alerts.yml"
	# Each is among those that the test expects, and the limit of slow reads is an edge.
	sed -n 's/.*- alert: //p' "$CMD/nvmetool.rules.yml" | while read -r alert; do
		grep -q "alertname=\"$alert\"" "$BATS_TEST_DIRNAME/lib/alerts.yml"
	done
	"$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" -w "$out.prom"
	grep -o 'le="[^"]*"' "$CMD/nvmetool.rules.yml" | while read -r le; do
		grep -q "$le" "$out.prom"
	done
}

# block LANGUAGE: the block of README in this language
block()
{
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$CMD/README.md" | sed '1d; $d'
}

@test "README: Prometheus takes the configuration with its rules, systemd the other address, and it links to pages" {
	serve -i "$DATA/load.nvt"
	mkdir -p "$out.share"
	cp "$CMD/nvmetool.rules.yml" "$out.share"
	block yaml | sed "s|/usr/local/share/nvmetool|$out.share|; s/10.0.0.7:9966/127.0.0.1:$port/; s/15s/1s/" >"$out.yml"
	[ "$(grep -c "127.0.0.1:$port\|$out.share" "$out.yml")" = 2 ]
	run -0 promtool check config "$out.yml"
	[[ $output == *" 10 rules found"* ]]
	prom=$(free_port)
	prometheus --config.file="$out.yml" --storage.tsdb.path="$out.tsdb" --web.listen-address="127.0.0.1:$prom" \
		--log.level=warn 2>"$out.log" 3>&- &
	servers+=($!)
	until_true asked "nvmetool_complete{job=\"nvmetool\"}"
	until_true asked "nvmetool:slow_reads:ratio_rate5m or up{job=\"nvmetool\"}"
	# The units listen where they say, and with the block of README elsewhere.
	grep -qx 'ListenStream=127.0.0.1:9966' "$CMD/nvmetool-metrics.socket"
	mkdir -p "$out.units/nvmetool-metrics.socket.d"
	cp "$CMD"/nvmetool-metrics.* "$out.units"
	sed -i "s|/usr/bin/nvmetool|$(realpath "$NVMETOOL")|" "$out.units/nvmetool-metrics.service"
	block ini >"$out.units/nvmetool-metrics.socket.d/override.conf"
	run -0 systemd-analyze verify --man=no "$out.units/nvmetool-metrics.socket"
	[[ $output != *"override.conf"* ]]
	[ "$(block ini | xargs)" = "[Socket] ListenStream= ListenStream=10.0.0.7:9966" ]
	[ "$(wc -l <"$CMD/README.md")" -le 80 ]
	for link in $(grep -o '](\([^)]*\))' "$CMD/README.md" | tr -d '()]'); do
		[ -f "$CMD/$link" ]
	done
	grep -q '(cmd/metrics/README.md)' "$CMD/../../README.md"
}

@test "the units are such as systemd takes, and let the service do little" {
	cp "$CMD"/nvmetool-metrics.* "$BATS_TEST_TMPDIR"
	sed -i "s|/usr/bin/nvmetool|$(realpath "$NVMETOOL")|" "$BATS_TEST_TMPDIR/nvmetool-metrics.service"
	run -0 systemd-analyze verify --man=no "$BATS_TEST_TMPDIR"/nvmetool-metrics.{socket,service}
	[ -z "$output" ]
	systemd-analyze security --offline=true --threshold=29 "$BATS_TEST_TMPDIR/nvmetool-metrics.service" # tenths
}

# allowed SET: the system calls of a set of systemd, one a line
allowed()
{
	local word

	systemd-analyze syscall-filter "$1" | sed '1d; s/^ *//; /^#/d; /^$/d' | while read -r word; do
		case $word in
		@*) allowed "$word" ;;
		*) echo "$word" ;;
		esac
	done
}

# bats test_tags=native
@test "the service may do each system call that nvmetool does, and that its own filter allows" {
	sed -n 's/^SystemCallFilter=//p' "$CMD/nvmetool-metrics.service" | tr ' ' '\n' | while read -r word; do
		case $word in
		@*) allowed "$word" ;;
		*) echo "$word" ;;
		esac
	done | sort -u >"$out.allowed"
	strace -f -qq -o "$out.strace" "$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" --listen 127.0.0.1:0 --duration 1ms || true
	# A replay sets no filter and loads no program. Files of processes are no label.
	{
		printf '%s\n' seccomp bpf perf_event_open
		sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$out.strace"
		sed -nE '/CONFINE_USERS/d; s/^(CALL|ONLY)\([A-Z_]+, ([a-z0-9_]+).*/\2/p' "$BATS_TEST_DIRNAME/../../lib/host/confine.def"
	} | sort -u >"$out.done"
	grep -qx listen "$out.done"
	run -0 comm -13 "$out.allowed" "$out.done"
	[ -z "$output" ]
}

@test "node_exporter serves the file" {
	mkdir "$out.dir"
	"$NVMETOOL" metrics --quiet -i "$DATA/load.nvt" -w "$out.dir/nvme.prom"
	port=$(free_port)
	prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$out.dir" \
		--web.listen-address="127.0.0.1:$port" 2>"$out.err" 3>&- &
	servers+=($!)
	until_true get -o "$out.served" 2>/dev/null
	grep -qx 'node_textfile_scrape_error 0' "$out.served"
	diff <(as_json "$out.dir/nvme.prom" | sort) <(grep -E '^(#|nvmetool_)' "$out.served" >"$out" && as_json "$out" | sort)
}
