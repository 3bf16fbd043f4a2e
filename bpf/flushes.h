// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Flush requests of devices above NVMe disks (md, device mapper), NEED_FLUSHES: each from
 * block_bio_queue to block_bio_complete, and how many flush commands of NVMe disks it became.
 *
 * A bio is found again by its address: one with data has lost REQ_PREFLUSH when it ends. To each
 * disk below, the device sends a bio with REQ_PREFLUSH, empty but for dm-linear on 7.2. That leads
 * back to the bio it is sent for:
 *
 *   md since 6.12      by its bi_private
 *   device mapper      the task that queued the one queues the other, from within its submit_bio()
 *   md before 6.12     a kworker queues it, and its bi_private is the md_rdev; mddev.flush_bio is
 *                      the bio. Others that wait then end with it: nothing is counted for them, and
 *                      how many share the commands is not known.
 *
 * One flush command serves all requests that wait for it: flush_end_io() gets the command, which
 * has a list of them. User space knows what lies above NVMe disks, and which have a cache.
 */
#ifndef NVT_FLUSHES_H
#define NVT_FLUSHES_H

#include "bpf/event.h"
#include "bpf/shared/md.h"
#include "bpf/stamp.h"

#define FLUSH_DEPTH 4 /* devices above each other */
/*
 * Requests that a flush command serves; more are not counted. Loops are cut into functions that the
 * verifier looks at once: for that of 6.1 the time they take grows with the square of their turns.
 */
#define FLUSH_PARTS 16
#define FLUSH_PART  16

/* A bio with REQ_PREFLUSH: one that a device above got, or one that it sent to an NVMe disk. */
struct bio_flush {
	u64 queued_ns;
	u64 cgroup_id;
	u64 above; /* the bio that this one was sent for; 0: none */
	u64 disk; /* its address */
	u64 served; /* by the last flush command: it is among the requests that this served */
	u64 command; /* the last one that was counted */
	u32 major, minor;
	u32 bytes, cmd_flags;
	u32 commands; /* flush commands of NVMe disks that were sent for it */
	u32 shared; /* most flushes that one of them served; ~0: more than are counted */
	u32 pid, tid;
	char comm[WIRE_COMM];
	u8 below; /* sent to an NVMe disk */
	u8 merged; /* sent for several bios, of which `above` is one */
	u8 nested; /* queued from within submit_bio() of another one */
	u8 mark; /* of bpf/backup.h */
	u8 pad[4];
};

/* By the address of the bio. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct bio_flush);
} flushes SEC(".maps");

/* The last of these that a task queued to a device above, by thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} flushing SEC(".maps");

const volatile struct md_offsets md SEC(".rodata.md");

static __always_inline u64 word_of(u64 at)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a number */
	return kernel_word((void *)at);
}

static __always_inline struct bio_flush *flush_at(u64 bio)
{
	return bpf_map_lookup_elem(&flushes, &bio);
}

/* The bio that md flushes its disks for, where @rdev may be one of them; 0: it is none. */
static __always_inline u64 flush_of_rdev(u64 rdev)
{
	const struct bio_flush *flush;
	u64 mddev, bio;

	if (!md.known)
		return 0;
	mddev = word_of(rdev + md.rdev_mddev);
	bio = (s64)mddev < 0 ? word_of(mddev + md.flush_bio) : 0;
	flush = flush_at(bio);
	return flush && !flush->below && word_of(mddev + md.gendisk) == flush->disk ? bio : 0;
}

/* Whether the current task is in submit_bio() of another bio. */
static __always_inline bool flush_is_nested(bool typed)
{
	if (typed)
		return bpf_get_current_task_btf()->bio_list;
	return BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), bio_list);
}

/* The open flush that @b was sent for, and sent->merged; 0: there is none, or it cannot be told. */
static __always_inline u64 flush_above(const struct stamp_bio *b, struct bio_flush *sent)
{
	struct bio *bio = b->ptr;
	u64 sent_by = (u64)MEMBER(&b->how, bio, bi_private), *last;
	const struct bio_flush *flush;
	u32 tid;

	flush = flush_at(sent_by);
	if (flush && !flush->below)
		return sent_by;
	if (sent->nested) {
		tid = bpf_get_current_pid_tgid();
		last = bpf_map_lookup_elem(&flushing, &tid);
		return last && *last != b->number && flush_at(*last) ? *last : 0;
	}
	if (sent->bytes || (s64)sent_by >= 0 || !submitter_is_worker(b->how.typed))
		return 0;
	sent->merged = 1;
	return flush_of_rdev(sent_by);
}

static __always_inline void flush_put(const struct stamp_bio *b, struct bio_flush *flush)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;

	flush->queued_ns = bpf_ktime_get_ns();
	flush->mark = backup_mark();
	flush->pid = id >> 32;
	flush->tid = tid;
	flush->cgroup_id = bpf_get_current_cgroup_id();
	bpf_get_current_comm(flush->comm, sizeof(flush->comm));
	if (bpf_map_update_elem(&flushes, &b->number, flush, BPF_ANY))
		stat_inc(STAT_FLUSHES_FULL);
	else if (!flush->below)
		bpf_map_update_elem(&flushing, &tid, &b->number, BPF_ANY);
}

/* A device above or an NVMe disk gets a bio with REQ_PREFLUSH. */
static __always_inline void flush_queued(const struct stamp_bio *b, struct gendisk *disk, u32 opf)
{
	struct bio *bio = b->ptr;
	const struct bio_flush *before = flush_at(b->number);
	struct bio_flush flush = {
		.disk = (u64)disk,
		.major = MEMBER(&b->how, disk, major),
		.minor = MEMBER(&b->how, disk, first_minor),
		.bytes = MEMBER(&b->how, bio, bi_iter.bi_size),
		.cmd_flags = opf & cfg.cmd_flags_mask,
		.below = disk_is_nvme(&b->how, disk),
		.nested = flush_is_nested(b->how.typed),
	};

	if (before && backup_done((u8 *)&before->mark))
		return;
	backup_stands_in(BACKUP_SYNC);
	if (before && !before->below)
		stat_inc(STAT_FLUSHES_UNMATCHED);
	flush.above = flush_above(b, &flush);
	if (flush.below && !flush.above)
		bpf_map_delete_elem(&flushes, &b->number);
	else
		flush_put(b, &flush);
}

/* block_bio_queue. A disk of the block layer's own queues takes requests: it is not above any. */
static __always_inline void sync_queued(const struct stamp_bio *b)
{
	struct bio *bio = b->ptr;
	u32 opf = MEMBER(&b->how, bio, bi_opf);
	struct request_queue *q;
	struct gendisk *disk;

	if (!(opf & cfg.preflush))
		return;
	disk = stamp_disk(b);
	q = disk ? MEMBER(&b->how, disk, queue) : NULL;
	if (q && (disk_is_nvme(&b->how, disk) || !MEMBER(&b->how, q, mq_ops)))
		flush_queued(b, disk, opf);
}

static __always_inline void flush_event(const struct bio_flush *flush)
{
	struct event *ev = event_reserve(EVENT_FLUSH, STAT_RING_FULL_EXTRA);

	if (!ev)
		return;
	event_without_slot(ev);
	event_without_completion(ev);
	ev->ts_ns = bpf_ktime_get_ns();
	ev->submit_ns = flush->queued_ns;
	ev->result = (u64)flush->major << 32 | flush->minor;
	ev->cgroup_id = flush->cgroup_id;
	ev->cdw[0] = flush->commands;
	ev->cdw[1] = flush->shared;
	ev->cdw[2] = flush->nested;
	ev->bytes = flush->bytes;
	ev->cmd_flags = flush->cmd_flags;
	ev->pid = flush->pid;
	ev->tid = flush->tid;
	copy_words(ev->comm, flush->comm, WIRE_COMM);
	ev->queue = 0;
	ev->qid = ev->tag = 0;
	ev->outcome = ev->block_error = 0;
	ev->flags = 0;
	event_submit(ev);
}

/* block_bio_complete: once for each bio of a device above. */
static __always_inline void sync_ended(const void *ended)
{
	u64 bio = (u64)ended;
	const struct bio_flush *flush = flush_at(bio);

	if (!flush)
		return;
	backup_stands_in(BACKUP_SYNCED);
	if (!flush->below)
		flush_event(flush);
	bpf_map_delete_elem(&flushes, &bio);
}

/*
 * Counts a flush command that served @waiters for those that the request of @bio was sent for. That
 * it is taken out tells a backup program that it was counted.
 */
__noinline int flush_count(u64 bio, u64 command, u32 waiters)
{
	struct bio_flush *flush = flush_at(bio);
	u64 above;
	u8 merged;

	if (!flush || !flush->below)
		return 0;
	above = flush->above;
	merged = flush->merged;
	bpf_map_delete_elem(&flushes, &bio);
	for (u32 i = 0; i < FLUSH_DEPTH && (flush = flush_at(above)); i++) {
		if (flush->command != command) {
			flush->command = command;
			__sync_fetch_and_add(&flush->commands, 1);
		}
		if (merged)
			waiters = ~0U;
		if (flush->shared < waiters)
			flush->shared = waiters;
		merged = flush->merged;
		above = flush->above;
	}
	return 1;
}

/* Where the next request hangs in the list of a flush command's. */
static __always_inline u32 flush_link(void)
{
	if (bpf_core_field_exists(struct request___flush, flush.list)) /* until 6.5 */
		return bpf_core_field_offset(struct request___flush, flush.list);
	return bpf_core_field_offset(struct request, queuelist);
}

/*
 * Whether the request of @bio is the first of @command for the flush that it was sent for in the
 * end: a device above may send several to one disk.
 */
__noinline u32 flush_is_first(u64 bio, u64 command)
{
	struct bio_flush *flush = flush_at(bio), *above;

	for (u32 i = 0; i < FLUSH_DEPTH && flush && (above = flush_at(flush->above)); i++)
		flush = above;
	if (!flush || flush->below)
		return 1;
	if (flush->served == command)
		return 0;
	flush->served = command;
	return 1;
}

static __always_inline u64 flush_bio(u64 node)
{
	return word_of(node - flush_link() + bpf_core_field_offset(struct request, bio));
}

/*
 * How many entries of the list @head are behind @node, FLUSH_PART at most; in the upper half how
 * many flushes these were sent for.
 */
__noinline u32 flush_waiters(u64 head, u64 node, u64 command)
{
	u32 n = 0;

	for (u32 i = 0; i < FLUSH_PART && (node = word_of(node)) && node != head; i++)
		n += 1 + (flush_is_first(flush_bio(node), command) << 16);
	return n;
}

/* The entry that is FLUSH_PART entries behind @node. */
__noinline u64 flush_skip(u64 node)
{
	for (u32 i = 0; i < FLUSH_PART; i++)
		node = word_of(node);
	return node;
}

/* flush_count() for so many of the requests behind @node; how many were counted. */
__noinline u32 flush_part(u64 head, u64 node, u64 command, u32 waiters)
{
	u32 n = 0;

	for (u32 i = 0; i < FLUSH_PART && (node = word_of(node)) && node != head; i++)
		n += flush_count(flush_bio(node), command, waiters);
	return n;
}

/* The list of requests that the flush command of @fq serves. */
static __always_inline u64 flush_list(u64 fq)
{
	u64 bits = word_of(
		fq + __CORE_RELO((struct blk_flush_queue *)0, flush_running_idx, BYTE_OFFSET));

	bits <<= __CORE_RELO((struct blk_flush_queue *)0, flush_running_idx, LSHIFT_U64);
	bits >>= __CORE_RELO((struct blk_flush_queue *)0, flush_running_idx, RSHIFT_U64);
	return fq + bpf_core_field_offset(struct blk_flush_queue, flush_queue) +
	       bits * sizeof(struct list_head);
}

/* flush_end_io(): the block layer's flush command has ended, not yet the requests it served. */
static __always_inline void sync_served(const struct rq *rq)
{
	u64 fq = word_of((u64)RQ(rq, mq_hctx) + bpf_core_field_offset(struct blk_mq_hw_ctx, fq));
	u64 command = fq + bpf_ktime_get_ns(), head, node; /* a queue has one at a time */
	u32 waiters = 0, entries = 0, part = FLUSH_PART, counted = 0;

	if (word_of(fq + bpf_core_field_offset(struct blk_flush_queue, flush_rq)) != (u64)rq->ptr)
		return;
	node = head = flush_list(fq);
	for (u32 i = 0; i < FLUSH_PARTS && (u16)part == FLUSH_PART; i++) {
		part = flush_waiters(head, node, command);
		entries += (u16)part;
		waiters += part >> 16;
		node = flush_skip(node);
	}
	if ((u16)part == FLUSH_PART)
		waiters = ~0U;
	node = head;
	for (u32 i = 0; i < FLUSH_PARTS && i * FLUSH_PART < entries; i++) {
		counted += flush_part(head, node, command, waiters);
		node = flush_skip(node);
	}
	if (counted)
		backup_stands_in(BACKUP_SERVED);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(sync_btf, struct bio *bio)
{
	struct stamp_bio b = stamp_bio(bio, true);

	sync_queued(&b);
	return 0;
}

SEC("raw_tp/block_bio_queue")
int sync_raw(u64 *ctx)
{
	struct stamp_bio b = stamp_bio(raw_arg(ctx, cfg.bio_second), false);

	sync_queued(&b);
	return 0;
}

SEC("tp_btf/block_bio_complete")
int BPF_PROG(synced_btf, struct request_queue *q, struct bio *bio)
{
	sync_ended(bio);
	return 0;
}

SEC("raw_tp/block_bio_complete")
int synced_raw(u64 *ctx)
{
	sync_ended(raw_arg(ctx, true));
	return 0;
}

SEC("fentry/flush_end_io")
int BPF_PROG(served_btf, struct request *request)
{
	struct rq rq = rq_rare(request);

	sync_served(&rq);
	return 0;
}

SEC("fentry/flush_end_io")
int BPF_PROG(served_raw, struct request *request)
{
	u64 head[RQ_HEAD / sizeof(u64)];
	struct rq rq = rq_raw(request, head);

	sync_served(&rq);
	return 0;
}

#endif
