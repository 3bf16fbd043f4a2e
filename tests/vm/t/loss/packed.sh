# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that look for all queues in the same slots, as by chance a few of thousands are: each command is found again, while
# the queues of a drive go and come, and none of another queue is taken for it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=many
kernels='6.1 6.12 6.18 sid'
plan=9
seconds=30

. "$VM/lib/account.sh"
. "$VM/lib/blind.sh"

# load: reads and writes on each namespace, from both CPUs
load()
{
	local id nsid name disk

	while read -r id nsid name; do
		disk=$(disk_of "$id" "$nsid")
		[ "$(cat "/sys/block/$disk/size")" = 0 ] || printf '[ns%s]\nfilename=/dev/%s\n' "$nsid" "$disk"
	done <<<"$DISKS"
}

run()
{
	fio --direct=1 --bs=4k --rw=randrw --size=32M --ioengine=libaio --iodepth=4 --number_ios=20 --numjobs=2 \
		--cpus_allowed=0,1 --cpus_allowed_policy=split --output="$OUT/fio" "$OUT/job"
	drained
}

guest()
{
	local disk how

	disk=$(disk_of lab0 1)
	load >"$OUT/job"
	for how in $(methods); do
		blind "$how" packed "$how"
	done
	mark "$disk" 421
	run
	for how in none mq-deadline none; do # with new queues each time
		sched "$how" "$(disk_of lab1 31)"
		run
	done
	mark "$disk" 422
	for how in $(methods); do
		detach "$how"
		check_eq "$how ends well" "$status" 0
		check "$how: nothing is lost" nothing_lost "$OUT/$how.out"
	done
}

host()
{
	local how

	drive_log 421 422
	check "many queues were used" [ "$(jq -c 'select(.type == "io") | [.dev, .qid]' "$OUT/raw_tp.out" | sort -u | wc -l)" -gt 30 ]
	for how in tp_btf raw_tp; do
		check "$how equals the drives' log" "$VM/compare" --from 421 --to 422 "$OUT/drive.ndjson" "$OUT/$how.out"
		check_eq "$how: queues are those of their disks" "$(jq -r 'select(.type == "io" and .comm == "fio") | "\(.nsid) \(.dev)"' \
			"$OUT/$how.out" | sort -u | awk '{ print $1 }' | uniq -d)" ""
	done
}
