#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Keys of --by that are recorded if --keys asks for them, owner, during, file and syncer, and sched, which always is.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

# rows FILE COMMAND KEYS FORMAT: a word for each row
rows()
{
	# shellcheck disable=SC2086 # a command and its options
	"$NVMETOOL" $2 -i "$1" --json --no-meta --by "$3" | jq -r 'select(.type != "summary") | "'"$4"'"' | sort | xargs
}

@test "cgroup is the owner where the recording tells it, else the submitter's, and it is said" {
	for command in latency top pattern "errors -s -a"; do
		# shellcheck disable=SC2086 # a command and its options
		diff <(rows "$DATA/keys.nvt" "$command" cgroup,opcode '\(.cgroup)(\(.cgroup_id)):\(.op)=\(.count)') \
			<(rows "$DATA/keys.nvt" "$command" owner,opcode '\(.owner)(\(.owner_id)):\(.op)=\(.count)')
		# shellcheck disable=SC2086 # a command and its options
		run -0 --separate-stderr "$NVMETOOL" $command --by cgroup -i "$DATA/keys.nvt"
		[[ $stderr != *writeback* ]]
	done
	for command in 'latency --by cgroup' 'latency --by comm,cgroup --table' 'top --view cgroup' 'pattern --by cgroup' \
		'errors -s -a --by cgroup' 'stacks --by cgroup'; do
		# shellcheck disable=SC2086 # a command and its options
		run -0 --separate-stderr "$NVMETOOL" $command "$DATA/report.nvt"
		[[ $stderr == *"owners"*"writeback counts for the cgroup of the kernel's worker: record --keys owner"* ]]
	done
	for command in 'latency --by comm' 'latency --by cgroup --quiet' 'stacks --by comm'; do
		# shellcheck disable=SC2086 # a command and its options
		run -0 --separate-stderr "$NVMETOOL" $command "$DATA/report.nvt"
		[[ $stderr != *writeback* ]]
	done
}

@test "of two recordings one of which has no owners cgroup is the submitter's in both" {
	[ "$(rows "$DATA/keys.nvt" latency cgroup,comm '\(.cgroup):\(.comm)')" = "/batch:fio /batch:kworker/u8:1 /db:kworker/u8:1" ]
	"$NVMETOOL" latency --json --by cgroup,comm "$DATA/keys.nvt" "$DATA/report.nvt" >"$out"
	[ "$(jq -r 'select(.comm == "kworker/u8:1").cgroup' "$out" | sort -u | xargs)" = / ]
}

@test "owner is who caused the write, not the worker that submitted it" {
	[ "$(rows "$DATA/keys.nvt" latency comm,cgroup,owner,opcode '\(.comm):\(.cgroup):\(.op)' | xargs -n 1 | sort -u | xargs)" = \
		"fio:/batch:read kworker/u8:1:/:write" ]
	[ "$(rows "$DATA/keys.nvt" latency owner,opcode '\(.owner)(\(.owner_id)):\(.op)=\(.count)')" = \
		"/batch(3):read=100 /batch(3):write=30 /db(2):write=70" ]
	[ "$(rows "$DATA/keys.nvt" pattern owner '\(.owner)=\(.bytes)')" = "/batch=174080 /db=286720" ]
}

@test "sched is the scheduler's name, or none" {
	[ "$(rows "$DATA/keys.nvt" latency sched '\(.sched)=\(.count)')" = "bfq=50 mq-deadline=50 none=100" ]
	[ "$(rows "$DATA/keys.nvt" pattern sched '\(.sched)=\(.count)')" = "bfq=50 mq-deadline=50 none=100" ]
	run "$NVMETOOL" latency -i "$DATA/keys.nvt" --by sched,owner --table
	[[ $output == *"OWNER "*"SCHED "* ]]
	[[ $output == *"/db "*"mq-deadline "*" 35 "* ]]
}

@test "during is the admin command that was in flight meanwhile, null where that is not known" {
	[ "$(rows "$DATA/keys.nvt" latency during,opcode '\(.during):\(.op)=\(.count)')" = \
		"-:read=60 -:write=100 get-log:read=10 identify:read=10 null:read=10 property-get:read=10" ]
	[ "$(rows "$DATA/keys.nvt" pattern during '\(.during)=\(.count)')" = "-=160 get-log=10 identify=10 null=10 property-get=10" ]
	run "$NVMETOOL" latency -i "$DATA/keys.nvt" --by opcode,during --table
	[[ $output == *"DURING "* ]]
	[[ $output == *" get-log "*" 10 "* ]]
}

# The number is the same, since the file system used it again: the generation tells the files apart.
@test "file is the file whose data moved under its last name, null where that is not proven" {
	[ "$(rows "$DATA/keys.nvt" latency file,opcode '\(.file)(\(.ino).\(.ino_gen)@\(.ino_dev)):\(.op)=\(.count)')" = \
		"/dev/nvme0n1(null.null@259:0):read=10 /srv/db(12.5@259:1):write=60 null(12.6@259:1):write=40 null(null.null@null):read=90" ]
	for command in pattern 'top 1h'; do
		# shellcheck disable=SC2086 # a command and its interval
		set -- $command
		[ "$("$NVMETOOL" "$1" -i "$DATA/keys.nvt" --json --no-meta --by file ${2:+"$2"} |
			jq -r 'select(.ino_dev == "259:1") | "\(.file)=\(.count // .iops)"' | sort | wc -l)" = 2 ]
	done
	run -0 "$NVMETOOL" latency -i "$DATA/keys.nvt" --by file --table
	[[ $output == *"FILE "* ]]
	[[ $output == *"/srv/db "*" 60 "* ]]
	[[ $output == *"ino:12.6 "*" 40 "* ]]
	[[ $output == *$'\n'"- "*" 90 "* ]]
}

@test "syncer is who waits for a flush or a write with FUA, null where nobody does" {
	[ "$(rows "$DATA/keys.nvt" latency syncer,opcode '\(.syncer)(\(.syncer_pid)):\(.op)=\(.count)')" = \
		"mysqld(310):write=30 mysqld(311):write=10 null(null):read=100 null(null):write=60" ]
	[ "$("$NVMETOOL" top 1h -i "$DATA/keys.nvt" --json --no-meta --by syncer | jq -r 'select(.syncer) | .syncer_pid' | sort | xargs)" = "310 311" ]
	run -0 "$NVMETOOL" latency -i "$DATA/keys.nvt" --by syncer --table
	[[ $output == *"SYNCER "* ]]
	[[ $output == *" 310 mysqld "*" 30 "* ]]
	"$NVMETOOL" trace -i "$DATA/keys.nvt" --json --no-meta | jq -es 'map(select(.type == "io") | [.syncer, .syncer_pid, .syncers]) |
		group_by(.) | map([.[0], length]) == [[[null, null, null], 160], [["mysqld", 310, 2], 30], [["mysqld", 311, 1], 10]]'
	run -0 --separate-stderr "$NVMETOOL" trace -W -i "$DATA/keys.nvt"
	[[ ${lines[0]} == *" SYNCER "* ]]
	[ -z "$stderr" ]
	[ "$(grep -c ' mysqld ' <<<"$output")" = 40 ]
}

@test "trace -W shows the file of a recording that has it" {
	"$NVMETOOL" trace -i "$DATA/keys.nvt" --json --no-meta |
		jq -es 'map(select(.type == "io") | [.file, .ino, .ino_gen, .ino_dev]) | unique == [[null, null, null, null], [null, 12, 6, "259:1"],
			["/dev/nvme0n1", null, null, "259:0"], ["/srv/db", 12, 5, "259:1"]]'
	run -0 --separate-stderr "$NVMETOOL" trace -W -i "$DATA/keys.nvt"
	[[ ${lines[0]} == *" FILE "* ]]
	[ -z "$stderr" ]
	[ "$(grep -c ' /srv/db ' <<<"$output")" = 60 ]
	[ "$(grep -c ' ino:12.6 ' <<<"$output")" = 40 ]
}

@test "pattern counts at completion, which alone tells what was in flight meanwhile" {
	run --separate-stderr "$NVMETOOL" pattern -i "$DATA/keys.nvt" --by during --at issue
	[ "$status" = 2 ]
	[[ $stderr == "error: --at issue with --min-lat, --status or --by during: "* ]]
}

@test "a recording of a recording keeps them" {
	"$NVMETOOL" record -i "$DATA/keys.nvt" -w "$out"
	diff <(rows "$DATA/keys.nvt" latency owner,sched,during,file,syncer,opcode '\(.)') <(rows "$out" latency owner,sched,during,file,syncer,opcode '\(.)')
	run --separate-stderr "$NVMETOOL" latency -i "$DATA/mixed.nvt" --by sched
	[ "$status" = 5 ]
	[ "$stderr" = "error: I/O schedulers: not in the recording; record again with this version" ]
	for key in owner during file syncer; do
		run --separate-stderr "$NVMETOOL" latency -i "$DATA/mixed.nvt" --by "$key"
		[ "$status" = 5 ]
		[[ $stderr == "error: "*"(record --keys $key): not in the recording; record again with it, or drop the option" ]]
	done
}

# Each file numbers them from 0 on.
@test "of two recordings the schedulers are told apart by name" {
	"$NVMETOOL" record -i "$DATA/keys.nvt" --keys owner,sched -O write --lba 0-99 -w "$out"
	"$NVMETOOL" record -i "$DATA/keys.nvt" --keys owner,sched -O write --lba 100-1000 -w "$out.2"
	"$NVMETOOL" latency -i "$out" -i "$out.2" --by sched --json --no-meta |
		jq -es 'map(select(.type == "latency") | [.sched, .count]) | sort == [["bfq", 50], ["mq-deadline", 50]]'
}

@test "each key that is offered has a column" {
	local -i n=0

	for command in latency top "errors -s -a" pattern; do
		while read -r key; do
			# shellcheck disable=SC2086 # a command and its options
			"$NVMETOOL" $command -i "$DATA/keys.nvt" --by "$key" --csv 2>"$out" | head -n 1 | tr -d '\r' | tr , '\n' | grep -qxE "$key|nsid|op" ||
				{ echo "$command --by $key: $(cat "$out")"; false; }
			n+=1
		done < <("$NVMETOOL" __complete "${command%% *}" --by "" | cut -f1 | grep -vx none)
	done
	[ "$n" -gt 40 ]
}

@test "calls of functions have none" {
	for key in owner sched during file syncer; do
		run --separate-stderr "$NVMETOOL" stacks --probe nvme_queue_rq --by "$key"
		[ "$status" = 2 ]
	done
}
