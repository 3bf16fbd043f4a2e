# SPDX-License-Identifier: GPL-2.0-or-later
# What is in flight when a run ends, and ends itself while programs are detached, was not given up by the driver.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

kernels='5.10 6.1 6.12 6.18 sid'
test='6.1'
plan=6
seconds=31

. "$VM/lib/account.sh"
. "$VM/lib/hold.sh"

DEPTH=64 # commands, fifty of which the drive does in a second once it may
RUNS=3

# leaves HOW: a run that ends while they do, one by one
leaves()
{
	local load

	holding
	attached "$1" "$NVMETOOL" trace --json --strict --attach "$1"
	fio_load load --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=$DEPTH --number_ios=$DEPTH &
	load=$!
	held_by $DEPTH
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 50 0 0"
	detach "$1"
	throttle 0
	wait "$load"
	summary_of "$OUT/$1.out"
}

guest()
{
	local disk how i

	disk=$(disk_of lab0 1)
	skip_tp_btf 3
	sched mq-deadline "$disk" # so that the kernel frees requests one by one
	for how in $(methods); do
		for ((i = 0; i < RUNS; i++)); do
			leaves "$how"
		done >"$OUT/$how"
	done
	sched none "$disk"
	echo 30000 >"/sys/block/$disk/queue/io_timeout"
}

host()
{
	local how

	for how in $(methods); do
		check_eq "$how: the runs end well" "$(jq -s 'map(select(.complete)) | length' "$OUT/$how")" $RUNS
		check_eq "$how: none was given up" "$(jq -s 'map(.failed_setup) | add' "$OUT/$how")" 0
		check "$how: some were in flight" jq -se 'map(.inflight_at_exit) | add > 0' "$OUT/$how"
	done
}
