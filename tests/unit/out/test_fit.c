// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a line of free text is broken that is longer than the terminal. */
#include "lib/base/str.h"
#include "lib/out/out_impl.h"
#include "tests/unit/test.h"

/* Checks that the first line of @s is @first, and that the next one begins with @next. */
static void breaks(const char *s, unsigned int columns, const char *first, const char *next)
{
	const char *rest;
	size_t n = fit_line(s, columns, &rest);

	assert_int_equal(n, strlen(first));
	assert_memory_equal(s, first, n);
	if (next)
		assert_string_equal(rest, next);
	else
		assert_null(rest);
}

TEST(text_that_fits_is_one_line)
{
	breaks("", 5, "", NULL);
	breaks("12345", 5, "12345", NULL);
	breaks("  345", 5, "  345", NULL);
}

TEST(a_line_is_broken_at_the_last_blank_that_fits)
{
	breaks("12345 78", 5, "12345", "78");
	breaks("12 45 78", 5, "12 45", "78");
	breaks("12 456", 5, "12", "456");
	breaks("12    456", 5, "12", "456");
}

TEST(blanks_in_front_are_no_place_to_break)
{
	breaks("  345 7", 5, "  345", "7");
	breaks("  34567 9", 5, "  345", "67 9");
}

TEST(a_word_that_is_longer_is_broken)
{
	breaks("1234567", 5, "12345", "67");
}

TEST(colour_takes_no_columns)
{
	breaks("\033[1;31m12345\033[0m 78", 5, "\033[1;31m12345\033[0m", "78");
	breaks("\033[H\033[J12345", 5, "\033[H\033[J12345", NULL);
	breaks("\033[", 5, "\033[", NULL);
}

TEST(wide_characters_take_two)
{
	breaks("\u4e2d\u4e2d\u4e2d", 5, "\u4e2d\u4e2d", "\u4e2d");
}

TEST(a_marked_column_stays)
{
	static const struct field fields[] = { { .name = "a", .rank = 1 },
					       { .name = "b", .rank = 3 },
					       { .name = "c", .rank = 2 } };
	struct column columns[3];
	struct plan p = { .columns = columns, .n = 3 };
	struct out o = { .room = 9 };

	for (u32 i = 0; i < 3; i++)
		columns[i] = (struct column){ .field = &fields[i], .width = 4 };
	fit_columns(&o, &p);
	assert_int_equal(columns[1].fit, 0);
	assert_int_equal(columns[2].fit, 4);
	p.fitted = 0;
	o.marked = "b";
	fit_columns(&o, &p);
	assert_int_equal(columns[1].fit, 4);
	assert_int_equal(columns[2].fit, 0);
}
