# SPDX-License-Identifier: GPL-2.0-or-later
# The lab itself: fio, the kernel's own tracepoints and the drive's log agree on every command.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
plan=8

tracepoint()
{
	echo "$2" >"/sys/kernel/tracing/events/nvme/$1/enable"
}

guest()
{
	local disk trace=/sys/kernel/tracing

	disk=$(disk_of lab0 1)
	echo 16384 >$trace/buffer_size_kb
	echo >$trace/trace
	tracepoint nvme_setup_cmd 1
	tracepoint nvme_complete_rq 1
	mark "$disk" 171
	fio_load load --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=8 \
		--number_ios=200
	drained
	mark "$disk" 172
	tracepoint nvme_setup_cmd 0
	tracepoint nvme_complete_rq 0
	cat $trace/trace >"$OUT/trace"
	check_eq "fio issued 200 commands" $(($(fio_count load read) + $(fio_count load write))) 200
	check_eq "the kernel set up 200 reads and writes" \
		"$(grep -cE 'nvme_setup_cmd:.*cmd=\(nvme_cmd_(read|write) ' "$OUT/trace")" 200
	check "the monitor of QEMU answers" monitor "info version"
	# The test's own tools: a command that says when it is ready, and one that never does.
	attached fake bash -c 'echo ready >&9; exec sleep 60'
	detach fake TERM
	check_eq "attached and detach" "$status" 143
	check "attached fails with the command" fails attached broken false
}

host()
{
	drive_log 171 172
	check_eq "the drive saw 200 commands" "$(wc -l <"$OUT/drive.ndjson")" 200
	check_eq "all of them succeeded" "$(jq 'select(.status == 0)' -c "$OUT/drive.ndjson" | wc -l)" 200
	check_eq "command by command: cid, queue, LBA, blocks" "$(kernel_says)" "$(drive_says)"
}

# One line per command: qid cid nsid opcode slba nlb; nvme_setup_cmd prints nlb from 0.
kernel_says()
{
	sed -nE 's/.*nvme_setup_cmd: .*qid=([0-9]+), cmdid=([0-9]+), nsid=([0-9]+), .*cmd=\(nvme_cmd_(read|write) slba=([0-9]+), len=([0-9]+),.*/\1 \2 \3 \4 \5 \6/p' \
		"$OUT/trace" | awk '{ $4 = $4 == "read" ? 2 : 1; $6 += 1; print }' | sort
}

drive_says()
{
	jq -r '"\(.qid) \(.cid) \(.nsid) \(.opcode) \(.slba) \(.nlb)"' "$OUT/drive.ndjson" | sort
}
