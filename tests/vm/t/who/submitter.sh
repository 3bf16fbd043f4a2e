# SPDX-License-Identifier: GPL-2.0-or-later
# The submitter, where nvme_setup_cmd runs in a kernel worker: filters on the process give exactly their share, a
# retry keeps its submitter, and a worker is named only where it was a worker that submitted.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/share.sh"

topology=deadline
test='6.1'
plan=18
seconds=24

guest()
{
	local disk group=/sys/fs/cgroup/lab reader writer victim crowd trace=/sys/kernel/tracing

	disk=$(disk_of lab0 1)
	mkdir "$group"
	start_load
	list_runs >"$OUT/runs"
	: >"$OUT/devices"
	start_runs
	echo 1 >$trace/events/nvme/nvme_setup_cmd/enable
	start_crowd
	printf '\n\n\n' >&5
	wait "$reader"
	wait "$writer"
	wait "$victim"
	kill "$crowd"
	wait "$crowd" || true
	echo 0 >$trace/events/nvme/nvme_setup_cmd/enable
	write_back
	drained
	end_runs
	grep nvme_setup_cmd: $trace/trace >"$OUT/setups"
	case $KERNEL in
	6.1) check "nvme_setup_cmd ran in workers" mostly_workers ;;
	*) skip "nvme_setup_cmd ran in workers" "newer kernels run it where they can, a retry anywhere" ;;
	esac
	printf '%s %s %s\n' reader "$reader" dd writer "$writer" fio victim "$victim" dd >"$OUT/processes"
	rmdir "$group"
}

# The reader and the writer keep to blocks of their own; the reader and the victim are in a cgroup. The victim reads
# four blocks that fail, six times each, and then the four after them.
start_load()
{
	gate 5
	held 5 dd if="/dev/$disk" of=/dev/null iflag=direct bs=4k skip=1000 count=100
	reader=$!
	held 5 fio --name=writer --thread --filename="/dev/$disk" --rw=randwrite --bs=4k --offset=32M --size=16M \
		--direct=1 --ioengine=psync --number_ios=150
	writer=$!
	held 5 dd if="/dev/$disk" of=/dev/null iflag=direct bs=4k skip=125 count=4 conv=noerror
	victim=$!
	echo "$reader" >"$group/cgroup.procs"
	echo "$victim" >"$group/cgroup.procs"
}

reads_done()
{
	awk '{ print $1 }' "/sys/block/$disk/stat"
}

# Readers on each CPU that start the commands of others, the victim's retries among them.
start_crowd()
{
	local before

	before=$(reads_done)
	fio --name=crowd --thread --numjobs=4 --filename="/dev/$disk" --rw=randread --bs=4k --offset=56M --size=8M \
		--direct=1 --ioengine=psync --time_based --runtime=600 --output="$OUT/crowd" &
	crowd=$!
	until [ "$(reads_done)" -gt "$((before + 8))" ]; do
		sleep 0.02
	done
}

list_runs()
{
	printf '%s\n' "-p $reader" "-p $writer" "-p $victim" "-p $reader,$writer" "--comm dd" \
		"--comm f*" "-g /sys/fs/cgroup/lab" "-g /sys/fs/cgroup/lab -p $reader" \
		"--comm dd -O read --status error" "-g /sys/fs/cgroup/lab --status retry"
}

# Dirty pages that nobody asks to be written: the kernel's flusher does, a worker. The descriptor that stays open
# keeps dd from writing them when it closes the device.
write_back()
{
	local vm=/proc/sys/vm expire every

	expire=$(cat $vm/dirty_expire_centisecs) every=$(cat $vm/dirty_writeback_centisecs)
	exec 8<>"/dev/$disk"
	dd if=/dev/zero of="/dev/$disk" bs=64k seek=800 count=4 conv=notrunc 2>/dev/null
	echo 1 >$vm/dirty_expire_centisecs
	echo 1 >$vm/dirty_writeback_centisecs
	until grep -q '"slba":102' "$OUT/all.out"; do
		sleep 0.02
	done
	exec 8>&-
	echo "$expire" >$vm/dirty_expire_centisecs
	echo "$every" >$vm/dirty_writeback_centisecs
}

mostly_workers()
{
	awk '/kworker/ { workers++ }
		END { print workers + 0 " of " NR; exit !(NR >= 278 && workers > NR * 0.9) }' "$OUT/setups"
}

host()
{
	local name pid comm

	share_check --all "$OUT/all.out" "$OUT/runs" "$OUT/run%.out"
	while read -r name pid comm; do
		eval "$name=$pid"
	done <"$OUT/processes"
	check_eq "who read from LBA 8000 on" "$(who 8000 8799)" "100 read $reader dd /lab false 0"
	check_eq "who wrote from LBA 65536 on" "$(who 65536 98303)" "150 write $writer fio / false 0"
	check_eq "six attempts on each of four blocks" "$(who 1000 1031)" \
		"$(for i in 0 1 2 3 4 5; do echo "4 read $victim dd /lab false $i"; done | xargs)"
	check "written back by workers" worker_wrote
	check "no other command was a worker's" none "$OUT/all.out" '.worker and .slba < 102400'
	check_eq "each command of the load has its line" \
		"$(jq -s 'map(select(.type == "io" and .slba < 102400)) | length' "$OUT/all.out")" 278
}

# who FROM TO: "COUNT OP PID COMM CGROUP WORKER RETRIES" of the commands that start there
who()
{
	jq -r --argjson from "$1" --argjson to "$2" '
		select(.type == "io" and .slba != null and .slba >= $from and .slba <= $to) |
		"\(.op) \(.pid) \(.comm) \(.cgroup) \(.worker) \(.retries)"' "$OUT/all.out" | sort | uniq -c | xargs
}

worker_wrote()
{
	local written='select(.type == "io" and .slba >= 102400 and .slba < 114688)' # behind it the crowd reads

	jq -c "$written"' | [.op, .worker, .comm[:7]]' "$OUT/all.out" | sort -u
	jq -se "map($written)"' |
		length > 0 and all(.op == "write" and .worker and (.comm | startswith("kworker")))' "$OUT/all.out" >/dev/null
}
