# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by tests of the flight recorder; topology errors.
# shellcheck shell=bash disable=SC2154 # variables of the lab

fail_read()
{
	! dd if="/dev/$disk" of=/dev/null bs=512 skip=1000 count=1 iflag=direct 2>/dev/null
}

# said NAME COUNT TEXT: waits until its messages have so many lines with TEXT
said()
{
	until [ "$(grep -c "$3" "$OUT/$1.err")" -ge "$2" ]; do
		sleep 0.02
	done
}

# The drive holds one read back for 200 ms.
stall()
{
	quiet_monitor 'qemu-io lab0n1 "break read_aio A"'
	sleep 0.2
	until quiet_monitor 'qemu-io lab0n1 "resume A"'; do
		sleep 0.02
	done
}

# rows FILE: commands of a recording, into FILE.rows, with the summary
rows()
{
	"$NVMETOOL" trace --json -i "$1" -w "$1.rows" 2>/dev/null
}

# keys FILE: the commands in it, without marks
keys()
{
	jq -c 'select(.opcode and .opcode != 9) | [.qid, .cid, .opcode, .slba, .nlb, .status]' "$1" | sort
}

# missing FROM TO FILE: commands of the drive's log between these marks that are not in FILE.rows. The order at the
# marks may be another one there, but both lie within.
missing()
{
	drive_log "$1" "$2" || echo "no such part of the drive's log"
	keys "$OUT/drive.ndjson" >"$OUT/log.$1"
	comm -23 "$OUT/log.$1" <(keys "$3.rows")
}

# about FILE: what info says of it
about()
{
	"$NVMETOOL" info --json --no-meta "$1"
}
