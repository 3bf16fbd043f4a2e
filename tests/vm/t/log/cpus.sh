# SPDX-License-Identifier: GPL-2.0-or-later
# Many possible CPUs, of which few are there, and one that goes and comes back while it is traced.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=cpus
test='6.1'
plan=11
seconds=9

. "$VM/lib/account.sh"

load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=16 --numjobs=2 \
		--number_ios=150
	drained
}

guest()
{
	local disk cpu=/sys/devices/system/cpu name

	disk=$(disk_of lab0 1)
	case $KERNEL in
	6.1) check_eq "possible CPUs" "$(cat $cpu/possible) $(cat $cpu/online)" "0-63 0-1" ;;
	*) skip "possible CPUs" "this kernel counts only those that the firmware may bring online" ;;
	esac
	attached all "$NVMETOOL" trace --json --strict
	attached latency "$NVMETOOL" latency --json --strict --by cpu,opcode,comm
	attached stacks "$NVMETOOL" stacks --json
	mark "$disk" 501
	load two
	echo 0 >$cpu/cpu1/online
	load one
	echo 1 >$cpu/cpu1/online
	load again
	mark "$disk" 502
	for name in all latency stacks; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
}

host()
{
	drive_log 501 502
	check "trace equals the drive's log" "$VM/compare" --from 501 --to 502 "$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency") | "\(.cpu) \(.op) \(.count)"' \
		<(jq -c 'select(.op != "dsm")' "$OUT/latency.out") | sort)" \
		"$(jq -r 'select(.type == "io" and .qid > 0 and .op != "dsm") | "\(.submit_cpu) \(.op)"' "$OUT/all.out" |
			sort | uniq -c | awk '{ print $2, $3, $1 }' | sort)"
	check_eq "900 commands of fio" "$(jq -s 'map(select(.comm == "fio" and .type == "io")) | length' "$OUT/all.out")" 900
	check_eq "both CPUs submitted" "$(jq 'select(.comm == "fio").submit_cpu' "$OUT/all.out" | sort -u | xargs)" "0 1"
	check "the account of trace" nothing_lost "$OUT/all.out"
	check "the account of latency" nothing_lost "$OUT/latency.out"
	check_eq "stacks counts the same" "$(jq -s 'map(select(.type == "stack").count) | add' "$OUT/stacks.out")" \
		"$(jq -s 'map(select(.type == "io" and .qid > 0)) | length' "$OUT/all.out")"
}
