# SPDX-License-Identifier: GPL-2.0-or-later
# errors on NVMe/TCP: the target goes away with commands in flight. What the host cancels (3/71) and what it ends
# without sending (3/70) is as often as the kernel's own tracepoint says. The target's disk takes longer for a command
# than the target for going away. Data of writes does not go along with the command: the driver builds the header for it
# where the command was.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='* !5.10'
test='6.12'
plan=11
seconds=19

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"
. "$VM/lib/fabrics.sh"

guest()
{
	local disk ctrl name far

	ip link set lo up
	far=$(scsi_disk dev_size_mb=64)
	target_up far "/dev/$far" 1024
	target_connect far --nr-io-queues=2 --ctrl-loss-tmo=3 --reconnect-delay=1
	disk=$(target_disk) ctrl=$(target_ctrl)
	echo "$ctrl" >"$OUT/ctrl"
	attached all "$NVMETOOL" errors --json
	attached one "$NVMETOOL" errors --json -c "${ctrl#nvme}"
	attached trace "$NVMETOOL" trace --json -c "${ctrl#nvme}" --show complete
	kernel_statuses_on 0x370 0x371
	scsi_disk_slow
	fio --name=load --filename="/dev/$disk" --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=128 \
		--number_ios=2000 --size=64M --output="$OUT/fio" &
	until awk '{ exit $1 + $2 < 128 || !$2 }' "/sys/block/$far/inflight"; do
		sleep 0.02
	done
	target_gone far
	wait "$!" || true
	while target_ctrl; do
		sleep 0.05
	done
	kernel_statuses_off >"$OUT/kernel"
	for name in all one trace; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	target_down far
	modprobe -r scsi_debug
}

# statuses FILE TYPE: "COUNT STATUS" of each
statuses()
{
	jq -r "select(.type == \"$2\" and .sct == 3).status" "$OUT/$1.out" | sort -n | uniq -c | awk '{ printf "%d 0x%x\n", $1, $2 }'
}

# commands FILE TYPE: those whose submission was seen, as it was
commands()
{
	jq -c "select(.type == \"$2\" and .sct == 3 and .slba != null) |
		[.qid, .tag, .cid, .nsid, .slba, .nlb, .cdw10_15, .flags, .submit_cpu, .pid, .tid, .comm, .cgroup_id]" "$OUT/$1.out" | sort
}

# Commands that were cancelled and cannot be of the load: 8 blocks each, of 64 MB.
STRANGE='.sct == 3 and .slba != null and
	(.nsid != 1 or .nlb != 8 or .slba % 8 != 0 or .slba >= 131072 or .cid % 4096 != .tag)'

host()
{
	check "commands were cancelled" [ "$(statuses all error | awk '$2 == "0x371" { print $1 }')" -ge 64 ]
	check_eq "as many as the kernel's tracepoint shows" "$(statuses all error)" "$(awk '{ print $1, $2 }' "$OUT/kernel")"
	check_eq "the same for that controller alone" "$(statuses one error)" "$(statuses all error)"
	check_eq "trace sees the same completions" "$(statuses trace complete)" "$(statuses all error)"
	check_eq "and the same submissions" "$(commands all error)" "$(commands trace complete)"
	cat "$OUT/all.out" "$OUT/trace.out" >"$OUT/both"
	check "each is one of the load's" none "$OUT/both" "$STRANGE"
	check_eq "all on that controller" "$(jq -r 'select(.sct == 3).ctrl' "$OUT/all.out" | sort -u)" "$(cat "$OUT/ctrl")"
	check "the accounts" accounts
}

accounts()
{
	nothing_lost "$OUT/all.out" && nothing_lost "$OUT/one.out" && nothing_lost "$OUT/trace.out"
}
