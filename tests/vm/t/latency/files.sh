# SPDX-License-Identifier: GPL-2.0-or-later
# --by file: bytes of each file as who wrote and read it has them; direct, buffered, mapped, by io_uring, by the kernel's
# writeback (by ext4 and XFS), deleted, in a mount namespace, and direct I/O from memory that is another file's. What is
# no file's has none.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/files.sh"

topology=keys
kernels='*'
test='6.1'
plan=35
seconds=40

MNT=/tmp/files
RUNS='live recorded stacks pattern trace top'

guest()
{
	local disk second name

	disk=$(disk_of lab0 1) second=$(disk_of lab0 3)
	modprobe -a ext4 xfs
	mkfs.ext4 -q "/dev/$disk"
	mkfs.xfs -q -f "/dev/$second"
	mkdir -p $MNT /tmp/volume
	mount "/dev/$disk" $MNT
	mkdir $MNT/xfs
	mount "/dev/$second" $MNT/xfs
	attached live "$NVMETOOL" latency --json --by file,opcode -d "$disk,$second"
	attached recorded "$NVMETOOL" record --keys file -w "$OUT/files.nvt" -d "$disk,$second"
	attached stacks "$NVMETOOL" stacks --json --by file,opcode -d "$disk,$second"
	attached pattern "$NVMETOOL" pattern --json --by file,opcode -d "$disk,$second"
	attached top "$NVMETOOL" top -b --json --by file,opcode -d "$disk,$second"
	attached trace "$NVMETOOL" trace -W --json -d "$disk,$second"
	writes
	scattered
	reads
	lost_names "$disk"
	drained
	stat -c '%n %i %Hd:%Ld' $MNT/* $MNT/xfs/* >"$OUT/inodes"
	for name in $RUNS; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	umount $MNT/xfs $MNT
}

# load NAME MIB OPTIONS: fio on a file of that name without what follows the dot; it goes slowly, so that its path is found
load()
{
	local name=$1 mib=$2

	shift 2
	fio_load "$name" --filename="$MNT/${name%.read}" --size="${mib}M" --bs=4k --thinktime=200ms --thinktime_blocks=512 "$@"
}

writes()
{
	load direct 4 --rw=randwrite --ioengine=libaio --iodepth=16
	load uring 3 --rw=write --ioengine=io_uring --iodepth=8
	load sync 1 --rw=write --ioengine=psync
	load buffered 6 --direct=0 --rw=write --bs=64k --ioengine=psync --end_fsync=1 --thinktime_blocks=32
	fallocate -l 2M $MNT/mapped # or fio writes it before
	load mapped 2 --direct=0 --rw=write --ioengine=mmap --end_fsync=1
	dd if=/dev/zero of=$MNT/writeback bs=64k count=80 2>/dev/null
	dd if=/dev/zero of=$MNT/memory bs=64k count=16 2>/dev/null
	sync -f $MNT
}

# No two pages of the file lie one behind the other in memory, so before 6.8 XFS writes them back by chained bios.
scattered()
{
	fio_load scattered --filename=$MNT/xfs/scattered --size=6M --bs=4k --direct=0 --rw=randwrite --ioengine=psync --end_fsync=1
}

# Buffered, the cache must not have them; direct, memory may be the pages of another file, which is mapped.
reads()
{
	echo 3 >/proc/sys/vm/drop_caches
	load direct.read 4 --rw=randread --ioengine=libaio --iodepth=16
	load sync.read 1 --rw=read --ioengine=psync
	load buffered.read 6 --direct=0 --rw=read --bs=64k --ioengine=psync --thinktime_blocks=32
	load mapped.read 2 --direct=0 --rw=read --ioengine=mmap
	load uring.read 3 --rw=read --ioengine=io_uring --iodepth=8 --iomem=mmapshared:$MNT/memory --iomem_align=4096
}

# lost_names DISK: a file that is deleted, one of a mount that nobody else has, and the disk itself
lost_names()
{
	exec {gone}<>$MNT/gone
	stat -c '%i' $MNT/gone >"$OUT/gone"
	awk '{ print "gone", $1 }' "$OUT/gone" >"$OUT/all"
	rm $MNT/gone
	dd if=/dev/zero of=/proc/self/fd/$gone bs=64k count=16 oflag=direct 2>/dev/null
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind $1 /tmp/volume; dd if=/dev/zero bs=64k count=32 oflag=direct 2>/dev/null \
		>/dev/null of=/tmp/volume/inside' - $MNT
	exec {gone}<&- # not before, or the other file may get its inode
	fio_load raw --filename="/dev/$1" --rw=read --bs=64k --size=1M --ioengine=libaio --iodepth=4 --readonly
}

host()
{
	local name run

	"$NVMETOOL" latency --json --by file,opcode -i "$OUT/files.nvt" >"$OUT/replayed.out"
	for name in direct uring sync buffered mapped; do
		check_eq "$name, written" "$(moved live write "$name")" "$(did "$name" write)"
		check_eq "$name, read" "$(moved live read "$name")" "$(did "$name.read" read)"
		check_eq "$name, path" "$(path live "$name")" "$MNT/$name"
	done
	check_eq "what the kernel wrote back" "$(moved live write writeback)" $((80 << 16))
	check_eq "chained bios of writeback" "$(moved live write xfs/scattered)" "$(did scattered write)"
	check_eq "of a mount that nobody else has" "$(moved live write inside)" $((32 << 16))
	check_eq "of a deleted file" "$(of_inode live.out write "$(cat "$OUT/gone")" | bytes)" $((16 << 16))
	check "memory that is another file's does not count for that" test "$(moved live read memory)" -le $((1 << 20))
	check "raw I/O is the disk's" test "$(jq -s 'map(select(.type == "latency" and .op == "read" and .ino == null and
		.ino_dev != null).bytes) | add' "$OUT/live.out")" -ge $((1 << 20))
	check_eq "nothing else has an inode" "$(jq -s 'map(select(.type == "latency").ino | values) | unique | map(tostring) | .[]' -r \
		"$OUT/live.out" | sort | comm -23 - <(awk '{ print $2 }' "$OUT/inodes" "$OUT/all" | sort -u) | wc -l)" 0
	for run in replayed stacks pattern trace top; do
		check_eq "the same bytes in $run" "$(all_of $run)" "$(all_of live)"
	done
	check_eq "the recording keeps paths" "$(path replayed direct)" "$MNT/direct"
	check_eq "trace -W has paths" "$(path trace direct)" "$MNT/direct"
}

inode()
{
	inode_of inodes "$MNT/$1"
}

# moved RUN OP NAME: bytes
moved()
{
	of_inode "$1.out" "$2" "$(inode "$3")" | bytes
}

# path RUN NAME: the last that it has for the file
path()
{
	jq -rs --argjson ino "$(inode "$2")" 'map(select(.ino == $ino).file | values) | last' "$OUT/$1.out"
}

# all_of RUN: bytes by operation and file; metadata may have been read before the last of the runs began
all_of()
{
	jq -r 'select(.ino != null and (.op == "read" or .op == "write")) | select(.type | IN("latency", "stack", "pattern", "io", "top")) |
		"\(.op) \(.ino) \(.ino_dev) \(.bytes)"' "$OUT/$1.out" |
		awk '{ n[$1 " " $2 " " $3] += $4 } END { for (i in n) print i, n[i] }' | sort
}
