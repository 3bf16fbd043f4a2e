// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The path of a command, common to every subcommand: setup and completion, joined by the request.
 *
 * An object defines what happens there and makes its programs of it:
 *   static void on_setup(void *ctx, const struct command *c);    its entry is filled, the filter decided
 *   static void on_complete(void *ctx, const struct command *c); selected by the filter
 *   static void on_orphan(void *ctx, const struct command *c);   completed, its submission not seen
 *   PROGRAMS(on_setup, on_complete, on_orphan);
 * It may define, before it includes this, when a completion is worth a look at its status (PROG_STATUS) and, where
 * that decides, at the clock (PROG_LATE_CLOCK).
 * PROG_CDWS says how many command dwords, from 10 on, NEED_SQE means.
 * PROG_PLAIN names what happens at a completion where cfg.plain is set, in place of on_complete; on_setup then does
 * nothing. See prog_setup_plain().
 * Each hook becomes a BTF and a raw program; the session loads one of the two.
 */
#ifndef NVT_PROG_H
#define NVT_PROG_H

#include "bpf/path.h"

#define PROG_SETUP(c, sqe, ctx, handler)                                                           \
	do {                                                                                       \
		if (prog_setup(&(c), &(sqe), ctx))                                                 \
			handler(ctx, &(c));                                                        \
	} while (0)

#define PROG_COMPLETE(c, ctx, selected, orphan)                                                    \
	do {                                                                                       \
		enum prog_outcome outcome = prog_complete(&(c));                                   \
                                                                                                   \
		if (outcome == PROG_SELECTED)                                                      \
			selected(ctx, &(c));                                                       \
		else if (outcome == PROG_ORPHAN)                                                   \
			orphan(ctx, &(c));                                                         \
	} while (0)

/*
 * The two programs of a hook whose first argument is the request: ACTION(command, ctx, ...). Arguments of a
 * module's tracepoints are pointers that may be NULL to the verifier of 6.12 and newer.
 */
#define ON_REQUEST(name, tracepoint, ACTION, ...)                                                  \
	SEC("tp_btf/" tracepoint)                                                                  \
	int BPF_PROG(name##_btf, struct request *request)                                          \
	{                                                                                          \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request)                                                                      \
			return 0;                                                                  \
		c.rq = rq_typed(request);                                                          \
		ACTION(c, ctx, ##__VA_ARGS__);                                                     \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/" tracepoint)                                                                  \
	int BPF_PROG(name##_raw, struct request *request)                                          \
	{                                                                                          \
		u64 head[RQ_HEAD / sizeof(u64)];                                                   \
		struct command c = { .rq = rq_raw(request, head) };                                \
                                                                                                   \
		ACTION(c, ctx, ##__VA_ARGS__);                                                     \
		return 0;                                                                          \
	}

#define PROG_INSERT(c, ctx) prog_insert(ctx, &(c))

/*
 * Where cfg.plain is set the rest of a hook, for what does not go the plain way, is a function: so the verifier sees
 * that neither way leads into the other and drops the jump, and what the rest needs is not saved on the plain way.
 */
#ifdef PROG_PLAIN
#define PROGRAMS_REST(on_setup, on_complete, on_orphan)                                            \
	static __noinline int setup_rest(void *ctx, struct request *request,                       \
					 struct nvme_command *cmd)                                 \
	{                                                                                          \
		struct sqe sqe = { .ptr = cmd, .typed = true };                                    \
		struct command c = { .rq = rq_rare(request) };                                     \
                                                                                                   \
		PROG_SETUP(c, sqe, ctx, on_setup);                                                 \
		return 0;                                                                          \
	}                                                                                          \
	static __noinline int complete_rest(void *ctx, struct request *request)                    \
	{                                                                                          \
		struct command c = { .rq = rq_rare(request) };                                     \
                                                                                                   \
		PROG_COMPLETE(c, ctx, on_complete, on_orphan);                                     \
		return 0;                                                                          \
	}
#define PLAIN_SETUP(c, sqe, ctx)                                                                   \
	if (cfg.plain)                                                                             \
		return prog_setup_plain(&(c), &(sqe)) ? 0 : setup_rest(ctx, (c).rq.ptr, (sqe).ptr);
#define PLAIN_COMPLETE(c, ctx)                                                                     \
	if ((c).rq.typed && cfg.plain) {                                                           \
		enum prog_outcome outcome = prog_complete_plain(&(c));                             \
                                                                                                   \
		if (outcome == PROG_SELECTED)                                                      \
			PROG_PLAIN(&(c));                                                          \
		return outcome == PROG_NOT_PLAIN ? complete_rest(ctx, (c).rq.ptr) : 0;             \
	}
#else
#define PROGRAMS_REST(on_setup, on_complete, on_orphan)
#define PLAIN_SETUP(c, sqe, ctx)
#define PLAIN_COMPLETE(c, ctx)
#endif

#define PROG_COMPLETE_EITHER(c, ctx, selected, orphan)                                             \
	do {                                                                                       \
		PLAIN_COMPLETE(c, ctx)                                                             \
		PROG_COMPLETE(c, ctx, selected, orphan);                                           \
	} while (0)

/* The programs of every object. */
#define PROGRAMS(on_setup, on_complete, on_orphan)                                                 \
	PROGRAMS_REST(on_setup, on_complete, on_orphan)                                            \
	SEC("tp_btf/nvme_setup_cmd")                                                               \
	int BPF_PROG(setup_btf, struct request *request, struct nvme_command *cmd)                 \
	{                                                                                          \
		struct sqe sqe = { .ptr = cmd, .typed = true };                                    \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request || !cmd)                                                              \
			return 0;                                                                  \
		c.rq = rq_typed(request);                                                          \
		PLAIN_SETUP(c, sqe, ctx)                                                           \
		PROG_SETUP(c, sqe, ctx, on_setup);                                                 \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/nvme_setup_cmd")                                                               \
	int BPF_PROG(setup_raw, struct request *request, struct nvme_command *cmd)                 \
	{                                                                                          \
		u64 head[RQ_HEAD / sizeof(u64)];                                                   \
		struct nvme_command copy;                                                          \
		struct sqe sqe = { .ptr = &copy, .kernel = cmd, .typed = false };                  \
		struct command c = {};                                                             \
                                                                                                   \
		c.rq = rq_raw(request, head);                                                      \
		raw_read_sqe(&sqe, &c.rq);                                                         \
		PROG_SETUP(c, sqe, ctx, on_setup);                                                 \
		return 0;                                                                          \
	}                                                                                          \
	ON_REQUEST(complete, "nvme_complete_rq", PROG_COMPLETE_EITHER, on_complete, on_orphan)     \
	ON_REQUEST(insert, "block_rq_insert", PROG_INSERT)

#endif
