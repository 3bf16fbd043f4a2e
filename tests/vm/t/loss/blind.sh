# SPDX-License-Identifier: GPL-2.0-or-later
# The account knows what passed apart from what was joined: programs that forget a completion in a thousand are found out.
# Commands that end without a completion are closed by what the block layer says, not left in flight.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
kernels='6.1 6.12 6.18'
test='6.1'
plan=17
seconds=14

. "$VM/lib/account.sh"
. "$VM/lib/blind.sh"

# forgetful HOW: 2500 completions on one CPU, of which two are forgotten
forgetful()
{
	blind "missed_$1" missed "$1"
	fio_load "load_$1" --filename="/dev/$disk" --rw=randread --offset=1M --size=32M --ioengine=libaio --iodepth=8 \
		--cpus_allowed=1 --number_ios=2500
	drained
	detach "missed_$1"
	check_eq "$1: --strict ends with 7" "$status" 7
	check "$1: a person is told" grep -q '2 commands seen but missing in the account' "$OUT/missed_$1.err"
}

# unfinished NAME SCHEDULER HOW: a block cannot be read, and none of the completions that say so is seen
unfinished()
{
	sched "$2" "$disk"
	blind "$1" unseen "$3"
	dd if="/dev/$disk" of=/dev/null bs=512 skip=1000 count=1 iflag=direct 2>/dev/null || :
	drained
	detach "$1"
	sched none "$disk"
	check_eq "$1: nothing is lost" "$status" 0
}

guest()
{
	local disk how

	disk=$(disk_of lab0 1)
	for how in $(methods); do
		forgetful "$how"
		unfinished "none_$how" none "$how"
		unfinished "deadline_$how" mq-deadline "$how"
	done
}

# of NAME FILTER: of the summary
of()
{
	summary_of "$OUT/$1.out" | jq -c "$2"
}

host()
{
	local how sched

	for how in $(methods); do
		check_eq "$how: both are missing, and that is a loss" \
			"$(of "missed_$how" '[.lost.miscounted, .complete, .completed - .paired - .before_attach]')" "[2,false,2]"
		for sched in none deadline; do
			check_eq "$how, $sched: five attempts taken back, the last one given up" \
				"$(of "${sched}_$how" '[.requeued, .failed_setup, .inflight_at_exit, .lost.miscounted, .complete]')" \
				"[5,1,0,0,true]"
		done
	done
	check "the account of what was given up adds up" adds_up "$OUT/none_raw_tp.out"
	check "and behind a scheduler" adds_up "$OUT/deadline_raw_tp.out"
	check "that of the forgetful does not" fails adds_up "$OUT/missed_raw_tp.out"
}
