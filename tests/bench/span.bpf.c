// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long the kernel spends on one I/O: in submit_bio(), and in the drive's interrupt. In a guest where an
 * instruction takes a nanosecond these are instructions, trampolines and programs of tracers included.
 */
#include "bpf/kern.h"

char _license[] SEC("license") = "Dual BSD/GPL";

#define SPANS 16384 /* longer ones were interrupted */

u64 began[2];
u32 submit_spans[SPANS] SEC(".bss.submit");
u32 irq_spans[SPANS] SEC(".bss.irq");

static __always_inline void end_span(u64 start, u32 *spans)
{
	u64 ns = bpf_ktime_get_ns() - start;

	if (ns < SPANS)
		spans[ns]++;
}

SEC("fentry/submit_bio")
int BPF_PROG(submit_begin)
{
	began[0] = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/submit_bio")
int BPF_PROG(submit_end)
{
	end_span(began[0], submit_spans);
	return 0;
}

SEC("fentry/nvme_irq")
int BPF_PROG(irq_begin)
{
	began[1] = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/nvme_irq")
int BPF_PROG(irq_end)
{
	end_span(began[1], irq_spans);
	return 0;
}

SEC("tp_btf/nvme_setup_cmd")
int BPF_PROG(floor_setup_btf)
{
	return 0;
}

SEC("tp_btf/nvme_complete_rq")
int BPF_PROG(floor_complete_btf)
{
	return 0;
}

SEC("raw_tp/nvme_setup_cmd")
int BPF_PROG(floor_setup_raw)
{
	return 0;
}

SEC("raw_tp/nvme_complete_rq")
int BPF_PROG(floor_complete_raw)
{
	return 0;
}
