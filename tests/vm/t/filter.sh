# SPDX-License-Identifier: GPL-2.0-or-later
# Filters: each, and pairs of them, give exactly their share of one load on two controllers with three namespaces.
# All runs watch the same load at the same time; then the same filters are put to a recording of it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/share.sh"

topology=two
plan=67
limit=300
PAIRS=12

guest()
{
	local one two eleven mixed small reader slow

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) eleven=$(disk_of lab1 11)
	addpart "/dev/$one" 1 16384 32768
	describe >"$OUT/devices"
	start_load
	singles >"$OUT/pool"
	{
		echo "-d ${one}p1"
		cat "$OUT/pool"
		"$VM/share" draw --seed "$SEED" --count $PAIRS --devices "$OUT/devices" "$OUT/pool"
	} >"$OUT/runs"
	diag "pairs are drawn with SEED=$SEED"
	start_runs
	attached record "$NVMETOOL" record -w "$OUT/all.nvt" --buffer 1M
	mark "$one" 31
	run_load
	drained
	mark "$one" 32
	end_runs record
	delpart "/dev/$one" 1
}

# The words that -d is given, as "share" wants them.
describe()
{
	local disk ctrl number nsid

	while read -r _ nsid ctrl _ disk _; do
		number=${ctrl#nvme}
		printf '%s %s %s - -\n' "$ctrl" "$number" 0 "$disk" "$number" "$nsid" \
			"/dev/$disk" "$number" "$nsid" "$(cat "/sys/block/$disk/dev")" "$number" "$nsid"
	done <"$LAB/drives" | sort -u
	echo "${one}p1 ${one:4:1} 1 16384 49151"
}

# Processes behind gate 5, the last one behind gate 6.
start_load()
{
	local fio=(fio --thread --direct=1 --ioengine=libaio --clocksource=clock_gettime)

	gate 5
	gate 6
	held 5 "${fio[@]}" --name=mixed --filename="/dev/$one" --rw=randrw --bsrange=512-64k --size=64M \
		--iodepth=8 --number_ios=150
	mixed=$!
	held 5 "${fio[@]}" --name=small --filename="/dev/$two:/dev/$eleven" --rw=randwrite --bs=4k --size=32M \
		--iodepth=4 --number_ios=100 --cpus_allowed=0
	small=$!
	held 5 dd if="/dev/${one}p1" of=/dev/null iflag=direct bs=16k count=40
	reader=$!
	held 6 dd if="/dev/$eleven" of=/dev/null iflag=direct bs=4k count=8 skip=1000
	slow=$!
}

run_load()
{
	printf '\n\n\n' >&5
	wait "$mixed" "$small" "$reader"
	check "odd commands" odd_commands
	# Five reads a second: what is slower than 100 ms is no matter of measurement.
	monitor "block_set_io_throttle lab1n11 0 0 0 5 0 0"
	echo >&6
	wait "$slow"
	monitor "block_set_io_throttle lab1n11 0 0 0 0 0 0"
}

odd_commands()
{
	nvme flush "/dev/$two" &&
		nvme write-zeroes "/dev/$one" --start-block=64 --block-count=7 &&
		nvme dsm "/dev/$eleven" --ad --slbs=100 --blocks=8 &&
		nvme id-ctrl "/dev/$(ctrl_of lab1)" &&
		nvme get-feature "/dev/$(ctrl_of lab0)" -f 7 &&
		fails nvme io-passthru "/dev/$one" --opcode=2 --namespace-id=1 --cdw10=0xfffffff0 --cdw12=7 \
			--data-len=4096 --read
}

# One line for each filter: OPTION VALUE. The load has commands for all of them.
singles()
{
	local c0=${one:4:1} c1=${eleven:4:1}

	printf '%s\n' "--ctrl-id $c0" "--ctrl_id $c0" "-n 1,11" \
		"-d nvme$c1" "-d $two" "-d $(cat "/sys/block/$eleven/dev")" "-d /dev/$one" \
		"-O write,flush,0x08" "-O admin:identify" "-q 1" "-q admin" \
		"--size 4k" "--size 8k-64k" "--lba 100,1000-1063,65536-131071" \
		"-p $reader,$mixed" "--comm [dn]*" "-L 100ms" "--status ok" "--status error"
}

host()
{
	local i=0 words status=0

	drive_log 31 32
	check "the run without a filter equals the drive's log" \
		"$VM/compare" --from 31 --to 32 "$OUT/drive.ndjson" "$OUT/all.out"
	"$NVMETOOL" trace --json -i "$OUT/all.nvt" >"$OUT/all.replay"
	share_check --all "$OUT/all.out" --last "$OUT/all.replay" "$OUT/runs" "$OUT/run%.out"
	grep -v p1 "$OUT/runs" >"$OUT/replays"
	while read -ra words; do
		i=$((i + 1))
		"$NVMETOOL" trace --json -i "$OUT/all.nvt" "${words[@]}" >"$OUT/replay$i"
	done <"$OUT/replays"
	share_check --title 'replayed: ' --all "$OUT/all.replay" "$OUT/replays" "$OUT/replay%"
	read -ra words < <(grep p1 "$OUT/runs")
	"$NVMETOOL" trace -i "$OUT/all.nvt" "${words[@]}" 2>"$OUT/refused" || status=$?
	check_eq "a recording knows no partitions" $status 5
}
