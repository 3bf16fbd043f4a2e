// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Shared by the BPF programs and user space: configuration, filter, events, counters.
 *
 * Fixed sizes, explicit padding, largest members first. Numbers are in host order; times are
 * CLOCK_MONOTONIC in nanoseconds. A structure that changes must keep WIRE_SIZE beside it true.
 */
#ifndef NVT_SHARED_WIRE_H
#define NVT_SHARED_WIRE_H

#ifdef __bpf__
#include "bpf/kern.h"
#else
#include "lib/base/types.h"
#endif

#define WIRE_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " changed its size")

#define WIRE_QUEUES	       (1 << 14) /* entries for hardware queues; the first one stays empty */
#define WIRE_STACKED	       256 /* of these, at the end: user space has devices above there */
#define WIRE_DISK_NAME	       32 /* DISK_NAME_LEN of the kernel */
#define WIRE_COMM	       16 /* TASK_COMM_LEN of the kernel */
#define WIRE_UNKNOWN_STATUS    0xffff
#define OPCODE_FLUSH	       0x00 /* NVM Command Set 1.0, section 3.2 */
#define OPCODE_WRITE	       0x01
#define OPCODE_READ	       0x02
#define OPCODE_DSM	       0x09
#define OPCODE_FABRICS	       0x7f
#define NVME_TAG_MASK	       0xfff /* of a command's identifier; the rest counts its uses */
#define REQ_OP_READ	       0 /* include/linux/blk_types.h */
#define REQ_OP_WRITE	       1
#define REQ_OP_FLUSH	       2 /* of the block layer's flush command alone */
#define REQ_OP_DISCARD	       3
#define STATUS_HOST_PATH_ERROR 0x370 /* without a setup: completed by the driver, never sent */

/* The opcode of a read or write, which nvme_setup_cmd() makes of its request. */
static inline u8 wire_opcode(u32 cmd_flags)
{
	return OPCODE_READ - (cmd_flags & REQ_OP_WRITE);
}

/*
 * When a bio entered the block layer: its @issue has the low 51 bits of the clock
 * (include/linux/blk_types.h), which come again after 26 days; 0: not noted. The clock that
 * programs read may be some nanoseconds behind the kernel's own, as it takes no lock: what seems to
 * lie ahead is now.
 */
static inline u64 wire_issue_ns(u64 issue, u64 now_ns)
{
	s64 age_ns = (s64)((now_ns - issue) << 13) >> 13;

	if (!(issue << 13))
		return 0;
	return age_ns > 0 ? now_ns - age_ns : now_ns;
}

/*
 * From sectors of 512 bytes to logical blocks of @block_bytes, a power of two, or 0: not known,
 * taken for sectors.
 */
static inline u32 wire_block_shift(u32 block_bytes)
{
	u32 sectors = block_bytes / 512;

	return sectors ? (u32)__builtin_ctz(sectors) : 0;
}

/*
 * Where members of nvme_core's structures lie: parsed from the module's BTF, see
 * lib/btf/features.h.
 */
struct nvme_offsets {
	u16 req_cmd; /* struct nvme_request, from the beginning of the request before it: pointer to the SQE */
	u16 req_result;
	u16 req_retries;
	u16 req_status;
	u16 req_ctrl;
	u16 ctrl_instance; /* struct nvme_ctrl */
	u16 ctrl_admin_tagset;
	u16 ctrl_opts; /* pointer that a controller of fabrics has; 0: not known where */
	u16 known; /* 0: no BTF for nvme_core, the fixed layout of 5.10 is assumed, see below */
	u16 pad;
};
WIRE_SIZE(struct nvme_offsets, 20);

/*
 * Whether the assumed layout is the driver's. Up to LAYOUT_WRONG: so many commands did not tell.
 * Until it is found to be right, status, result and retries are unknown.
 */
enum assumed_layout { LAYOUT_WRONG = 64, LAYOUT_RIGHT };

/* Where in the aligned word that holds it a member of @offset begins, in bits. */
static inline u8 nvme_word_shift(u16 offset)
{
	return 8 * (offset & 7);
}

/* Bits of the status, and of the number of retries, in the aligned word that holds both. */
static inline u64 nvme_status_mask(const struct nvme_offsets *off)
{
	return 0x7fffULL << nvme_word_shift(off->req_status);
}

static inline u64 nvme_retries_mask(const struct nvme_offsets *off)
{
	return 0xffULL << nvme_word_shift(off->req_retries);
}

#define WIRE_CPUS 1024 /* that count on their own, a power of two; more share */

/*
 * How often a CPU reached the programs of a hook, by BACKUP_SETUP and BACKUP_COMPLETE; a cache
 * line.
 */
struct reached {
	u64 hook[2];
	u64 apart[2]; /* of these, for commands of queues that are QUEUE_APART */
	u64 pad[4];
};
WIRE_SIZE(struct reached, 64);

/* Data that a command asks bpf/join.h to gather; bits of prog_cfg.needs. */
enum need {
	NEED_PID = 1 << 0, /* pid and tid of the submitter */
	NEED_COMM = 1 << 1, /* its command name */
	NEED_CGROUP = 1 << 2, /* its cgroup v2 id */
	NEED_QUEUED = 1 << 3, /* when the bio entered the block layer */
	NEED_STATUS = 1 << 4, /* completion status */
	NEED_RESULT = 1 << 5, /* CQE result, retries */
	NEED_SQE = 1 << 6, /* command dwords 10 to 15 */
	NEED_KSTACK = 1 << 7, /* kernel stack of the submission */
	NEED_USTACK = 1 << 8, /* user stack of the submitter */
	NEED_CMD_FLAGS = 1 << 9, /* request->cmd_flags */
	NEED_AER = 1 << 10, /* asynchronous events */
	NEED_SQ = 1 << 11, /* submission queue head updates */
	NEED_SUBMIT = 1 << 12, /* an event of its own for each submission */
	NEED_COMPLETE = 1 << 13, /* an event for each completion on its own */
	NEED_PHASES = 1 << 14, /* times of insert and of block layer completion */
	NEED_INFLIGHT = 1 << 15, /* commands outstanding on the controller at submission */
	NEED_IO = 1 << 16, /* the joined event for each command */
	NEED_CPU = 1 << 17, /* the CPUs of submission and completion */
	NEED_TIMEOUT = 1 << 18, /* timeouts, as the driver notices them */
	NEED_RESET = 1 << 19, /* controller resets */
	NEED_BLOCK = 1 << 20, /* what the block layer makes of a failed request */
	NEED_ENTRY = 1 << 21, /* the submitter as it was when the bio entered the block layer */
	NEED_STAMP = 1 << 22, /* with NEED_QUEUED: bios do not say it, note when each is queued */
	NEED_NSID = 1 << 23, /* of the SQE; with any other need at setup it is there anyway */
	NEED_OWNER = 1 << 24, /* the cgroup on whose behalf the block layer got the request */
	NEED_SCHED = 1 << 25, /* the I/O scheduler that held the request */
	NEED_DURING = 1 << 26, /* the admin command that was in flight meanwhile */
	NEED_FLUSHES = 1 << 27, /* flush requests of devices above NVMe disks */
	NEED_BUSY = 1 << 28, /* how long commands were outstanding: see bpf/busy.h */
	NEED_PLUG = 1 << 29, /* submitters of bios that a zone's write plug holds: see bpf/plug.h */
	NEED_FILE = 1 << 30, /* the file whose data a command moves: see bpf/file.h */
	NEED_SYNCER = 1U << 31, /* who waits for a flush: see bpf/syncer.h */
};

/* Needs that the task that submitted tells, those that struct cause serves, and all about both. */
#define NEED_TASK      (NEED_PID | NEED_COMM | NEED_CGROUP | NEED_KSTACK | NEED_USTACK)
#define NEED_CAUSE     (NEED_OWNER | NEED_SCHED)
#define NEED_SUBMITTER (NEED_TASK | NEED_CAUSE | NEED_PHASES)

/* Needs that cost something at each setup. */
#define NEED_AT_SETUP                                                                              \
	(NEED_SUBMITTER | NEED_QUEUED | NEED_SQE | NEED_CMD_FLAGS | NEED_CPU | NEED_NSID |         \
	 NEED_INFLIGHT | NEED_DURING | NEED_BUSY | NEED_PLUG | NEED_FILE | NEED_SYNCER)
/* The same for each completion. */
#define NEED_AT_COMPLETE (NEED_SUBMITTER | NEED_INFLIGHT | NEED_DURING | NEED_BUSY)

/*
 * Whether each hook has two programs, the second for where the kernel skips the first; see
 * bpf/backup.h.
 */
enum backup { BACKUP_NO, BACKUP_FIRST, BACKUP_SECOND };

/* Hooks that have two; lib/loader/backup.c knows their programs by name. */
enum backup_hook {
	BACKUP_SETUP,
	BACKUP_COMPLETE,
	BACKUP_INSERT,
	BACKUP_DONE,
	BACKUP_ENTRY,
	BACKUP_STAMP,
	BACKUP_MOVE,
	BACKUP_ENDED,
	BACKUP_FLUSH,
	BACKUP_SYNC,
	BACKUP_SYNCED,
	BACKUP_SERVED,
	BACKUP_PLUG,
	BACKUP_WAITS, /* these two count nothing: bpf/sync.h */
	BACKUP_WAITED,
	BACKUP_HOOKS
};

#define IO_CSS_NONE 0xff /* this kernel has no io controller */

/* Set before load; the verifier sees constants and drops what is not wanted. */
struct prog_cfg {
	struct nvme_offsets off;
	u32 needs; /* enum need */
	u32 command_slots; /* entries of the table of commands in flight */
	u32 sched_slots; /* entries of the table of requests held by an I/O scheduler */
	u32 queues; /* entries of `queues` that may be taken, at most WIRE_QUEUES */
	u32 max_inflight; /* latency --max-inflight + 1, 0: off */
	u32 wakeup_bytes; /* wake the reader when this much lies in the ring */
	u8 rdonly_cast; /* bpf_rdonly_cast() exists (6.2 and newer) */
	u8 probe_read; /* bpf_probe_read_kernel() is allowed: lockdown may forbid it */
	u8 xadd; /* what is counted by CPU may be interrupted, or shared (WIRE_CPUS): add atomically */
	u8 bio_second; /* 1: block_getrq and block_bio_queue have the bio as their second argument (before 5.11) */
	u32 cmd_flags_mask; /* flags of a request that have a name, see lib/nvme/reqflags.h */
	u8 backup; /* enum backup */
	u8 more_at_setup; /* NEED_AT_SETUP beyond `always`, or a filter that looks at each command */
	s16 only_ctrl; /* where a controller cannot be read: the one there is, -1: there are more */
	u32 fast_needs; /* PROG_FAST_NEEDS of the object */
	u32 preflush; /* REQ_PREFLUSH of a bio */
	u64 status_mask; /* of the status in the aligned word at status_at, status_shift included */
	u64 told_mask; /* the same with the retries */
	u16 status_at; /* as off.req_status */
	u8 status_shift, retries_shift; /* both lie in that word, from 5.10 to 7.2 */
	u8 more_at_complete; /* NEED_AT_COMPLETE beyond `always`, or a filter that looks at each completion */
	u8 late_identify; /* a namespace is identified when it has its queue (6.0), see bpf/queue.h */
	u8 flat; /* tables are one value, for the fast path; see flat_at() */
	u8 rq_second; /* the same of block_rq_insert and its request: 5.10 changed on the way */
	u32 always, never; /* needs that the object is made for and without: the same */
	u64 comm_padded; /* a task's name has zeroes behind it in the task, too (5.17) */
	u8 io_css; /* index of the io controller in css_set.subsys, IO_CSS_NONE */
	u8 fast_words; /* PROG_FAST_SLOT of the object, in u64 */
	u16 stack_bytes; /* of struct spare_stack.frames that are in use */
	u32 spare_stacks; /* entries of map `spare_stacks` */
	u64 raw_finds; /* raw programs find a command whose tag is given away: requeue_finds() */
};
WIRE_SIZE(struct prog_cfg, 120);

struct range32 {
	u32 lo, hi; /* both inclusive */
};

struct range64 {
	u64 lo, hi; /* both inclusive */
};

/* One item of -d: a controller, a namespace of it, or a partition of that. */
struct filter_dev {
	struct range64 lba; /* logical blocks; a whole device has 0 to ~0 */
	s32 ctrl_id;
	u32 nsid; /* 0: every namespace and the controller's own commands */
};
WIRE_SIZE(struct filter_dev, 24);

/* One item of --status. */
struct filter_status {
	u16 value, mask; /* matches when (status & mask) == value */
};

/* Classes of --status, bits of filter.status_classes. */
enum status_class {
	STATUS_CLASS_OK = 1 << 0,
	STATUS_CLASS_ERROR = 1 << 1,
	STATUS_CLASS_RETRY = 1 << 2, /* attempts after the first */
};

#define FILTER_ITEMS 16 /* items of one list option */
#define FILTER_DEVS  64 /* -d after a multipath head was resolved to its paths */
#define FILTER_PIDS  64

/*
 * The selection of cli.md: kinds are ANDed, items of a kind ORed; a count of 0 means not asked for.
 * bpf/shared/filter.h decides with it, in BPF and in replay alike.
 */
struct filter {
	u64 opcodes_io[4]; /* bit per opcode, when has_opcodes */
	u64 opcodes_admin[4];
	u64 opcodes_fabrics[4]; /* bit per fctype */
	u64 comm[256]; /* bit-parallel matcher of --comm: states that accept this byte */
	u64 comm_start, comm_accept, comm_out, comm_star; /* see bpf/shared/filter.h */
	u64 min_lat_ns;
	struct range64 size[FILTER_ITEMS];
	struct range64 lba[FILTER_ITEMS];
	struct filter_dev dev[FILTER_DEVS];
	struct filter_dev dev_out[FILTER_DEVS]; /* -d '!nvme1': whole devices, left out */
	struct range32 ctrl[FILTER_ITEMS];
	struct range32 nsid[FILTER_ITEMS];
	struct range32 qid[FILTER_ITEMS];
	u32 pid[FILTER_PIDS];
	struct filter_status status[FILTER_ITEMS];
	struct filter_status status_out[FILTER_ITEMS];
	u32 n_ctrl, n_nsid, n_qid, n_pid, n_dev, n_size, n_lba, n_status;
	u32 n_dev_out, n_status_out;
	u32 status_classes, status_classes_out;
	u32 n_cgroups; /* entries of the map `cgroups` */
	u8 has_opcodes, has_comm;
	u8 admin; /* admin commands may pass */
	u8 io; /* I/O commands may pass */
	u8 any; /* some kind that is decided command by command was asked for */
	u8 any_complete; /* -L or --status */
	u8 any_submit; /* of `any`, some kind that only the submission tells about: see filter_orphan() */
	u8 pid_out; /* pid[] are left out, all others pass */
};

/*
 * Flush to dataset management: whose row of `latency` a queue remembers. Backwards, so that a
 * write's lies behind a read's, as the operations of the block layer do.
 */
#define QUEUE_OPCODES	  10
#define QUEUE_ROW(opcode) (QUEUE_OPCODES - 1 - (opcode))

/*
 * In queue_info.slot_base: no command of the controller can pass the filter, so none has an entry
 * there.
 */
#define QUEUE_APART ~0U

/*
 * Queue info: one hardware queue. An entry keeps the members behind `index` for the whole run, and
 * no other entry has the same, so an event names its queue by the index. The members before say
 * which queue of the kernel the entry describes at the moment. Each command looks at the first 64
 * bytes, and at `hctx` and `keeps_sqe`.
 */
struct queue_info {
	u64 q; /* number of the queue that is found with this entry: see queue_pointer(); 0: none */
	u64 generation; /* control.generation when it was gathered; ~0: it is gathered each time */
	u64 diskseq; /* of its disk, tells a new disk on a reused queue; 0: none, or not known to this kernel */
	u16 row[QUEUE_OPCODES]; /* latency: 1 + row, where queue and opcode decide it; by QUEUE_ROW() */
	u32 index; /* of this entry */
	u32 slot_base; /* of the hardware queue in the table of commands in flight; QUEUE_APART */
	u32 depth; /* tags; 0: no room was left for its commands */
	u32 nsid; /* of the namespace; 0: an admin or connect queue, or not known: see queue_find() */
	u16 qid;
	u8 admin; /* no namespace behind it: admin queue, or fabrics' connect queue */
	u8 selected; /* SLOT_SELECTED or 0: the parts of the filter that hold for the whole queue */
	u32 sched_base,
		sched_depth; /* the same as slot_base, depth for requests held by a scheduler */
	u32 lba_bytes;
	s32 ctrl_id; /* instance, -1 unknown */
	u32 major, minor;
	u32 hctx; /* number of the hardware queue, from 0 */
	u8 connect; /* admin, but it connects I/O queues of fabrics and has their tags */
	u8 keeps_sqe; /* not of fabrics: see queue_keeps_sqe() */
	u16 sched_tags; /* that its scheduler had when these were gathered, 0: none; sched_depth: if there was room */
	char disk[WIRE_DISK_NAME]; /* as the kernel calls it, nvme0c1n1 for a hidden path */
};
WIRE_SIZE(struct queue_info, 128);
/* Bytes from slot_base on, by which entries are told apart. */
#define QUEUE_INFO_BYTES                                                                           \
	(sizeof(struct queue_info) - __builtin_offsetof(struct queue_info, slot_base))

/* I/O schedulers that requests went through, in .bss.scheds; what stands for one is 1 + its index. */
#define WIRE_SCHEDS   8
#define SCHED_NONE    0 /* none held the request */
#define SCHED_UNKNOWN 0xff /* the table was full */

struct scheduler {
	u64 type; /* address of its struct elevator_type, 0: free */
	char name[16]; /* its beginning, with other bytes behind the NUL */
};
WIRE_SIZE(struct scheduler, 24);

/* The code of an admin command in `during`: 1 more than its opcode, with the type of fabrics above. */
#define DURING_NONE    0 /* there was none */
#define DURING_UNKNOWN 0xffff

static inline u16 wire_during(u8 opcode, u8 fctype)
{
	return 1 + (opcode | (opcode == OPCODE_FABRICS ? fctype << 8 : 0));
}

enum event_kind {
	EVENT_IO = 1, /* a command, setup and completion joined */
	EVENT_SUBMIT, /* nvme_setup_cmd */
	EVENT_COMPLETE, /* nvme_complete_rq */
	EVENT_AER, /* nvme_async_event: result; nsid holds the instance, there is no queue */
	EVENT_SQ, /* nvme_sq: sq_head, sq_tail */
	EVENT_TIMEOUT, /* the driver's timeout handler was called for the command */
	EVENT_RESET, /* the controller began a reset; nsid holds the instance, there is no queue */
	EVENT_STACK, /* a user stack seen for the first time; handed out at once */
	/*
	 * A flush request of a device above NVMe disks has ended; submit_ns: it was queued. In the
	 * ring the result has the device's numbers, cdw[2] whether it was sent from within another
	 * one, and the queue is not known.
	 */
	EVENT_FLUSH,
	EVENT_HIT, /* of a probe in a process: user space's, see cmd/spdk/hits.h */
	/*
	 * A command that was in flight when the run ended, which is ts_ns. User space makes it of the
	 * command's slot, for who asks (session_request.inflight_end).
	 */
	EVENT_INFLIGHT,
};

enum event_flag {
	EVENT_ADMIN = 1 << 0, /* no namespace behind the queue */
	EVENT_WORKER = 1 << 1, /* the submitter is not known: a kernel worker ran it */
	EVENT_UNSENT = 1 << 2, /* completed by the host without a setup */
	EVENT_PASSTHROUGH = 1 << 3, /* REQ_OP_DRV_*: from user space or the driver itself */
	EVENT_NO_SUBMIT = 1 << 4, /* completion of a command submitted before attaching */
	EVENT_NO_STATUS = 1 << 5, /* status, result and retries cannot be read here */
	EVENT_RANGE = 1 << 6, /* cdw[2] to [4] have the range of a trim: event_set_range() */
};

/* The outcome of a failed command; `errors` alone fills it in. */
enum event_outcome {
	OUTCOME_UNKNOWN,
	OUTCOME_RETRY, /* it is tried again, on this path or another one */
	OUTCOME_FINAL,
	OUTCOME_BLOCK, /* final, and event.block_error is known */
};

/* Entries of map `stacks`; the numbers behind are those of `spare_stacks`. A power of two. */
#define WIRE_STACKS	  16384
#define WIRE_STACK_FRAMES 127 /* PERF_MAX_STACK_DEPTH */

/*
 * A stack whose place in `stacks` another one has. Only the first cfg.stack_bytes of the frames are
 * there.
 */
struct spare_stack {
	u64 frames[WIRE_STACK_FRAMES]; /* innermost first, then 0 */
};
WIRE_SIZE(struct spare_stack, 8 * WIRE_STACK_FRAMES);

/* One event. bpf/shared/event.def has its members. */
struct event {
#define STORED(type, member, encoding, needs, absent) type member;
#define SPLIT(type, member, n)			      type member[n];
#define PASSED(type, member)			      type member;
#include "bpf/shared/event.def"
#undef STORED
#undef SPLIT
#undef PASSED
};
WIRE_SIZE(struct event, 200);

/* The bytes of a record without what only NEED_PHASES tells. */
#define EVENT_BRIEF __builtin_offsetof(struct event, insert_ns)

/*
 * Whether the request of @cmd_flags tells the range of this command: it is a trim of one range. Each
 * bio became a range (nvme_setup_discard()), so of several the request has no more than the sum.
 */
static inline _Bool event_may_have_range(const struct event *ev, u32 cmd_flags)
{
	return ev->opcode == OPCODE_DSM && !(ev->cdw[0] & 0xff) && (u8)cmd_flags == REQ_OP_DISCARD;
}

/*
 * Notes the range, which the command has in memory: where the request begins, in sectors of 512
 * bytes, and its length. The driver leaves these dwords 0.
 */
static inline void event_set_range(struct event *ev, u64 sector, u32 bytes)
{
	ev->cdw[2] = (u32)sector;
	ev->cdw[3] = (u32)(sector >> 32);
	ev->cdw[4] = bytes;
	ev->flags |= EVENT_RANGE;
}

/* True for events of a controller, which have no queue. */
static inline _Bool event_is_of_ctrl(const struct event *ev)
{
	return ev->kind == EVENT_AER || ev->kind == EVENT_RESET;
}

/* From submission to @ev; 0 where the clocks of two CPUs disagree so much that it was before. */
static inline u64 event_lat_ns(const struct event *ev)
{
	return ev->ts_ns > ev->submit_ns ? ev->ts_ns - ev->submit_ns : 0;
}

/* Its status for who has to tell unknown from success. */
static inline u16 event_status(const struct event *ev)
{
	return ev->flags & EVENT_NO_STATUS ? WIRE_UNKNOWN_STATUS : ev->status;
}

/* Whether a completion is known to have failed. */
static inline _Bool event_failed(const struct event *ev)
{
	return event_status(ev) && event_status(ev) != WIRE_UNKNOWN_STATUS;
}

/*
 * Whether a bio led to this I/O command: none does to passthrough, nor to a flush, which the block
 * layer makes for what waits for it.
 */
static inline _Bool wire_has_bio(u8 opcode, _Bool passthrough)
{
	return opcode != OPCODE_FLUSH && !passthrough;
}

/*
 * Whether a command waited in the block layer, and it is not known since when: with NEED_QUEUED.
 * Other commands without that time begin at setup.
 */
static inline _Bool event_entry_unknown(const struct event *ev)
{
	return ev->kind == EVENT_IO && !ev->queued_ns && !(ev->flags & EVENT_ADMIN) &&
	       wire_has_bio(ev->opcode, ev->flags & EVENT_PASSTHROUGH);
}

/* Counters beside the tables, one u64 each in .bss; rare, so counted atomically. */
enum stat_id {
	STAT_BEFORE_ATTACH, /* completed, submitted before attaching */
	STAT_UNSENT, /* completed by the host without a setup */
	STAT_STOPPED, /* completed without a setup that we saw, while we detach: neither lost nor counted */
	STAT_FAILED_SETUP, /* set up, then ended by the block layer without a completion */
	STAT_UNMATCHED, /* completed without a setup that we saw, none of the two above */
	STAT_INFLIGHT_FULL, /* set up, but no entry for it */
	STAT_RING_FULL, /* joined event that found no room, or waited too long: requeue_held() */
	STAT_RING_FULL_EXTRA, /* submit, complete, aer or sq event that found no room */
	STAT_KEYS_FULL, /* sample counted under (other) */
	STAT_STACKS_FULL, /* stack that found no room */
	STAT_ENTRY_UNKNOWN, /* selected command as event_entry_unknown() has it */
	STAT_STAMPS_FULL, /* bio that found no room: the time it was queued is not known */
	STAT_CLOCK, /* completion stamped before its submission, clamped */
	STAT_FLUSHES_FULL, /* flush of a device above that found no room */
	STAT_FLUSHES_UNMATCHED, /* the end of such a flush was not seen */
	STAT_SYNCERS_FULL, /* call of fsync() or its like that found no room */
	STAT_QUEUES_FULL, /* request whose queue found no entry, or for its scheduler's requests */
	STAT_STOOD_IN, /* by enum backup_hook: skipped by the kernel, done by the second program */
	STAT_MAX = STAT_STOOD_IN + BACKUP_HOOKS,
};

#endif
