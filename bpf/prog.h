// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The programs of an object. It includes this, and defines what happens to a command:
 *
 *   on_setup()       it was set up: its slot is filled, the filter decided
 *   on_complete()    it completed, and the filter selects it
 *   on_orphan()      it completed, and its setup was not seen
 *   on_fast_setup(), on_fast_complete()   with PROG_FAST, on the fast path
 *
 * Macros that it may set before it includes this: bpf/settings.h. How setup and completion are
 * joined: bpf/join.h, and on the fast path bpf/fast.h.
 *
 * Each hook has a slow path, which serves every kernel and option, as a BTF program (HOOK_btf) and
 * a raw one (HOOK_raw). The two hooks of every command have a fast path (HOOK_fast) for reads and
 * writes of which little is asked. Where the kernel may skip programs, both are loaded a second
 * time as backup programs, see bpf/backup.h: the slow path by its configuration, the fast one as
 * HOOK_first and HOOK_backup. The loader chooses for each run (program_of() of
 * lib/loader/loader_hooks.c).
 */
#ifndef NVT_PROG_H
#define NVT_PROG_H

#include "bpf/fast.h"
#include "bpf/freed.h"
#include "bpf/plug.h"

static __always_inline void on_setup(void *ctx, const struct command *c);
static __always_inline void on_complete(void *ctx, const struct command *c);
static __always_inline void on_orphan(void *ctx, struct command *c);

/* Argument @n of a BTF program, a pointer. */
#define PROG_ARG(ctx, n) (((void *const *)(ctx))[n])

/*
 * The BTF program of a hook whose first argument is the request, read by TYPED. The verifier of
 * 6.12 and newer takes arguments of a module's tracepoints for pointers that may be NULL.
 */
#define BTF_PROGRAM(name, section, TYPED, handler)                                                 \
	SEC(section)                                                                               \
	int BPF_PROG(name, struct request *request)                                                \
	{                                                                                          \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request)                                                                      \
			return 0;                                                                  \
		c.rq = TYPED(request);                                                             \
		handler(ctx, &c);                                                                  \
		return 0;                                                                          \
	}

/* The raw program of a hook whose first argument is the request, or whose second is. */
#define RAW_PROGRAM(name, section, second, handler)                                                \
	SEC(section)                                                                               \
	int name(u64 *ctx)                                                                         \
	{                                                                                          \
		u64 head[RQ_HEAD / sizeof(u64)];                                                   \
		struct command c = { .rq = rq_raw(raw_arg(ctx, second), head) };                   \
                                                                                                   \
		handler(ctx, &c);                                                                  \
		return 0;                                                                          \
	}

/* The slow path. */

static __always_inline void slow_setup(void *ctx, struct command *c, const struct sqe *sqe)
{
	if (join_setup(c, sqe, ctx))
		on_setup(ctx, c);
}

static __always_inline void slow_complete(void *ctx, struct command *c)
{
	enum join_outcome outcome = join_complete(c);

	if (outcome == JOIN_SELECTED)
		on_complete(ctx, c);
	else if (outcome == JOIN_ORPHAN)
		on_orphan(ctx, c);
}

static __always_inline void reach_complete(void *ctx, struct command *c)
{
	if (command_reached(&c->rq, BACKUP_COMPLETE))
		slow_complete(ctx, c);
}

SEC("tp_btf/nvme_setup_cmd")
int BPF_PROG(setup_btf, struct request *request, struct nvme_command *cmd)
{
	struct sqe sqe = { .ptr = cmd, .typed = true };
	struct command c = {};

	if (!request || !cmd)
		return 0;
	c.rq = PROG_TYPED(request);
	if (command_reached(&c.rq, BACKUP_SETUP))
		slow_setup(ctx, &c, &sqe);
	return 0;
}

SEC("raw_tp/nvme_setup_cmd")
int BPF_PROG(setup_raw, struct request *request, struct nvme_command *cmd)
{
	u64 head[RQ_HEAD / sizeof(u64)];
	struct nvme_command copy;
	struct sqe sqe = { .ptr = &copy, .kernel = cmd, .typed = false };
	struct command c = { .rq = rq_raw(request, head) };

	if (!command_reached(&c.rq, BACKUP_SETUP))
		return 0;
	join_read_sqe(&sqe, &c.rq);
	slow_setup(ctx, &c, &sqe);
	return 0;
}

BTF_PROGRAM(complete_btf, "tp_btf/nvme_complete_rq", PROG_TYPED, reach_complete)
RAW_PROGRAM(complete_raw, "raw_tp/nvme_complete_rq", false, reach_complete)

/* Before 5.11 the request is the second argument of the block layer's, behind the queue. */
BTF_PROGRAM(insert_btf, "tp_btf/block_rq_insert", rq_rare, join_insert)
RAW_PROGRAM(insert_raw, "raw_tp/block_rq_insert", cfg.rq_second, join_insert)
BTF_PROGRAM(flush_btf, "fentry/blk_insert_flush", rq_rare, join_flush)
RAW_PROGRAM(flush_raw, "fentry/blk_insert_flush", false, join_flush)
BTF_PROGRAM(back_btf, "tp_btf/block_rq_requeue", rq_rare, requeue_taken_back)
RAW_PROGRAM(back_raw, "raw_tp/block_rq_requeue", cfg.rq_second, requeue_taken_back)
BTF_PROGRAM(given_up_btf, "tp_btf/block_rq_error", rq_rare, requeue_given_up)
RAW_PROGRAM(given_up_raw, "raw_tp/block_rq_error", false, requeue_given_up)

/* Run by user space, never attached. */
SEC("walk/freed")
int freed_btf(u64 *ctx)
{
	return freed_look(ctx, true);
}

SEC("raw_tp/freed")
int freed_raw(u64 *ctx)
{
	return freed_look(ctx, false);
}

/* The fast path. */

#if PROG_FAST
static __always_inline void on_fast_setup(const struct command *c, const struct sqe *sqe);
static __always_inline void on_fast_complete(const struct command *c);

/*
 * Ways off the fast path. These are functions so that the fast path saves no registers for them,
 * and so that the verifier sees that neither path leads into the other.
 */
static __noinline int leave_setup(void *ctx)
{
	struct request *request = PROG_ARG(ctx, 0);
	struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };
	struct command c = {};

	if (!request || !sqe.ptr)
		return 0;
	c.rq = rq_fast_backed(rq_rare(request).ptr);
	slow_setup(ctx, &c, &sqe);
	return 0;
}

static __noinline int leave_complete(void *ctx)
{
	struct request *request = PROG_ARG(ctx, 0);
	struct command c = {};

	if (!request)
		return 0;
	c.rq = rq_fast_backed(rq_rare(request).ptr);
	slow_complete(ctx, &c);
	return 0;
}

static __always_inline void fast_setup(void *ctx, struct command *c)
{
	struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };

	if (!command_reached(&c->rq, BACKUP_SETUP))
		return;
	if (unlikely(((PROG_FAST_SQE || backup(c)) && !sqe.ptr) || !fast_enter(c, &sqe)))
		leave_setup(ctx);
	else
		on_fast_setup(c, &sqe);
}

static __always_inline void fast_complete(void *ctx, struct command *c)
{
	enum join_outcome outcome = JOIN_LEFT_OUT;

	if (command_reached(&c->rq, BACKUP_COMPLETE))
		outcome = fast_leave(c);
	if (outcome == JOIN_SELECTED)
		on_fast_complete(c);
	else if (unlikely(outcome == JOIN_SLOW))
		leave_complete(ctx);
}

static __always_inline void backup_setup(void *ctx, struct command *c)
{
	struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };

	if (unlikely(!sqe.ptr || !fast_entered(c, &sqe)))
		leave_setup(ctx);
}

static __always_inline void backup_complete(void *ctx, struct command *c)
{
	if (unlikely(!fast_completed(c)))
		leave_complete(ctx);
}

BTF_PROGRAM(setup_fast, "tp_btf/nvme_setup_cmd", rq_fast, fast_setup)
BTF_PROGRAM(complete_fast, "tp_btf/nvme_complete_rq", rq_fast, fast_complete)
BTF_PROGRAM(setup_first, "tp_btf/nvme_setup_cmd", rq_fast_backed, fast_setup)
BTF_PROGRAM(complete_first, "tp_btf/nvme_complete_rq", rq_fast_backed, fast_complete)
BTF_PROGRAM(setup_backup, "tp_btf/nvme_setup_cmd", rq_fast_backed, backup_setup)
BTF_PROGRAM(complete_backup, "tp_btf/nvme_complete_rq", rq_fast_backed, backup_complete)
#endif

#endif
