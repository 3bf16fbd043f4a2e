// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * When a bio entered the block layer, on kernels that do not note it in the bio: taken when it is
 * queued to an NVMe disk, or when a device above, such as md, passes it on to one. A stamp goes
 * when its request ends, or its bio without one, so the map has those that wait and those under
 * way, and bios of other drives take no room.
 */
#ifndef NVT_STAMP_H
#define NVT_STAMP_H

#include "bpf/rq.h"
#include "bpf/backup.h"

/*
 * Bios of a request that are looked at when it ends. The stamp of a further one goes when its
 * memory is used again.
 */
#define STAMP_MERGED 256

struct bio_stamp {
	u64 ns;
	u64 sector;
	u32 sectors;
	u8 mark; /* of bpf/backup.h */
	u8 pad[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct bio_stamp);
} stamps SEC(".maps");

/* A bio at one of the tracepoints. */
struct stamp_bio {
	struct rq how; /* for MEMBER() */
	struct bio *ptr;
	u64 number; /* its address */
	u64 sector;
};

static __always_inline struct stamp_bio stamp_bio(struct bio *bio, bool typed)
{
	struct stamp_bio b = { .how = { .typed = typed }, .ptr = bio, .number = (u64)bio };

	b.sector = MEMBER(&b.how, bio, bi_iter.bi_sector);
	return b;
}

/* The disk that it is for; NULL: none. */
static __always_inline struct gendisk *stamp_disk(const struct stamp_bio *b)
{
	struct bio *bio = b->ptr;
	struct bio___old *old = (void *)bio;
	struct block_device *bdev;

	if (!bpf_core_field_exists(struct bio, bi_bdev))
		return MEMBER(&b->how, old, bi_disk);
	bdev = MEMBER(&b->how, bio, bi_bdev);
	return bdev ? MEMBER(&b->how, bdev, bd_disk) : NULL;
}

static __always_inline bool stamp_is_nvme(const struct stamp_bio *b)
{
	struct gendisk *disk = stamp_disk(b);

	return disk && disk_is_nvme(&b->how, disk);
}

/* A bio without room is counted by the first program, or by the kernel, which skipped that one. */
static __always_inline void stamp_put(const struct stamp_bio *b, enum backup_hook hook)
{
	struct bio *bio = b->ptr;
	struct bio_stamp stamp = { .sector = b->sector, .mark = backup_mark() };

	stamp.sectors = MEMBER(&b->how, bio, bi_iter.bi_size) >> 9;
	stamp.ns = bpf_ktime_get_ns();
	if (!bpf_map_update_elem(&stamps, &b->number, &stamp, BPF_ANY))
		backup_stands_in(hook);
	else if (cfg.backup != BACKUP_SECOND)
		stat_inc(STAT_STAMPS_FULL);
}

/* block_bio_queue: a device gets the bio. */
static __always_inline void stamp_queued(const struct stamp_bio *b)
{
	struct bio_stamp *stamp;

	if (!stamp_is_nvme(b))
		return;
	if (cfg.backup == BACKUP_SECOND) {
		stamp = bpf_map_lookup_elem(&stamps, &b->number);
		if (stamp && stamp->sector == b->sector && backup_done(&stamp->mark))
			return;
	}
	stamp_put(b, BACKUP_STAMP);
}

/*
 * block_bio_remap: a device above, the head of paths, or a partition passes the bio on; it was at
 * sector @from there. It keeps the time at which the first NVMe disk got it.
 */
static __always_inline void stamp_moved(const struct stamp_bio *b, u64 from)
{
	struct bio_stamp *stamp;

	if (!stamp_is_nvme(b))
		return;
	stamp = bpf_map_lookup_elem(&stamps, &b->number);
	if (stamp && stamp->sector == b->sector)
		return;
	if (stamp && stamp->sector == from) {
		backup_stands_in(BACKUP_MOVE);
		stamp->sector = b->sector;
		return;
	}
	stamp_put(b, BACKUP_MOVE);
}

/*
 * block_bio_complete: the bio has ended, and its memory may become another one's. The block layer
 * does not tell this of a bio whose request ended: see stamp_drop_all().
 */
static __always_inline void stamp_drop(const struct stamp_bio *b)
{
	if (stamp_is_nvme(b) && !bpf_map_delete_elem(&stamps, &b->number))
		backup_stands_in(BACKUP_ENDED);
}

/* block_rq_complete: the same of all bios of the request. */
static __always_inline void stamp_drop_all(const struct rq *rq)
{
	struct gendisk *disk = rq_disk(rq, RQ_RARELY(rq, q));
	struct bio *bio = RQ_RARELY(rq, bio);

	if (!disk || !disk_is_nvme(rq, disk))
		return;
	for (u32 i = 0; i < STAMP_MERGED && bio; i++) {
		u64 number = (u64)bio;

		bpf_map_delete_elem(&stamps, &number);
		bio = MEMBER(rq, bio, bi_next);
	}
}

/* When @bio, or what it was split from, was queued with @sector in it; 0: not known. */
static __always_inline u64 stamp_of(u64 bio, u64 sector)
{
	const struct bio_stamp *stamp = bpf_map_lookup_elem(&stamps, &bio);
	u64 behind;

	if (!stamp)
		return 0;
	behind = sector - stamp->sector;
	return !behind || behind < stamp->sectors ? stamp->ns : 0;
}

/* The front part of a bio that was too large is a new one, and points to the rest. */
static __always_inline u64 stamp_of_request(const struct rq *rq)
{
	struct bio *bio = RQ(rq, bio);
	u64 sector = RQ(rq, __sector), ns;

	if (!bio)
		return 0;
	ns = stamp_of((u64)bio, sector);
	return ns ? ns : stamp_of((u64)MEMBER(rq, bio, bi_private), sector);
}

#if PROG_STAMPS
SEC("tp_btf/block_bio_queue")
int BPF_PROG(stamp_btf, struct bio *bio)
{
	struct stamp_bio b = stamp_bio(bio, true);

	stamp_queued(&b);
	return 0;
}

SEC("raw_tp/block_bio_queue")
int stamp_raw(u64 *ctx)
{
	struct stamp_bio b = stamp_bio(raw_arg(ctx, cfg.bio_second), false);

	stamp_queued(&b);
	return 0;
}

SEC("tp_btf/block_bio_remap")
int BPF_PROG(move_btf, struct bio *bio, u32 dev, u64 from)
{
	struct stamp_bio b = stamp_bio(bio, true);

	stamp_moved(&b, from);
	return 0;
}

SEC("raw_tp/block_bio_remap")
int move_raw(u64 *ctx)
{
	struct stamp_bio b = stamp_bio(raw_arg(ctx, cfg.bio_second), false);

	stamp_moved(&b, raw_number(ctx, 2, cfg.bio_second));
	return 0;
}

SEC("tp_btf/block_bio_complete")
int BPF_PROG(ended_btf, struct request_queue *q, struct bio *bio)
{
	struct stamp_bio b = stamp_bio(bio, true);

	stamp_drop(&b);
	return 0;
}

SEC("raw_tp/block_bio_complete")
int ended_raw(u64 *ctx)
{
	struct stamp_bio b = stamp_bio(raw_arg(ctx, true), false);

	stamp_drop(&b);
	return 0;
}

/* Always raw: it only closes accounts, and what it costs more is little beside what it drops. */
SEC("raw_tp/block_rq_complete")
int left_raw(u64 *ctx)
{
	u64 head[RQ_HEAD / sizeof(u64)];
	struct rq rq = rq_raw(raw_arg(ctx, false), head);

	stamp_drop_all(&rq);
	return 0;
}
#endif

#endif
