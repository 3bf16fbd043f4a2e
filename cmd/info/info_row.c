// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of `info`, and its text. */
#include "cmd/info/info_row.h"

#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/help.h"
#include "lib/session/about.h"
#include "lib/session/lost.h"

/* Data that not every recording has, and the option of `record` that is about it. */
static const struct {
	u32 need;
	const char *option, *name; /* name: in JSON */
} extras[] = {
	{ NEED_QUEUED, "-Q", "queue_times" },	    { NEED_KSTACK, "-k", "kernel_stacks" },
	{ NEED_USTACK, "-u", "user_stacks" },	    { NEED_AER, "--aer", "aer" },
	{ NEED_FLUSHES, "--flushes", "flushes" },   { NEED_SQ, "--sq", "sq" },
	{ NEED_TIMEOUT, "--timeouts", "timeouts" }, { NEED_RESET, "--timeouts", "resets" },
	{ NEED_OWNER, "--keys", "owner" },	    { NEED_SCHED, "--keys", "sched" },
	{ NEED_DURING, "--keys", "during" },	    { NEED_FILE, "--keys", "file" },
	{ NEED_SYNCER, "--keys", "syncer" },	    { NEED_PHASES, "--phases", "phases" },
};

static void emit_ctrls(struct json *j, const void *p)
{
	json_array(j, "ctrls");
	about_put_ctrls(j, ((const struct info_row *)p)->head.ctrls);
	json_end(j);
}

static void emit_filters(struct json *j, const void *p)
{
	json_array(j, "filters");
	about_put_filters(j, ((const struct info_row *)p)->head.filters);
	json_end(j);
}

static void emit_extras(struct json *j, const void *p)
{
	const struct info_row *row = p;

	json_array(j, "extras");
	for (u32 i = 0; i < ARRAY_SIZE(extras); i++) {
		if (row->head.needs & extras[i].need)
			json_str(j, NULL, extras[i].name);
	}
	json_end(j);
}

static const char *op_name(const struct info_op *op, char buf[static NVME_OPCODE_NAME_MAX])
{
	return nvme_opcode_format(buf, NVME_OPCODE_NAME_MAX, op->set, op->code);
}

static void emit_ops(struct json *j, const void *p)
{
	const struct info_row *row = p;
	char name[NVME_OPCODE_NAME_MAX];

	json_object(j, "ops");
	for (u32 i = 0; i < row->n_ops; i++)
		json_u64(j, op_name(&row->ops[i], name), row->ops[i].count);
	json_end(j);
}

static void emit_lost(struct json *j, const void *p)
{
	json_object(j, "lost");
	lost_put(j, &((const struct info_row *)p)->counters, false);
	json_end(j);
}

/* clang-format off */
#define INFO(type, member, ...) FIELD_OF(FIELD_##type, struct info_row, member, #member, __VA_ARGS__)
#define HEAD(member, ...) FIELD_OF(FIELD_STR, struct info_row, head.member, #member, __VA_ARGS__)
#define CALL(nm, emit_fn, ...) FIELD_OF(FIELD_CALL, struct info_row, head, nm, .emit = emit_fn, __VA_ARGS__)
static const struct field info_fields[] = {
	INFO(STR, file, .help = "name of the file, as given"),
	INFO(U64, file_bytes, .flags = FIELD_NULL_ONES, .help = "its size"),
	HEAD(version, .help = "version of nvmetool that wrote it"),
	HEAD(host, .help = "host that was traced"),
	HEAD(kernel, .help = "its kernel"),
	HEAD(arch, .help = "its architecture"),
	FIELD_OF(FIELD_TIME, struct info_row, start_wall_ns, "ts", .help = "when it begins: it is complete from then on"),
	FIELD_TIME_NS(struct info_row, start_wall_ns),
	FIELD_OF(FIELD_TIME, struct info_row, end_wall_ns, "end_ts", .help = "time of the last event"),
	INFO(U64, duration_ns, .help = "from the one to the other"),
	INFO(U64, commands, .help = "commands in the file"),
	INFO(U64, errors, .help = "commands that failed"),
	INFO(U64, bytes, .help = "data transferred by the commands"),
	INFO(U64, others, .help = "events that are no commands"),
	FIELD_OF(FIELD_U64, struct info_row, counters.before_attach, "before_attach",
		 .help = "completions of commands submitted before attaching"),
	INFO(U64, inflight_at_exit, .flags = FIELD_NULL_ONES, .help = "commands in flight at the end"),
	HEAD(trigger, .help = "why a flight recorder wrote it; null: it did not"),
	FIELD_OF(FIELD_TIME, struct info_row, trigger_wall_ns, "trigger_ts", .help = "when that was"),
	INFO(BOOL, whole, .help = "the file is neither cut nor damaged"),
	INFO(STR, contradiction, .help = "which counters of the file contradict it; null: none"),
	INFO(BOOL, complete, .help = "whole, nothing was lost while it was recorded, and its counters say so"),
	CALL("ops", emit_ops, .json = JSON_COUNTS, .help = "commands by operation"),
	CALL("extras", emit_extras, .json = JSON_STRINGS, .help = "data that not every recording has"),
	CALL("ctrls", emit_ctrls, .json = JSON_OBJECTS, .members = schema_ctrls, .help = "controllers of the host"),
	CALL("filters", emit_filters, .json = JSON_OBJECTS, .members = schema_filters, .help = "selections by which it was recorded, one after the other"),
	CALL("lost", emit_lost, .json = JSON_OBJECT, .members = schema_lost, .help = "how much was lost, by cause; null: this kernel does not tell"),
	FIELD_DONE,
};
/* clang-format on */

static const struct schema info_schema = { "info", info_fields, "a recording" };
const struct schema *const info_schemas[] = { &info_schema, NULL };

static void line(void *out, const char *label, const char *text)
{
	struct out *o = out;

	out_text(o, "  %-10s", label);
	out_text_safe(o, text);
	out_text(o, "\n");
}

static const char *or_unknown(const char *s)
{
	return s && *s ? s : "unknown";
}

static void print_origin(struct out *o, const struct info_row *row)
{
	char seconds[FMT_NUMBER], text[512];
	struct out_stamp start, end;
	bool moved, same_day;

	snprintf(text, sizeof(text), "%s, Linux %s %s, by nvmetool %s", or_unknown(row->head.host),
		 or_unknown(row->head.kernel), or_unknown(row->head.arch),
		 or_unknown(row->head.version));
	line(o, "host", text);
	out_stamp(&start, row->start_wall_ns, false, 3);
	out_stamp(&end, row->end_wall_ns, false, 3);
	moved = !streq(start.zone, end.zone); /* summer time has begun or ended meanwhile */
	same_day = streq(start.date, end.date);
	snprintf(text, sizeof(text), "%s %s%s%s%s to %s%s%s (%s), %s s", start.date, start.time,
		 moved ? " (" : "", moved ? start.zone : "", moved ? ")" : "",
		 same_day ? "" : end.date, same_day ? "" : " ", end.time, end.zone,
		 fmt_number(seconds, (double)row->duration_ns / 1e9, 3));
	line(o, "time", text);
}

/* Prints why a flight recorder wrote the file, and where in its run the file begins. */
static void print_trigger(struct out *o, const struct info_row *row)
{
	char seconds[FMT_NUMBER], text[512];
	struct out_stamp at;
	u64 start_ns = row->head.start_ns, at_ns = row->head.trigger_ns;

	if (!row->head.trigger)
		return;
	out_stamp(&at, row->trigger_wall_ns, false, 3);
	snprintf(text, sizeof(text), "%s, at %s; the file begins %s s before", row->head.trigger,
		 at.time,
		 fmt_number(seconds, at_ns > start_ns ? (double)(at_ns - start_ns) / 1e9 : 0, 3));
	line(o, "trigger", text);
}

/* Counts as "979 read, 199 write", in lines of some 80 columns. */
struct counts {
	char text[128];
	size_t n;
};

static void add_count(struct out *o, struct counts *c, u64 count, const char *name)
{
	char part[100];
	size_t len =
		(size_t)snprintf(part, sizeof(part), "%llu %s", (unsigned long long)count, name);

	if (c->n)
		c->n += (size_t)snprintf(c->text + c->n, sizeof(c->text) - c->n, ",");
	if (c->n && c->n + len > 66) {
		line(o, "", c->text);
		c->n = 0;
	}
	c->n += (size_t)snprintf(c->text + c->n, sizeof(c->text) - c->n, "%s%s", c->n ? " " : "",
				 part);
}

static void end_counts(struct out *o, const struct counts *c)
{
	if (c->n)
		line(o, "", c->text);
}

/* Prints how often each operation occurs. */
static void print_ops(struct out *o, const struct info_row *row)
{
	char name[NVME_OPCODE_NAME_MAX];
	struct counts c = { .n = 0 };

	for (u32 i = 0; i < row->n_ops; i++)
		add_count(o, &c, row->ops[i].count, op_name(&row->ops[i], name));
	end_counts(o, &c);
}

static void print_commands(struct out *o, const struct info_row *row)
{
	char size[UNITS_TEXT], age[FMT_NUMBER], text[128];
	const struct counters *c = &row->counters;

	snprintf(text, sizeof(text), "%llu, %llu failed, %s of data",
		 (unsigned long long)row->commands, (unsigned long long)row->errors,
		 units_size_brief(row->bytes, size));
	line(o, "commands", text);
	print_ops(o, row);
	if (c->inflight_at_exit) {
		snprintf(text, sizeof(text),
			 "%llu in flight at the end, %llu of them in the file; the oldest for %s s",
			 (unsigned long long)c->inflight_at_exit,
			 (unsigned long long)row->inflight_kept,
			 fmt_number(age, (double)c->oldest_ns / 1e9, 3));
		line(o, "", text);
	}
	if (row->others) {
		snprintf(text, sizeof(text), "%llu other event%s", (unsigned long long)row->others,
			 plural(row->others));
		line(o, "", text);
	}
}

static void print_extras(struct out *o, const struct info_row *row)
{
	const char *last = "";
	char text[160] = "";
	size_t n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(extras); i++) {
		bool key = streq(extras[i].option, "--keys"), more = streq(extras[i].option, last);

		if (!(row->head.needs & extras[i].need))
			continue;
		if (!more)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
					      extras[i].option);
		if (key)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%c%s", more ? ',' : ' ',
					      extras[i].name);
		last = extras[i].option;
	}
	line(o, "extras", n ? text : "none");
}

static void print_block(struct out *o, const struct info_row *row)
{
	char size[UNITS_TEXT];

	out_report(o);
	out_text_safe(o, row->file);
	if (row->file_bytes != INFO_UNKNOWN)
		out_text(o, ", %s", units_size_brief(row->file_bytes, size));
	out_text(o, ", %s%s%s\n", row->whole ? "" : out_hue(o, HUE_BAD),
		 !row->whole	      ? "cut or damaged"
		 : row->contradiction ? "whole, but its counters are wrong"
				      : "whole",
		 row->whole ? "" : out_hue(o, HUE_PLAIN));
	print_origin(o, row);
	print_trigger(o, row);
	about_lines(row->head.ctrls, about_ctrl_line, "drives", "unknown", line, o);
	about_lines(row->head.filters, about_filter_line, "selection", "all commands", line, o);
	print_commands(o, row);
	print_extras(o, row);
	lost_lines(&row->counters.lost, "lost", "nothing", line, o);
	if (row->contradiction)
		line(o, "counters", row->contradiction);
}

void info_print(struct out *o, const struct info_row *row)
{
	if (out_opts(o)->format == OUT_TEXT && !out_opts(o)->columns)
		print_block(o, row);
	else
		out_row(o, &info_schema, row);
}
