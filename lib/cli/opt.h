// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options as constant data: one table per command or option group, from which parsing, help, the
 * man page and shell completion follow.
 *
 * An option writes into a member of its group's struct at `at`; OPT_FIT checks the member's C type
 * at compile time. Defaults are text, parsed by the same code as the user's words.
 */
#ifndef NVT_CLI_OPT_H
#define NVT_CLI_OPT_H

#include "lib/base/types.h"

enum opt_type {
	OPT_END_OF_TABLE,
	OPT_TYPE_FLAG, /* bool: set to true */
	OPT_TYPE_SET, /* bool: true until typed, then false (--no-header) */
	OPT_TYPE_COUNT, /* u32: raised by one (-v) */
	OPT_TYPE_U32, /* u32 within [min, max] */
	OPT_TYPE_U64, /* u64 within [min, max] */
	OPT_TYPE_TIME, /* u64 nanoseconds: 500us, 2ms, 1m; a bare number is seconds */
	OPT_TYPE_SIZE, /* u64 bytes: 64k, 8M, powers of 1024 */
	OPT_TYPE_STR, /* const char * into argv */
	OPT_TYPE_ENUM, /* u32: .value of the word in `words` */
	OPT_TYPE_SET_OF, /* u64: OR of 1 << .value of the words in a comma list, repetitions ORed */
	OPT_TYPE_LIST, /* struct opt_list: words as typed, commas left in; repetitions appended */
	OPT_TYPE_CALL, /* parse() gets the group's struct and the word */
	OPT_TYPE_ALIAS, /* as if `alias` had been typed: long options, the last may have a value */
};

/* A word that an option takes, with the number it stands for. Ends with {NULL}. */
struct opt_word {
	const char *word;
	u32 value;
	const char *help;
};

/* Words of a list option in the order typed; pointers into argv. */
struct opt_list {
	const char *word[64];
	u32 n;
};

/* Values that shell completion offers. */
enum opt_hint {
	HINT_NONE,
	HINT_FILE,
	HINT_DIR,
	HINT_CTRL,
	HINT_NSID,
	HINT_DEVICE,
	HINT_OPCODE,
	HINT_PID,
	HINT_CGROUP,
	HINT_COLUMN,
	HINT_FORMAT,
	HINT_CONDITION,
	HINT_TIMES,
};

struct opt {
	const char *name; /* long name with dashes; "_" typed for "-" is accepted */
	const char *other; /* a second long name, or NULL */
	char letter; /* 0: none */
	char other_letter; /* a second letter (-o for -f), or 0 */
	enum opt_type type;
	bool main; /* one of the few that -h shows, and that come first in help */
	bool rare; /* one that few people need: comes last in help */
	bool optional; /* value may be absent: --split-size[=LIST]; then `def_absent` is parsed */
	const char *arg; /* name of the value in help: TIME */
	const char *def; /* default as the user would type it, NULL: the member as it is */
	const char *def_absent;
	const char *help; /* one line, lower case, no full stop */
	const char *brief; /* the same for -h, in 50 characters, where help is longer; or NULL */
	const struct opt_word *words; /* of a list or callback: offered by help and completion */
	const char *alias;
	u64 min, max; /* of numbers, times and sizes; max 0 means no bound */
	size_t at; /* offset of the member */
	enum opt_hint hint;
	/*
	 * OPT_TYPE_CALL: 0, or fail_usage()'s value. @group is the group's struct, @arg NULL for a
	 * flag.
	 */
	int (*parse)(void *group, const char *arg);
};

/* True when the option is followed by a value (an optional one included). */
bool opt_takes_value(const struct opt *opt);

/* clang-format off */
#define OPT_FIT(group, m, ctype)							\
	(offsetof(group, m) + 0 * sizeof(struct {					\
		_Static_assert(__builtin_types_compatible_p(				\
			__typeof__(((group *)0)->m), ctype), #m " is not " #ctype);	\
		char c; }))

#define OPT_FLAG(group, m, ...)   { .type = OPT_TYPE_FLAG, .at = OPT_FIT(group, m, bool), __VA_ARGS__ }
#define OPT_UNSET(group, m, ...)  { .type = OPT_TYPE_SET, .at = OPT_FIT(group, m, bool), __VA_ARGS__ }
#define OPT_COUNT(group, m, ...)  { .type = OPT_TYPE_COUNT, .at = OPT_FIT(group, m, u32), __VA_ARGS__ }
#define OPT_U32(group, m, ...)    { .type = OPT_TYPE_U32, .at = OPT_FIT(group, m, u32), __VA_ARGS__ }
#define OPT_U64(group, m, ...)    { .type = OPT_TYPE_U64, .at = OPT_FIT(group, m, u64), __VA_ARGS__ }
#define OPT_TIME(group, m, ...)   { .type = OPT_TYPE_TIME, .at = OPT_FIT(group, m, u64), __VA_ARGS__ }
#define OPT_SIZE(group, m, ...)   { .type = OPT_TYPE_SIZE, .at = OPT_FIT(group, m, u64), __VA_ARGS__ }
#define OPT_STR(group, m, ...)    { .type = OPT_TYPE_STR, .at = OPT_FIT(group, m, const char *), __VA_ARGS__ }
#define OPT_ENUM(group, m, ...)   { .type = OPT_TYPE_ENUM, .at = OPT_FIT(group, m, u32), __VA_ARGS__ }
#define OPT_SET_OF(group, m, ...) { .type = OPT_TYPE_SET_OF, .at = OPT_FIT(group, m, u64), __VA_ARGS__ }
#define OPT_LIST(group, m, ...)   { .type = OPT_TYPE_LIST, .at = OPT_FIT(group, m, struct opt_list), __VA_ARGS__ }
#define OPT_CALL(fn, ...)         { .type = OPT_TYPE_CALL, .parse = fn, __VA_ARGS__ }
#define OPT_ALIAS(words, ...)     { .type = OPT_TYPE_ALIAS, .alias = words, __VA_ARGS__ }
#define OPT_DONE                  { .type = OPT_END_OF_TABLE }
/* clang-format on */

/* A table, the struct its options write into, and its heading in help. */
struct opt_group {
	const char *title;
	const struct opt *opts;
	void *into;
};

/* The words of the command line that are not options. */
struct opt_rest {
	const char *word[64]; /* operands, in order */
	u32 n;
	char **program; /* behind `--`, NULL-terminated; NULL: no `--` */
};

/*
 * Sets every default of @groups (ended by a NULL title), then parses @argv[1..]. Long names are
 * checked whole, no prefix matches; `_` equals `-`. 0, EXIT_AS(EXIT_USAGE) after a message that
 * names the nearest known option, or -ENOMEM. @rest and text options point into @argv. A default of
 * a list or a set is replaced by the first word typed; a callback sees its default first and
 * decides itself.
 */
int opt_parse(const struct opt_group *groups, int argc, char **argv, struct opt_rest *rest);

/*
 * Returns the option of @groups that @name (without dashes, '_' for '-' allowed) or @letter means,
 * or NULL.
 */
const struct opt *opt_find(const struct opt_group *groups, const char *name, char letter);

#endif
