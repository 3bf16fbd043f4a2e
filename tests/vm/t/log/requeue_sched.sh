# SPDX-License-Identifier: GPL-2.0-or-later
# With a scheduler, commands that the driver takes back give their tag away before they are set up again: each is counted
# once, and none stays in flight.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=bounce
kernels='5.10 6.1 6.12'
test='6.1'
plan=12
seconds=5

. "$VM/lib/account.sh"

COMMANDS=300 # of each of two loads
RUNS='trace latency crowded'
[ "${KERNEL:-}" != 5.10 ] || RUNS='trace latency'

load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=read --bs=128k --offset="$2" --size=128M --ioengine=libaio --iodepth=32 \
		--number_ios="$COMMANDS"
}

guest()
{
	local disk name loads=()

	disk=$(disk_of lab0 1)
	sched mq-deadline "$disk"
	attached trace "$NVMETOOL" trace --json --strict
	attached latency "$NVMETOOL" latency --json --strict
	if [ "$KERNEL" = 5.10 ]; then
		for name in 1 2 3 4; do
			skip "--max-inflight" "5.10 counts what was taken back until its tag is used again"
		done
	else
		attached crowded "$NVMETOOL" latency --json --strict --max-inflight 100
	fi
	mark "$disk" 3
	load one 0 &
	loads+=($!)
	load two 512M &
	loads+=($!)
	wait "${loads[@]}"
	drained
	mark "$disk" 4
	for name in $RUNS; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	sched none "$disk"
}

# account NAME: it adds up, nothing is lost, commands were set up again, and none is left
account()
{
	nothing_lost "$OUT/$1.out" && summary_of "$OUT/$1.out" | jq -e '.requeued > 0 and .inflight_at_exit == 0' >/dev/null
}

host()
{
	local name all=$((2 * COMMANDS))

	drive_log 3 4
	check_eq "the drive got each command once" "$(wc -l <"$OUT/drive.ndjson")" "$all"
	check "trace equals the drive's log" "$VM/compare" --from 3 --to 4 "$OUT/drive.ndjson" "$OUT/trace.out"
	for name in ${RUNS#trace }; do
		check_eq "$name has each once" "$(jq -s 'map(select(.type == "latency" and .op == "read").count) | add' "$OUT/$name.out")" "$all"
		check_eq "$name took some back" "$(jq -s 'last.requeued > 0' "$OUT/$name.out")" true
	done
	for name in $RUNS; do
		check "the account of $name" account "$name"
	done
}
