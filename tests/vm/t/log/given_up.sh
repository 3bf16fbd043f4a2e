# SPDX-License-Identifier: GPL-2.0-or-later
# What the driver sets up and then gives up has ended, also where no tracepoint says so: a passthrough read for whose metadata the
# bounce buffer has no room. It is not outstanding any more, either.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=tight
kernels='6.1 6.12 6.18 sid as5.15-6.1'
test='6.1 6.12'
plan=11
seconds=14

. "$VM/lib/account.sh"
. "$VM/lib/hold.sh"

HELD=8 # reads on each CPU, which leave 224 KiB of its buffer

# pass_through METADATA: a read with so many bytes of it
pass_through()
{
	nvme io-passthru "/dev/$other" --opcode=2 --namespace-id=2 --data-len=4096 --metadata-len="$1" --cdw12=7 --read >"$OUT/data"
}

guest()
{
	local disk other how held

	disk=$(disk_of lab0 1)
	other=$(disk_of lab0 2)
	for how in $(methods); do
		attached "$how" "$NVMETOOL" top --json --strict --view dev --attach "$how" 1h
	done
	holding
	fio_load held --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --numjobs=2 --cpus_allowed=0,1 \
		--cpus_allowed_policy=split --iodepth=$HELD --number_ios=$HELD --group_reporting &
	held=$!
	held_by $((2 * HELD))
	check "one that finds room is sent" pass_through 64
	check "one that finds none fails" fails pass_through 245760
	throttle 0
	wait "$held"
	drained
	for how in $(methods); do
		report "$how" USR1 0
	done
	dd if="/dev/$other" of=/dev/null bs=4k count=1 iflag=direct
	for how in $(methods); do
		detach "$how"
		check_eq "$how: it ends well" "$status" 0
	done
	echo 30000 >"/sys/block/$disk/queue/io_timeout"
}

host()
{
	local how

	for how in $(methods); do
		check "$how: the account" nothing_lost "$OUT/$how.out"
		check_eq "$how: one was given up, none is left" "$(summary_of "$OUT/$how.out" |
			jq -c '[.failed_setup, .inflight_at_exit, .oldest_ns]')" '[1,0,null]'
		check_eq "$how: none is in flight after the first interval" "$(jq -c 'select(.type == "top") | [.seq, .count, .inflight]' \
			"$OUT/$how.out" | sort | xargs)" "[0,1,0] [0,$((2 * HELD + 1)),0] [1,1,0]"
	done
	check "tp_btf: nothing was outstanding most of the second interval" [ "$(jq 'select(.type == "top" and .seq == 1).util_pct | floor' \
		"$OUT/tp_btf.out")" -lt 60 ]
}
