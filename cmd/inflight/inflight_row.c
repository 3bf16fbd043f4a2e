// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes rows of commands in flight, and the columns made of them. */
#include "cmd/inflight/inflight_row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"
#include "lib/view/trace_row.h"

#define NSEC	    1000000000
#define DATA_BITS   3 /* of an opcode: it moves data */
#define RANGE_BYTES 16 /* of a range of a dataset management command */
#define CDW(r, n)   ((u32)((r)->sqe[(n) / 2] >> ((n) % 2 * 32)))

/* Bytes that the command moves, as bpf/join.h has them. */
static u32 bytes_of(const struct event *ev, u32 request_bytes)
{
	u8 code = ev->opcode == OPCODE_FABRICS ? ev->fctype : ev->opcode;

	if (!(code & DATA_BITS))
		return 0;
	if (!(ev->flags & EVENT_ADMIN) && code == nvme_cmd_dsm)
		return ((ev->cdw[0] & 0xff) + 1) * RANGE_BYTES;
	return request_bytes;
}

static void decode_sqe(struct event *ev, const struct inflight_request *r)
{
	ev->opcode = (u8)r->sqe[0];
	ev->sqe_flags = (u8)(r->sqe[0] >> 8);
	ev->cid = (u16)(r->sqe[0] >> 16);
	ev->nsid = CDW(r, 1);
	ev->fctype = (u8)ev->nsid;
	for (u32 i = 0; i < ARRAY_SIZE(ev->cdw); i++)
		ev->cdw[i] = CDW(r, 10 + i);
	if (event_may_have_range(ev, r->cmd_flags))
		event_set_range(ev, r->sector, r->bytes);
}

/*
 * Derives the command from the block layer's request, where the kernel does not keep the SQE: reads,
 * writes and flushes. False: it is another one.
 */
static bool derive(struct event *ev, const struct inflight_request *r)
{
	u32 op = r->cmd_flags & 0xff;
	u64 slba = r->sector >> wire_block_shift(r->lba_bytes);

	if (op > REQ_OP_FLUSH || !r->lba_bytes)
		return false;
	ev->opcode = op == REQ_OP_FLUSH ? nvme_cmd_flush : wire_opcode(op);
	if (op == REQ_OP_FLUSH)
		return true;
	ev->cdw[0] = (u32)slba;
	ev->cdw[1] = (u32)(slba >> 32);
	ev->cdw[2] = r->bytes / r->lba_bytes - 1;
	return true;
}

static void fill_event(struct inflight_row *row, const struct snapshot_cmd *c)
{
	struct event *ev = &row->ev;

	*ev = (struct event){
		.ts_ns = c->now_ns,
		.cgroup_id = c->rq.cgroup_id,
		.cmd_flags = c->rq.cmd_flags,
		.pid = c->rq.pid,
		.qid = (u16)c->qid,
		.tag = c->rq.tag,
		.kind = EVENT_SUBMIT,
		.flags = (c->rq.disk[0] ? 0 : EVENT_ADMIN) | (c->rq.worker ? EVENT_WORKER : 0),
		.nsid = c->ns ? c->ns->nsid : 0,
		.ino = c->rq.file.ino,
		.ino_dev = c->rq.file.ino_dev,
		.ino_gen = c->rq.file.ino_gen,
	};
	memcpy(ev->comm, c->rq.comm, sizeof(ev->comm));
	ev->comm[sizeof(ev->comm) - 1] = '\0';
	if (c->rq.has_sqe)
		decode_sqe(ev, &c->rq);
	else if (ev->flags & EVENT_ADMIN || !derive(ev, &c->rq))
		ev->flags |= EVENT_NO_SUBMIT;
	ev->bytes = bytes_of(ev, c->rq.bytes);
}

/* The same, where a recording has the event and the names. */
static void fill_recorded(struct inflight_row *row, const struct snapshot_cmd *c, struct session *s)
{
	row->ev = c->recorded->ev;
	row->ev.kind = EVENT_SUBMIT;
	row->ev.ts_ns = c->now_ns;
	row->view = c->recorded->view;
	row->view.ev = &row->ev;
	row->view.wall_ns = session_wall_ns(s, c->now_ns);
	row->queue = *row->view.queue;
}

static void fill_view(struct inflight_row *row, const struct snapshot_cmd *c, struct session *s)
{
	const struct view_source source = session_view_source(s, NEED_CGROUP | NEED_FILE);
	struct view_queue queue = { .info = &row->queue,
				    .ctrl = row->names.ctrl,
				    .dev = row->names.dev };

	row->queue = (struct queue_info){ .ctrl_id = c->ctrl->ctrl->ctrl_id,
					  .admin = !c->rq.disk[0],
					  .lba_bytes = c->rq.lba_bytes };
	memcpy(row->queue.disk, c->rq.disk, sizeof(row->queue.disk));
	names_of(&row->names, &row->queue);
	queue.path = row->names.path[0] ? row->names.path : NULL;
	session_file_learn(s, &c->rq.file, c->rq.pid);
	view_make(&row->view, &row->ev, &queue, &source);
}

/* Marks members as unknown that a row of trace always has, and a snapshot may lack. */
static void fill_unknown(struct inflight_row *row, const struct snapshot_cmd *c, bool own_sqe)
{
	struct trace_row *t = &row->t;

	if (!own_sqe)
		t->cid = UNKNOWN32;
	if (!t->command)
		t->nsid = c->ns ? c->ns->nsid : UNKNOWN64;
	if (!c->rq.disk[0] && t->nsid == 0)
		t->nsid = UNKNOWN64;
	if (!c->rq.pid) {
		t->pid = UNKNOWN32;
		t->comm = NULL;
		t->worker = UNKNOWN8;
	} else {
		t->pid = c->rq.pid;
		t->comm = row->ev.comm;
	}
	trace_row_fill_file(t, &row->view);
	t->cgroup_id = c->rq.cgroup_id ? c->rq.cgroup_id : UNKNOWN64;
	t->cgroup = row->view.cgroup;
}

void inflight_row_fill(struct inflight_row *row, const struct snapshot_cmd *c, struct session *s)
{
	static const char *const sources[] = {
		[AGE_TRACE] = "trace",
		[AGE_START] = "start",
		[AGE_DEADLINE] = "deadline",
	};

	if (c->recorded) {
		fill_recorded(row, c, s);
	} else {
		fill_event(row, c);
		fill_view(row, c, s);
	}
	trace_row_fill(&row->t, &row->view, TRACE_SUBMIT, 0);
	if (!c->recorded)
		fill_unknown(row, c, c->rq.has_sqe && session_features(s)->sqe_in_request);
	row->age_ns = c->age_ns;
	row->timeout_ns = c->timeout_ns;
	row->left_ns = c->timeout_ns ? c->left_ns : -1;
	row->expiries = c->expiries;
	row->state = c->ctrl->ctrl->state[0] ? c->ctrl->ctrl->state : NULL;
	row->age_source = c->age_ns == UINT64_MAX ? NULL : sources[c->age_source];
	row->rq_state = c->recorded ? NULL : "in_flight";
}

static void seconds(s64 ns, char *buf, size_t size)
{
	char *p = buf;

	if (size <= FMT_FIXED_MAX)
		return;
	if (ns < 0)
		*p++ = '-';
	*fmt_fixed(p, (u64)(ns < 0 ? -ns : ns), NSEC, 3) = '\0';
}

static void text_age(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct inflight_row *row = p;

	(void)o;
	if (row->age_ns != UNKNOWN64)
		seconds((s64)row->age_ns, buf, size);
}

static void text_left(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct inflight_row *row = p;

	(void)o;
	if (row->timeout_ns)
		seconds(row->left_ns, buf, size);
}

static bool is_overdue(const void *p)
{
	const struct inflight_row *row = p;

	return row->timeout_ns && row->left_ns < 0;
}

/* clang-format off */
#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct inflight_row, m, #m, __VA_ARGS__)
static const struct field inflight_fields[] = {
	TRACE_WHEN,
	ROW(STR, state, .width = -9, .flags = FIELD_HIDDEN, .least = 9, .rank = 70, .help = "state of the controller: live, resetting, connecting, deleting, dead"),
	TRACE_COMMAND,
	ROW(U64, age_ns, .head = "AGE(s)", .width = 7, .flags = FIELD_NULL_ONES, .text = text_age, .rank = 1,
	    .help = "how long the command has been in flight; null: since before the recording began"),
	ROW(STR, age_source, .width = -8, .flags = FIELD_HIDDEN, .rank = 74,
	    .help = "start: since the request was made; deadline: since its timer was started, which is less once it has expired; trace: since it was submitted, as a recording or with INTERVAL"),
	ROW(S64, left_ns, .head = "LEFT(s)", .width = 7, .flags = FIELD_NULL_ONES, .text = text_left, .bad = is_overdue, .rank = 10,
	    .help = "time left until the timeout; negative: overdue"),
	ROW(U64, timeout_ns, .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO, .help = "timeout of the command"),
	ROW(U32, expiries, .head = "EXP", .width = 3, .flags = FIELD_NULL_ONES, .rank = 60,
	    .help = "how often the timeout has expired, at the least; waiting for a reset looks the same"),
	ROW(STR, rq_state, .flags = FIELD_NO_TEXT, .help = "state of the request: in_flight, the driver has it"),
	TRACE_ROW(U64, cgroup_id, .flags = TRACE_NOT_TEXT, .help = "ID of the cgroup (v2): the process's, else the one that the kernel charges"),
	TRACE_ROW(STR, cgroup, .width = -8, .least = 8, .rank = 52, .text = trace_row_text_cgroup,
		  .help = "path of the cgroup; text names a container or unit"),
	TRACE_ROW(U32, pid, .width = 5, .flags = FIELD_NULL_ONES, .rank = 25, .help = "process that submitted, where the kernel's own objects prove it, or with INTERVAL"),
	TRACE_ROW(BOOL, worker, .flags = TRACE_NOT_TEXT,
		  .help = "true: a kernel worker is named, because the submitter is not known"),
	TRACE_FILE,
	TRACE_ROW(STR, comm, .flags = FIELD_LAST, .rank = 28, .help = "name of the process"),
	FIELD_DONE,
};

#define SUM(type, m, ...) FIELD_OF(FIELD_##type, struct inflight_sum, m, #m, __VA_ARGS__)
static const struct field sum_fields[] = {
	{ .type = FIELD_TIME, .at = offsetof(struct inflight_sum, wall_ns), .name = "ts", .flags = FIELD_NO_TEXT,
	  .help = "wall-clock time of the snapshot" },
	FIELD_TIME_NS(struct inflight_sum, wall_ns),
	SUM(U64, mono_ns, .flags = FIELD_NO_TEXT, .help = "the same time by CLOCK_MONOTONIC"),
	SUM(S32, ctrl_id, .flags = FIELD_NULL_ONES, .help = "controller, the N of /dev/nvmeN; null: there is none"),
	SUM(STR, ctrl, .help = "controller by name"),
	SUM(STR, state, .help = "its state: live, resetting, connecting, deleting, dead"),
	SUM(U64, inflight, .flags = FIELD_NULL_ONES, .help = "matching commands in flight; null: hidden here"),
	SUM(U64, oldest_ns, .flags = FIELD_NULL_ONES, .help = "age of the oldest; null: there are none"),
	SUM(U64, overdue, .flags = FIELD_NULL_ONES, .help = "those whose timeout has passed"),
	SUM(U64, host_inflight, .flags = FIELD_NULL_ONES, .help = "reads and writes in flight as sysfs counts them, selected or not"),
	SUM(U64, torn, .help = "commands that could not be read, because they changed all the time"),
	SUM(BOOL, complete, .help = "torn is 0; of a recording: nothing is missing in it"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema inflight_schema = { "inflight", inflight_fields, "a command in flight" };
const struct schema inflight_sum_schema = { "summary", sum_fields,
					    "a controller, at the end of a snapshot" };
