// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Backup programs: they do the work where the kernel skips the first program of a hook.
 *
 * While a program runs on a CPU, the kernel skips it for any other event there: for a completion in
 * an interrupt inside one in a task (fabrics, remote completions), and since 7.0, where programs of
 * tracepoints can be preempted, for everything that other tasks do until it goes on. Where that can
 * be, each program is loaded a second time on the same maps (cfg.backup). Both run one after the
 * other in the task whose event it is. The first does the work and leaves a mark. The backup
 * program takes the mark away or, if there is none, does the work, and counts that:
 *
 *   setup                 the slot is BUSY, with this request and its identifier
 *   completion            MARK in the slot
 *   insert, flush         submitter.mark, and the submitter is of this request
 *   entry, plug, stamp    a mark in the note of the bio, and that has this sector
 *   sync                  a mark in the note of the flush
 *   waits, waited         the entry of the call, told by its frame: none is counted
 *   move, ended, done,    none: the first has moved the stamp, or taken away the stamp, the event
 *   synced, served        that waited, or the flush
 *
 * The kernel may skip the backup program, too. Then a mark stays, and what is compared beside it
 * keeps it from being taken for that of a later event.
 */
#ifndef NVT_BACKUP_H
#define NVT_BACKUP_H

#include "bpf/command.h"

/* Called before the work of @hook is done: in a backup program it counts that one was needed. */
static __always_inline void backup_stands_in(enum backup_hook hook)
{
	if (cfg.backup == BACKUP_SECOND)
		stat_inc(STAT_STOOD_IN + hook);
}

/* The mark that this program leaves: 1 in the first of two, else 0. */
static __always_inline u8 backup_mark(void)
{
	return cfg.backup == BACKUP_FIRST;
}

/* In a backup program: whether the first has left its @mark, which is taken away. */
static __always_inline bool backup_done(u8 *mark)
{
	if (cfg.backup != BACKUP_SECOND || !*mark)
		return false;
	*mark = 0;
	return true;
}

/* Whether there are two programs, or may be. */
static __always_inline bool backup(const struct command *c)
{
	return c->rq.fast ? c->rq.typed && !c->rq.alone : cfg.backup;
}

/* Notes the identifier by which backup_is_in() knows the command again. */
static __always_inline void backup_note(const struct command *c, const struct sqe *sqe)
{
	if (backup(c))
		c->slot->cid = SQE(sqe, command_id);
}

/*
 * Whether the slot is that of this very command, which is not sent before we return. The identifier
 * tells two attempts of a request apart: it counts them, if the driver does not leave that out.
 */
static __always_inline bool backup_is_in(const struct command *c, const struct sqe *sqe)
{
	u64 owner = c->slot->owner;

	return owner & SLOT_BUSY && command_owns(c, owner) && c->slot->cid == SQE(sqe, command_id);
}

/* In a backup program: whether the first has been here. False also counts that it was skipped. */
static __always_inline bool backup_entered(const struct command *c, const struct sqe *sqe)
{
	if (cfg.backup == BACKUP_SECOND && backup_is_in(c, sqe))
		return true;
	backup_stands_in(BACKUP_SETUP);
	return false;
}

/*
 * In a backup program at a completion: whether the first has been here, or there is no slot that
 * tells. False also counts that it was skipped.
 */
static __always_inline bool backup_completed(struct command_slot *f)
{
	if (cfg.backup == BACKUP_SECOND) {
		if (!f)
			return true;
		if (f->state & SLOT_MARK) {
			f->state &= ~SLOT_MARK;
			return true;
		}
	}
	backup_stands_in(BACKUP_COMPLETE);
	return false;
}

#endif
