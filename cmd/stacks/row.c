// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, figures and columns of the records of stacks. */
#include "cmd/stacks/row.h"

#include "cmd/latency/row.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/session/session.h"

#define FRAME_MAX 1024 /* a frame with its module */

static void emit_frames(struct json *j, const char *key, const char *text)
{
	char frame[FRAME_MAX];
	size_t len;

	json_array(j, key);
	for (; *text; text += len + (text[len] == ';')) {
		len = strcspn(text, ";");
		snprintf(frame, sizeof(frame), "%.*s", (int)len, text);
		json_str(j, NULL, frame);
	}
	json_end(j);
}

static void emit_kstack(struct json *j, const void *row)
{
	emit_frames(j, "kstack", ((const struct stacks_row *)row)->kstack);
}

static void emit_ustack(struct json *j, const void *row)
{
	emit_frames(j, "ustack", ((const struct stacks_row *)row)->ustack);
}

static void emit_hist(struct json *j, const void *row)
{
	hist_emit(j, &((const struct stacks_row *)row)->hist);
}

static void emit_admin(struct json *j, const void *p)
{
	const struct stacks_row *row = p;

	if (row->admin == STACKS_NO_NUMBER)
		json_null(j, "admin");
	else
		json_bool(j, "admin", row->admin);
}

static void csv_admin(const void *p, char *buf, size_t size)
{
	const struct stacks_row *row = p;

	if (row->admin != STACKS_NO_NUMBER)
		snprintf(buf, size, "%s", row->admin ? "true" : "false");
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct stacks_row, m, #m, __VA_ARGS__)
#define KEY_NUMBER	  (FIELD_ABSENT | FIELD_NULL_ONES)
#define FIGURE		  FIELD_NULL_ONES
/* clang-format off */
static const struct field stacks_fields[] = {
	FIELD_OF(FIELD_TIME, struct stacks_row, wall_ns, "ts", .help = "end of the interval"),
	FIELD_TIME_NS(struct stacks_row, wall_ns),
	ROW(U64, interval_ns, .help = "length of the interval"),
	ROW(U64, seq, .help = "number of the interval, from 0"),
	ROW(STR, host, .flags = FIELD_ABSENT, .help = "host of the recording"),
	ROW(S64, ctrl_id, .flags = KEY_NUMBER, .help = "controller, the 3 of nvme3"),
	ROW(STR, ctrl, .flags = FIELD_ABSENT, .help = "controller, nvme3"),
	ROW(STR, dev, .flags = FIELD_ABSENT, .help = "namespace or, for admin commands, controller"),
	ROW(STR, op, .flags = FIELD_ABSENT, .help = "name of the opcode"),
	ROW(S64, opcode, .flags = KEY_NUMBER, .help = "opcode as a number"),
	ROW(CALL, admin, .flags = KEY_NUMBER, .emit = emit_admin, .json = JSON_BOOL, .csv = csv_admin,
	    .help = "true for admin commands"),
	ROW(S64, pid, .flags = KEY_NUMBER, .help = "process that submitted"),
	ROW(STR, comm, .flags = FIELD_ABSENT, .help = "name of the process"),
	ROW(S64, cgroup_id, .flags = KEY_NUMBER, .help = "ID of its cgroup (v2)"),
	ROW(STR, cgroup, .flags = FIELD_ABSENT, .help = "path of its cgroup"),
	ROW(BOOL, worker, .help = "true: a kernel worker is named, because the submitter is not known"),
	ROW(BOOL, lost, .help = "true: the commands that found no row, whose keys are not known"),
	ROW(U64, count, .help = "commands, or calls of the functions of --probe"),
	ROW(U64, errors, .flags = FIGURE, .help = "commands that failed"),
	ROW(U64, bytes, .flags = FIGURE, .help = "bytes of data transferred"),
	ROW(U64, lat_ns, .flags = FIGURE, .help = "sum of latencies"),
	ROW(U64, weight, .help = "value that --weight names: count, bytes or lat_ns"),
	ROW(CALL, kstack, .flags = FIELD_ABSENT, .emit = emit_kstack, .json = JSON_STRINGS,
	    .help = "kernel stack, innermost frame first; CSV: joined by ;"),
	ROW(CALL, ustack, .flags = FIELD_ABSENT, .emit = emit_ustack, .json = JSON_STRINGS,
	    .help = "user stack, innermost frame first; CSV: joined by ;"),
	ROW(CALL, hist, .flags = FIELD_ABSENT, .emit = emit_hist, .json = JSON_OBJECT, .members = hist_members,
	    .help = "with --hist: buckets [lo, hi, count] that are not empty; hi is null past the range"),
	FIELD_DONE
};
/* clang-format on */
_Static_assert(ARRAY_SIZE(stacks_fields) <= STACKS_FIELDS_MAX, "no room for the fields of a run");

const struct schema stacks_schema = {
	.type = "stack",
	.fields = stacks_fields,
	.help = "one for each stack and combination of keys, each interval",
};

/* Fields that belong to a key. */
static const struct {
	u8 by; /* enum stacks_by */
	const char *field;
} key_fields[] = {
	{ STACKS_BY_HOST, "host" },	{ STACKS_BY_CTRL, "ctrl_id" },
	{ STACKS_BY_CTRL, "ctrl" },	{ STACKS_BY_DEV, "dev" },
	{ STACKS_BY_OPCODE, "op" },	{ STACKS_BY_OPCODE, "opcode" },
	{ STACKS_BY_OPCODE, "admin" },	{ STACKS_BY_PID, "pid" },
	{ STACKS_BY_COMM, "comm" },	{ STACKS_BY_CGROUP, "cgroup_id" },
	{ STACKS_BY_CGROUP, "cgroup" },
};

void stacks_columns(struct stacks_view *view, struct out *o)
{
	struct field *f;

	memcpy(view->fields, stacks_fields, sizeof(stacks_fields));
	/* The text is what CSV wants, of any length. */
	for (f = view->fields; f->type && out_opts(o)->format == OUT_CSV; f++) {
		if (f->emit == emit_kstack || f->emit == emit_ustack)
			f->type = FIELD_STR;
	}
	out_fields(o, &stacks_schema, view->fields);
	for (u32 i = 0; i < ARRAY_SIZE(key_fields); i++)
		out_show(o, key_fields[i].field, stacks_has(view->cfg, key_fields[i].by));
	out_show(o, "kstack", view->cfg->flags & STACKS_KERNEL);
	out_show(o, "ustack", view->cfg->flags & STACKS_USER);
	out_show(o, "hist", view->cfg->flags & STACKS_HIST);
}

static void fill_device_keys(struct stacks_row *row, const struct stacks_view *view,
			     const struct stacks_key *key)
{
	enum nvme_set set = nvme_set_of(!key->admin, key->opcode);

	row->ctrl_id = key->ctrl_id; /* -1, unknown, is null as well */
	if (key->ctrl_id >= 0) {
		row->ctrl = session_ctrl_name(view->s, key->ctrl_id, key->queue, row->ctrl_text);
	}
	if (stacks_has(view->cfg, STACKS_BY_HOST))
		row->host = session_host_name(view->s, key->queue);
	if (stacks_has(view->cfg, STACKS_BY_DEV))
		row->dev = session_dev_name(view->s, key->queue);
	row->op = nvme_opcode_format(row->op_text, sizeof(row->op_text), set,
				     set == NVME_SET_FABRICS ? key->fctype : key->opcode);
	row->opcode = key->opcode;
	row->admin = key->admin;
}

static void fill_task_keys(struct stacks_row *row, const struct stacks_view *view,
			   const struct stacks_key *key)
{
	row->pid = key->pid;
	memcpy(row->comm_text, key->comm, WIRE_COMM);
	row->comm = row->comm_text;
	row->cgroup_id = key->cgroup_id ? (s64)key->cgroup_id : STACKS_NO_NUMBER;
	if (stacks_has(view->cfg, STACKS_BY_CGROUP))
		row->cgroup = session_cgroup_path(view->s, key->cgroup_id);
	row->worker = key->worker;
}

static void fill_figures(struct stacks_row *row, const struct stacks_view *view,
			 const struct stacks_sum *from)
{
	row->count = from->sum.count;
	row->weight = stacks_weigh(from, view->weight);
	row->errors = row->bytes = row->lat_ns = ~0ULL;
	if (view->functions)
		return;
	if (!session_no_status(view->s))
		row->errors = from->sum.errors;
	row->bytes = from->sum.bytes;
	row->lat_ns = from->sum.sum_ns;
	row->hist = (struct hist){
		.cfg = &view->cfg->hist,
		.buckets = from->buckets,
		.count = row->count,
		.max_ns = ~0ULL,
	};
}

static void fill_stacks(struct stacks_row *row, const struct stacks_view *view,
			const struct stacks_key *key)
{
	s32 kernel = row->lost ? STACKS_TEXT_LOST : key->kstack_id;
	s32 user = row->lost ? STACKS_TEXT_LOST : key->ustack_id;

	if (view->cfg->flags & STACKS_KERNEL)
		row->kstack = stacks_texts_at(view->texts, kernel);
	if (view->cfg->flags & STACKS_USER)
		row->ustack = stacks_texts_at(view->texts, user);
}

void stacks_row_fill(struct stacks_row *row, const struct stacks_view *view,
		     const struct stacks_sum *from)
{
	memset(row, 0, sizeof(*row));
	row->wall_ns = view->wall_ns;
	row->interval_ns = view->end_ns - view->start_ns;
	row->seq = view->seq;
	row->lost = from->lost;
	fill_figures(row, view, from);
	fill_stacks(row, view, &from->key);
	row->ctrl_id = row->opcode = row->admin = row->pid = row->cgroup_id = STACKS_NO_NUMBER;
	if (from->lost)
		return;
	fill_device_keys(row, view, &from->key);
	fill_task_keys(row, view, &from->key);
}

static u64 row_percentile(const void *ctx, u32 millionths)
{
	return hist_percentile(ctx, millionths);
}

/* Its keys in the terms of latency's rows. */
static void row_name(const struct stacks_view *view, const struct stacks_row *row, char *buf,
		     size_t size)
{
	static const u8 keys[][2] = {
		{ STACKS_BY_CTRL, LATENCY_BY_CTRL },	 { STACKS_BY_DEV, LATENCY_BY_DEV },
		{ STACKS_BY_PID, LATENCY_BY_PID },	 { STACKS_BY_COMM, LATENCY_BY_COMM },
		{ STACKS_BY_CGROUP, LATENCY_BY_CGROUP },
	};
	const struct latency_row like = {
		.ctrl = row->ctrl,
		.dev = row->dev,
		.pid = row->pid,
		.comm = row->comm,
		.cgroup = row->cgroup,
		.other = row->lost,
	};
	u32 by = 0;

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		by |= stacks_has(view->cfg, keys[i][0]) ? 1U << keys[i][1] : 0;
	latency_row_name(&like, by, buf, size);
}

void stacks_check_row(const struct stacks_view *view, const struct stacks_row *row)
{
	struct expr_row values = { .lost = counters_lost(session_counters(view->s)),
				   .duration_ns = view->end_ns - view->start_ns,
				   .wall_ns = view->wall_ns };
	char name[EXPR_ROW_NAME];

	if (row) {
		row_name(view, row, name, sizeof(name));
		values.name = name;
		values.op = stacks_has(view->cfg, STACKS_BY_OPCODE) ? row->op : NULL;
		values.count = row->count;
		values.errors = view->functions ? 0 : row->errors;
		values.bytes = view->functions ? 0 : row->bytes;
		values.avg_ns = (double)row->lat_ns / (double)row->count;
		values.percentile = row_percentile; /* not asked for without --hist */
		values.ctx = &row->hist;
	}
	session_check(view->s, &values);
}
