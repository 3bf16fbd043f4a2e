// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/units: what is accepted, what is refused, and that printing is read back. */
#include <errno.h>

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "tests/unit/test.h"

struct good {
	const char *text;
	u64 value;
};

static void check_good(units_parser *parse, const struct good *rows)
{
	for (; rows->text; rows++) {
		u64 value = 0;
		int err = parse(rows->text, &value);
		if (err || value != rows->value)
			fail_msg("%s: %d, %llu", rows->text, err, (unsigned long long)value);
	}
}

TEST(counts)
{
	static const struct good rows[] = {
		{ "0", 0 },
		{ "007", 7 },
		{ "0x2A", 42 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX },
		{ NULL, 0 },
	};

	check_good(units_count, rows);
}

TEST(times)
{
	static const struct good rows[] = {
		{ "1", NSEC_PER_SEC },
		{ "0.5", NSEC_PER_SEC / 2 },
		{ "500us", 500000 },
		{ "2ms", 2000000 },
		{ "1.5s", 1500000000 },
		{ "1m", 60 * NSEC_PER_SEC },
		{ "2h", 7200 * NSEC_PER_SEC },
		{ "20ns", 20 },
		{ "1.9ns", 1 },
		{ "1MS", 1000000 },
		{ "0.1234567891111111111111111111", 123456789 },
		{ NULL, 0 },
	};

	check_good(units_time, rows);
}

TEST(sizes)
{
	static const struct good rows[] = {
		{ "512", 512 },	      { "64k", 65536 },	    { "64K", 65536 }, { "1.5m", 1572864 },
		{ "2G", 2ULL << 30 }, { "1t", 1ULL << 40 }, { "4KiB", 4096 }, { NULL, 0 },
	};

	check_good(units_size, rows);
}

/* reliability.md B1, for every kind of number. */
TEST(refused)
{
	static const char *const words[] = {
		"",   " ",   "1abc", "-1",  "+1",	  "1e9", "NaN",	 "inf", "1 ",
		" 1", "1\n", "0x",   "0xg", ".5",	  "1.",	 "1..2", "1,5", "k",
		"ib", "4ib", "1kk",  "ms",  "1\xc2\xb5s", "--1", "1-",
	};
	units_parser *const parsers[] = { units_count, units_time, units_size };
	u64 value;

	for (size_t w = 0; w < ARRAY_SIZE(words); w++)
		for (size_t p = 0; p < ARRAY_SIZE(parsers); p++)
			if (parsers[p](words[w], &value) != -EINVAL)
				fail_msg("'%s' is accepted by parser %zu", words[w], p);
}

TEST(overflow)
{
	static const char *const times[] = { "18446744074", "5124096h", "18446744073709551616ns" };
	static const char *const sizes[] = { "16777216t", "18446744073709551616" };
	u64 value;

	assert_int_equal(units_count("18446744073709551616", &value), -ERANGE);
	assert_int_equal(units_count("0x10000000000000000", &value), -ERANGE);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		assert_int_equal(units_time(times[i], &value), -ERANGE);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(units_size(sizes[i], &value), -ERANGE);
	assert_int_equal(units_time("5124095h", &value), 0);
}

TEST(ranges)
{
	u64 from, to;

	assert_int_equal(units_range("64k-1m", units_size, &from, &to), 0);
	assert_true(from == 65536 && to == 1 << 20);
	assert_int_equal(units_range("7", units_count, &from, &to), 0);
	assert_true(from == 7 && to == 7);
	assert_int_equal(units_range("7-", units_count, &from, &to), 0);
	assert_true(from == 7 && to == UINT64_MAX);
	assert_int_equal(units_range("9-7", units_count, &from, &to), -ERANGE);
	assert_int_equal(units_range("-7", units_count, &from, &to), -EINVAL);
	assert_int_equal(units_range("1-2-3", units_count, &from, &to), -EINVAL);
	assert_int_equal(units_range("1-x", units_count, &from, &to), -EINVAL);
	assert_int_equal(units_range("", units_count, &from, &to), -EINVAL);
}

TEST(printing)
{
	static const struct good times[] = {
		{ "0ns", 0 },
		{ "1500us", 1500000 },
		{ "1s", NSEC_PER_SEC },
		{ "24h", 86400 * NSEC_PER_SEC },
		{ "90s", 90 * NSEC_PER_SEC },
		{ "7ns", 7 },
		{ NULL, 0 },
	};
	static const struct good sizes[] = {
		{ "0", 0 },	   { "513", 513 },	 { "64k", 65536 },
		{ "8m", 8 << 20 }, { "1t", 1ULL << 40 }, { NULL, 0 },
	};
	char buf[UNITS_TEXT];

	check_good(units_time, times);
	check_good(units_size, sizes);
	for (const struct good *g = times; g->text; g++)
		assert_string_equal(units_time_text(g->value, buf), g->text);
	for (const struct good *g = sizes; g->text; g++)
		assert_string_equal(units_size_text(g->value, buf), g->text);
	assert_string_equal(units_time_text(UINT64_MAX, buf), "18446744073709551615ns");
	assert_string_equal(units_time_apart(16 * NSEC_PER_MSEC, buf), "16 ms");
	assert_string_equal(units_time_apart(UINT64_MAX, buf), "18446744073709551615 ns");
}

TEST(nanoseconds)
{
	static const struct {
		double ns;
		const char *text;
		u32 more;
	} rows[] = {
		{ 0, "0ns", 0 },	  { 768, "768ns", 0 },	      { 999.4, "999ns", 0 },
		{ 1024, "1.02us", 0 },	  { 65536, "65.5us", 0 },     { 999499, "999us", 0 },
		{ 999500, "1.00ms", 0 },  { 999500, "999.5us", 1 },   { 9996000, "10.0ms", 0 },
		{ 2000300, "2.00ms", 0 }, { 2000300, "2.0003ms", 2 }, { 0x1p41, "2199s", 0 },
	};
	char buf[FMT_NUMBER];

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(fmt_ns(buf, rows[i].ns, "", rows[i].more), rows[i].text);
	assert_string_equal(fmt_ns(buf, -5771234, " ", 0), "-5.77 ms");
}
