#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report on a million commands of 600 tasks: it takes less than 5 s of a CPU and less than 64 MB, loses nothing, and the
# page is less than 2 MB. export of a minute: no time is off.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
	cd "$BATS_TEST_DIRNAME/../.." || return
	page=$BATS_TEST_TMPDIR/page.html
	recording=$BATS_TEST_TMPDIR/million.nvt
}

# made COMMANDS PROCESSES: a recording as tests/data/report.nvt, of so many
made()
{
	make_recording "$recording" -DCOMMANDS="$1" -DPROCESSES="$2"
}

# bounded SECONDS KILOBYTES COMMAND...: fails when it takes more of a CPU, or memory, or fails itself
bounded()
{
	python3 - "$@" <<-'EOF'
		import resource, subprocess, sys

		seconds, kilobytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
		status = subprocess.run(command).returncode
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(f"{used.ru_utime + used.ru_stime:.1f} s of CPU, {used.ru_maxrss} KB")
		sys.exit(status or used.ru_utime + used.ru_stime > seconds or used.ru_maxrss > kilobytes)
	EOF
}

@test "a million commands: time and memory of report, and the size of its page" {
	made 1000000 200
	"$NVMETOOL" info --json --no-meta "$recording" | jq -es '.[0] | .commands == 999997 and .whole and .complete'
	bounded 5 65536 "$NVMETOOL" report --strict -i "$recording" --utc -w "$page"
	[ "$(stat -c %s "$page")" -lt 2000000 ]
	[ "$(python3 tests/cli/lib/page.py "$page" cells 'Latency of all commands')" = 999997 ]
	# The bound is one that can be broken.
	run bounded 5 4096 "$NVMETOOL" report -i "$recording" -w "$page.2"
	[ "$status" != 0 ]
}

# fio itself is later with each command of any log: it waits from when it sent the one before.
@test "export: after 70 s the times of fio's log are still those of the recording, in whole microseconds" {
	made 70000 3
	"$NVMETOOL" export -f fio -i "$recording" 2>/dev/null | grep -E ' (read|write) ' | cut -d ' ' -f 1,3- >"$page.log"
	sort -n -c -k 1,1 "$page.log"
	[ "$(tail -n 1 "$page.log" | cut -d ' ' -f 1)" -gt 69000000 ]
	"$NVMETOOL" trace --json -i "$recording" |
		jq -r 'select(.type == "io") | "\(.mono_ns - .lat_ns) \(.op) \(.slba * (.bytes / .nlb)) \(.bytes)"' | sort -n |
		awk 'NR == 1 { first = $1 } { $1 = int(($1 - first) / 1000) + 1; print }' | sort >"$page.theirs"
	[ "$(wc -l <"$page.theirs")" = 69997 ]
	sort "$page.log" | cmp - "$page.theirs"
}

@test "a recording that is made up is the one of tests/data" {
	made 600 3
	cmp "$recording" tests/data/report.nvt
}
