// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks options against each other: operands, format, files, contradictions. */
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/suggest.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"
#include "lib/cli/common.h"

#define INTERVAL_MIN_NS NSEC_PER_MSEC
#define INTERVAL_MAX_NS (86400 * NSEC_PER_SEC)
#define COUNT_MAX	1000000000

/* The key of --by that @word is, or was meant to be: `top -b ctrl`, whose -b takes none. NULL: no key. */
static const char *key_meant(const struct cmd *cmd, const char *word)
{
	struct suggestion near = { .typed = word };

	for (const struct opt *opt = cmd->opts; opt && opt->type; opt++)
		for (const struct opt_word *w = opt->words; w && w->word && streq(opt->name, "by");
		     w++)
			suggest_offer(&near, w->word);
	return near.best;
}

static int take_interval(struct run_opts *run, const struct cmd *cmd, const char *word)
{
	const char *key = key_meant(cmd, word);
	char remedy[64] = "";
	u64 ns;

	if (key)
		snprintf(remedy, sizeof(remedy), "did you mean --by %s?", key);
	else if (word[0] == '/' || has_prefix(word, "nvme"))
		snprintf(remedy, sizeof(remedy), "give a device with -d, a program after --");
	if (units_time(word, &ns) || ns < INTERVAL_MIN_NS || ns > INTERVAL_MAX_NS)
		return fail_usage("expected a time, 1ms..24h; a bare number is seconds", remedy,
				  "bad value '%s' for INTERVAL", word);
	run->interval_ns = ns;
	return 0;
}

static int take_count(struct run_opts *run, const char *word)
{
	u64 n;

	if (units_count(word, &n) || n < 1 || n > COUNT_MAX)
		return fail_usage("expected a number, 1..1000000000", "",
				  "bad value '%s' for COUNT", word);
	run->count = n;
	return 0;
}

/*
 * Whether @word of the command names a recording, and not an interval or a device. TAKES_FILES takes
 * any for one that is no interval.
 */
static bool is_recording(const struct cmd *cmd, const char *word)
{
	struct stat st;
	u64 ns;

	if (cmd->takes & TAKES_FILES)
		return !(cmd->takes & TAKES_RUN) || units_time(word, &ns);
	if (!(cmd->takes & (TAKES_RUN | TAKES_INPUT)) || cmd->takes & TRACES_USERS)
		return false;
	return streq(word, "-") || (units_time(word, &ns) && !stat(word, &st) &&
				    (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)));
}

/* Takes words that name recordings as if -i stood before each. */
static int take_recordings(struct invocation *inv)
{
	static const char two[] = "expected two recordings";
	struct opt_list *input = &inv->common.run.input;
	const char **word = inv->rest.word;
	u32 n = inv->rest.n, by_option = input->n;

	inv->rest.n = 0;
	for (u32 i = 0; i < n; i++) {
		if (!is_recording(inv->cmd, word[i]))
			word[inv->rest.n++] = word[i];
		else if (by_option && inv->cmd->takes & TAKES_FILES)
			return fail_usage("which is the first is not clear",
					  "name all with -i, or all without", "-i %s and %s",
					  input->word[0], word[i]);
		else if (input->n < ARRAY_SIZE(input->word))
			input->word[input->n++] = word[i];
		else
			return fail_usage("there are too many recordings", "give fewer", "%s",
					  word[i]);
	}
	if (inv->cmd->takes & COMPARES && input->n < 2)
		return fail_missing(two, "name the earlier one first", "%u given", input->n);
	if (inv->cmd->takes & COMPARES && input->n > 2)
		return fail_usage(two, "name the earlier one first", "%u given", input->n);
	return 0;
}

static int take_operands(struct invocation *inv)
{
	const struct cmd *cmd = inv->cmd;
	const struct opt_rest *rest = &inv->rest;
	struct run_opts *run = &inv->common.run;
	u32 most = cmd->takes & TAKES_RUN ? 2 : 0;
	int err = 0;

	if (rest->program && !(cmd->takes & TAKES_RUN))
		return fail_usage("this command runs no program", NULL, "%s", cmd->name);
	if (rest->program && !rest->program[0])
		return fail_missing("no program follows", "name the program to run after it", "--");
	run->program = rest->program;
	err = take_recordings(inv);
	if (err)
		return err;
	if (cmd->takes & TAKES_OPERANDS || (cmd->untraced && cmd->untraced(inv->cfg)))
		return 0;
	if (rest->n > most)
		return fail_usage("this word is one too many",
				  most ? "give at most INTERVAL and COUNT" : NULL, "%s",
				  rest->word[most]);
	if (!inv->common.selection.time.n)
		run->interval_ns = cmd->interval_ns;
	if (rest->n > 0)
		err = take_interval(run, cmd, rest->word[0]);
	if (!err && rest->n > 1)
		err = take_count(run, rest->word[1]);
	return err;
}

static bool find_format(const struct opt_word *words, const char *word, u32 *format)
{
	for (; words && words->word; words++) {
		if (streq(words->word, word)) {
			*format = words->value;
			return true;
		}
	}
	return false;
}

static void list_words(const struct opt_word *words, char *buf, size_t size)
{
	for (size_t used = strlen(buf); words && words->word && used < size; words++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used > strlen("expected ") ? ", " : "", words->word);
}

static int take_format(struct invocation *inv)
{
	struct output_opts *out = &inv->common.output;
	char want[200] = "expected ";

	if (!out->format_word || find_format(common_formats, out->format_word, &out->format))
		return 0;
	if (find_format(inv->cmd->formats, out->format_word, &out->format))
		return out->columns ? fail_usage("its lines have no columns", "drop one of them",
						 "--format %s and --columns", out->format_word)
				    : 0;
	list_words(common_formats, want, sizeof(want));
	list_words(inv->cmd->formats, want, sizeof(want));
	return fail_usage(want, "", "bad value '%s' for --format", out->format_word);
}

/* Like stat() of the file @word, where "-" is the descriptor @fd. False: there is no such file. */
static bool look_at(const char *word, int fd, struct stat *st)
{
	return !(streq(word, "-") ? fstat(fd, st) : stat(word, st));
}

/* True when the file @word, an input, is the one of @out. */
static bool is_input(const char *word, const struct stat *out)
{
	struct stat in;

	return look_at(word, STDIN_FILENO, &in) && in.st_dev == out->st_dev &&
	       in.st_ino == out->st_ino;
}

/*
 * The output file must be none of the inputs, whatever their names are: it is replaced, and grows
 * while we read.
 */
static int check_inputs(const struct invocation *inv, const char *file, const struct stat *out)
{
	const struct opt_list *input = &inv->common.run.input;
	bool same = false;

	for (u32 i = 0; i < input->n; i++)
		same |= is_input(input->word[i], out);
	return same ? fail_usage("it is both input and output", "write to another file", "%s", file)
		    : 0;
}

/* True when the output is a picture: formats of that name are one in each command. */
static bool draws_picture(const struct invocation *inv)
{
	const char *word = inv->common.output.format_word;

	return word && streq(word, "svg");
}

/*
 * True if the file is for its owner alone: recordings, and what goes on to other tools, name
 * processes and files of all users, and what these read and wrote. Text, CSV, JSON, pages and
 * pictures are made to be shown.
 */
static bool is_for_owner(const struct invocation *inv)
{
	const char *word = inv->common.output.format_word;

	return !(inv->cmd->takes & TAKES_OUTPUT) || (word && streq(word, "folded"));
}

static int check_files(const struct invocation *inv)
{
	const char *file = inv->common.output.file;
	struct stat out;

	if (!file && (inv->cmd->takes & NEEDS_FILE))
		return fail_missing("a recording is not text for a terminal",
				    "give a file: -w FILE", "%s", inv->cmd->name);
	if (!file || streq(file, "-")) {
		file = "-";
		if (draws_picture(inv) && isatty(STDOUT_FILENO))
			return fail_missing("a picture is not text for a terminal",
					    "give a file: -w FILE.svg", "-f svg");
	}
	if (!look_at(file, STDOUT_FILENO, &out))
		return 0;
	if (S_ISBLK(out.st_mode))
		return fail_usage("it is a block device, and nvmetool never writes to a drive",
				  "write to a file", "%s", file);
	return S_ISREG(out.st_mode) ? check_inputs(inv, file, &out) : 0;
}

static int check_contradictions(const struct invocation *inv)
{
	const struct common *c = &inv->common;
	bool replay = c->run.input.n > 0;

	if (replay && c->run.program)
		return fail_usage("a replay runs no program", "drop one of them",
				  "--input and -- %s", c->run.program[0]);
	if (replay && (c->internal.probe_only || c->internal.self_stats))
		return fail_usage("a replay attaches to no kernel", "drop one of them",
				  "--input and --%s",
				  c->internal.probe_only ? "probe-only" : "self-stats");
	if (c->selection.time.n && (c->run.interval_ns || c->run.duration_ns))
		return fail_usage("each range is an interval of its own", "drop one of them",
				  "--time and %s", c->run.interval_ns ? "INTERVAL" : "--duration");
	if (c->selection.time.n && !replay)
		return fail_missing("it is about recordings",
				    "give one: -i FILE; a live run takes --duration", "--time %s",
				    c->selection.time.word[0]);
	if (c->run.allow_none && !c->run.fail_if)
		return fail_missing("it is about --fail-if", "add it", "--allow-none");
	if (c->output.quiet && c->internal.verbose)
		return fail_usage("one asks for fewer messages, the other for more",
				  "drop one of them", "--quiet and --verbose");
	return 0;
}

int common_check(struct invocation *inv)
{
	struct output_opts *out = &inv->common.output;
	int err = take_operands(inv);

	/* /dev/stdout is a symbolic link, and those are not followed. */
	if (out->file && streq(out->file, "/dev/stdout"))
		out->file = "-";

	if (!err)
		err = take_format(inv);
	out->for_owner = is_for_owner(inv);
	if (!err)
		err = check_contradictions(inv);
	if (!err)
		err = check_files(inv);
	return err;
}
