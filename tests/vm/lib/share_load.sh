# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of filters on topo/two, which read this file after share.sh: a load that has something for each filter.
# The caller has the local variables one, two, eleven (disks), mixed, small, reader, slow (process ids).
# shellcheck shell=bash disable=SC2154 # variables of the caller

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

# Sets the variables named above. Processes behind gate 5, the last one behind gate 6.
start_load()
{
	local fio=(fio --thread --direct=1 --ioengine=libaio --clocksource=clock_gettime)

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) eleven=$(disk_of lab1 11)
	addpart "/dev/$one" 1 16384 32768
	describe >"$OUT/devices"
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

end_load()
{
	delpart "/dev/$one" 1
}
