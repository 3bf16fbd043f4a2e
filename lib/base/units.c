// SPDX-License-Identifier: GPL-2.0-or-later
/* Times, sizes, counts and ranges: from text and to text. */
#include "lib/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <strings.h>

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define FRACTION_LIMIT 1000000000000000000ULL

/* Tables are ordered from the largest unit to the smallest: printing takes the first that fits. */
struct unit {
	const char *word;
	u64 factor;
};

static const struct unit time_units[] = {
	{ "h", 3600 * NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "s", NSEC_PER_SEC },
	{ "ms", NSEC_PER_MSEC },
	{ "us", NSEC_PER_USEC },
	{ "ns", 1 },
	{ NULL, 0 },
};

static const struct unit size_units[] = {
	{ "t", 1ULL << 40 }, { "g", 1ULL << 30 }, { "m", 1ULL << 20 },
	{ "k", 1ULL << 10 }, { "", 1 },		  { NULL, 0 },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at *@p as a number; *@p moves behind them. -EINVAL when there are none. */
static int take_digits(const char **p, u64 *value)
{
	if (!is_digit(**p))
		return -EINVAL;
	errno = 0;
	char *end;
	*value = strtoull(*p, &end, 10);
	*p = end;
	return errno ? -ERANGE : 0;
}

int units_count(const char *text, u64 *value)
{
	const char *p = text;

	if (has_prefix(text, "0x") || has_prefix(text, "0X")) {
		const char *digits = text + 2;
		if (!digits[0] || digits[strspn(digits, "0123456789abcdefABCDEF")])
			return -EINVAL;
		errno = 0;
		*value = strtoull(digits, NULL, 16);
		return errno ? -ERANGE : 0;
	}
	u64 v;
	int err = take_digits(&p, &v);
	if (*p)
		return -EINVAL;
	if (!err)
		*value = v;
	return err;
}

/*
 * Takes the digits behind the point as @num / @denom. 18 digits are kept; what is cut is below the
 * resolution of every unit. The type is wide because @num times the largest factor (an hour in ns)
 * takes 102 bits.
 */
static int take_fraction(const char **p, unsigned __int128 *num, u64 *denom)
{
	*num = 0;
	*denom = 1;
	if (**p != '.')
		return 0;
	if (!is_digit(*++*p))
		return -EINVAL;
	for (; is_digit(**p); ++*p) {
		if (*denom < FRACTION_LIMIT) {
			*num = *num * 10 + (u64)(**p - '0');
			*denom *= 10;
		}
	}
	return 0;
}

/* Reads a number with a unit of @units; @bare is the factor of a number without unit. */
static int scaled(const char *text, const struct unit *units, u64 bare, u64 *value)
{
	const char *p = text;
	u64 whole, denom, factor = bare;
	unsigned __int128 part;

	int range = take_digits(&p, &whole);
	if (range == -EINVAL || take_fraction(&p, &part, &denom))
		return -EINVAL;
	if (*p) {
		while (units->word && strcasecmp(units->word, p) != 0)
			units++;
		if (!units->word)
			return -EINVAL;
		factor = units->factor;
	}
	u64 v;
	if (range || __builtin_mul_overflow(whole, factor, &v) ||
	    __builtin_add_overflow(v, (u64)(part * factor / denom), &v))
		return -ERANGE;
	*value = v;
	return 0;
}

int units_time(const char *text, u64 *value)
{
	return scaled(text, time_units, NSEC_PER_SEC, value);
}

int units_size(const char *text, u64 *value)
{
	char buf[64];
	size_t len = strlen(text);

	/* 4KiB is 4k, but 4b and 4kb are refused. */
	if (len >= 3 && len < sizeof(buf) && strcasecmp(text + len - 2, "ib") == 0) {
		snprintf(buf, sizeof(buf), "%.*s", (int)len - 2, text);
		return is_digit(buf[len - 3]) ? -EINVAL : scaled(buf, size_units, 1, value);
	}
	return scaled(text, size_units, 1, value);
}

int units_range(const char *text, units_parser *parse, u64 *from, u64 *to)
{
	char first[64];
	const char *dash = strchr(text, '-');
	u64 lo, hi;

	if (!dash) {
		int err = parse(text, &lo);
		if (!err)
			*from = *to = lo;
		return err;
	}
	if ((size_t)(dash - text) >= sizeof(first))
		return -EINVAL;
	snprintf(first, sizeof(first), "%.*s", (int)(dash - text), text);
	int err = parse(first, &lo);
	if (!err && dash[1])
		err = parse(dash + 1, &hi);
	else
		hi = UINT64_MAX;
	if (err)
		return err;
	if (hi < lo)
		return -ERANGE;
	*from = lo;
	*to = hi;
	return 0;
}

static const char *print(u64 value, const struct unit *units, char *buf)
{
	while (units[1].word && (value % units->factor || !value))
		units++;
	snprintf(buf, UNITS_TEXT, "%" PRIu64 "%s", value / units->factor, units->word);
	return buf;
}

const char *units_time_text(u64 ns, char *buf)
{
	return print(ns, time_units, buf);
}

const char *units_time_apart(u64 ns, char *buf)
{
	char text[UNITS_TEXT];
	size_t digits;

	units_time_text(ns, text);
	digits = strspn(text, "0123456789");
	snprintf(buf, UNITS_TEXT, "%.*s %s", (int)digits, text, text + digits);
	return buf;
}

const char *units_size_text(u64 bytes, char *buf)
{
	return print(bytes, size_units, buf);
}

const char *units_size_brief(u64 bytes, char *buf)
{
	const char *unit = "BKMGTPE";
	double value = (double)bytes;
	char text[FMT_NUMBER];

	while (value >= 1024 && unit[1]) {
		value /= 1024;
		unit++;
	}
	snprintf(buf, UNITS_TEXT, "%s%c", fmt_number(text, value, 1), *unit);
	return buf;
}
