# SPDX-License-Identifier: GPL-2.0-or-later
# stacks: what the kernel's own stack traces show, as many as the drive's log has; in JSON, folded and from a recording.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='* arm64-6.1 arm64-6.12'
test='6.1'
plan=35
seconds=33

. "$VM/lib/stacks.sh"
. "$VM/lib/account.sh"

loads='libaio psync io_uring buffered'

begin()
{
	attached "$1" "$NVMETOOL" stacks --json --strict -b comm,opcode "${@:3}"
	attached "$1_folded" "$NVMETOOL" stacks -f folded --strict -b opcode "${@:3}"
	mark "$disk" "$2"
}

# ended NAME MARK
ended()
{
	drained
	mark "$disk" "$2"
	detach "$1"
	check_eq "$1: ends well" "$status $(told "$OUT/$1.err")" "0 "
	detach "$1_folded"
	check_eq "$1: folded ends well" "$status $(told "$OUT/$1_folded.err")" "0 "
}

# Dirty pages that nobody but the flusher writes: the file stays open, for closing it would write them.
written_back()
{
	local before

	before=$(awk '{ print $7 }' "/sys/block/$disk/stat")
	exec {device}>"/dev/$disk"
	dd if=/dev/zero of="/proc/self/fd/$device" bs=64k count=32 conv=notrunc 2>/dev/null
	until [ "$(awk '{ print $7 }' "/sys/block/$disk/stat")" -ge $((before + 4096)) ]; do
		sleep 0.05
	done
	drained
	exec {device}>&-
}

run_load()
{
	case $1 in
	buffered) written_back ;;
	*) fio_load "$1" --filename="/dev/$disk" --rw=randrw --size=64M --ioengine="$1" --iodepth=16 --number_ios=200 ;;
	esac
}

guest()
{
	local disk number=1 name expire every vm=/proc/sys/vm

	disk=$(disk_of lab0 1)
	expire=$(cat $vm/dirty_expire_centisecs) every=$(cat $vm/dirty_writeback_centisecs)
	echo 100 >$vm/dirty_writeback_centisecs
	echo 100 >$vm/dirty_expire_centisecs
	attached recording "$NVMETOOL" record -k -w "$OUT/all.nvt"
	for name in $loads; do
		begin "$name" "$number"
		kernel_stacks "$OUT/$name.kernel" nvme/nvme_setup_cmd block/block_rq_insert
		run_load "$name"
		kernel_stacks_end
		ended "$name" $((number + 1))
		number=$((number + 2))
	done
	detach recording
	begin entry 11 --at queue
	kernel_stacks "$OUT/entry.kernel" block/block_getrq
	run_load libaio
	kernel_stacks_end
	ended entry 12
	sched mq-deadline "$disk"
	begin held 13
	run_load psync
	ended held 14
	sched none "$disk"
	echo "$expire" >$vm/dirty_expire_centisecs
	echo "$every" >$vm/dirty_writeback_centisecs
}

# figures NAME FROM TO: counts equal the drive's log, stacks equal the kernel's
figures()
{
	local seen

	drive_log "$2" "$3"
	seen=$(jq -c 'select(.op != "dsm")' "$OUT/drive.ndjson" | wc -l)
	check_eq "$1: counts sum to the drive's log, and so do the folded lines" \
		"$(stacks_sum "$OUT/$1.out") $(folded_sum "$OUT/$1_folded.out")" "$seen $seen"
	check "$1: the account" nothing_lost "$OUT/$1.out"
	[ ! -e "$OUT/$1.kernel" ] || check "$1: stacks are those the kernel shows" same_stacks "$OUT/$1.out" "$OUT/$1.kernel"
}

host()
{
	figures libaio 1 2
	figures psync 3 4
	figures io_uring 5 6
	figures buffered 7 8
	figures entry 11 12
	figures held 13 14
	check_eq "written back by a worker, and marked so" \
		"$(jq -r 'select(.type == "stack" and .op == "write") | .worker' "$OUT/buffered.out" | sort -u)" true
	check_eq "nothing else is" "$(stacks_sum "$OUT/psync.out" .worker)" 0
	check_eq "what a scheduler held back is its submitter's" "$(stacks_sum "$OUT/held.out" '.comm == "fio" and (.worker | not)')" \
		"$(stacks_sum "$OUT/held.out")"
	check "system calls are at its root" jq -es 'map(select(.type == "stack" and .op != "dsm")) | length > 0 and
		all(.[]; .kstack | any(.[]; test("_pread64|_pwrite64")))' "$OUT/held.out"
	check "block layer entry is where requests are made" jq -es 'map(select(.type == "stack" and .op != "dsm")) |
		length > 0 and all(.[]; .kstack[0] == "blk_mq_submit_bio")' "$OUT/entry.out"
	check_eq "a recording has the same stacks" \
		"$("$NVMETOOL" stacks -i "$OUT/all.nvt" -O read,write -f folded 2>&1 | sort | md5sum)" \
		"$(for name in $loads; do grep -E '^op=(read|write);' "$OUT/${name}_folded.out"; done | sed 's/^[^;]*;//' |
			awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort | md5sum)"
}
