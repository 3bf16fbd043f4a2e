// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long the kernel spends on one I/O: in submit_bio(), and in the drive's interrupt (span.c says where that is). In a
 * guest where an instruction takes a nanosecond these are instructions, trampolines and programs of tracers included.
 */
#include "bpf/kern.h"

char _license[] SEC("license") = "Dual BSD/GPL";

#define SPANS 65536 /* longer ones were interrupted by something else */

u64 submit_began, irq_began, irq_ns; /* submit_began is 0 when not inside */
bool nested; /* the interrupt came while the submission ran: its span is part of the submission's */
u32 whole_spans[SPANS] SEC(".bss.whole"); /* submissions with the interrupt inside */
u32 submit_spans[SPANS] SEC(".bss.submit"); /* submissions without */
u32 irq_spans[SPANS] SEC(".bss.irq"); /* interrupts outside of a submission */

static __always_inline void count_span(u64 ns, u32 *spans)
{
	if (ns < SPANS)
		spans[ns]++;
}

SEC("fentry/submit_bio")
int BPF_PROG(submit_begin)
{
	nested = false;
	submit_began = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/submit_bio")
int BPF_PROG(submit_end)
{
	u64 ns = bpf_ktime_get_ns() - submit_began;

	count_span(ns, nested ? whole_spans : submit_spans);
	submit_began = 0;
	return 0;
}

SEC("fentry")
int BPF_PROG(irq_begin)
{
	irq_began = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit")
int BPF_PROG(irq_end)
{
	u64 ns = bpf_ktime_get_ns() - irq_began;

	nested = true;
	if (!submit_began)
		count_span(ns, irq_spans);
	return 0;
}

/* What a program costs that does nothing. */
#define FLOOR(name, section)                                                                       \
	SEC(section)                                                                               \
	int BPF_PROG(floor_##name)                                                                 \
	{                                                                                          \
		return 0;                                                                          \
	}

FLOOR(setup_btf, "tp_btf/nvme_setup_cmd")
FLOOR(complete_btf, "tp_btf/nvme_complete_rq")
FLOOR(setup_again, "tp_btf/nvme_setup_cmd")
FLOOR(complete_again, "tp_btf/nvme_complete_rq")
FLOOR(setup_raw, "raw_tp/nvme_setup_cmd")
FLOOR(complete_raw, "raw_tp/nvme_complete_rq")
