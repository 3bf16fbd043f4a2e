// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums errors up by key, in the order in which they come. */
#include "cmd/errors/tally.h"

#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/group/group.h"
#include "lib/group/table.h"
#include "lib/host/names.h"
#include "lib/session/session.h"

#define ROWS	  4095 /* and "(other)" */
#define UNKNOWN32 0xffffffffU
#define NO_SET	  0xff /* the command set of a completion without its submission */

/*
 * The key: errors with equal keys are one row. It is compared as bytes, so it has no padding. In
 * `by` are ctrl_id, nsid (--dedup), and key_status().
 */
struct error_key {
	struct group_key by;
	u64 slba; /* --dedup */
	u32 major, minor;
	const char *blk_sts; /* the same pointer for the same status */
	const char *host; /* the same pointer for the same host, see view.host */
	u32 aen; /* dword 0 of an asynchronous event */
	u8 type, set, code;
	u8 pad;
};
_Static_assert(sizeof(struct error_key) == sizeof(struct group_key) + 40,
	       "struct error_key has holes");

/* A row of lib/group/table.h; the members behind `count` are of the first error of this key. */
struct tally_entry {
	struct error_key key;
	u64 count;
	char ctrl[SESSION_CTRL_NAME], dev[SESSION_CTRL_NAME], path[SYSFS_NAME];
	struct queue_info queue;
	struct event ev;
	const char *blk_errno;
	u64 wall_ns;
	u32 flags, errno_nr;
};

struct errors_tally {
	bool dedup;
	struct group_table *table;
};

struct errors_tally *errors_tally_new(bool dedup)
{
	struct errors_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->dedup = dedup;
	t->table = group_table_open(sizeof(struct error_key), sizeof(struct tally_entry), ROWS);
	if (t->table)
		return t;
	free(t);
	return NULL;
}

void errors_tally_free(struct errors_tally *t)
{
	if (t)
		group_table_close(t->table);
	free(t);
}

/* Begins a key with the controller and, in --dedup, the namespace. */
static void key_of_queue(struct error_key *key, const struct errors_tally *t,
			 const struct queue_info *queue)
{
	memset(key, 0, sizeof(*key));
	key->by.ctrl_id = queue->ctrl_id;
	if (!t->dedup)
		return;
	key->major = queue->major;
	key->minor = queue->minor;
}

static void set_names(struct tally_entry *entry, const char *ctrl, const char *dev,
		      const char *path)
{
	snprintf(entry->ctrl, sizeof(entry->ctrl), "%s", ctrl);
	snprintf(entry->dev, sizeof(entry->dev), "%s", dev);
	snprintf(entry->path, sizeof(entry->path), "%s", path ? path : "");
}

bool errors_tally_add(struct errors_tally *t, const struct errors_row *row)
{
	const struct view *v = row->io.view;
	struct tally_entry *entry;
	struct error_key key;

	key_of_queue(&key, t, v->queue);
	key.host = v->host;
	key.type = (u8)row->type;
	key.blk_sts = row->blk_sts;
	key.set = NO_SET;
	if (row->io.command) {
		key.set = row->io.cmd.set;
		key.code = nvme_cmd_code(&row->io.cmd);
	}
	if (row->io.status != UNKNOWN32)
		key.by.status = key_status((u16)row->io.status);
	if (row->type == ERRORS_AER)
		key.aen = (u32)row->io.result;
	if (t->dedup) {
		key.by.nsid = (u32)row->io.nsid;
		key.slba = row->io.slba;
		key.blk_sts = NULL; /* known of the last attempt only */
	}
	entry = group_table_row(t->table, &key);
	if (!entry->count++) {
		set_names(entry, v->ctrl, v->dev, v->path);
		entry->queue = *v->queue;
		entry->ev = *v->ev;
		entry->wall_ns = v->wall_ns;
		entry->flags = v->flags;
	}
	if (row->blk_sts && entry->ev.outcome != OUTCOME_BLOCK) {
		entry->ev.outcome = OUTCOME_BLOCK;
		entry->ev.block_error = v->ev->block_error;
	}
	entry->errno_nr = row->errno_nr;
	entry->blk_errno = row->blk_errno;
	return !entry->key.by.other;
}

bool errors_tally_successes(struct errors_tally *t, const struct queue_info *queue,
			    const struct view *v, const struct nvme_cmd_view *cmd, u64 n)
{
	struct names names;
	struct tally_entry *entry;
	struct error_key key;

	key_of_queue(&key, t, queue);
	key.host = v ? v->host : NULL;
	key.type = ERRORS_ERROR;
	key.set = cmd->set;
	key.code = nvme_cmd_code(cmd);
	entry = group_table_row(t->table, &key);
	if (!entry->count) {
		names_of(&names, queue);
		set_names(entry, v ? v->ctrl : names.ctrl, names.dev, NULL);
		entry->queue = *queue;
		entry->ev = (struct event){ .kind = EVENT_IO,
					    .flags = queue->admin ? EVENT_ADMIN : 0,
					    .qid = cmd->set == NVME_SET_IO,
					    .opcode = cmd->opcode,
					    .fctype = cmd->fctype };
	}
	entry->count += n;
	return !entry->key.by.other;
}

/* A record of --summary. */
struct sum_row {
	u64 wall_ns, interval_ns, seq, count;
	const char *ctrl, *event, *op, *sct_sc, *status_name, *blk_sts, *blk_errno;
	s32 ctrl_id;
	u32 opcode, fctype, status, sct, sc, errno_nr;
	u16 whole_status; /* of the first error */
	u8 admin;
	char name_text[64];
};

static void text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct sum_row *row = p;

	(void)o;
	if (row->status == UNKNOWN32)
		snprintf(buf, size, "-");
	else
		nvme_status_format(buf, size, row->whole_status);
}

/* Names any status, also one that the specifications do not name. */
static void text_name(const struct out *o, const void *p, char *buf, size_t size)
{
	(void)o;
	snprintf(buf, size, "%s", ((const struct sum_row *)p)->name_text);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct sum_row, m, #m, __VA_ARGS__)
#define NOT_TEXT	  (FIELD_NO_TEXT | FIELD_NULL_ONES)
/* clang-format off */
static const struct field sum_fields[] = {
	{ .type = FIELD_TIME, .at = offsetof(struct sum_row, wall_ns), .name = "ts",
	  .head = "WALL", .width = -15, .flags = FIELD_HIDDEN, .help = "end of the interval" },
	FIELD_TIME_NS(struct sum_row, wall_ns),
	ROW(U64, interval_ns, .flags = FIELD_NO_TEXT, .help = "length of the interval"),
	ROW(U64, seq, .flags = FIELD_NO_TEXT, .help = "number of the interval, from 0"),
	ROW(S32, ctrl_id, .flags = NOT_TEXT, .help = "controller, the N of /dev/nvmeN"),
	ROW(STR, ctrl, .width = -6, .help = "controller"),
	ROW(STR, event, .width = -7, .help = "error, retry (-R), success (-a), timeout, abort, reset or aer"),
	ROW(STR, op, .width = -14, .help = "name of the opcode"),
	ROW(U32, opcode, .flags = NOT_TEXT, .help = "opcode as a number"),
	ROW(BOOL, admin, .flags = NOT_TEXT, .help = "true for admin commands"),
	ROW(U32, fctype, .flags = NOT_TEXT, .help = "fabrics command type, when opcode is 0x7f"),
	ROW(U32, status, .head = "SCT/SC", .width = -6, .flags = FIELD_NULL_ONES, .text = text_status,
	    .help = "SCT << 8 | SC; in text ok or SCT/SC"),
	ROW(U32, sct, .flags = NOT_TEXT, .help = "status code type"),
	ROW(U32, sc, .flags = NOT_TEXT, .help = "status code"),
	ROW(STR, sct_sc, .flags = FIELD_NO_TEXT, .help = "both codes in hexadecimal: 2/81"),
	ROW(STR, blk_sts, .width = -16, .flags = FIELD_ABSENT,
	    .help = "status of the block layer; with --block"),
	FIELD_OF(FIELD_STR, struct sum_row, blk_errno, "errno_name", .head = "ERRNO", .width = -8,
		 .flags = FIELD_ABSENT, .help = "name of the error number; with --block"),
	FIELD_OF(FIELD_U32, struct sum_row, errno_nr, "errno",
		 .flags = FIELD_ABSENT | FIELD_NULL_ONES | FIELD_NO_TEXT,
		 .help = "error number of the system call, positive; with --block"),
	ROW(U64, count, .width = 10, .help = "number of events"),
	ROW(STR, status_name, .head = "NAME", .flags = FIELD_LAST, .text = text_name, .help = "name of the status or event"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_sum_schema = { "errors", sum_fields,
					  "a count of equal errors (--summary)" };

static struct view view_of(const struct tally_entry *entry)
{
	return (struct view){
		.ev = &entry->ev,
		.queue = &entry->queue,
		.ctrl = entry->ctrl,
		.dev = entry->dev,
		.path = entry->path[0] ? entry->path : NULL,
		.flags = entry->flags,
		.wall_ns = entry->wall_ns,
	};
}

static void sum_status(struct sum_row *row, const struct tally_entry *entry,
		       const struct errors_row *one)
{
	/* The text of an Abort names one command of several. */
	if (entry->key.type != ERRORS_ABORT)
		errors_row_name(one, row->name_text, sizeof(row->name_text));
	row->status_name = row->name_text[0] ? row->name_text : NULL;
	if (one->io.status == UNKNOWN32)
		return;
	row->status_name = one->io.status_name;
	row->status = one->io.status & 0x7ff;
	row->whole_status = (u16)one->io.status;
	if (!entry->key.by.status && entry->key.type == ERRORS_ERROR)
		row->event = "success";
	row->sct = one->io.sct;
	row->sc = one->io.sc;
	row->sct_sc = one->io.sct_sc;
	row->blk_sts = entry->key.blk_sts;
	if (!row->blk_sts)
		return;
	row->blk_errno = entry->blk_errno;
	row->errno_nr = entry->errno_nr;
}

static void print_sum(struct session *s, const struct tick *tick, const struct tally_entry *entry)
{
	struct errors_row one = { 0 };
	struct view v = view_of(entry);
	struct sum_row row = {
		.wall_ns = tick->wall_ns,
		.interval_ns = tick->end_ns - tick->start_ns,
		.seq = tick->seq,
		.count = entry->count,
		.event = errors_schemas[entry->key.type].type,
		.op = "(other)",
		.ctrl_id = -1,
		.opcode = UNKNOWN32,
		.fctype = UNKNOWN32,
		.status = UNKNOWN32,
		.sct = UNKNOWN32,
		.sc = UNKNOWN32,
		.errno_nr = UNKNOWN32,
		.admin = 0xff,
	};

	if (!entry->key.by.other) {
		errors_row_fill(&one, &v, entry->key.type, NULL, 0);
		row.ctrl_id = one.io.ctrl_id;
		row.ctrl = one.io.ctrl;
		row.op = one.io.op;
		row.opcode = one.io.opcode;
		row.fctype = one.io.fctype;
		if (one.io.command) /* without its command either is possible */
			row.admin = one.io.admin;
		sum_status(&row, entry, &one);
	}
	out_row(session_out(s), &errors_sum_schema, &row);
}

/* Fills in the row "(other)", whose errors have nothing in common. */
static void fill_other(struct errors_row *row, struct view *v, u64 start_ns)
{
	static const struct event nothing = { .kind = EVENT_COMPLETE,
					      .flags = EVENT_NO_SUBMIT | EVENT_NO_STATUS };
	static const struct queue_info nowhere = { .ctrl_id = -1 };
	u64 ts_ns = v->ev->ts_ns;

	*v = (struct view){
		.ev = &nothing, .queue = &nowhere, .ctrl = "", .dev = "", .wall_ns = v->wall_ns
	};
	errors_row_fill(row, v, ERRORS_ERROR, NULL, start_ns);
	row->io.op = row->io.status_name = "(other)";
	row->io.qid = row->io.tag = row->io.complete_cpu = row->attempt = UNKNOWN32;
	row->io.admin = row->final = 0xff;
	row->io.mono_ns = ts_ns;
	row->io.since_ns = ts_ns > start_ns ? ts_ns - start_ns : 0;
}

static void print_first(struct session *s, const struct tally_entry *entry)
{
	struct out *o = session_out(s);
	struct errors_row row = { 0 };
	struct view v = view_of(entry);

	if (entry->key.by.other)
		fill_other(&row, &v, session_start_ns(s));
	else
		errors_row_fill(&row, &v, entry->key.type, session_blkstatus(s, &entry->ev),
				session_start_ns(s));
	row.count = entry->count;
	out_row(o, &errors_schemas[out_opts(o)->format == OUT_TEXT ? ERRORS_ERROR : row.type],
		&row);
}

void errors_tally_print(struct errors_tally *t, struct session *s, const struct tick *tick)
{
	u32 n = group_table_sort(t->table, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		if (t->dedup)
			print_first(s, group_table_at(t->table, i));
		else
			print_sum(s, tick, group_table_at(t->table, i));
	}
	if (tick->reset)
		group_table_reset(t->table);
}
