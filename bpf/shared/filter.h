// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Decides whether a command was selected (cli.md, "Common options"); the same code in BPF and in
 * replay.
 *
 * Three decisions: filter_queue() once per request queue, filter_submit() once per command with
 * what is known when it is submitted, filter_complete() with what its completion adds. A command
 * passes when all three say so and, with n_cgroups, the caller found the submitter in one of the
 * cgroups: in BPF that is bpf_current_task_under_cgroup(), in replay the path of its cgroup.
 *
 * The filter lies in .rodata, so the verifier knows every count and drops the kinds not asked for.
 * Two things follow from that: it is volatile, so that the compiler merges no loads, and loops have
 * a constant bound.
 */
#ifndef NVT_SHARED_FILTER_H
#define NVT_SHARED_FILTER_H

#include "bpf/shared/wire.h"

#define FILTER_INLINE static inline __attribute__((always_inline))

/* Kept as loops: unrolled they would be most of an object. The pattern's steps are few and hot. */
#ifdef __bpf__
#define FILTER_LOOP   _Pragma("clang loop unroll(disable)")
#define FILTER_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FILTER_LOOP
#define FILTER_UNROLL
#endif

/* A command as the filter sees it, when it is submitted. */
struct filter_input {
	u64 lba; /* first logical block, when lba_blocks is not 0 */
	u32 lba_blocks; /* logical blocks from there on; 0: a command without an LBA */
	u32 size_bytes; /* data transferred */
	u32 nsid; /* of the SQE */
	u32 pid; /* thread group of the submitter */
	s32 ctrl_id; /* instance, -1 unknown */
	u16 qid;
	u8 opcode, fctype;
	u8 admin; /* no namespace behind the queue */
	const char *comm; /* WIRE_COMM bytes, read when has_comm */
};

/*
 * Opcodes below 64 that carry an LBA in dwords 10 and 11: write, read, write uncorrectable,
 * compare, write zeroes, verify, copy (its destination). NVM Command Set 1.0, section 3.2.
 */
#define FILTER_LBA_OPCODES                                                                         \
	(1ULL << 0x01 | 1ULL << 0x02 | 1ULL << 0x04 | 1ULL << 0x05 | 1ULL << 0x08 | 1ULL << 0x0c | \
	 1ULL << 0x19)

/*
 * Logical blocks that an I/O command names in cdw12, for filter_input.lba_blocks; 0: it has no LBA.
 * Zone management and copy name where something begins and count as one block.
 */
FILTER_INLINE u32 filter_lba_blocks(u8 opcode, u32 cdw12)
{
	if (opcode == 0x79 || opcode == 0x7a || opcode == 0x19) /* zone send, zone receive, copy */
		return 1;
	if (opcode != 0x7d && (opcode > 63 || !(FILTER_LBA_OPCODES >> (opcode & 63) & 1)))
		return 0;
	return (cdw12 & 0xffff) + 1;
}

FILTER_INLINE _Bool filter_in32(const volatile struct range32 *ranges, u32 n, u32 value)
{
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_ITEMS && i < n; i++) {
		if (value >= ranges[i].lo && value <= ranges[i].hi)
			return 1;
	}
	return 0;
}

/* True when [lo, hi] shares a value with one of the ranges. */
FILTER_INLINE _Bool filter_in64(const volatile struct range64 *ranges, u32 n, u64 lo, u64 hi)
{
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_ITEMS && i < n; i++) {
		if (hi >= ranges[i].lo && lo <= ranges[i].hi)
			return 1;
	}
	return 0;
}

/* Last logical block; an SQE may name blocks beyond the end of 64 bits. */
FILTER_INLINE u64 filter_last_lba(const struct filter_input *in)
{
	u64 last = in->lba + in->lba_blocks - 1;

	return last < in->lba ? ~0ULL : last;
}

FILTER_INLINE _Bool filter_is_fabrics(const struct filter_input *in)
{
	return in->opcode == OPCODE_FABRICS;
}

FILTER_INLINE _Bool filter_dev_ctrl(const volatile struct filter *f, s32 ctrl_id)
{
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_DEVS && i < f->n_dev; i++) {
		if (f->dev[i].ctrl_id == ctrl_id)
			return 1;
	}
	return 0;
}

/* The nsid of a fabrics command is its fctype: it belongs to a controller, never to a namespace. */
FILTER_INLINE _Bool filter_dev(const volatile struct filter *f, const struct filter_input *in)
{
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_DEVS && i < f->n_dev; i++) {
		u64 lo = f->dev[i].lba.lo, hi = f->dev[i].lba.hi;
		u32 nsid = f->dev[i].nsid;

		if (f->dev[i].ctrl_id != in->ctrl_id)
			continue;
		if (nsid && (nsid != in->nsid || filter_is_fabrics(in)))
			continue;
		if (lo == 0 && hi == ~0ULL)
			return 1;
		if (in->lba_blocks && in->lba <= hi && filter_last_lba(in) >= lo)
			return 1;
	}
	return 0;
}

FILTER_INLINE _Bool filter_opcode(const volatile struct filter *f, const struct filter_input *in)
{
	u32 word = in->opcode >> 6, bit = in->opcode & 63;

	if (filter_is_fabrics(in))
		return f->opcodes_fabrics[in->fctype >> 6] >> (in->fctype & 63) & 1;
	if (in->admin)
		return f->opcodes_admin[word] >> bit & 1;
	return f->opcodes_io[word] >> bit & 1;
}

/*
 * Bit-parallel matcher of shell patterns. Each pattern owns one state more than it has tokens (a
 * byte, ? or a set; * is none): state k of it says that the bytes so far matched its first k
 * tokens. comm[c] has the states whose next token accepts byte c; comm_star those that stand at a
 * *, which stay on any byte. A name passes if no pattern of comm_out matches, and one of comm_accept
 * does where there is one.
 */
FILTER_INLINE _Bool filter_comm(const volatile struct filter *f, const char *comm)
{
	u64 states = f->comm_start, star = f->comm_star;

	FILTER_UNROLL
	for (u32 i = 0; i < WIRE_COMM; i++) {
		u8 byte = comm[i];

		if (!byte)
			break;
		states = (states & f->comm[byte]) << 1 | (states & star);
	}
	if (states & f->comm_out)
		return 0;
	return !f->comm_accept || states & f->comm_accept;
}

/* True when a device that is left out holds namespace @nsid; 0: all of the controller. */
FILTER_INLINE _Bool filter_out(const volatile struct filter *f, s32 ctrl_id, u32 nsid)
{
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_DEVS && i < f->n_dev_out; i++) {
		if (f->dev_out[i].ctrl_id == ctrl_id &&
		    (!f->dev_out[i].nsid || f->dev_out[i].nsid == nsid))
			return 1;
	}
	return 0;
}

/*
 * False: nothing of this controller can pass. Decides on events that name a controller and nothing
 * else.
 */
FILTER_INLINE _Bool filter_ctrl(const volatile struct filter *f, s32 ctrl_id)
{
	if (f->n_ctrl && !filter_in32(f->ctrl, f->n_ctrl, (u32)ctrl_id))
		return 0;
	if (f->n_dev_out && filter_out(f, ctrl_id, 0))
		return 0;
	return !f->n_dev || filter_dev_ctrl(f, ctrl_id);
}

/* False: no command of this queue can pass. @admin: no namespace behind it. */
FILTER_INLINE _Bool filter_queue(const volatile struct filter *f, s32 ctrl_id, _Bool admin)
{
	return (admin ? f->admin : f->io) && filter_ctrl(f, ctrl_id);
}

/*
 * The parts of filter_submit() that lie in the command, but for filter_blocks(); the queue has passed
 * filter_queue().
 */
FILTER_INLINE _Bool filter_command(const volatile struct filter *f, const struct filter_input *in)
{
	if (f->n_nsid && (filter_is_fabrics(in) || !filter_in32(f->nsid, f->n_nsid, in->nsid)))
		return 0;
	if (f->n_dev_out && !filter_is_fabrics(in) && filter_out(f, in->ctrl_id, in->nsid))
		return 0;
	if (f->n_qid && !filter_in32(f->qid, f->n_qid, in->qid))
		return 0;
	if (f->has_opcodes && !filter_opcode(f, in))
		return 0;
	return !f->n_size || filter_in64(f->size, f->n_size, in->size_bytes, in->size_bytes);
}

/* The devices and blocks of the command. Those of a trim of several ranges are asked for each. */
FILTER_INLINE _Bool filter_blocks(const volatile struct filter *f, const struct filter_input *in)
{
	if (f->n_dev && !filter_dev(f, in))
		return 0;
	return !f->n_lba ||
	       (in->lba_blocks && filter_in64(f->lba, f->n_lba, in->lba, filter_last_lba(in)));
}

/* A range of @bytes from @sector on, of 512 bytes, as the blocks of @in: what a trim has. */
FILTER_INLINE void filter_range(struct filter_input *in, u64 sector, u32 bytes, u32 lba_bytes)
{
	u32 sectors = lba_bytes >> 9;

	if (!sectors)
		sectors = 1; /* as in wire_block_shift(), which the programs cannot have */
	in->lba = sector / sectors;
	in->lba_blocks = (bytes >> 9) / sectors;
}

/* The parts of filter_submit() that lie in the submitter. @comm is read when has_comm. */
FILTER_INLINE _Bool filter_submitter(const volatile struct filter *f, u32 pid, const char *comm)
{
	if (f->n_pid) {
		_Bool found = 0;

		FILTER_LOOP
		for (u32 i = 0; i < FILTER_PIDS && i < f->n_pid; i++) {
			if (f->pid[i] == pid)
				found = 1;
		}
		if (found == !!f->pid_out)
			return 0;
	}
	return !f->has_comm || filter_comm(f, comm);
}

/* Decides on a command, cgroup apart, once its queue has passed filter_queue(). */
FILTER_INLINE _Bool filter_submit(const volatile struct filter *f, const struct filter_input *in)
{
	return filter_command(f, in) && filter_blocks(f, in) &&
	       filter_submitter(f, in->pid, in->comm);
}

/*
 * Decides on a command of queue @q of which the submission was not seen, once the queue has passed
 * filter_queue(): where it ran is known, what it was is not.
 */
FILTER_INLINE _Bool filter_orphan(const volatile struct filter *f, const struct queue_info *q,
				  u16 qid)
{
	struct filter_input in = {
		.ctrl_id = q->ctrl_id, .nsid = q->nsid, .qid = qid, .admin = q->admin
	};

	return !f->any_submit && filter_command(f, &in) && filter_blocks(f, &in);
}

/* True when --status was given. */
FILTER_INLINE _Bool filter_asks_status(const volatile struct filter *f)
{
	return f->n_status || f->status_classes || f->n_status_out || f->status_classes_out;
}

FILTER_INLINE _Bool filter_in_status(const volatile struct filter_status *items, u32 n, u32 classes,
				     u16 status, u8 retries)
{
	if (classes & STATUS_CLASS_RETRY && retries)
		return 1;
	if (classes & (status ? STATUS_CLASS_ERROR : STATUS_CLASS_OK))
		return 1;
	FILTER_LOOP
	for (u32 i = 0; i < FILTER_ITEMS && i < n; i++) {
		if ((status & items[i].mask) == items[i].value)
			return 1;
	}
	return 0;
}

/* @status: 15 bits, or WIRE_UNKNOWN_STATUS, which no --status lets pass. */
FILTER_INLINE _Bool filter_status(const volatile struct filter *f, u16 status, u8 retries)
{
	if (status == WIRE_UNKNOWN_STATUS)
		return 0;
	if ((f->n_status || f->status_classes) &&
	    !filter_in_status(f->status, f->n_status, f->status_classes, status, retries))
		return 0;
	return !filter_in_status(f->status_out, f->n_status_out, f->status_classes_out, status,
				 retries);
}

/* Decides at completion: -L and --status. @retries: attempts before this one. */
FILTER_INLINE _Bool filter_complete(const volatile struct filter *f, u64 lat_ns, u16 status,
				    u8 retries)
{
	/*
	 * By the difference: a bound that the verifier of 6.1 learned of lat_ns would contradict
	 * its buckets.
	 */
	if ((s64)(lat_ns - f->min_lat_ns) < 0)
		return 0;
	return !filter_asks_status(f) || filter_status(f, status, retries);
}

#endif
