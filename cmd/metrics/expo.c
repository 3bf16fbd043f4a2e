// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes metrics in the text formats of Prometheus and OpenMetrics. */
#include "cmd/metrics/expo.h"

#include "cmd/metrics/edges.h"
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define FIRST_BYTES (64U << 10)
#define ESCAPE_MAX  6 /* bytes of an escaped character */

static const struct {
	const char *word, *plain_word; /* of TYPE, in OpenMetrics and in 0.0.4, which lacks info */
	const char *suffix; /* of samples */
} types[] = {
	[FAMILY_COUNTER] = { "counter", "counter", "_total" },
	[FAMILY_GAUGE] = { "gauge", "gauge", "" },
	[FAMILY_HISTOGRAM] = { "histogram", "histogram", "" },
	[FAMILY_INFO] = { "info", "gauge", "_info" },
};

/* Makes room for @n bytes behind what is there. */
static bool reserve(struct expo *e, size_t n)
{
	size_t cap = e->cap ? e->cap : FIRST_BYTES;
	char *data;

	if (e->failed || e->cap - e->len >= n)
		return !e->failed;
	while (cap - e->len < n)
		cap *= 2;
	data = realloc(e->data, cap);
	if (!data) {
		e->failed = true;
		return false;
	}
	e->data = data;
	e->cap = cap;
	return true;
}

/* No printf: a scrape has thousands of these. */
static void put_bytes(struct expo *e, const char *bytes, size_t n)
{
	if (!reserve(e, n))
		return;
	memcpy(e->data + e->len, bytes, n);
	e->len += n;
}

static void put(struct expo *e, const char *text)
{
	put_bytes(e, text, strlen(text));
}

/* Puts "# WORD NAME TEXT". */
static void put_comment(struct expo *e, const char *word, const struct family *f, const char *text)
{
	put(e, word);
	put(e, f->name);
	if (!e->openmetrics)
		put(e, types[f->type].suffix);
	put(e, " ");
	put(e, text);
	put(e, "\n");
}

void expo_family(struct expo *e, const struct family *f)
{
	put_comment(e, "# HELP ", f, f->help);
	put_comment(e, "# TYPE ", f,
		    e->openmetrics ? types[f->type].word : types[f->type].plain_word);
	if (e->openmetrics && f->unit)
		put_comment(e, "# UNIT ", f, f->unit);
}

/* The name of a sample, and its labels in braces. */
static void put_name(struct expo *e, const struct family *f, const char *suffix, const char *labels)
{
	put(e, f->name);
	put(e, suffix);
	if (*labels) {
		put(e, "{");
		put(e, labels);
		put(e, "}");
	}
	put(e, " ");
}

static void put_number(struct expo *e, u64 value)
{
	char text[FMT_U64_MAX] = "";

	put_bytes(e, text, (size_t)(fmt_u64(text, value) - text));
	put(e, "\n");
}

static void put_seconds(struct expo *e, u64 ns)
{
	char text[FMT_FIXED_MAX] = "";

	put_bytes(e, text, (size_t)(fmt_fixed(text, ns, NSEC_PER_SEC, 9) - text));
	put(e, "\n");
}

void expo_number(struct expo *e, const struct family *f, const char *labels, u64 value)
{
	put_name(e, f, types[f->type].suffix, labels);
	put_number(e, value);
}

void expo_seconds(struct expo *e, const struct family *f, const char *labels, u64 ns)
{
	put_name(e, f, types[f->type].suffix, labels);
	put_seconds(e, ns);
}

static void put_bucket(struct expo *e, const struct family *f, const char *labels, const char *edge,
		       u64 count)
{
	put(e, f->name);
	put(e, "_bucket{");
	put(e, labels);
	put(e, *labels ? ",le=\"" : "le=\"");
	put(e, edge);
	put(e, "\"} ");
	put_number(e, count);
}

void expo_histogram(struct expo *e, const struct family *f, const char *labels, const u64 *counts,
		    u64 sum_ns)
{
	char edge[EDGES_TEXT];

	for (u32 i = 0; i < EDGES; i++)
		put_bucket(e, f, labels, edges_text(i, edge), counts[i]);
	put_bucket(e, f, labels, "+Inf", counts[EDGES]);
	put_name(e, f, "_sum", labels);
	put_seconds(e, sum_ns);
	put_name(e, f, "_count", labels);
	put_number(e, counts[EDGES]);
}

void expo_end(struct expo *e)
{
	if (e->openmetrics)
		put(e, "# EOF\n");
}

void expo_free(struct expo *e)
{
	free(e->data);
	*e = (struct expo){ 0 };
}

/*
 * Puts one character of a label's value at @to, which has room for its escape, and moves *s on.
 * Bytes that are no plain text become the text \xHH.
 */
static char *put_character(char *to, const char **s)
{
	unsigned char c = (unsigned char)**s;
	unsigned int len = escape_plain(**s) ? 1 : escape_utf8(*s);

	if (c == '\\' || c == '"')
		*to++ = '\\';
	if (c == '\\')
		len = 1;
	if (len) {
		memcpy(to, *s, len);
		*s += len;
		return to + len;
	}
	(*s)++;
	return to + snprintf(to, 6, "\\\\x%02x", c);
}

void expo_label(char *labels, size_t size, const char *name, const char *value)
{
	size_t at = strlen(labels);
	char *to = labels + at, *limit = labels + size - ESCAPE_MAX - 2;

	if (!value || at + strlen(name) + 4 > size)
		return;
	to += snprintf(to, size - at, "%s%s=\"", at ? "," : "", name);
	while (*value && to < limit)
		to = put_character(to, &value);
	if (*value || to > limit + ESCAPE_MAX)
		labels[at] = '\0';
	else
		snprintf(to, 2, "\"");
}
