# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that preempts programs and skips them for other tasks meanwhile: backup programs do what was left, and of
# what both were skipped for nothing is lost silently.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels=sid
test='sid'
plan=21
seconds=42

# Those without -d have plain programs.
COMMANDS=('latency -Q --phases -d DISK' 'trace -d DISK -O write' latency trace)

guest()
{
	local disk queue depth hogs=() i

	disk=$(disk_of lab0 1)
	queue=/sys/block/$disk/queue
	depth=$(cat "$queue/nr_requests")
	echo 4 >"$queue/nr_requests"
	for ((i = 0; i < $(nproc); i++)); do
		hog &
		hogs+=($!)
	done
	for i in "${!COMMANDS[@]}"; do
		skipped "$i"
	done
	kill "${hogs[@]}"
	echo "$depth" >"$queue/nr_requests"
}

hog()
{
	while :; do :; done
}

# skipped NUMBER: the command watches loads of 24 tasks on 4 tags until the kernel has skipped programs of it
skipped()
{
	local name=run$1 loads=0

	# shellcheck disable=SC2086 # words
	attached "$name" "$NVMETOOL" ${COMMANDS[$1]//DISK/$disk} --json
	until [ "$(misses '[.[]]')" -gt 0 ]; do
		fio_load "$name-$((loads += 1))" --filename="/dev/$disk" --rw=randread --bs=4k --size=64M \
			--ioengine=psync --thread --numjobs=24 --number_ios=100
	done
	drained
	misses 'group_by(.name | sub("_(first|backup)$"; "")) | .[] | [.[1:][]]' >"$OUT/$name.both"
	detach "$name"
	jq '[.jobs[].read.total_ios] | add' "$OUT/$name"-*.json | jq -s add >"$OUT/$name.issued"
}

# misses FILTER: runs that the kernel skipped, of the programs that FILTER leaves
misses()
{
	bpftool -j prog list | jq "[$1 | .[] | .recursion_misses // 0] | add"
}

summary()
{
	jq -c "select(.type == \"summary\") | $2" "$OUT/run$1.out"
}

host()
{
	local i

	for i in "${!COMMANDS[@]}"; do
		check_eq "${COMMANDS[i]}: each command completed" "$(summary "$i" .completed)" "$(cat "$OUT/run$i.issued")"
		check "${COMMANDS[i]}: what was not paired counts as lost" test \
			$(($(cat "$OUT/run$i.issued") - $(summary "$i" .paired))) -le "$(summary "$i" .lost.recursion)"
		check "${COMMANDS[i]}: lost is at most what backup programs were skipped for" \
			test "$(summary "$i" .lost.recursion)" -le "$(cat "$OUT/run$i.both")"
		check "${COMMANDS[i]}: no loss that was told is taken back" jq -se 'last.lost.recursion as $all |
			all(.[] | select(.type == "lost"); .recursion <= $all)' "$OUT/run$i.out"
		check_eq "${COMMANDS[i]}: complete, or not" "$(summary "$i" .complete)" \
			"$(summary "$i" '.lost.recursion == 0 and .lost.unmatched == 0')"
	done
	check_eq "backup programs know the filter: all were reads" "$(summary 1 .emitted)" 0
}
