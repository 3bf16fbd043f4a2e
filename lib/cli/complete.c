// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Offers what can stand under the cursor: a command, an option, an operand, or an option's value.
 */
#include "lib/base/escape.h"
#include "lib/cli/complete.h"

#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/help.h"

void complete_offer(const struct completion *c, const char *word, const char *help)
{
	char safe[512];

	if (!has_prefix(word, c->begun))
		return;
	escape_text(help ? help : "", safe, sizeof(safe));
	fprintf(c->f, "%.*s%s\t%s\n", c->fixed_len, c->fixed, word, safe);
}

#define TRIED_WORDS 256 /* longer lines are not tried */

bool complete_accepted(const struct completion *c, const char *word, const char *more)
{
	char *argv[TRIED_WORDS];
	int argc = 0;

	if (!c->try_line)
		return true;
	for (; argc < c->n_line; argc++)
		argv[argc] = c->line[argc];
	if (word)
		argv[argc++] = (char *)word;
	if (more)
		argv[argc++] = (char *)more;
	argv[argc] = NULL;
	int err = c->try_line(c->cmd, argc, argv);
	if (err < 0 && err > EXIT_AS(0))
		*c->failed = err;
	return !err || err == EXIT_MISSING;
}

static void offer_commands(const struct completion *c)
{
	for (const struct cmd *const *list = c->commands; *list; list++)
		if (complete_accepted(c, (*list)->name, NULL))
			complete_offer(c, (*list)->name, (*list)->summary);
}

/* The option that @opt sets: itself, or the first of those that it is an alias of. */
static const struct opt *set_by(const struct completion *c, const struct opt *opt)
{
	char name[64];

	if (opt->type != OPT_TYPE_ALIAS)
		return opt;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(opt->alias + 2, " "), opt->alias + 2);
	return opt_find(c->groups, name, 0);
}

/* True if the line has @opt, or an alias of it, and another would only replace it. */
static bool is_set(const struct completion *c, const struct opt *opt)
{
	const struct opt *to = set_by(c, opt);

	if (to->type == OPT_TYPE_LIST || to->type == OPT_TYPE_SET_OF || to->type == OPT_TYPE_COUNT)
		return false;
	for (u32 i = 0; i < c->n_typed; i++)
		if (set_by(c, c->typed[i].opt) == to)
			return true;
	return false;
}

static void offer_option(const struct completion *c, const struct opt *opt, const char *long_name)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", long_name);
	if (!has_prefix(name, c->begun) || is_set(c, opt))
		return;
	if (opt_takes_value(opt) && !opt->optional ? complete_any_value(c, opt, name)
						   : complete_accepted(c, name, NULL))
		complete_offer(c, name, opt->help);
}

static void offer_options(const struct completion *c, bool program)
{
	for (const struct opt_group *g = c->groups; g->title; g++) {
		for (const struct opt *opt = g->opts; opt->type; opt++) {
			offer_option(c, opt, opt->name);
			if (opt->other)
				offer_option(c, opt, opt->other);
		}
	}
	if (program && complete_accepted(c, "--", "program"))
		complete_offer(c, "--", "run this program");
}

/*
 * Offers operands by their synopsis: lower-case words are offered as they are, COMMAND stands for
 * the subcommands, FILE for files. "--" is offered among the options.
 */
static void offer_operands(const struct completion *c, const char *synopsis)
{
	static const char literal[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	char word[32];

	if (synopsis && strstr(synopsis, "COMMAND"))
		offer_commands(c);
	if (synopsis && strstr(synopsis, "FILE") && complete_accepted(c, "file", NULL))
		fputs(":files\n", c->f);
	for (const char *p = synopsis ? synopsis : ""; *p;) {
		size_t len = strspn(p, literal);
		if (len && *p != '-' && len < sizeof(word)) {
			snprintf(word, sizeof(word), "%.*s", (int)len, p);
			if (complete_accepted(c, word, NULL))
				complete_offer(c, word, NULL);
		}
		p += len ? len : 1;
	}
}

static void add_typed(struct completion *c, const struct opt *opt, const char *value)
{
	if (c->n_typed < ARRAY_SIZE(c->typed))
		c->typed[c->n_typed++] = (struct completion_typed){ opt, value };
}

/* Notes the option in `--opt` or `--opt=VALUE`. Returns it if it takes the next word, or NULL. */
static const struct opt *read_long(struct completion *c, const char *word)
{
	const char *equals = strchr(word, '=');
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	const struct opt *opt = opt_find(c->groups, name, 0);
	if (!opt)
		return NULL;
	if (!equals && opt_takes_value(opt) && !opt->optional)
		return opt;
	add_typed(c, opt, equals ? equals + 1 : NULL);
	return NULL;
}

/* Notes the options in `-abc` or `-bVALUE`. Returns the one that takes the next word, or NULL. */
static const struct opt *read_letters(struct completion *c, const char *word)
{
	for (word++; *word; word++) {
		const struct opt *opt = opt_find(c->groups, NULL, *word);
		if (!opt)
			return NULL;
		if (opt_takes_value(opt)) {
			if (!word[1] && !opt->optional)
				return opt;
			add_typed(c, opt, word[1] ? word + 1 : NULL);
			return NULL;
		}
		add_typed(c, opt, NULL);
	}
	return NULL;
}

/*
 * Notes the options of the line. Returns the one whose value is under the cursor, or NULL; sets
 * *program to the number of words from `--` to the cursor, 0: there is none.
 */
static const struct opt *read_line(struct completion *c, int *program)
{
	const struct opt *pending = NULL;

	*program = 0;
	for (int i = 1; i < c->n_line; i++) {
		const char *word = c->line[i];
		if (pending) {
			add_typed(c, pending, word);
			pending = NULL;
		} else if (streq(word, "--")) {
			*program = c->n_line - i;
			return NULL;
		} else if (has_prefix(word, "--")) {
			pending = read_long(c, word);
		} else if (word[0] == '-') {
			pending = read_letters(c, word);
		}
	}
	return pending;
}

/* Completes the value of `--opt=VALUE`; false when the word is not of that form. */
static bool inline_value(struct completion *c)
{
	const char *equals = strchr(c->begun, '=');
	char name[64];

	if (!has_prefix(c->begun, "--") || !equals || equals - c->begun - 2 >= (int)sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - c->begun - 2), c->begun + 2);
	const struct opt *opt = opt_find(c->groups, name, 0);
	c->fixed = c->begun;
	c->fixed_len = (int)(equals + 1 - c->begun);
	c->begun = equals + 1;
	if (opt && opt_takes_value(opt))
		complete_value(c, c->cmd, opt);
	return true;
}

/* A line that is refused already tells nothing of its candidates: all are offered. */
static void try_before(struct completion *c, bool pending)
{
	c->n_line -= pending;
	if (c->n_line > TRIED_WORDS - 3 || !complete_accepted(c, NULL, NULL))
		c->try_line = NULL;
	c->n_line += pending;
}

static void complete_command(struct completion *c)
{
	struct common common = { 0 };
	struct opt_group groups[COMMON_GROUPS];
	int program;

	common_groups(c->cmd, &common, NULL, groups);
	c->groups = groups;
	const struct opt *pending = read_line(c, &program);
	if (program) {
		fputs(program == 1 ? ":commands\n" : ":files\n", c->f);
		return;
	}
	try_before(c, pending);
	if (pending)
		complete_value(c, c->cmd, pending);
	else if (inline_value(c))
		return;
	else if (c->begun[0] == '-')
		offer_options(c, c->cmd->takes & TAKES_RUN);
	else if (c->cmd->takes & (TAKES_OPERANDS | TAKES_FILES))
		offer_operands(c, c->cmd->operands);
}

int complete_words(FILE *f, const struct cmd *const *list, complete_try *try_line, int argc,
		   char **argv)
{
	int failed = 0;
	struct completion c = { .f = f,
				.commands = list,
				.fixed = "",
				.begun = argc > 0 ? argv[argc - 1] : "",
				.failed = &failed };

	c.cmd = argc > 1 ? cmd_find(list, argv[0]) : NULL;
	if (c.cmd) {
		c.try_line = try_line;
		c.line = argv;
		c.n_line = argc - 1;
		complete_command(&c);
	} else if (argc <= 1) {
		offer_commands(&c);
		if (c.begun[0] == '-') {
			complete_offer(&c, "--help", "commands and exit statuses");
			complete_offer(&c, "--version", "versions");
			complete_offer(&c, "--install", "make links nvmetool-COMMAND");
		}
	} else if (argc == 2 && streq(argv[0], "--install")) {
		fputs(":dirs\n", f);
	}
	return failed ? fail(failed, NULL, NULL, "cannot try the line") : help_flush(f);
}

int complete_script(FILE *f, const char *shell)
{
	const struct blob *script = embed_find("completion", shell);

	if (!script)
		return fail_usage("no such shell", "use bash, zsh or fish", "%s", shell);
	fwrite(script->data, 1, script->size, f);
	return help_flush(f);
}
