# SPDX-License-Identifier: GPL-2.0-or-later
# Controllers that are pulled, put back, reset and left without a driver, a namespace that goes and comes, while it is
# traced: nvmetool goes on, and each command has the controller that it went to, under the name of that moment.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
test='6.18'
plan=14
seconds=26

. "$VM/lib/account.sh"

PHASE_MIB=32 # each phase has blocks of its own

# load PHASE ID NSID...: 40 commands on each, in the blocks of the phase; notes where they have to be seen
load()
{
	local phase=$1 disk

	shift
	while [ $# -gt 0 ]; do
		disk=$(disk_of "$1" "$2")
		fio_load "load$phase" --filename="/dev/$disk" --rw=randrw --bs=4k --offset=$((phase * PHASE_MIB))M \
			--size="${PHASE_MIB}M" --ioengine=libaio --iodepth=8 --number_ios=40
		echo "$phase $2 $(ctrl_of "$1") $disk 40" >>"$OUT/phases"
		shift 2
	done
	drained
}

# A namespace is taken from its controller and given back.
namespace_leaves()
{
	local ctrl

	ctrl=/dev/$(ctrl_of lab1)
	nvme detach-ns "$ctrl" --namespace-id=11 --controllers=0
	nvme ns-rescan "$ctrl" # 5.10 misses the event
	while find_path lab1 11; do
		read -rt 0.05 _ <><(:) || true
	done
	nvme attach-ns "$ctrl" --namespace-id=11 --controllers=0
	nvme ns-rescan "$ctrl"
	drive_wait lab1 11
}

guest()
{
	local name

	attached all "$NVMETOOL" trace --json --strict
	attached latency "$NVMETOOL" latency --json --strict -b ctrl,ns
	attached pattern "$NVMETOOL" pattern --json --comm fio
	attached errors "$NVMETOOL" errors --json -q io
	mark "$(disk_of lab1 11)" 601
	load 0 lab0 1 lab1 11
	unplug lab0
	load 1 lab1 11
	plug lab0 max_ioqpairs=2
	load 2 lab0 1 lab1 11
	# 5.10 keeps what a drive said of its shadow doorbells over a reset, and then does not tell it of commands.
	[ "$KERNEL" = 5.10 ] || nvme reset "/dev/$(ctrl_of lab1)"
	load 3 lab1 11 lab0 1
	namespace_leaves
	load 4 lab1 11 lab0 1
	detach errors # its probes of timeouts hold the module
	check_eq "errors ends well" "$status" 0
	modprobe -r nvme
	check "nvme_core stays while it is traced" test -e /sys/module/nvme_core
	modprobe nvme
	drive_wait lab0 1
	drive_wait lab1 11
	load 5 lab0 1 lab1 11
	mark "$(disk_of lab1 11)" 602
	for name in all latency pattern; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	check "nothing is left attached" detached_all
}

host()
{
	drive_log 601 602
	check "trace equals the drives' log" "$VM/compare" --keys cid,qid,nsid,opcode,slba,nlb,status --from 601 --to 602 \
		"$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "each on its controller, by its name" "$(phases_seen nsid ctrl dev)" "$(sort "$OUT/phases")"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency") | "\(.ctrl) \(.nsid) \(.count)"' \
		"$OUT/latency.out" | sort)" \
		"$(jq -r 'select(.type == "io" and .qid > 0) | "\(.ctrl) \(.nsid)"' "$OUT/all.out" | sort | uniq -c |
			awk '{ print $2, $3, $1 }' | sort)"
	check_eq "pattern as well" "$(jq -s 'map(select(.type == "pattern").count) | add' "$OUT/pattern.out")" \
		"$(awk '{ n += $5 } END { print n }' "$OUT/phases")"
	check "the account of trace" nothing_lost "$OUT/all.out"
	check "the account of latency" nothing_lost "$OUT/latency.out"
	if [ "$KERNEL" = 5.10 ]; then
		check_eq "that resets cannot be seen is told" "$(jq -c 'select(.type == "meta").attach.missing' "$OUT/errors.out")" \
			'["nvme_timeout","nvme_change_ctrl_state"]'
	else
		check "the reset is told, of its controller" \
			grep -qx "$(awk '$1 == 3 && $2 == 11 { print $3 }' "$OUT/phases")" \
			<(jq -r 'select(.type == "reset").ctrl' "$OUT/errors.out")
	fi
	check "no command failed" without '"type":"error"' "$OUT/errors.out"
}
