// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The submitter of a write to a zone. From 6.10 on a zone has one write under way; the others wait
 * in its write plug as bios, and a kernel worker sends them (block/blk-zoned.c). So the submitter is
 * taken where the bio is queued, NEED_PLUG, which is before that.
 */
#ifndef NVT_PLUG_H
#define NVT_PLUG_H

#include "bpf/stamp.h"
#include "bpf/submitter.h"

/* Operations that pass the plug: include/linux/blk_types.h; an append does not. */
#define REQ_OP_WRITE_ZEROES 9

/* Also writes to drives beside a zoned one: to tell them apart would cost more than to note them. */
static __always_inline void plug_queued(void *ctx, const struct stamp_bio *b)
{
	struct bio *bio = b->ptr;
	u8 op = MEMBER(&b->how, bio, bi_opf);
	u32 sectors = MEMBER(&b->how, bio, bi_iter.bi_size) >> 9;

	if ((op == REQ_OP_WRITE || op == REQ_OP_WRITE_ZEROES) && sectors && stamp_is_nvme(b))
		submitter_enter(ctx, bio, b->sector, sectors - 1, BACKUP_PLUG, b->how.typed);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(plug_btf, struct bio *bio)
{
	struct stamp_bio b = stamp_bio(bio, true);

	plug_queued(ctx, &b);
	return 0;
}

SEC("raw_tp/block_bio_queue")
int plug_raw(u64 *ctx)
{
	struct stamp_bio b = stamp_bio(raw_arg(ctx, cfg.bio_second), false);

	plug_queued(ctx, &b);
	return 0;
}

#endif
