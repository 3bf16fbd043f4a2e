// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces of blktrace in one file, for blkparse, btt and iowatcher: struct blk_io_trace of
 * <linux/blktrace_api.h>. A command is D when the driver sends it and C when it completes. blkparse
 * wants a file for each CPU: all is of CPU 0 here. btt leaves out what has no Q, the entry into the
 * block layer. Records have to be in the order of time, and when Q was is known only at D, so it
 * has D's time.
 */
#include <errno.h>
#include <linux/blktrace_api.h>
#include <stdlib.h>

#include "cmd/export/export_format.h"
#include "lib/base/str.h"
#include "lib/nvme/reqflags.h"

#define TASKS	   4096 /* whose names are remembered; a power of two */
#define MINOR_BITS 20 /* of a device number of the kernel */

struct blktrace {
	u32 sequence; /* of the last record */
	struct {
		u32 tid;
		char comm[WIRE_COMM];
	} task[TASKS]; /* the last one told of those with the same low bits */
};

static void put_trace(struct export *e, struct blk_io_trace *t, const void *data, u16 n)
{
	struct blktrace *b = e->state;
	u8 record[sizeof(*t) + WIRE_COMM];

	t->magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION;
	t->sequence = ++b->sequence;
	t->pdu_len = n;
	memcpy(record, t, sizeof(*t));
	if (n)
		memcpy(record + sizeof(*t), data, n);
	export_put(e, record, sizeof(*t) + n);
}

/* Tells the name of a task, and when it changes. */
static void put_task(struct export *e, const struct blk_io_trace *of, const struct event *ev)
{
	struct blktrace *b = e->state;
	u32 at = ev->tid & (TASKS - 1);
	struct blk_io_trace t = {
		.time = of->time,
		.pid = ev->tid,
		.action = BLK_TN_PROCESS,
	};

	if (b->task[at].tid == ev->tid && !memcmp(b->task[at].comm, ev->comm, WIRE_COMM))
		return;
	b->task[at].tid = ev->tid;
	memcpy(b->task[at].comm, ev->comm, WIRE_COMM);
	put_trace(e, &t, ev->comm, WIRE_COMM);
}

/*
 * Returns the kind of a request of a file system; 0: it is none. Others are left out, though
 * blktrace has a category for them (PC): fio replays these as reads and writes.
 */
static u32 kind_of(const struct trace_row *row)
{
	if (row->opcode == nvme_cmd_flush)
		return BLK_TC_FLUSH;
	if (row->slba == UNKNOWN64)
		return 0;
	switch (row->opcode) {
	case nvme_cmd_read:
		return BLK_TC_READ;
	case nvme_cmd_write:
	case nvme_cmd_write_zeroes:
	case nvme_cmd_zone_append:
		return BLK_TC_WRITE;
	case nvme_cmd_dsm:
		return BLK_TC_DISCARD | BLK_TC_WRITE;
	default:
		return 0;
	}
}

/* The categories of a request: blkparse prints them as RWBS. */
static u32 categories(const struct view *v, const struct trace_row *row)
{
	static const u8 flags[] = { REQ_FLAG_SYNC, REQ_FLAG_META, REQ_FLAG_RAHEAD, REQ_FLAG_FUA };
	static const u32 bits[] = { BLK_TC_SYNC, BLK_TC_META, BLK_TC_AHEAD, BLK_TC_FUA };
	u32 tc = kind_of(row);

	for (u32 i = 0; i < ARRAY_SIZE(flags); i++)
		tc |= v->flags >> flags[i] & 1 ? bits[i] : 0;
	return BLK_TC_ACT(tc);
}

/* Bytes of the disk, also where no data are transferred. */
static u32 bytes_of(const struct view *v, const struct trace_row *row)
{
	u32 block = v->queue->lba_bytes;

	return row->nlb != UNKNOWN64 && block ? (u32)row->nlb * block : v->ev->bytes;
}

/* Why the command is left out: an enum export_gap; EXPORT_GAPS: it is not. */
static u32 gap_of(const struct export *e, const struct view *v)
{
	if (v->ev->flags & EVENT_ADMIN || e->row.cmd.set != NVME_SET_IO)
		return GAP_ADMIN;
	if (kind_of(&e->row))
		return EXPORT_GAPS;
	return e->row.opcode == nvme_cmd_dsm ? GAP_RANGES : GAP_OPCODE;
}

/* The part of a record that submission and completion share. */
static struct blk_io_trace trace_of(const struct export *e, const struct view *v)
{
	const struct trace_row *row = &e->row;
	u64 sector = row->slba * (v->queue->lba_bytes / 512);

	return (struct blk_io_trace){
		.time = v->ev->ts_ns,
		.sector = row->slba == UNKNOWN64 ? 0 : sector,
		.bytes = bytes_of(v, row),
		.action = categories(v, row),
		.pid = v->ev->tid,
		.device = v->queue->major << MINOR_BITS | v->queue->minor,
	};
}

static void blktrace_submit(struct export *e, const struct view *v)
{
	struct blk_io_trace t = trace_of(e, v);
	u32 what = t.action, gap = gap_of(e, v);

	if (gap < EXPORT_GAPS) {
		e->gaps[gap]++;
		return;
	}
	put_task(e, &t, v->ev);
	t.action = what | BLK_TA_QUEUE;
	put_trace(e, &t, NULL, 0);
	t.action = what | BLK_TA_ISSUE;
	put_trace(e, &t, NULL, 0);
}

static void blktrace_complete(struct export *e, const struct view *v)
{
	struct blk_io_trace t = trace_of(e, v);

	if (gap_of(e, v) < EXPORT_GAPS)
		return;
	t.action |= BLK_TA_COMPLETE;
	t.error = event_failed(v->ev) ? (u16)-EIO : 0;
	put_trace(e, &t, NULL, 0);
}

const struct export_format export_blktrace = {
	.state_bytes = sizeof(struct blktrace),
	.required = NEED_SUBMIT | NEED_SQE | NEED_STATUS | NEED_PID | NEED_COMM,
	.quiet = NEED_CMD_FLAGS,
	.submit = blktrace_submit,
	.complete = blktrace_complete,
};
