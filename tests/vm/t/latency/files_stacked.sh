# SPDX-License-Identifier: GPL-2.0-or-later
# --by file through what lies between the file system and the drive: XFS on a volume on a mirror, ext4 encrypted on RAID 10,
# ext4 on stripes. Bytes of each file as fio has them, as often as the stack writes them.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/files.sh"

topology=files
kernels='6.1 6.12 6.18 sid' # modules of 5.10 have no BTF
plan=32
seconds=60

export DM_DISABLE_UDEV=1 # nothing runs in the guest that would answer
STACKS='mirror crypt stripe'
declare -A COPIES=([mirror]=2 [crypt]=2 [stripe]=1)

guest()
{
	local one two stack size device

	one=/dev/$(disk_of lab0 1) two=/dev/$(disk_of lab1 11)
	modprobe -a xfs ext4 raid0 raid1 raid10 dm_mod dm_crypt xts ecb
	modprobe aes_generic || true # newer kernels have it under another name
	for stack in $STACKS; do
		"build_$stack"
		mkdir -p "/tmp/$stack"
		mount "$device" "/tmp/$stack"
		attached "$stack" "$NVMETOOL" latency --json --by file,opcode
		attached "record_$stack" "$NVMETOOL" record --keys file -w "$OUT/$stack.nvt"
		loads "$stack"
		snapshot "$stack"
		drained
		stat -c '%n %i' "/tmp/$stack"/* >"$OUT/$stack.inodes"
		detach "$stack"
		check_eq "$stack: ends well" "$status" 0
		detach "record_$stack"
		umount "/tmp/$stack"
		dmsetup remove --force "$stack" 2>/dev/null || true
		mdadm --stop /dev/md0
	done
}

# raid LEVEL OPTION...: /dev/md0 of both; sets size
raid()
{
	mdadm --build /dev/md0 --level="$1" "${@:2}" --raid-devices=2 --assume-clean "$one" "$two"
	size=$(blockdev --getsz /dev/md0)
}

# A volume of two parts, as LVM makes it, which are in the wrong order
build_mirror()
{
	local half

	raid 1
	half=$((size / 2 / 2048 * 2048))
	printf '%s\n' "0 $half linear /dev/md0 $half" "$half $half linear /dev/md0 0" | dmsetup create mirror
	device=/dev/mapper/mirror
	mkfs.xfs -q -f "$device"
}

build_crypt()
{
	raid 10 --chunk=64
	echo "0 $size crypt aes-xts-plain64 $(printf '%064d' 0) 0 /dev/md0 0" | dmsetup create crypt
	device=/dev/mapper/crypt
	mkfs.ext4 -q "$device"
}

build_stripe()
{
	raid 0 --chunk=64
	device=/dev/md0
	mkfs.ext4 -q "$device"
}

# load STACK NAME MIB OPTIONS: fio on a file of that name without what follows the dot
load()
{
	local stack=$1 name=$2 mib=$3

	shift 3
	fio_load "$stack.$name" --filename="/tmp/$stack/${name%.read}" --size="${mib}M" --bs=16k "$@"
}

loads()
{
	load "$1" direct 4 --rw=randwrite --ioengine=libaio --iodepth=16
	load "$1" uring 3 --rw=write --bs=256k --ioengine=io_uring --iodepth=4
	load "$1" buffered 6 --direct=0 --rw=write --ioengine=psync --end_fsync=1
	sync -f "/tmp/$1"
	echo 3 >/proc/sys/vm/drop_caches
	load "$1" direct.read 4 --rw=randread --ioengine=libaio --iodepth=16
	load "$1" uring.read 3 --rw=read --bs=256k --ioengine=io_uring --iodepth=4
	load "$1" buffered.read 6 --direct=0 --rw=read --ioengine=psync
}

# throttle COMMANDS: a second, of each drive; 0: as many as come
throttle()
{
	monitor "block_set_io_throttle lab0n1 0 0 0 $1 0 0"
	monitor "block_set_io_throttle lab1n11 0 0 0 $1 0 0"
}

# snapshot STACK: what inflight says of a file that is read slowly
snapshot()
{
	local load

	load "$1" again 4 --rw=randread --ioengine=libaio --iodepth=1 --number_ios=1
	throttle 10
	load "$1" again 4 --rw=randread --ioengine=libaio --iodepth=32 &
	load=$!
	until "$NVMETOOL" inflight --json >"$OUT/$1.inflight" && grep -q '"ino":[0-9]' "$OUT/$1.inflight"; do
		kill -0 "$load"
	done
	throttle 0
	wait "$load"
}

host()
{
	local stack name

	for stack in $STACKS; do
		"$NVMETOOL" latency --json --by file,opcode -i "$OUT/$stack.nvt" >"$OUT/$stack.replayed"
		for name in direct uring buffered; do
			check_eq "$stack, $name: written" "$(moved "$stack.out" write "$stack" "$name")" \
				$((${COPIES[$stack]} * $(did "$stack.$name" write)))
			check_eq "$stack, $name: read" "$(moved "$stack.out" read "$stack" "$name")" "$(did "$stack.$name.read" read)"
		done
		check_eq "$stack: nothing else has an inode" "$(inodes "$stack.out" | comm -23 - \
			<(awk '{ print $2 }' "$OUT/$stack.inodes" | sort) | wc -l)" 0
		check_eq "$stack: the recording has the same" "$(of_files "$stack.replayed")" "$(of_files "$stack.out")"
		check_eq "$stack: inflight has the file" "$(inodes "$stack.inflight")" "$(inode "$stack" again)"
	done
	check_eq "the path through a volume" "$(jq -rs --argjson ino "$(inode mirror direct)" \
		'map(select(.ino == $ino and .op == "read").file) | last' "$OUT/mirror.out")" /tmp/mirror/direct
	check_eq "and in inflight" "$(jq -rs 'map(.file | values) | unique[]' "$OUT/mirror.inflight")" /tmp/mirror/again
}

inode()
{
	inode_of "$1.inodes" "/tmp/$1/$2"
}

# inodes FILE: those in it, sorted
inodes()
{
	jq -r '.ino | values' "$OUT/$1" | sort -u
}

# moved FILE OP STACK NAME: bytes
moved()
{
	of_inode "$1" "$2" "$(inode "$3" "$4")" | bytes
}

# of_files FILE: bytes by operation and file
of_files()
{
	jq -rs 'map(select(.type == "latency" and .ino != null)) | sort_by(.op, .ino)[] | "\(.op) \(.ino) \(.bytes)"' "$OUT/$1"
}
