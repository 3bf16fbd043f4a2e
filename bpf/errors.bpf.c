// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * errors: an event for each command that failed, was retried or timed out, for resets and
 * asynchronous events.
 */
#include "bpf/shared/errors.h"

#define PROG_HOLDS	     1
#define PROG_FAST	     1
#define PROG_FILES	     0
#define PROG_FAST_CLOCK	     false
#define PROG_FAST_LEAVES_OUT true
#define PROG_SLOW_IF(c)	     errors_told((c)->status_word)
#define PROG_FAST_SLOT	     SLOT_DWORDS
#define PROG_ALWAYS                                                                                \
	(NEED_IO | NEED_COMPLETE | NEED_STATUS | NEED_SQE | NEED_RESULT | NEED_PID | NEED_COMM)
#define PROG_FAST_NEEDS (NEED_CPU | NEED_CMD_FLAGS | NEED_CGROUP)
#define PROG_NEVER                                                                                 \
	(NEED_QUEUED | NEED_USTACK | NEED_SQ | NEED_SUBMIT | NEED_PHASES | NEED_INFLIGHT |         \
	 NEED_ENTRY | NEED_STAMP | NEED_NSID | NEED_BUSY | NEED_FILE | NEED_SYNCER)

/* Successes that nobody asks about need no clock. */
#define PROG_CLOCK(c) (filters_complete(&(c)->rq) || errors_notable((c)->status_word))

#define PROG_LEAVES_OUT(c)                                                                         \
	(!errors_notable((c)->status_word) && !(errors_cfg.flags & ERRORS_COUNT_OK))

#include "bpf/maps.h"

const volatile struct errors_cfg errors_cfg SEC(".rodata.errors");

/*
 * A failure, or a retry where these were asked for. The fast path asks no more: it is not taken where
 * successes have an event.
 */
static __always_inline bool errors_told(u64 word)
{
	return word & errors_cfg.notable_mask;
}

static __always_inline bool errors_notable(u64 word)
{
	return errors_told(word) || errors_cfg.flags & ERRORS_SHOW_OK;
}

#include "bpf/prog.h"
#include "bpf/aer.h"
#include "bpf/timeout_event.h"

#define ADMIN_ABORT 0x08 /* NVM Base 2.1, figure 28 */
#define STATUS_DNR  0x4000

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct errors_successes);
} successes SEC(".maps");

/* The driver gives Abort commands itself: each is one command that it wants ended. */
static __always_inline void on_setup(void *ctx, const struct command *c)
{
	if (c->info->admin && c->slot->opcode == ADMIN_ABORT && c->slot->state & SLOT_SELECTED)
		event_put_setup(c);
}

/* Whether the driver will retry a failed command: decides as its nvme_decide_disposition(). */
static __always_inline u8 errors_outcome(const struct command *c)
{
	u32 cmd_flags = RQ(&c->rq, cmd_flags);
	struct request_queue *q = RQ_RARELY(&c->rq, q);
	bool dying;

	if (!word_status(c->status_word) || cmd_flags & errors_cfg.failfast_mask ||
	    word_status(c->status_word) & STATUS_DNR ||
	    word_retries(c->status_word) >= errors_cfg.max_retries)
		return OUTCOME_FINAL;
	dying = MEMBER(&c->rq, q, queue_flags) >> (errors_cfg.dying_bit & 63) & 1;
	return dying && !(cmd_flags & errors_cfg.multipath_mask) ? OUTCOME_FINAL : OUTCOME_RETRY;
}

/* @error: of the block layer, with OUTCOME_BLOCK. */
static __always_inline void errors_put(const struct command *c, u8 outcome, u8 error)
{
	struct event *ev = event_of_command(c);

	if (!ev)
		return;
	ev->outcome = outcome;
	ev->block_error = error;
	event_submit(ev);
}

static __always_inline void errors_count_ok(const struct command *c)
{
	u32 queue = c->info->index;
	struct errors_successes *counts = bpf_map_lookup_elem(&successes, &queue);
	u64 *count;

	if (!counts)
		return;
	count = c->slot->opcode == OPCODE_FABRICS ? &counts->fctype[c->slot->fctype]
						  : &counts->opcode[c->slot->opcode];
	__sync_fetch_and_add(count, 1);
}

/*
 * The event of a final failure waits, if NEED_BLOCK is set, for the block layer's status: that
 * comes from the same task or interrupt, before the tag is used again.
 */
static __always_inline void on_complete(void *ctx, const struct command *c)
{
	u8 outcome;

	if (!errors_notable(c->status_word)) {
		errors_count_ok(c);
		return;
	}
	outcome = errors_outcome(c);
	if (!needs(NEED_BLOCK) || outcome != OUTCOME_FINAL) {
		errors_put(c, outcome, 0);
		return;
	}
	c->slot->complete_ns = c->now_ns;
	c->slot->state |= SLOT_HELD;
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
	struct event *ev;

	c->status_word = rq_status_word(&c->rq);
	if (!word_status(c->status_word))
		return;
	ev = event_of_orphan(c);
	if (!ev)
		return;
	ev->outcome = errors_outcome(c);
	event_submit(ev);
}

static __always_inline void on_fast_setup(const struct command *c, const struct sqe *sqe)
{
}

static __always_inline void on_fast_complete(const struct command *c)
{
}

/* The driver tries a command again which it had to give up, by the retries it was allowed when we began. */
static __always_inline void on_held(const struct command *c)
{
	stat_inc(STAT_RING_FULL);
}

/* The event that waited for what the submitter of the request is told. */
static __always_inline void errors_release(struct command *c, u32 error)
{
	c->slot->state = 0;
	c->now_ns = c->slot->complete_ns;
	c->status_word = rq_status_word(&c->rq);
	errors_put(c, OUTCOME_BLOCK, error);
}

/* block_rq_complete. */
static __always_inline void errors_done(struct command *c, u32 error)
{
	c->slot = join_leave_block(c);
	if (!c->slot || !(c->slot->state & SLOT_HELD))
		return;
	backup_stands_in(BACKUP_DONE);
	errors_release(c, error);
}

/* Kernels before 5.16 give a negative errno, later ones a blk_status_t; both fit a byte. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(done_btf, struct request *request, int error)
{
	struct command c = { .rq = rq_typed(request) };

	errors_done(&c, error < 0 ? -error : error);
	return 0;
}

SEC("raw_tp/block_rq_complete")
int BPF_PROG(done_raw, struct request *request, int error)
{
	u64 head[RQ_HEAD / sizeof(u64)];
	struct command c = { .rq = rq_raw(request, head) };

	errors_done(&c, error < 0 ? -error : error);
	return 0;
}
