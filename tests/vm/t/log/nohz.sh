# SPDX-License-Identifier: GPL-2.0-or-later
# Where CPUs have no tick, intervals and the end wait for programs that run by a call that the kernel answers when they
# are done, not for a time.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=nohz
kernels='6.1 6.18 sid'
plan=6

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

guest()
{
	local disk

	disk=$(disk_of lab0 1)
	check_eq "CPUs have no tick" "$(cat /sys/devices/system/cpu/nohz_full)" 1-3
	probes_on bpf_fd_array_map_update_elem
	attached rows "$NVMETOOL" latency -d "$disk" --json --strict 200ms
	fio_load load --filename="/dev/$disk" --rw=randread --size=64M --ioengine=libaio --iodepth=16 --numjobs=4 \
		--number_ios=1000
	drained
	detach rows
	probes_off
	check_eq "the run ends well, and says nothing" "$status $(told "$OUT/rows.err")" "0 "
	check "it waited by updates of a map" test "$(calls bpf_fd_array_map_update_elem)" -ge 2
	status=0
	"$NVMETOOL" inflight -d "$disk" 50ms 2 2>"$OUT/inflight.err" || status=$?
	check_eq "so does inflight, whose programs end the same way" "$status $(grep -c "cannot wait" "$OUT/inflight.err" || true)" "0 0"
}

host()
{
	check_eq "intervals add up to what fio issued" \
		"$(jq -s '[.[] | select(.type == "latency").count] | add' "$OUT/rows.out")" 4000
	check "the account" nothing_lost "$OUT/rows.out"
}
