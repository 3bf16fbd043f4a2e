# SPDX-License-Identifier: GPL-2.0-or-later
# export -f fio: fio replays a recording, and the drive's own log then has the same commands in the same order and, but for
# what a guest that shares its CPU is late, at the same times.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1'
plan=5

. "$VM/lib/account.sh"

guest()
{
	local disk

	disk=$(disk_of lab0 1)
	attached record "$NVMETOOL" record -q io -w "$OUT/load.nvt"
	mark "$disk" 131
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=4k-32k --size=64M --ioengine=libaio --iodepth=4 \
		--rate_iops=50,50 --number_ios=600
	mark "$disk" 132
	detach record
	check_eq "record ends well" "$status" 0
	"$NVMETOOL" export -f fio --map "$disk=/dev/$disk" -i "$OUT/load.nvt" >"$OUT/job.log" 2>"$OUT/export.err"
	check "what is lost is told" grep -q "will write to '/dev/$disk'" "$OUT/export.err"
	attached again "$NVMETOOL" record -q io -w "$OUT/again.nvt"
	mark "$disk" 133
	fio --name=replay --read_iolog="$OUT/job.log" --ioengine=libaio --iodepth=32 --direct=1 --thread --output="$OUT/fio"
	mark "$disk" 134
	detach again
}

# log FROM TO: reads, writes and flushes between these marks as the drive took them
log()
{
	drive_log "$1" "$2"
	jq -c 'select(.opcode < 3) | [.opcode, .slba, .nlb]' "$OUT/drive.ndjson"
}

# seconds FILE: from the first submission to the last
seconds()
{
	"$NVMETOOL" trace --json -i "$OUT/$1.nvt" 2>/dev/null |
		jq -s 'map(select(.type == "io" and .opcode < 3) | .mono_ns - .lat_ns) | (max - min) / 1e9'
}

host()
{
	log 131 132 >"$OUT/first"
	log 133 134 >"$OUT/second"
	check "hundreds of commands" test "$(wc -l <"$OUT/first")" -ge 600
	check "the drive took the same commands again" cmp <(sort "$OUT/first") <(sort "$OUT/second")
	check_near "over the same time" "$(seconds again)" "$(seconds load)" 5
}
