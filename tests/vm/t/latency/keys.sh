# SPDX-License-Identifier: GPL-2.0-or-later
# Keys of --by that say more than who submitted. owner and cgroup: writeback counts for the cgroup that wrote, if it has
# the io controller. sched: no request has the name of another scheduler, while it is switched.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tracefs.sh"

topology=keys
kernels='* as5.15-6.1'
test='6.1 as5.15-6.1'
plan=23
seconds=20

CGROUPS=/sys/fs/cgroup
SCHEDULERS='none mq-deadline kyber bfq'

guest()
{
	owners
	switched
}

# owners: two groups with the io controller and one without it write through the page cache of one file system
owners()
{
	local disk

	disk=$(disk_of lab0 1)
	attached live "$NVMETOOL" latency --json --by owner,opcode -d "$disk"
	attached recorded "$NVMETOOL" record --keys owner -w "$OUT/owners.nvt" -d "$disk"
	attached cgroups "$NVMETOOL" latency --json --by cgroup,opcode -d "$disk"
	attached stacks "$NVMETOOL" stacks --json --by cgroup,opcode -d "$disk"
	modprobe ext4
	mkfs.ext4 -q "/dev/$disk"
	mkdir -p "$OUT/mnt"
	mount "/dev/$disk" "$OUT/mnt"
	echo +io >$CGROUPS/cgroup.subtree_control
	mkdir $CGROUPS/large $CGROUPS/small
	write_in large 48
	write_in small 16
	sync
	echo -io >$CGROUPS/cgroup.subtree_control
	mkdir $CGROUPS/plain
	write_in plain 32
	sync
	umount "$OUT/mnt"
	drained
	for name in live recorded cgroups stacks; do
		detach "$name"
		check_eq "owners, $name ends well" "$status" 0
	done
	rmdir $CGROUPS/large $CGROUPS/small $CGROUPS/plain
}

# write_in GROUP MIB: a process of it writes so much into a file of its own
write_in()
{
	# shellcheck disable=SC2016 # the inner shell's
	GROUP=$1 sh -c 'echo $$ >/sys/fs/cgroup/$GROUP/cgroup.procs; exec "$@"' - \
		dd if=/dev/zero of="$OUT/mnt/$1" bs=64k count=$((16 * $2)) 2>/dev/null
}

# switched: the scheduler is changed again and again under load; each has a function for every request that it had
switched()
{
	local disk load name

	disk=$(disk_of lab0 2)
	echo 2 >"/sys/block/$disk/queue/nomerges"
	for name in $SCHEDULERS; do # loads the modules
		sched "$name" "$disk"
	done
	sched none "$disk"
	# shellcheck disable=SC2046 # words
	probes_on $(finish_functions)
	attached switched "$NVMETOOL" latency --json --by sched -d "$disk"
	attached scheds "$NVMETOOL" record -w "$OUT/scheds.nvt" -d "$disk"
	fio --name=load --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=32 --direct=1 \
		--number_ios=4000 --output-format=json --output="$OUT/switched.json" &
	load=$!
	while kill -0 "$load" 2>/dev/null; do
		for name in $SCHEDULERS; do
			echo "$name" >"/sys/block/$disk/queue/scheduler"
			read -rt 0.05 _ <><(:) || true
		done
	done
	wait "$load"
	drained
	detach switched
	check_eq "switched, ends well" "$status" 0
	detach scheds
	check_eq "switched, record ends well" "$status" 0
	probes_off
}

# finish_functions: where mq-deadline, kyber and bfq let a request go; bfq's had another name before 5.16
finish_functions()
{
	local bfq=bfq_finish_request

	grep -qw $bfq /proc/kallsyms || bfq=bfq_finish_requeue_request
	echo dd_finish_request kyber_finish_request $bfq
}

host()
{
	local name

	"$NVMETOOL" latency --json --by owner,opcode -i "$OUT/owners.nvt" >"$OUT/replayed.out"
	check_near "large is the owner of what it wrote" "$(written live /large)" $((48 << 20)) 1
	check_near "small is the owner of what it wrote" "$(written live /small)" $((16 << 20)) 1
	check_eq "who has no io controller owns nothing" "$(written live /plain)" 0
	check "what it wrote is the root's" test "$(written live /)" -ge $((32 << 20))
	check_eq "a recording says the same" "$(owners_of replayed)" "$(owners_of live)"
	"$NVMETOOL" latency --json --by cgroup,opcode -i "$OUT/owners.nvt" >"$OUT/again.out"
	check_eq "a recording says so by cgroup, too" "$(owners_of again)" "$(owners_of live)"
	check_eq "so does --by cgroup" "$(owners_of cgroups)" "$(owners_of live)"
	check_eq "so do stacks" "$(owners_of stacks)" "$(owners_of live)"
	"$NVMETOOL" latency --json --by sched -i "$OUT/scheds.nvt" >"$OUT/scheds.out"
	for name in mq-deadline kyber bfq; do
		check_eq "switched, requests of $name" "$(by_name "$name" switched)" "$(finished_by "$name")"
		check_eq "record keeps schedulers unless told otherwise: $name" "$(by_name "$name" scheds)" "$(finished_by "$name")"
	done
	check_eq "switched, no request is left out" "$(good switched)" 4000
	check_eq "switched, none is left out of the recording" "$(good scheds)" 4000
	check "record: some went through no scheduler" [ "$(by_name none scheds)" -gt 0 ]
}

# written RUN OWNER: bytes
written()
{
	jq -s --arg owner "$2" 'map(select(.type == "latency" and .op == "write" and .owner == $owner).bytes) | add // 0' \
		"$OUT/$1.out"
}

owners_of()
{
	jq -r 'select(.type == "latency" or .type == "stack") | "\(.owner // .cgroup) \(.op) \(.bytes)"' "$OUT/$1.out" |
		awk '{ n[$1 " " $2] += $3 } END { for (i in n) print i, n[i] }' | sort
}

# by_name SCHEDULER RUN
by_name()
{
	jq -s --arg sched "$1" 'map(select(.type == "latency" and .sched == $sched).count) | add' "$OUT/$2.out"
}

# good RUN: commands that did not fail; what a host that stands still lets time out is tried again
good()
{
	jq -s 'map(select(.type == "latency") | .count - .errors) | add' "$OUT/$1.out"
}

finished_by()
{
	local begin=$1

	begin=${begin/mq-deadline/dd}
	grep -c "^${begin}_" "$OUT/calls"
}
