// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measures how long the kernel spends on one I/O: in submit_bio(), where the drive's interrupt,
 * which span.c chooses, comes before that ends. In a guest where an instruction takes a nanosecond
 * these times are numbers of instructions, with the trampolines and programs of tracers.
 */
#include "bpf/shared/pattern.h"

char _license[] SEC("license") = "Dual BSD/GPL";

#define SPANS 65536 /* longer spans were interrupted by something else */

u64 submit_began;
bool nested; /* the interrupt came while the submission ran */
u32 spans[SPANS] SEC(".bss.spans");

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

	if (nested && ns < SPANS)
		spans[ns]++;
	return 0;
}

SEC("fexit")
int BPF_PROG(irq_end)
{
	nested = true;
	return 0;
}

/* A program that does nothing, to measure the least that a program costs. */
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

/*
 * The least that a tracer costs: programs that make the calls which every tracer of their kind
 * needs, and use nothing of the results. They read the clock at both ends; the status, by a checked
 * load if the kernel has it (CAST), else by a helper; the submitter; and they write a record for
 * the reader.
 */
#define KEEP(value) asm volatile("" : : "r"(value))

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} records SEC(".maps");

static __always_inline void floor_clock(void)
{
	KEEP(bpf_ktime_get_ns());
}

/* Reads the status, which lies behind the request, in the third word of struct nvme_request. */
static __always_inline void floor_status(struct request *request, bool cast)
{
	const void *at = (void *)request + bpf_core_type_size(struct request) + 16;
	u64 word = 0;

	if (!request)
		return;
	if (cast)
		word = *(u64 *)bpf_rdonly_cast(at, bpf_core_type_id_kernel(struct timespec64));
	else
		bpf_probe_read_kernel(&word, sizeof(word), at);
	KEEP(word);
}

static __always_inline void floor_submitter(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	KEEP(task->flags);
	KEEP(task->pid);
	KEEP(task->tgid);
	KEEP(ARRAY_WORD(task, comm, 0));
	KEEP(ARRAY_WORD(task, comm, 1));
}

static __always_inline void floor_record(u32 bytes)
{
	void *record = bpf_ringbuf_reserve(&records, bytes, 0);

	if (record)
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

#define FLOOR_ON(name, tracepoint, ...)                                                            \
	SEC("tp_btf/" tracepoint)                                                                  \
	int BPF_PROG(floor_##name, struct request *request)                                        \
	{                                                                                          \
		floor_clock();                                                                     \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
#define FLOORS(way, cast)                                                                          \
	FLOOR_ON(complete_status_##way, "nvme_complete_rq", floor_status(request, cast))           \
	FLOOR_ON(complete_event_##way, "nvme_complete_rq", floor_status(request, cast);            \
		 floor_record(EVENT_BRIEF))

FLOORS(probe, false)
FLOORS(cast, true)
FLOOR_ON(setup_clock, "nvme_setup_cmd")
FLOOR_ON(setup_submitter, "nvme_setup_cmd", floor_submitter())
FLOOR_ON(setup_record, "nvme_setup_cmd", floor_record(sizeof(struct pattern_fast_record)))
FLOOR_ON(complete_clock, "nvme_complete_rq")

/* Without BTF types the members of the request have to be copied. */
SEC("raw_tp/nvme_setup_cmd")
int BPF_PROG(floor_setup_copy, struct request *request)
{
	u64 head[4];

	floor_clock();
	bpf_probe_read_kernel(head, sizeof(head), request);
	return 0;
}

SEC("raw_tp/nvme_complete_rq")
int BPF_PROG(floor_complete_copy, struct request *request)
{
	u64 head[6];

	floor_clock();
	bpf_probe_read_kernel(head, sizeof(head), request);
	floor_status(request, false);
	return 0;
}
