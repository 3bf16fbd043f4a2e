# SPDX-License-Identifier: GPL-2.0-or-later
# record ends while the drive holds a read: the recording has whose it is, since when, and what it reads, whether the fast
# path or the slow one has noted it; a filter that is not about it leaves it out.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=12
seconds=20

. "$VM/lib/account.sh"
. "$VM/lib/hold.sh"

guest()
{
	local disk reader name

	disk=$(disk_of lab0 1)
	attached submitted "$NVMETOOL" trace --json --show submit -d "$disk"
	attached fast "$NVMETOOL" record -w "$OUT/fast.nvt"
	attached slow "$NVMETOOL" record -Q -k -w "$OUT/slow.nvt"
	attached writes "$NVMETOOL" record -O write -w "$OUT/writes.nvt"
	hold_read
	for name in fast slow writes submitted; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	for name in fast slow; do
		look "$name"
	done
	check_eq "a filter that is not about it leaves it out" "$(at_end writes)" ""
	let_go
	check "nothing is left attached" detached_all
}

# at_end NAME: the commands in flight at the last moment of the recording
at_end()
{
	local last

	# The message says how long it is.
	last=$({ "$NVMETOOL" inflight -i "$OUT/$1.nvt" --at 1000000 2>&1 || :; } | sed -n 's/.*--at: \([0-9.]*\) s are.*/\1/p')
	"$NVMETOOL" inflight -i "$OUT/$1.nvt" --json --at "$(awk -v s="$last" 'BEGIN { printf("%.3f", (s > 0.002 ? s - 0.002 : 0)) }')" \
		>"$OUT/$1.left"
	jq -r 'select(.type == "inflight") | "\(.op) \(.slba) \(.bytes) \(.pid) \(.comm)"' "$OUT/$1.left"
}

# look NAME: what the recording has of the read, against dd and a trace of its submission
look()
{
	local sent ours

	check_eq "$1: whose, and what" "$(at_end "$1")" "read 2400 4096 $reader dd"
	sent=$(jq 'select(.type == "submit" and .slba == 2400).mono_ns' "$OUT/submitted.out")
	ours=$(jq -s 'map(select(.type == "inflight"))[0] | .mono_ns - .age_ns' "$OUT/$1.left")
	diag "$1: sent at $ours ns, trace says $sent ns"
	check "$1: since when, within 5 ms" awk -v a="$sent" -v b="$ours" 'BEGIN { d = a - b; exit d > 5e6 || d < -5e6 }'
	check_eq "$1: one was in flight" "$("$NVMETOOL" info --json -i "$OUT/$1.nvt" | jq '.inflight_at_exit | numbers')" 1
}
