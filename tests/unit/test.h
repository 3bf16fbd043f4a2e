// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of a program, which test.c runs in the order of the file. One is written as
 * TEST(name) { ... } and gets cmocka's `void **state`.
 */
#ifndef NVT_TEST_H
#define NVT_TEST_H

/* cmocka.h needs them and does not include them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h" /* before cmocka's macro fail() */

#include <cmocka.h>

struct unit {
	struct CMUnitTest test;
	int line;
	struct unit *next;
};

/* Called before main() by the macros below. */
void unit_add(struct unit *unit);
void unit_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/* clang-format off */
/* A test between cmocka's @setup and @teardown; either may be NULL. */
#define TEST_WITH(name, setup, teardown)                                                           \
	static void test_##name(void **state);                                                     \
	__attribute__((constructor)) static void add_test_##name(void)                             \
	{                                                                                          \
		static struct unit unit = {                                                        \
			.test = { #name, test_##name, setup, teardown, NULL },                     \
			.line = __LINE__,                                                          \
		};                                                                                 \
                                                                                                   \
		unit_add(&unit);                                                                   \
	}                                                                                          \
	static void test_##name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* All tests of the file are between them; what @setup leaves in *state each test gets. */
#define TEST_GROUP(setup, teardown)                                                                \
	__attribute__((constructor)) static void group_tests(void)                                 \
	{                                                                                          \
		unit_group(setup, teardown);                                                       \
	}                                                                                          \
	struct unit
/* clang-format on */

#endif
