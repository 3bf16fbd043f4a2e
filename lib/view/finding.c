// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/view/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/event/counters.h"
#include "lib/session/session.h"

/* clang-format off */
const double finding_limit[FINDING_LIMITS] = {
#define FINDING(...)
#define LIMIT(finding, id, value, unit, what) [LIMIT_##id] = (value),
#include "lib/view/finding.def"
#undef FINDING
#undef LIMIT
};

static const struct {
	const char *word, *says;
} kinds[FINDINGS] = {
#define FINDING(id, word, says) [FINDING_##id] = { word, says },
#define LIMIT(...)
#include "lib/view/finding.def"
#undef FINDING
#undef LIMIT
};

static const struct {
	enum finding_kind kind;
	const char *value, *unit, *what;
} limits[FINDING_LIMITS] = {
#define FINDING(...)
#define LIMIT(finding, id, value, unit, what) { FINDING_##finding, #value, unit, what },
#include "lib/view/finding.def"
#undef FINDING
#undef LIMIT
};
/* clang-format on */

const char *finding_severity_name(enum finding_severity severity)
{
	static const char *const names[] = { "high", "medium", "low" };

	return names[severity];
}

void finding_say(struct finding *f, const char *format, ...)
{
	size_t n = strlen(f->text_room);
	va_list args;

	va_start(args, format);
	vsnprintf(f->text_room + n, sizeof(f->text_room) - n, format, args);
	va_end(args);
}

void finding_figure(struct finding *f, const char *name, double value)
{
	u32 i = 0;

	while (i < FINDING_FIGURES && f->figures[i].name)
		i++;
	if (i < FINDING_FIGURES)
		f->figures[i] = (struct finding_figure){ name, value };
}

static const char *or_null(const char *room)
{
	return *room ? room : NULL;
}

void finding_settle(struct finding *f)
{
	f->dev = or_null(f->dev_room);
	f->op = or_null(f->op_room);
	f->comm = or_null(f->comm_room);
	f->text = f->text_room;
	f->command = f->command_room;
}

/* What is missing comes first, then what changed, what failed or hung; the rest by what was lost. */
static int rank_of(const struct finding *f)
{
	if (f->kind <= FINDING_CHANGE)
		return (int)f->kind - FINDINGS;
	return f->kind < FINDING_SLOW ? (int)f->kind : FINDING_SLOW;
}

int finding_compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int x_rank = rank_of(x), y_rank = rank_of(y);

	if ((x_rank < 0 || y_rank < 0) && x_rank != y_rank)
		return x_rank < y_rank ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	if (x_rank != y_rank)
		return x_rank < y_rank ? -1 : 1;
	if (x->lost_s != y->lost_s)
		return x->lost_s < y->lost_s ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->weight < y->weight) - (x->weight > y->weight);
}

static void text_kind(const struct out *o, const void *row, char *buf, size_t size)
{
	const struct finding *f = row;

	(void)o;
	snprintf(buf, size, "%s", kinds[f->kind].word);
}

static void csv_kind(const void *row, char *buf, size_t size)
{
	text_kind(NULL, row, buf, size);
}

static void emit_kind(struct json *j, const void *row)
{
	json_str(j, "kind", kinds[((const struct finding *)row)->kind].word);
}

static void text_severity(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	snprintf(buf, size, "%s", finding_severity_name(((const struct finding *)row)->severity));
}

static void csv_severity(const void *row, char *buf, size_t size)
{
	text_severity(NULL, row, buf, size);
}

static void emit_severity(struct json *j, const void *row)
{
	json_str(j, "severity", finding_severity_name(((const struct finding *)row)->severity));
}

static const char *confidence(const struct finding *f)
{
	return f->likely ? "likely" : "sure";
}

static void csv_confidence(const void *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", confidence(row));
}

static void emit_confidence(struct json *j, const void *row)
{
	json_str(j, "confidence", confidence(row));
}

static void emit_figures(struct json *j, const void *row)
{
	const struct finding *f = row;

	json_object(j, "figures");
	for (u32 i = 0; i < FINDING_FIGURES && f->figures[i].name; i++)
		json_f64(j, f->figures[i].name, f->figures[i].value);
	json_end(j);
}

static void emit_with(struct json *j, const void *row)
{
	const struct finding *f = row;

	json_array(j, "with");
	for (u32 i = 0; i < f->n_with; i++) {
		const struct finding_with *w = &f->with[i];

		json_object(j, NULL);
		json_str(j, "comm", or_null(w->comm));
		if (w->pid >= 0)
			json_s64(j, "pid", w->pid);
		else
			json_null(j, "pid");
		json_str(j, "dev", or_null(w->dev));
		json_str(j, "op", or_null(w->op));
		json_str(j, "event", w->event);
		json_f64(j, "bytes_per_s", w->bytes_per_s);
		json_f64(j, "depth", w->depth);
		json_end(j);
	}
	json_end(j);
}

/* clang-format off */
static const struct field with_fields[] = {
	{ .name = "comm", .type = FIELD_STR, .help = "process that coincides, or null" },
	{ .name = "pid", .type = FIELD_S64, .flags = FIELD_NULL_ONES, .help = "its process ID, or null" },
	{ .name = "dev", .type = FIELD_STR, .help = "device of most of its commands, or null" },
	{ .name = "op", .type = FIELD_STR, .help = "opcode of most of them, or null" },
	{ .name = "event", .type = FIELD_STR, .help = "scheduler, reset, timeout or admin, or null" },
	{ .name = "bytes_per_s", .type = FIELD_F64, .help = "what it read and wrote meanwhile" },
	{ .name = "depth", .type = FIELD_F64, .help = "how many of its commands were in flight, on average" },
	FIELD_DONE,
};

#define FIELD(t, m, nm, ...) FIELD_OF(FIELD_##t, struct finding, m, nm, __VA_ARGS__)
static const struct field fields[] = {
	FIELD(CALL, severity, "severity", .width = -8, .text = text_severity, .csv = csv_severity, .emit = emit_severity, .json = JSON_STRING,
	      .help = "high, medium, low"),
	FIELD(CALL, kind, "kind", .width = -13, .text = text_kind, .csv = csv_kind, .emit = emit_kind, .json = JSON_STRING,
	      .help = "see nvmetool help findings"),
	FIELD(CALL, likely, "confidence", .flags = FIELD_NO_TEXT, .csv = csv_confidence, .emit = emit_confidence, .json = JSON_STRING,
	      .help = "sure, or likely: the evidence is just enough"),
	FIELD(STR, dev, "dev", .flags = FIELD_NO_TEXT, .help = "device or controller, or null"),
	FIELD(STR, op, "op", .flags = FIELD_NO_TEXT, .help = "opcode, or null"),
	FIELD(STR, comm, "comm", .flags = FIELD_NO_TEXT, .help = "process whose commands these are, or null"),
	FIELD(S64, pid, "pid", .flags = FIELD_NO_TEXT | FIELD_NULL_ONES, .help = "its process ID, or null"),
	FIELD(U64, from_ns, "from_ns", .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO, .help = "since when, in nanoseconds since 1970; null: all the time"),
	FIELD(U64, to_ns, "to_ns", .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO, .help = "until when, the same way"),
	FIELD(CALL, figures, "figures", .flags = FIELD_NO_TEXT, .emit = emit_figures, .json = JSON_VALUES, .help = "figures behind the sentence, by name"),
	FIELD(CALL, n_with, "with", .flags = FIELD_NO_TEXT, .emit = emit_with, .json = JSON_OBJECTS, .members = with_fields,
	      .help = "what coincides"),
	FIELD(STR, text, "text", .width = -60, .flags = FIELD_LAST | FIELD_FOLD, .help = "the sentence"),
	FIELD(STR, command, "command", .flags = FIELD_NO_TEXT, .help = "the command that shows it"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema finding_schema = { "finding", fields, "something that stands out" };

void finding_help(FILE *f)
{
	fputs("nvmetool report says what stands out: at most seven sentences, those that cost\n"
	      "most first. It adds up how long commands waited in vain:\n\n"
	      "- Like is compared with like: commands of one class, that is of one namespace,\n"
	      "  opcode and size (by powers of two), of one sender (a process, or on whose\n"
	      "  behalf a kernel worker sends), and with about as many of its own in flight.\n"
	      "- The normal of a class is what it takes in its quiet time. What its commands\n"
	      "  take beyond that is lost: seconds that somebody waited.\n"
	      "- An episode is a stretch of time in which a class surely takes longer. Several\n"
	      "  classes at one time are one finding.\n"
	      "- Who coincides with it is named if he is there when they wait, and begins and\n"
	      "  ends with it or sends ever more as they wait more, and matters on the\n"
	      "  controller, any namespace. He need not be the cause. An admin command is\n"
	      "  named if sent when they began to wait. \"nothing else changed then\": look at\n"
	      "  the drive. It is not said where somebody may have come with it.\n"
	      "- Who has more in flight than before waits by his own wish: no finding.\n"
	      "- What a recording cannot tell is named in the last line, with the option that\n"
	      "  records it. Limits of cgroups (io.max) hold commands before NVMe sees them.\n\n"
	      "high, medium and low go by what was lost; \"?\" says that the evidence is just\n"
	      "enough. The command below a sentence shows its figures.\n\n"
	      "These are the kinds, and when one is said:\n",
	      f);
	for (u32 kind = 0; kind < FINDINGS; kind++) {
		fprintf(f, "\n%s: %s.\n", kinds[kind].word, kinds[kind].says);
		for (u32 i = 0; i < FINDING_LIMITS; i++)
			if (limits[i].kind == kind)
				fprintf(f, "  %8s %-11s %s\n", limits[i].value, limits[i].unit,
					limits[i].what);
	}
}

bool finding_waits(const struct waits *w, struct finding_wait *is)
{
	is->share = (double)w->wait_ns / (double)(w->wait_ns + w->drive_ns + 1);
	is->mean_ns = (double)w->wait_ns / (double)(w->count + !w->count);
	return (double)w->count >= finding_limit[LIMIT_WAIT_COUNT] &&
	       is->share >= finding_limit[LIMIT_WAIT_SHARE] &&
	       is->mean_ns >= finding_limit[LIMIT_WAIT_US] * NSEC_PER_USEC;
}

void finding_hint(struct session *s)
{
	const struct opt_list *input = &session_common(s)->run.input;
	const struct counters *c = session_counters(s);
	struct finding_wait wait;
	char text[80] = "", share[FMT_NUMBER];

	if (!session_out(s) || !terminal_columns(out_fd(session_out(s))))
		return;
	if (c->errors)
		snprintf(text, sizeof(text), "%" PRIu64 " command%s failed", (uint64_t)c->errors,
			 plural(c->errors));
	else if (finding_waits(session_waits(s), &wait))
		snprintf(text, sizeof(text),
			 "commands waited in the block layer for %s %% of their time",
			 fmt_number(share, wait.share * 100, 0));
	if (text[0])
		note("%s; what stands out: nvmetool report%s%s", text, input->n == 1 ? " " : "",
		     input->n == 1 ? input->word[0] : "");
}
