// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings made safe for terminals, and numbers as text. */
#include "lib/base/err.h"
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out.h"
#include "tests/unit/test.h"

/* Undoes escape_text(). */
static void unescape(const char *s, char *to)
{
	char hex[3] = "";

	while (*s) {
		if (*s == '\\' && s[1] == 'x') {
			memcpy(hex, s + 2, 2);
			*to++ = (char)strtoul(hex, NULL, 16);
			s += 4;
		} else {
			s += *s == '\\';
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static void check_escape(const char *s)
{
	char safe[256], back[64];
	const char *p;

	escape_text(s, safe, sizeof(safe));
	for (p = safe; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	unescape(safe, back);
	assert_string_equal(back, s);
}

TEST(escape)
{
	static const char *const hostile[] = {
		"\x1b[2J",
		"\x1b]52;c;Zm9v\a",
		"\x9b",
		"a\nb",
		"\xff\xfe\x80\xc3(",
		"abc\xe2\x82",
		"\xc0\xaf",
		"\xed\xa0\x80",
		"\xf4\x90\x80\x80",
		"\\x1b",
		"\\\\",
		"\xc2\x85",
	};
	char s[2] = "", small[8], buf[64];
	unsigned int i;

	for (i = 1; i < 256; i++) {
		s[0] = (char)i;
		check_escape(s);
	}
	for (i = 0; i < ARRAY_SIZE(hostile); i++) {
		check_escape(hostile[i]);
		assert_true(escape_text(hostile[i], buf, sizeof(buf)) > strlen(hostile[i]));
	}
	check_escape("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac");
	escape_text("gr\xc3\xbc\xc3\x9f", buf, sizeof(buf));
	assert_string_equal(buf, "gr\xc3\xbc\xc3\x9f");
	escape_text("a\xe2\x80\xae"
		    "b",
		    buf, sizeof(buf)); /* U+202E turns the text around */
	assert_string_equal(buf, "a\\xe2\\x80\\xaeb");
	/* An escape is never cut. */
	assert_int_equal(escape_text("ab\x1b\x1b", small, sizeof(small)), 6);
	assert_string_equal(small, "ab\\x1b");
}

TEST(names)
{
	const char *name = "a b,\\\n\xc3\xbc;";
	char part[6];
	char whole[64] = "";

	while (*name) {
		assert_true(escape_name(&name, " ,", part, sizeof(part)) > 0);
		strncat(whole, part, sizeof(whole) - strlen(whole) - 1);
	}
	assert_string_equal(whole, "a\\x20b\\x2c\\\\\\x0a\xc3\xbc;");
	name = "a";
	assert_int_equal(escape_name(&name, "", part, 1), 0);
	assert_string_equal(name, "a");
}

TEST(numbers)
{
	static const u64 values[] = { 0, 9, 10, 99, 100, 9999, 10000, 99999, 1234567890, ~0ULL };
	char want[32], got[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(want, sizeof(want), "%llu", (unsigned long long)values[i]);
		*fmt_u64(got, values[i]) = '\0';
		assert_string_equal(got, want);
		snprintf(want, sizeof(want), "0x%llx", (unsigned long long)values[i]);
		*fmt_hex(got, values[i]) = '\0';
		assert_string_equal(got, want);
	}
	*fmt_s64(got, INT64_MIN) = '\0';
	assert_string_equal(got, "-9223372036854775808");
	*fmt_fixed(got, 999950, 1000, 1) = '\0';
	assert_string_equal(got, "1000.0");
	*fmt_fixed(got, ~0ULL, 1000000000, 6) = '\0';
	assert_string_equal(got, "18446744073.709552");
	*fmt_double(got, -1.005, 2, true) = '\0';
	assert_string_equal(got, "-1");
	*fmt_double(got, 1e300, 2, true) = '\0';
	assert_string_equal(got, "184467440737095516");
	assert_string_equal(fmt_number(got, 12.34, 1), "12.3");
	assert_string_equal(fmt_number(got, 99.97, 1), "100.0");
	assert_string_equal(fmt_number(got, 0, 3), "0.000");
}
