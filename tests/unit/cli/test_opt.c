// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/opt: every type of option, spelling, defaults, and messages. */
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/opt.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

struct config {
	bool flag, header;
	u32 verbose, bits, color;
	u64 count, time_ns, bytes, sizes, set;
	const char *file;
	struct opt_list list, keys;
	const char *called;
	u32 calls;
};

static const struct opt_word colors[] = { { "red", 3, NULL }, { "green", 5, NULL }, { NULL } };
static const struct opt_word keys[] = {
	{ "a", 0, NULL }, { "b", 1, NULL }, { "c", 40, NULL }, { NULL }
};

static int called(void *group, const char *arg)
{
	struct config *cfg = group;

	cfg->called = arg;
	cfg->calls++;
	return arg && streq(arg, "bad") ? fail_usage("refused", "", "--call") : 0;
}

/* clang-format off */
static const struct opt opts[] = {
	OPT_FLAG(struct config, flag, .name = "long-flag", .letter = 'F', .help = "x"),
	OPT_UNSET(struct config, header, .name = "no-header", .help = "x"),
	OPT_COUNT(struct config, verbose, .name = "verbose", .letter = 'v', .help = "x"),
	OPT_U32(struct config, bits, .name = "hist-bits", .letter = 'b', .arg = "K", .def = "3", .max = 6, .help = "x"),
	OPT_U64(struct config, count, .name = "count", .arg = "N", .min = 1, .help = "x"),
	OPT_TIME(struct config, time_ns, .name = "min-lat", .letter = 'L', .arg = "TIME", .max = NSEC_PER_SEC, .help = "x"),
	OPT_SIZE(struct config, bytes, .name = "buffer", .arg = "SIZE", .def = "8M", .help = "x"),
	OPT_SIZE(struct config, sizes, .name = "split-size", .letter = 'S', .arg = "SIZE", .optional = true, .def_absent = "16k", .help = "x"),
	OPT_STR(struct config, file, .name = "write", .letter = 'w', .arg = "FILE", .help = "x"),
	OPT_ENUM(struct config, color, .name = "color", .other = "colour", .letter = 'c', .other_letter = 'k', .arg = "WORD", .def = "red", .words = colors, .help = "x"),
	OPT_SET_OF(struct config, set, .name = "by", .arg = "LIST", .def = "a,b", .words = keys, .help = "x"),
	OPT_LIST(struct config, list, .name = "ctrl-id", .letter = 'i', .arg = "LIST", .help = "x"),
	OPT_LIST(struct config, keys, .name = "pct", .arg = "LIST", .def = "50,99", .help = "x"),
	OPT_CALL(called, .name = "call", .arg = "WORD", .help = "x"),
	OPT_CALL(called, .name = "ring", .help = "x"),
	OPT_ALIAS("--color green", .name = "green", .letter = 'g', .help = "x"),
	OPT_ALIAS("--long-flag --by c", .name = "both", .help = "x"),
	OPT_DONE,
};
/* clang-format on */

#define ARGV_MAX 80

struct parsed {
	struct config cfg;
	struct opt_rest rest;
	int err;
	char message[2000];
	char *argv[ARGV_MAX];
	char words[2000]; /* behind argv */
};

static void parse_argv(struct parsed *p, int argc)
{
	struct opt_group groups[] = { { "Test", opts, &p->cfg }, { 0 } };
	struct stderr_capture capture = stderr_begin();

	p->err = opt_parse(groups, argc, p->argv, &p->rest);
	stderr_end(&capture, p->message, sizeof(p->message));
}

/* Parses @line, words separated by one blank each. */
static void parse(struct parsed *p, const char *line)
{
	int argc = 1;

	*p = (struct parsed){ 0 };
	p->argv[0] = (char *)"test";
	snprintf(p->words, sizeof(p->words), "%s", line);
	for (char *word = line[0] ? p->words : NULL; word && argc < ARGV_MAX - 1;) {
		char *blank = strchr(word, ' ');
		if (blank)
			*blank++ = '\0';
		p->argv[argc++] = word;
		word = blank;
	}
	parse_argv(p, argc);
}

static void expect_ok(struct parsed *p, const char *line)
{
	parse(p, line);
	if (p->err || p->message[0])
		fail_msg("%s: %d: %s", line, p->err, p->message);
}

static void expect_error(const char *line, const char *message)
{
	struct parsed p;

	parse(&p, line);
	assert_int_equal(p.err, EXIT_AS(EXIT_USAGE));
	assert_string_equal(p.message, message);
}

TEST(defaults)
{
	struct parsed p;

	expect_ok(&p, "");
	assert_false(p.cfg.flag);
	assert_true(p.cfg.header);
	assert_int_equal(p.cfg.bits, 3);
	assert_int_equal(p.cfg.bytes, 8 << 20);
	assert_int_equal(p.cfg.sizes, 0);
	assert_int_equal(p.cfg.color, 3);
	assert_int_equal(p.cfg.set, 3);
	assert_int_equal(p.cfg.list.n, 0);
	assert_int_equal(p.cfg.keys.n, 1);
	assert_string_equal(p.cfg.keys.word[0], "50,99");
	assert_int_equal(p.cfg.calls, 0);
	assert_int_equal(p.rest.n, 0);
	assert_null(p.rest.program);
}

TEST(values)
{
	struct parsed p;

	expect_ok(
		&p,
		"--long-flag --no-header -vv --verbose --hist-bits=6 --count 18446744073709551615 "
		"--min-lat 500us --buffer=64k -S4k -w out --color green");
	assert_true(p.cfg.flag);
	assert_false(p.cfg.header);
	assert_int_equal(p.cfg.verbose, 3);
	assert_int_equal(p.cfg.bits, 6);
	assert_true(p.cfg.count == UINT64_MAX);
	assert_int_equal(p.cfg.time_ns, 500000);
	assert_int_equal(p.cfg.bytes, 65536);
	assert_int_equal(p.cfg.sizes, 4096);
	assert_string_equal(p.cfg.file, "out");
	assert_int_equal(p.cfg.color, 5);
}

TEST(spelling)
{
	struct parsed p;

	expect_ok(&p, "--ctrl_id=-1 --hist_bits 2 --long_flag --split_size");
	assert_string_equal(p.cfg.list.word[0], "-1");
	assert_int_equal(p.cfg.bits, 2);
	assert_true(p.cfg.flag);
	assert_int_equal(p.cfg.sizes, 16384);
	expect_ok(&p, "--colour green");
	assert_int_equal(p.cfg.color, 5);
	expect_ok(&p, "-kgreen -Fvb4");
	assert_int_equal(p.cfg.color, 5);
	assert_true(p.cfg.flag && p.cfg.verbose == 1 && p.cfg.bits == 4);
	/* An optional value is never the next word. */
	expect_ok(&p, "--split-size 1");
	assert_int_equal(p.cfg.sizes, 16384);
	assert_string_equal(p.rest.word[0], "1");
}

TEST(lists)
{
	struct parsed p;

	expect_ok(&p, "--by c --pct 1 --ctrl-id 0,2 --by=a --pct=2 -i -1 -i3");
	assert_true(p.cfg.set == (1ULL << 40 | 1));
	assert_int_equal(p.cfg.keys.n, 2);
	assert_string_equal(p.cfg.keys.word[0], "1");
	assert_string_equal(p.cfg.keys.word[1], "2");
	assert_int_equal(p.cfg.list.n, 3);
	assert_string_equal(p.cfg.list.word[0], "0,2");
	assert_string_equal(p.cfg.list.word[1], "-1");
	assert_string_equal(p.cfg.list.word[2], "3");
}

TEST(too_many)
{
	struct parsed p = { 0 };

	for (int i = 1; i <= 65; i++)
		p.argv[i] = (char *)"-i1";
	p.argv[0] = (char *)"test";
	parse_argv(&p, 65);
	assert_int_equal(p.err, 0);
	assert_int_equal(p.cfg.list.n, 64);
	parse_argv(&p, 66);
	assert_int_equal(p.err, EXIT_AS(EXIT_USAGE));
	assert_non_null(strstr(p.message, "--ctrl-id: it is given more than 64 times"));
}

TEST(calls_and_aliases)
{
	struct parsed p;

	expect_ok(&p, "--call one --ring");
	assert_null(p.cfg.called);
	assert_int_equal(p.cfg.calls, 2);
	expect_ok(&p, "-g");
	assert_int_equal(p.cfg.color, 5);
	expect_ok(&p, "--both");
	assert_true(p.cfg.flag);
	assert_true(p.cfg.set == 1ULL << 40);
	expect_error("--call bad", "error: --call: refused\n");
}

TEST(operands)
{
	struct parsed p;

	expect_ok(&p, "1 -F 10 - -v");
	assert_int_equal(p.rest.n, 3);
	assert_string_equal(p.rest.word[0], "1");
	assert_string_equal(p.rest.word[1], "10");
	assert_string_equal(p.rest.word[2], "-");
	assert_true(p.cfg.flag && p.cfg.verbose == 1);
	expect_ok(&p, "5 -- prog -F --no-such -- x");
	assert_int_equal(p.rest.n, 1);
	assert_string_equal(p.rest.program[0], "prog");
	assert_string_equal(p.rest.program[4], "x");
	assert_null(p.rest.program[5]);
	assert_false(p.cfg.flag);
	expect_ok(&p, "--");
	assert_non_null(p.rest.program);
	assert_null(p.rest.program[0]);
	/* "--" as the value of an option ends nothing. */
	expect_ok(&p, "-w -- -F");
	assert_string_equal(p.cfg.file, "--");
	assert_true(p.cfg.flag);
	assert_null(p.rest.program);
}

TEST(unknown)
{
	expect_error("--hist-bit 3",
		     "error: --hist-bit: no such option; did you mean --hist-bits?\n");
	expect_error("--ctr_id=1", "error: --ctr_id: no such option; did you mean --ctrl-id?\n");
	expect_error("--wirte", "error: --wirte: no such option; did you mean --write?\n");
	expect_error("--xyzzy", "error: --xyzzy: no such option; try 'nvmetool help'\n");
	/* A beginning of a name, typed whole elsewhere, is still not that name. */
	expect_error("--verbose --verb",
		     "error: --verb: no such option; did you mean --verbose?\n");
	expect_error("--=3", "error: --: no such option; try 'nvmetool help'\n");
	expect_error("-Z", "error: -Z: no such option; try 'nvmetool help'\n");
	expect_error("-FZ", "error: -Z: no such option; try 'nvmetool help'\n");
	expect_error("-verbose", "error: -verbose: no such option; did you mean --verbose?\n");
}

TEST(bad_values)
{
	expect_error("--hist-bits 7",
		     "error: bad value '7' for --hist-bits: expected a number, 0..6\n");
	expect_error("-b 1abc",
		     "error: bad value '1abc' for --hist-bits: expected a number, 0..6\n");
	expect_error("--hist-bits=",
		     "error: bad value '' for --hist-bits: expected a number, 0..6\n");
	expect_error("--count 0", "error: bad value '0' for --count: expected a number, "
				  "1..18446744073709551615\n");
	expect_error("--count 18446744073709551616",
		     "error: bad value '18446744073709551616' for --count: expected a number, "
		     "1..18446744073709551615\n");
	expect_error("-L 2",
		     "error: bad value '2' for --min-lat: expected a time such as 500us, 2ms or "
		     "1.5 (seconds), 0ns..1s\n");
	expect_error("--color blue", "error: bad value 'blue' for --color: expected red, green\n");
	expect_error("--by a,,b", "error: bad value '' for --by: expected a, b, c\n");
	expect_error("--by a,d", "error: bad value 'd' for --by: expected a, b, c\n");
	expect_error("-w ", "error: bad value '' for --write: expected a word\n");
	expect_error("-i ", "error: bad value '' for --ctrl-id: expected at least one item\n");
	expect_error("--count", "error: --count N: its value is missing\n");
	expect_error("-Fw", "error: --write FILE: its value is missing\n");
	expect_error("--long-flag=1", "error: --long-flag: it takes no value\n");
}

TEST(hostile)
{
	char line[4200];

	expect_error("--\033[2J", "error: --\\x1b[2J: no such option; try 'nvmetool help'\n");
	expect_error("-\x9b", "error: -\\x9b: no such option; try 'nvmetool help'\n");
	expect_error("-b \n\\",
		     "error: bad value '\\x0a\\\\' for --hist-bits: expected a number, 0..6\n");
	memset(line, 'a', 1900);
	line[0] = line[1] = '-';
	line[1900] = '\0';
	struct parsed p;
	parse(&p, line);
	assert_int_equal(p.err, EXIT_AS(EXIT_USAGE));
	assert_non_null(strstr(p.message, "aaa...: no such option; try"));
}

TEST(find)
{
	struct config cfg;
	struct opt_group groups[] = { { "Test", opts, &cfg }, { 0 } };

	assert_ptr_equal(opt_find(groups, "hist_bits", 0), &opts[3]);
	assert_ptr_equal(opt_find(groups, NULL, 'b'), &opts[3]);
	assert_ptr_equal(opt_find(groups, "colour", 0), opt_find(groups, NULL, 'k'));
	assert_null(opt_find(groups, "hist", 0));
	assert_null(opt_find(groups, NULL, 0));
}
