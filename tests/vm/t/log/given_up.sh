# SPDX-License-Identifier: GPL-2.0-or-later
# What the driver sets up and then gives up has ended, also where no tracepoint says so: passthrough reads for whose metadata the
# bounce buffer has no room. They are not outstanding any more, either.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=tight
kernels='5.10 6.1 6.12 6.18 sid as5.15-6.1'
test='6.1 6.12'
plan=12
seconds=9

. "$VM/lib/account.sh"
. "$VM/lib/hold.sh"

HELD=20 # reads on each CPU, which leave 176 KiB of its buffer; of the one that 5.10 has they take parts of both halves
REUSED=200 # reads that come by each tag of a word of the bitmap, one of which was the first's that was given up

# pass_through METADATA: a read with so many bytes of it
pass_through()
{
	taskset -c 1 nvme io-passthru "/dev/$other" --opcode=2 --namespace-id=2 --data-len=4096 --metadata-len="$1" --cdw12=7 --read >"$OUT/data"
}

# given_up NTH: one that finds no room; 5.10 calls it a success
given_up()
{
	if [ "$KERNEL" = 5.10 ]; then
		check "the $1 that finds none ends" pass_through 245760
	else
		check "the $1 that finds none fails" fails pass_through 245760
	fi
}

# reported SEQ
reported()
{
	local how

	for how in $(methods); do
		report "$how" USR1 "$1"
	done
}

guest()
{
	local disk other how held

	skip_tp_btf 5
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
	given_up first
	reported 0
	taskset -c 1 dd if="/dev/$other" of=/dev/null bs=4k count=$REUSED iflag=direct
	given_up second
	throttle 0
	wait "$held"
	drained
	reported 1
	dd if="/dev/$other" of=/dev/null bs=4k count=1 iflag=direct
	for how in $(methods); do
		detach "$how"
		check_eq "$how: it ends well" "$status" 0
	done
	echo 30000 >"/sys/block/$disk/queue/io_timeout"
}

host()
{
	local how counted='[2,0,0,null]'

	# Without compare and swap nothing changes before the tag is used again.
	[ "$KERNEL" != 5.10 ] || counted='[1,1,0,null]'
	for how in $(methods); do
		check "$how: the account" nothing_lost "$OUT/$how.out"
		check_eq "$how: each counts once, none is left" "$(summary_of "$OUT/$how.out" |
			jq -c '[.failed_setup, .requeued, .inflight_at_exit, .oldest_ns]')" "$counted"
		check_eq "$how: in no interval is one in flight" "$(jq -c 'select(.type == "top") | [.seq, .count, .inflight]' \
			"$OUT/$how.out" | sort | xargs)" "[0,1,0] [0,1,$((2 * HELD))] [1,$REUSED,0] [1,$((2 * HELD)),0] [2,1,0]"
	done
	[ "$KERNEL" = 5.10 ] || check "tp_btf: nothing was outstanding most of the last interval" \
		[ "$(jq 'select(.type == "top" and .seq == 2).util_pct | floor' "$OUT/tp_btf.out")" -lt 60 ]
}
