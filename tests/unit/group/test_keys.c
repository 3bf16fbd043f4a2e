// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of keys against the tables of the commands that take --by. */
#include "cmd/commands.h"
#include "lib/base/str.h"
#include "lib/group/key.h"
#include "tests/unit/test.h"

/* Each key of enum key is there once, with columns that are absent until they are asked for. */
TEST(every_key)
{
	u32 seen = 1 << KEY_NONE;

	for (const struct key_info *k = key_infos; k->key; k++) {
		assert_false(seen >> k->key & 1);
		seen |= 1U << k->key;
		assert_non_null(k->fill);
		assert_non_null(k->show);
		assert_true(k->text || k->text_at || k->number_at);
		assert_true(k->fields->type);
		for (const struct field *f = k->fields; f->type; f++)
			assert_true(f->flags & FIELD_ABSENT);
	}
	assert_int_equal(seen, (1U << KEY_MAX) - 1);
}

static const struct opt *by_option(const struct cmd *cmd)
{
	for (const struct opt *opt = cmd->opts; opt && opt->type; opt++)
		if (opt->name && streq(opt->name, "by"))
			return opt;
	return NULL;
}

static u64 keys_of(const struct opt *by)
{
	u64 keys = 0;

	for (const struct opt_word *w = by->words; w->word; w++)
		keys |= 1ULL << w->value;
	return keys;
}

/* The columns of rows by key: of several records of a command these alone are of an interval. */
static const struct field *columns_of(const struct cmd *cmd)
{
	for (u32 i = 0; cmd->schemas && cmd->schemas[i]; i++)
		for (const struct field *f = cmd->schemas[i]->fields; f->type; f++)
			if (streq(f->name, "interval_ns"))
				return cmd->schemas[i]->fields;
	return cmd->schemas && cmd->schemas[0] ? cmd->schemas[0]->fields : NULL;
}

static void has_column(const struct field *columns, const struct field *want)
{
	const struct field *f = columns;

	while (f->type && !streq(f->name, want->name))
		f++;
	assert_int_equal(f->type, want->type);
	assert_int_equal(f->at, want->at);
	assert_true(f->flags & FIELD_ABSENT);
}

/* The columns of the keys that a command takes, and of no others. */
TEST(columns_of_commands)
{
	u32 commands_by = 0;

	for (u32 i = 0; commands[i]; i++) {
		const struct opt *by = by_option(commands[i]);
		const struct field *columns = columns_of(commands[i]);

		if (!by || !columns) /* metrics have labels, not columns */
			continue;
		commands_by++;
		for (const struct key_info *k = key_infos; k->key; k++)
			for (const struct field *want = k->fields;
			     keys_of(by) >> k->key & 1 && want->type; want++)
				has_column(columns, want);
	}
	assert_int_equal(commands_by, 6);
}
