// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, figures and columns of pattern records. */
#include "lib/view/pattern_row.h"

#include "lib/base/str.h"

static const char *const limit_names[PATTERN_LIMITS] = {
	[PATTERN_LBA] = "lba",	 [PATTERN_PHYSICAL] = "physical", [PATTERN_NPWG] = "npwg",
	[PATTERN_NOWS] = "nows", [PATTERN_NOIOB] = "noiob",	  [PATTERN_OWN] = "own",
};

const char *pattern_limit_name(enum pattern_limit limit)
{
	return limit_names[limit];
}

static const struct pattern_sum *sum_of(const void *row)
{
	return &((const struct pattern_row *)row)->sum;
}

/* Writes the slots that are not empty as [lo, hi, count]; hi of the last, open range is null. */
static void emit_slots(struct json *j, const char *name, const u64 *slots, u32 n)
{
	json_array(j, name);
	for (u32 i = 0; i < n; i++) {
		if (!slots[i])
			continue;
		json_array(j, NULL);
		json_u64(j, NULL, pattern_slot_lo(i));
		if (i + 1 < n)
			json_u64(j, NULL, pattern_slot_lo(i + 1));
		else
			json_null(j, NULL);
		json_u64(j, NULL, slots[i]);
		json_end(j);
	}
	json_end(j);
}

static void emit_sizes(struct json *j, const void *row)
{
	emit_slots(j, "sizes", sum_of(row)->sizes, PATTERN_SIZES);
}

static void emit_seeks(struct json *j, const void *row)
{
	emit_slots(j, "seeks", sum_of(row)->seeks, PATTERN_SEEKS);
}

static void emit_align(struct json *j, const void *row)
{
	emit_slots(j, "align", sum_of(row)->aligns, PATTERN_ALIGNS);
}

static void emit_limits(struct json *j, const void *row)
{
	const struct pattern_aligned *a = sum_of(row)->limits;

	json_object(j, "limits");
	for (u32 i = 0; i < PATTERN_LIMITS; i++) {
		if (!a[i].checked)
			continue;
		json_object(j, limit_names[i]);
		if (a[i].bytes == ~0ULL)
			json_null(j, "bytes");
		else
			json_u64(j, "bytes", a[i].bytes);
		json_u64(j, "checked", a[i].checked);
		json_u64(j, "off", a[i].off);
		json_end(j);
	}
	json_end(j);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct pattern_row, m, #m, __VA_ARGS__)
#define SUM(m, ...)	  FIELD_OF(FIELD_U64, struct pattern_row, sum.m, #m, __VA_ARGS__)
#define CALL(name, call, text, ...)                                                                \
	FIELD_OF(FIELD_CALL, struct pattern_row, sum, name, .emit = (call), .flags = FIELD_ABSENT, \
		 .help = (text), __VA_ARGS__)
/* clang-format off */
#define KEYS GROUP_INTERVAL PATTERN_KEYS(GROUP_FIELDS)

#define READS	   SUM(reads, .width = 8, .flags = FIELD_HIDDEN, .rank = 71, .help = "reads")
#define WRITES	   SUM(writes, .width = 8, .flags = FIELD_HIDDEN, .rank = 71, .help = "writes, zone appends included")
#define OTHERS	   SUM(others, .width = 8, .flags = FIELD_HIDDEN, .rank = 72, .help = "all other commands")
#define BYTES	   SUM(bytes, .width = 12, .flags = FIELD_HIDDEN, .rank = 73, .help = "bytes of data transferred")
#define READ_BYTES SUM(read_bytes, .width = 12, .flags = FIELD_HIDDEN, .rank = 74, .help = "bytes read")
#define WRITE_BYTES SUM(write_bytes, .width = 12, .flags = FIELD_HIDDEN, .rank = 74, .help = "bytes written")
#define COUNT	   SUM(count, .width = 8, .rank = 10, .help = "commands")
#define STREAMS	   SUM(streams, .width = 7, .rank = 40, \
		       .help = "streams with four or more sequential commands in the interval")
#define SEQ_PCT	   ROW(F64, seq_pct, .head = "%SEQ", .width = 5, .rank = 50, \
		       .help = "share of reads and writes that are sequential")
#define RND_PCT	   ROW(F64, rnd_pct, .head = "%RND", .width = 5, .rank = 1, .help = "share of reads and writes that are random")
#define READ_PCT   ROW(F64, read_pct, .head = "%RD", .width = 5, .rank = 25, .help = "share of reads among reads and writes")
#define UNALIGNED  SUM(unaligned, .width = 9, .flags = FIELD_NULL_ONES | FIELD_HIDDEN, .rank = 75, \
		       .help = "reads and writes that begin or end within a physical block, writes also within the preferred granularity")
#define UNALIGNED_PCT ROW(F64, unaligned_pct, .head = "%UNALIGNED", .width = 10, .rank = 30, \
			  .help = "share of reads and writes that are unaligned")
#define CROSSING   SUM(crossing, .width = 8, .flags = FIELD_NULL_ONES | FIELD_HIDDEN, .rank = 76, \
		       .help = "reads and writes that cross the optimal I/O boundary")
#define BACKWARD   SUM(backward, .width = 8, .flags = FIELD_HIDDEN, .rank = 77, \
		       .help = "random ones that end where one of the last ones began")
#define STRIDED	   SUM(strided, .width = 7, .flags = FIELD_HIDDEN, .rank = 77, \
		       .help = "random ones that follow the same gap for the third time or more")

static const struct field limit_members[] = {
	{ .type = FIELD_U64, .name = "bytes", .flags = FIELD_NULL_ONES, .help = "the limit; null: the devices of the row differ" },
	{ .type = FIELD_U64, .name = "checked", .help = "commands checked" },
	{ .type = FIELD_U64, .name = "off", .help = "commands off the limit" },
	FIELD_DONE
};

static const struct field pattern_fields[] = {
	KEYS
	COUNT, READS, WRITES, OTHERS, BYTES, READ_BYTES, WRITE_BYTES, SEQ_PCT, RND_PCT, READ_PCT, STREAMS,
	UNALIGNED, UNALIGNED_PCT, CROSSING, BACKWARD, STRIDED,
	CALL("sizes", emit_sizes, "reads and writes by size in bytes, [lo, hi, count]; with -S", .json = JSON_BUCKETS),
	CALL("seeks", emit_seeks, "by distance in bytes from the end of the row's last one on the device; with -K", .json = JSON_BUCKETS),
	CALL("align", emit_align, "by the largest power of two that divides the address in bytes; with -A", .json = JSON_BUCKETS),
	CALL("limits", emit_limits, "limits of the drive: bytes, commands checked, commands off; with -A",
	     .json = JSON_NAMED_OBJECTS, .members = limit_members),
	FIELD_DONE
};

const struct field pattern_text_fields[] = {
	KEYS
	RND_PCT, SEQ_PCT, STREAMS, COUNT,
	ROW(U64, kbytes, .head = "KBYTES", .width = 8, .rank = 35, .help = "bytes of data transferred"),
	READ_PCT,
	ROW(F64, write_pct, .head = "%WR", .width = 5, .rank = 60, .help = "share of writes among reads and writes"),
	ROW(F64, avg_kbytes, .head = "AVGKB", .width = 7, .rank = 20, .help = "mean size of reads and writes"),
	UNALIGNED_PCT,
	READS, WRITES, OTHERS, BYTES, READ_BYTES, WRITE_BYTES, UNALIGNED, CROSSING, BACKWARD, STRIDED,
	FIELD_DONE
};
/* clang-format on */

const struct schema pattern_schema = {
	.type = "pattern",
	.fields = pattern_fields,
	.help = "one for each interval and combination of the keys of --by",
};

void pattern_columns(struct out *o, u32 tables)
{
	if (out_opts(o)->format == OUT_TEXT)
		out_fields(o, &pattern_schema, pattern_text_fields);
	out_show(o, "sizes", tables & PATTERN_SHOW_SIZES);
	out_show(o, "seeks", tables & PATTERN_SHOW_SEEKS);
	out_show(o, "align", tables & PATTERN_SHOW_ALIGN);
	out_show(o, "limits", tables & PATTERN_SHOW_ALIGN);
}

/* The share in percent; NaN if @whole is 0. */
static double pct(u64 part, u64 whole)
{
	return (double)part * 100 / (double)whole;
}

void pattern_row_fill(struct pattern_row *row, const struct group *g,
		      const struct pattern_entry *from)
{
	const struct pattern_sum *sum = &from->sum;
	u64 moved = sum->read_bytes + sum->write_bytes, both = sum->reads + sum->writes;

	group_row_fill(&row->keys, g, &from->key);
	row->sum = *sum;
	if (sum->unknown)
		row->sum.unaligned = row->sum.crossing = UNKNOWN64;
	row->kbytes = sum->bytes / 1024;
	row->seq_pct = pct(sum->sequential, sum->sequential + sum->random);
	row->rnd_pct = pct(sum->random, sum->sequential + sum->random);
	row->read_pct = pct(sum->reads, both);
	row->write_pct = pct(sum->writes, both);
	row->avg_kbytes = (double)moved / 1024 / (double)both;
	row->unaligned_pct = sum->unknown ? __builtin_nan("") : pct(sum->unaligned, sum->placed);
}
