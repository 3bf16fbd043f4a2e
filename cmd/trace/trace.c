// SPDX-License-Identifier: GPL-2.0-or-later
/* trace: prints a line for each command, or for each of its events. */

#include "cmd/trace/line.h"
#include "cmd/trace/trace_pattern.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/view/finding.h"
#include "lib/view/trace_row.h"
#include "lib/session/lookup.h"
#include "lib/session/session.h"
#include "lib/session/unpack.h"

enum show { SHOW_JOINED, SHOW_SUBMIT, SHOW_COMPLETE, SHOW_BOTH };
enum trace_format { TRACE_KERNEL = OUT_FORMAT_OWN, TRACE_PERF };

struct trace_cfg {
	u32 show;
	bool events, queued, raw, kernel_stack, user_stack, pattern, wide, aer, sq, flushes;
};

struct trace_state {
	bool submits, completes, joined; /* types of row to print */
	bool pairs; /* a submission waits for its completion, which decides about both */
	u32 format;
	struct frames *frames;
	struct trace_pattern *pattern;
	struct trace_row row;
};

/* clang-format off */
static const struct opt_word show_words[] = {
	{ "submit", SHOW_SUBMIT, "submissions" },
	{ "complete", SHOW_COMPLETE, "completions" },
	{ "both", SHOW_BOTH, "submissions and completions, apart" },
	{ NULL },
};

static const struct opt trace_opts[] = {
	OPT_FLAG(struct trace_cfg, wide, .name = "wide", .main = true, .letter = 'W',
		 .brief = "add columns: namespace, path, blocks, CPUs, ...", .help = "add namespace, path, tag, blocks, status name, retries, CPUs, thread, file"),
	OPT_FLAG(struct trace_cfg, kernel_stack, .name = "kernel-stack", .main = true, .letter = 'k',
		 .help = "add the kernel stack of each submission"),
	OPT_FLAG(struct trace_cfg, user_stack, .name = "user-stack", .letter = 'u',
		 .help = "add the user stack of each submission"),
	OPT_ENUM(struct trace_cfg, show, .name = "show", .main = true, .arg = "WHICH", .words = show_words,
		 .help = "print events instead of whole commands"),
	OPT_FLAG(struct trace_cfg, events, .name = "events", .letter = 'E',
		 .help = "alias of --show both"),
	OPT_FLAG(struct trace_cfg, queued, .name = "queued", .letter = 'Q',
		 .help = "add QUE, the time from block layer entry to the driver"),
	OPT_FLAG(struct trace_cfg, pattern, .name = "pattern", .letter = 'P',
		 .help = "add PAT: S sequential, R random"),
	OPT_FLAG(struct trace_cfg, raw, .name = "raw", .letter = 'R',
		 .help = "add command dwords 10 to 15 and the result"),
	OPT_FLAG(struct trace_cfg, aer, .name = "aer", .help = "add asynchronous events"),
	OPT_FLAG(struct trace_cfg, flushes, .name = "flushes",
		 .help = "add flush requests of devices above namespaces: md, LVM, dm-crypt"),
	OPT_FLAG(struct trace_cfg, sq, .name = "sq", .rare = true, .help = "add submission queue updates"),
	OPT_DONE,
};

static const struct opt_word trace_formats[] = {
	{ "kernel", TRACE_KERNEL, "the lines of trace_pipe, as Linux 7.2 writes them" },
	{ "perf", TRACE_PERF, "the lines of perf trace, decoded as by Linux 7.2" },
	{ NULL },
};
/* clang-format on */

static const struct schema *const trace_records[] = {
	&trace_schemas[TRACE_IO],
	&trace_schemas[TRACE_SUBMIT],
	&trace_schemas[TRACE_COMPLETE],
	&trace_schemas[TRACE_AER],
	&trace_schemas[TRACE_SQ],
	&trace_schemas[TRACE_FLUSH],
	NULL,
};

static bool needs_completion(const struct common *c)
{
	return c->selection.min_lat_ns || c->selection.status.n;
}

/* Chooses the types of rows. Two options can contradict each other. */
static int choose_types(struct trace_state *t, const struct trace_cfg *cfg, const struct common *c)
{
	u32 show = cfg->events ? SHOW_BOTH : cfg->show;

	if (cfg->events && cfg->show && cfg->show != SHOW_BOTH)
		return fail_usage("they ask for different events", "drop one of them",
				  "--events and --show");
	if (show == SHOW_SUBMIT && needs_completion(c))
		return fail_usage("they are known only at completion", "use --show both",
				  "--show submit with --min-lat or --status");
	if (cfg->flushes && t->format >= OUT_FORMAT_OWN)
		return fail_usage("this format has no line for them", "use another format",
				  "--flushes");
	/* The formats of the kernel and of perf have no joined commands. */
	if (!show && t->format >= OUT_FORMAT_OWN)
		show = SHOW_BOTH;
	t->joined = show == SHOW_JOINED;
	t->submits = show == SHOW_SUBMIT || show == SHOW_BOTH;
	t->completes = show == SHOW_COMPLETE || show == SHOW_BOTH;
	t->pairs = show == SHOW_BOTH && needs_completion(c);
	return 0;
}

/* Returns the data that options and the format ask for, in bits of enum need; columns ask for more. */
static u32 required_of(const struct trace_state *t, const struct trace_cfg *cfg)
{
	u32 required = NEED_IO | NEED_STATUS | NEED_SQE | NEED_PID | NEED_COMM;

	/* The lines of these formats cannot say that a value is not known. */
	if (t->format >= OUT_FORMAT_OWN)
		required |= NEED_RESULT | NEED_CMD_FLAGS | NEED_CPU;
	if (t->submits && !t->pairs)
		required |= NEED_SUBMIT;
	required |= cfg->queued ? NEED_QUEUED : 0;
	required |= cfg->kernel_stack ? NEED_KSTACK : 0;
	required |= cfg->user_stack ? NEED_USTACK : 0;
	required |= cfg->aer ? NEED_AER : 0;
	required |= cfg->sq ? NEED_SQ : 0;
	required |= cfg->flushes ? NEED_FLUSHES : 0;
	return required;
}

/* Chooses the columns, and drops the records that this run will not print. */
static void choose_columns(struct out *o, const struct trace_state *t, const struct trace_cfg *cfg)
{
	static const struct field none[] = { FIELD_DONE };

	out_show_with(o, 'E', !t->joined || cfg->aer || cfg->sq);
	out_show_with(o, 'Q', cfg->queued);
	out_show_with(o, 'R', cfg->raw);
	out_show_with(o, 'P', cfg->pattern);
	out_show_with(o, 'W', cfg->wide);
	out_show_with(o, 'k', cfg->kernel_stack);
	out_show_with(o, 'u', cfg->user_stack);
	for (u32 i = 0; i < TRACE_TYPES; i++)
		if ((i == TRACE_AER && !cfg->aer) || (i == TRACE_SQ && !cfg->sq) ||
		    (i == TRACE_FLUSH && !cfg->flushes))
			out_fields(o, &trace_schemas[i], none);
}

static int trace_check(struct session *s, struct session_request *ask)
{
	const struct trace_cfg *cfg = session_cfg(s);
	struct trace_state *t = session_state(s);
	int err;

	t->format = out_opts(session_out(s))->format;
	ask->admin = true;
	ask->none = "command was seen";
	err = choose_types(t, cfg, session_common(s));
	if (!err)
		choose_columns(session_out(s), t, cfg);
	return err;
}

static int trace_start(struct session *s, struct session_request *ask)
{
	const struct trace_cfg *cfg = session_cfg(s);
	struct trace_state *t = session_state(s);
	int err = 0;

	if (cfg->pattern) {
		t->pattern = trace_pattern_new();
		if (!t->pattern)
			return fail(-ENOMEM, NULL, NULL, "cannot keep patterns");
	}
	if (!session_is_replay(s) && (cfg->kernel_stack || cfg->user_stack))
		err = frames_open(&t->frames, cfg->kernel_stack, cfg->user_stack);
	t->row.frames = t->frames;
	ask->required = required_of(t, cfg);
	ask->optional = t->completes ? NEED_COMPLETE : 0;
	ask->quiet = session_is_replay(s) ? NEED_FILE | NEED_SYNCER : 0;
	ask->fast_path_only = !(ask->required & NEED_SUBMIT);
	return err;
}

static void print_stack(struct out *o, const struct trace_row *row, bool user)
{
	u32 len = user ? row->view->ustack_len : row->view->kstack_len;

	for (u32 i = 0; i < len; i++) {
		out_text(o, "    ");
		out_text_safe(o, frames_text(row->frames, row->view, user, i));
		out_text(o, "\n");
	}
}

/* Prints the stacks: they are those of the submission. */
static void print_stacks(struct out *o, const struct trace_state *t)
{
	const struct trace_row *row = &t->row;

	if (row->type == TRACE_COMPLETE && t->submits)
		return;
	print_stack(o, row, false);
	print_stack(o, row, true);
}

static void print_line(struct out *o, const struct trace_state *t)
{
	char line[TRACE_LINE_MAX];

	if (t->format == TRACE_KERNEL)
		out_line(o, trace_line_kernel(line, sizeof(line), &t->row));
	else
		out_line(o, trace_line_perf(line, sizeof(line), &t->row));
}

static void print_row(struct session *s, const struct view *v, enum trace_type type)
{
	struct trace_state *t = session_state(s);
	struct out *o = session_out(s);
	struct trace_row *row = &t->row;

	trace_row_fill(row, v, type, session_start_ns(s));
	/*
	 * Streams follow the order of submissions where these are seen, else that of completions.
	 */
	if (t->pattern && row->command && (type == TRACE_SUBMIT || !t->submits) &&
	    trace_pattern_fill(row, t->pattern, session_device(s, row->view->ev->queue)))
		session_fail(s, fail(-ENOMEM, NULL, NULL, "cannot keep patterns"));
	if (t->format >= OUT_FORMAT_OWN)
		print_line(o, t);
	else /* text has one table, whatever the types */
		out_row(o, &trace_schemas[t->format == OUT_TEXT ? TRACE_IO : type], row);
	if (t->format == OUT_TEXT || t->format >= OUT_FORMAT_OWN)
		print_stacks(o, t);
}

static int trace_event(struct session *s, const struct view *v)
{
	const struct trace_state *t = session_state(s);

	switch (v->ev->kind) {
	case EVENT_IO:
		if (t->joined)
			print_row(s, v, TRACE_IO);
		if (t->pairs)
			print_row(s, v, TRACE_SUBMIT);
		if (t->completes)
			print_row(s, v, TRACE_COMPLETE);
		break;
	case EVENT_SUBMIT:
		if (t->submits)
			print_row(s, v, TRACE_SUBMIT);
		break;
	case EVENT_COMPLETE:
		if (t->completes)
			print_row(s, v, TRACE_COMPLETE);
		break;
	case EVENT_AER:
		print_row(s, v, TRACE_AER);
		break;
	case EVENT_SQ:
		print_row(s, v, TRACE_SQ);
		break;
	case EVENT_FLUSH:
		print_row(s, v, TRACE_FLUSH);
		break;
	}
	return 0;
}

static void trace_stop(struct session *s)
{
	struct trace_state *t = session_state(s);

	finding_hint(s);
	frames_close(t->frames);
	trace_pattern_free(t->pattern);
}

/* clang-format off */
static const struct example trace_examples[] = {
	{ "every command until Ctrl-C", "nvmetool trace" },
	{ "slow writes and discards", "nvmetool trace -d nvme0n1 -O write,dsm -L 1ms" },
	{ "all commands while fio runs", "nvmetool trace -w trace.txt -- fio job.fio" },
	{ "errors in a recording", "nvmetool trace -i drive.nvt --status error" },
	{ "admin commands and asynchronous events, with more columns",
	  "nvmetool trace -q admin --aer -W" },
	{ "flushes of namespaces, and of md, LVM and dm-crypt above them",
	  "nvmetool trace -T -O flush --flushes" },
	{ "one JSON object per command", "nvmetool trace --json -d nvme0n1" },
	{ "submissions and completions, as perf trace prints them",
	  "nvmetool trace --show both --sq -f perf" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "print a line for each NVMe command",
	.about =
		"Prints each command when it completes, I/O and admin, in time order: who submitted it, "
		"its opcode with its command dwords decoded, its status and its latency. Options "
		"print its submission and its completion apart, add asynchronous events and stacks, "
		"or write the text of the kernel's own tracepoints.\n\n"
		"SLBA is the first logical block. Commands without one show their most important "
		"field instead, such as lid=02 for a log page. STATUS is ok or SCT/SC in hexadecimal. "
		"Flush requests of devices above (--flushes) show how many flush commands they became: "
		"nvme=0 where the namespaces have no volatile cache, - where it cannot be told. They "
		"have no queue, LBA or status to be selected by; -c, -n and -d select them by their "
		"namespaces. "
		"With INTERVAL and COUNT the run ends after INTERVAL times COUNT.",
	.examples = trace_examples,
	.takes = TAKES_TRACING | TAKES_UNIT | PRINTS_EVENTS,
	.rows = EXPR_EVENTS,
	.opts = trace_opts,
	.cfg_size = sizeof(struct trace_cfg),
	.formats = trace_formats,
	.schemas = trace_records,
	.bpf = "trace",
	.state_size = sizeof(struct trace_state),
	.check = trace_check,
	.start = trace_start,
	.unpack = trace_unpack,
	.event = trace_event,
	.stop = trace_stop,
};
