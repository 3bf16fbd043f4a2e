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

static void offer_commands(const struct completion *c)
{
	for (const struct cmd *const *list = c->commands; *list; list++)
		complete_offer(c, (*list)->name, (*list)->summary);
}

static void offer_options(const struct completion *c, const struct opt_group *groups, bool program)
{
	for (; groups->title; groups++) {
		for (const struct opt *opt = groups->opts; opt->type; opt++) {
			char name[64];
			snprintf(name, sizeof(name), "--%s", opt->name);
			complete_offer(c, name, opt->help);
			if (!opt->other)
				continue;
			snprintf(name, sizeof(name), "--%s", opt->other);
			complete_offer(c, name, opt->help);
		}
	}
	if (program)
		complete_offer(c, "--", "run this program");
}

/*
 * Offers operands by their synopsis: lower-case words are offered as they are, COMMAND stands for
 * the subcommands, FILE for files.
 */
static void offer_operands(const struct completion *c, const char *synopsis)
{
	static const char literal[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	char word[32];

	if (synopsis && strstr(synopsis, "COMMAND"))
		offer_commands(c);
	if (synopsis && strstr(synopsis, "FILE"))
		fputs(":files\n", c->f);
	for (const char *p = synopsis ? synopsis : ""; *p;) {
		size_t len = strspn(p, literal);
		if (len && len < sizeof(word)) {
			snprintf(word, sizeof(word), "%.*s", (int)len, p);
			complete_offer(c, word, NULL);
		}
		p += len ? len : 1;
	}
}

/* Returns the option in `-abc` or `--opt` that takes the next word as its value, or NULL. */
static const struct opt *wants_next(const struct opt_group *groups, const char *word)
{
	const struct opt *opt;

	if (has_prefix(word, "--")) {
		opt = opt_find(groups, word + 2, 0);
		return opt && opt_takes_value(opt) && !opt->optional ? opt : NULL;
	}
	for (word++; *word; word++) {
		opt = opt_find(groups, NULL, *word);
		if (!opt)
			return NULL;
		if (opt_takes_value(opt))
			return word[1] || opt->optional ? NULL : opt;
	}
	return NULL;
}

/* Completes the value of `--opt=VALUE`; false when the word is not of that form. */
static bool inline_value(struct completion *c, const struct cmd *cmd,
			 const struct opt_group *groups)
{
	const char *equals = strchr(c->begun, '=');
	char name[64];

	if (!has_prefix(c->begun, "--") || !equals || equals - c->begun - 2 >= (int)sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - c->begun - 2), c->begun + 2);
	const struct opt *opt = opt_find(groups, name, 0);
	c->fixed = c->begun;
	c->fixed_len = (int)(equals + 1 - c->begun);
	c->begun = equals + 1;
	if (opt && opt_takes_value(opt))
		complete_value(c, cmd, opt);
	return true;
}

/* @argv: the words behind the command, the last one under the cursor. */
static void complete_command(struct completion *c, const struct cmd *cmd, int argc, char **argv)
{
	struct common common = { 0 };
	struct opt_group groups[COMMON_GROUPS];
	const struct opt *pending = NULL;

	common_groups(cmd, &common, NULL, groups);
	for (int i = 0; i < argc - 1; i++) {
		if (pending) {
			pending = NULL;
		} else if (streq(argv[i], "--")) {
			fputs(i == argc - 2 ? ":commands\n" : ":files\n", c->f);
			return;
		} else if (argv[i][0] == '-') {
			pending = wants_next(groups, argv[i]);
		}
	}
	if (pending)
		complete_value(c, cmd, pending);
	else if (inline_value(c, cmd, groups))
		return;
	else if (c->begun[0] == '-')
		offer_options(c, groups, cmd->takes & TAKES_RUN);
	else if (cmd->takes & (TAKES_OPERANDS | TAKES_FILES))
		offer_operands(c, cmd->operands);
}

int complete_words(FILE *f, const struct cmd *const *list, int argc, char **argv)
{
	struct completion c = {
		.f = f, .commands = list, .fixed = "", .begun = argc > 0 ? argv[argc - 1] : ""
	};
	const struct cmd *cmd = argc > 1 ? cmd_find(list, argv[0]) : NULL;

	if (cmd) {
		complete_command(&c, cmd, argc - 1, argv + 1);
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
	return help_flush(f);
}

int complete_script(FILE *f, const char *shell)
{
	const struct blob *script = embed_find("completion", shell);

	if (!script)
		return fail_usage("no such shell", "use bash, zsh or fish", "%s", shell);
	fwrite(script->data, 1, script->size, f);
	return help_flush(f);
}
