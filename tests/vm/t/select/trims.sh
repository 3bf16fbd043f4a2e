# SPDX-License-Identifier: GPL-2.0-or-later
# Trims are selected by their blocks, which the command has in memory: by partition and by --lba, live and in a
# recording; of several ranges one is enough, but a recording does not have them.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='5.10 6.1 6.12'
test='6.1'
plan=14
seconds=10

# Partitions of 8 MiB at 8 and at 16 MiB; the trim of the second one is of its blocks 8 to 23.
guest()
{
	local disk name

	disk=$(disk_of lab0 1)
	addpart "/dev/$disk" 1 16384 16384
	addpart "/dev/$disk" 2 32768 16384
	attached all "$NVMETOOL" record -w "$OUT/all.nvt" -d "$disk"
	attached other "$NVMETOOL" trace --json -d "${disk}p1"
	attached part "$NVMETOOL" trace --json -d "${disk}p2"
	attached blocks "$NVMETOOL" trace --json --lba 16384-16391
	attached latency "$NVMETOOL" latency --json --by opcode -d "/dev/${disk}p2"
	attached record "$NVMETOOL" record -w "$OUT/part.nvt" -d "${disk}p2"
	blkdiscard -o 4096 -l 8192 "/dev/${disk}p2"
	blkdiscard -o 0 -l 4096 "/dev/${disk}p1"
	blkdiscard -o 0 -l 4096 "/dev/$disk"
	dd if="/dev/${disk}p2" of=/dev/null iflag=direct bs=4k count=1 skip=3
	two_ranges
	drained
	for name in all other part blocks latency record; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	echo "$disk" >"$OUT/disk"
}

# A trim of two ranges: both stripes of a device lie on the disk, the second one in the second partition.
two_ranges()
{
	modprobe dm-mod
	echo "0 8192 striped 2 16 /dev/$disk 81920 /dev/$disk 40960" | dmsetup create two
	blkdiscard "/dev/$(dmsetup info -c --noheadings -o blkdevname two)"
	dmsetup remove two
}

# trims [OPTION...]: blocks of the trims in a stream
trims()
{
	jq -c 'select(.type == "io" and .op == "dsm") | [.slba, .nlb]' "$@" | xargs
}

host()
{
	local disk

	disk=$(cat "$OUT/disk")
	check_eq "trims of the partition alone" "$(trims "$OUT/part.out")" '[32776,16] [null,null]'
	check_eq "and of the other" "$(trims "$OUT/other.out")" '[16384,8]'
	check_eq "trims of the blocks alone" "$(trims "$OUT/blocks.out")" '[16384,8]'
	check_eq "latency counts it" "$(jq -c 'select(.type == "latency" and .op == "dsm").count' "$OUT/latency.out")" 2
	check_eq "a recording has it" "$("$NVMETOOL" trace --json -i "$OUT/part.nvt" | trims)" '[32776,16] [null,null]'
	check_eq "two ranges are one command" "$("$NVMETOOL" trace --json -i "$OUT/all.nvt" -O dsm |
		jq -c 'select(.type == "io") | .fields.nr' | xargs)" "1 1 1 2"
	check_eq "a recording knows partitions" "$("$NVMETOOL" trace --json -i "$OUT/all.nvt" -d "${disk}p2" | trims)" '[32776,16]'
	check_eq "and their reads" "$("$NVMETOOL" trace --json -i "$OUT/all.nvt" -d "${disk}p2" -O read |
		jq -c 'select(.type == "io") | .slba >= 32768' | sort -u)" true
}
