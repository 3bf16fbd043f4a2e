// SPDX-License-Identifier: GPL-2.0-or-later
/* -h, help and --version: walks over the tables. */
#include "lib/cli/help.h"

#include <bpf/libbpf.h>
#include <elfutils/version.h>
#include <zlib.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

#define WIDTH	    79 /* of a line */
#define TEXT_COLUMN 27 /* where explanations start */
#define NAME_COLUMN 14 /* of commands */
#define CODE_COLUMN 7 /* of exit statuses */
#define TEXT_MAX    512

const struct help_status help_statuses[] = {
	{ EXIT_OK, "success, also after Ctrl-C and when the reader closed the pipe" },
	{ EXIT_RUNTIME, "run-time failure: I/O error, out of memory, output cannot be written" },
	{ EXIT_USAGE, "bad command line" },
	{ EXIT_PERMISSION, "not permitted: not root, CAP_BPF or CAP_PERFMON missing, lockdown" },
	{ EXIT_KERNEL, "this kernel cannot trace: no BTF, no NVMe driver, program rejected" },
	{ EXIT_NOTHING, "nothing to work on: no such device or process; input empty or damaged" },
	{ EXIT_CONDITION, "a --fail-if condition was true, or no command matched" },
	{ EXIT_INCOMPLETE, "--strict was given and the data is incomplete" },
	{ EXIT_NOT_EXECUTABLE, "the program after -- cannot be executed" },
	{ EXIT_NOT_FOUND, "the program after -- was not found" },
	{ EXIT_SECOND_SIGINT, "Ctrl-C was pressed twice" },
	{ 0, NULL },
};

int help_flush(FILE *f)
{
	/*
	 * A write that failed before was the last to set errno: printing a text is nothing but
	 * writes.
	 */
	int err = fflush(f) || ferror(f) ? errno : 0;

	if (!err || err == EPIPE)
		return 0;
	return fail(-err, NULL, NULL, "standard output");
}

/* Prints @text from column @column on, broken at blanks; further lines start at @indent. */
static void wrap(FILE *f, const char *text, int column, int indent)
{
	while (*text) {
		size_t room = (size_t)(WIDTH - column), len = strcspn(text, "\n");
		if (len > room) {
			len = room + 1;
			while (len && text[len - 1] != ' ')
				len--;
			len = len ? len - 1 : strcspn(text, " \n");
		}
		fprintf(f, "%.*s\n", (int)len, text);
		text += len;
		text += strspn(text, " \n");
		column = indent;
		if (*text)
			fprintf(f, "%*s", indent, "");
	}
}

/* Prints paragraphs, which empty lines separate. A line that begins with a blank is not broken. */
static void paragraphs(FILE *f, const char *text)
{
	char joined[2048];

	while (*text) {
		size_t used = 0;
		if (*text == ' ') {
			size_t len = strcspn(text, "\n");
			fprintf(f, "%.*s\n", (int)len, text);
			text += len + (text[len] == '\n');
			continue;
		}
		if (*text == '\n') {
			fputc(*text++, f);
			continue;
		}
		while (*text && *text != '\n' && *text != ' ' && used < sizeof(joined) - 2) {
			size_t len = strcspn(text, "\n");
			if (len > sizeof(joined) - 2 - used)
				len = sizeof(joined) - 2 - used;
			memcpy(joined + used, text, len);
			used += len;
			joined[used++] = ' ';
			text += len + (text[len] == '\n');
		}
		joined[used - 1] = '\0';
		wrap(f, joined, 0, 0);
	}
}

/* Prints ` LEFT text` with the text at @column, on a line of its own when LEFT is too long. */
static void entry_at(FILE *f, int column, const char *left, const char *text)
{
	int len = fprintf(f, "  %s", left);

	if (len > column - 2) {
		fputc('\n', f);
		len = 0;
	}
	fprintf(f, "%*s", column - len, "");
	wrap(f, *text ? text : "-", column, column);
}

static void entry(FILE *f, const char *left, const char *text)
{
	entry_at(f, TEXT_COLUMN, left, text);
}

static size_t add_words(char *buf, size_t size, size_t used, const char *sep,
			const struct opt_word *words)
{
	for (; words && words->word && used < size; words++) {
		used += (size_t)snprintf(buf + used, size - used, "%s%s", sep, words->word);
		sep = ", ";
	}
	return used;
}

void help_option_text(const struct cmd *cmd, const struct opt *opt, char *buf, size_t size)
{
	const char *def = opt->def ? opt->def : opt->def_absent;
	size_t used = (size_t)snprintf(buf, size, "%s", opt->help);

	if (opt->type == OPT_TYPE_ALIAS)
		used += (size_t)snprintf(buf + used, size - used, "; alias of %s", opt->alias);
	used = add_words(buf, size, used, ": ", opt->words);
	if (opt->hint == HINT_FORMAT)
		used = add_words(buf, size, used, ", ", cmd->formats);
	if (opt->hint == HINT_CONDITION && used + 2 < size) {
		used += (size_t)snprintf(buf + used, size - used, ": ");
		used += expr_help(cmd->rows, buf + used, size - used);
	}
	if (def && used < size)
		snprintf(buf + used, size - used, " [%s]", def);
}

/* Writes what -h says of an option: one line, with the words and the default that fit. */
static void brief_text(const struct cmd *cmd, const struct opt *opt, char *buf, size_t size)
{
	const char *text = opt->brief ? opt->brief : opt->help;

	help_option_text(cmd, opt, buf, size);
	if (!opt->brief && strlen(buf) <= WIDTH - TEXT_COLUMN)
		return;
	snprintf(buf, size, opt->def ? "%s [%s]" : "%s", text, opt->def);
	if (strlen(buf) > WIDTH - TEXT_COLUMN)
		snprintf(buf, size, "%s", text);
}

/* Prints an option; @brief: with one of its names, in a line. */
static void option(FILE *f, const struct cmd *cmd, const struct opt *opt, bool brief)
{
	char left[100], text[TEXT_MAX];
	int used = snprintf(left, sizeof(left), opt->letter ? "-%c, " : "    ", opt->letter);

	if (opt->other_letter && !brief)
		used += snprintf(left + used, sizeof(left) - (size_t)used, "-%c, ",
				 opt->other_letter);
	used += snprintf(left + used, sizeof(left) - (size_t)used, "--%s", opt->name);
	if (opt->other && !brief)
		used += snprintf(left + used, sizeof(left) - (size_t)used, ", --%s", opt->other);
	if (opt_takes_value(opt))
		snprintf(left + used, sizeof(left) - (size_t)used, opt->optional ? "[=%s]" : " %s",
			 opt->arg);
	if (brief)
		brief_text(cmd, opt, text, sizeof(text));
	else
		help_option_text(cmd, opt, text, sizeof(text));
	entry(f, left, text);
}

const char *help_operands(const struct cmd *cmd)
{
	if (cmd->operands)
		return cmd->operands;
	return cmd->takes & TAKES_RUN ? "[INTERVAL [COUNT]] [-- PROGRAM...]" : "";
}

/* Adds the options of @groups that are just so @main and @rare. Returns how many there are. */
static u32 add_options(struct help_option *list, u32 n, const struct opt_group *groups, bool main,
		       bool rare)
{
	for (const struct opt_group *g = groups; g->title; g++) {
		for (const struct opt *opt = g->opts; opt->type && n < HELP_OPTIONS; opt++) {
			if (opt->main == main && opt->rare == rare)
				list[n++] = (struct help_option){ main	 ? "Main options"
								  : rare ? "Rarely needed"
									 : g->title,
								  opt };
		}
	}
	return n;
}

u32 help_options(const struct cmd *cmd, struct help_option list[HELP_OPTIONS])
{
	struct common common = { 0 };
	struct opt_group groups[COMMON_GROUPS];
	u32 n;

	common_groups(cmd, &common, NULL, groups);
	n = add_options(list, 0, groups, true, false);
	n = add_options(list, n, groups, false, false);
	return add_options(list, n, groups, false, true);
}

/*
 * Prints all options under headings; @brief: only the options that most people need. Returns how
 * many there are.
 */
static u32 options(FILE *f, const struct cmd *cmd, bool brief)
{
	struct help_option list[HELP_OPTIONS];
	u32 n = help_options(cmd, list), i;

	for (i = 0; i < n && (!brief || list[i].opt->main); i++) {
		if (!brief && (!i || !streq(list[i].title, list[i - 1].title)))
			fprintf(f, "\n%s\n", list[i].title);
		option(f, cmd, list[i].opt, brief);
	}
	return i;
}

static void synopsis(FILE *f, const struct cmd *cmd)
{
	const char *operands = help_operands(cmd);

	fprintf(f, "usage: nvmetool %s%s [OPTIONS]%s%s\n", cmd->name,
		cmd->takes & NEEDS_FILE ? " -w FILE" : "", *operands ? " " : "", operands);
}

/* Prints the first examples, a line for each, with the captions as shell comments. */
static void main_examples(FILE *f, const struct example *examples)
{
	size_t widest = 0;

	for (u32 i = 0; i < EXAMPLES_MAIN && examples[i].line; i++)
		if (strlen(examples[i].line) > widest)
			widest = strlen(examples[i].line);
	for (u32 i = 0; i < EXAMPLES_MAIN && examples[i].line; i++)
		fprintf(f, "  %-*s  # %s\n", (int)widest, examples[i].line, examples[i].caption);
}

int help_brief(FILE *f, const struct cmd *cmd)
{
	fprintf(f, "nvmetool %s: %s\n", cmd->name, cmd->summary);
	synopsis(f, cmd);
	fputc('\n', f);
	if (options(f, cmd, true))
		fputc('\n', f);
	main_examples(f, cmd->examples);
	fprintf(f, "\nAll options, fields and more examples: nvmetool help %s\n", cmd->name);
	return help_flush(f);
}

const struct schema *help_same_fields(const struct cmd *cmd, const struct schema *schema)
{
	const struct schema *const *first = cmd->schemas;

	while ((*first)->fields != schema->fields)
		first++;
	return *first == schema ? NULL : *first;
}

static void fields(FILE *f, const struct cmd *cmd, const struct schema *schema)
{
	const struct schema *same = help_same_fields(cmd, schema);

	fprintf(f, "\nFields of \"%s\": %s\n", schema->type, schema->help ? schema->help : "");
	if (same) {
		fprintf(f, "  the same as of \"%s\"\n", same->type);
		return;
	}
	for (const struct field *field = schema->fields; field->type; field++)
		entry(f, field->name, field->help ? field->help : "");
}

int help_command(FILE *f, const struct cmd *cmd)
{
	fprintf(f, "nvmetool %s: %s\n\n", cmd->name, cmd->summary);
	synopsis(f, cmd);
	if (cmd->about) {
		fputc('\n', f);
		paragraphs(f, cmd->about);
	}
	options(f, cmd, false);
	for (u32 i = 0; cmd->schemas && cmd->schemas[i]; i++)
		fields(f, cmd, cmd->schemas[i]);
	fputs("\nExamples\n", f);
	for (const struct example *e = cmd->examples; e->line; e++)
		fprintf(f, "%s  %s:\n    %s\n", e == cmd->examples ? "" : "\n", e->caption,
			e->line);
	return help_flush(f);
}

static void commands_of(FILE *f, const struct cmd *const *list)
{
	fputs("nvmetool: show what NVMe drives do, with BPF\n"
	      "usage: nvmetool COMMAND [OPTIONS] [INTERVAL [COUNT]] [-- PROGRAM...]\n\n",
	      f);
	for (; *list; list++)
		entry_at(f, NAME_COLUMN, (*list)->name, (*list)->summary);
}

int help_commands(FILE *f, const struct cmd *const *list)
{
	commands_of(f, list);
	fputs("\nA command: nvmetool COMMAND -h, and all about it: nvmetool help COMMAND\n"
	      "Exit statuses, versions, links for commands: nvmetool help\n",
	      f);
	return help_flush(f);
}

int help_overview(FILE *f, const struct cmd *const *list)
{
	commands_of(f, list);
	fputs("\nMore\n", f);
	entry(f, "nvmetool COMMAND -h", "the main options and some examples of a command");
	entry(f, "nvmetool help COMMAND", "all its options, fields and examples");
	entry(f, "nvmetool help hosts", "kernels, privileges and limits");
	entry(f, "nvmetool help findings", "what report looks for");
	entry(f, "nvmetool --install DIR", "make links nvmetool-COMMAND in DIR");
	entry(f, "nvmetool --version", "print the versions of nvmetool and of its libraries");
	fputs("\nExit status\n", f);
	for (const struct help_status *s = help_statuses; s->text; s++) {
		char code[12];
		snprintf(code, sizeof(code), "%d", s->code);
		entry_at(f, CODE_COLUMN, code, s->text);
	}
	return help_flush(f);
}

int help_version(FILE *f)
{
#ifdef __GLIBC__
	static const char libc[] = "glibc";
#else
	static const char libc[] = "musl";
#endif
	fprintf(f, "nvmetool %s\nlibbpf %s, libelf 0.%d, zlib %s, %s\n", NVT_VERSION,
		libbpf_version_string(), _ELFUTILS_VERSION, zlibVersion(), libc);
	return help_flush(f);
}
