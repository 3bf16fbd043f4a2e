// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums errors up by key, in the order in which they come. */
#include "cmd/errors/errors_tally.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/group/fields.h"
#include "lib/group/table.h"
#include "lib/session/session.h"

#define ROWS 4095 /* and "(other)" */

/* A row of lib/group/table.h. It is compared as bytes up to `count`, so it has no padding there. */
struct errors_sum {
	struct group_key by;
	const struct blkstatus *blk; /* the same pointer for the same status */
	u32 type; /* enum errors_type */
	u32 aen; /* an asynchronous event has no status: dword 0 instead */
	u64 count;
};
#define KEY_BYTES offsetof(struct errors_sum, count)
_Static_assert(KEY_BYTES == sizeof(struct group_key) + 16, "the key has holes");

int errors_tally_open(struct errors_tally *t)
{
	t->table = group_table_open(KEY_BYTES, sizeof(struct errors_sum), ROWS);
	return t->table ? 0 : -ENOMEM;
}

void errors_tally_close(struct errors_tally *t)
{
	group_table_close(t->table);
}

void errors_tally_columns(const struct errors_tally *t)
{
	struct out *o = session_out(t->group.s);

	out_show(o, "fctype", group_has(&t->group, KEY_OPCODE));
	out_show(o, "sct", group_has(&t->group, KEY_STATUS));
	out_show(o, "sc", group_has(&t->group, KEY_STATUS));
	out_show(o, "status_name", group_has(&t->group, KEY_STATUS));
}

static void count(struct errors_tally *t, const struct errors_sum *key, u64 n)
{
	struct errors_sum *row = group_table_row(t->table, key);

	row->count += n;
	if (row->by.other)
		session_lost(t->group.s, STAT_KEYS_FULL, n);
}

void errors_tally_add(struct errors_tally *t, const struct view *v, enum errors_type type,
		      const struct blkstatus *blk)
{
	struct errors_sum key = { .blk = blk, .type = type };

	group_key_fill(&key.by, &t->group, v);
	if (type == ERRORS_AER && group_has(&t->group, KEY_STATUS))
		key.aen = (u32)v->ev->result;
	count(t, &key, 1);
}

void errors_tally_successes(struct errors_tally *t, const struct kernel_key *of, u64 n)
{
	struct errors_sum key = { .type = ERRORS_NONE };

	group_key_of(&key.by, &t->group, of);
	count(t, &key, n);
}

/* A record of --summary. */
struct sum_row {
	struct group_row keys; /* must be first: its columns read it there */
	u64 count;
	const char *event;
	struct blkstatus blk;
	u32 fctype, sct, sc;
};

static void text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct group_row *row = p;

	(void)o;
	if (row->status == GROUP_NO_NUMBER)
		snprintf(buf, size, "%s", row->other ? "(other)" : "-");
	else
		snprintf(buf, size, "%s", row->failed ? row->sct_sc : "ok");
}

/* Names any status, also one that the specifications do not name. */
static void text_name(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct group_row *row = p;
	const char *none = row->status == GROUP_NO_NUMBER ? "" : "Unknown Status";

	(void)o;
	snprintf(buf, size, "%s", row->status_name ? row->status_name : none);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct sum_row, m, #m, __VA_ARGS__)
#define NOT_TEXT	  (GROUP_NUMBER | FIELD_NO_TEXT)
/* clang-format off */
static const struct field sum_fields[] = {
	{ .type = FIELD_TIME, .at = offsetof(struct sum_row, keys.wall_ns), .name = "ts",
	  .head = "WALL", .width = -15, .flags = FIELD_HIDDEN, .rank = 25, .help = "end of the interval" },
	FIELD_TIME_NS(struct sum_row, keys.wall_ns),
	GROUP_LENGTH
	GROUP_SEQ
	GROUP_FIELDS_HOST
	GROUP_CTRL(-6)
	GROUP_QUEUE(GROUP_FIELDS)
	ROW(STR, event, .width = -7, .rank = 20, .help = "error, retry (-R), success (-a), timeout, abort, reset or aer"),
	GROUP_OPCODE(-14)
	ROW(U32, fctype, .flags = NOT_TEXT, .help = "fabrics command type, when opcode is 0x7f"),
	GROUP_SHAPE(GROUP_FIELDS)
	GROUP_WHO(GROUP_FIELDS)
	GROUP_ROW(S64, status, .head = "SCT/SC", .width = -6, .flags = GROUP_NUMBER, .text = text_status, .rank = 5,
		  .help = "SCT << 8 | SC; in text ok or SCT/SC")
	ROW(U32, sct, .flags = NOT_TEXT, .help = "status code type"),
	ROW(U32, sc, .flags = NOT_TEXT, .help = "status code"),
	GROUP_ROW(STR, sct_sc, .flags = FIELD_ABSENT | FIELD_NO_TEXT, .help = "both codes in hexadecimal: 2/81")
	ERRORS_BLOCK(struct sum_row)
	ROW(U64, count, .width = 10, .rank = 1, .help = "number of events"),
	GROUP_ROW(STR, status_name, .head = "NAME", .flags = FIELD_LAST | FIELD_ABSENT, .text = text_name, .least = 12, .rank = 30,
		  .help = "name of the status or event")
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_sum_schema = { "errors", sum_fields,
					  "a count by event and the keys of --by (--summary)" };

static void fill_row(struct sum_row *row, const struct errors_tally *t,
		     const struct errors_sum *from)
{
	const char *name;

	group_row_fill(&row->keys, &t->group, &from->by);
	row->count = from->count;
	if (from->by.other)
		return;
	row->event = from->type == ERRORS_NONE ? "success" : errors_schemas[from->type].type;
	name = errors_type_name(from->type, from->aen);
	if (name)
		row->keys.status_name = name;
	if (from->type == ERRORS_RESET || from->type == ERRORS_AER)
		row->keys.op = row->event;
	if (row->keys.opcode == NVME_OPCODE_FABRICS)
		row->fctype = from->by.fctype;
	if (row->keys.sct_sc) {
		row->sct = nvme_sct(from->by.status);
		row->sc = nvme_sc(from->by.status);
	}
	if (from->blk)
		row->blk = *from->blk;
}

void errors_tally_print(struct errors_tally *t, const struct tick *tick)
{
	u32 n = group_table_sort(t->table, NULL, NULL);

	group_interval(&t->group, tick);
	for (u32 i = 0; i < n; i++) {
		struct sum_row row = { .fctype = UNKNOWN32,
				       .sct = UNKNOWN32,
				       .sc = UNKNOWN32,
				       .blk.errno_nr = UNKNOWN32 };

		fill_row(&row, t, group_table_at(t->table, i));
		out_row(session_out(t->group.s), &errors_sum_schema, &row);
	}
	if (tick->reset)
		group_table_reset(t->table);
}
