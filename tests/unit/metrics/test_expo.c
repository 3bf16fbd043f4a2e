// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of metrics: edges, conversion of histograms, labels, and both formats. */
#include "cmd/metrics/edges.h"
#include "cmd/metrics/expo.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

/* From 8.19 us to 8.59 s, two for each power of two, as text that reads back as the same. */
TEST(edges)
{
	char text[EDGES_TEXT];

	assert_int_equal(edges_ns(0), 8192);
	assert_int_equal(edges_ns(1), 12288);
	assert_int_equal(edges_ns(EDGES - 1), 8589934592);
	for (u32 i = 2; i < EDGES; i++)
		assert_int_equal(edges_ns(i), 2 * edges_ns(i - 2));
	assert_string_equal(edges_text(0, text), "8.192e-06");
	assert_string_equal(edges_text(7, text), "9.8304e-05");
	assert_string_equal(edges_text(8, text), "0.000131072");
	assert_string_equal(edges_text(EDGES - 1, text), "8.589934592");
	for (u32 i = 0; i < EDGES; i++)
		assert_true(strtod(edges_text(i, text), NULL) == (double)edges_ns(i) / 1e9);
}

/* Samples at, below and above each edge are counted on the right side of it, in every shape. */
TEST(count)
{
	static u64 buckets[HIST_SLOTS_MAX];
	u64 counts[EDGES + 1];
	struct hist_cfg cfg;

	for (u32 bits = 1; bits <= HIST_BITS_MAX; bits++) {
		hist_shape(&cfg, bits, 0, 0);
		memset(buckets, 0, sizeof(buckets));
		for (u32 i = 0; i < EDGES; i++) {
			buckets[hist_slot(&cfg, edges_ns(i) - 1)]++;
			buckets[hist_slot(&cfg, edges_ns(i))]++;
		}
		buckets[hist_slot(&cfg, 0)]++;
		buckets[cfg.slots - 1]++;
		edges_count(&cfg, buckets, counts);
		for (u32 i = 0; i < EDGES; i++)
			assert_int_equal(counts[i], 2 + 2 * i);
		assert_int_equal(counts[EDGES], 2 * EDGES + 2);
	}
}

TEST(label)
{
	char labels[64] = "";

	expo_label(labels, sizeof(labels), "a", "x\"\\\n");
	assert_string_equal(labels, "a=\"x\\\"\\\\\\\\x0a\"");
	expo_label(labels, sizeof(labels), "none", NULL);
	expo_label(labels, sizeof(labels), "b", "\xc3\xa4\xff");
	assert_string_equal(labels, "a=\"x\\\"\\\\\\\\x0a\",b=\"\xc3\xa4\\\\xff\"");
	labels[0] = '\0';
	expo_label(labels, sizeof(labels), "c", "");
	assert_string_equal(labels, "c=\"\"");
}

/* A label that does not fit is left out as a whole, at every size. */
TEST(label_room)
{
	char labels[64];

	for (size_t size = 16; size <= sizeof(labels); size++) {
		memset(labels, 'x', sizeof(labels));
		labels[0] = '\0';
		expo_label(labels, size, "name", "\x01\x02\x03\x04\x05\x06");
		assert_true(strlen(labels) < size);
		assert_true(!labels[0] || labels[strlen(labels) - 1] == '"');
		for (size_t i = size; i < sizeof(labels); i++)
			assert_int_equal(labels[i], 'x');
	}
	assert_int_not_equal(labels[0], '\0');
}

static void write_all(struct expo *e)
{
	static const struct family counter = { "n_bytes", "bytes", FAMILY_COUNTER, "Bytes." },
				   gauge = { "n_age_seconds", "seconds", FAMILY_GAUGE, "Age." },
				   info = { "n_ctrl", NULL, FAMILY_INFO, "What." };

	expo_family(e, &counter);
	expo_number(e, &counter, "a=\"b\"", ~0ULL);
	expo_family(e, &gauge);
	expo_seconds(e, &gauge, "", 1500000001);
	expo_family(e, &info);
	expo_number(e, &info, "m=\"x\"", 1);
	expo_end(e);
	assert_false(e->failed);
}

TEST(formats)
{
	struct expo e = { 0 };

	write_all(&e);
	e.data[e.len] = '\0';
	assert_string_equal(e.data, "# HELP n_bytes_total Bytes.\n"
				    "# TYPE n_bytes_total counter\n"
				    "n_bytes_total{a=\"b\"} 18446744073709551615\n"
				    "# HELP n_age_seconds Age.\n"
				    "# TYPE n_age_seconds gauge\n"
				    "n_age_seconds 1.500000001\n"
				    "# HELP n_ctrl_info What.\n"
				    "# TYPE n_ctrl_info gauge\n"
				    "n_ctrl_info{m=\"x\"} 1\n");
	expo_free(&e);
	e.openmetrics = true;
	write_all(&e);
	e.data[e.len] = '\0';
	assert_string_equal(e.data, "# HELP n_bytes Bytes.\n"
				    "# TYPE n_bytes counter\n"
				    "# UNIT n_bytes bytes\n"
				    "n_bytes_total{a=\"b\"} 18446744073709551615\n"
				    "# HELP n_age_seconds Age.\n"
				    "# TYPE n_age_seconds gauge\n"
				    "# UNIT n_age_seconds seconds\n"
				    "n_age_seconds 1.500000001\n"
				    "# HELP n_ctrl What.\n"
				    "# TYPE n_ctrl info\n"
				    "n_ctrl_info{m=\"x\"} 1\n"
				    "# EOF\n");
	expo_free(&e);
}
