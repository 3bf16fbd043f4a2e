# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that the driver sets up and takes back before they are sent, because there is no memory for their data, are
# counted once, and stay those of the task that submitted them, though workers set them up again.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=bounce
kernels='5.10 6.1 6.12' # 7.x skips programs that were preempted, more of them with so many: t/preempted.sh
test='6.1'
plan=36

. "$VM/lib/account.sh"

COMMANDS=300 # of each of two loads

# load NAME OFFSET: reads in order, of which not all that are on their way find room
load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=read --bs=128k --offset="$2" --size=128M --ioengine=libaio --iodepth=32 \
		--number_ios="$COMMANDS"
}

# runs: NAME and arguments of nvmetool, a line each
runs()
{
	local how

	for how in $(methods); do
		echo "trace_$how trace --attach $how"
		echo "comm_$how trace --comm fi? --attach $how"
		echo "latency_$how latency --attach $how"
	done
	cat <<-END
		errors errors
		stacks stacks --by comm
		pattern pattern
		by_comm pattern --by comm --comm fio
		complete pattern --at complete
	END
}

guest()
{
	local disk name command one two

	disk=$(disk_of lab0 1)
	skip_tp_btf 10
	while read -r name command; do
		# shellcheck disable=SC2086 # words of a command
		attached "$name" "$NVMETOOL" $command --json --strict
	done < <(runs)
	mark "$disk" 1
	load one 0 &
	one=$!
	load two 512M &
	two=$!
	wait "$one"
	wait "$two"
	drained
	mark "$disk" 2
	while read -r name _; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done < <(runs)
}

# submitters FILE: process names of the two loads, each of whose commands have one process
submitters()
{
	jq -r 'select(.type == "io" and .op == "read") | "\(.slba < 1048576) \(.pid) \(.comm)"' "$1" |
		sort -u | awk '{ print $1, $3 }' | xargs
}

# account NAME: it adds up, nothing is lost, and commands were set up again
account()
{
	nothing_lost "$OUT/$1.out" && summary_of "$OUT/$1.out" | jq -e '.requeued > 0' >/dev/null
}

# total TYPE FIELD NAME: the sum of the field over those rows of a run that are of the loads
total()
{
	jq -s "[.[] | select(.type == \"$1\" and .op != \"dsm\" and .comm != \"nvme\").$2] | add" "$OUT/$3.out"
}

host()
{
	local how name all=$((2 * COMMANDS))

	drive_log 1 2
	check_eq "the drive got each command once" "$(wc -l <"$OUT/drive.ndjson")" "$all"
	for how in $(methods); do
		check "$how: trace equals the drive's log" "$VM/compare" --from 1 --to 2 "$OUT/drive.ndjson" "$OUT/trace_$how.out"
		check_eq "$how: workers submit nothing" "$(submitters "$OUT/trace_$how.out")" "false fio true fio"
		check_eq "$how: a filter by name has all" "$(jq -r 'select(.type == "io").op' "$OUT/comm_$how.out" | uniq -c | xargs)" \
			"$all read"
		check_eq "$how: latency counts the same" "$(total latency count "latency_$how")" "$all"
	done
	check_eq "errors has none" "$(jq -r .type "$OUT/errors.out" | xargs)" "meta summary"
	check_eq "stacks counts the same" "$(total stack count stacks)" "$all"
	for name in pattern by_comm complete; do
		check_eq "$name counts the same" "$(total pattern reads "$name")" "$all"
	done
	while read -r name _; do
		check "the account of $name" account "$name"
	done < <(runs)
}
