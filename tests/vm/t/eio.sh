# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's errors: a block that cannot be read fails in the drive, in its log and in the kernel.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
plan=5

read_block()
{
	dd if="/dev/$1" of=/dev/null bs="$2" skip="$3" count=1 iflag=direct 2>/dev/null
}

guest()
{
	local one four

	one=$(disk_of lab0 1) four=$(disk_of lab0 2)
	mark "$one" 1
	check "LBA 999 can be read" read_block "$one" 512 999
	check "LBA 1000 cannot" fails read_block "$one" 512 1000
	check "LBA 500 of 4 KiB cannot" fails read_block "$four" 4096 500
	mark "$one" 2
}

host()
{
	drive_log 1 2
	# The driver tries six times (nvme_core.max_retries 5); status 0x281: media error, unrecovered read.
	check_eq "attempts and status" \
		"$(jq -r '"\(.nsid):\(.slba)+\(.nlb)=\(.status)"' "$OUT/drive.ndjson" | sort | uniq -c | xargs)" \
		"6 1:1000+1=641 1 1:999+1=0 6 2:500+1=641"
	check_eq "no command is without an end" "$(jq -c 'select(.status == null)' "$OUT/drive.ndjson")" ""
}
