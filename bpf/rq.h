// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Reading a request, either way: BTF programs load members directly (free), raw ones copy the head
 * of the structure once. `typed` is a constant in each program, so one body serves both.
 */
#ifndef NVT_RQ_H
#define NVT_RQ_H

#include "bpf/maps.h"

#define RQ_HEAD 64 /* holds every member we read, on every kernel measured (kernel.md) */

/*
 * The copy lies apart: a structure whose address a helper gets stays in memory, where `typed` would
 * not be a constant to the verifier.
 */
struct rq {
	struct request *ptr;
	const void *head; /* raw only: RQ_HEAD bytes */
	bool typed;
	bool fast; /* of the fast path; tables are one value there, see flat_at() */
	bool alone; /* of these: no backup program runs beside it, and cfg.xadd is 0 */
};

/* A submission queue entry; raw programs copy it. */
struct sqe {
	struct nvme_command *ptr; /* the kernel's, or the copy */
	const struct nvme_command *kernel; /* raw only: what was copied */
	bool typed;
};

/* A raw program's request; @head is RQ_HEAD bytes of its stack. */
static __always_inline struct rq rq_raw(struct request *ptr, void *head)
{
	bpf_probe_read_kernel(head, RQ_HEAD, ptr);
	return (struct rq){ .ptr = ptr, .head = head, .typed = false };
}

/*
 * Argument @n of a raw program's tracepoint, or the one behind it if @second: where a kernel has one
 * more before it. There are two loads: the verifier refuses one from an address that was computed.
 */
static __always_inline u64 raw_number(const u64 *ctx, u32 n, bool second)
{
	u64 arg = ctx[n];

	if (second) {
		arg = ctx[n + 1];
		barrier_var(arg);
	}
	return arg;
}

/* The first argument, or its @second. */
static __always_inline void *raw_arg(const u64 *ctx, bool second)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): arguments of raw tracepoints are numbers */
	return (void *)raw_number(ctx, 0, second);
}

static __always_inline struct rq rq_typed(struct request *ptr)
{
	return (struct rq){ .ptr = ptr, .typed = true };
}

/* On the fast path: of a program alone, and of one that has a backup program or is one. */
static __always_inline struct rq rq_fast(struct request *ptr)
{
	return (struct rq){ .ptr = ptr, .typed = true, .fast = true, .alone = true };
}

static __always_inline struct rq rq_fast_backed(struct request *ptr)
{
	return (struct rq){ .ptr = ptr, .typed = true, .fast = true };
}

static __always_inline struct request *rq_cast(const struct request *ptr)
{
	return bpf_rdonly_cast(ptr, KERNEL_TYPE(request));
}

/*
 * As rq_typed(), where few commands come or all else costs far more. It makes a start quicker and
 * each load dearer. For each place at which a program follows a pointer from an argument of a
 * tracepoint, and each state in which it gets there, verifiers from 6.12 on look up to four times
 * through all names of the kernel's BTF, 13 million instructions (btf_nested_type_is_trusted());
 * for what a cast returns they do not.
 */
static __always_inline struct rq rq_rare(struct request *ptr)
{
	return rq_typed(cfg.rdonly_cast ? rq_cast(ptr) : ptr);
}

/*
 * As needs(), for work at each setup or completion. Programs of the fast path need not ask for more
 * than the object says: the loader takes that path only where no more is needed.
 */
static __always_inline bool rq_needs(const struct rq *rq, u32 need)
{
	return needs(rq->fast ? need & (PROG_ALWAYS | PROG_FAST_NEEDS) : need);
}

/* Whether a setup has more to do than the account: see join_setup_more(). */
static __always_inline bool more_at_setup(const struct rq *rq)
{
	return PROG_ALWAYS & NEED_AT_SETUP || (!rq->fast && cfg.more_at_setup);
}

/* Whether the filter looks at each completion. */
static __always_inline bool filters_complete(const struct rq *rq)
{
	return !rq->fast && filter.any_complete;
}

/* Member @m of the request. */
#define RQ(rq, m)                                                                                  \
	((rq)->typed ? (rq)->ptr->m                                                                \
		     : *(__typeof__(((struct request *)0)->m) *)((rq)->head +                      \
								 bpf_core_field_offset(            \
									 struct request, m)))

/*
 * Member @m of the entry. Volatile: the verifier of 6.1 refuses loads that the compiler merged
 * across members.
 */
#define SQE(s, m) ((s)->typed ? *(volatile __typeof__((s)->ptr->m) *)&(s)->ptr->m : (s)->ptr->m)

/* Member @m of the request, read as rq_rare() does: for places that few commands reach. */
#define RQ_RARELY(rq, m) ((rq)->typed && cfg.rdonly_cast ? rq_cast((rq)->ptr)->m : RQ(rq, m))

/* Member @m of structure @p, typed or by a probe read. */
#define MEMBER_AS(typed, p, m) ((typed) ? (p)->m : BPF_CORE_READ(p, m))
#define MEMBER(rq, p, m)       MEMBER_AS((rq)->typed, p, m)

static __always_inline u64 probed_word(const void *p)
{
	u64 word;

	bpf_probe_read_kernel(&word, sizeof(word), p); /* 0 where it fails */
	return word;
}

/* Requires cfg.rdonly_cast. Any type will do that begins with eight bytes. */
static __always_inline u64 cast_word(const void *p)
{
	return *(u64 *)bpf_rdonly_cast(p, KERNEL_TYPE(timespec64));
}

/*
 * Eight bytes at a kernel address: checked by fault handling or by a helper, 0 where neither may
 * be.
 */
static __always_inline u64 kernel_word(const void *p)
{
	if (cfg.rdonly_cast)
		return cast_word(p);
	return cfg.probe_read ? probed_word(p) : 0;
}

/*
 * Eight bytes of struct nvme_request, which lies right behind the request: @offset is from the
 * beginning of that.
 */
static __always_inline u64 nvme_request_word(const struct rq *rq, u32 offset)
{
	return kernel_word((void *)rq->ptr + offset);
}

/* Word @i of the submission queue entry, as the driver has it still where queue_keeps_sqe(). */
static __always_inline u64 nvme_sqe_word(const struct rq *rq, u32 i)
{
	union {
		u64 word;
		const u64 *words;
	} sqe = { nvme_request_word(rq, cfg.off.req_cmd) };

	return kernel_word(sqe.words + i);
}

/* The aligned word that holds status, retries and flags. */
static __always_inline u64 rq_status_word(const struct rq *rq)
{
	return nvme_request_word(rq, cfg.status_at);
}

/* As rq_status_word(), on the fast path: cfg.rdonly_cast or cfg.probe_read is known to be 1. */
static __always_inline u64 rq_status_surely(const struct rq *rq)
{
	const void *at = (void *)rq->ptr + cfg.status_at;

	return cfg.rdonly_cast ? cast_word(at) : probed_word(at);
}

static __always_inline u16 word_status(u64 word)
{
	return word >> (cfg.status_shift & 63) & 0x7fff;
}

/* Whether the status is not success: cheaper than to ask which it is. */
static __always_inline bool word_failed(u64 word)
{
	return word & cfg.status_mask;
}

/* Whether there is more to tell than that the first attempt succeeded. */
static __always_inline bool word_told(u64 word)
{
	return word & cfg.told_mask;
}

static __always_inline u8 word_retries(u64 word)
{
	return word >> (cfg.retries_shift & 63);
}

/* The disk of the request, whose queue is @q; NULL: none. */
static __always_inline struct gendisk *rq_disk(const struct rq *rq, struct request_queue *q)
{
	if (bpf_core_field_exists(struct request_queue, disk))
		return MEMBER(rq, q, disk);
	/* A variable of its own: the macro would take rq->ptr for a member to relocate as well. */
	struct request___old *old = (void *)rq->ptr;

	return MEMBER(rq, old, rq_disk);
}

#define DISK_NVME 0x656d766e /* "nvme", little-endian */

/*
 * Whether a disk is the NVMe driver's: it alone calls its disks nvme and a number, also the hidden
 * ones of paths.
 */
static __always_inline bool disk_is_nvme(const struct rq *rq, struct gendisk *disk)
{
	u64 name = 0;
	u8 digit;

	if (rq->typed)
		name = ARRAY_WORD(disk, disk_name, 0);
	else
		bpf_probe_read_kernel(&name, sizeof(name),
				      __builtin_preserve_access_index(&disk->disk_name));
	digit = (name >> 32) - '0';
	return (u32)name == DISK_NVME && digit <= 9;
}

#endif
