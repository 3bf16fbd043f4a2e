# SPDX-License-Identifier: GPL-2.0-or-later
# pattern against fio loads of known shape: shares, streams, directions, sizes and alignment; a recording of the same
# run says the same.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=two
test='6.1'
plan=35
seconds=20

. "$VM/lib/account.sh"

# The loads of the first namespace run on one CPU: two tools, each with its own clock reads, then agree on the order of
# all commands, and so on every seek.

# shape NAME ARGS...: a load, then a report of the run so far by `pattern`, in the order of rows.
shape()
{
	fio_load "$1" --filename="/dev/$disk" --bs=4k --thread --cpus_allowed=0 "${@:2}"
	drained
	echo "$1" >>"$OUT/shapes"
	report each USR1 "$(($(wc -l <"$OUT/shapes") - 1))"
}

# jobs NAME N: as many sequential readers, each in its own place
jobs()
{
	shape "$1" --rw=read --numjobs="$2" --ioengine=psync --size=16m --offset_increment=16m \
		--number_ios=250 --cpus_allowed=0-1
}

guest()
{
	local disk tables=(-a --json --by 'dev,comm,opcode')

	disk=$(disk_of lab0 1)
	attached each "$NVMETOOL" pattern -a --json --comm 'fio*'
	attached issue "$NVMETOOL" pattern "${tables[@]}"
	attached complete "$NVMETOOL" pattern --at complete "${tables[@]}"
	attached recorded "$NVMETOOL" record -w "$OUT/run.nvt"
	mark "$disk" 1
	shape seq --rw=read --ioengine=libaio --iodepth=8 --number_ios=2000
	shape random --rw=randread --ioengine=libaio --iodepth=8 --number_ios=2000 --norandommap
	mark "$disk" 2
	shape mix --rw=randread --percentage_random=30 --ioengine=libaio --iodepth=4 --number_ios=6000 --norandommap
	mark "$disk" 3
	shape readwrite --rw=randrw --rwmixread=70 --ioengine=libaio --iodepth=8 --number_ios=6000 --norandommap
	shape backward --rw=read:-8k --ioengine=psync --size=64m --number_ios=1000
	shape strided --rw=read:60k --ioengine=psync --size=512m --number_ios=1000
	shape sizes --rw=randread --bssplit=4k/50:8k/20:12k/10:64k/20 --ioengine=psync --number_ios=1000 \
		--write_lat_log="$OUT/sizes" --log_offset=1
	disk=$(disk_of lab0 2)
	jobs two 2
	jobs four 4
	jobs sixteen 16
	shape misaligned --rw=write --bs=16k --offset=4k --ioengine=psync --number_ios=1000
	for name in each issue complete recorded; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	"$NVMETOOL" pattern -i "$OUT/run.nvt" "${tables[@]}" >"$OUT/issue.replay"
	"$NVMETOOL" pattern -i "$OUT/run.nvt" --at complete "${tables[@]}" >"$OUT/complete.replay"
	misaligned
}

# A namespace of 4 KiB blocks: no limit of the drive is violated, but nothing lies at a multiple of its size.
misaligned()
{
	local row

	row=$(jq -c 'select(.type == "pattern" and .seq == 10)' "$OUT/each.out")
	check_eq "misaligned: addresses are odd multiples of 4 KiB" "$(jq -c '.align' <<<"$row")" '[[4096,8192,1000]]'
	check_eq "misaligned: to their own size, not to the drive" \
		"$(jq -c '[.limits.own, .limits.lba, .unaligned]' <<<"$row")" \
		'[{"bytes":16384,"checked":1000,"off":1000},{"bytes":4096,"checked":1000,"off":0},0]'
	check_eq "limits are those of sysfs" "$(jq -c '.limits | [.physical.bytes, .npwg.bytes]' <<<"$row")" \
		"[$(cat "/sys/block/$disk/queue/physical_block_size"),$(cat "/sys/block/$disk/queue/minimum_io_size")]"
}

# row NAME: the record of that load
row()
{
	jq -c --argjson seq "$(($(grep -nx "$1" "$OUT/shapes" | cut -d: -f1) - 1))" \
		'select(.type == "pattern" and .seq == $seq)' "$OUT/each.out"
}

# is NAME WHAT CONDITION: a condition in jq on that record
is()
{
	check "$1: $2" holds "$1" "$3"
}

holds()
{
	row "$1" | jq -c 'del(.seeks, .sizes)'
	row "$1" | jq -e "$2" >/dev/null
}

# figures FILE: rows without what depends on when it was printed, or on the order of several CPUs
figures()
{
	jq -cS 'select(.type == "pattern") | del(.ts, .time_ns, .interval_ns) | if .limits.lba.bytes == 4096 then del(.seeks, .seq_pct, .rnd_pct, .streams, .strided, .backward) else . end' "$1"
}

# Share of reads that start where the one before ended, in percent, as the drive saw it.
drive_sequential()
{
	jq -r 'select(.op == "read") | "\(.slba) \(.nlb)"' "$OUT/drive.ndjson" |
		awk '{ n += NR > 1 && $1 == end; end = $1 + $2 } END { printf "%.2f\n", n * 100 / (NR - 1) }'
}

host()
{
	local n

	is seq "all of it" '.count == 2000 and .reads == 2000 and .seq_pct >= 99.9 and .streams == 1'
	is seq "no other kind" '.backward == 0 and .strided == 0 and .bytes == 2000 * 4096'
	is random "nothing of it" '.count == 2000 and .rnd_pct >= 99 and .streams == 0'
	drive_log 2 3
	is mix "70 of 100, within 1" '.count == 6000 and .seq_pct >= 69 and .seq_pct <= 71'
	check "mix: the drive's log says so too" awk -v drive="$(drive_sequential)" \
		-v ours="$(row mix | jq .seq_pct)" 'BEGIN { exit !(ours - drive < 1 && drive - ours < 1) }'
	is readwrite "70 of 100 are reads, within 1" '.count == 6000 and .read_pct >= 69 and .read_pct <= 71'
	check_eq "readwrite: reads and writes are fio's" "$(row readwrite | jq -c '[.reads, .writes]')" \
		"$(jq -c '[.jobs[0].read.total_ios, .jobs[0].write.total_ios]' "$OUT/readwrite.json")"
	for n in two:2 four:4 sixteen:16; do
		is "${n%:*}" "interleaved streams are sequential" ".count == 250 * ${n#*:} and .seq_pct >= 99"
		is "${n%:*}" "and all are counted" ".streams == ${n#*:}"
	done
	is backward "each ends where one began" '.count == 1000 and .backward >= 990 and .rnd_pct >= 99'
	is strided "all but the first have the same gap" '.count == 1000 and .strided >= 990 and .seq_pct <= 1'
	is strided "seeks are as long as the gap" '[.seeks[] | select(.[0] == 32768)[2]][0] >= 990'
	check_eq "sizes: the histogram is fio's" "$(row sizes | jq -c .sizes)" "$(fio_sizes)"
	is sizes "and so is the sum" ".bytes == $(jq '.jobs[0].read.io_bytes' "$OUT/sizes.json")"
	for n in issue complete; do
		check_eq "$n: the recording says the same" "$(figures "$OUT/$n.replay")" "$(figures "$OUT/$n.out")"
		check "$n: there is something to compare" test "$(figures "$OUT/$n.out" | wc -l)" -ge 4
		check "$n: the account" nothing_lost "$OUT/$n.out"
		check "$n: the account of the replay" nothing_lost "$OUT/$n.replay"
	done
	check "each: the account" nothing_lost "$OUT/each.out"
	check_eq "both points count the same commands" "$(jq -s 'map(.count // 0) | add' "$OUT/issue.out")" \
		"$(jq -s 'map(.count // 0) | add' "$OUT/complete.out")"
}

# fio's own log of the load, a line per I/O with its size, as a histogram by powers of two.
fio_sizes()
{
	cat "$OUT"/sizes_clat*.log | awk -F', ' '{ lo = 1; while (lo * 2 <= $4) lo *= 2; n[lo]++ }
		END { for (lo in n) print lo, n[lo] }' | sort -n |
		jq -Rsc '[split("\n")[] | select(. != "") | split(" ") | map(tonumber) | [.[0], .[0] * 2, .[1]]]'
}
