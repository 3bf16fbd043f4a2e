# SPDX-License-Identifier: GPL-2.0-or-later
# latency -H heat, live on terminals of 80 and 200 columns: no line is too long, and the counts of the lines are fio's. That
# each cell has the shade it should have, tests/cli/latency.bats shows.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1'
plan=6

guest()
{
	local columns disk

	disk=$(disk_of lab0 1)
	for columns in 80 200; do
		attached "heat$columns" python3 "$VM/../cli/lib/tty.py" 24 "$columns" "$NVMETOOL" latency -d "$disk" -O read \
			-H heat 0.5 --color never
	done
	fio_load load --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=libaio --iodepth=8 --number_ios=1000 \
		--rate_iops=500
	drained
	for columns in 80 200; do
		detach "heat$columns"
		check_eq "$columns columns, ends well" "$status" 0
	done
}

# shape FILE: the longest line and the commands of all lines
shape()
{
	awk -F '|' '{ sub(/\r$/, "") } length > longest { longest = length } NF == 3 { split($3, field, " "); sum += field[1] }
		END { print longest, sum }' "$1"
}

host()
{
	local columns longest sum

	for columns in 80 200; do
		cat "$OUT/heat$columns.out"
		read -r longest sum < <(shape "$OUT/heat$columns.out")
		check_eq "$columns columns, commands" "$sum" "$(jq ".jobs[0].read.total_ios" "$OUT/load.json")"
		check "$columns columns, as wide as the terminal" test "$longest" -gt $((columns * 3 / 4)) -a "$longest" -lt "$columns"
	done
}
