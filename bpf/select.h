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
 * Whether one of the ranges of a trim is selected. The driver makes them of the request's bios, one of
 * each (nvme_setup_discard()). A trim that a program sends itself has none that are known. A typed
 * load here would be dear at the start, see rq_rare(); few commands come by.
 */
static __always_inline bool select_ranges(const struct command *c, struct filter_input *in)
{
	struct bio *bio = RQ(&c->rq, bio);
	u32 cmd_flags = RQ(&c->rq, cmd_flags), most = TRIM_RANGES;

	if (filter.n_dev + filter.n_lba > TRIM_LIST_LONG)
		most = TRIM_RANGES_LONG;
	if (in->admin || in->opcode != OPCODE_DSM || (u8)cmd_flags != REQ_OP_DISCARD)
		return false;
	FILTER_LOOP
	for (u32 i = 0; i < TRIM_RANGES && i < most && bio; i++) {
		filter_range(in, BPF_CORE_READ(bio, bi_iter.bi_sector),
			     BPF_CORE_READ(bio, bi_iter.bi_size), c->info->lba_bytes);
		if (filter_blocks(&filter, in))
			return true;
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return bio; /* a trim with further ranges is shown rather than lost */
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
	if ((filter.n_lba || filter.n_dev) && !filter_blocks(&filter, &in) &&
	    !select_ranges(c, &in))
		return false;
	if ((filter.n_pid || filter.has_comm) &&
	    !filter_submitter(&filter, f->sub.pid, f->sub.comm))
		return false;
	return !filter.n_cgroups || f->sub.selected;
}

#endif
