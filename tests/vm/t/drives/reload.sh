# SPDX-License-Identifier: GPL-2.0-or-later
# The driver is unloaded and loaded again while trace runs: commands go on to bear the names their drives have then. Its
# core cannot be, lest our programs' tracepoints go with it, until trace has ended.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=two
test='6.1'
plan=5
seconds=12

read_at()
{
	dd if="/dev/$1" of=/dev/null bs=4k skip="$2" count=1 iflag=direct status=none
}

guest()
{
	local i

	attached trace "$NVMETOOL" trace --json --strict -O read
	modprobe -r nvme
	check "the core is not unloaded under a trace" fails rmmod nvme_core
	for i in 1 2 3; do
		modprobe -r nvme
		modprobe nvme
		drive_wait lab0 1
		drive_wait lab0 2
		drive_wait lab1 11
		drained
		read_at "$(disk_of lab0 1)" "$((1000 + i))"
		read_at "$(disk_of lab0 2)" "$((2000 + i))"
		read_at "$(disk_of lab1 11)" "$((3000 + i))"
		echo "$(((1000 + i) * 8)) $(disk_of lab0 1) $(ctrl_of lab0)
$((2000 + i)) $(disk_of lab0 2) $(ctrl_of lab0)
$(((3000 + i) * 8)) $(disk_of lab1 11) $(ctrl_of lab1)" >>"$OUT/names"
	done
	drained
	detach trace
	check_eq "trace ends well" "$status" 0
	check "each read has the name that its drive had" diff <(sort "$OUT/names") \
		<(jq -r 'select(.comm == "dd" and .bytes == 4096) | "\(.slba) \(.dev) \(.ctrl)"' "$OUT/trace.out" | sort)
	check "nothing was lost" nothing_lost "$OUT/trace.out"
	modprobe -r nvme
	check "soon after its end it is" core_goes
	modprobe nvme
	drive_wait lab0 1
	drive_wait lab0 2
	drive_wait lab1 11
}

# core_goes: unloads it, if `modprobe -r nvme` could not yet
core_goes()
{
	local tries

	for ((tries = 0; tries < 200; tries++)); do
		[ -e /sys/module/nvme_core ] || return 0
		rmmod nvme_core || sleep 0.05
	done
	return 1
}
