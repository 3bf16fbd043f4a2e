// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every command's tables: legal names, no clash, defaults and examples that parse, an object that
 * exists.
 */
#include <ctype.h>

#include "cmd/commands.h"
#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

#define WORDS_MAX 40

/* fail_msg() that the compiler knows not to return. */
__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *fmt, ...)
{
	char text[2500];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fail_msg("%s", text);
	abort();
}

struct parsed {
	struct invocation inv;
	int err;
	char message[2000];
	char text[1000];
	char *argv[WORDS_MAX];
	int argc;
};

/*
 * Words of @line as a shell would see them, up to a redirection or a pipe. Quotes are removed,
 * nothing is expanded.
 */
static void split(struct parsed *p, const char *line)
{
	char *to = p->text;
	const char *end = p->text + sizeof(p->text) - 1;

	p->argc = 0;
	while (*line && p->argc < WORDS_MAX - 1 && to < end) {
		line += strspn(line, " ");
		if (!*line || strchr("|<>", *line))
			break;
		p->argv[p->argc++] = to;
		char quote = '\0';
		for (; *line && (quote || *line != ' ') && to < end; line++) {
			if (quote && *line == quote)
				quote = '\0';
			else if (!quote && (*line == '"' || *line == '\''))
				quote = *line;
			else
				*to++ = *line;
		}
		*to++ = '\0';
	}
	p->argv[p->argc] = NULL;
}

/* Parses and settles the words of @p, the first being the command's name. */
static void parse(struct parsed *p, const struct cmd *cmd)
{
	struct opt_group groups[COMMON_GROUPS];
	struct stderr_capture capture = stderr_begin();

	p->inv = (struct invocation){ .cmd = cmd, .cfg = calloc(1, cmd->cfg_size + 1) };
	common_groups(cmd, &p->inv.common, p->inv.cfg, groups);
	p->err = opt_parse(groups, p->argc, p->argv, &p->inv.rest);
	if (!p->err && !p->inv.common.internal.help)
		p->err = common_check(&p->inv);
	stderr_end(&capture, p->message, sizeof(p->message));
	free(p->inv.cfg);
	p->inv.cfg = NULL;
}

static void parse_line(struct parsed *p, const struct cmd *cmd, const char *line)
{
	*p = (struct parsed){ 0 };
	split(p, line);
	parse(p, cmd);
}

static void expect_ok(const struct cmd *cmd, const char *line)
{
	struct parsed p;

	parse_line(&p, cmd, line);
	if (p.err || p.message[0])
		refuse("%s: %d: %s", line, p.err, p.message);
}

static void check_name(const struct cmd *cmd, const char *name)
{
	bool legal = name[0] >= 'a' && name[0] <= 'z' && strlen(name) >= 2 &&
		     !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];

	if (!legal)
		refuse("%s: --%s: a name is lower case, digits and dashes", cmd->name, name);
}

/* One line in lower case (but for abbreviations) without a full stop. */
static void check_line(const char *where, const char *name, const char *text)
{
	if (!text || !*text || strchr(text, '\n') || text[strlen(text) - 1] == '.' ||
	    (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])))
		refuse("%s: %s: help is one line, lower case, no full stop: %s", where, name,
		       text ? text : "(none)");
}

static bool wants_words(const struct opt *opt)
{
	return opt->type == OPT_TYPE_ENUM || opt->type == OPT_TYPE_SET_OF;
}

static void check_option(const struct cmd *cmd, const struct opt *opt)
{
	check_name(cmd, opt->name);
	if (opt->other)
		check_name(cmd, opt->other);
	check_line(cmd->name, opt->name, opt->help);
	if (opt->letter && !isalpha((unsigned char)opt->letter))
		refuse("%s: --%s: letter %c", cmd->name, opt->name, opt->letter);
	if (wants_words(opt) && !opt->words)
		refuse("%s: --%s: no words", cmd->name, opt->name);
	if (opt_takes_value(opt) && !opt->arg)
		refuse("%s: --%s: the value has no name", cmd->name, opt->name);
	if (opt->optional && !opt->def_absent)
		refuse("%s: --%s: def_absent is missing", cmd->name, opt->name);
	if (opt->type == OPT_TYPE_CALL && !opt->parse)
		refuse("%s: --%s: no parse()", cmd->name, opt->name);
	for (const struct opt_word *w = opt->words; w && w->word; w++)
		if (opt->type == OPT_TYPE_SET_OF && w->value >= 64)
			refuse("%s: --%s: %s does not fit a set", cmd->name, opt->name, w->word);
}

/* An alias names long options of the command; only the last may have a value. */
static void check_alias(const struct cmd *cmd, const struct opt_group *groups,
			const struct opt *opt)
{
	struct parsed p = { 0 };

	split(&p, opt->alias);
	for (int i = 0; i < p.argc; i++) {
		const struct opt *to =
			has_prefix(p.argv[i], "--") ? opt_find(groups, p.argv[i] + 2, 0) : NULL;
		if (!to || to->type == OPT_TYPE_ALIAS)
			refuse("%s: --%s stands for %s", cmd->name, opt->name, opt->alias);
		if (!opt_takes_value(to) || to->optional)
			continue;
		if (i + 2 != p.argc)
			refuse("%s: --%s: value in the middle of %s", cmd->name, opt->name,
			       opt->alias);
		break;
	}
}

/* All names and letters of @opt lead to @opt itself, and no letter is there twice. */
static void check_clash(const struct cmd *cmd, const struct opt_group *groups,
			const struct opt *opt)
{
	bool own = opt_find(groups, opt->name, 0) == opt &&
		   (!opt->other || opt_find(groups, opt->other, 0) == opt) &&
		   (!opt->letter || opt_find(groups, NULL, opt->letter) == opt) &&
		   (!opt->other_letter || opt_find(groups, NULL, opt->other_letter) == opt);

	if (!own)
		refuse("%s: --%s: its name or letter belongs to another option", cmd->name,
		       opt->name);
}

TEST(options)
{
	struct common common;
	struct opt_group groups[COMMON_GROUPS];

	for (u32 i = 0; commands[i]; i++) {
		common_groups(commands[i], &common, NULL, groups);
		for (const struct opt_group *g = groups; g->title; g++) {
			for (const struct opt *opt = g->opts; opt->type; opt++) {
				check_option(commands[i], opt);
				check_clash(commands[i], groups, opt);
				if (opt->type == OPT_TYPE_ALIAS)
					check_alias(commands[i], groups, opt);
			}
		}
	}
}

TEST(commands)
{
	for (u32 i = 0; commands[i]; i++) {
		const struct cmd *cmd = commands[i];
		check_name(cmd, cmd->name);
		check_line(cmd->name, "summary", cmd->summary);
		assert_ptr_equal(cmd_find(commands, cmd->name), cmd);
		if (!cmd->opts != !cmd->cfg_size)
			refuse("%s: options without a struct, or the other way round", cmd->name);
		if (!cmd->run == !cmd->event && !cmd->untraced)
			refuse("%s: has neither or both of run() and event()", cmd->name);
		if (cmd->bpf && !embed_find("bpf", cmd->bpf))
			refuse("%s: object %s is not embedded", cmd->name, cmd->bpf);
		for (const struct opt_word *w = cmd->formats; w && w->word; w++)
			if (w->value < OUT_FORMAT_OWN)
				refuse("%s: format %s", cmd->name, w->word);
	}
	assert_null(cmd_find(commands, "nosuch"));
}

static void check_fields(const struct cmd *cmd, const struct schema *schema)
{
	static const char legal[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	for (const struct field *f = schema->fields; f->type; f++) {
		if (!f->name || f->name[0] < 'a' || f->name[0] > 'z' ||
		    f->name[strspn(f->name, legal)])
			refuse("%s: %s: field %s", cmd->name, schema->type, f->name);
		check_line(cmd->name, f->name, f->help);
		for (const struct field *other = schema->fields; other != f; other++)
			if (streq(other->name, f->name))
				refuse("%s: %s: field %s twice", cmd->name, schema->type, f->name);
		if (f->type == FIELD_CALL && !f->emit && !(f->flags & FIELD_ONLY_TEXT))
			refuse("%s: %s: field %s cannot be written", cmd->name, schema->type,
			       f->name);
		if (f->type == FIELD_CALL && f->emit && !f->json)
			refuse("%s: %s: field %s: no type for its schema", cmd->name, schema->type,
			       f->name);
	}
}

TEST(schemas)
{
	for (u32 i = 0; commands[i]; i++) {
		for (u32 k = 0; commands[i]->schemas && commands[i]->schemas[k]; k++) {
			const struct schema *schema = commands[i]->schemas[k];
			assert_non_null(schema->type);
			check_line(commands[i]->name, schema->type, schema->help);
			check_fields(commands[i], schema);
		}
		/* A recording describes itself. */
		if ((commands[i]->takes & (TAKES_OUTPUT | NEEDS_FILE)) == TAKES_OUTPUT &&
		    !commands[i]->schemas)
			refuse("%s: prints records but describes none", commands[i]->name);
	}
}

TEST(examples)
{
	for (u32 i = 0; commands[i]; i++) {
		char start[80];
		snprintf(start, sizeof(start), "nvmetool %s", commands[i]->name);
		for (u32 k = 0; k < EXAMPLES_MAIN; k++)
			if (!commands[i]->examples || !commands[i]->examples[k].line)
				refuse("%s: %u examples", commands[i]->name, k);
		for (const struct example *e = commands[i]->examples; e->line; e++) {
			check_line(commands[i]->name, e->line, e->caption);
			if (!has_prefix(e->line, start))
				refuse("example does not start with %s: %s", start, e->line);
			expect_ok(commands[i], e->line + strlen("nvmetool "));
		}
	}
}

/* cli.md, "Lines people type today": each on its command. */
static const char *const typed_today[] = {
	"latency --ctrl_id=0 --split_size --lat_min_us=65",
	"latency -mT 1",
	"latency -D",
	"latency -F",
	"latency -Q",
	"latency -e",
	"latency 1 10",
	"latency -d /dev/nvme0n1 -P 99,99.9 -j 1",
	"latency --json --no-meta 10 1",
	"latency -o json -n 1",
	"trace --ctrl_id=-1",
	"trace -Q",
	"trace -d nvme0n1",
	"trace -L 1ms",
	"trace -f perf --show both --sq --aer",
	"trace -o json -n 1",
};

TEST(typed_today)
{
	for (u32 i = 0; i < ARRAY_SIZE(typed_today); i++) {
		char name[32];
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed_today[i], " "),
			 typed_today[i]);
		assert_non_null(cmd_find(commands, name));
		expect_ok(cmd_find(commands, name), typed_today[i]);
	}
}

TEST(settled)
{
	struct parsed p;

	parse_line(&p, &cmd_latency, "latency -o json 0.5 10 -- fio -j x");
	assert_int_equal(p.err, 0);
	assert_int_equal(p.inv.common.output.format, OUT_JSON);
	assert_int_equal(p.inv.common.run.interval_ns, 500000000);
	assert_int_equal(p.inv.common.run.count, 10);
	assert_string_equal(p.inv.common.run.program[0], "fio");
	assert_true(p.inv.common.output.header && p.inv.common.output.meta);
	assert_int_equal(p.inv.common.internal.buffer_bytes, 8 << 20);
	assert_int_equal(p.inv.common.output.unit, UNIT_US);
	parse_line(&p, &cmd_latency, "latency -j --json -m");
	assert_int_equal(p.err, 0);
	assert_int_equal(p.inv.common.output.unit, UNIT_MS);
	parse_line(&p, &cmd_trace, "trace -f perf");
	assert_true(p.inv.common.output.format >= OUT_FORMAT_OWN);
}

static const struct wrong {
	const char *line, *message;
} wrong[] = {
	{ "latency -j --csv", "error: formats json and csv: only one output format is possible" },
	{ "latency -o json -f text",
	  "error: formats json and text: only one output format is possible" },
	{ "latency -f perf",
	  "error: bad value 'perf' for --format: expected text, csv, json, svg\n" },
	{ "trace -f nosuch", "error: bad value 'nosuch' for --format: expected text, csv, json, " },
	{ "latency 0", "error: bad value '0' for INTERVAL: expected a time, 1ms..24h" },
	{ "latency 1abc", "error: bad value '1abc' for INTERVAL: expected a time" },
	{ "latency ''", "error: bad value '' for INTERVAL: expected a time" },
	{ "latency 25h", "error: bad value '25h' for INTERVAL: expected a time" },
	{ "latency 1 0", "error: bad value '0' for COUNT: expected a number, 1..1000000000\n" },
	{ "latency 1 1.5", "error: bad value '1.5' for COUNT: expected a number" },
	{ "latency 1 2 3",
	  "error: 3: this word is one too many; give at most INTERVAL and COUNT\n" },
	{ "latency /dev/nvme0n1",
	  "error: bad value '/dev/nvme0n1' for INTERVAL: expected a time, 1ms..24h; "
	  "a bare number is seconds; give a device with -d" },
	{ "latency --", "error: --: no program follows" },
	{ "latency -i a -- fio", "error: --input and -- fio: " },
	{ "latency -i a --probe-only", "error: --input and --probe-only: " },
	{ "latency --quiet -v", "error: --quiet and --verbose: " },
	{ "latency --max-events 0",
	  "error: bad value '0' for --max-events: expected a number, 1.." },
	{ "latency --buffer 1k", "error: bad value '1k' for --buffer: expected a size, 4k..1g\n" },
	{ "latency -w /proc/version -i /proc/version",
	  "error: /proc/version: it is both input and output" },
	{ "record",
	  "error: record: a recording is not text for a terminal; give a file: -w FILE\n" },
	{ "list 1", "error: 1: this word is one too many" },
	{ "list -- ls", "error: list: this command runs no program" },
};

TEST(wrong)
{
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct parsed p = { 0 };
		split(&p, wrong[i].line);
		parse(&p, cmd_find(commands, p.argv[0]));
		if (err_exit_status(p.err) != EXIT_USAGE ||
		    !has_prefix(p.message, wrong[i].message))
			refuse("%s: %d: %s", wrong[i].line, p.err, p.message);
	}
}

/* A number from 0 to @n - 1; 0 of nothing. */
static u32 below(unsigned int *seed, u32 n)
{
	return n ? (u32)rand_r(seed) % n : 0;
}

/* An option of @groups with or without a value, or a word alone, into @word. */
static void random_word(unsigned int *seed, const struct opt_group *groups, char *word, size_t size)
{
	static const char *const values[] = { "",     "0",	 "1",
					      "-1",   "1abc",	 "ctrl,opcode",
					      "json", "--",	 "-",
					      "\033", "99,99.9", "9999999999999999999999",
					      "%s" };
	const char *value = values[below(seed, ARRAY_SIZE(values))];
	u32 n = 0;

	while (groups[n].title)
		n++;
	const struct opt *opt = groups[below(seed, n)].opts;
	for (u32 skip = below(seed, 12); skip && opt[1].type; skip--)
		opt++;
	if (below(seed, 4))
		snprintf(word, size, "--%s%s%s", opt->name, below(seed, 2) ? "=" : "", value);
	else
		snprintf(word, size, "%s", value);
}

/* reliability.md B4: whatever is typed is parsed without an error text, or refused with one. */
TEST(random)
{
	struct common common;
	struct opt_group groups[COMMON_GROUPS];
	unsigned int seed = 20261121;
	char words[8][64];
	u32 n = 0;

	while (commands[n])
		n++;
	for (u32 round = 0; round < 20000; round++) {
		const struct cmd *cmd = commands[below(&seed, n)];
		if (!cmd)
			refuse("there is no command");
		struct parsed p = { .argc = 1, .argv = { (char *)cmd->name } };
		common_groups(cmd, &common, NULL, groups);
		for (u32 k = below(&seed, ARRAY_SIZE(words)); k; k--) {
			random_word(&seed, groups, words[k], sizeof(words[k]));
			p.argv[p.argc++] = words[k];
		}
		parse(&p, cmd);
		if ((p.err && err_exit_status(p.err) != EXIT_USAGE) ||
		    !p.err == has_prefix(p.message, "error: "))
			refuse("round %u: %s: %d: %s", round, cmd->name, p.err, p.message);
	}
}
