# SPDX-License-Identifier: GPL-2.0-or-later
# --by file, whatever way the data go: each row that names a file has the bytes that were written to that file, and no
# row names another one. What is not proven, as of swap space, has no name.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/files.sh"

topology=keys
kernels='*'
plan=22
seconds=60

MNT=/tmp/ways
XFS=/tmp/ways_xfs
KIB=1024

guest()
{
	local disk second

	disk=$(disk_of lab0 1) second=$(disk_of lab0 3)
	modprobe -a ext4 xfs loop overlay
	mkfs.ext4 -q "/dev/$disk"
	mkfs.xfs -q -f -m reflink=1 "/dev/$second"
	mkdir -p $MNT $XFS
	mount "/dev/$disk" $MNT
	mount "/dev/$second" $XFS
	attached live "$NVMETOOL" latency --json --by file,opcode -d "$disk,$second"
	lengths
	names
	mounts
	reflink
	copies
	drives
	memory
	swap
	sync -f $MNT
	drained
	detach live
	check_eq "ends well" "$status" 0
	umount $XFS $MNT
}

# written FILE KIB [OPTION...]: directly, 64 KiB at a time
written()
{
	dd if=/dev/zero of="$1" bs=64k count=$(($2 / 64)) oflag=direct conv=notrunc "${@:3}" 2>/dev/null
}

# expect NAME KIB FILE [OPERATION]: of the file, which has the name in the end
expect()
{
	echo "${4:-write} $(id_of "$3") $(($2 * KIB)) $1" >>"$OUT/expected"
}

# seen NAME FILE: asks for reports until one has the file under that name
seen()
{
	local id

	id=$(id_of "$2")
	until grep -q "\"ino\":${id%.*},\"ino_gen\":${id#*.},\"ino_dev\":\"[0-9:]*\",\"file\":\"$1\"" "$OUT/live.out"; do
		kill -USR2 "$(pid_of live)"
		sleep 0.05
	done
}

lengths()
{
	written $MNT/truncated 1024
	truncate -s 0 $MNT/truncated
	written $MNT/truncated 512
	expect $MNT/truncated 1536 $MNT/truncated
}

# Deleted in flight, renamed over, with two links
names()
{
	true >$MNT/unlinked
	expect "$MNT/unlinked (deleted)" 2048 $MNT/unlinked
	python3 -c 'import mmap, os, sys, threading
file, memory = os.open(sys.argv[1], os.O_WRONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
for at in range(0, 2 << 20, 4096):
	if at == 1 << 20:
		threading.Thread(target=os.unlink, args=sys.argv[1:]).start()
	os.pwrite(file, memory, at)' $MNT/unlinked
	written $MNT/target 512
	expect "$MNT/target (deleted)" 512 $MNT/target
	seen $MNT/target $MNT/target
	written $MNT/new 1024
	mv $MNT/new $MNT/target
	expect $MNT/target 1024 $MNT/target
	seen $MNT/target $MNT/target # before the kernel is told to forget names
	written $MNT/first 256
	ln $MNT/first $MNT/second
	written $MNT/second 512
	expect $MNT/second 768 $MNT/first
}

# Through other mounts the file is that of the file system
mounts()
{
	mkdir -p $MNT/{part,lower,upper,work} /tmp/bound /tmp/merged
	mount --bind $MNT/part /tmp/bound
	written /tmp/bound/file 320
	expect $MNT/part/file 320 $MNT/part/file
	umount /tmp/bound
	written $MNT/lower/file 640
	expect $MNT/lower/file 640 $MNT/lower/file
	mount -t overlay -o "lowerdir=$MNT/lower,upperdir=$MNT/upper,workdir=$MNT/work" none /tmp/merged
	written /tmp/merged/made 384
	sync -f $MNT
	expect $MNT/upper/made 384 $MNT/upper/made
	umount /tmp/merged
}

# The blocks are shared until one of the two is written
reflink()
{
	written $XFS/one 1024
	expect $XFS/one 1024 $XFS/one
	cp --reflink=always $XFS/one $XFS/two
	written $XFS/two 256
	expect $XFS/two 256 $XFS/two
}

# sendfile(), and a file that is written directly and through the page cache at the same time
copies()
{
	local direct

	written $MNT/source 768
	expect $MNT/source 768 $MNT/source
	echo 3 >/proc/sys/vm/drop_caches
	python3 -c 'import os, sys
source, to = os.open(sys.argv[1], os.O_RDONLY), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
while os.sendfile(to, source, None, 1 << 20):
	pass
os.fsync(to)' $MNT/source $MNT/sent
	expect $MNT/source 768 $MNT/source read
	expect $MNT/sent 768 $MNT/sent
	fallocate -l 4M $MNT/both
	fio_load direct --filename=$MNT/both --size=2M --bs=64k --rw=write --ioengine=libaio --iodepth=8 &
	direct=$!
	fio_load buffered --filename=$MNT/both --offset=2M --size=2M --bs=64k --direct=0 --rw=write --ioengine=psync --end_fsync=1
	wait $direct
	expect $MNT/both 4096 $MNT/both
}

# A file that is a drive
drives()
{
	local loop

	truncate -s 2M $MNT/image
	loop=$(losetup --find --show $MNT/image)
	written "$loop" 1024
	sync -f $MNT
	losetup --direct-io=on "$loop"
	written "$loop" 512 seek=16
	losetup -d "$loop"
	sync -f $MNT
	expect $MNT/image 1536 $MNT/image
}

# Registered buffers and files, msync(), and memory of which no two pages lie side by side
memory()
{
	fio_load registered --filename=$MNT/registered --size=1M --bs=16k --rw=write --ioengine=io_uring --fixedbufs=1 \
		--registerfiles=1 --iodepth=8
	expect $MNT/registered 1024 $MNT/registered
	fallocate -l 1M $MNT/mapped
	python3 -c 'import mmap, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
memory = mmap.mmap(file, 1 << 20)
os.close(file)
for at in range(0, 1 << 20, 4096):
	memory[at] = 1
memory.flush()' $MNT/mapped
	expect $MNT/mapped 1024 $MNT/mapped
	python3 -c 'import mmap, os, sys
whole = mmap.mmap(-1, 4 << 20)
whole.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(0, 1024, 2):
	whole[page * 4096] = 1
pages = [memoryview(whole)[page * 4096:(page + 1) * 4096] for page in range(0, 512, 2)]
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
os.writev(file, pages)' $MNT/scattered
	expect $MNT/scattered 1024 $MNT/scattered
}

# The kernel writes pages of processes to the blocks of the file
swap()
{
	local group=/sys/fs/cgroup/ways

	fallocate -l 64M $MNT/swap
	chmod 600 $MNT/swap
	mkswap $MNT/swap >/dev/null
	sync -f $MNT
	expect $MNT/swap 4 $MNT/swap # its head
	swapon $MNT/swap
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	echo 16M >$group/memory.max
	# shellcheck disable=SC2016 # the inner shell's
	bash -c 'echo $$ >$1/cgroup.procs; exec python3 -c "b\"x\" * (32 << 20)"' - $group || true
	awk '$1 == "pswpout" { print $2 }' /proc/vmstat >"$OUT/swapped"
	swapoff $MNT/swap
	rmdir $group
}

host()
{
	local op id bytes name

	jq -r 'select(.type == "latency" and .ino != null and (.op == "read" or .op == "write")) |
		"\(.op) \(.ino).\(.ino_gen) \(.bytes) \(.file)"' <(last_report) | sed 's|ways/first$|ways/second|' >"$OUT/rows"
	while read -r op id bytes name; do
		check_eq "$op $name" "$(grep -- "^$op $id " "$OUT/rows" || true)" "$op $id $bytes $name"
	done <"$OUT/expected"
	check "pages were swapped out" test "$(cat "$OUT/swapped")" -gt 0
	check_eq "no other file is named" "$(cut -d ' ' -f 1,2 "$OUT/rows" | sort | comm -23 - <(cut -d ' ' -f 1,2 "$OUT/expected" | sort))" ""
}

# The records of the last report
last_report()
{
	jq -cs '(map(.seq // empty) | max) as $last | .[] | select(.seq == $last)' "$OUT/live.out"
}
