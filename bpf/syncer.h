// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who waits for a flush, NEED_SYNCER: the tasks that are inside fsync(), fdatasync(), msync(),
 * syncfs(), sync() or a write with O_SYNC. All of them pass one of the functions of bpf/sync.h. A
 * journal or a log sends the flush on their behalf, so at the setup of a flush, or of a write with
 * FUA, those count whose file system lies on the namespace.
 */
#ifndef NVT_SYNCER_H
#define NVT_SYNCER_H

#include "bpf/command.h"
#include "bpf/shared/syncer.h"
#include "bpf/submitter.h"

#if PROG_SYNCERS
#define WRITE_FUA (1U << 30) /* of dword 12. NVM Command Set 1.0, figure 64 */

struct sync_table sync SEC(".bss.sync");

/* Whether @dev lies on the namespace. */
__noinline int sync_is_on(u32 dev, u32 ctrl_id, u32 nsid)
{
	u32 at = sync_device_first(dev, ctrl_id, nsid);

	if (!dev)
		return true;
	for (u32 i = 0; i <= SYNC_STEPS; i++) {
		const struct sync_device *d = &sync.device[at & (SYNC_DEVICES - 1)];

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
 * Since when the call of entry @at waits for the namespace, and behind it the entry: what began
 * first is the least. SYNC_NOBODY: none, or not for that.
 */
__noinline u64 sync_waits(u32 at, u32 ctrl_id, u32 nsid)
{
	const volatile struct syncing *s = &sync.task[at & (SYNC_ENTRIES - 1)];
	u64 since_ns = s->since_ns;

	if (!since_ns || !sync_is_on(s->dev, ctrl_id, nsid))
		return SYNC_NOBODY;
	return (since_ns - sync.start_ns) * SYNCERS + at;
}

/*
 * The entry of the call that waits longest for the command, one that stays empty if none does, and
 * above it how many do. A function of its own, without a branch around it, and none in which a
 * number is known: the verifier of 6.1 would follow each of the ways through the loop.
 */
__noinline u64 sync_first(u32 ctrl_id, u32 nsid, u32 opcode, u32 admin, u32 dword12)
{
	u64 first = SYNC_NOBODY, n = 0;

	if (!sync_asks(admin, opcode, dword12) || sync.unseen)
		return SYNCERS;
	for (u32 i = 0; i < SYNCERS; i++) {
		u64 waits = sync_waits(i, ctrl_id, nsid);

		n += !(waits >> 63);
		if (waits < first)
			first = waits;
	}
	return n << 32 | (first >> 63) * SYNCERS | (first & (SYNCERS - 1));
}

/*
 * Takes a free entry: who alone has added to its claims has it. Two that do so at a time go on to
 * the next one.
 */
__noinline u32 sync_take(u32 from)
{
	for (u32 i = 0; i < SYNCERS; i++) {
		struct syncing *s = &sync.task[(from + i) & (SYNCERS - 1)];

		if (s->claims)
			continue;
		__sync_fetch_and_add(&s->claims, 1);
		if (*(volatile u64 *)&s->claims == 1)
			return (from + i) & (SYNCERS - 1);
		__sync_fetch_and_add(&s->claims, -1ULL);
	}
	return SYNCERS;
}

static __always_inline void sync_drop(struct syncing *s)
{
	s->since_ns = 0;
	__sync_fetch_and_add(&s->claims, -1ULL);
}

/*
 * Drops the call of the task that has this frame. Returns how many others it is inside of, with one
 * that was there 1 << 16.
 */
__noinline u32 sync_leave(u32 tid, u64 frame)
{
	u32 n = 0;

	for (u32 i = 0; i < SYNCERS; i++) {
		struct syncing *s = &sync.task[i];

		if (!s->since_ns || s->tid != tid)
			continue;
		n += s->frame == frame ? 1 << 16 : 1;
		if (s->frame == frame)
			sync_drop(s);
	}
	return n;
}

/*
 * Whether a call that begins counts already: the task is inside one for the same file system, or the
 * first of two programs has been here. A stack grows down: a call whose frame does not lie above has
 * ended, though its return was not seen.
 */
__noinline u32 sync_counts(u32 tid, u64 frame, u32 dev)
{
	u32 counts = false;

	for (u32 i = 0; i < SYNCERS; i++) {
		struct syncing *s = &sync.task[i];

		if (!s->since_ns || s->tid != tid)
			continue;
		if (s->frame == frame && cfg.backup == BACKUP_SECOND)
			counts = true;
		else if (s->frame <= frame)
			sync_drop(s);
		else if (s->dev == dev || !s->dev)
			counts = true;
	}
	return counts;
}

/* A number that tells where @ctx is: the verifier takes the difference of two pointers for one. */
static __always_inline u64 sync_frame(const void *ctx)
{
	u64 frame = (u64)ctx;

	asm volatile("%0 -= %1" : "+r"(frame) : "r"(&sync));
	return frame;
}

/*
 * The current task is inside a call from now on; @dev as in struct syncing. A kernel worker does it for
 * a process that is elsewhere: loop devices, aio.
 */
__noinline int sync_begin(u64 frame, u32 dev)
{
	u64 id = bpf_get_current_pid_tgid();
	struct syncing *s;
	u32 at;

	if (!sync.start_ns || submitter_is_worker(false) || sync_counts(id, frame, dev))
		return 0;
	at = sync_take(id);
	if (at >= SYNCERS) {
		if (cfg.backup != BACKUP_SECOND) {
			stat_inc(STAT_SYNCERS_FULL);
			__sync_fetch_and_add(&sync.unseen, 1);
		}
		return 0;
	}
	s = &sync.task[at & (SYNCERS - 1)];
	s->frame = frame;
	s->dev = dev;
	s->pid = id >> 32;
	s->tid = id;
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	*(volatile u64 *)&s->since_ns = bpf_ktime_get_ns();
	return 0;
}

__noinline int sync_end(u64 frame)
{
	u32 calls = sync_leave(bpf_get_current_pid_tgid(), frame);

	if (!calls && sync.unseen && !submitter_is_worker(false) && cfg.backup != BACKUP_SECOND)
		__sync_fetch_and_add(&sync.unseen, -1ULL);
	return 0;
}

/* At setup: who waits for the command. Nobody, if the task leaves meanwhile. */
static __always_inline void syncer_setup(const struct command *c, const struct sqe *sqe)
{
	struct syncer *to = &c->slot->syncer;
	u32 ctrl_id = c->info->ctrl_id, nsid = SQE(sqe, nsid);
	u64 first = sync_first(ctrl_id, nsid, SQE(sqe, opcode), c->info->admin, SQE(sqe, cdw10[2]));
	u64 waits = sync_waits(first, ctrl_id, nsid);
	const struct syncing *s = &sync.task[first & (SYNC_ENTRIES - 1)];

	to->n = first >> 32;
	to->pid = s->pid;
	__builtin_memcpy(to->comm, s->comm, WIRE_COMM);
	if (sync_waits(first, ctrl_id, nsid) != waits)
		to->n = to->pid = 0;
}
#else
static __always_inline void syncer_setup(const struct command *c, const struct sqe *sqe)
{
}
#endif

#endif
