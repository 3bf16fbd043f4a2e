# SPDX-License-Identifier: GPL-2.0-or-later
# Flush requests of a mirror, a logical volume and an encrypted one above it: as many as the kernel's own tracing sees, by
# the same tasks, with the members and the flush commands of the drives' log; with their volatile cache, and without.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stacked
test='6.1'
plan=26
seconds=40

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

export DM_DISABLE_UDEV=1 # nothing runs in the guest that would answer
STACKS='md lv crypt'
QUEUED=$TRACEFS/events/block/block_bio_queue
LVM='activation { udev_sync=0 udev_rules=0 monitoring=0 } devices { filter=["a|/dev/nvme|", "r|.*|"] }'

guest()
{
	local left below right loop

	left=$(disk_of lab0 1) below=$(disk_of lab0 2) right=$(disk_of lab1 11)
	build
	modprobe loop
	loop=$(losetup -f --show "/dev/$below")
	attached back_record "$NVMETOOL" record --flushes -w "$OUT/back.nvt"
	flush_all back
	many
	detach back_record
	cached 'write through'
	flush_all through
	losetup -d "$loop"
	remove
	cached 'write back'
}

build()
{
	modprobe -a ext4 raid1 dm_mod dm_crypt xts ecb
	modprobe aes_generic || true # newer kernels have it under another name
	mdadm --build /dev/md0 --level=1 --raid-devices=2 --assume-clean "/dev/$left" "/dev/$right"
	vgcreate -qq -y --config "$LVM" lab "/dev/$below"
	lvcreate -qq -y --config "$LVM" -n lv -l 6 -Wn -Zn lab
	lvcreate -qq -y --config "$LVM" -n between -l 1 -Wn -Zn lab
	lvextend -qq -y --config "$LVM" -l +6 lab/lv # two parts, each of which is flushed
	head -c 32 /dev/zero >"$OUT/key"
	printf '%s\n' "$left" "$right" | sort -V | xargs >"$OUT/md.members"
	tee "$OUT/lv.members" >"$OUT/crypt.members" <<<"$below"
}

remove()
{
	mdadm --stop /dev/md0
	lvremove -qq -y --config "$LVM" lab
	vgremove -qq -y --config "$LVM" lab
	pvremove -qq -y --config "$LVM" "/dev/$below"
}

# cached HOW: whether the kernel takes the drives' caches for volatile
cached()
{
	local disk

	for disk in "$left" "$below" "$right"; do
		echo "$1" >"/sys/block/$disk/queue/write_cache"
	done
}

# dm_name NAME: as the kernel calls it
dm_name()
{
	dmsetup info -c --noheadings -o blkdevname "$1"
}

# flush_all NAME: of each device; what nvmetool says is in $OUT/NAME.out, what ftrace saw in $OUT/NAME.STACK.tids
flush_all()
{
	attached "$1" "$NVMETOOL" trace --json --flushes
	echo md0 >"$OUT/md.name"
	dm_name lab-lv >"$OUT/lv.name"
	by_workers
	mark "$below" "$(number "$1" 0)"
	ftraced "$1.md" md_on use /dev/md0
	mark "$below" "$(number "$1" 1)"
	ftraced "$1.lv" dm_on use /dev/mapper/lab-lv
	cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file "$OUT/key" /dev/mapper/lab-lv crypt
	dm_name crypt >"$OUT/crypt.name"
	mark "$below" "$(number "$1" 2)"
	ftraced "$1.crypt" dm_on use /dev/mapper/crypt
	cryptsetup close crypt
	mark "$below" "$(number "$1" 3)"
	detach "$1"
}

# by_workers: flushes that a kernel worker sends on behalf of others, as that of md does before 6.12
by_workers()
{
	python3 -c 'import os, sys; fd = os.open(sys.argv[1], os.O_RDWR); [os.fsync(fd) for _ in range(100)]' "$loop"
}

# number NAME STEP: of a mark
number()
{
	[ "$1" = back ] && echo $((1 + $2)) || echo $((11 + $2))
}

# ftraced NAME ON COMMAND...: with ftrace on by ON NAME; the tasks that it saw flush, one a line
ftraced()
{
	echo >"$TRACEFS/trace"
	"$2" "${1#*.}"
	"${@:3}"
	drained
	echo 0 >"$QUEUED/enable"
	sed -nE 's/^.*-([0-9]+) +\[.*(block_bio_queue: [0-9,]+ F|lab_md_flush_request:).*/\1/p' "$TRACEFS/trace" |
		sort -n >"$OUT/$1.tids"
	"${2/_on/_off}"
}

md_on()
{
	probes_on md_flush_request
}

md_off()
{
	probes_off
}

# dm_on STACK: block_bio_queue of that device
dm_on()
{
	local major minor

	IFS=: read -r major minor <"/sys/block/$(cat "$OUT/$1.name")/dev"
	echo "dev == $((major << 20 | minor))" >"$QUEUED/filter"
	echo 1 >"$QUEUED/enable"
}

dm_off()
{
	echo 0 >"$QUEUED/filter"
}

# use DEVICE: by a process of its own, by a file system
use()
{
	local i

	dd if=/dev/zero of="$1" bs=4k count=4 oflag=direct,dsync conv=fsync
	mkfs.ext4 -q -O ^resize_inode -E lazy_itable_init=0,lazy_journal_init=0 "$1"
	mkdir -p /tmp/files
	mount "$1" /tmp/files
	for i in 1 2 3; do
		dd if=/dev/zero of="/tmp/files/$i" bs=4k count=1 conv=fsync
	done
	umount /tmp/files
}

# A flush that the drive holds back, and four on the same CPU that wait meanwhile: the next flush command serves these.
many()
{
	local i

	attached many "$NVMETOOL" trace --json --flushes
	dm_name lab-between >"$OUT/between.name"
	mark "$below" 5
	quiet_monitor 'qemu-io lab0n2 "break flush_to_os A"'
	waiters=()
	for i in 1 2 3 4 5; do
		taskset -c 0 dd if=/dev/null of=/dev/mapper/lab-between conv=fsync,notrunc &
		until_waits $!
		waiters+=($!)
	done
	until quiet_monitor 'qemu-io lab0n2 "resume A"'; do
		sleep 0.02
	done
	wait "${waiters[@]}"
	drained
	mark "$below" 6
	detach many
}

# until_waits PID: for the end of its flush, which is queued by then
until_waits()
{
	until grep -q ') D ' "/proc/$1/stat" && grep -q submit_bio_wait "/proc/$1/stack"; do
		sleep 0.02
	done
}

# flushes FILE STACK FROM TO: the records of the device between two marks
flushes()
{
	awk -v from="$(mark_at "$3")" -v to="$(mark_at "$4")" 'index($0, to) { on = 0 } on; index($0, from) { on = 1 }' "$OUT/$1.out" |
		jq -c --arg dev "$(cat "$OUT/$2.name")" 'select(.type == "flush" and .dev == $dev)'
}

# mark_at N: how a line of trace has it
mark_at()
{
	printf '"cdw10_15":"00000000 %04x0000 ' "$1"
}

# of_drives NSID...: flush commands in the drives' log
of_drives()
{
	jq -s --argjson ns "[$1]" 'map(select(.op == "flush" and (.nsid | IN($ns[])))) | length' "$OUT/drive.ndjson"
}

# shares: of commands, by records: each is shared by as many as it says. md does not say it before 6.12: here it has one
# task at a time.
shares()
{
	jq -s 'map((.nvme_flushes // error("not known")) / (.shared // 1)) | add // 0 | . * 1000 | round / 1000'
}

host()
{
	local name

	for name in back through; do
		check_stack "$name" md 1,11 0
		check_stack "$name" lv 2 1
		check_stack "$name" crypt 2 2
		check "$name: nothing lost" nothing_lost "$OUT/$name.out"
	done
	check_eq "where md has no BTF, it is said" "$(grep -c 'md had no BTF' "$OUT/back.err" || true)" \
		"$([ "$KERNEL" = 5.10 ] && echo 1 || echo 0)"
	check "the drives got some" test "$(of_back)" -gt 0
	flushes back md 1 2 >"$OUT/records"
	check_eq "a process flushes, a journal writes behind its flush" \
		"$(jq -r 'select(.comm == "dd" or (.comm | startswith("jbd2"))) | "\(.comm | sub("/.*"; "")) \(.with_data)"' \
			"$OUT/records" | sort -u | xargs)" "dd false jbd2 true"
	several
	check "a replay tells the same" replayed
}

# check_stack NAME STACK NSIDS STEP: what was done to the stack between two marks
check_stack()
{
	local from to

	from=$(number "$1" "$4") to=$(number "$1" $(($4 + 1)))
	flushes "$1" "$2" "$from" "$to" >"$OUT/records"
	check_eq "$1, $2: the tasks that ftrace sees" "$(jq .tid "$OUT/records" | sort -n | xargs)" "$(xargs <"$OUT/$1.$2.tids")"
	check "$1, $2: its members" members "$1" "$2"
	drive_log "$from" "$to"
	if [ "$1 $2 $KERNEL" = "back md 5.10" ]; then # its modules have no BTF
		check_eq "$1, $2: flush commands are not known" "$(jq .nvme_flushes "$OUT/records" | sort -u)" null
	else
		check_eq "$1, $2: flush commands" "$(shares <"$OUT/records")" "$(of_drives "$3")"
	fi
}

# members NAME STACK: those of each record; there is a record if ftrace saw a flush
members()
{
	[ -s "$OUT/records" ] || [ ! -s "$OUT/$1.$2.tids" ]
	jq -r '.members | join(" ")' "$OUT/records" | sort -u >"$OUT/members"
	[ ! -s "$OUT/records" ] || diff "$OUT/members" "$OUT/$2.members"
}

of_back()
{
	drive_log 1 4
	of_drives 1,2,11
}

several()
{
	drive_log 5 6
	flushes many between 5 6 >"$OUT/records"
	check_eq "by how many a command is shared" "$(jq -s -c 'map([.comm, .nvme_flushes, .shared]) | sort' "$OUT/records")" \
		'[["dd",1,1],["dd",1,4],["dd",1,4],["dd",1,4],["dd",1,4]]'
	check_eq "commands that the drive got" "$(of_drives 2)" 2
}

replayed()
{
	local facts='select(.type == "flush") | del(.ts, .time_ns, .mono_ns, .lat_ns)'

	"$NVMETOOL" trace --json --flushes -i "$OUT/back.nvt" | jq -c "$facts" | sort >"$OUT/replayed"
	jq -c "$facts" "$OUT/back.out" "$OUT/many.out" | sort | diff - "$OUT/replayed"
}
