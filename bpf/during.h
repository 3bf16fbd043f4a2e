// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The admin command that was in flight on the same controller during a command, NEED_DURING. Of
 * several it is the one that was set up first. Keep-alives count for nothing: the kernel sends them
 * all the time.
 *
 * A command asks for it when it completes: one that is in flight then, or that ended after the
 * command was set up. Two admin commands that are set up in the same moment may get one number, and
 * then either of them is the first.
 */
#ifndef NVT_DURING_H
#define NVT_DURING_H

#include "bpf/queue.h"

#define ADMIN_KEEP_ALIVE 0x18 /* NVM Base 2.1, figure 28 */

#define DURING_TAGS	 32 /* NVME_AQ_DEPTH, on every kernel */
#define DURING_KEPT	 32 /* fewer may end during one command, or the first is not known */

struct admin_command {
	u64 end_ns; /* of one that has ended */
	u32 number; /* how many were set up before it */
	u16 code; /* wire_during() */
	u16 pad;
};

/* The admin commands of a controller. */
struct admin_seen {
	u64 open; /* the tags of those in flight */
	u64 end_ns; /* when the last one ended */
	u32 begun, ended; /* how many */
	struct admin_command at[DURING_TAGS + DURING_KEPT]; /* by tag; then the last that ended */
};
struct admin_seen admin_seen[WIRE_CTRLS] SEC(".bss.admin_seen");

/* NULL: the controller is not known, or one of too many. */
static __always_inline struct admin_seen *during_ctrl(const struct queue_info *info)
{
	u32 at = info->ctrl_id;

	if (at >= WIRE_CTRLS)
		return NULL;
	barrier_var(at);
	return &admin_seen[at & (WIRE_CTRLS - 1)];
}

/* The place of the next command that ends, which holds the one that ended first. */
static __always_inline struct admin_command *during_kept(struct admin_seen *seen)
{
	return &seen->at[DURING_TAGS + (seen->ended & (DURING_KEPT - 1))];
}

/*
 * Returns the code of the first command of controller @ctrl of those whose tags have their bits in
 * @open, and those that ended after @since_ns.
 */
__noinline int during_first(u64 ctrl, u64 open, u64 since_ns)
{
	struct admin_seen *seen = &admin_seen[ctrl & (WIRE_CTRLS - 1)];
	u32 first = seen->begun, code = DURING_NONE;

	if (during_kept(seen)->end_ns > since_ns)
		return DURING_UNKNOWN; /* so may have others that are not kept */
	for (u32 i = 0; i < DURING_TAGS + DURING_KEPT; i++) {
		const struct admin_command *a = &seen->at[i];

		if (i < DURING_TAGS ? !(open >> i & 1) : a->end_ns <= since_ns)
			continue;
		if ((s32)(a->number - first) >= 0)
			continue;
		first = a->number;
		code = a->code;
	}
	return code;
}

/* An admin command begins. All of it is written before others see that. */
__noinline int during_begin(u64 ctrl, u64 tag, u32 code)
{
	struct admin_seen *seen = &admin_seen[ctrl & (WIRE_CTRLS - 1)];

	tag &= DURING_TAGS - 1;
	seen->at[tag].number = seen->begun;
	seen->at[tag].code = code;
	if (!(seen->open >> tag & 1))
		__sync_fetch_and_add(&seen->open, 1ULL << tag);
	__sync_fetch_and_add(&seen->begun, 1);
	return 0;
}

/*
 * An admin command ends. Whoever does not see it in flight any more sees when it ended. @now_ns: 0
 * if it was not sent.
 */
__noinline int during_end(u64 ctrl, u64 tag, u64 now_ns)
{
	struct admin_seen *seen = &admin_seen[ctrl & (WIRE_CTRLS - 1)];
	struct admin_command *kept = during_kept(seen);

	tag &= DURING_TAGS - 1;
	if (!(seen->open >> tag & 1))
		return 0;
	if (now_ns) {
		*kept = seen->at[tag];
		kept->end_ns = now_ns;
		seen->end_ns = now_ns;
		__sync_fetch_and_add(&seen->ended, 1);
	}
	__sync_fetch_and_add(&seen->open, -(1ULL << tag));
	return 0;
}

/* Whether the command in @f is one that is looked for. */
static __always_inline bool during_counts(const struct queue_info *info,
					  const struct command_slot *f)
{
	return info->admin && !info->connect && f->opcode != ADMIN_KEEP_ALIVE && during_ctrl(info);
}

/* At setup. What is in flight meanwhile is not known before the command completes. */
static __always_inline void during_setup(const struct queue_info *info, struct command_slot *f,
					 u32 tag)
{
	f->during = DURING_UNKNOWN;
	if (during_counts(info, f))
		during_begin(info->ctrl_id, tag, wire_during(f->opcode, f->fctype));
}

/* The command in @f was not sent. */
static __always_inline void during_unsent(const struct queue_info *info,
					  const struct command_slot *f, u32 tag)
{
	if (during_counts(info, f))
		during_end(info->ctrl_id, tag, 0);
}

/*
 * At completion: fills in what was in flight meanwhile. An admin command is not during itself. It
 * has a tag in `open`, so it always comes to where it ends.
 */
static __always_inline void during_complete(const struct queue_info *info, struct command_slot *f,
					    u32 tag)
{
	const struct admin_seen *seen = during_ctrl(info);
	u64 open, own = 0;

	if (!seen)
		return;
	open = *(volatile u64 *)&seen->open;
	f->during = DURING_NONE;
	if (likely(!open && *(volatile u64 *)&seen->end_ns <= f->submit_ns))
		return;
	if (during_counts(info, f))
		own = 1ULL << (tag & (DURING_TAGS - 1));
	f->during = during_first(info->ctrl_id, open & ~own, f->submit_ns);
	if (own)
		during_end(info->ctrl_id, tag, bpf_ktime_get_ns());
}

#endif
