#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report on recordings of a model of a drive, by rates: tests/model. Seeds are odd: even ones are for tuning.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

MODEL=tests/model

setup()
{
	load tree.bash
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# said LABEL FINDING...: "found right innocent beside false" of the judgement, 0 or 1 each
said()
{
	local finding

	jq -n "$1" >"$BATS_TEST_TMPDIR/label"
	for finding in "${@:2}"; do
		jq -nc "{seed: 1, type: \"finding\", severity: \"high\", from_ns: null, to_ns: null, with: [], text: \"\"} + $finding"
	done >"$BATS_TEST_TMPDIR/said"
	jq -r --slurpfile said "$BATS_TEST_TMPDIR/said" -f "$MODEL/judge.jq" "$BATS_TEST_TMPDIR/label" |
		jq -r '[.found, .right, .innocent, .beside, .false] | map(if . then 1 else 0 end) | join(" ")'
}

LABEL='{seed: 1, kind: "x", sick: true, kinds: ["slow"], events: [], event_needed: false, may_be_silent: false, any_device: false,
	begin_ns: 0, end_ns: 10e9, from_ns: 4e9, to_ns: 6e9, event_op: "", culprits: [{dev: "nvme0n1", comm: "tar", owner: ""}],
	victims: [{dev: "nvme0n1", op: "read", comm: "postgres"}]}'
SLOW='{kind: "slow", dev: "nvme0n1", op: "read", comm: "postgres", from_ns: 4.1e9, to_ns: 6e9}'

@test "judge: kind, device, victim and time must be those of the label" {
	local change

	[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\"}]}")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {dev: \"nvme0\", op: null, comm: null, with: [{comm: \"tar\"}]}")" = '1 1 0 0 0' ]
	for change in 'kind: "tail"' 'dev: "nvme0n2"' 'dev: null' 'op: "write"' 'comm: "tar"' 'from_ns: null, to_ns: null' 'from_ns: 7e9, to_ns: 9e9'; do
		[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\"}], $change}")" = '0 0 0 1 0' ]
	done
	[ "$(said "$LABEL" "$SLOW + {kind: \"tail\"}" "$SLOW + {kind: \"tail\"}" "$SLOW + {with: [{comm: \"tar\"}]}")" = '0 0 0 1 0' ]
	[ "$(said "$LABEL")" = '0 0 0 0 0' ]
}

@test "judge: the culprit and nobody else" {
	[ "$(said "$LABEL" "$SLOW")" = '1 0 0 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\"}, {comm: \"git\"}]}")" = '1 0 1 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {severity: \"low\", with: [{comm: \"git\"}]}")" = '1 0 0 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\"}]}" "$SLOW + {kind: \"flush-load\", comm: \"git\"}")" = '1 1 1 1 0' ]
	[ "$(said "$LABEL + {culprits: []}" "$SLOW")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL + {culprits: []}" "$SLOW + {with: [{comm: \"tar\"}]}")" = '1 0 1 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\", dev: \"nvme0n1\"}]}")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL" "$SLOW + {with: [{comm: \"tar\", dev: \"nvme0n2\"}]}")" = '1 0 1 0 0' ]
	[ "$(said "$LABEL + {may_be_silent: true}" "$SLOW")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL + {culprits: [{dev: \"nvme0n1\", comm: \"kworker/1\", owner: \"/a/backup.service\"}]}" \
		"$SLOW + {with: [{comm: \"writeback of backup.service\"}]}")" = '1 1 0 0 0' ]
}

@test "judge: an event that did it, and one that did not" {
	local admin='culprits: [], event_op: "format"'

	[ "$(said "$LABEL + {$admin, event_needed: true}" "$SLOW + {with: [{event: \"admin\", op: \"format\"}]}")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL + {$admin, event_needed: true}" "$SLOW + {with: [{event: \"admin\", op: \"get-log\"}]}")" = '1 0 1 0 0' ]
	[ "$(said "$LABEL + {$admin, event_needed: true}" "$SLOW")" = '1 0 0 0 0' ]
	[ "$(said "$LABEL + {culprits: [], events: [\"scheduler\"]}" "$SLOW + {with: [{event: \"scheduler\"}]}")" = '1 1 0 0 0' ]
	[ "$(said "$LABEL + {culprits: []}" "$SLOW + {with: [{event: \"scheduler\"}]}")" = '1 0 1 0 0' ]
}

@test "judge: a healthy load has nothing above low" {
	local healthy="$LABEL + {sick: false, kinds: [], culprits: [], victims: []}"

	[ "$(said "$healthy")" = '0 0 0 0 0' ]
	[ "$(said "$healthy" "$SLOW + {severity: \"low\"}")" = '0 0 0 0 0' ]
	[ "$(said "$healthy" "$SLOW")" = '0 0 0 0 1' ]
}

@test "table: thresholds count whole recordings" {
	local line=$'tail\t1\t1\t%d\t%d\t0\t0\t0\n' well=$'h-mix\t0\t0\t0\t0\t0\t%d\t0\n'

	# of_table RIGHT INNOCENT FALSE: of 50 sick and 50 healthy ones
	of_table()
	{
		local i

		for ((i = 0; i < 50; i++)); do
			# shellcheck disable=SC2059 # the formats are above
			printf "$line$well" $((i < $1)) $((i < $2)) $((i < $3))
		done | awk -v strict=yes -v order=$'tail\nh-mix' -f "$MODEL/table.awk"
	}
	run -0 of_table 47 1 1
	[[ $output == *"50 sick: 50 found (100.0 %), 47 right (94.0 %)"*"50 healthy: 1 false (2.0 %)"*"1 with innocents named (1.0 %)"* ]]
	run -0 of_table 46 1 1
	run ! of_table 45 1 1
	run ! of_table 47 2 1
	run ! of_table 47 1 2
}

@test "model: a seed makes the same recording again, and every other one is sick" {
	mkdir "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	"${O:-build}/model" 1 4 "$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/labels"
	"${O:-build}/model" 1 4 "$BATS_TEST_TMPDIR/b" >/dev/null
	diff -r "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	[ "$(jq -c '[.seed, .sick]' "$BATS_TEST_TMPDIR/labels" | tr '\n' ' ')" = '[1,true] [3,false] [5,true] [7,false] ' ]
}

@test "model: the recording has what the label says" {
	"${O:-build}/model" -k tail 1 1 "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/label"
	"$NVMETOOL" trace --json --quiet -i "$BATS_TEST_TMPDIR/1.nvt" | jq -s --slurpfile truth "$BATS_TEST_TMPDIR/label" '
		[.[] | select(.type == "io")] as $io | $truth[0].victims | length > 0 and all(.[]; . as $v |
		    [$io[] | select(.dev == $v.dev and .op == $v.op and .comm == $v.comm and
		        .bytes >= $v.from_bytes and .bytes < 4 * $v.from_bytes) | .lat_ns / 1000] |
		    (length - $v.n | fabs) <= 2 and (add / length - $v.mean_us | fabs) < 0.02 * $v.mean_us)' | grep -qx true
}

@test "model: report is right about 100 recordings" {
	need_release_binary
	"$MODEL/rates.sh" -t -v -s 1 -n 50
	"$MODEL/rates.sh" -t -v -s 101 -n 50 -e -x
}

# bats test_tags=all
@test "model: report is right about 1200 recordings" {
	need_release_binary
	"$MODEL/rates.sh" -t -v -s 201 -n 400
	"$MODEL/rates.sh" -t -v -s 201 -n 400 -e
	"$MODEL/rates.sh" -t -v -s 201 -n 400 -e -x
}
