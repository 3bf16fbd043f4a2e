# SPDX-License-Identifier: GPL-2.0-or-later
# lockdown=integrity takes nothing away.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/hold.sh"
. "$VM/lib/lockdown.sh"

topology=cpus
test='6.1'
plan=8
seconds=15

guest()
{
	local cmd disk reader

	disk=$(disk_of lab0 1)
	for cmd in trace latency stacks errors pattern; do
		traced "$cmd" --json
		check_eq "$cmd: works" "$status $(sums "$cmd")" "0 5 5 true"
	done
	traced record -w "$OUT/recording"
	check_eq "record: works" "$status" 0
	hold_read
	"$NVMETOOL" inflight --json >"$OUT/inflight.out"
	check_eq "inflight: works" "$(in_flight "$OUT/inflight.out")" "read 2400 $reader"
	let_go
	check_eq "doctor" "$(said_by_doctor lockdown)" "ok integrity"
}
