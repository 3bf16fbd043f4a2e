# SPDX-License-Identifier: GPL-2.0-or-later
# One CPU whose kernel preempts programs: intervals end, and rows are given back, when those that were preempted have
# ended, so each read counts once, and for its process.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=alone
kernels='6.12 6.18 sid'
test='sid'
plan=8
seconds=12

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

SHORT=500 # processes with one read each; rows are given back when a quarter of 1280 is in use
READS=60 # of each of the threads beside them
THREADS=24

before()
{
	"$COMPILER" -D_GNU_SOURCE -O1 -static -o "$OUT/lives" "$VM/lives.c"
}

guest()
{
	local disk depth hogs=() i

	disk=$(disk_of lab0 1)
	check_eq "there is one CPU" "$(nproc)" 1
	depth=$(cat "/sys/block/$disk/queue/nr_requests")
	echo 4 >"/sys/block/$disk/queue/nr_requests"
	probes_on bpf_fd_array_map_update_elem
	attached rows "$NVMETOOL" latency -d "$disk" --by pid,comm --json 100ms
	for i in 1 2; do
		hog &
		hogs+=($!)
	done
	fio_load load --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=psync --thread \
		--numjobs=$THREADS --number_ios=$READS &
	"$LAB/t/preempted_alone/lives" "/dev/$disk" $SHORT
	wait $!
	kill "${hogs[@]}"
	drained
	detach rows
	probes_off
	echo "$depth" >"/sys/block/$disk/queue/nr_requests"
	check_eq "the run ends well" "$status" 0
	check "each interval waited for programs, and each row that was given back twice" \
		test "$(calls bpf_fd_array_map_update_elem)" -gt "$(jq -s 'map(.seq // 0) | max' "$OUT/rows.out")"
}

hog()
{
	while :; do :; done
}

# reads FILTER: "PID COUNT" of the rows by process, those of all intervals added up
reads()
{
	jq -r "select(.type == \"latency\" and $1) | \"\(.pid) \(.count)\"" "$OUT/rows.out" |
		awk '{ n[$1] += $2 } END { for (pid in n) print pid, n[pid] }'
}

host()
{
	local paired lost

	paired=$(summary_of "$OUT/rows.out" | jq .paired)
	lost=$(summary_of "$OUT/rows.out" | jq '.lost | .recursion + .unmatched')
	reads '.comm == "lives"' >"$OUT/short"
	check_eq "no short process has a read of another" "$(grep -vc " 1\$" "$OUT/short" || true)" 0
	check "each has its read, but for what is told to be lost" test "$(wc -l <"$OUT/short")" -ge $((SHORT - lost))
	check "so have all, but for that" test "$paired" -ge $((SHORT + THREADS * READS - lost))
	check_eq "rows have what was paired" "$(reads true | awk '{ n += $2 } END { print n }')" "$paired"
	check "the account" adds_up "$OUT/rows.out"
}
