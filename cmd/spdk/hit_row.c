// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes rows of hits, and the columns made of them. */
#include "cmd/spdk/hit_row.h"

#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/cli/help.h"
#include "lib/session/meta.h"
#include "lib/usdt/args.h"

#define NSEC 1000000000

static u64 value_of(const struct spdk_row *row, u32 i)
{
	const struct spdk_arg *arg = &row->site->shape.arg[i];

	return usdt_value(arg->size, arg->is_signed, row->hit->arg[i]);
}

static bool is_unread(const struct spdk_site *site, const struct spdk_hit *hit, u32 i)
{
	return site->shape.arg[i].unreadable || hit->unread & 1U << i;
}

static bool is_enum(u8 type)
{
	return type >= SPDK_SUBSYSTEM_STATE;
}

bool spdk_failed(const struct spdk_site *site, const struct spdk_hit *hit)
{
	for (u32 i = 0; i < site->shape.n_args; i++) {
		const struct spdk_arg *arg = &site->shape.arg[i];

		if (arg->type == SPDK_STATUS && !is_unread(site, hit, i) &&
		    usdt_value(arg->size, arg->is_signed, hit->arg[i]))
			return true;
	}
	return false;
}

/* Writes a number that is no string to @buf. */
static void put_value(char *buf, size_t size, const struct spdk_row *row, u32 i)
{
	const struct spdk_arg *arg = &row->site->shape.arg[i];
	const char *word = spdk_word(arg->type, row->site->shape.states, value_of(row, i));
	bool hex = arg->type == SPDK_POINTER ||
		   (arg->type == SPDK_RAW && arg->size == sizeof(u64) && !arg->is_signed);

	if (word)
		snprintf(buf, size, "%s", word);
	else if (hex)
		snprintf(buf, size, "0x%llx", (unsigned long long)value_of(row, i));
	else if (arg->is_signed)
		snprintf(buf, size, "%lld", (long long)value_of(row, i));
	else
		snprintf(buf, size, "%llu", (unsigned long long)value_of(row, i));
}

/* Appends "name=value" to the line, which has @len bytes. Returns its length. */
static size_t add_arg(struct spdk_row *row, u32 i, size_t len)
{
	const struct spdk_arg *arg = &row->site->shape.arg[i];
	const char *text = row->hit->text[i];
	char number[32];

	if (is_unread(row->site, row->hit, i))
		text = "?";
	else if (arg->type == SPDK_STRING)
		text = text ? text : "(null)";
	else {
		put_value(number, sizeof(number), row, i);
		text = number;
	}
	len += (size_t)snprintf(row->line + len, sizeof(row->line) - len, "%s%s=%s%s",
				len ? " " : "", arg->name, text,
				row->hit->cut & 1U << i ? "..." : "");
	return len < sizeof(row->line) ? len : sizeof(row->line) - 1;
}

static void fill_line(struct spdk_row *row)
{
	const struct spdk_shape *shape = &row->site->shape;
	size_t len = 0;

	row->line[0] = '\0';
	for (u32 i = 0; i < shape->n_args; i++) {
		if (shape->arg[i].type != SPDK_HIDDEN && shape->arg[i].type != SPDK_TSC)
			len = add_arg(row, i, len);
	}
	row->args_text = len ? row->line : NULL;
}

void spdk_row_fill(struct spdk_row *row, const struct spdk_site *site, const struct spdk_hit *hit,
		   u64 start_ns, u64 wall_ns)
{
	row->mono_ns = hit->ts_ns;
	row->wall_ns = wall_ns;
	row->since_ns = hit->ts_ns > start_ns ? hit->ts_ns - start_ns : 0;
	row->pid = site->pid;
	row->tid = hit->tid;
	row->comm = site->comm;
	row->probe = site->shape.name;
	row->site = site;
	row->hit = hit;
	fill_line(row);
}

static void emit_number(struct json *j, const struct spdk_row *row, u32 i)
{
	const struct spdk_arg *arg = &row->site->shape.arg[i];
	char key[sizeof(arg->name) + 8];

	if (arg->type == SPDK_POINTER)
		json_hex(j, arg->name, value_of(row, i));
	else if (arg->is_signed)
		json_s64(j, arg->name, (s64)value_of(row, i));
	else
		json_u64(j, arg->name, value_of(row, i));
	if (!is_enum(arg->type))
		return;
	snprintf(key, sizeof(key), "%s_name", arg->name);
	json_str(j, key, spdk_word(arg->type, row->site->shape.states, value_of(row, i)));
}

static void emit_arg(struct json *j, const struct spdk_row *row, u32 i)
{
	const struct spdk_arg *arg = &row->site->shape.arg[i];
	char key[sizeof(arg->name) + 8];

	if (is_unread(row->site, row->hit, i)) {
		json_null(j, arg->name);
	} else if (arg->type == SPDK_STRING) {
		json_str(j, arg->name, row->hit->text[i]);
		snprintf(key, sizeof(key), "%s_cut", arg->name);
		if (row->hit->cut & 1U << i)
			json_bool(j, key, true);
	} else {
		emit_number(j, row, i);
	}
}

static void emit_args(struct json *j, const void *p)
{
	const struct spdk_row *row = p;

	json_object(j, "args");
	for (u32 i = 0; i < row->site->shape.n_args; i++) {
		if (row->site->shape.arg[i].type != SPDK_HIDDEN)
			emit_arg(j, row, i);
	}
	json_end(j);
}

static void text_time(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct spdk_row *row = p;

	(void)o;
	if (size > FMT_FIXED_MAX)
		*fmt_fixed(buf, row->since_ns, NSEC, 6) = '\0';
}

static bool is_bad(const void *p)
{
	const struct spdk_row *row = p;

	return spdk_failed(row->site, row->hit);
}

/* clang-format off */
#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct spdk_row, m, #m, __VA_ARGS__)
static const struct field spdk_fields[] = {
	{ .type = FIELD_TIME, .at = offsetof(struct spdk_row, wall_ns), .name = "ts", .head = "WALL", .width = -15,
	  .flags = FIELD_HIDDEN, .rank = 10, .help = "wall-clock time of the hit" },
	FIELD_TIME_NS(struct spdk_row, wall_ns),
	ROW(U64, mono_ns, .flags = FIELD_NO_TEXT, .help = "the same time by CLOCK_MONOTONIC"),
	{ .type = FIELD_CALL, .name = "time", .head = "TIME(s)", .width = -10, .flags = FIELD_ONLY_TEXT, .text = text_time, .rank = 42,
	  .help = "seconds since attaching" },
	ROW(U32, pid, .width = 5, .flags = FIELD_HIDDEN, .rank = 45, .help = "the process"),
	ROW(STR, comm, .width = -12, .flags = FIELD_HIDDEN, .least = 8, .rank = 44, .help = "its name"),
	ROW(U32, tid, .width = 5, .flags = FIELD_NULL_ONES, .rank = 20, .help = "the thread"),
	ROW(STR, probe, .width = -20, .bad = is_bad, .least = 12, .help = "name of the probe"),
	ROW(STR, args_text, .head = "ARGS", .flags = FIELD_NO_JSON | FIELD_LAST | FIELD_FOLD, .help = "its arguments by name, or argN where they are not known; ? cannot be read now"),
	{ .type = FIELD_CALL, .name = "args", .flags = FIELD_NO_TEXT, .emit = emit_args, .json = JSON_VALUES,
	  .help = "its arguments by name, or argN where they are not known; null cannot be read; an enumeration has its word in NAME_name" },
	FIELD_DONE,
};

#define PROBE(type, m, ...) FIELD_OF(FIELD_##type, struct spdk_probe_row, m, #m, __VA_ARGS__)
static const struct field probe_fields[] = {
	PROBE(U32, pid, .width = 5, .flags = FIELD_HIDDEN, .rank = 45, .help = "the process"),
	PROBE(STR, comm, .width = -12, .flags = FIELD_HIDDEN, .least = 8, .rank = 44, .help = "its name"),
	PROBE(STR, probe, .width = -33, .least = 16, .help = "name of the probe"),
	PROBE(STR, set, .width = -8, .rank = 20, .help = "its set, see --set"),
	PROBE(U32, args, .width = 4, .rank = 30, .help = "how many arguments it has"),
	PROBE(U32, places, .width = 6, .rank = 40, .help = "how many instructions stand for it"),
	PROBE(STR, file, .width = -8, .flags = FIELD_HIDDEN, .least = 8, .rank = 50, .help = "the file that has it, as the process sees it"),
	PROBE(STR, spec, .width = -8, .flags = FIELD_HIDDEN, .least = 8, .rank = 60, .help = "where its arguments are, of its first place"),
	PROBE(STR, unreadable, .flags = FIELD_NO_TEXT, .help = "why one of its arguments cannot be read; null: all can"),
	PROBE(STR, shape, .flags = FIELD_LAST | FIELD_FOLD, .help = "names of its arguments; null: not known"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema spdk_schema = { "spdk", spdk_fields, "a hit of a probe" };
const struct schema spdk_probe_schema = { "probe", probe_fields, "with --list: a probe" };

const struct schema *const spdk_schemas[] = { &spdk_schema, &spdk_probe_schema, NULL };
