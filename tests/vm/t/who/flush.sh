# SPDX-License-Identifier: GPL-2.0-or-later
# Flushes, and writes that wait for them, which kernel workers send: each is given to the process whose request waits.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=deadline
test='6.1'
plan=18
seconds=17

. "$VM/lib/account.sh"

JOBS=4

guest()
{
	local disk scheduler how

	disk=$(disk_of lab0 1)
	modprobe ext4
	make_files
	mkdir -p /tmp/files
	for scheduler in none deadline; do
		sched "${scheduler/#dead/mq-dead}" "$disk"
		for how in $(methods); do
			attached "${scheduler}_$how" "$NVMETOOL" trace --json --attach "$how"
		done
		attached "${scheduler}_fio" "$NVMETOOL" latency --json --by opcode,comm -O flush --comm fio
		flushes "$scheduler"
		for how in $(methods) fio; do
			detach "${scheduler}_$how"
		done
	done
}

# A file system that has nothing on the blocks that cannot be read.
make_files()
{
	mkfs.ext4 -q -b 4096 -N 64 -O ^resize_inode -J size=4 -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$disk" 16M
}

# Flushes of a raw device by several at once; writes with FUA alone; a journal's, which flush and have data and FUA.
flushes()
{
	local i

	fio_load "$1" --filename="/dev/$disk" --rw=randwrite --bs=4k --offset=32M --size=16M --ioengine=psync --fsync=1 \
		--numjobs="$JOBS" --number_ios=10
	dd if=/dev/zero of="/dev/$disk" bs=4k seek=13000 count=10 oflag=direct,dsync conv=notrunc
	mount "/dev/$disk" /tmp/files
	for i in 1 2 3 4 5; do
		dd if=/dev/zero of="/tmp/files/$i" bs=4k count=1 conv=fsync
	done
	umount /tmp/files
	drained
}

# told_of FILE FILTER: "OP COMM WORKER" of such commands, sorted, each once
told_of()
{
	jq -r "select(.type == \"io\") | select($2) |"' "\(.op) \(.comm | sub("/.*"; "")) \(.worker)"' "$1" | sort -u
}

# fio_flushes FILE: how many flushes are fio's, and whether each is of a process that writes
fio_flushes()
{
	jq -rs 'map(select(.type == "io" and .comm == "fio")) |
		(map(select(.op == "write").pid) | unique) as $writers |
		map(select(.op == "flush").pid) | "\(length) \(all(IN($writers[])))"' "$1"
}

FUA='(.flags | index("fua") != null)'
JOURNAL='(.comm | startswith("jbd2"))'

host()
{
	local scheduler how file

	for scheduler in none deadline; do
		skip_tp_btf 4
		for how in $(methods); do
			file=$OUT/${scheduler}_$how.out
			check_eq "$scheduler, $how: no flush is a worker's" "$(told_of "$file" '.op == "flush" and .worker')" ""
			check_eq "$scheduler, $how: nor is a write with FUA" "$(told_of "$file" "$FUA and (.comm | endswith(\"mount\") | not)")" \
				"$(printf '%s\n' 'write dd false' 'write jbd2 false')"
			check_eq "$scheduler, $how: the journal flushes, too" "$(told_of "$file" "$JOURNAL and .op == \"flush\"")" \
				"flush jbd2 false"
			check "$scheduler, $how: the account" nothing_lost "$file"
		done
		check_eq "$scheduler: flushes of fio, those of its jobs" "$(fio_flushes "$OUT/${scheduler}_$(best_method).out")" \
			"$(jq -r 'select(.type == "latency").count' "$OUT/${scheduler}_fio.out") true"
	done
}
