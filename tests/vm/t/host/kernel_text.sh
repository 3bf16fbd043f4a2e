# SPDX-License-Identifier: GPL-2.0-or-later
# trace -f kernel prints what the kernel's own tracepoints print of the same commands, name and decoding included. These
# are commands whose text is the same on all kernels, since it prints that of the newest.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=4
seconds=3

events=/sys/kernel/tracing/events/nvme

# kernel_events 0|1
kernel_events()
{
	echo "$1" >"$events/nvme_setup_cmd/enable"
	echo "$1" >"$events/nvme_complete_rq/enable"
}

# Each opcode once at least, from files, passthrough and the driver.
load()
{
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=512-16k --size=16M --ioengine=libaio --iodepth=4 \
		--number_ios=60 --fsync=20
	blkdiscard --offset $((1 << 20)) --length $((1 << 16)) "/dev/$disk"
	fallocate --zero-range --offset $((1 << 21)) --length 4096 "/dev/$disk"
	nvme read "/dev/$disk" --start-block=8 --block-count=7 --data-size=4096 >"$OUT/nvme"
	nvme compare "/dev/$disk" --start-block=8 --block-count=0 --data-size=512 --data=/bin/busybox >>"$OUT/nvme" 2>&1 || true
	nvme id-ctrl "$ctrl" >>"$OUT/nvme"
	nvme get-feature "$ctrl" -f 7 -s 1 >>"$OUT/nvme"
	nvme admin-passthru "$ctrl" --opcode=0xc1 --cdw10=0x11 >>"$OUT/nvme" 2>&1 || true
	drained
}

guest()
{
	local disk ctrl

	disk=$(disk_of lab0 1) ctrl=/dev/$(ctrl_of lab0)
	echo 8192 >/sys/kernel/tracing/buffer_size_kb
	echo >/sys/kernel/tracing/trace
	attached text "$NVMETOOL" trace -f kernel --show both
	kernel_events 1
	load
	kernel_events 0
	detach text
	check_eq "ends well" "$status" 0
	cat /sys/kernel/tracing/trace >"$OUT/kernel"
}

# texts FILE: from the name of the tracepoint on
texts()
{
	grep -o 'nvme_\(setup_cmd\|complete_rq\): .*' "$1" | as_5_10 | sort
}

# Brings lines to the form of 5.10: completions lack the upper bits of their command's id, Get Features has no commas.
as_5_10()
{
	if [ "$KERNEL" = 5.10 ]; then
		sed -E 's/(features fid=[^,]*), (sel=[^,]*),/\1 \2/' | awk -F 'cmdid=' '/complete_rq/ { $0 = $1 "cmdid=" $2 % 4096 substr($2, index($2, ",")) } 1'
	else
		cat
	fi
}

host()
{
	check "each line is the kernel's" diff <(texts "$OUT/kernel") <(texts "$OUT/text.out")
	check "there are many" [ "$(texts "$OUT/kernel" | wc -l)" -gt 150 ]
	check "passthrough is marked" grep -q 'complete_rq: .*flags=0x2' "$OUT/text.out"
}
