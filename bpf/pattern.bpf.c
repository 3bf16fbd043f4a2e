// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * pattern: where each command reads or writes, in a small record; at its submission or at its
 * completion.
 */
#include "bpf/shared/pattern.h"

#define PROG_FAST	 1
#define PROG_FAST_CLOCK	 false
#define PROG_FAST_STATUS false
#define PROG_FAST_SLOT	 SLOT_DWORDS
#define PROG_ALWAYS	 NEED_SQE
#define PROG_NEVER                                                                                 \
	(NEED_QUEUED | NEED_RESULT | NEED_KSTACK | NEED_USTACK | NEED_CMD_FLAGS | NEED_COMPLETE |  \
	 NEED_PHASES | NEED_INFLIGHT | NEED_CPU | NEED_BLOCK | NEED_ENTRY | NEED_STAMP |           \
	 NEED_NSID | NEED_BUSY | NEED_SYNCER)
#define PROG_CDWS 3 /* where, and how many blocks */

/* Whether completions are looked at. Else they only end the account. */
#define PATTERN_COMPLETES (needs(NEED_IO) || cfg.more_at_complete)
#define PROG_STATUS	  PATTERN_COMPLETES
#define PROG_CLOCK(c)	  PATTERN_COMPLETES

#include "bpf/prog.h"
#include "bpf/key.h"
#include "bpf/ring.h"

const volatile struct pattern_cfg pattern_cfg SEC(".rodata.pattern");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

#define LOOK_EVERY 64 /* records between two looks at how full the ring is */

static __always_inline void record_fill(struct pattern_record *r, const struct command *c, u8 kind)
{
	const struct command_slot *f = c->slot;

	r->ts_ns = c->now_ns;
	r->lba = (u64)f->cdw[1] << 32 | f->cdw[0];
	r->bytes = f->bytes;
	r->nsid = f->nsid;
	r->queue = c->info->index;
	r->qid = command_qid(c);
	r->nlb = f->cdw[2];
	r->status = word_status(c->status_word);
	r->kind = kind;
	r->flags = c->info->admin ? EVENT_ADMIN : 0;
	r->opcode = f->opcode;
	r->fctype = f->fctype;
	r->pad = 0;
}

static __always_inline void send_with_key(const struct command *c, u8 kind, u32 by)
{
	struct pattern_key_record *r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);

	if (!r) {
		stat_inc(STAT_RING_FULL);
		return;
	}
	record_fill(&r->io, c, kind);
	key_of_command(&r->key, by, NULL, c);
	ring_submit(&events, r, LOOK_EVERY);
}

static __always_inline void send(const struct command *c, u8 kind)
{
	u32 by = pattern_cfg.by & ~PATTERN_BY_RECORD;
	struct pattern_record *r;

	if (by) {
		send_with_key(c, kind, by);
		return;
	}
	r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);
	if (!r) {
		stat_inc(STAT_RING_FULL);
		return;
	}
	record_fill(r, c, kind);
	ring_submit(&events, r, LOOK_EVERY);
}

/*
 * Once for each command, however often it is set up. One that a scheduler's queue takes back is set
 * up in another slot, so it is sent again: `requeued` of the summary counts these.
 */
static __always_inline void on_setup(void *ctx, const struct command *c)
{
	if (needs(NEED_SUBMIT) && c->slot->state & SLOT_SELECTED && !c->again)
		send(c, EVENT_SUBMIT);
}

static __always_inline void on_complete(void *ctx, const struct command *c)
{
	if (needs(NEED_IO))
		send(c, EVENT_IO);
}

/*
 * The driver makes the entry of the submission queue of the same members of the request
 * (nvme_setup_rw()).
 */
static __always_inline void on_fast_setup(const struct command *c, const struct sqe *sqe)
{
	struct pattern_fast_record *r;

	if (!c->info->selected)
		return;
	r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);
	if (!r) {
		stat_inc(STAT_RING_FULL);
		return;
	}
	r->ts_ns = c->now_ns;
	r->sector = RQ(&c->rq, __sector);
	r->bytes = RQ(&c->rq, __data_len);
	r->queue = c->info->index;
	r->opcode = wire_opcode(c->cmd_flags);
	ring_submit(&events, r, LOOK_EVERY);
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
}

static __always_inline void on_fast_complete(const struct command *c)
{
}
