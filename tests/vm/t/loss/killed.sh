# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL at 200 moments, drawn, of starting and running: no program, map, link or pin is left behind.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=turns
kernels='6.12'
plan=4
seconds=140

# Prints what the kernel holds of BPF besides programs, which detached_all waits for.
held_of_bpf()
{
	bpftool map list
	bpftool link list
	find /sys/fs/bpf -mindepth 1 2>/dev/null || true
}

guest()
{
	local commands=('trace --json' latency 'stacks -k -u' 'errors -a -s' 'pattern -a' 'record -w /dev/null')
	local disk i pid reached=0

	disk=$(disk_of lab0 1)
	RANDOM=$SEED
	held_of_bpf >"$OUT/before"
	dd if="/dev/$disk" of=/dev/null bs=4k iflag=direct status=none &
	for ((i = 0; i < 200; i++)); do
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" ${commands[i % ${#commands[@]}]} >/dev/null 2>&1 &
		pid=$!
		sleep "$((RANDOM % 2)).$((RANDOM % 10))"
		[ -z "$(bpftool prog list)" ] || reached=$((reached + 1))
		kill -KILL "$pid"
		wait "$pid" || true
	done
	kill %1
	check "many had programs in the kernel by then: $reached" test "$reached" -gt 50
	check "no program is left" detached_all
	check "no map, link or pin is left" diff "$OUT/before" <(held_of_bpf)
	attached after "$NVMETOOL" trace --json
	dd if="/dev/$disk" of=/dev/null bs=4k count=10 iflag=direct status=none
	drained
	detach after
	check "the next run is whole" nothing_lost "$OUT/after.out"
}
