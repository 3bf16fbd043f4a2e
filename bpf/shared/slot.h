// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Command slots: one for each tag of each hardware queue, addressed by the request.
 *
 * A slot is never freed, so the table cannot fill up. Each keeps its own account, which user space
 * adds up at the end of a run. The members behind `cpu` exist only where the session made slots
 * large enough for what the command needs (SLOT_LEAN and others, or all).
 */
#ifndef NVT_SHARED_SLOT_H
#define NVT_SHARED_SLOT_H

#include "bpf/shared/file.h"
#include "bpf/shared/syncer.h"

enum slot_state {
	SLOT_BUSY = 1 << 0, /* set up, not completed */
	SLOT_SELECTED = 1 << 1, /* passed the part of the filter that submission decides */
	SLOT_HELD = 1 << 2, /* completed; its event waits for the block layer: PROG_HOLDS */
	SLOT_MARK = 1 << 3, /* the first program saw it complete, see bpf/backup.h */
	SLOT_FAST = 1 << 4, /* a read or write of which no more is noted: fast_fill() */
	/*
	 * In place of BUSY: the block layer took it back, and will have it set up again with this
	 * tag.
	 */
	SLOT_BACK = 1 << 5,
	SLOT_BUSY_AT = 3 << 6, /* enum busy_level at which it counts, NEED_BUSY */
	SLOT_STATES = 0xff,
	SLOT_TOLD = SLOT_HELD | SLOT_BACK, /* its event is being made: requeue_taken_back() */
};

enum submitter_state {
	SUBMITTER_NONE,
	SUBMITTER_INSERTED, /* taken at block_rq_insert */
	/*
	 * Taken at setup; stands for the request until that ends, however often it is set up.
	 * Implied by SLOT_FAST.
	 */
	SUBMITTER_KEPT,
	SUBMITTER_FAILED, /* an attempt failed; stands for the next one, if the driver makes it */
	/*
	 * Taken at blk_insert_flush(); stands for the flush command that borrows the request's tag,
	 * and then for the request itself, if it has data.
	 */
	SUBMITTER_FLUSH,
};

/* The submitter of a request: the task that entered the block layer. */
struct submitter {
	u64 cgroup_id;
	u64 sector; /* with `len`: tells the further attempts of a request from a new one */
	u64 insert_ns; /* block_rq_insert, 0: none; NEED_PHASES */
	u32 pid, tid;
	u32 len; /* 0: not noted */
	s32 kstack_id, ustack_id;
	u8 state; /* enum submitter_state */
	u8 worker; /* a kernel worker: the real one is not known */
	u8 selected; /* passed the filter's -g */
	u8 mark; /* of bpf/backup.h */
	char comm[WIRE_COMM];
};
WIRE_SIZE(struct submitter, 64);

/* More about a submission, with NEED_CAUSE only: few users ask for it. */
struct cause {
	u64 owner_id; /* see bpf/owner.h */
	u8 sched; /* see bpf/sched.h; read by command_sched() */
	u8 pad[7];
};
WIRE_SIZE(struct cause, 16);

/* The submitter of a request that is not set up yet. */
struct waiting {
	struct submitter sub; /* must be first */
	struct cause cause;
};
WIRE_SIZE(struct waiting, 80);

struct command_slot {
	u64 submit_ns; /* nvme_setup_cmd; 0: never since attaching */
	/*
	 * The request that was set up last, and what became of it: one word, so that only one of
	 * two CPUs takes a command back. See command_owner().
	 */
	union {
		u64 owner;
		u8 state; /* bits of enum slot_state, the lowest byte */
	};
	u64 completes; /* that found the entry busy, and were not left out */
	u32 requeued; /* times that the command was taken back before it was sent, to be set up again */
	u8 opcode, fctype, sqe_flags;
	u8 pad0;
	u64 queued_ns; /* block layer entry */
	u64 filtered; /* completes that were left out, by the filter or for what the command of nvmetool is about */
	u32 bytes;
	u32 nsid;
	u32 cmd_flags;
	u16 cid;
	u16 cpu; /* of the submission */
	struct submitter sub;
	u64 complete_ns; /* nvme_complete_rq, NEED_PHASES */
	u32 cdw[6];
	struct cause cause;
	u16 during; /* as in struct event */
	u16 pad[3];
	struct file_id file;
	u64 status_word; /* of the completion, while its event is SLOT_HELD; NEED_PHASES */
	struct syncer syncer;
};
WIRE_SIZE(struct command_slot, 232);
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the state is not the lowest byte");

/*
 * An outstanding command keeps its device, its controller and its queue busy. Programs count the
 * time of one of the three, or of none.
 */
enum busy_level { BUSY_NONE, BUSY_DEVICE, BUSY_CTRL, BUSY_QUEUE, BUSY_LEVELS };

#define BUSY_SHIFT 6 /* of SLOT_BUSY_AT */

/* Entry of map `busy`, by the index of queue info. All queues of a device count in one entry. */
struct busy {
	u16 at[BUSY_LEVELS]; /* index of the entry where this queue counts; 0: not known */
	struct busy_count {
		u64 outstanding;
		/*
		 * Less 2 * time + 1 for each moment at which the first command came, plus the same
		 * for each at which the last one went. So it is even while nothing is outstanding,
		 * and then twice the time in which something was.
		 */
		u64 sum;
	} count[BUSY_LEVELS];
};
WIRE_SIZE(struct busy, 72);

#define SLOT_LEAN      64 /* up to and with cpu */
#define SLOT_SUBMITTER 128 /* up to and with sub */
#define SLOT_DWORDS    160 /* up to and with cdw */
#define SLOT_CAUSE     176 /* up to and with cause */

/* A piece of the table of command slots, or of requests held by schedulers. */
struct region {
	u32 base, entries;
};

#define WIRE_CTRLS  256 /* controller instances with a region of their own */
#define WIRE_SPARES 32

/*
 * Key of map `claims`: a thing that is taken once (kind, number), or what an owner took (pointer,
 * size).
 */
struct claim_key {
	u64 owner; /* enum claim_kind, a pointer, or with SCHED_OWNER or CTRL_OWNER */
	u64 number;
};

enum claim_kind {
	CLAIM_QUEUE, /* entry of `queues` */
	CLAIM_REGION, /* entry of spares[0] */
	CLAIM_SCHED, /* entry of spares[1] */
	CLAIM_ROW, /* row of `keys`, latency */
	CLAIM_SCHEDULER, /* entry of `schedulers` */
	CLAIM_CTRL, /* driver's data of a tag set: instance of its controller */
	CLAIM_HAND, /* slot of `at_hand`, while it is written */
	CLAIM_STACK, /* entry of `spare_stacks` */
	CLAIM_BUSY, /* what is busy, above it the enum busy_level: index of its entry of `busy` */
};

#endif
