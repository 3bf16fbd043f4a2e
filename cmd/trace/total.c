// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts totals per opcode, and prints them in the order of sets and opcodes. */
#include "cmd/trace/total.h"

#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/session/session.h"

struct total_row {
	u64 wall_ns, interval_ns, seq;
	const char *op;
	struct trace_sum sum;
	u64 mean_ns;
	u32 opcode, fctype;
	bool admin;
	char op_text[NVME_OPCODE_NAME_MAX];
};

static bool has_errors(const void *p)
{
	const struct total_row *row = p;

	return row->sum.errors && row->sum.errors != ~0ULL;
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct total_row, m, #m, __VA_ARGS__)
#define SUM(m, ...)	  FIELD_OF(FIELD_U64, struct total_row, sum.m, #m, __VA_ARGS__)
/* clang-format off */
static const struct field fields[] = {
	{ .type = FIELD_TIME, .at = offsetof(struct total_row, wall_ns), .name = "ts",
	  .head = "WALL", .width = -15, .flags = FIELD_HIDDEN, .help = "end of the interval" },
	FIELD_TIME_NS(struct total_row, wall_ns),
	ROW(U64, interval_ns, .flags = FIELD_NO_TEXT, .help = "length of the interval"),
	ROW(U64, seq, .flags = FIELD_NO_TEXT, .help = "number of the interval, from 0"),
	ROW(STR, op, .width = -14, .help = "name of the opcode"),
	ROW(U32, opcode, .flags = FIELD_NO_TEXT, .help = "opcode as a number"),
	ROW(BOOL, admin, .flags = FIELD_NO_TEXT, .help = "true for admin commands"),
	ROW(U32, fctype, .flags = FIELD_NO_TEXT | FIELD_NULL_ONES, .help = "fabrics command type"),
	SUM(count, .width = 10, .help = "commands completed"),
	SUM(errors, .width = 7, .flags = FIELD_NULL_ONES, .bad = has_errors, .help = "commands that failed"),
	SUM(bytes, .width = 14, .help = "bytes of data transferred"),
	SUM(min_ns, .head = "MIN", .width = 9, .flags = FIELD_LAT, .help = "smallest latency"),
	ROW(U64, mean_ns, .head = "AVG", .width = 9, .flags = FIELD_LAT, .help = "mean latency"),
	SUM(max_ns, .head = "MAX", .width = 9, .flags = FIELD_LAT, .help = "largest latency"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema trace_total_schema = { "total", fields, "totals of an opcode (--summary)" };

void trace_total_add(struct trace_totals *t, const struct trace_row *row)
{
	struct trace_sum *s = &t->sum[row->cmd.set][nvme_cmd_code(&row->cmd)];

	if (!s->count || row->lat_ns < s->min_ns)
		s->min_ns = row->lat_ns;
	if (row->lat_ns > s->max_ns)
		s->max_ns = row->lat_ns;
	s->count++;
	s->known += row->status != ~0U;
	s->errors += row->status && row->status != ~0U;
	s->bytes += row->bytes;
	s->sum_ns = sat_add(s->sum_ns, row->lat_ns);
}

static void print_sum(struct out *o, const struct tick *tick, enum nvme_set set, u32 code,
		      const struct trace_sum *sum)
{
	struct total_row row = {
		.wall_ns = tick->wall_ns,
		.interval_ns = tick->end_ns - tick->start_ns,
		.seq = tick->seq,
		.sum = *sum,
		.mean_ns = sum->sum_ns / sum->count,
		.opcode = set == NVME_SET_FABRICS ? NVME_OPCODE_FABRICS : code,
		.fctype = set == NVME_SET_FABRICS ? code : ~0U,
		.admin = set != NVME_SET_IO,
	};

	if (sum->known < sum->count)
		row.sum.errors = ~0ULL;
	row.op = nvme_opcode_format(row.op_text, sizeof(row.op_text), set, code);
	out_row(o, &trace_total_schema, &row);
}

void trace_total_print(struct trace_totals *t, struct out *o, const struct tick *tick)
{
	for (u32 set = 0; set < ARRAY_SIZE(t->sum); set++)
		for (u32 code = 0; code < 256; code++)
			if (t->sum[set][code].count)
				print_sum(o, tick, set, code, &t->sum[set][code]);
	if (tick->reset)
		memset(t, 0, sizeof(*t));
}
