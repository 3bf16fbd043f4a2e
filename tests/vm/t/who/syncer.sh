# SPDX-License-Identifier: GPL-2.0-or-later
# --by syncer: who is named for a flush, or a write with FUA, is inside fsync() or its like by strace's times; as many flushes
# have a name as strace counts calls, on ext4 on a partition and XFS on a volume of a mirror: fsync, fdatasync, syncfs, sync,
# msync, O_SYNC. Of two the one that went in first. The same in trace, latency, top, stacks and a recording.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=files
kernels='*'
test='6.1'
plan=38
seconds=90

export DM_DISABLE_UDEV=1 # nothing runs in the guest that would answer
STACKS='part volume'
declare -A DISKS=([part]=1 [volume]=2)
RUNS='trace latency stacks top'

guest()
{
	local one two stack device run

	one=/dev/$(disk_of lab0 1) two=/dev/$(disk_of lab1 11)
	modprobe -a ext4 xfs raid1 dm_mod
	for stack in $STACKS; do
		"build_$stack"
		mkdir -p "/tmp/$stack"
		mount "$device" "/tmp/$stack"
		fallocate -l 64k "/tmp/$stack/old"
		dd if=/dev/zero of="/tmp/$stack/old" bs=64k count=1 conv=notrunc,fsync
		attached "${stack}_trace" "$NVMETOOL" trace -W --json
		attached "${stack}_latency" "$NVMETOOL" latency --json --by syncer,opcode
		attached "${stack}_stacks" "$NVMETOOL" stacks --json --by syncer,opcode
		attached "${stack}_top" "$NVMETOOL" top -b --json --by syncer,opcode
		attached "${stack}_record" "$NVMETOOL" record --keys syncer -w "$OUT/$stack.nvt"
		loads "$stack"
		[ "$stack" != volume ] || { held && after; }
		umount "/tmp/$stack"
		drained
		for run in $RUNS record; do
			detach "${stack}_$run"
			check_eq "$stack: $run ends well" "$status" 0
		done
		delpart "$one" 1 2>/dev/null || true
		dmsetup remove --force "$stack" 2>/dev/null || true
	done
	mdadm --stop /dev/md0
}

# ext4 on a partition that does not begin with the disk
build_part()
{
	addpart "$one" 1 2048 1000000
	device=${one}p1
	mkfs.ext4 -q -F "$device"
}

# XFS on a volume of a mirror
build_volume()
{
	mdadm --build /dev/md0 --level=1 --raid-devices=2 --assume-clean "$one" "$two"
	dmsetup create volume --table "0 $(blockdev --getsz /dev/md0) linear /dev/md0 0"
	device=/dev/mapper/volume
	mkfs.xfs -q -f "$device"
}

# loads STACK: one after the other, and two at a time
loads()
{
	local dir=/tmp/$1

	called "$1" fio fio --name=w --directory="$dir" --rw=write --bs=4k --size=200k --ioengine=psync --fsync=1 --output=/dev/null
	called "$1" two fio --name=t --directory="$dir" --rw=write --bs=4k --size=100k --ioengine=psync --fsync=1 --numjobs=2 --output=/dev/null
	called "$1" sqlite3 sqlite3 "$dir/db" "$(statements)"
	called "$1" osync dd if=/dev/zero of="$dir/osync" bs=4k count=10 oflag=sync
	called "$1" direct dd if=/dev/zero of="$dir/old" bs=4k count=10 oflag=direct,dsync conv=notrunc
	called "$1" msync python3 -c 'import mmap, sys
with open(sys.argv[1], "r+b") as f:
    memory = mmap.mmap(f.fileno(), 65536)
    for i in range(10):
        memory[4096 * i] = i
        memory.flush()' "$dir/old"
	dd if=/dev/zero of="$dir/new" bs=64k count=4
	called "$1" syncfs sync -f "$dir"
	dd if=/dev/zero of="$dir/newer" bs=64k count=4
	called "$1" sync sync
}

# Two ways to write a journal
statements()
{
	echo "create table t (n);"
	printf 'insert into t values (%s);\n' {1..10}
	echo "pragma journal_mode = wal; pragma synchronous = full;"
	printf 'insert into t values (%s);\n' {1..10}
}

# Two that wait for a volume which is held: it is known who went in first. Meanwhile programs are attached to the function
# that they are in, so nobody is told when they leave it.
held()
{
	local first second

	dd if=/dev/zero bs=4k count=1 | tee /tmp/volume/first >/tmp/volume/second # so that the writes below need not read
	called volume before sync -f /tmp/volume
	dmsetup suspend --nolockfs --noflush volume
	dd if=/dev/zero of=/tmp/volume/first bs=4k count=1 conv=notrunc,fsync &
	first=$!
	waits "$first"
	dd if=/dev/zero of=/tmp/volume/second bs=4k count=1 conv=notrunc,fsync &
	second=$!
	waits "$second"
	printf '%s\n' "$first" "$second" >"$OUT/held"
	attached beside "$NVMETOOL" latency --json --by syncer
	dmsetup resume volume
	wait "$first" "$second"
	detach beside
}

# Calls for some seconds
after()
{
	called volume after fio --name=after --directory=/tmp/volume --rw=write --bs=4k --size=100k --ioengine=psync --fsync=1 \
		--thinktime=100ms --output=/dev/null
}

# waits PID: until it is inside fsync() and sleeps for a disk
waits()
{
	until [ "$(cut -d ' ' -f 1 "/proc/$1/syscall")" = 74 ] && [ "$(awk '{ print $3 }' "/proc/$1/stat")" = D ]; do
		sleep 0.05
	done
}

# called STACK NAME COMMAND...: runs it; of its calls $OUT/STACK.NAME.calls.PID tells when they began, and how long each took
called()
{
	strace -ff -y -ttt -T -o "$OUT/$1.$2.calls" -e trace=fsync,fdatasync,syncfs,sync,msync,write "${@:3}" >/dev/null 2>&1
}

# calls STACK NAME...: "call PID BEGIN END NEXT WHAT", in microseconds, of those that wait; of dd each write does. Between BEGIN
# and the time that END - BEGIN is counted from strace may be held up, so the call may last until the NEXT line.
calls()
{
	local stack=$1 name file

	for name in "${@:2}"; do
		for file in "$OUT/$stack.$name.calls".*; do
			[ -e "$file" ] || continue
			awk -v pid="${file##*.}" -v name="$name" '
				function us(s) { split(s, part, "."); return part[1] % 1000000 * 1000000 + part[2] }
				call { printf "%s %.0f %s\n", call, us($1), what; call = "" }
				/ write\(/ && (name !~ /osync|direct/ || !/ write\(1[<,]/) { next }
				/>$/ {
					took = $NF; gsub(/[<>]/, "", took)
					call = sprintf("call %d %.0f %.0f", pid, us($1), us($1) + took * 1000000); what = $2
				}' "$file"
		done
	done
}

# asked STACK: "command PID SUBMITTED SYNCERS NAME OP" of flushes and writes with FUA
asked()
{
	jq -r 'select(.type == "io" and (.op == "flush" or (.flags | index("fua")))) |
		"command \(.syncer_pid // 0) \(((.time_ns - .lat_ns) / 1000 | floor) % 1000000000000) \(.syncers // 0) \(.syncer // "-") \(.op)"' \
		"$OUT/$1_trace.out"
}

# wrong STACK: flushes and writes with FUA whose syncer is in none of its calls
wrong()
{
	# shellcheck disable=SC2086 # words
	{ calls "$1" $NAMES; asked "$1" | grep -vwFf "$OUT/held"; } | awk -v n=0 '
		$1 == "call" { pid[n] = $2; begin[n] = $3; next_at[n++] = $5; next }
		{
			right = !$2
			for (i = 0; i < n; i++) {
				if ($2 == pid[i] && begin[i] <= $3 && $3 <= next_at[i])
					right = 1
			}
			if (!right)
				print
		}'
}

# named STACK NAME OP: how many commands trace gives to the processes that were traced as NAME
named()
{
	# shellcheck disable=SC2046 # lines of files
	{ calls "$1" "$2"; asked "$1"; } | awk -v n=0 -v op="$3" '$1 == "call" { mine[$2] = 1; next } $2 in mine && $6 == op { n++ } END { print n }'
}

# rows STACK RUN: "NAME(PID) OP COUNT" of who waits, added up; not of the two at a time, which runs may see in another order
rows()
{
	jq -r 'select(.syncer) | "\(.syncer)(\(.syncer_pid)) \(.op) \(.count // .commands)"' "$OUT/$1_$2.out" |
		grep -vFf <(calls "$1" two | awk '{ print "(" $2 ")" }') |
		awk '{ n[$1 " " $2] += $3 } END { for (who in n) print who, n[who] }' | sort
}

NAMES='fio two sqlite3 osync direct msync syncfs sync before after'

# Each of these calls leads to one flush on each disk, but fdatasync() of a directory: sqlite3 asks for that when the file
# in it, and with that the directory, is there already. On a kernel that cannot trace a function of many arguments nobody
# is named for a direct write with O_SYNC: 6.1.
host_counts()
{
	local stack=$1 disks=$2 name calls op

	for name in fio sqlite3 osync msync direct; do
		calls=$(calls "$stack" "$name" | grep -vc "/tmp/$stack>") op=flush
		[ "$name" != direct ] || op='write'
		[ "$name/$KERNEL" != direct/6.1 ] || calls=0
		check_eq "$stack: $name" "$(named "$stack" "$name" $op) for $(calls "$stack" "$name" | wc -l)" \
			"$((calls * disks)) for $(calls "$stack" "$name" | wc -l)"
	done
	for name in syncfs sync; do
		check "$stack: $name" test "$(named "$stack" "$name" flush)" -gt 0
	done
	check "$stack: nobody waits for umount" test "$(asked "$stack" | awk '$2 == 0' | wc -l)" -gt 0
}

host()
{
	local stack run first

	for stack in $STACKS; do
		check_eq "$stack: of each who is inside" "$(wrong "$stack")" ""
		host_counts "$stack" "${DISKS[$stack]}"
		"$NVMETOOL" latency --json --by syncer,opcode -i "$OUT/$stack.nvt" >"$OUT/${stack}_replay.out"
		check "$stack: rows" test "$(rows "$stack" latency | wc -l)" -gt 10
		for run in stacks top replay; do
			check_eq "$stack: $run as latency" "$(rows "$stack" "$run")" "$(rows "$stack" latency)"
		done
	done
	first=$(head -n 1 "$OUT/held")
	check_eq "who left unseen is forgotten" "$(asked volume | grep -wFf <(calls volume after | awk '{ print $2 }') | tail -n 1 | awk '{ print $4, $5 }')" "1 fio"
	check_eq "who went in first" "$(asked volume | grep -wFf "$OUT/held" | sort -nk 3 | awk 'NR == 1 { print $2, $4, $5 }')" "$first 2 dd"
}
