# SPDX-License-Identifier: GPL-2.0-or-later
# lockdown=integrity takes nothing away.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/lockdown.sh"

topology=integrity
kernels='5.10 6.1 6.12 sid'
plan=7

guest()
{
	local cmd

	for cmd in trace latency stacks errors pattern; do
		traced "$cmd" --json
		check_eq "$cmd: works" "$status $(sums "$cmd")" "0 5 5 true"
	done
	traced record -w "$OUT/recording"
	check_eq "record: works" "$status" 0
	check_eq "doctor" "$(said_by_doctor lockdown)" "ok integrity"
}
