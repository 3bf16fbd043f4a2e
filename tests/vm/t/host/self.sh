# SPDX-License-Identifier: GPL-2.0-or-later
# --self-stats: what the programs cost in the kernel, or, without the capability to ask, that it is not known; and what
# memory the process takes.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=one
test='6.1'
plan=7
seconds=7

guest()
{
	local read more=''

	read=(dd "if=/dev/$(disk_of lab0 1)" of=/dev/null bs=4k count=50 iflag=direct status=none)
	"$NVMETOOL" latency --json --self-stats -- "${read[@]}" >"$OUT/self" 2>"$OUT/self.err"
	check "each submission and completion was timed" jq -se 'last | .submitted >= 50 and .self.setup_runs >= 50 and
		.self.setup_ns > 0 and .self.complete_runs >= 50 and .self.complete_ns > 0' "$OUT/self"
	twice
	check "maps take at most 32 MiB" jq -se 'last | .self.map_bytes > 0 and .self.map_bytes <= 33554432' "$OUT/self"
	# shellcheck disable=SC2016 # for sh; files that are mapped are the binary and the maps
	"$NVMETOOL" trace --json -w /dev/null -- sh -c '"$@"; cp "/proc/$PPID/status" "$0"' "$OUT/status" "${read[@]}"
	check "16 MiB of memory without maps and buffer" \
		awk '/^VmHWM/ { kb = $2 } /^RssFile/ { kb -= $2 } END { print kb; exit !(kb > 0 && kb <= 16384) }' "$OUT/status"
	check "it is told" grep -Eq 'own cost: [1-9][0-9]* ns per submission and [1-9][0-9]* ns per completion in the kernel' "$OUT/self.err"
	[ "$KERNEL" != 5.10 ] || more=,+sys_resource # before 5.11 memory of BPF counts against RLIMIT_MEMLOCK
	setpriv --bounding-set=-all,+bpf,+perfmon"$more" "$NVMETOOL" latency --json --self-stats -- "${read[@]}" \
		>"$OUT/less" 2>"$OUT/less.err"
	check_eq "without CAP_SYS_ADMIN it is not known" \
		"$(jq -sc 'last.self | [.setup_runs, .setup_ns, .complete_runs, .complete_ns]' "$OUT/less")" "[null,null,null,null]"
	check "that is told" grep -q 'does not tell how long programs run: .*CAP_SYS_ADMIN' "$OUT/less.err"
}

# Where programs are there twice, both are reckoned with; of so many commands what the first ones cost is little.
twice()
{
	# shellcheck disable=SC2016 # for sh
	"$NVMETOOL" latency --json --self-stats -- sh -c '"$@"; bpftool -j prog list >"$0"' "$OUT/programs" "${read[@]/count=50/count=3000}" \
		>"$OUT/twice"
	check_near "all programs of a submission are timed" "$(jq -se 'last.self.setup_ns' "$OUT/twice")" \
		"$(jq 'map(select(.name | strings | startswith("setup_"))) | (map(.run_time_ns) | add) / (map(.run_cnt) | max) | round' \
			"$OUT/programs")" 10
}
