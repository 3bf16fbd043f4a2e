# SPDX-License-Identifier: GPL-2.0-or-later
# latency -H heat, live on terminals of 80 and 200 columns beside record: no line is too long, the counts of the lines are
# fio's, and each cell has the shade of the commands that the recording has there. So has the SVG of the recording, cell by
# cell. All commands complete on one CPU: there the commands of a line are those that completed next.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1'
test='6.1'
plan=11
seconds=9

guest()
{
	local columns disk

	disk=$(disk_of lab0 1)
	for columns in 80 200; do
		attached "heat$columns" python3 "$VM/../cli/lib/tty.py" 24 "$columns" "$NVMETOOL" latency -d "$disk" -O read \
			-H heat 0.5 --color never
	done
	attached record "$NVMETOOL" record -q io -d "$disk" -O read -w "$OUT/heat.nvt"
	fio_load load --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=libaio --iodepth=8 --number_ios=1000 \
		--rate_iops=500 --cpus_allowed=0
	drained
	for columns in 80 200; do
		detach "heat$columns"
		check_eq "$columns columns, ends well" "$status" 0
	done
	detach record
}

# shape FILE: the longest line and the commands of all lines
shape()
{
	awk -F '|' 'length > longest { longest = length } NF == 3 { split($3, field, " "); sum += field[1] } END { print longest, sum }' "$1"
}

# live NAME COLUMNS: checks the map of that width against a trace
live()
{
	python3 "$VM/../cli/lib/heat.py" "$OUT/$1.json" "$2" 50000 <"$OUT/heat$2.out"
}

# others COLUMNS: are commands that take three times as long other cells?
others()
{
	! live slower "$1" 2>"$OUT/slower.err" && grep -q '^AssertionError' "$OUT/slower.err"
}

host()
{
	local columns longest sum step

	"$NVMETOOL" trace --json -i "$OUT/heat.nvt" >"$OUT/trace.json"
	jq -c '.lat_ns? |= (. // 0) * 3' "$OUT/trace.json" >"$OUT/slower.json"
	"$NVMETOOL" latency -i "$OUT/heat.nvt" -f svg -w "$OUT/heat.svg"
	step=$(sed -nE 's/^<text class="about".* A column is ([0-9]+) ([a-z]+), .*/\1\2/p' "$OUT/heat.svg")
	for columns in 80 200; do
		cat "$OUT/heat$columns.out"
		read -r longest sum < <(shape "$OUT/heat$columns.out")
		check_eq "$columns columns, commands" "$sum" "$(jq ".jobs[0].read.total_ios" "$OUT/load.json")"
		check "$columns columns, as wide as the terminal" test "$longest" -gt $((columns * 3 / 4)) -a "$longest" -lt "$columns"
		check_eq "$columns columns, cells of the recording" "$(live trace "$columns")" "$sum"
		check "$columns columns, not those of slower commands" others "$columns"
	done
	python3 "$VM/../cli/lib/tty.py" 9999 80 "$NVMETOOL" latency -i "$OUT/heat.nvt" -H heat "$step" --color never >"$OUT/replay.out"
	check_eq "the SVG has the same cells" "$(python3 "$VM/../cli/lib/heat.py" "$OUT/heat.svg" 80 <"$OUT/replay.out")" "$sum"
}
