// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The admin command that was in flight on the same controller during a command, NEED_DURING. Of
 * several it is the one that was set up first. Keep-alives count for nothing: the kernel sends them
 * all the time.
 *
 * A command asks at its setup which one is in flight. If there is none, the first that is set up
 * from then on is the one, and the completion finds it by its number. Two admin commands that are
 * set up in the same moment may get one number, and then either of them is the first.
 */
#ifndef NVT_DURING_H
#define NVT_DURING_H

#include "bpf/queue.h"

#define ADMIN_KEEP_ALIVE 0x18 /* NVM Base 2.1, figure 28 */

#define DURING_TAGS	 64 /* more than an admin queue has: ADMIN_TAGS of lib/loader/size.c */
#define DURING_KEPT	 128 /* fewer may begin during one command, or the first is not known */

/* The admin commands of a controller. */
struct admin_seen {
	u64 open; /* the tags of those in flight */
	u32 begun; /* how many were set up: the number of the next one */
	u32 pad;
	u32 number[DURING_TAGS]; /* by tag */
	u16 code[DURING_TAGS]; /* the same: wire_during() */
	u16 kept[DURING_KEPT]; /* the same by number */
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

/* Returns the code of the oldest command of controller @ctrl whose tag has its bit in @open. */
__noinline int during_oldest(u64 ctrl, u64 open)
{
	const struct admin_seen *seen = &admin_seen[ctrl & (WIRE_CTRLS - 1)];
	u32 oldest = seen->begun, code = DURING_NONE;

	for (u32 tag = 0; tag < DURING_TAGS; tag++) {
		u32 number = seen->number[tag];

		if (!(open >> tag & 1) || (s32)(number - oldest) >= 0)
			continue;
		oldest = number;
		code = seen->code[tag];
	}
	return code;
}

/* Whether the command in @f is one that is looked for. */
static __always_inline bool during_counts(const struct queue_info *info,
					  const struct command_slot *f)
{
	return info->admin && !info->connect && f->opcode != ADMIN_KEEP_ALIVE;
}

/* An admin command is set up. All of it is written before others see that it has begun. */
static __always_inline void during_begin(struct admin_seen *seen, const struct command_slot *f,
					 u32 tag)
{
	u16 code = wire_during(f->opcode, f->fctype);
	u32 number = seen->begun;

	tag &= DURING_TAGS - 1;
	seen->number[tag] = number;
	seen->code[tag] = code;
	seen->kept[number & (DURING_KEPT - 1)] = code;
	if (!(seen->open >> tag & 1))
		__sync_fetch_and_add(&seen->open, 1ULL << tag);
	__sync_fetch_and_add(&seen->begun, 1);
}

/*
 * Called at setup. It reads the number before the tags, so an admin command that begins between
 * the two reads is among the tags. An admin command does not count during itself.
 */
static __always_inline void during_setup(const struct queue_info *info, struct command_slot *f,
					 u32 tag)
{
	struct admin_seen *seen = during_ctrl(info);
	u64 open;

	f->during = DURING_UNKNOWN;
	if (!seen)
		return;
	f->admin_begun = *(volatile u32 *)&seen->begun;
	open = *(volatile u64 *)&seen->open;
	f->during = unlikely(open) ? during_oldest(info->ctrl_id, open) : DURING_NONE;
	if (!during_counts(info, f))
		return;
	f->admin_begun++;
	during_begin(seen, f, tag);
}

/* The command in @f ends, or is taken back. */
static __always_inline void during_end(const struct queue_info *info, const struct command_slot *f,
				       u32 tag)
{
	struct admin_seen *seen;

	if (!during_counts(info, f))
		return;
	seen = during_ctrl(info);
	tag &= DURING_TAGS - 1;
	if (seen && seen->open >> tag & 1)
		__sync_fetch_and_add(&seen->open, -(1ULL << tag));
}

/* At completion: what began since the setup, if nothing was in flight then. */
static __always_inline void during_complete(const struct queue_info *info, struct command_slot *f,
					    u32 tag)
{
	struct admin_seen *seen = during_ctrl(info);
	u32 first = f->admin_begun, begun;

	if (!seen)
		return;
	begun = *(volatile u32 *)&seen->begun;
	if (unlikely(begun != first) && f->during == DURING_NONE)
		f->during = begun - first >= DURING_KEPT ? DURING_UNKNOWN
							 : seen->kept[first & (DURING_KEPT - 1)];
	during_end(info, f, tag);
}

#endif
