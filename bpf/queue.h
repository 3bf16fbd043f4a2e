// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Queue info: gathered when a hardware queue is first met, then found by the queue's pointer.
 *
 * An entry of `queues` keeps what it says, and no two say the same. So a namespace that is detached
 * and attached again, a controller that reconnects and a scheduler that is switched back take the
 * entries they had before, and no reader, on another CPU or of an event in the ring, can see two
 * queues mixed.
 *
 * A pointer may be used again for another queue. So each submission asks whether the entry is still
 * that of its queue, in three ways, for each of them misses something:
 *
 *   generation   A new namespace is identified before its first command. Our program sees that and
 *                moves control.generation (queue_suspect_all()); an entry of an older generation is
 *                gathered again before it is used. An Identify command that our program was skipped
 *                for shows at its completion. User space moves it, too, with each uevent.
 *   disk number  Before 6.0 (1a893c2bfef4) the driver identifies a namespace before its queue is
 *                made, so commands of the old queue may follow; and a namespace of an unknown
 *                command set, which takes nothing but passthrough, is not identified again. There
 *                the sequence number of the disk decides (queue_reused()). Raw programs, to which
 *                reading costs a helper call, and kernels before 5.15, which number no disks, do
 *                without it.
 *   queue number A hardware queue may get another number in a reset, before anything is identified
 *                (queue_ready()).
 *
 * Completions need no check: what was in flight ended before its queue did.
 */
#ifndef NVT_QUEUE_H
#define NVT_QUEUE_H

#include "bpf/busy.h"
#include "bpf/ctrl.h"
#include "bpf/shared/filter.h"

#define QUEUE_PROBES 64 /* entries tried for a free one */

/*
 * Owners of regions: the disk with a scheduler, by its device number, and the tags of a controller,
 * by its instance. What comes in their place has the same numbers, and gets the same region. No
 * pointer, nor a distance of two, is as large.
 */
#define SCHED_OWNER (1ULL << 62)
#define CTRL_OWNER  (1ULL << 61)

/* The parts of a command identifier: drivers/nvme/host/nvme.h, nvme_cid(). */
#define CID_TAG_BITS   12
#define CID_GENERATION 0xf

#define ADMIN_IDENTIFY 0x06 /* NVM Base 2.1, figure 28 */

/* The bit of REQ_OP_DRV_IN, _OUT and of SCSI (32, 33) alone: include/linux/blk_types.h. */
#define REQ_OP_PASSTHROUGH 0x20

/* The queues of a request, read once for queue_find(): see RQ_RARELY(). */
struct queue_links {
	struct request_queue *q;
	struct blk_mq_hw_ctx *hctx;
	u16 sched_tags; /* as in struct queue_info */
};

/*
 * Takes (@kind, @number). True for exactly one caller. What loops do here is in global functions,
 * which take numbers only: the verifier looks at each once, not in every round of a loop and every
 * path to it.
 */
static __always_inline bool claim_take(u64 kind, u64 number)
{
	struct claim_key key = { kind, number };
	u64 owner = 0;

	return !bpf_map_update_elem(&claims, &key, &owner, BPF_NOEXIST);
}

static __always_inline void claim_drop(u64 kind, u64 number)
{
	struct claim_key key = { kind, number };

	bpf_map_delete_elem(&claims, &key);
}

/* Takes spare region @index of @kind if @entries fit. 1: it is taken. */
__noinline int region_try(u64 kind, u64 index, u64 entries)
{
	u32 there = spares[kind == CLAIM_SCHED][index & (WIRE_SPARES - 1)].entries;

	return there >= entries && claim_take(kind, index);
}

/*
 * The base of the first spare region of @kind with room for @entries, now taken; its @index. -1:
 * none is left.
 */
static __always_inline s64 region_claim(u64 kind, u64 entries, u32 *index)
{
	for (u32 i = 0; i < WIRE_SPARES; i++) {
		if (!region_try(kind, i, entries))
			continue;
		*index = i;
		return spares[kind == CLAIM_SCHED][i].base;
	}
	return -1;
}

/*
 * The base of a spare region for @entries of @owner: the one it took before, else a free one; user
 * space sorted them by size. -1: none is left, which is noted, too. Of two CPUs that ask for one
 * owner at the same moment, the one whose note comes second gives its region back.
 */
__noinline s64 region_take(u64 kind, u64 owner, u64 entries)
{
	struct claim_key mine = { owner, entries };
	s64 *noted = bpf_map_lookup_elem(&claims, &mine), base;
	u32 index = 0;

	if (noted)
		return *noted;
	base = region_claim(kind, entries, &index);
	if (!bpf_map_update_elem(&claims, &mine, &base, BPF_NOEXIST))
		return base;
	if (base >= 0)
		claim_drop(kind, index);
	noted = bpf_map_lookup_elem(&claims, &mine);
	return noted ? *noted : -1;
}

/* Takes entry @index of `queues`. 1: it is taken. */
__noinline int queue_entry_try(u64 index)
{
	return claim_take(CLAIM_QUEUE, index);
}

/*
 * The index of an entry that nobody had, 0: none is left. What was tried in vain is not tried
 * again, so that a queue which finds none does not keep others from the table.
 */
__noinline int queue_entry_take(void)
{
	u32 index = queues_taken;

	for (u32 i = 0; i < QUEUE_PROBES; i++) {
		if (++index >= cfg.queues)
			return 0;
		if (!queue_entry_try(index))
			continue;
		queues_taken = index;
		return index;
	}
	queues_taken = index;
	return 0;
}

/* Whether no entry is left: then a queue that is not known may be one that was refused. */
static __always_inline bool queue_entries_gone(void)
{
	return queues_taken + 1 >= cfg.queues;
}

static __always_inline struct queue_info *queue_entry(u32 index)
{
	return &queues[index & (WIRE_QUEUES - 1)];
}

/*
 * A pointer as a number. In BTF programs only the difference of two pointers is one to the
 * verifier; in raw ones a pointer is.
 */
static __always_inline u64 queue_number(const struct rq *rq, const void *p)
{
	u64 number = (u64)p;

	if (rq->typed)
		number -= (u64)queues;
	barrier_var(number); /* or the compiler adds to `queues` what it would compare with */
	return number;
}

/* The number by which the entry of the hardware queue is found. */
static __always_inline u64 queue_pointer(const struct rq *rq)
{
	return queue_number(rq, RQ(rq, mq_hctx));
}

/*
 * Whether a request is the NVMe driver's, at a hook that requests of every driver pass. @no_disk:
 * the answer for a queue without a disk, such as an admin queue.
 */
static __always_inline bool queue_is_nvme(const struct rq *rq, bool no_disk)
{
	struct gendisk *disk = rq_disk(rq, RQ_RARELY(rq, q));

	return disk ? disk_is_nvme(rq, disk) : no_disk;
}

static __always_inline void queue_read_disk(const struct rq *rq, struct request_queue *q,
					    struct queue_info *info)
{
	struct gendisk *disk = rq_disk(rq, q);
	u64 *words = (u64 *)info->disk;

	if (!disk)
		return;
	info->major = MEMBER(rq, disk, major);
	info->minor = MEMBER(rq, disk, first_minor);
	if (!rq->typed) {
		BPF_CORE_READ_INTO(&info->disk, disk, disk_name);
		return;
	}
	for (u32 i = 0; i < WIRE_DISK_NAME / sizeof(u64); i++)
		words[i] = ARRAY_WORD(disk, disk_name, i);
}

/*
 * The number of its tag set: two for each controller, for I/O and admin commands. A queue that
 * connects others has the tags of I/O.
 */
static __always_inline u32 queue_tags(const struct queue_info *info)
{
	return (u32)info->ctrl_id * 2 + (info->admin && !info->connect);
}

/*
 * The region that user space laid out for the controller from sysfs, -1: none, or not large enough.
 */
static __always_inline s64 queue_region(const struct queue_info *info, u64 entries)
{
	u32 at = queue_tags(info);

	if ((u32)info->ctrl_id >= WIRE_CTRLS)
		return -1;
	/*
	 * The verifier of 6.1 knows no bounds of two values that were or-ed together: the mask
	 * comes last.
	 */
	barrier_var(at);
	at &= 2 * WIRE_CTRLS - 1;
	return regions[at].entries >= entries ? (s64)regions[at].base : -1;
}

/* Tags of its scheduler, 0: it has none, or nobody asks who submits. At most MAX_SCHED_RQ, 2048. */
static __always_inline u16 queue_sched_tags(const struct rq *rq, struct request_queue *q)
{
	return cfg.sched_slots && MEMBER(rq, q, elevator) ? MEMBER(rq, q, nr_requests) : 0;
}

/*
 * Whether no command of its controller can pass the filter: none has an entry, and none is counted,
 * from setup to completion.
 */
static __always_inline bool queue_is_apart(const struct queue_info *info)
{
	return info->slot_base == QUEUE_APART;
}

/*
 * Whether no room was left for what the queue's scheduler holds: then nobody can tell who submits
 * it.
 */
static __always_inline bool queue_hides_submitters(const struct queue_info *info)
{
	return info->sched_tags && !info->sched_depth && !queue_is_apart(info);
}

static __always_inline void queue_read_tags(const struct rq *rq, const struct queue_links *at,
					    struct queue_info *info)
{
	struct request_queue *q = at->q;
	struct blk_mq_tag_set *set = MEMBER(rq, q, tag_set);
	u64 hctxs = MEMBER(rq, set, nr_hw_queues);
	u64 depth = MEMBER(rq, set, queue_depth);
	s64 base;

	info->sched_tags = at->sched_tags;
	if (queue_is_apart(info))
		return;
	base = queue_region(info, hctxs * depth);
	if (base < 0)
		base = region_take(CLAIM_REGION,
				   info->ctrl_id < 0 ? queue_number(rq, set)
						     : CTRL_OWNER | queue_tags(info),
				   hctxs * depth);
	if (base >= 0 && info->hctx < hctxs) {
		info->slot_base = base + info->hctx * depth;
		info->depth = depth;
	}
	depth = at->sched_tags;
	if (!depth)
		return;
	hctxs = MEMBER(rq, q, nr_hw_queues);
	base = region_take(CLAIM_SCHED, SCHED_OWNER | (u64)info->major << MINOR_BITS | info->minor,
			   hctxs * depth);
	if (base >= 0 && info->hctx < hctxs) {
		info->sched_base = base + info->hctx * depth;
		info->sched_depth = depth;
	}
}

/* The size of a logical block; 0: an admin queue, which has none. */
static __always_inline u32 queue_lba_bytes(const struct rq *rq, struct request_queue *q, bool admin)
{
	return admin ? 0 : MEMBER(rq, q, limits.logical_block_size);
}

/* Gathers what is known of the queue of @rq into @info, which begins as zeroes. */
static __always_inline void queue_gather(const struct rq *rq, const struct queue_links *at,
					 u32 nsid, struct queue_info *info)
{
	struct blk_mq_hw_ctx *hctx = at->hctx; /* MEMBER() would relocate at->hctx, too */
	struct request_queue *q = at->q;

	info->admin = !MEMBER(rq, q, queuedata);
	info->nsid = info->admin ? 0 : nsid;
	info->ctrl_id = queue_read_ctrl(rq, q);
	info->connect = info->admin && queue_connects(rq, q);
	info->keeps_sqe = PROG_TELLS_SQE && queue_keeps_sqe(rq);
	info->lba_bytes = queue_lba_bytes(rq, q, info->admin);
	info->hctx = MEMBER(rq, hctx, queue_num);
	info->qid = info->admin && !info->connect ? 0 : info->hctx + 1;
	queue_read_disk(rq, q, info);
	if (filter_queue(&filter, info->ctrl_id, info->admin))
		info->selected = SLOT_SELECTED;
	/* A controller that is not known may be a selected one. */
	else if (info->ctrl_id >= 0 && !filter_ctrl(&filter, info->ctrl_id))
		info->slot_base = QUEUE_APART;
	queue_read_tags(rq, at, info);
}

/*
 * The index of the entry that says the same as @info; if there is none, a free one is filled. 0:
 * none is left. If two CPUs meet a queue at the same moment, the entry of the second stays unused.
 */
static __always_inline u32 queue_keep(struct queue_info *info)
{
	const void *key = &info->slot_base;
	u32 *noted = bpf_map_lookup_elem(&known, key);

	if (noted)
		return *noted;
	info->index = queue_entry_take();
	if (info->index) {
		*queue_entry(info->index) = *info;
		if (!bpf_map_update_elem(&known, key, &info->index, BPF_NOEXIST))
			return info->index;
		noted = bpf_map_lookup_elem(&known, key);
	}
	return noted ? *noted : 0;
}

static __always_inline u64 queue_diskseq(const struct rq *rq, struct request_queue *q)
{
	struct gendisk *disk;

	if (!rq->typed || !bpf_core_field_exists(struct gendisk, diskseq))
		return 0;
	disk = q->disk;
	return disk ? disk->diskseq : 0;
}

/* The entry of queue @q if it is in the first slot of the path, as nearly all are; else NULL. */
static __always_inline struct queue_info *queue_at_hand(u64 q)
{
	struct queue_info *info = queue_entry(at_hand[at_hand_first(q)]);

	barrier_var(info); /* or its address is computed again for each member */
	return info->q == q ? info : NULL;
}

/* The index of the entry of queue @q in the rest of the path; 0: it is not there. */
__noinline int queue_search(u64 q)
{
	u32 first = at_hand_first(q);

	for (u32 i = 1; i < AT_HAND_PATH; i++) {
		u32 slot = first ^ i, index;

		/* The verifier of 6.1 knows no bounds of it: the mask tells them. */
		barrier_var(slot);
		index = at_hand[slot & (AT_HAND_SLOTS - 1)];
		if (queue_entry(index)->q == q)
			return index;
	}
	return 0;
}

/* The entry of queue @q; NULL: no setup has found one yet. */
static __always_inline struct queue_info *queue_of_number(u64 q)
{
	struct queue_info *info = queue_at_hand(q);

	if (info)
		return info;
	info = queue_entry(queue_search(q));
	return info->q == q ? info : NULL;
}

/* Whether @slot leads to no queue whose path passes it. */
static __always_inline bool slot_is_free(u32 slot)
{
	u32 index = at_hand[slot];
	u64 q = queue_entry(index)->q;

	return !index || !q || !at_hand_passes(q, slot);
}

/*
 * Has @slot lead to entry @index. 1: it does. One CPU at a time writes a slot, so none takes it from
 * a queue that came at the same moment.
 */
__noinline int slot_try(u64 slot, u64 index)
{
	int taken = 0;

	barrier_var(slot);
	slot &= AT_HAND_SLOTS - 1;
	if (at_hand[slot] == index)
		return 1;
	if (!slot_is_free(slot) || !claim_take(CLAIM_HAND, slot))
		return 0;
	if (slot_is_free(slot)) {
		at_hand[slot] = index;
		taken = 1;
	}
	claim_drop(CLAIM_HAND, slot);
	return taken;
}

/*
 * Has queue @q found with entry @index, which has it already. 1: it is. The updates of `known` and
 * `claims` each take a lock after the entry was written and give it back before the index is, so a
 * CPU that reads the index reads that entry.
 */
__noinline int queue_put_at_hand(u64 q, u64 index)
{
	u32 first = at_hand_first(q);

	for (u32 i = 0; i < AT_HAND_PATH; i++) {
		if (slot_try(first ^ i, index))
			return 1;
	}
	return 0;
}

/*
 * Has queue @q found with @info, and no other queue with it, nor another entry with @q. False: there
 * is no room for one more queue.
 */
static __always_inline bool queue_turn_to(u64 q, struct queue_info *info)
{
	struct queue_info *before = queue_of_number(q);

	if (before && before->index == info->index)
		return true;
	if (before)
		before->q = 0;
	info->q = q;
	if (queue_put_at_hand(q, info->index))
		return true;
	info->q = 0;
	return false;
}

/* Whether it is not known yet if the assumed layout of struct nvme_request is the driver's. */
static __always_inline bool queue_layout_open(u32 state)
{
	return !cfg.off.known && state < LAYOUT_WRONG;
}

/* Counts a request whose queue is not followed. */
static __always_inline struct queue_info *queue_refused(void)
{
	if (cfg.backup != BACKUP_SECOND)
		stat_inc(STAT_QUEUES_FULL);
	return NULL;
}

/* The entry for what is known of the queue of @rq, without being found with it. NULL: none is left. */
static __always_inline struct queue_info *queue_look(const struct rq *rq, u32 nsid)
{
	struct queue_links at = { .q = RQ_RARELY(rq, q), .hctx = RQ_RARELY(rq, mq_hctx) };
	struct queue_info gathered = {}, *info;
	u32 index;

	at.sched_tags = queue_sched_tags(rq, at.q);
	queue_gather(rq, &at, nsid, &gathered);
	index = queue_keep(&gathered);
	if (!index)
		return queue_refused();
	info = queue_entry(index);
	if (PROG_BUSY && rq->typed && needs(NEED_BUSY))
		busy_place(info);
	return info;
}

/*
 * The same at a setup, which tells the namespace: from now on the queue is found with its entry.
 * Each command of an admin queue comes this way: nothing tells whether the queue is another
 * controller's by now. So does one whose controller is not known yet, and while the layout is open.
 */
static __always_inline struct queue_info *queue_find(const struct rq *rq, u32 nsid)
{
	u64 generation = control.generation;
	struct queue_info *info = queue_look(rq, nsid);

	if (!info)
		return NULL;
	info->diskseq = queue_diskseq(rq, RQ_RARELY(rq, q));
	info->generation =
		info->admin || (rq->typed && info->ctrl_id < 0) || queue_layout_open(layout)
			? ~0ULL
			: generation;
	return queue_turn_to(queue_number(rq, RQ_RARELY(rq, mq_hctx)), info) ? info
									     : queue_refused();
}

/* Whether @info, although of the current generation, is of another queue than the request's. */
static __always_inline bool queue_reused(const struct rq *rq, const struct queue_info *info)
{
	if (!rq->typed || (cfg.late_identify && !(RQ(rq, cmd_flags) & REQ_OP_PASSTHROUGH)))
		return false;
	return queue_diskseq(rq, RQ_RARELY(rq, q)) != info->diskseq;
}

/*
 * The entry for a submission, if it is of the current generation and the queue has kept its number;
 * else NULL. The fast path takes it from the first slots alone.
 */
static __always_inline struct queue_info *queue_ready(const struct rq *rq)
{
	struct blk_mq_hw_ctx *hctx = RQ(rq, mq_hctx);
	u64 q = queue_number(rq, hctx);
	struct queue_info *info = rq->fast ? queue_at_hand(q) : queue_of_number(q);

	if (!info || info->generation != control.generation ||
	    (rq->typed && hctx->queue_num != info->hctx))
		return NULL;
	return info;
}

/* Queues may be others from now on: no entry is used before it was gathered again. */
static __always_inline void queue_suspect_all(void)
{
	__sync_fetch_and_add(&control.generation, 1);
}

/*
 * Checks at a setup whether the assumed layout of struct nvme_request is the driver's. The
 * identifier of the command has the lower bits of a counter above its tag (e7006de6c238, in
 * 5.10.223 as well), which lies in the word with the status; a zero in both tells nothing. And the
 * pointer to the controller leads to one with this queue's tags.
 */
static __always_inline void queue_check_layout(const struct rq *rq, const struct sqe *sqe,
					       u32 tries)
{
	u8 counter = rq_status_word(rq);
	u16 cid = 0;

	if (sqe->typed)
		cid = SQE(sqe, command_id);
	else
		bpf_probe_read_kernel(&cid, sizeof(cid), &sqe->kernel->command_id);
	if ((counter & CID_GENERATION) != cid >> CID_TAG_BITS ||
	    queue_read_ctrl(rq, RQ_RARELY(rq, q)) < 0)
		layout = LAYOUT_WRONG;
	else if (counter)
		layout = LAYOUT_RIGHT;
	else
		layout = tries + 1;
}

/* Facts for a submission. */
static __always_inline struct queue_info *queue_of_setup(const struct rq *rq, const struct sqe *sqe)
{
	struct queue_info *info = queue_ready(rq);
	u32 tries = layout;

	if (info && !queue_reused(rq, info))
		return info;
	if (queue_layout_open(tries))
		queue_check_layout(rq, sqe, tries);
	info = queue_find(rq, SQE(sqe, nsid));
	if ((!info || info->admin) && SQE(sqe, opcode) == ADMIN_IDENTIFY)
		queue_suspect_all();
	return info;
}

/* Facts that a setup has found; NULL: nothing was set up on this queue since attaching. */
static __always_inline struct queue_info *queue_of_complete(const struct rq *rq)
{
	return queue_of_number(queue_pointer(rq));
}

/*
 * The same; for a queue on which nothing was set up yet, what can be told without a command. NULL:
 * no entry is left.
 */
static __always_inline struct queue_info *queue_of_any(const struct rq *rq)
{
	struct queue_info *info = queue_of_complete(rq);

	return info ? info : queue_look(rq, 0);
}

/*
 * The entry for a request that is inserted, which shows first that the queue got a scheduler, or
 * that another number of tags, while we run. Nothing of it is in flight at that moment. The next
 * setup gathers it again. NULL: no entry is left.
 */
static __always_inline struct queue_info *queue_of_insert(const struct rq *rq)
{
	struct queue_info *info = queue_ready(rq);
	struct request_queue *q = RQ_RARELY(rq, q);

	if (info && !queue_reused(rq, info)) {
		if (RQ(rq, internal_tag) < 0 || info->sched_tags == (u16)MEMBER(rq, q, nr_requests))
			return info;
		info->q = 0;
	}
	return queue_look(rq, 0);
}

/* Whether tables are one value: on the fast path, and in the programs that run beside it. */
static __always_inline bool queue_is_flat(const struct rq *rq)
{
	return rq->typed && (rq->fast || cfg.flat);
}

/* Command slot @index; NULL: there is none. */
static __always_inline struct command_slot *queue_command_slot_at(const struct rq *rq, u32 index)
{
#if PROG_FAST
	if (queue_is_flat(rq))
		return index < cfg.command_slots ? flat_at(slots_flat, (u64)index * PROG_FAST_SLOT)
						 : NULL;
#endif
	return bpf_map_lookup_elem(&command_slots, &index);
}

/* The command slot of @tag: every tag of every hardware queue has its own. NULL: there is none. */
static __always_inline struct command_slot *
queue_command_slot(const struct rq *rq, const struct queue_info *info, u32 tag)
{
	return tag < info->depth ? queue_command_slot_at(rq, info->slot_base + tag) : NULL;
}

#endif
