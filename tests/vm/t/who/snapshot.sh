# SPDX-License-Identifier: GPL-2.0-or-later
# inflight: reads that a throttled drive holds before nvmetool starts, a buffered one, what kernel workers write and an
# admin command, against the drive's log, debugfs, a trace of the same commands and the processes that wait for them.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stacked
test='6.1'
plan=48
seconds=75

. "$VM/lib/account.sh"
. "$VM/lib/hold.sh"

ENGINES='libaio io_uring psync'
CGROUPS=/sys/fs/cgroup

guest()
{
	local disk ctrl engine

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	less
	attached trace "$NVMETOOL" trace --json --show submit -d "$disk"
	mark "$disk" 701
	for engine in $ENGINES; do
		held_reads "$engine"
	done
	passed_through
	mark "$disk" 702
	detach trace
	alone
	expired
	buffered
	by_workers
	admin
}

# less: in /run/less, BTF like that of a kernel without AIO, io_uring and direct I/O of files, whose stacks are not mapped
less()
{
	local task=tctx

	case $KERNEL in 5.10 | 6.1 | 6.12) task=task ;; esac
	mkdir /run/less
	cp /sys/kernel/btf/* /run/less
	"$VM/btfedit" /sys/kernel/btf/vmlinux /run/less/vmlinux aio_kiocb.ki_ctx=zzz io_kiocb.$task=zzz iomap_dio.iocb=zzz \
		task_struct.stack_vm_area=zzz
}

# until_shown NAME WORD: waits until $NAME.out has a record of that type or operation
until_shown()
{
	until grep -Eq "\"(type|op)\":\"$2\"" "$OUT/$1.out"; do
		read -rt 0.02 _ <><(:) || true
	done
}

# reads ENGINE COUNT: starts fio in one process; its id is in $reader
reads()
{
	local depth=("--iodepth=$2" "--number_ios=$2")

	[ "$1" != psync ] || depth=("--numjobs=$2" --number_ios=1)
	fio --name=held --thread --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --size=16M --ioengine="$1" \
		--randrepeat=0 --invalidate=0 "${depth[@]}" --output="$OUT/$1.fio" &
	reader=$!
}

# held_reads ENGINE
held_reads()
{
	local reader

	holding
	reads "$1" 24
	held_by 24
	"$NVMETOOL" inflight --json --device "$disk" -q io 200ms 2 >"$OUT/$1.out" 2>"$OUT/$1.err"
	NVMETOOL_BTF=any "$NVMETOOL" inflight --btf /run/less --json --device "$disk" -q io >"$OUT/less_$1.out" \
		2>"$OUT/less_$1.err"
	echo "$reader" >"$OUT/$1.pid"
	cat "/sys/kernel/debug/block/$disk"/hctx*/busy >"$OUT/$1.busy"
	status=0
	"$NVMETOOL" inflight --json -r 1 --fail-if 'count>23 and left>1s' >"$OUT/$1.fail" 2>&1 || status=$?
	check_eq "$1: --fail-if" "$status" 6
	let_go
}

# passed_through: reads that fio gives the driver through io_uring, which came with 5.19; sysfs does not count them
passed_through()
{
	local reader

	[ "$KERNEL" != 5.10 ] || return 0
	holding
	fio --name=held --thread --filename="/dev/ng${disk#nvme}" --rw=randread --bs=4k --size=16M --ioengine=io_uring_cmd \
		--cmd_type=nvme --randrepeat=0 --iodepth=24 --number_ios=24 --output="$OUT/uring.fio" &
	reader=$!
	until [ "$(cat "/sys/kernel/debug/block/$disk"/hctx*/busy | wc -l)" -ge 24 ]; do
		read -rt 0.02 _ <><(:) || true
	done
	"$NVMETOOL" inflight --json --device "$disk" -q io >"$OUT/uring_cmd.out"
	echo "$reader" >"$OUT/uring_cmd.pid"
	let_go
}

# alone: what hangs takes two capabilities (and, on 5.10, one for memory). A task that sleeps on a completion is known
# then, too, as this one is on 6.1 and newer; for others addresses of functions are needed, and a third.
alone()
{
	local reader only=-all,+bpf,+perfmon want

	hold_read
	want=$reader
	[ "$KERNEL" != 5.10 ] || { only+=,+sys_resource; want=null; }
	setpriv --bounding-set="$only" "$NVMETOOL" inflight --json >"$OUT/alone.out" 2>"$OUT/alone.err"
	setpriv --bounding-set="$only,+syslog" "$NVMETOOL" inflight --json >"$OUT/named.out"
	check_eq "with CAP_BPF and CAP_PERFMON" "$(in_flight "$OUT/alone.out")" "read 2400 $want"
	check_eq "what is missing is told" "$(grep -c 'add CAP_SYSLOG' "$OUT/alone.err" || true)" 1
	check_eq "with CAP_SYSLOG, too" "$(in_flight "$OUT/named.out")" "read 2400 $reader"
	untraced
	let_go
}

# untraced: there are descriptors for the walk, but not for the programs that INTERVAL attaches
untraced()
{
	status=0
	prlimit --nofile=24 "$NVMETOOL" inflight --json 50ms 2 >"$OUT/untraced.out" 2>"$OUT/untraced.err" || status=$?
	check_eq "where it cannot attach, it says so, and its status as well" \
		"$(grep -c '^error: \|goes on without tracing' "$OUT/untraced.err") $status" "2 1"
	check_eq "and shows what hangs, again and again" "$(in_flight "$OUT/untraced.out" | xargs)" \
		"read 2400 $reader read 2400 $reader"
}

# expired: with a timeout of a second, on a drive that serves four reads a second
expired()
{
	local reader watcher

	echo 1000 >"/sys/block/$disk/queue/io_timeout"
	throttle 16384
	[ "$KERNEL" = 5.10 ] || attached errors "$NVMETOOL" errors --json --device "$disk"
	"$NVMETOOL" inflight --json --device "$disk" -q io 50ms >"$OUT/expired.out" 2>"$OUT/expired.err" &
	watcher=$!
	until_shown expired summary # attaching may take as long as the reads do
	reads libaio 24
	until grep -q '"expiries":[1-9]' "$OUT/expired.out" || ! kill -0 "$reader"; do
		read -rt 0.05 _ <><(:) || true
	done
	let_go
	kill -INT "$watcher"
	wait "$watcher"
	until grep -q live "/sys/class/nvme/$ctrl/state"; do
		read -rt 0.05 _ <><(:) || true
	done
	[ "$KERNEL" = 5.10 ] || detach errors
}

# buffered: a file is read through the page cache by a process of a cgroup; the kernel has no proof who waits for it, but
# what has been attached before knows
buffered()
{
	local reader watcher

	modprobe ext4
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$disk"
	mkdir -p "$OUT/mnt"
	mount "/dev/$disk" "$OUT/mnt"
	dd if=/dev/urandom of="$OUT/mnt/file" bs=64k count=16 status=none
	sync
	stat -c %i "$OUT/mnt/file" >"$OUT/ino"
	cat "/sys/block/$disk/dev" >"$OUT/dev"
	umount "$OUT/mnt"
	mount -o ro "/dev/$disk" "$OUT/mnt" # so that nothing else is sent
	stat "$OUT/mnt/file" >/dev/null
	echo +io >$CGROUPS/cgroup.subtree_control
	mkdir $CGROUPS/reader
	drained
	holding
	"$NVMETOOL" inflight --json --device "$disk" -O read 50ms >"$OUT/watched.out" &
	watcher=$!
	until_shown watched summary
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ >/sys/fs/cgroup/reader/cgroup.procs; exec dd if="$1" of=/dev/null bs=4k count=1 status=none' - \
		"$OUT/mnt/file" &
	reader=$!
	echo "$reader" >"$OUT/watched.pid"
	until_shown watched inflight
	kill -INT "$watcher"
	wait "$watcher"
	check "nothing is left attached" detached_all
	"$NVMETOOL" inflight --json --device "$disk" -O read >"$OUT/buffered.out"
	"$NVMETOOL" inflight --json --no-meta --cgroup /reader >"$OUT/cgroup.out"
	let_go
	echo -io >$CGROUPS/cgroup.subtree_control
	rmdir $CGROUPS/reader
	umount "$OUT/mnt"
}

# by_workers: the kernel's flusher writes a page that a process left dirty; nobody waits there. The worker of a loop device
# zeroes what a process of a cgroup discards, and waits for that itself; that of 5.10 is no worker of a queue.
by_workers()
{
	local reader watcher loop='' vm=/proc/sys/vm expire every

	expire=$(cat $vm/dirty_expire_centisecs) every=$(cat $vm/dirty_writeback_centisecs)
	[ "$KERNEL" = 5.10 ] || loop_over_disk
	holding
	"$NVMETOOL" inflight --json --device "$disk" -O write,write-zeroes 50ms >"$OUT/workers.out" &
	watcher=$!
	until_shown workers summary
	exec 8<>"/dev/$disk" # dd does not write the page when it closes the device
	dd if=/dev/zero of="/dev/$disk" bs=4k seek=100 count=1 conv=notrunc status=none &
	reader=$!
	echo 1 >$vm/dirty_expire_centisecs
	echo 1 >$vm/dirty_writeback_centisecs
	until_shown workers write
	echo "$expire" >$vm/dirty_expire_centisecs
	echo "$every" >$vm/dirty_writeback_centisecs
	[ -z "$loop" ] || discard_by_loop
	kill -INT "$watcher"
	wait "$watcher"
	"$NVMETOOL" inflight --json --device "$disk" -O write,write-zeroes >"$OUT/worker.out"
	let_go
	exec 8>&-
	[ -n "$loop" ] || return 0
	losetup -d "$loop"
	echo -io >$CGROUPS/cgroup.subtree_control
	rmdir $CGROUPS/writer
}

# loop_over_disk: makes the loop device, $loop, and the cgroup; losetup would wait for a write that is held
loop_over_disk()
{
	modprobe loop
	loop=$(losetup -f --show "/dev/$disk")
	echo +io >$CGROUPS/cgroup.subtree_control
	mkdir $CGROUPS/writer
}

# discard_by_loop: starts a process, whose id is in $reader, that discards on the loop device
discard_by_loop()
{
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ >/sys/fs/cgroup/writer/cgroup.procs; exec blkdiscard -f -o 1M -l 64k "$1"' - "$loop" 2>/dev/null &
	reader=$!
	until_shown workers write-zeroes
}

# admin: a Format that the drive does not get on with
admin()
{
	local reader

	drained
	holding
	nvme format "/dev/$disk" --force --timeout=3600000 >"$OUT/format" 2>&1 &
	reader=$!
	echo "$reader" >"$OUT/admin.pid"
	until "$NVMETOOL" inflight --json -q admin -O admin:format >"$OUT/admin.out" && grep -q '"op":"format' "$OUT/admin.out"; do
		kill -0 "$reader"
	done
	let_go
	drive_wait lab0 1
}

# rows NAME FILTER: values of each row of the first snapshot
rows()
{
	jq -rs "(map(.type == \"summary\") | index(true)) as \$n | .[:\$n][] | select(.type == \"inflight\") | $2" \
		"$OUT/$1.out"
}

# jq prints this of a row: operation, the process's name up to a slash, whether it is a kernel worker, cgroup.
WORKER='"\(.op) \(.comm | if . then sub("/.*"; "") else . end) \(.worker) \(.cgroup)"'

# of_workers WHO: what is to be, where the flusher's write has WHO
of_workers()
{
	echo "write $1 /"
	[ "$KERNEL" = 5.10 ] || echo "write-zeroes kworker true /writer"
}

host()
{
	local engine

	drive_log 701 702
	for engine in $ENGINES; do
		reads_are_right "$engine"
	done
	if [ "$KERNEL" = 5.10 ]; then
		skip "io_uring_cmd: 24 rows" "it came with 5.19"
		skip "io_uring_cmd: each is one of the drive's log" "it came with 5.19"
		skip "io_uring_cmd: the process" "it came with 5.19"
	else
		reads_are_of uring_cmd
	fi
	check "with a timeout of a second, expiries rise" jq -se 'map(select(.type == "inflight")) |
		any(.expiries > 0) and all(.expiries * 1e9 <= .age_ns + 8e6)' "$OUT/expired.out"
	if [ "$KERNEL" = 5.10 ]; then
		skip "no more expiries than timeouts" "errors does not see those of 5.10"
	else
		check "no more expiries than timeouts" as_often
	fi
	check_eq "a kernel that does not tell the size of stacks: it is said" \
		"$(grep -c 'does not tell how large its stacks are' "$OUT/less_psync.err" "$OUT/psync.err" | xargs -n 1 basename | xargs)" \
		"less_psync.err:1 psync.err:0"
	check "a snapshot is quick" quick
	check_eq "buffered: the file" "$(rows buffered '"\(.ino) \(.ino_dev)"' | sort -u)" "$(cat "$OUT/ino" "$OUT/dev" | xargs)"
	check_eq "buffered: the cgroup" "$(rows buffered .cgroup | sort -u) $(rows cgroup .cgroup | sort -u)" "/reader /reader"
	check_eq "buffered: no process is guessed" "$(rows buffered .pid | sort -u)" null
	check_eq "buffered, with an interval: the process" "$(jq -r 'select(.type == "inflight") |
		"\(.pid) \(.comm) \(.worker) \(.cgroup) \(.ino)"' "$OUT/watched.out" | sort -u)" \
		"$(cat "$OUT/watched.pid") dd false /reader $(cat "$OUT/ino")"
	check_eq "a worker is proven where it waits" "$(rows worker "$WORKER" | sort)" "$(of_workers "null null")"
	check_eq "with an interval others are known" "$(jq -r "select(.type == \"inflight\") | $WORKER" "$OUT/workers.out" |
		sort -u)" "$(of_workers "kworker true")"
	check_eq "admin: the command" "$(rows admin '"\(.op) \(.qid) \(.admin)"')" "format 0 true"
	check_eq "admin: who waits" "$(rows admin '"\(.pid) \(.comm)"')" "$(cat "$OUT/admin.pid") nvme"
}

# The driver's function was called for each expiry that a row has, before the next snapshot began: a row was read some
# time after its mono_ns.
as_often()
{
	jq -n --slurpfile timeouts <(jq -c 'select(.type == "timeout")' "$OUT/errors.out") \
		--slurpfile rows <(jq -c 'select(.type == "inflight" and .expiries > 0)' "$OUT/expired.out") \
		--slurpfile begins <(jq 'select(.type == "summary").mono_ns' "$OUT/expired.out") '
		($rows | length > 0) and all($rows[]; . as $r |
			(first($begins[] | select(. > $r.mono_ns)) // infinite) as $later |
			[$timeouts[] | select(.qid == $r.qid and .cid == $r.cid and
				.mono_ns < $later and .mono_ns >= $r.mono_ns - $r.age_ns)] | length >= $r.expiries)' |
		grep -q true
}

# From the controller to the last row, in the best of many snapshots: a CPU may stand still meanwhile.
quick()
{
	jq -ne 'reduce inputs as $r ({best: 1e9, last: 0};
		if $r.type == "inflight" then .last = $r.mono_ns
		elif $r.type == "summary" and .last > 0 then .best = ([.best, .last - $r.mono_ns] | min) | .last = 0
		else . end) | .best < 20e6' "$OUT/expired.out"
}

# which FILE FILTER: a line for each read of fio: all that this kernel knows of it
which()
{
	jq -r "select($2) | \"\(.qid) \($CID) \(.slba) \(.nlb)\"" "$1" | sort
}

# reads_are_of ENGINE: they are those of the drive's log, and of its process
reads_are_of()
{
	check_eq "$1: 24 rows" "$(rows "$1" .op | sort | uniq -c | xargs)" "24 read"
	check_eq "$1: each is one of the drive's log" "$(comm -23 <(rows "$1" . >"$OUT/$1.rows"; which "$OUT/$1.rows" true) \
		<(which "$OUT/drive.ndjson" '.op == "read"'))" ""
	check_eq "$1: the process" "$(rows "$1" '"\(.pid) \(.comm)"' | sort -u)" "$(cat "$OUT/$1.pid") fio"
}

# reads_are_right ENGINE
reads_are_right()
{
	reads_are_of "$1"
	check_eq "$1: without what the kernel may lack" "$(rows "less_$1" '"\(.op) \(.pid)"' | sort | uniq -c | xargs)" \
		"24 read null"
	check_eq "$1: tags of debugfs" "$(rows "$1" .tag | sort -n | xargs)" \
		"$(sed -n 's/.*[ {.]tag=\([0-9]*\),.*/\1/p' "$OUT/$1.busy" | sort -n | xargs)"
	check "$1: the time left falls" jq -se 'map(select(.type == "inflight")) | group_by([.qid, .tag]) |
		length == 24 and all(length == 2 and .[0].left_ns > .[1].left_ns and .[0].expiries == 0 and .[0].left_ns > 0)' \
		"$OUT/$1.out"
	ages "$1"
}

# ages ENGINE: none is less than the trace tells, and the median is right within 50 ms: a CPU may stand still meanwhile
ages()
{
	jq -n --slurpfile trace <(jq -c 'select(.type == "submit" and .op == "read")' "$OUT/trace.out") \
		--slurpfile rows "$OUT/$1.rows" '$rows[] | . as $r |
		[$trace[] | select(.qid == $r.qid and .slba == $r.slba and .mono_ns < $r.mono_ns)] | max_by(.mono_ns).mono_ns -
		($r.mono_ns - $r.age_ns)' | sort -n >"$OUT/$1.late"
	check "$1: no age is too small" awk '$1 < 0 { bad = 1 } END { exit bad || NR != 24 }' "$OUT/$1.late"
	check "$1: ages are right" awk 'NR == 12 { exit !($1 < 50e6) }' "$OUT/$1.late"
}
