// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log of HdrHistogram: a line per row and interval. Histograms are kept by its own rule
 * (AbstractHistogram.java, three significant digits), so nothing is converted, and are written in
 * its V2 encoding: counts as ZigZag LEB128, runs of empty ones negative, deflated, as base64.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "cmd/export/export_format.h"
#include "lib/base/err.h"
#include "lib/base/escape.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/group/table.h"

#define DIGITS		  3
#define HALF_LOG	  10 /* each power of two has 1 << HALF_LOG buckets, the first one twice as many */
#define HALF		  (1U << HALF_LOG)
#define LONGEST		  (1ULL << 47) /* nanoseconds: 39 hours */
#define BUCKETS		  ((47 - HALF_LOG + 1) * HALF)
#define KEYS_MAX	  256 /* rows; a histogram takes 300 KB */

#define COOKIE		  0x1c849313U
#define COOKIE_COMPRESSED 0x1c849314U
#define HEAD_BYTES	  40
#define PLAIN_MAX	  (HEAD_BYTES + BUCKETS * 9)

/* A row of lib/group/table.h. */
struct hdr_sum {
	struct group_key key;
	u64 *count; /* BUCKETS */
	u64 max_ns;
};

struct hdr {
	struct group_table *table;
	u8 plain[PLAIN_MAX], packed[PLAIN_MAX + 1024];
	char text[(PLAIN_MAX + 1024) / 3 * 4 + 8];
};

/* The bucket of a value below LONGEST. */
static u32 bucket_of(u64 ns)
{
	u32 shift = 63 - HALF_LOG - (u32)__builtin_clzll(ns | (2 * HALF - 1));

	return (shift + 1) * HALF + (u32)(ns >> shift) - HALF;
}

static int hdr_open(struct export *e)
{
	struct hdr *h = e->state;

	h->table = group_table_open(sizeof(struct group_key), sizeof(struct hdr_sum), KEYS_MAX);
	return h->table ? 0 : fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
}

static void hdr_begin(struct export *e)
{
	u64 start_ms;
	char ts[48];

	out_rfc3339(e->start_wall_ns, true, ts, sizeof(ts));
	start_ms = e->start_wall_ns / NSEC_PER_MSEC;
	export_text(e,
		    "#[Logged with nvmetool " NVT_VERSION "]\n"
		    "#[Histogram log format version 1.3]\n"
		    "#[StartTime: %" PRIu64 ".%03u (seconds since epoch), %s]\n"
		    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		    "\"Interval_Compressed_Histogram\"\n",
		    start_ms / 1000, (u32)(start_ms % 1000), ts);
}

static void hdr_complete(struct export *e, const struct view *v)
{
	struct hdr *h = e->state;
	u64 lat_ns = event_lat_ns(v->ev);
	struct group_key key;
	struct hdr_sum *row;

	group_key_fill(&key, &e->group, v);
	row = group_table_row(h->table, &key);
	e->gaps[GAP_KEYS] += row->key.other;
	if (!row->count)
		row->count = export_more(e, (void **)&row->count, 0, (size_t)BUCKETS * sizeof(u64));
	if (!row->count)
		return;
	if (lat_ns >= LONGEST) {
		e->gaps[GAP_LONG]++;
		return;
	}
	row->count[bucket_of(lat_ns)]++;
	if (lat_ns > row->max_ns)
		row->max_ns = lat_ns;
}

static u8 *put_be(u8 *p, u64 value, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		p[i] = (u8)(value >> 8 * (bytes - 1 - i));
	return p + bytes;
}

static u8 *put_zigzag(u8 *p, s64 value)
{
	u64 z = (u64)value << 1 ^ (value < 0 ? ~0ULL : 0);

	for (; z >= 0x80; z >>= 7)
		*p++ = (u8)(z | 0x80);
	*p++ = (u8)z;
	return p;
}

/* Encodes the histogram into h->plain. Returns its bytes. */
static size_t encode(struct hdr *h, const struct hdr_sum *row)
{
	u8 *p = h->plain + HEAD_BYTES, *head = h->plain;
	u32 end = bucket_of(row->max_ns) + 1, empty = 0;

	for (u32 i = 0; i < end; i++) {
		if (!row->count[i]) {
			empty++;
			continue;
		}
		if (empty)
			p = put_zigzag(p, -(s64)empty);
		empty = 0;
		p = put_zigzag(p, (s64)row->count[i]);
	}
	head = put_be(head, COOKIE, 4);
	head = put_be(head, (u64)(p - h->plain) - HEAD_BYTES, 4);
	head = put_be(head, 0, 4); /* offset of a shifted histogram */
	head = put_be(head, DIGITS, 4);
	head = put_be(head, 1, 8); /* the lowest value is one nanosecond */
	head = put_be(head, LONGEST - 1, 8);
	put_be(head, 0x3ff0000000000000ULL, 8); /* 1.0: values are integers */
	return (size_t)(p - h->plain);
}

/* Writes @n bytes as base64 (RFC 4648) into h->text. */
static void put_base64(struct hdr *h, const u8 *from, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="; /* and what fills up */
	char *to = h->text;

	for (size_t i = 0; i < n; i += 3) {
		u32 left = n - i < 3 ? (u32)(n - i) : 3;
		u32 v = (u32)from[i] << 16 | (left > 1 ? (u32)from[i + 1] << 8 : 0) |
			(left > 2 ? from[i + 2] : 0);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = digits[left > 1 ? v >> 6 & 63 : 64];
		*to++ = digits[left > 2 ? v & 63 : 64];
	}
	*to++ = '\n';
	*to = '\0';
}

/*
 * Writes a key of a tag, whole: names that are cut could become equal. "-" stands for what is not
 * known, so a process of that name is "\x2d".
 */
static void put_word(struct export *e, const char *before, const struct group_word *word)
{
	const char *left = word->value, *marks = word->dash ? " ,;-" : " ,;";
	char text[256];

	export_text(e, "%s%s=", before, word->label);
	while (*left)
		export_put(e, text, escape_name(&left, marks, text, sizeof(text)));
}

/* Writes "Tag=dev=nvme0n1;op=read,". */
static void put_tag(struct export *e, const struct hdr_sum *row)
{
	struct group_row keys = { 0 };
	struct group_word word = { 0 };

	if (!e->group.keys[0]) /* --by none */
		return;
	group_row_fill(&keys, &e->group, &row->key);
	export_text(e, "Tag=%s", row->key.other ? "(other)" : "");
	for (const char *before = ""; group_word_next(&word, &e->group, &keys); before = ";")
		put_word(e, before, &word);
	export_text(e, ",");
}

static void put_row(struct export *e, const struct hdr_sum *row, const struct tick *t)
{
	u64 from_ms = (t->start_ns - session_start_ns(e->s)) / NSEC_PER_MSEC;
	u64 length_ms = (t->end_ns - t->start_ns) / NSEC_PER_MSEC;
	struct hdr *h = e->state;
	uLongf size = sizeof(h->packed) - 8;
	size_t plain = encode(h, row);

	compress2(h->packed + 8, &size, h->plain, plain, 6); /* cannot fail: there is room */
	put_be(put_be(h->packed, COOKIE_COMPRESSED, 4), size, 4);
	put_base64(h, h->packed, size + 8);
	put_tag(e, row);
	export_text(e, "%" PRIu64 ".%03u,%" PRIu64 ".%03u,%" PRIu64 ".%03u,", from_ms / 1000,
		    (u32)(from_ms % 1000), length_ms / 1000, (u32)(length_ms % 1000),
		    (u64)(row->max_ns / NSEC_PER_MSEC), (u32)(row->max_ns / 1000 % 1000));
	export_put(e, h->text, strlen(h->text));
}

/* Frees the histograms, and forgets the rows. */
static void forget(struct hdr *h)
{
	u32 n = group_table_sort(h->table, NULL, NULL);

	for (u32 i = 0; i < n; i++)
		free(((const struct hdr_sum *)group_table_at(h->table, i))->count);
	group_table_reset(h->table);
}

static void hdr_tick(struct export *e, const struct tick *t)
{
	struct hdr *h = e->state;
	u32 n = group_table_sort(h->table, group_compare, &e->group);

	for (u32 i = 0; i < n; i++) {
		const struct hdr_sum *row = group_table_at(h->table, i);

		if (row->count)
			put_row(e, row, t);
	}
	if (t->reset || t->last)
		forget(h);
}

static void hdr_close(struct export *e)
{
	struct hdr *h = e->state;

	if (!h->table)
		return;
	forget(h);
	group_table_close(h->table);
}

const struct export_format export_hdr = {
	.state_bytes = sizeof(struct hdr),
	.ticks = true,
	.open = hdr_open,
	.begin = hdr_begin,
	.complete = hdr_complete,
	.tick = hdr_tick,
	.close = hdr_close,
};
