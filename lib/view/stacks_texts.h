// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The texts of stacks, each kept once and known by a number: two stacks whose addresses differ are
 * one if they read the same. Frames are innermost first with ';' between; a ';' inside of a name
 * becomes ','.
 */
#ifndef NVT_VIEW_STACKS_TEXTS_H
#define NVT_VIEW_STACKS_TEXTS_H

#include "lib/event/view.h"

struct frames;
struct stacks_texts;

/* Numbers of texts that are no frames. */
#define STACKS_TEXT_LOST   0 /* "[lost]" */
#define STACKS_TEXT_ABSENT 1 /* "[no user stack]": a kernel thread */

struct stacks_style {
	u32 depth; /* frames to show, the innermost ones */
	bool offsets; /* nvme_queue_rq+0x12 */
	bool addresses; /* the address in front of each name */
};

/* Identifies a stack. */
struct stacks_ref {
	s32 id; /* in the kernel's map, or in the recording */
	u32 pid; /* of a user stack, else 0 */
	bool user;
};

/* A stack as it was taken. */
struct stacks_frames {
	const u64 *addr;
	const char *const *recorded; /* texts in replay, NULL live */
	u32 n;
};

/* The stack of a recorded command. */
static inline struct stacks_frames stacks_frames_of(const struct view *v, bool user)
{
	return user ? (struct stacks_frames){ v->ustack, v->utext, v->ustack_len }
		    : (struct stacks_frames){ v->kstack, v->ktext, v->kstack_len };
}

/*
 * @frames names addresses, NULL in replay; it must outlive the texts. 0 or -ENOMEM after a message.
 */
int stacks_texts_open(struct stacks_texts **t, struct frames *frames,
		      const struct stacks_style *style);

/* The number of a stack that stacks_texts_take() has seen, or that has no frames; else -1. */
s32 stacks_texts_known(const struct stacks_texts *t, const struct stacks_ref *ref);

/*
 * Names the frames, keeps the text, and returns its number. A user stack of one frame, or one that
 * leads to an address without code, is cut there and marked: the program keeps no frame pointers.
 * Without frames, or without memory: STACKS_TEXT_LOST.
 */
s32 stacks_texts_take(struct stacks_texts *t, const struct stacks_ref *ref,
		      const struct stacks_frames *stack);

/* The text of a number that was handed out; valid until close. */
const char *stacks_texts_at(const struct stacks_texts *t, s32 number);

void stacks_texts_close(struct stacks_texts *t); /* NULL is allowed */

#endif
