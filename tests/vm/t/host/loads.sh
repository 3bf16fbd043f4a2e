# SPDX-License-Identifier: GPL-2.0-or-later
# The verifier takes our programs, either way, whatever the options make of them. A start reads the kernel's BTF, which
# is large, once.
# shellcheck shell=bash disable=SC2034

. "$VM/lib/account.sh"

kernels='* arm64-6.1 arm64-6.12'
test='5.10 6.1 6.12 6.18 sid arm64-6.1'
plan=17
seconds=48

every()
{
	"$NVMETOOL" latency --attach "$1" --probe-only --phases -Q -A --hist-bits 6 --max-inflight 9 \
		--by ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,status \
		--comm 'f*' -p 1 -g / --size 4k --lba 0-100 -L 1us --status ok,2/81 -n 1 -c 0 -q 1 -O read
}

# How often a start opens the BTF of the kernel.
opens()
{
	strace -f -o "$OUT/strace" -e trace=?open,openat "$NVMETOOL" latency --probe-only
	grep -c '/sys/kernel/btf/vmlinux' "$OUT/strace"
}

guest()
{
	local how

	# 5.10 lends it neither by mmap() nor by bpf(), which is tried first.
	check_eq "the kernel's BTF is read once" "$(opens)" "$([ "$KERNEL" = 5.10 ] && echo 2 || echo 1)"
	skip_tp_btf 8
	for how in $(methods); do
		check "$how: latency" "$NVMETOOL" latency --attach "$how" --probe-only
		check "$how: latency -L, buckets from 65 us on" "$NVMETOOL" latency --attach "$how" --probe-only \
			-L 100us --lat-min-us 65 --lat-shift 3
		check "$how: latency --phases" "$NVMETOOL" latency --attach "$how" --probe-only --phases
		check "$how: metrics, both histograms" "$NVMETOOL" metrics --attach "$how" --probe-only -A -Q -w "$OUT/loads.prom"
		check "$how: top, with waits" "$NVMETOOL" top --attach "$how" --probe-only -Q
		check "$how: latency, every key and every filter" every "$how"
		check "$how: trace, everything" "$NVMETOOL" trace --attach "$how" --probe-only -E -k -u --sq --aer -Q -L 1ms
		check "$how: trace -W, with files and who waits" "$NVMETOOL" trace --attach "$how" --probe-only -W
	done
}
