# SPDX-License-Identifier: GPL-2.0-or-later
# Exactness at size: so many commands as fast as four CPUs with a queue each can send them, into a file with the
# buffer that is the default. A test sets COMMANDS and MARK and reads this file; it has four checks.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

guest()
{
	local disk began_us

	disk=$(disk_of lab0 1)
	attached trace "$NVMETOOL" trace --json -w "$OUT/trace.json"
	mark "$disk" "$MARK"
	began_us=${EPOCHREALTIME/./}
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=512-4k --size=64M --io_size=1T --norandommap --ioengine=libaio \
		--iodepth=32 --gtod_reduce=1 --numjobs=4 --cpus_allowed=0-3 --cpus_allowed_policy=split --number_ios=$((COMMANDS / 4))
	diag "$((COMMANDS * 1000 / ((${EPOCHREALTIME/./} - began_us) / 1000))) commands a second, fio's start included"
	mark "$disk" "$((MARK + 1))"
	drained
	detach trace
	check_eq "ends well" "$status $(cat "$OUT/trace.err")" "0 "
}

host()
{
	drive_log "$MARK" "$((MARK + 1))"
	check "log of $COMMANDS commands, of which fio may leave one a job" test "$(wc -l <"$OUT/drive.ndjson")" -ge $((COMMANDS - 4))
	check "trace equals the drive's log, line by line" "$VM/compare" --from "$MARK" --to "$((MARK + 1))" \
		"$OUT/drive.ndjson" "$OUT/trace.json"
	check "the account: nothing lost" nothing_lost "$OUT/trace.json"
}
