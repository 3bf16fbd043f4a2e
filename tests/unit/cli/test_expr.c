// SPDX-License-Identifier: GPL-2.0-or-later
/* --fail-if: what parses, what it means, what is refused. */
#include "lib/base/err.h"
#include "lib/base/hist.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "tests/unit/test.h"

/* Percentiles of this row are their own number in microseconds: p99.9 is 99.9 us. */
static u64 percentile(const void *ctx, u32 millionths)
{
	(void)ctx;
	return millionths / 1000;
}

static const struct expr_row sample = {
	.op = "read",
	.count = 1000,
	.errors = 2,
	.lost = 3,
	.bytes = 4096000,
	.min_ns = 10000,
	.max_ns = 5000000,
	.duration_ns = 2000000000,
	.avg_ns = 60000.5,
	.percentile = percentile,
};

static bool check(const char *text, const struct expr_row *row)
{
	struct expr e;

	assert_int_equal(expr_parse(&e, text, EXPR_LATENCIES), 0);
	return expr_check(&e, row);
}

TEST(conditions_that_hold)
{
	static const char *const text[] = {
		"p99>98us",
		"p99 == 99us",
		"p99.9>=99900ns",
		"read.p50<50.001us",
		"min<=10us",
		"max>4ms",
		"avg>60us",
		"count>=1k",
		"errors!=0",
		"lost==3",
		"iops==500",
		"bytes_per_s>1.9M",
		"p99>1s or errors>0",
		"errors>0 and count>5",
		"p1>1s and p2>1s or min>0",
		"  read.errors > 1  ",
		"p99>98us or p99>98us",
		"0x02.count>1",
		"nvme_cmd_read.count>1",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(text); i++)
		assert_true(check(text[i], &sample));
}

TEST(conditions_that_do_not)
{
	static const char *const text[] = {
		"p99>99us",
		"write.p99>1us",
		"count>1M",
		"errors>2",
		"lost>3",
		"iops>500",
		"p99>98us and errors>2",
		"min>10us or max<5ms",
		"admin:identify.count>0",
	};
	struct expr_row none = { .duration_ns = 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(text); i++)
		assert_false(check(text[i], &sample));
	/* Nothing was measured: that is neither slow nor fast. */
	assert_false(check("p99<1s or avg<1s or max<1s", &none));
	assert_false(check("iops<1 or bytes_per_s<1", &none));
	assert_true(check("count<1", &none));
}

TEST(of_a_trigger)
{
	struct expr_row row = sample;
	struct expr e;

	row.timeouts = 4;
	row.resets = 5;
	assert_int_equal(expr_parse(&e, "timeouts==4 and resets==5", EXPR_TRIGGER), 0);
	assert_true(expr_check(&e, &row));
}

TEST(refused)
{
	static const char *const text[] = {
		"",
		"p99",
		"p99>",
		"p99>500",
		">5us",
		"p101>1us",
		"p99=5us",
		"p99>5us &&",
		"p99>5us errors>1",
		"p99>5us and",
		"or p99>5us",
		"bogus>1",
		"read.bogus>1",
		"bogus.p99>1us",
		"count>5us",
		"errors>-1",
		"p99>5us or or errors>0",
		"read.lost>0",
		"read.p99>1us and write.p99>1us",
		"0xff.count>0",
		"count>99999999999999999999",
		"count>20000000000000000000k",
		"p99>2m",
		"max>1h",
		"avg>1.5M",
		"oldest>5s",
		"timeouts>0",
	};
	struct expr e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(text); i++)
		assert_int_equal(expr_parse(&e, text[i], EXPR_LATENCIES), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "p99>5us", EXPR_EVENTS), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "errors>5 or lost>0 or count<1", EXPR_EVENTS), 0);
}

TEST(rows_differ_in_what_they_know)
{
	static const struct {
		enum expr_rows rows;
		const char *knows, *lacks;
	} kinds[] = {
		{ EXPR_EVENTS, "errors>0", "iops>1" },	   { EXPR_LATENCIES, "max>1s", "resets>0" },
		{ EXPR_STACKS, "avg>1s", "max>1s" },	   { EXPR_PLACES, "iops>1", "p99>1s" },
		{ EXPR_CHANGES, "p99>+1%", "errors>0" },   { EXPR_INFLIGHT, "left<1m", "errors>0" },
		{ EXPR_TRIGGER, "resets>0", "oldest>1s" },
	};
	char text[200];
	struct expr e;

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_int_equal(expr_parse(&e, kinds[i].knows, kinds[i].rows), 0);
		assert_int_equal(expr_parse(&e, kinds[i].lacks, kinds[i].rows),
				 EXIT_AS(EXIT_USAGE));
	}
	assert_true(expr_help(EXPR_EVENTS, text, sizeof(text)) < sizeof(text));
	assert_string_equal(text,
			    "'errors>0' or 'errors>5 or lost>0'; it knows count, errors and lost");
}

TEST(none_fails_unless_it_may)
{
	struct expr e;

	assert_int_equal(expr_parse(&e, "errors>0", EXPR_EVENTS), 0);
	assert_null(e.none);
	assert_true(expr_none(&e, "no commands", 5));
	assert_string_equal(e.none, "no commands");
	assert_int_equal(e.none_ns, 5);
	expr_reset(&e);
	assert_null(e.none);
	assert_int_equal(expr_parse(&e, "errors>0 or count>9", EXPR_EVENTS), 0);
	assert_false(expr_none(&e, "no commands", 5));
	assert_int_equal(expr_parse(&e, "oldest>1s", EXPR_INFLIGHT), 0);
	assert_false(expr_none(&e, "no commands", 5));
	e = (struct expr){ 0 }; /* without --fail-if */
	assert_false(expr_none(&e, "no commands", 5));
}

/* Each opcode that a term names has to occur, unless its count is asked for. */
TEST(none_of_an_opcode)
{
	struct expr_row row = sample, other = { .count = 1, .some_op = true };
	struct expr e;

	assert_int_equal(expr_parse(&e, "read.p99>1s or write.p99>1s", EXPR_LATENCIES), 0);
	assert_false(expr_check(&e, &row));
	row.op = "write";
	row.count = 0;
	assert_false(expr_check(&e, &row));
	assert_true(expr_none_of(&e, 7, true));
	assert_false(e.terms[0].none);
	assert_true(e.terms[1].none);
	assert_int_equal(e.none_ns, 7);
	assert_false(expr_check(&e, &other));
	assert_false(expr_none_of(&e, 7, true));
	assert_int_equal(expr_parse(&e, "write.p99>1s or write.count>5", EXPR_LATENCIES), 0);
	assert_false(expr_none_of(&e, 7, true));
	assert_int_equal(expr_parse(&e, "write.p99>1s or write.count<5", EXPR_LATENCIES), 0);
	assert_true(expr_none_of(&e, 7, true));
	assert_true(e.conditions[1].failed);
	assert_false(e.terms[0].none);
}

TEST(inflight)
{
	struct expr_row row = {
		.count = 2, .oldest_ns = 6000000000, .overdue = 1, .left_ns = -1500000000
	};
	char text[128];
	struct expr e;

	assert_int_equal(expr_parse(&e, "errors>0", EXPR_INFLIGHT), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "read.count>0", EXPR_INFLIGHT), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "oldest>5", EXPR_INFLIGHT), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "oldest>5s", EXPR_LATENCIES), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "overdue>0", EXPR_EVENTS), EXIT_AS(EXIT_USAGE));
	assert_int_equal(
		expr_parse(&e, "oldest>5s and left<0 and overdue>0 and count==2", EXPR_INFLIGHT),
		0);
	assert_true(expr_check(&e, &row));
	expr_text(&e, &e.conditions[0], text, sizeof(text));
	assert_string_equal(text,
			    "oldest = 6.00 s > 5 s and left = -1.50 s < 0 ns and overdue = 1 > 0 "
			    "and count = 2 == 2");
	row.left_ns = INT64_MAX; /* none has a timeout */
	assert_false(expr_check(&e, &row));
	assert_int_equal(expr_parse(&e, "left>1s", EXPR_INFLIGHT), 0);
	assert_false(expr_check(&e, &row));
	row.left_ns = 2000000000;
	assert_true(expr_check(&e, &row));
	assert_int_equal(expr_parse(&e, "oldest<5s or left<1s", EXPR_INFLIGHT), 0);
	row = (struct expr_row){ 0 }; /* nothing is in flight */
	assert_false(expr_check(&e, &row));
}

static void change(const void *ctx, u32 millionths, double *low, double *high)
{
	(void)ctx;
	*low = millionths == 99 * HIST_PERCENT ? 12 : -20;
	*high = millionths == 99 * HIST_PERCENT ? __builtin_nan("") : -10;
}

/* A change is beyond a limit if all of its interval is. An end that is not known is beyond none. */
TEST(changes)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{ "p99>+10%", true },	 { "p99 > 10%", true },	    { "p99>+12%", false },
		{ "p99>=+12%", true },	 { "p99<+50%", false },	    { "p50<-5.5%", true },
		{ "p50<-10%", false },	 { "p50<=-10%", true },	    { "p50>-50%", true },
		{ "read.p99>1%", true }, { "write.p99>1%", false }, { "p99>+13% or p50<0%", true },
	};
	static const char *const refused[] = { "p99>10us", "p99>10",  "p99==1%",   "p99!=1%",
					       "avg>1%",   "count>1", "p99>nan%",  "p99>1e9%",
					       "p99>+-1%", "p99> %",  "p99>-101%", "p99>%" };
	struct expr_row row = { .op = "read", .count = 1, .change = change };
	struct expr e;
	char text[128];

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(expr_parse(&e, cases[i].text, EXPR_CHANGES), 0);
		assert_int_equal(expr_check(&e, &row), cases[i].is);
	}
	for (u32 i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(expr_parse(&e, refused[i], EXPR_CHANGES), EXIT_AS(EXIT_USAGE));
	assert_int_equal(expr_parse(&e, "p99>+10% and p50<-5%", EXPR_CHANGES), 0);
	assert_true(expr_check(&e, &row));
	expr_text(&e, &e.conditions[0], text, sizeof(text));
	assert_string_equal(text, "read.p99 changed by at least +12 % > +10 % and "
				  "read.p50 changed by at most -10 % < -5 %");
}

TEST(failed_conditions)
{
	struct expr e;

	assert_int_equal(
		expr_parse(&e, "p99>1s or  errors>0 and count>5 or lost>3", EXPR_LATENCIES), 0);
	assert_int_equal(e.n_conditions, 3);
	assert_false(expr_names_op(&e));
	assert_true(expr_check(&e, &sample));
	assert_false(e.conditions[0].failed);
	assert_true(e.conditions[1].failed);
	assert_false(e.conditions[2].failed);
	assert_int_equal(e.conditions[1].text_len, strlen("errors>0 and count>5"));
	assert_memory_equal(e.conditions[1].text, "errors>0 and count>5", e.conditions[1].text_len);
	assert_int_equal(expr_parse(&e, "read.p99>1s", EXPR_LATENCIES), 0);
	assert_true(expr_names_op(&e));
}

static u64 just_above(const void *ctx, u32 millionths)
{
	(void)millionths;
	return *(const u64 *)ctx;
}

/* The value that is shown is above the limit, as it is. */
TEST(text_of_what_was_found)
{
	static const struct {
		const char *typed, *said;
		u64 p99_ns;
	} cases[] = {
		{ "p99>2ms", "read.p99 = 5.77 ms > 2 ms", 5771234 },
		{ "read.p99>2ms", "read.p99 = 2.0003 ms > 2 ms", 2000300 },
		{ "p99.9>=500us", "read.p99.9 = 500 us >= 500 us", 500000 },
		{ "p99!=1.5s", "read.p99 = 42.1 s != 1500 ms", 42123456789 },
		{ "p99<1us", "read.p99 = 999 ns < 1 us", 999 },
		{ "errors>0 and count<10k", "read.errors = 3 > 0 and read.count = 7 < 10000", 1 },
		{ "iops<10", "read.iops = 3.5 < 10", 1 },
		{ "iops<4", "read.iops = 3.5 < 4", 1 },
		{ "lost>1", "lost = 2 > 1", 1 },
	};
	struct expr e;
	char text[200];

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr_row row = {
			.op = "read",
			.count = 7,
			.errors = 3,
			.lost = 2,
			.duration_ns = 2000000000,
			.percentile = just_above,
			.ctx = &cases[i].p99_ns,
			.name = "nvme0",
		};

		assert_int_equal(expr_parse(&e, cases[i].typed, EXPR_LATENCIES), 0);
		assert_true(expr_check(&e, &row));
		row.name = "nvme1"; /* the first one stays */
		assert_true(expr_check(&e, &row));
		expr_text(&e, &e.conditions[0], text, sizeof(text));
		assert_string_equal(text, cases[i].said);
		assert_string_equal(e.conditions[0].row, "nvme0");
	}
}
