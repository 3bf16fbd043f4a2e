// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, figures and columns of latency records. */
#include "cmd/latency/row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/session.h"

static void emit_pct(struct json *j, const void *p)
{
	const struct latency_row *row = p;
	char key[24];
	u32 i;

	json_object(j, "pct_ns");
	for (i = 0; i < row->n_pct; i++) {
		snprintf(key, sizeof(key), "p%.*s", (int)row->pct[i].word_len, row->pct[i].word);
		json_u64(j, key, row->pct_ns[i]);
	}
	json_end(j);
}

static void emit_hist(struct json *j, const void *p)
{
	hist_emit(j, &((const struct latency_row *)p)->hist);
}

static void emit_flags(struct json *j, const void *p)
{
	const struct latency_row *row = p;
	u32 i;

	json_array(j, "flags");
	for (i = 0; i < REQ_FLAG_MAX; i++) {
		if (row->flags >> i & 1)
			json_str(j, NULL, reqflags_name(i));
	}
	json_end(j);
}

void latency_flags_text(const struct latency_row *row, const char *sep, char *buf, size_t size)
{
	size_t n = 0;
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < REQ_FLAG_MAX && n < size; i++) {
		if (row->flags >> i & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? sep : "",
					      reqflags_name(i));
	}
}

static void csv_flags(const void *row, char *buf, size_t size)
{
	latency_flags_text(row, "|", buf, size);
}

static void text_flags(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	latency_flags_text(row, "|", buf, size);
	if (!buf[0])
		snprintf(buf, size, "-");
}

static void emit_admin(struct json *j, const void *p)
{
	const struct latency_row *row = p;

	if (row->admin == LATENCY_NO_NUMBER)
		json_null(j, "admin");
	else
		json_bool(j, "admin", row->admin);
}

static void csv_admin(const void *p, char *buf, size_t size)
{
	const struct latency_row *row = p;

	if (row->admin != LATENCY_NO_NUMBER)
		snprintf(buf, size, "%s", row->admin ? "true" : "false");
}

/*
 * By name, and with the bits beside the code, by which rows differ: "Unrecovered Read Error DNR".
 */
void latency_status_text(const struct latency_row *row, char *buf, size_t size)
{
	static const char *const delays[] = { "", " CRD1", " CRD2", " CRD3" };
	u16 status = (u16)row->status;

	if (row->status == LATENCY_NO_NUMBER)
		snprintf(buf, size, "%s", row->other ? "(other)" : "-");
	else if (!status)
		snprintf(buf, size, "ok");
	else
		snprintf(buf, size, "%s%s%s%s", row->status_name ? row->status_name : row->sct_sc,
			 nvme_dnr(status) ? " DNR" : "", nvme_more(status) ? " MORE" : "",
			 delays[nvme_crd(status) & 3]);
}

static void text_status(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	latency_status_text(row, buf, size);
}

static bool is_error(const void *row)
{
	return ((const struct latency_row *)row)->status > 0;
}

bool latency_has_errors(const void *p)
{
	const struct latency_row *row = p;

	return row->errors && row->errors != ~0ULL;
}

/* A rate in few digits: 3.5, 812, 120345. */
static void rate_text(double rate, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	if (__builtin_isfinite(rate))
		snprintf(buf, size, "%s", fmt_number(text, rate, rate < 100 ? 1 : 0));
}

static void text_iops(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	rate_text(((const struct latency_row *)row)->iops, buf, size);
}

static void text_megabytes(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	rate_text(((const struct latency_row *)row)->bytes_per_s / 1e6, buf, size);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct latency_row, m, #m, __VA_ARGS__)
#define KEY_NUMBER	  (FIELD_ABSENT | FIELD_NULL_ONES)
/* clang-format off */
static const struct field latency_fields[] = {
	FIELD_OF(FIELD_TIME, struct latency_row, wall_ns, "ts", .head = "TIME", .width = 15,
		 .flags = FIELD_HIDDEN, .help = "end of the interval"),
	FIELD_TIME_NS(struct latency_row, wall_ns),
	ROW(U64, interval_ns, .flags = FIELD_NO_TEXT, .help = "length of the interval"),
	ROW(U64, seq, .flags = FIELD_NO_TEXT, .help = "number of the interval, from 0"),
	ROW(STR, host, .width = -8, .flags = FIELD_ABSENT, .help = "host of the recording"),
	ROW(S64, ctrl_id, .flags = KEY_NUMBER | FIELD_NO_TEXT, .help = "controller, the 3 of nvme3"),
	ROW(STR, ctrl, .width = -5, .flags = FIELD_ABSENT, .help = "controller, nvme3"),
	ROW(S64, nsid, .width = 4, .flags = KEY_NUMBER, .help = "namespace ID; none for fabrics commands"),
	ROW(STR, dev, .width = -7, .flags = FIELD_ABSENT, .help = "namespace or, for admin commands, controller"),
	ROW(S64, qid, .width = 3, .flags = KEY_NUMBER, .help = "queue; 0 is the admin queue"),
	ROW(S64, cpu, .width = 3, .flags = KEY_NUMBER, .help = "CPU that submitted"),
	ROW(STR, op, .width = -5, .flags = FIELD_ABSENT, .help = "name of the opcode"),
	ROW(S64, opcode, .flags = KEY_NUMBER | FIELD_NO_TEXT, .help = "opcode as a number"),
	ROW(CALL, admin, .flags = KEY_NUMBER, .emit = emit_admin, .json = JSON_BOOL, .csv = csv_admin,
	    .help = "true for admin commands"),
	ROW(STR, size, .width = -6, .flags = FIELD_ABSENT, .help = "size class"),
	ROW(CALL, flags, .width = -12, .flags = FIELD_ABSENT, .emit = emit_flags, .json = JSON_STRINGS, .csv = csv_flags,
	    .text = text_flags, .help = "flags of the block request"),
	ROW(S64, pid, .width = 7, .flags = KEY_NUMBER, .help = "process that submitted"),
	ROW(STR, comm, .width = -15, .flags = FIELD_ABSENT, .help = "name of the process"),
	ROW(S64, cgroup_id, .flags = KEY_NUMBER | FIELD_NO_TEXT, .help = "ID of its cgroup (v2)"),
	ROW(STR, cgroup, .width = -16, .flags = FIELD_ABSENT, .help = "path of its cgroup"),
	ROW(S64, status, .width = -6, .flags = KEY_NUMBER, .text = text_status, .bad = is_error,
	    .help = "the 15 bits of the status; in text its name"),
	ROW(STR, sct_sc, .flags = FIELD_ABSENT | FIELD_NO_TEXT, .help = "status code type and status code in hexadecimal: 2/81"),
	ROW(STR, status_name, .flags = FIELD_ABSENT | FIELD_NO_TEXT, .help = "name of the status"),
	ROW(STR, phase, .width = -10, .flags = FIELD_ABSENT,
	    .help = "queue, scheduler, device, completion or total"),
	ROW(U64, count, .width = 7, .help = "commands"),
	ROW(U64, errors, .width = 6, .flags = FIELD_HIDDEN | FIELD_NULL_ONES, .help = "commands that failed"),
	ROW(U64, bytes, .width = 12, .flags = FIELD_HIDDEN, .help = "bytes of data transferred"),
	ROW(F64, iops, .width = 6, .text = text_iops, .help = "commands per second"),
	ROW(F64, bytes_per_s, .width = 12, .flags = FIELD_HIDDEN, .help = "bytes transferred per second"),
	{ .type = FIELD_CALL, .name = "mb_per_s", .head = "MB/s", .width = 5, .flags = FIELD_ONLY_TEXT,
	  .text = text_megabytes, .help = "millions of bytes per second" },
	ROW(U64, min_ns, .width = 7, .flags = FIELD_LAT | FIELD_HIDDEN | FIELD_NULL_ONES, .help = "exact minimum"),
	ROW(U64, max_ns, .width = 7, .flags = FIELD_LAT | FIELD_HIDDEN, .help = "exact maximum"),
	ROW(U64, sum_ns, .head = "TOTAL", .width = 10, .flags = FIELD_LAT | FIELD_HIDDEN, .help = "sum of latencies"),
	ROW(U64, mean_ns, .head = "AVG", .width = 7, .flags = FIELD_LAT, .help = "mean, rounded down"),
	FIELD_OF(FIELD_CALL, struct latency_row, pct_ns, "pct_ns", .emit = emit_pct, .json = JSON_COUNTS,
		 .help = "percentiles by name; in CSV and --table a column each, p99_ns"),
	FIELD_OF(FIELD_U64, struct latency_row, max_ns, "max", .head = "MAX", .width = 7,
		 .flags = FIELD_LAT | FIELD_ONLY_TEXT, .help = "exact maximum"),
	FIELD_OF(FIELD_U64, struct latency_row, errors, "err", .head = "ERR", .width = 3,
		 .flags = FIELD_NULL_ONES | FIELD_ONLY_TEXT, .bad = latency_has_errors, .help = "commands that failed"),
	FIELD_OF(FIELD_CALL, struct latency_row, hist, "hist", .emit = emit_hist, .json = JSON_OBJECT, .members = hist_members,
		 .help = "buckets [lo, hi, count] that are not empty; hi is null past the range"),
	FIELD_DONE
};
/* clang-format on */

const struct schema latency_schema = {
	.type = "latency",
	.fields = latency_fields,
	.help = "one for each interval and combination of the keys of --by",
};

/* Fields that belong to a key. */
static const struct {
	u8 by; /* enum latency_by */
	const char *field;
} key_fields[] = {
	{ LATENCY_BY_HOST, "host" },
	{ LATENCY_BY_CTRL, "ctrl_id" },
	{ LATENCY_BY_CTRL, "ctrl" },
	{ LATENCY_BY_NS, "nsid" },
	{ LATENCY_BY_DEV, "dev" },
	{ LATENCY_BY_QID, "qid" },
	{ LATENCY_BY_CPU, "cpu" },
	{ LATENCY_BY_OPCODE, "op" },
	{ LATENCY_BY_OPCODE, "opcode" },
	{ LATENCY_BY_OPCODE, "admin" },
	{ LATENCY_BY_SIZE, "size" },
	{ LATENCY_BY_FLAGS, "flags" },
	{ LATENCY_BY_PID, "pid" },
	{ LATENCY_BY_COMM, "comm" },
	{ LATENCY_BY_CGROUP, "cgroup_id" },
	{ LATENCY_BY_CGROUP, "cgroup" },
	{ LATENCY_BY_STATUS, "status" },
	{ LATENCY_BY_STATUS, "sct_sc" },
	{ LATENCY_BY_STATUS, "status_name" },
};

_Static_assert(ARRAY_SIZE(latency_fields) + HIST_PERCENTILES <=
		       ARRAY_SIZE(((struct latency_view *)0)->fields),
	       "no room for a column per percentile");

void latency_show_keys(struct out *o, u32 by)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(key_fields); i++)
		out_show(o, key_fields[i].field, by >> key_fields[i].by & 1);
}

static void show_columns(const struct latency_view *view, struct out *o, bool extension)
{
	latency_show_keys(o, view->cfg->by);
	out_show(o, "phase", view->cfg->flags & LATENCY_WITH_PHASES);
	out_show(o, "sum_ns", extension);
}

/* The 100th has a column of its own in text, MAX. */
static unsigned int percentile_flags(const struct percentile *pct)
{
	if (pct->millionths == 100 * HIST_PERCENT)
		return FIELD_NO_TEXT;
	return pct->millionths == 99 * HIST_PERCENT ? FIELD_BOLD : 0;
}

void latency_columns(struct latency_view *view, struct out *o, bool extension)
{
	const struct percentile *pct = view->pct;
	const struct field *from;
	struct field *to = view->fields;
	u32 i;

	for (from = latency_fields; from->type; from++) {
		*to++ = *from;
		for (i = 0; streq(from->name, "mean_ns") && i < view->n_pct; i++) {
			snprintf(view->names[i], sizeof(view->names[i]), "p%.*s_ns",
				 (int)pct[i].word_len, pct[i].word);
			snprintf(view->heads[i], sizeof(view->heads[i]), "P%.*s",
				 (int)pct[i].word_len, pct[i].word);
			*to++ = (struct field){
				.name = view->names[i],
				.type = FIELD_U64,
				.at = (u32)(offsetof(struct latency_row, pct_ns) + i * sizeof(u64)),
				.head = view->heads[i],
				.width = 7,
				.flags = FIELD_LAT | FIELD_NO_JSON | percentile_flags(&pct[i]),
			};
		}
	}
	*to = *from;
	out_fields(o, &latency_schema, view->fields);
	show_columns(view, o, extension);
}

void latency_size_text(const struct latency_cfg *cfg, u32 class, char *buf, size_t size)
{
	char edge[UNITS_TEXT];
	bool last = class >= cfg->n_sizes;

	units_size_text(cfg->size_edge[last ? cfg->n_sizes - 1 : class], edge);
	snprintf(buf, size, "%s%s", last ? ">" : "<=", edge);
}

static void fill_other(struct latency_row *row)
{
	static const char other[] = "(other)";

	row->other = true;
	row->ctrl_id = row->nsid = row->qid = row->cpu = row->opcode = row->admin =
		LATENCY_NO_NUMBER;
	row->pid = row->cgroup_id = row->status = LATENCY_NO_NUMBER;
	row->host = row->ctrl = row->dev = row->op = row->size = row->comm = row->cgroup = other;
	row->sct_sc = row->status_name = row->phase = other;
}

static const char *phase_name(u8 phase)
{
	static const char *const names[LATENCY_PHASES] = { NULL,     "queue",	   "scheduler",
							   "device", "completion", "total" };

	return phase < LATENCY_PHASES ? names[phase] : NULL;
}

static void fill_device_keys(struct latency_row *row, const struct latency_view *view,
			     const struct latency_key *key)
{
	row->ctrl_id = key->ctrl_id; /* -1, unknown, is null as well */
	row->nsid = key->fabrics ? LATENCY_NO_NUMBER : (s64)key->nsid;
	row->qid = key->qid;
	row->cpu = key->cpu;
	if (key->ctrl_id >= 0) {
		row->ctrl = session_ctrl_name(view->s, key->ctrl_id, key->queue, row->ctrl_text);
	}
	if (latency_has(view->cfg, LATENCY_BY_HOST))
		row->host = session_host_name(view->s, key->queue);
	if (latency_has(view->cfg, LATENCY_BY_DEV))
		row->dev = session_dev_name(view->s, key->queue);
}

static void fill_command_keys(struct latency_row *row, const struct latency_view *view,
			      const struct latency_key *key)
{
	u8 opcode = key->fabrics ? NVME_OPCODE_FABRICS : key->opcode; /* which --by may not name */
	enum nvme_set set = nvme_set_of(!key->admin, opcode);
	u8 code = set == NVME_SET_FABRICS ? key->fctype : key->opcode;

	row->op = nvme_opcode_format(row->op_text, sizeof(row->op_text), set, code);
	row->opcode = key->opcode;
	row->admin = key->admin;
	row->flags = key->cmd_flags;
	row->status = key->status == WIRE_UNKNOWN_STATUS ? LATENCY_NO_NUMBER : key->status;
	if (row->status >= 0)
		row->sct_sc = nvme_sct_sc(row->sct_sc_text, key->status);
	row->status_name = row->status < 0 ? NULL : nvme_status_name(key->status, set);
	row->phase = phase_name(key->phase);
	if (latency_has(view->cfg, LATENCY_BY_SIZE)) {
		latency_size_text(view->cfg, key->size_class, row->size_text,
				  sizeof(row->size_text));
		row->size = row->size_text;
	}
}

static void fill_task_keys(struct latency_row *row, const struct latency_view *view,
			   const struct latency_key *key)
{
	row->pid = key->pid;
	memcpy(row->comm_text, key->comm, WIRE_COMM);
	row->comm_text[WIRE_COMM] = '\0';
	row->comm = row->comm_text;
	row->cgroup_id = key->cgroup_id ? (s64)key->cgroup_id : LATENCY_NO_NUMBER;
	if (latency_has(view->cfg, LATENCY_BY_CGROUP))
		row->cgroup = session_cgroup_path(view->s, key->cgroup_id);
}

static void fill_figures(struct latency_row *row, const struct latency_view *view,
			 const struct agg_row *from)
{
	u32 i;

	row->count = from->count;
	row->errors = session_no_status(view->s) ? ~0ULL : from->sum.errors;
	row->bytes = from->sum.bytes;
	row->min_ns = ~from->sum.max_inv_ns;
	row->max_ns = from->sum.max_ns;
	row->sum_ns = from->sum.sum_ns;
	row->mean_ns = row->count ? row->sum_ns / row->count : 0;
	row->iops = (double)row->count * 1e9 / (double)row->interval_ns;
	row->bytes_per_s = (double)row->bytes * 1e9 / (double)row->interval_ns;
	row->hist = (struct hist){ .cfg = &view->cfg->hist,
				   .buckets = from->buckets,
				   .count = row->count,
				   .min_ns = row->min_ns,
				   .max_ns = row->max_ns };
	row->pct = view->pct;
	row->n_pct = view->n_pct;
	for (i = 0; i < view->n_pct; i++)
		row->pct_ns[i] = hist_percentile(&row->hist, view->pct[i].millionths);
}

void latency_row_keys(struct latency_row *row, const struct latency_view *view,
		      const struct latency_key *key)
{
	memset(row, 0, sizeof(*row));
	row->wall_ns = view->wall_ns;
	row->interval_ns = view->end_ns - view->start_ns;
	row->seq = view->seq;
	if (!key) {
		fill_other(row);
		return;
	}
	fill_device_keys(row, view, key);
	fill_command_keys(row, view, key);
	fill_task_keys(row, view, key);
}

void latency_row_fill(struct latency_row *row, const struct latency_view *view,
		      const struct agg_row *from)
{
	latency_row_keys(row, view, from->other ? NULL : &from->key);
	fill_figures(row, view, from);
}

static const char *number_text(char *buf, s64 value)
{
	*fmt_s64(buf, value) = '\0';
	return value == LATENCY_NO_NUMBER ? "-" : buf;
}

void latency_row_name(const struct latency_row *row, u32 by, char *buf, size_t size)
{
	char flags[128], number[5][FMT_U64_MAX + 2];
	const struct {
		u8 by; /* enum latency_by */
		const char *label, *text;
	} keys[] = {
		{ LATENCY_BY_HOST, "", row->host },
		{ LATENCY_BY_CTRL, "", row->ctrl },
		{ LATENCY_BY_DEV, "", row->dev },
		{ LATENCY_BY_NS, "nsid=", number_text(number[0], row->nsid) },
		{ LATENCY_BY_QID, "qid=", number_text(number[1], row->qid) },
		{ LATENCY_BY_CPU, "cpu=", number_text(number[2], row->cpu) },
		{ LATENCY_BY_SIZE, "size=", row->size },
		{ LATENCY_BY_FLAGS, "flags=", flags },
		{ LATENCY_BY_PID, "pid=", number_text(number[3], row->pid) },
		{ LATENCY_BY_COMM, "comm=", row->comm },
		{ LATENCY_BY_CGROUP, "cgroup=", row->cgroup },
		{ LATENCY_BY_STATUS, "status=", row->sct_sc },
	};
	size_t n = 0;

	latency_flags_text(row, "|", flags, sizeof(flags));
	snprintf(buf, size, "%s", row->other ? "(other)" : "");
	for (u32 i = 0; !row->other && i < ARRAY_SIZE(keys) && n < size; i++)
		if (by >> keys[i].by & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%s%s", n ? " " : "",
					      keys[i].label, keys[i].text ? keys[i].text : "-");
	if (row->phase && !row->other && n < size)
		snprintf(buf + n, size - n, "%sphase=%s", n ? " " : "", row->phase);
}
