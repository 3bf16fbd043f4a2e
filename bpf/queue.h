// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Facts of request queues: gathered once per queue, found by q->id, checked against reuse.
 *
 * In BTF programs an entry answers for a request queue; in raw ones, where reading costs a helper call,
 * for a hardware queue, whose pointer is already at hand. Entries never change once published, so a
 * reader on another CPU, or of an event in the ring, cannot see two queues mixed.
 */
#ifndef NVT_QUEUE_H
#define NVT_QUEUE_H

#include "bpf/filter.h"
#include "bpf/rq.h"

#define QUEUE_PROBES 32 /* entries tried for a free one */
#define CTRL_WORDS   64 /* of struct nvme_ctrl that are searched; 5.10 has the sets at word 12 */
#define CTRL_NODES   1024 /* NUMA nodes of the largest kernels */

/* Takes (kind, number) for @owner. True for exactly one caller. */
static __always_inline bool claim_take(u64 kind, u64 number, u64 owner)
{
	struct claim_key key = { kind, number };

	return !bpf_map_update_elem(&claims, &key, &owner, BPF_NOEXIST);
}

static __always_inline void claim_drop(u64 kind, u64 number)
{
	struct claim_key key = { kind, number };

	bpf_map_delete_elem(&claims, &key);
}

/* Index of the first spare region of @kind with room for @entries, now @owner's. -1: none is left. */
static __always_inline s64 region_claim(u64 kind, u64 owner, u64 entries)
{
	for (u32 i = 0; i < WIRE_SPARES; i++) {
		if (spares[kind == CLAIM_SCHED][i].entries >= entries && claim_take(kind, i, owner))
			return i;
	}
	return -1;
}

/*
 * The base of a spare region for @entries of @owner (a tag set, or a queue with a scheduler): the one it
 * took before, else a free one; user space sorted them by size. -1: none is left. Of two CPUs that ask
 * for one owner at the same moment, the one whose note comes second gives its region back.
 * Global functions take numbers only, and the verifier looks at them once, not in every path to them.
 */
__noinline s64 region_take(u64 kind, u64 owner, u64 entries)
{
	struct claim_key mine = { owner, entries };
	u64 *noted = bpf_map_lookup_elem(&claims, &mine), base;
	s64 index;

	if (noted)
		return *noted;
	index = region_claim(kind, owner, entries);
	if (index < 0)
		return -1;
	base = spares[kind == CLAIM_SCHED][index & (WIRE_SPARES - 1)].base;
	if (!bpf_map_update_elem(&claims, &mine, &base, BPF_NOEXIST))
		return base;
	claim_drop(kind, index);
	noted = bpf_map_lookup_elem(&claims, &mine);
	return noted ? (s64)*noted : -1;
}

/* Index of an entry of `queues` that nobody has, or -1. */
__noinline s64 queue_entry_take(void)
{
	u32 hint = queue_hint;

	for (u32 i = 0; i < QUEUE_PROBES; i++) {
		u32 index = (hint + i) & (WIRE_QUEUES - 1);

		/* 0 is what an unused slot says: it stays empty. */
		if (index && claim_take(CLAIM_QUEUE, index, 0)) {
			queue_hint = index + 1;
			return index;
		}
	}
	return -1;
}

static __always_inline void queue_read_disk(const struct rq *rq, struct queue_facts *facts)
{
	struct gendisk *disk = rq_disk(rq);

	if (!disk)
		return;
	facts->major = MEMBER(rq, disk, major);
	facts->minor = MEMBER(rq, disk, first_minor);
	if (!rq->typed) {
		BPF_CORE_READ_INTO(&facts->disk, disk, disk_name);
		return;
	}
	/* Byte by byte: a typed load may not span elements, a helper is forbidden under lockdown. */
	for (u32 i = 0; i < WIRE_DISK_NAME; i++)
		facts->disk[i] = disk->disk_name[i];
}

/* A word of struct nvme_ctrl. */
static __always_inline u64 ctrl_word(u64 ctrl, u32 i)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a number */
	return kernel_word((void *)(ctrl + i * sizeof(u64)));
}

/* Two integers, `instance` and a NUMA node? A pointer has another upper half. */
static __always_inline bool ctrl_is_instance(u64 word)
{
	s32 node = word >> 32;

	return node >= -1 && node < CTRL_NODES;
}

/*
 * Instance of controller @ctrl where no BTF tells the layout: every kernel from 4.17 to 7.2 has
 * `int instance, numa_node; struct blk_mq_tag_set *tagset, *admin_tagset; struct list_head namespaces;`
 * and @set, of the request at hand, is one of the two sets. -1: not found.
 */
__noinline s64 ctrl_search(u64 ctrl, u64 set)
{
	for (u32 i = 2; i < CTRL_WORDS; i++) {
		u64 before;

		if (ctrl_word(ctrl, i) != set)
			continue;
		before = ctrl_word(ctrl, i - 1);
		/* No other set yet: a zero like that of instance 0, but behind us is the empty list. */
		if (!ctrl_is_instance(before) ||
		    ctrl_word(ctrl, i + 1) == ctrl + (i + 1) * sizeof(u64))
			before = ctrl_word(ctrl, --i - 1);
		if (!ctrl_is_instance(before))
			return -1;
		ctrl_at = (i - 1) * sizeof(u64);
		return (u32)before;
	}
	return -1;
}

/* Instance of a controller of which no request is at hand. */
static __always_inline s32 ctrl_instance(void *ctrl)
{
	u32 at = cfg.off.known ? cfg.off.ctrl_instance : ctrl_at;

	return at ? (s32)kernel_word(ctrl + at) : -1;
}

#define MINOR_BITS 20 /* include/linux/kdev_t.h */

/*
 * Instance of the controller behind a request under lockdown=confidentiality before 6.2, where only typed members can be read: the parent of
 * a namespace's disk is the controller's device, whose minor number is the instance. Admin queues have no
 * disk; the data of the driver behind the tag set is what they share with a queue that has been seen.
 */
static __always_inline s32 queue_typed_ctrl(const struct rq *rq)
{
	struct request_queue *q = RQ(rq, q);
	struct claim_key key = { CLAIM_CTRL, (u64)q->tag_set->driver_data };
	struct gendisk *disk = q->disk;
	struct device *parent;
	u64 instance, *noted;

	if (!disk) {
		noted = bpf_map_lookup_elem(&claims, &key);
		return noted ? (s32)*noted : cfg.only_ctrl;
	}
	parent = disk->part0->bd_device.parent;
	if (!parent)
		return cfg.only_ctrl;
	instance = parent->devt & ((1U << MINOR_BITS) - 1);
	bpf_map_update_elem(&claims, &key, &instance, BPF_ANY);
	return instance;
}

/* Instance of the controller behind a request, -1 where it cannot be read. */
static __always_inline s32 queue_read_ctrl(const struct rq *rq)
{
	struct request_queue *q = RQ(rq, q);
	u64 ctrl;

	if (rq->typed && !cfg.rdonly_cast && !cfg.probe_read)
		return queue_typed_ctrl(rq);
	ctrl = nvme_request_word(rq, cfg.off.req_ctrl);
	if (!ctrl)
		return -1;
	if (cfg.off.known)
		return kernel_word((void *)ctrl + cfg.off.ctrl_instance);
	return ctrl_search(ctrl, (u64)MEMBER(rq, q, tag_set));
}

/* Whether a queue without a namespace is not the admin queue: fabrics connect I/O queues through another one. */
static __always_inline bool queue_connects(const struct rq *rq)
{
	u32 at = cfg.off.known ? cfg.off.ctrl_admin_tagset : ctrl_at + 2 * sizeof(u64);
	u64 ctrl = nvme_request_word(rq, cfg.off.req_ctrl);
	struct request_queue *q = RQ(rq, q);

	if (!ctrl || !(cfg.off.known || ctrl_at))
		return false;
	return kernel_word((void *)ctrl + at) != (u64)MEMBER(rq, q, tag_set);
}

/* A pointer as a number: what was read back from memory is one to the verifier. @scratch is ours alone. */
static __always_inline u64 queue_number(volatile u64 *scratch, const void *p)
{
	*scratch = (u64)p;
	return *scratch;
}

/* The region that user space laid out for the controller from sysfs, -1: none, or not large enough. */
static __always_inline s64 queue_region(const struct queue_facts *facts, u64 entries)
{
	u32 at = facts->ctrl_id * 2 + facts->admin;

	if ((u32)facts->ctrl_id >= WIRE_CTRLS || facts->connect)
		return -1;
	at &= 2 * WIRE_CTRLS - 1;
	return regions[at].entries >= entries ? (s64)regions[at].base : -1;
}

static __always_inline void queue_read_tags(const struct rq *rq, struct request_queue *q,
					    struct queue_facts *facts)
{
	struct blk_mq_tag_set *set = MEMBER(rq, q, tag_set);
	u64 hctxs = MEMBER(rq, set, nr_hw_queues);
	u64 depth = MEMBER(rq, set, queue_depth);
	s64 base;

	base = queue_region(facts, hctxs * depth);
	if (base < 0)
		base = region_take(CLAIM_REGION, queue_number(&facts->diskseq, set), hctxs * depth);
	if (base >= 0) {
		facts->flight_base = base;
		facts->depth = depth;
		facts->hctxs = hctxs;
	}
	if (!cfg.sched_flights || !MEMBER(rq, q, elevator))
		return;
	hctxs = MEMBER(rq, q, nr_hw_queues);
	depth = MEMBER(rq, q, nr_requests);
	base = region_take(CLAIM_SCHED, queue_number(&facts->diskseq, q), hctxs * depth);
	if (base >= 0) {
		facts->sched_base = base;
		facts->sched_depth = depth;
		facts->sched_hctxs = hctxs;
	}
}

/* Gathers what is known of the queue of @rq into a free entry. NULL: no entry is left. */
static __always_inline struct queue_facts *queue_gather(const struct rq *rq,
							const struct queue_key *key, u32 nsid)
{
	struct request_queue *q = RQ(rq, q);
	struct queue_facts *facts;
	s64 index = queue_entry_take();

	if (index < 0) {
		if (cfg.twice != TWICE_SECOND)
			stat_inc(STAT_QUEUES_FULL);
		return NULL;
	}
	facts = &queues[index & (WIRE_QUEUES - 1)];
	__builtin_memset(facts, 0, sizeof(*facts));
	facts->index = index;
	facts->admin = !MEMBER(rq, q, queuedata);
	facts->nsid = facts->admin ? 0 : nsid;
	facts->partial = key->partial;
	facts->ctrl_id = queue_read_ctrl(rq);
	facts->connect = facts->admin && queue_connects(rq);
	facts->lba_bytes = facts->admin ? 0 : MEMBER(rq, q, limits.logical_block_size);
	if (!rq->typed) {
		struct blk_mq_hw_ctx *hctx = RQ(rq, mq_hctx);

		facts->hctx = BPF_CORE_READ(hctx, queue_num);
	}
	queue_read_disk(rq, facts);
	queue_read_tags(rq, q, facts);
	facts->selected = filter_queue(&filter, facts->ctrl_id, facts->admin);
	facts->diskseq = key->diskseq;
	facts->q = key->q;
	return facts;
}

static __always_inline u64 queue_diskseq(const struct rq *rq)
{
	struct gendisk *disk;

	if (!rq->typed || !bpf_core_field_exists(struct gendisk, diskseq))
		return 0;
	disk = RQ(rq, q)->disk;
	return disk ? disk->diskseq : 0;
}

/* The pointer that names the entry, and the slot that remembers its index. */
static __always_inline u64 queue_pointer(const struct rq *rq, u32 *slot)
{
	u64 hctx;

	if (rq->typed) {
		*slot = RQ(rq, q)->id & (WIRE_QUEUES - 1);
		return (u64)RQ(rq, q);
	}
	hctx = (u64)RQ(rq, mq_hctx);
	*slot = hctx * 0x9e3779b97f4a7c15ULL >> 40 & (WIRE_QUEUES - 1);
	return hctx;
}

/*
 * Devices have come or gone since @facts were gathered: do they still hold? The disk's sequence number tells
 * in BTF programs; where it cannot be had, the controller and the disk's name must be the same.
 */
static __always_inline bool queue_unchanged(const struct rq *rq, const struct queue_facts *facts)
{
	char name[WIRE_DISK_NAME] = {};
	struct gendisk *disk;

	if (facts->ctrl_id != queue_read_ctrl(rq))
		return false;
	if (rq->typed)
		return true;
	disk = rq_disk(rq);
	if (disk)
		BPF_CORE_READ_INTO(&name, disk, disk_name);
	for (u32 i = 0; i < WIRE_DISK_NAME; i++) {
		if (name[i] != facts->disk[i])
			return false;
	}
	return true;
}

/*
 * The slow path: looks the queue up, or gathers its facts. @partial: at a completion, where the command
 * and so the namespace is not known. NULL: no entry is left.
 */
static __always_inline struct queue_facts *queue_find(const struct rq *rq, u32 slot, u64 q,
						      u32 nsid, bool partial)
{
	struct queue_key key = { q, queue_diskseq(rq), partial };
	u32 *noted = bpf_map_lookup_elem(&known, &key);
	u64 generation = control.generation;
	struct queue_facts *facts = NULL;

	if (noted)
		facts = &queues[*noted & (WIRE_QUEUES - 1)];
	if (facts && facts->generation != generation && !queue_unchanged(rq, facts))
		facts = NULL;
	if (!facts)
		facts = queue_gather(rq, &key, nsid);
	if (!facts)
		return NULL;
	/* A controller that is not known yet is asked for again. */
	facts->generation = rq->typed && facts->ctrl_id < 0 ? ~generation : generation;
	if (noted) {
		*noted = facts->index;
	} else if (bpf_map_update_elem(&known, &key, &facts->index, BPF_NOEXIST)) {
		/* Another CPU met the queue at the same moment: its entry counts. */
		claim_drop(CLAIM_QUEUE, facts->index);
		noted = bpf_map_lookup_elem(&known, &key);
		if (!noted)
			return NULL;
		facts = &queues[*noted & (WIRE_QUEUES - 1)];
	}
	if (!partial)
		queue_slots[slot & (WIRE_QUEUES - 1)] = facts->index;
	return facts;
}

/* True when @facts, found by slot, are those of the queue at hand. */
static __always_inline bool queue_is(const struct rq *rq, const struct queue_facts *facts, u64 q)
{
	if (facts->q != q)
		return false;
	if (rq->typed && !facts->admin && bpf_core_field_exists(struct gendisk, diskseq))
		return facts->diskseq == queue_diskseq(rq);
	return facts->generation == control.generation;
}

/* Facts for a submission of a command to @nsid. */
static __always_inline struct queue_facts *queue_of_setup(const struct rq *rq, u32 nsid)
{
	struct queue_facts *facts;
	u64 q;
	u32 slot;

	q = queue_pointer(rq, &slot);
	facts = &queues[queue_slots[slot] & (WIRE_QUEUES - 1)];
	if (queue_is(rq, facts, q))
		return facts;
	return queue_find(rq, slot, q, nsid, false);
}

/* Facts that a setup has gathered; NULL: nothing was set up on this queue since attaching. */
static __always_inline struct queue_facts *queue_of_complete(const struct rq *rq)
{
	struct queue_facts *facts;
	u32 slot, *noted;
	u64 q;

	q = queue_pointer(rq, &slot);
	facts = &queues[queue_slots[slot] & (WIRE_QUEUES - 1)];
	if (facts->q == q)
		return facts;
	struct queue_key key = { q, queue_diskseq(rq), 0 };

	noted = bpf_map_lookup_elem(&known, &key);
	return noted ? &queues[*noted & (WIRE_QUEUES - 1)] : NULL;
}

/* The same; where nothing was set up yet, what can be told without a command. NULL: no entry is left. */
static __always_inline struct queue_facts *queue_of_any(const struct rq *rq)
{
	struct queue_facts *facts = queue_of_complete(rq);
	u32 slot;
	u64 q;

	if (facts)
		return facts;
	q = queue_pointer(rq, &slot);
	return queue_find(rq, slot, q, 0, true);
}

/* Number of the hardware queue, from 0. */
static __always_inline u32 queue_hctx(const struct rq *rq, const struct queue_facts *facts)
{
	return rq->typed ? RQ(rq, mq_hctx)->queue_num : facts->hctx;
}

/* The entry of a command in flight: every tag of every hardware queue has its own. NULL: none. */
static __always_inline struct flight *queue_flight(const struct rq *rq,
						   const struct queue_facts *facts, u32 hctx)
{
	u32 tag = RQ(rq, tag), index;

	if (hctx >= facts->hctxs || tag >= facts->depth)
		return NULL;
	index = facts->flight_base + hctx * facts->depth + tag;
	return bpf_map_lookup_elem(&flights, &index);
}

#endif
