// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: checks whether this host can trace, and what does not work. */
#include "cmd/doctor/checks.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/session/meta.h"

struct doctor_cfg {
	const char *btf;
	const char *functions;
};

struct check_row {
	const char *name, *verdict, *detail, *remedy;
};

static void detail_text(const struct out *o, const void *row, char *buf, size_t size)
{
	const struct check_row *r = row;

	(void)o;
	snprintf(buf, size, "%s%s%s", r->detail, r->remedy ? "; " : "", r->remedy ? r->remedy : "");
}

/* clang-format off */
#define CHECK(member, ...) FIELD_OF(FIELD_STR, struct check_row, member, #member, __VA_ARGS__)
static const struct field check_fields[] = {
	CHECK(name, .head = "CHECK", .width = -22, .least = 16, .help = "what was checked"),
	CHECK(verdict, .width = -8, .help = "ok, degraded (something does not work), no (nothing can be traced) or unknown"),
	CHECK(detail, .width = -6, .flags = FIELD_LAST | FIELD_FOLD, .text = detail_text, .help = "what was found, and what does not work because of it"),
	CHECK(remedy, .flags = FIELD_NO_TEXT, .help = "what to do about it"),
	FIELD_DONE,
};

#define FUNCTION(member, ...) \
	FIELD_OF(FIELD_STR, struct doctor_function, member, #member, __VA_ARGS__)
static const struct field function_fields[] = {
	FUNCTION(name, .head = "FUNCTION", .width = -32, .help = "name of the kernel function"),
	FUNCTION(state, .width = -11, .help = "traceable, untraceable, inlined or absent"),
	FUNCTION(how, .width = -13, .help = "how it can be traced: fentry, kprobe"),
	FUNCTION(module, .width = -12, .help = "its kernel module"),
	FUNCTION(detail, .width = -6, .flags = FIELD_LAST | FIELD_FOLD, .help = "the reason, if there is one"),
	FIELD_DONE,
};
/* clang-format on */

static const struct schema check_schema = { "check", check_fields, "a check of this host" };
static const struct schema function_schema = { "function", function_fields,
					       "with --functions: a kernel function" };
static const struct schema *const schemas[] = { &check_schema, &function_schema, NULL };
static const struct schema *const only_checks[] = { &check_schema, NULL };
static const struct schema *const only_functions[] = { &function_schema, NULL };

/* The output, and the verdicts counted. */
struct sum {
	struct out *o;
	u32 n[DOCTOR_UNKNOWN + 1]; /* by enum doctor_verdict */
	char first_no[32];
};

static void put_check(void *ctx, const struct doctor_check *c)
{
	struct sum *sum = ctx;
	const struct check_row row = {
		.name = c->name,
		.verdict = doctor_word(c->verdict),
		.detail = c->detail,
		.remedy = c->remedy,
	};

	if (c->verdict == DOCTOR_NO && !sum->n[DOCTOR_NO])
		snprintf(sum->first_no, sizeof(sum->first_no), "%s", c->name);
	sum->n[c->verdict]++;
	out_row(sum->o, &check_schema, &row);
}

/* Prints the last line of text. */
static void put_verdict(const struct sum *sum)
{
	if (sum->n[DOCTOR_NO])
		out_text(sum->o, "\nThis host cannot be traced now: see %s.\n", sum->first_no);
	else if (sum->n[DOCTOR_DEGRADED])
		out_text(sum->o, "\nThis host can be traced; degraded: %u.\n",
			 sum->n[DOCTOR_DEGRADED]);
	else
		out_text(sum->o, "\nThis host can be traced.\n");
}

static void put_function(void *ctx, const struct doctor_function *f)
{
	out_row(ctx, &function_schema, f);
}

static int look(const struct doctor_cfg *cfg, struct out *o)
{
	struct sum sum = { .o = o };
	int err;

	if (!cfg->functions) {
		err = doctor_run(cfg->btf, put_check, &sum);
		if (!out_opts(o)->columns)
			put_verdict(&sum);
		return err ? EXIT_AS(err) : 0;
	}
	err = doctor_functions(cfg->functions, cfg->btf, put_function, o);
	return err ? fail(err, NULL, "mount -t proc proc /proc", "/proc/kallsyms") : 0;
}

static int print(struct out *o, const void *ctx)
{
	const struct invocation *inv = ctx;
	int err = out_begin(o);

	if (err)
		return err;
	meta_put(o, inv, NULL);
	err = look(inv->cfg, o);
	out_ends(o);
	return err;
}

static const struct schema *const *schemas_of(const void *cfg)
{
	return ((const struct doctor_cfg *)cfg)->functions ? only_functions : only_checks;
}

static int doctor_cmd_run(struct invocation *inv)
{
	return cmd_print(inv, print, inv);
}

static const struct opt doctor_opts[] = {
	OPT_STR(struct doctor_cfg, functions, .name = "functions", .main = true, .arg = "GLOB",
		.brief = "list which kernel functions can be traced",
		.help = "list which kernel functions can be traced, are inlined or are absent"),
	OPT_STR(struct doctor_cfg, btf, .name = "btf", .main = true, .arg = "DIR", .hint = HINT_DIR,
		.help = "BTF files when /sys/kernel/btf is not visible"),
	OPT_DONE,
};

/* clang-format off */
static const struct example examples[] = {
	{ "check this host", "nvmetool doctor" },
	{ "one JSON object per check", "nvmetool doctor --json" },
	{ "which functions can be traced", "nvmetool doctor --functions 'nvme_*'" },
	{ "with the host's BTF files", "nvmetool doctor --btf /host/btf" },
	{ "only the remedies",
	  "nvmetool doctor --json --no-meta | jq -r 'select(.verdict!=\"ok\").remedy'" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "check whether this host can trace",
	.about =
		"Checks the kernel, the driver, BTF, the tracepoints and the privileges. Each check says\n"
		"ok, degraded (something does not work), no (nothing can be traced) or unknown. The exit\n"
		"status is 0 if this host can trace, 3 if tracing is not permitted and 4 if this kernel\n"
		"cannot trace. Run it as the user who will trace.",
	.examples = examples,
	.takes = TAKES_OUTPUT,
	.opts = doctor_opts,
	.cfg_size = sizeof(struct doctor_cfg),
	.schemas = schemas,
	.run_schemas = schemas_of,
	.run = doctor_cmd_run,
};
