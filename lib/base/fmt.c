// SPDX-License-Identifier: GPL-2.0-or-later
/* The rarer conversions of numbers to text, and the table of digit pairs. */
#include "lib/base/fmt.h"

#include "lib/base/str.h"

const char fmt_pairs[200] = "0001020304050607080910111213141516171819"
			    "2021222324252627282930313233343536373839"
			    "4041424344454647484950515253545556575859"
			    "6061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

static u64 power_of_ten(unsigned int n)
{
	u64 v = 1;

	while (n--)
		v *= 10;
	return v;
}

char *fmt_fixed(char *p, u64 v, u64 scale, unsigned int decimals)
{
	u64 unit = power_of_ten(decimals), whole = v / scale, part;

	/* part < scale <= 10^9 and unit <= 10^9: no overflow */
	part = ((v % scale) * unit + scale / 2) / scale;
	if (part >= unit) {
		whole++;
		part -= unit;
	}
	p = fmt_u64(p, whole);
	if (!decimals)
		return p;
	*p++ = '.';
	return fmt_padded(p, part, decimals);
}

char *fmt_double(char *p, double v, unsigned int decimals, bool trim)
{
	u64 unit = power_of_ten(decimals);
	char *end;

	if (v < 0) {
		*p++ = '-';
		v = -v;
	}
	/* Only rates and percentages come here; a value beyond a u64 has no meaning. */
	if (v * (double)unit >= 18446744073709549568.0)
		return fmt_u64(p, ~0ULL / unit);
	end = fmt_fixed(p, (u64)(v * (double)unit + 0.5), unit, decimals);
	if (!trim || !decimals)
		return end;
	while (end[-1] == '0')
		end--;
	return end[-1] == '.' ? end - 1 : end;
}

const char *fmt_number(char buf[static FMT_NUMBER], double v, unsigned int decimals)
{
	*fmt_double(buf, v, decimals, false) = 0;
	return buf;
}

const char *fmt_rate(char buf[static FMT_NUMBER], double v)
{
	if (!__builtin_isfinite(v)) {
		buf[0] = 0;
		return buf;
	}
	return fmt_number(buf, v, v < 100 ? 1 : 0);
}

const char *fmt_ns(char buf[static FMT_NUMBER], double ns, const char *blank, unsigned int more)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double half = 0.5 / (double)power_of_ten(more), size = __builtin_fabs(ns);
	unsigned int unit = 0, decimals = 0;
	char *end;

	/* Not what is rounded up to a digit more. */
	while (size >= 1000 - half && unit + 1 < ARRAY_SIZE(units)) {
		size /= 1000;
		ns /= 1000;
		unit++;
	}
	if (unit)
		decimals = size >= 100 - half / 10 ? 0 : size >= 10 - half / 100 ? 1 : 2;
	end = fmt_double(buf, ns, decimals + more, false);
	snprintf(end, (size_t)(buf + FMT_NUMBER - end), "%s%s", blank, units[unit]);
	return buf;
}
