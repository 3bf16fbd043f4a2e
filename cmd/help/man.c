// SPDX-License-Identifier: GPL-2.0-or-later
/* Manual pages in mdoc(7), from the same tables as --help. */
#include "cmd/help/man.h"

#include "lib/base/str.h"
#include "lib/cli/help.h"

#define TEXT_MAX 512

/* Prints @s up to @len bytes so that roff reads no request, escape or macro in it. */
static void text_n(FILE *f, const char *s, size_t len)
{
	if (len && (s[0] == '.' || s[0] == '\''))
		fputs("\\&", f);
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\')
			fputs("\\e", f);
		else if (s[i] == '-')
			fputs("\\-", f);
		else
			fputc(s[i], f);
	}
}

static void text(FILE *f, const char *s)
{
	text_n(f, s, strlen(s));
	fputc('\n', f);
}

/*
 * Prints the lines of @s as help does: an empty line separates paragraphs, a line that begins with
 * a blank is not broken.
 */
static void paragraphs(FILE *f, const char *s)
{
	bool literal = false;

	while (*s) {
		size_t len = strcspn(s, "\n");
		bool keep = *s == ' ';
		if (keep != literal)
			fputs(keep ? ".Bd -literal\n" : ".Ed\n", f);
		literal = keep;
		if (len) {
			text_n(f, s, len);
			fputc('\n', f);
		} else if (s[1] && s[1] != ' ') {
			fputs(".Pp\n", f);
		}
		s += len + (s[len] == '\n');
	}
	if (literal)
		fputs(".Ed\n", f);
}

static void head(FILE *f, const char *name, const char *summary)
{
	fprintf(f, ".\\\" Written by nvmetool help --man\n.Dd November 24, 2026\n.Dt ");
	for (const char *p = name; *p; p++)
		fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, f);
	fprintf(f, " 1\n.Os nvmetool " NVT_VERSION "\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n",
		name, summary);
}

/* Prints what the words of an option mean. Words without help speak for themselves. */
static void words(FILE *f, const struct opt_word *list)
{
	if (!list || !list->help)
		return;
	fputs(".Bl -tag -width 8n -compact\n", f);
	for (; list->word; list++) {
		fprintf(f, ".It Cm %s\n", list->word);
		text(f, list->help ? list->help : "");
	}
	fputs(".El\n", f);
}

static void option(FILE *f, const struct cmd *cmd, const struct opt *opt)
{
	char help[TEXT_MAX];

	fputs(".It", f);
	if (opt->letter)
		fprintf(f, " Fl %c ,", opt->letter);
	if (opt->other_letter)
		fprintf(f, " Fl %c ,", opt->other_letter);
	fprintf(f, " Fl Fl %s", opt->name);
	if (opt->other)
		fprintf(f, " , Fl Fl %s", opt->other);
	if (opt_takes_value(opt))
		fprintf(f, opt->optional ? " Ns Op = Ns Ar %s" : " Ar %s", opt->arg);
	fputc('\n', f);
	help_option_text(cmd, opt, help, sizeof(help));
	text(f, help);
	words(f, opt->words);
	if (opt->hint == HINT_FORMAT)
		words(f, cmd->formats);
}

static void options(FILE *f, const struct cmd *cmd)
{
	struct help_option list[HELP_OPTIONS];
	u32 n = help_options(cmd, list);

	fputs(".Sh OPTIONS\n", f);
	for (u32 i = 0; i < n; i++) {
		if (!i || !streq(list[i].title, list[i - 1].title))
			fprintf(f, ".Ss %s\n.Bl -tag -width Ds\n", list[i].title);
		option(f, cmd, list[i].opt);
		if (i + 1 == n || !streq(list[i].title, list[i + 1].title))
			fputs(".El\n", f);
	}
}

static void output(FILE *f, const struct cmd *cmd)
{
	if (!cmd->schemas || !cmd->schemas[0])
		return;
	fputs(".Sh OUTPUT\nNames of fields in JSON and CSV, and for\n.Fl Fl columns .\n", f);
	for (u32 i = 0; cmd->schemas[i]; i++) {
		const struct schema *schema = cmd->schemas[i];
		fprintf(f, ".Ss Records of type %s\n", schema->type);
		const struct schema *same = help_same_fields(cmd, schema);
		if (schema->help)
			text(f, schema->help);
		if (same) {
			fprintf(f, ".Pp\nThe fields are those of\n.Va %s .\n", same->type);
			continue;
		}
		fputs(".Bl -tag -width submit_cpu\n", f);
		for (const struct field *field = schema->fields; field->type; field++) {
			fprintf(f, ".It Va %s\n", field->name);
			text(f, field->help ? field->help : "");
		}
		fputs(".El\n", f);
	}
}

static void statuses(FILE *f)
{
	fputs(".Sh EXIT STATUS\n.Bl -tag -width 126\n", f);
	for (const struct help_status *s = help_statuses; s->text; s++) {
		fprintf(f, ".It %d\n", s->code);
		text(f, s->text);
	}
	fputs(".El\n", f);
}

static void examples(FILE *f, const struct example *e)
{
	fputs(".Sh EXAMPLES\n", f);
	while (e->line) {
		text_n(f, e->caption, strlen(e->caption));
		fputs(":\n.Bd -literal -offset indent -compact\n", f);
		text(f, e->line);
		e++;
		fputs(e->line ? ".Ed\n.Pp\n" : ".Ed\n", f);
	}
}

int man_command(FILE *f, const struct cmd *cmd)
{
	char name[64];

	snprintf(name, sizeof(name), "nvmetool-%s", cmd->name);
	head(f, name, cmd->summary);
	fprintf(f, ".Nm nvmetool\n.Cm %s\n%s.Op Ar OPTIONS\n", cmd->name,
		cmd->takes & NEEDS_FILE ? ".Fl w Ar FILE\n" : "");
	if (*help_operands(cmd))
		text(f, help_operands(cmd));
	if (cmd->about) {
		fputs(".Sh DESCRIPTION\n", f);
		paragraphs(f, cmd->about);
	}
	options(f, cmd);
	output(f, cmd);
	statuses(f);
	examples(f, cmd->examples);
	fputs(".Sh SEE ALSO\n.Xr nvmetool 1\n", f);
	return help_flush(f);
}

int man_overview(FILE *f, const struct cmd *const *list)
{
	head(f, "nvmetool", "show what NVMe drives do, with BPF");
	fputs(".Nm\n.Ar COMMAND\n.Op Ar OPTIONS\n.Op Ar INTERVAL Op Ar COUNT\n"
	      ".Op Fl \\&- Ar PROGRAM ...\n"
	      ".Nm\n.Fl Fl install Ar DIR\n"
	      ".Nm\n.Fl Fl version\n"
	      ".Sh DESCRIPTION\n"
	      "Observes the NVMe commands of the running kernel;\n"
	      "it sends none and writes to no drive.\n"
	      "Data goes to standard output, everything else to standard error.\n"
	      "A bare\n.Ar INTERVAL\nis seconds; without one the result is printed at the end.\n"
	      "With\n.Ar PROGRAM\nit stops when the program ends.\n"
	      "In names of options\n.Sq _\nequals\n.Sq \\- .\n"
	      ".Pp\nA link named\n.Nm nvmetool\\- Ns Ar COMMAND\nruns that command;\n"
	      ".Fl Fl install\nmakes these links in\n.Ar DIR .\n"
	      ".Sh COMMANDS\n.Bl -tag -width completion\n",
	      f);
	for (u32 i = 0; list[i]; i++) {
		fprintf(f, ".It Cm %s\n", list[i]->name);
		text(f, list[i]->summary);
	}
	fputs(".El\n", f);
	statuses(f);
	fputs(".Sh SEE ALSO\n", f);
	for (u32 i = 0; list[i]; i++)
		fprintf(f, ".Xr nvmetool-%s 1%s\n", list[i]->name, list[i + 1] ? " ," : "");
	return help_flush(f);
}
