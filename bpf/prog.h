// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The path of a command, common to every subcommand: setup and completion, joined by the request.
 *
 * An object defines what happens there and makes its programs of it:
 *   static void on_setup(void *ctx, const struct command *c);    its entry is filled, the filter decided
 *   static void on_complete(void *ctx, const struct command *c); selected by the filter
 *   static void on_orphan(void *ctx, const struct command *c);   completed, its submission not seen
 *   PROGRAMS(on_setup, on_complete, on_orphan);
 * It may define, before it includes this, when a completion is worth a look at its status
 * (PROG_STATUS) and, where that decides, at the clock (PROG_LATE_CLOCK), and whether it leaves out
 * one that the filter selects (PROG_LEAVES_OUT). PROG_CDWS says how many command dwords, from 10
 * on, NEED_SQE means. PROG_TYPED is rq_rare where a start counts for more than a load does. Where
 * nothing is asked for beside PROG_ALWAYS and PROG_PLAIN_NEEDS, PROG_PLAIN names what happens at a
 * completion and PROG_PLAIN_SETUP, if anything does, at a setup, in place of on_complete and
 * on_setup: see prog_setup_plain(). With PROG_PLAIN_SQE that may look at the entry of the
 * submission queue. PROG_PLAIN_OUTCOME is false if PROG_PLAIN asks for neither time nor status.
 * Completions with a status for which PROG_PLAIN_REST holds are on_complete's; where it is defined
 * and PROG_PLAIN_OUTCOME is false nothing happens to the others. What such a command is is read
 * when it is asked for. PROG_PLAIN_SLOT are the bytes of an entry in the table of flights,
 * SLOT_LEAN or others. With PROG_PLAIN_CASTS it reads of which queue a command is through a cast,
 * some instructions more, because of what a start costs: see rq_rare(). With PROG_PLAIN_NOTED,
 * where PROG_PLAIN asks nothing of the queue, there are some that note requests, see bpf/plain.h;
 * and with PROG_PLAIN_RAW raw ones: of an object whose rows the queue remembers (latency). Each
 * hook becomes a BTF and a raw program, and those of every command more with PROG_PLAIN: a plain
 * one and one that notes, and where programs are loaded twice a first and a second; the session
 * loads one of them, or those two.
 */
#ifndef NVT_PROG_H
#define NVT_PROG_H

#include "bpf/plain.h"

#ifndef PROG_TYPED
#define PROG_TYPED rq_typed
#endif

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
 * A BTF program on the request. TYPED is rq_typed, rq_rare where a start counts for more, or
 * rq_plain. Arguments of a module's tracepoints are pointers that may be NULL to the verifier of
 * 6.12 and newer, where no requests are noted.
 */
#define BTF_ON_REQUEST(name, tracepoint, TYPED, ACTION, ...)                                       \
	SEC("tp_btf/" tracepoint)                                                                  \
	int BPF_PROG(name, struct request *request)                                                \
	{                                                                                          \
		struct command c = {};                                                             \
                                                                                                   \
		c.rq = TYPED(request);                                                             \
		if (!c.rq.noted && !request)                                                       \
			return 0;                                                                  \
		ACTION(c, ctx, ##__VA_ARGS__);                                                     \
		return 0;                                                                          \
	}

/* Argument @n of a BTF program, a pointer. */
#define PROG_ARG(ctx, n) (((void *const *)(ctx))[n])

/* What a raw one does. */
#define RAW_ON_REQUEST(request, ctx, ACTION, ...)                                                  \
	do {                                                                                       \
		u64 head[RQ_HEAD / sizeof(u64)];                                                   \
		struct command c = { .rq = rq_raw(request, head) };                                \
                                                                                                   \
		ACTION(c, ctx, ##__VA_ARGS__);                                                     \
	} while (0)

/* The two programs of a hook whose first argument is the request: ACTION(command, ctx, ...). */
#define ON_REQUEST(name, tracepoint, TYPED, ACTION, ...)                                           \
	BTF_ON_REQUEST(name##_btf, tracepoint, TYPED, ACTION, ##__VA_ARGS__)                       \
	SEC("raw_tp/" tracepoint)                                                                  \
	int BPF_PROG(name##_raw, struct request *request)                                          \
	{                                                                                          \
		RAW_ON_REQUEST(request, ctx, ACTION, ##__VA_ARGS__);                               \
		return 0;                                                                          \
	}

/* A raw one of the block layer, whose request is the second argument before 5.11. */
#define RAW_ON_SECOND(name, tracepoint, ACTION)                                                    \
	SEC("raw_tp/" tracepoint)                                                                  \
	int name(u64 *ctx)                                                                         \
	{                                                                                          \
		RAW_ON_REQUEST(raw_arg(ctx, cfg.rq_second), ctx, ACTION);                          \
		return 0;                                                                          \
	}

#define PROG_COMPLETE_REACHED(c, ctx, selected, orphan)                                            \
	do {                                                                                       \
		if (prog_reached(&(c).rq, BACKUP_COMPLETE))                                        \
			PROG_COMPLETE(c, ctx, selected, orphan);                                   \
	} while (0)

#define PROG_INSERT(c, ctx)	prog_insert(ctx, &(c))
#define PROG_TAKEN_BACK(c, ctx) prog_taken_back(&(c))
#define PROG_GIVEN_UP(c, ctx)	prog_given_up(&(c))
#define PROG_FLUSH(c, ctx)	prog_flush(ctx, &(c))

/*
 * In plain programs the rest of a hook, for what does not go the plain way, is a function: so the
 * verifier sees that neither way leads into the other and drops the jump, and what the rest needs
 * is not saved on the plain way.
 */
#ifdef PROG_PLAIN
#ifndef PROG_PLAIN_SQE
#define PROG_PLAIN_SQE false
#endif
#ifndef PROG_PLAIN_SETUP
#define PROG_PLAIN_SETUP(c, sqe) ((void)(sqe))
#endif
#define PLAIN_SETUP(c, ctx, rest)                                                                  \
	do {                                                                                       \
		struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };                       \
                                                                                                   \
		if (!prog_reached(&(c).rq, BACKUP_SETUP))                                          \
			break;                                                                     \
		if (unlikely(((PROG_PLAIN_SQE || backup(&(c))) && !sqe.ptr) ||                     \
			     !prog_setup_plain(&(c), &sqe)))                                       \
			rest(ctx);                                                                 \
		else                                                                               \
			PROG_PLAIN_SETUP(&(c), &sqe);                                              \
	} while (0)
#define PLAIN_COMPLETE(c, ctx, rest)                                                               \
	do {                                                                                       \
		enum prog_outcome outcome = PROG_LEFT_OUT;                                         \
                                                                                                   \
		if (prog_reached(&(c).rq, BACKUP_COMPLETE))                                        \
			outcome = prog_complete_plain(&(c));                                       \
		if (outcome == PROG_SELECTED)                                                      \
			PROG_PLAIN(&(c));                                                          \
		else if (unlikely(outcome == PROG_NOT_PLAIN))                                      \
			rest(ctx);                                                                 \
	} while (0)
#define SECOND_SETUP(c, ctx)                                                                       \
	do {                                                                                       \
		struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };                       \
                                                                                                   \
		if (unlikely(!sqe.ptr || !second_entered(&(c), &sqe)))                             \
			setup_rest(ctx);                                                           \
	} while (0)
#define SECOND_COMPLETE(c, ctx)                                                                    \
	do {                                                                                       \
		if (unlikely(!second_completed(&(c))))                                             \
			complete_rest(ctx);                                                        \
	} while (0)
#define PROGRAMS_PLAIN(on_setup, on_complete, on_orphan)                                           \
	static __noinline int setup_rest(void *ctx)                                                \
	{                                                                                          \
		struct request *request = PROG_ARG(ctx, 0);                                        \
		struct sqe sqe = { .ptr = PROG_ARG(ctx, 1), .typed = true };                       \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request || !sqe.ptr)                                                          \
			return 0;                                                                  \
		c.rq = rq_plain_twice(rq_rare(request).ptr);                                       \
		PROG_SETUP(c, sqe, ctx, on_setup);                                                 \
		return 0;                                                                          \
	}                                                                                          \
	static __noinline int complete_rest(void *ctx)                                             \
	{                                                                                          \
		struct request *request = PROG_ARG(ctx, 0);                                        \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request)                                                                      \
			return 0;                                                                  \
		c.rq = rq_plain_twice(rq_rare(request).ptr);                                       \
		PROG_COMPLETE(c, ctx, on_complete, on_orphan);                                     \
		return 0;                                                                          \
	}                                                                                          \
	BTF_ON_REQUEST(setup_plain, "nvme_setup_cmd", rq_plain, PLAIN_SETUP, setup_rest)           \
	BTF_ON_REQUEST(complete_plain, "nvme_complete_rq", rq_plain, PLAIN_COMPLETE,               \
		       complete_rest)                                                              \
	BTF_ON_REQUEST(setup_first, "nvme_setup_cmd", rq_plain_twice, PLAIN_SETUP, setup_rest)     \
	BTF_ON_REQUEST(complete_first, "nvme_complete_rq", rq_plain_twice, PLAIN_COMPLETE,         \
		       complete_rest)                                                              \
	BTF_ON_REQUEST(setup_second, "nvme_setup_cmd", rq_plain_twice, SECOND_SETUP)               \
	BTF_ON_REQUEST(complete_second, "nvme_complete_rq", rq_plain_twice, SECOND_COMPLETE)
#else
#define PROGRAMS_PLAIN(on_setup, on_complete, on_orphan)
#endif

#ifdef PROG_PLAIN_NOTED
#define PROGRAMS_NOTED                                                                             \
	static __noinline int setup_rest_noted(void *ctx)                                          \
	{                                                                                          \
		struct rq rq = rq_noted(PROG_ARG(ctx, 0));                                         \
                                                                                                   \
		plain_forget(&rq);                                                                 \
		return setup_rest(ctx);                                                            \
	}                                                                                          \
	BTF_ON_REQUEST(setup_noted, "nvme_setup_cmd", rq_noted, PLAIN_SETUP, setup_rest_noted)     \
	BTF_ON_REQUEST(complete_noted, "nvme_complete_rq", rq_noted, PLAIN_COMPLETE, complete_rest)
#else
#define PROGRAMS_NOTED
#endif

/* What a raw program does at a setup. */
#define RAW_SETUP(request, cmd, ctx, on_setup)                                                     \
	do {                                                                                       \
		u64 head[RQ_HEAD / sizeof(u64)];                                                   \
		struct nvme_command copy;                                                          \
		struct sqe sqe = { .ptr = &copy, .kernel = cmd, .typed = false };                  \
		struct command c = { .rq = rq_raw(request, head) };                                \
                                                                                                   \
		raw_read_sqe(&sqe, &c.rq);                                                         \
		PROG_SETUP(c, sqe, ctx, on_setup);                                                 \
	} while (0)

#ifdef PROG_PLAIN_RAW
#define PROGRAMS_PLAIN_RAW(on_setup, on_complete, on_orphan)                                       \
	static __noinline int setup_rest_raw(void *ctx)                                            \
	{                                                                                          \
		struct request *request = PROG_ARG(ctx, 0);                                        \
		struct nvme_command *cmd = PROG_ARG(ctx, 1);                                       \
		struct rq rq = rq_plain_raw(request, NULL);                                        \
                                                                                                   \
		plain_forget(&rq);                                                                 \
		RAW_SETUP(request, cmd, ctx, on_setup);                                            \
		return 0;                                                                          \
	}                                                                                          \
	static __noinline int complete_rest_raw(void *ctx)                                         \
	{                                                                                          \
		struct request *request = PROG_ARG(ctx, 0);                                        \
                                                                                                   \
		RAW_ON_REQUEST(request, ctx, PROG_COMPLETE, on_complete, on_orphan);               \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/nvme_setup_cmd")                                                               \
	int BPF_PROG(setup_plain_raw, struct request *request)                                     \
	{                                                                                          \
		u64 head[RQ_HEAD_PLAIN / sizeof(u64)];                                             \
		struct command c = { .rq = rq_plain_raw(request, head) };                          \
                                                                                                   \
		if (prog_reached(&c.rq, BACKUP_SETUP) &&                                           \
		    unlikely(!rq_plain_fits() || !prog_setup_plain(&c, NULL)))                     \
			setup_rest_raw(ctx);                                                       \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/nvme_complete_rq")                                                             \
	int BPF_PROG(complete_plain_raw, struct request *request)                                  \
	{                                                                                          \
		struct command c = { .rq = rq_plain_raw(request, NULL) };                          \
                                                                                                   \
		PLAIN_COMPLETE(c, ctx, complete_rest_raw);                                         \
		return 0;                                                                          \
	}
#else
#define PROGRAMS_PLAIN_RAW(on_setup, on_complete, on_orphan)
#endif

/* The programs of every object. */
#define PROGRAMS(on_setup, on_complete, on_orphan)                                                 \
	PROGRAMS_PLAIN(on_setup, on_complete, on_orphan)                                           \
	PROGRAMS_NOTED                                                                             \
	PROGRAMS_PLAIN_RAW(on_setup, on_complete, on_orphan)                                       \
	SEC("tp_btf/nvme_setup_cmd")                                                               \
	int BPF_PROG(setup_btf, struct request *request, struct nvme_command *cmd)                 \
	{                                                                                          \
		struct sqe sqe = { .ptr = cmd, .typed = true };                                    \
		struct command c = {};                                                             \
                                                                                                   \
		if (!request || !cmd)                                                              \
			return 0;                                                                  \
		c.rq = PROG_TYPED(request);                                                        \
		if (prog_reached(&c.rq, BACKUP_SETUP))                                             \
			PROG_SETUP(c, sqe, ctx, on_setup);                                         \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/nvme_setup_cmd")                                                               \
	int BPF_PROG(setup_raw, struct request *request, struct nvme_command *cmd)                 \
	{                                                                                          \
		struct rq rq = { .typed = false };                                                 \
                                                                                                   \
		if (prog_reached(&rq, BACKUP_SETUP))                                               \
			RAW_SETUP(request, cmd, ctx, on_setup);                                    \
		return 0;                                                                          \
	}                                                                                          \
	ON_REQUEST(complete, "nvme_complete_rq", PROG_TYPED, PROG_COMPLETE_REACHED, on_complete,   \
		   on_orphan)                                                                      \
	BTF_ON_REQUEST(insert_btf, "block_rq_insert", rq_rare, PROG_INSERT)                        \
	RAW_ON_SECOND(insert_raw, "block_rq_insert", PROG_INSERT)                                  \
	SEC("fentry/blk_insert_flush")                                                             \
	int BPF_PROG(flush_btf, struct request *request)                                           \
	{                                                                                          \
		struct command c = { .rq = rq_rare(request) };                                     \
                                                                                                   \
		prog_flush(ctx, &c);                                                               \
		return 0;                                                                          \
	}                                                                                          \
	SEC("fentry/blk_insert_flush")                                                             \
	int BPF_PROG(flush_raw, struct request *request)                                           \
	{                                                                                          \
		RAW_ON_REQUEST(request, ctx, PROG_FLUSH);                                          \
		return 0;                                                                          \
	}                                                                                          \
	BTF_ON_REQUEST(back_btf, "block_rq_requeue", rq_rare, PROG_TAKEN_BACK)                     \
	RAW_ON_SECOND(back_raw, "block_rq_requeue", PROG_TAKEN_BACK)                               \
	ON_REQUEST(given_up, "block_rq_error", rq_rare, PROG_GIVEN_UP)

#endif
