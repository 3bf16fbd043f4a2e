// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who waits for a flush, NEED_SYNCER: the tasks that are inside fsync(), fdatasync(), msync(),
 * syncfs(), sync() or a write with O_SYNC. All of them pass one of three functions. A journal or a
 * log sends the flush on their behalf, so at the setup of a flush, or of a write with FUA, those
 * count whose file system lies on the namespace.
 */
#ifndef NVT_SYNCER_H
#define NVT_SYNCER_H

#include "bpf/command.h"
#include "bpf/shared/syncer.h"

#if PROG_SYNCERS
#define WRITE_FUA (1U << 30) /* of dword 12. NVM Command Set 1.0, figure 64 */

struct syncing syncing[SYNC_ENTRIES] SEC(".bss.syncing");
struct sync_device below[SYNC_DEVICES] SEC(".bss.below");

/* Whether @dev lies on the namespace. */
__noinline int sync_is_on(u32 dev, u32 ctrl_id, u32 nsid)
{
	u32 at = sync_device_first(dev, ctrl_id, nsid);

	if (!dev)
		return true;
	for (u32 i = 0; i <= SYNC_STEPS; i++) {
		const struct sync_device *d = &below[at & (SYNC_DEVICES - 1)];

		if (d->dev == dev && d->ctrl_id == ctrl_id && d->nsid == nsid)
			return true;
		at = sync_device_next(at);
	}
	return false;
}

/* Whether a command makes what was written before, or what it writes itself, last. */
static __always_inline bool sync_asks(u32 admin, u32 opcode, u32 dword12)
{
	return !admin &&
	       (opcode == OPCODE_FLUSH || (opcode == OPCODE_WRITE && dword12 & WRITE_FUA));
}

/*
 * Since when the task of entry @at waits for the namespace, and behind it the entry: what began
 * first is the least. SYNC_NOBODY: no task, or not for that.
 */
__noinline u64 sync_waits(u32 at, u32 ctrl_id, u32 nsid)
{
	u64 since_ns = syncing[at & (SYNCERS - 1)].since_ns;

	if (!since_ns || !sync_is_on(syncing[at & (SYNCERS - 1)].dev, ctrl_id, nsid))
		return SYNC_NOBODY;
	return since_ns * SYNCERS + at;
}

/*
 * The entry of the task that waits longest for the command, one that stays empty if none does, and
 * above it how many do. A function of its own, without a branch around it, and none in which a
 * number is known: the verifier of 6.1 would follow each of the ways through the loop.
 */
__noinline u64 sync_first(u32 ctrl_id, u32 nsid, u32 opcode, u32 admin, u32 dword12)
{
	u64 first = SYNC_NOBODY, n = 0;

	if (!sync_asks(admin, opcode, dword12))
		return SYNC_ENTRIES - 1;
	for (u32 i = 0; i < SYNCERS; i++) {
		u64 waits = sync_waits(i, ctrl_id, nsid);

		n += !(waits >> 63);
		if (waits < first)
			first = waits;
	}
	return n << 32 | (first >> 63) * SYNCERS | (first & (SYNCERS - 1));
}

/* The first entry of the current task from @from on; SYNCERS: it has none. */
__noinline u32 sync_entry_of(u32 tid)
{
	for (u32 i = 0; i < SYNCERS; i++) {
		if (syncing[i].since_ns && syncing[i].tid == tid)
			return i;
	}
	return SYNCERS;
}

/*
 * Takes a free entry: who alone has added to its claims has it. Two that do so at a time go on to
 * the next one.
 */
__noinline u32 sync_take(u32 from)
{
	for (u32 i = 0; i < SYNCERS; i++) {
		struct syncing *s = &syncing[(from + i) & (SYNCERS - 1)];

		if (s->claims)
			continue;
		__sync_fetch_and_add(&s->claims, 1);
		if (*(volatile u64 *)&s->claims == 1)
			return (from + i) & (SYNCERS - 1);
		__sync_fetch_and_add(&s->claims, -1ULL);
	}
	return SYNCERS;
}

/* The current task is inside; @dev as in struct syncing. */
static __always_inline void sync_begin(u32 dev)
{
	u64 id = bpf_get_current_pid_tgid();
	struct syncing *s;
	u32 at;

	at = sync_entry_of(id);
	if (at < SYNCERS) { /* from within another one: overlayfs asks the file system below */
		s = &syncing[at & (SYNCERS - 1)];
		if (s->dev)
			s->dev = dev;
		return;
	}
	at = sync_take(id);
	if (at >= SYNCERS)
		return;
	s = &syncing[at & (SYNCERS - 1)];
	s->dev = dev;
	s->pid = id >> 32;
	s->tid = id;
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	s->since_ns = bpf_ktime_get_ns();
}

static __always_inline void sync_end(void)
{
	u32 at = sync_entry_of(bpf_get_current_pid_tgid());
	struct syncing *s;

	if (at >= SYNCERS)
		return;
	s = &syncing[at & (SYNCERS - 1)];
	s->since_ns = 0;
	__sync_fetch_and_add(&s->claims, -1ULL);
}

/* At setup: who waits for the command. */
static __always_inline void syncer_setup(const struct command *c, const struct sqe *sqe)
{
	struct syncer *to = &c->slot->syncer;
	u64 first = sync_first(c->info->ctrl_id, SQE(sqe, nsid), SQE(sqe, opcode), c->info->admin,
			       SQE(sqe, cdw10[2]));
	const struct syncing *s = &syncing[first & (SYNC_ENTRIES - 1)];

	to->n = first >> 32;
	to->pid = s->pid;
	__builtin_memcpy(to->comm, s->comm, WIRE_COMM);
}
#else
static __always_inline void syncer_setup(const struct command *c, const struct sqe *sqe)
{
}
#endif

#endif
