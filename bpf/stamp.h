// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * When a bio entered the block layer, on kernels that do not note it in the bio: taken at block_bio_queue.
 *
 * Bios of every drive are noted and never taken out: a bio is overwritten when it is queued again, and the
 * map drops the oldest. So an entry is believed only when it covers the request's sector.
 */
#ifndef NVT_STAMP_H
#define NVT_STAMP_H

#include "bpf/rq.h"
#include "bpf/twice.h"

struct bio_stamp {
	u64 ns;
	u64 sector;
	u32 sectors;
	u8 mark; /* of bpf/twice.h */
	u8 pad[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct bio_stamp);
} stamps SEC(".maps");

/* Of the second program: by the first. */
static __always_inline bool stamp_is_put(u64 bio, u64 sector)
{
	struct bio_stamp *stamp;

	if (cfg.twice != TWICE_SECOND)
		return false;
	stamp = bpf_map_lookup_elem(&stamps, &bio);
	return stamp && stamp->sector == sector && twice_done(&stamp->mark);
}

static __always_inline void stamp_put(u64 bio, u64 sector, u32 bytes)
{
	struct bio_stamp stamp = { .sector = sector, .sectors = bytes >> 9, .mark = twice_mark() };

	if (stamp_is_put(bio, sector))
		return;
	twice_stand_in(TWICE_STAMP);
	stamp.ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&stamps, &bio, &stamp, BPF_ANY);
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

/* The programs, of objects that can tell the time in queue. */
#define STAMPS                                                                                     \
	SEC("tp_btf/block_bio_queue")                                                              \
	int BPF_PROG(stamp_btf, struct bio *bio)                                                   \
	{                                                                                          \
		if (!bio)                                                                          \
			return 0;                                                                  \
		stamp_put((u64)bio, bio->bi_iter.bi_sector, bio->bi_iter.bi_size);                 \
		return 0;                                                                          \
	}                                                                                          \
	SEC("raw_tp/block_bio_queue")                                                              \
	int stamp_raw(u64 *ctx)                                                                    \
	{                                                                                          \
		struct bio *bio = raw_arg(ctx, cfg.bio_second);                                    \
                                                                                                   \
		stamp_put((u64)bio, BPF_CORE_READ(bio, bi_iter.bi_sector),                         \
			  BPF_CORE_READ(bio, bi_iter.bi_size));                                    \
		return 0;                                                                          \
	}

#endif
