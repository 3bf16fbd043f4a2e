# SPDX-License-Identifier: GPL-2.0-or-later
# export -f fio and -f blktrace: fio replays a recording, and the drive's own log then has the same commands, each as long
# after the one before but for what fio is late: it waits from when it sent that one, so a late one delays all that follow.
# fio 3.33 replays trims from a blktrace alone, and all of one
# with trims without O_DIRECT, so they are replayed on their own.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1'
plan=12
seconds=46

. "$VM/lib/account.sh"

replay()
{
	fio --name=replay --read_iolog="$1" --ioengine=libaio --direct=1 --thread --output="$1.out" "${@:2}"
}

guest()
{
	local disk

	disk=$(disk_of lab0 1)
	attached record "$NVMETOOL" record -q io -w "$OUT/load.nvt"
	mark "$disk" 131
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=4k-32k --size=64M --ioengine=libaio --iodepth=4 \
		--rate_iops=50,50 --number_ios=400 --fsync=50 \
		--name=trims --filename="/dev/$disk" --rw=randtrim --bs=64k --size=64M --rate_iops=,,15 --number_ios=60
	mark "$disk" 132
	detach record
	check_eq "record ends well" "$status" 0
	"$NVMETOOL" export -f fio --map "$disk=/dev/$disk" -O read,write,flush -i "$OUT/load.nvt" >"$OUT/job.log" 2>"$OUT/export.err"
	check "what is lost is told" grep -q "will write to '/dev/$disk'" "$OUT/export.err"
	"$NVMETOOL" export -f blktrace -O dsm -i "$OUT/load.nvt" -w "$OUT/trims.blktrace.0"
	attached again "$NVMETOOL" record -q io -w "$OUT/again.nvt"
	mark "$disk" 133
	replay "$OUT/job.log" --iodepth=32
	mark "$disk" 134
	detach again
	replay "$OUT/trims.blktrace.0" --replay_redirect="/dev/$disk" --replay_no_stall=1
	mark "$disk" 135
}

# log FROM TO: commands between these marks as the drive took them, with their places
log()
{
	drive_log "$1" "$2"
	jq -c '[.opcode, if .range then .range[] else .slba, .nlb end]' "$OUT/drive.ndjson"
}

# times FILE: when the commands of a recording were sent, in nanoseconds since the first of them
times()
{
	"$NVMETOOL" trace --json -i "$OUT/$1.nvt" 2>/dev/null |
		jq -s 'map(select(.type == "io" and .op != "dsm") | .mono_ns - .lat_ns) | sort | .[] - .[0]'
}

# punctual: are half of the replayed commands as long after the one before as in the recording, within 2 ms? Without
# times in the file few would be: they are some 10 ms apart. That the file has each time exactly, million.bats shows.
punctual()
{
	paste <(times load) <(times again) | awk '{ step = ($2 - $1 - late) / 1e6; late = $2 - $1; near += step > -2 && step < 2 }
		END { print near " of " NR " within 2 ms, " late / NR / 1000 " us a command"; exit near * 2 < NR }'
}

host()
{
	log 131 132 >"$OUT/first"
	log 133 134 >"$OUT/second"
	log 134 135 >"$OUT/third"
	check "hundreds of commands" test "$(wc -l <"$OUT/first")" -ge 400
	for op in "reads 2" "writes 1" "flushes 0" "trims 9"; do
		check "with ${op% *}" grep -q "^\[${op#* }," "$OUT/first"
	done
	check "the places of trims are those of the drive's log" cmp <(grep '^\[9,' "$OUT/first" | sort) \
		<("$NVMETOOL" trace --json -O dsm -i "$OUT/load.nvt" | jq -c 'select(.slba) | [.opcode, .slba, .nlb]' | sort)
	check "the drive took the same commands again" cmp <(grep -v '^\[9,' "$OUT/first" | sort) <(sort "$OUT/second")
	check "and the same trims in the same order" cmp <(grep '^\[9,' "$OUT/first") <(grep '^\[9,' "$OUT/third")
	check "in no less time" test "$(times again | tail -n 1)" -ge $(($(times load | tail -n 1) * 95 / 100))
	check "within 2 ms of their time after the one before" punctual
}
