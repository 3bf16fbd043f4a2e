// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The kinds of the filter that are decided command by command, at its setup.
 */
#ifndef NVT_SELECT_H
#define NVT_SELECT_H

#include "bpf/command.h"

/*
 * Ranges of a trim; the specification allows no more. Where each is compared with a long list it is
 * the first ones: the verifier walks through all comparisons.
 */
#define TRIM_RANGES	 256
#define TRIM_RANGES_LONG 32
#define TRIM_LIST_LONG	 8

/*
 * Whether one of the ranges of a trim is selected. The driver makes them of the request's bios, @bio
 * and those behind it, one of each (nvme_setup_discard()). The verifier walks through a function of
 * its own once; in its caller it would do so once for each way that leads here.
 */
__noinline int select_ranges(u64 bio, s32 ctrl_id, u32 nsid, u32 lba_bytes)
{
	struct filter_input in = { .ctrl_id = ctrl_id, .nsid = nsid, .opcode = OPCODE_DSM };
	u32 most = TRIM_RANGES;

	/* The verifier walks through it also where nobody asks, and under lockdown refuses its reads. */
	if (!cfg.probe_read || (!filter.n_dev && !filter.n_lba))
		return false;
	if (filter.n_dev + filter.n_lba > TRIM_LIST_LONG)
		most = TRIM_RANGES_LONG;
	FILTER_LOOP
	for (u32 i = 0; i < TRIM_RANGES && i < most && bio; i++) {
		struct bio *b = (struct bio *)bio;

		filter_range(&in, BPF_CORE_READ(b, bi_iter.bi_sector),
			     BPF_CORE_READ(b, bi_iter.bi_size), lba_bytes);
		if (filter_blocks(&filter, &in))
			return true;
		bio = (u64)BPF_CORE_READ(b, bi_next);
	}
	return !!bio; /* a trim with further ranges is shown rather than lost */
}

/*
 * Whether the blocks of a command are selected. The ranges of a trim that a program sends itself are
 * unknown, and all are under lockdown=confidentiality.
 */
static __always_inline bool select_blocks(const struct command *c, const struct filter_input *in)
{
	const struct request *rq = c->rq.ptr;

	if (filter_blocks(&filter, in))
		return true;
	if (!cfg.probe_read || in->admin || in->opcode != OPCODE_DSM ||
	    (u8)RQ(&c->rq, cmd_flags) != REQ_OP_DISCARD)
		return false;
	return select_ranges((u64)BPF_CORE_READ(rq, bio), in->ctrl_id, in->nsid,
			     c->info->lba_bytes);
}

/* The kinds of the filter that are decided command by command. */
static __always_inline bool select_command(const struct command *c, const struct sqe *sqe)
{
	const struct command_slot *f = c->slot;
	struct filter_input in = {
		.size_bytes = f->bytes,
		.nsid = f->nsid,
		.ctrl_id = c->info->ctrl_id,
		.qid = command_qid(c),
		.opcode = f->opcode,
		.fctype = f->fctype,
		.admin = c->info->admin,
	};

	if (filter.n_lba || filter.n_dev) {
		u32 low = SQE(sqe, cdw10[0]);

		in.lba = (u64)SQE(sqe, cdw10[1]) << 32 | low;
		if (!in.admin)
			in.lba_blocks = filter_lba_blocks(f->opcode, SQE(sqe, cdw10[2]));
	}
	if (!filter_command(&filter, &in))
		return false;
	if ((filter.n_lba || filter.n_dev) && !select_blocks(c, &in))
		return false;
	if ((filter.n_pid || filter.has_comm) &&
	    !filter_submitter(&filter, f->sub.pid, f->sub.comm))
		return false;
	return !filter.n_cgroups || f->sub.selected;
}

#endif
