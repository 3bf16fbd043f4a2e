#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# latency -H rows of two hosts, merged by SQL engines with the statements of tests/fleet/README.md: bucket for bucket
# and percentile for percentile what latency -i A -i B has.

# shellcheck disable=SC2154 # data.bash sets out
bats_require_minimum_version 1.5.0
load lib/data.bash

PROGRAM=$NVMETOOL # may be relative
PAGE=$BATS_TEST_DIRNAME/../fleet/README.md

# Rows of two hosts, and of a third that has nothing but a command past the range.
setup_file()
{
	local by=(-A --by "ctrl,opcode") NVMETOOL

	NVMETOOL=$(realpath "$PROGRAM")
	cd "$BATS_FILE_TMPDIR" || return
	"$NVMETOOL" latency -i "$DATA/latency.nvt" "${by[@]}" -H rows --csv -w a.csv
	"$NVMETOOL" latency -i "$DATA/stream.nvt" "${by[@]}" -H rows --csv -w b.csv
	{ head -n 1 a.csv && printf 'c,2026-01-01T00:00:00.000000000Z,1,0,nvme0,verify,12,false,68719476736,,1\r\n'; } >c.csv
	"$NVMETOOL" latency -i "$DATA/latency.nvt" -i "$DATA/stream.nvt" -A --by opcode -P 99 --json >all.json
	jq -r 'select(.type == "latency") | .op as $op | .hist.buckets[] | [$op] + . | map(tostring) | join(",")' all.json |
		LC_ALL=C sort >merged
	# The percentile of nvmetool is the same edge, but not beyond the maximum.
	jq -r 'select(.type == "latency") | . as $row | reduce .hist.buckets[] as $b ({ seen: 0 };
		.seen += $b[2] | if .edge == null and .seen * 100 >= $row.count * 99 then .edge = $b[1] else . end) |
		if ([.edge, $row.max_ns] | min) == $row.pct_ns.p99 then [$row.op, $row.count, .edge] | map(tostring) | join(",")
		else error("p99") end' all.json | LC_ALL=C sort >p99
	[ -s merged ]
	[ -s p99 ]
	echo verify,68719476736,,1 >>merged
	echo verify,1, >>p99
}

# block HEADING [N]: the code of the first, or Nth, block below that heading of the page
block()
{
	awk -v heading="## $1" -v n="${2:-1}" '/^## / { here = $0 == heading; seen = 0; next }
		here && /^```/ { inside = !inside; seen += inside; next }
		here && inside && seen == n { print }' "$PAGE" | grep .
}

# same FILE: stdin has the lines of FILE, in whatever order
same()
{
	LC_ALL=C sort | diff <(LC_ALL=C sort "$BATS_FILE_TMPDIR/$1") -
}

@test "sqlite3" {
	cd "$BATS_FILE_TMPDIR"
	{ block sqlite3 && echo .import --csv --skip 1 c.csv buckets && block sqlite3 | tail -n 1; } >"$out.load"
	{ cat "$out.load" && block "The merged histogram"; } | sqlite3 -bail -csv | tr -d '\r' | same merged
	{ cat "$out.load" && block "A percentile"; } | sqlite3 -bail -csv | tr -d '\r' | same p99
}

# duckdb: runs the statements on stdin and prints the rows of the last one as CSV.
duckdb()
{
	python3 "$BATS_TEST_DIRNAME/lib/duck.py" "$library"
}

# bats test_tags=all
@test "DuckDB, through Parquet and back" {
	library=$("$BATS_TEST_DIRNAME/../fleet/duckdb.sh" 2>"$out") || {
		[ $? = 4 ] && skip "$(tail -n 1 "$out")"
		cat "$out" && false
	}
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/*.csv .
	{ block DuckDB && block "The merged histogram"; } | duckdb | same merged
	rm "$BATS_TEST_TMPDIR"/*.csv
	{ block DuckDB | tail -n 1 && block "A percentile"; } | duckdb | same p99
}

# A server of this test alone, on a port that was free a moment ago; $port is set.
start_clickhouse()
{
	local dir=$BATS_TEST_TMPDIR/clickhouse

	mkdir "$dir"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >"$dir.xml" <<-END
		<yandex>
			<logger><level>warning</level><console>1</console></logger>
			<path>$dir/</path><tmp_path>$dir/tmp/</tmp_path>
			<listen_host>127.0.0.1</listen_host><tcp_port>$port</tcp_port>
			<mark_cache_size>5368709</mark_cache_size>
			<users><default><password/><networks><ip>127.0.0.1</ip></networks>
				<profile>default</profile><quota>default</quota></default></users>
			<profiles><default/></profiles><quotas><default/></quotas>
		</yandex>
	END
	clickhouse-server --config-file="$dir.xml" >"$dir.log" 2>&1 3>&- &
	server=$!
	until clickhouse-client --query 'SELECT 1' >"$out" 2>&1; do
		kill -0 "$server" || { cat "$dir.log" && return 1; }
		sleep 0.1
	done
}

clickhouse-client()
{
	command clickhouse-client --host 127.0.0.1 --port "$port" "$@"
}

teardown()
{
	[ -z "${server:-}" ] || kill "$server"
	wait
}

# clickhouse: runs the statement on stdin, prints CSV.
clickhouse()
{
	clickhouse-client --query "$(tr -d ';')" | sed 's/\\N//g; s/\t/,/g'
}

@test "ClickHouse" {
	start_clickhouse
	cd "$BATS_FILE_TMPDIR"
	eval "$(block ClickHouse)"
	block "The merged histogram" | clickhouse | same merged
	block ClickHouse 2 | clickhouse | same p99
}
