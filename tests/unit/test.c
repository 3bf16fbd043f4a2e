// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the tests of a program: all, or those whose names match the pattern that it is given. */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>

static struct unit *first;
static size_t count;
static CMFixtureFunction group_setup, group_teardown;

/* Compilers may call constructors in any order, so each goes where its line belongs. */
void unit_add(struct unit *unit)
{
	struct unit **at = &first;

	while (*at && (*at)->line < unit->line)
		at = &(*at)->next;
	unit->next = *at;
	*at = unit;
	count++;
}

void unit_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	group_setup = setup;
	group_teardown = teardown;
}

int main(int argc, char **argv)
{
	struct CMUnitTest *tests = calloc(count + 1, sizeof(*tests));
	size_t n = 0;
	int failed;

	if (!tests)
		return 1;
	for (const struct unit *unit = first; unit; unit = unit->next)
		tests[n++] = unit->test;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = _cmocka_run_group_tests(program_invocation_short_name, tests, n, group_setup,
					 group_teardown);
	free(tests);
	return failed;
}
