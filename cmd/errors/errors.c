// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * errors: shows commands that failed, were retried, timed out or were aborted, resets, and
 * asynchronous events.
 */
#include <unistd.h>

#include "bpf/shared/errors.h"
#include "cmd/errors/errors_decode.h"
#include "cmd/errors/errors_tally.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/btf/features.h"
#include "lib/event/counters.h"
#include "lib/group/fields.h"
#include "lib/host/sysfs.h"
#include "lib/nvme/kernel_error.h"
#include "lib/session/lookup.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/recording.h"
#include "lib/session/session.h"

#define FORMAT_KERNEL OUT_FORMAT_OWN
#define MAX_RETRIES   5 /* for drivers that do not tell */

struct errors_opts {
	struct opt_list decode;
	u64 by; /* bits 1 << enum key; 0: ERRORS_BY */
	bool summary, all_status, retries, block, kernel_stack;
};

struct errors_state {
	u32 format;
	struct errors_cfg cfg;
	struct frames *frames;
	struct errors_tally tally; /* --summary */
	struct errors_row row;
	bool any; /* something was printed, or counted as an error */
	bool counts_ok; /* the programs of a live run count successes by queue and opcode */
};

/* clang-format off */
static const struct opt_word by_words[] = {
	GROUP_WORD(NONE) GROUP_ERRORS(GROUP_WORD)
	{ NULL },
};

static const struct opt errors_opts[] = {
	OPT_FLAG(struct errors_opts, summary, .name = "summary", .main = true, .letter = 's',
		 .brief = "counts by controller, opcode and status", .help = "print counts by controller, opcode and status, at the end or each INTERVAL"),
	OPT_SET_OF(struct errors_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST", .words = by_words,
		   .help = "with --summary: count by these instead"),
	OPT_LIST(struct errors_opts, decode, .name = "decode", .main = true, .arg = "VALUE",
		 .brief = "explain statuses: 2/81, 0x4281, a name, a line, -", .help = "explain a status or a line that has one: 2/81, 0x4281, a name; - reads lines: dmesg, smartctl"),
	OPT_FLAG(struct errors_opts, all_status, .name = "all-status", .letter = 'a',
		 .help = "with --summary: count successes as well"),
	OPT_FLAG(struct errors_opts, retries, .name = "retries", .letter = 'R',
		 .help = "add commands that succeeded after a retry"),
	OPT_FLAG(struct errors_opts, block, .name = "block",
		 .help = "add block layer status (BLK_STS_*) and errno of commands that failed for good"),
	OPT_FLAG(struct errors_opts, kernel_stack, .name = "kernel-stack", .letter = 'k',
		 .help = "add the kernel stack of the submission"),
	OPT_DONE,
};

static const struct opt_word errors_formats[] = {
	{ "kernel", FORMAT_KERNEL, "the lines of the kernel's log" }, { NULL },
};
/* clang-format on */

static const struct schema *const errors_records[] = {
	&errors_schemas[ERRORS_ERROR],
	&errors_schemas[ERRORS_RETRY],
	&errors_schemas[ERRORS_TIMEOUT],
	&errors_schemas[ERRORS_ABORT],
	&errors_schemas[ERRORS_RESET],
	&errors_schemas[ERRORS_AER],
	&errors_sum_schema,
	&errors_decode_schema,
	NULL,
};

static bool errors_untraced(const void *cfg)
{
	return ((const struct errors_opts *)cfg)->decode.n > 0;
}

static const struct schema *const *decode_schemas(const void *cfg)
{
	static const struct schema *const schemas[] = { &errors_decode_schema, NULL };

	(void)cfg;
	return schemas;
}

static int decode_check(const struct invocation *inv)
{
	if (inv->common.run.input.n || inv->rest.program)
		return fail_usage("it explains values and traces nothing", "drop one of them",
				  "--decode with --input or a program");
	return 0;
}

static int errors_run(struct invocation *inv)
{
	const struct errors_opts *opts = inv->cfg;
	const char *words[2 * ARRAY_SIZE(opts->decode.word)];
	u32 n = 0;

	for (u32 i = 0; i < opts->decode.n; i++)
		words[n++] = opts->decode.word[i];
	for (u32 i = 0; i < inv->rest.n; i++)
		words[n++] = inv->rest.word[i];
	return errors_decode(inv, words, n);
}

/* True if the options are of counts. Without --summary they lack it. */
static bool counts(const struct errors_opts *opts)
{
	return opts->summary || opts->all_status || opts->by;
}

static int check_summary(const struct errors_opts *opts)
{
	if (opts->all_status && !opts->summary)
		return fail_missing("successes are only counted", "add --summary", "--all-status");
	if (opts->by && !opts->summary)
		return fail_missing("only counts have keys", "add --summary", "--by");
	return 0;
}

static int check_options(const struct errors_opts *opts, u32 format)
{
	if (opts->kernel_stack && counts(opts))
		return fail_usage("a count has no stack", "drop one of them", "--kernel-stack");
	if (format == FORMAT_KERNEL && (counts(opts) || opts->kernel_stack))
		return fail_usage("this format cannot show them", "drop one of them",
				  "-f kernel and --summary or --kernel-stack");
	return 0;
}

static u8 max_retries(void)
{
	char word[16];
	u64 n;

	sysfs_line("/sys/module/nvme_core/parameters", "max_retries", word, sizeof(word));
	return units_count(word, &n) || n > UINT8_MAX ? MAX_RETRIES : (u8)n;
}

/*
 * The programs count successes by queue and opcode. For other keys each has an event, as a failure
 * has. Without -a they are counted for a --fail-if that fails if no command matched.
 */
static bool counts_successes(const struct session *s, const struct errors_opts *opts)
{
	const u32 keys = KEYS_QUEUE | 1U << KEY_STATUS | 1U << KEY_HOST;
	const struct run_opts *run = &session_common(s)->run;

	if (opts->all_status)
		return !(opts->by & ~(u64)keys);
	return run->fail_if && !run->allow_none;
}

static void configure_kernel(struct session *s, struct session_request *ask, struct errors_cfg *cfg)
{
	const struct errors_opts *opts = session_cfg(s);
	const struct kernel_features *btf = session_features(s);
	struct errors_state *state = session_state(s);

	*cfg = (struct errors_cfg){
		.notable_mask = nvme_status_mask(&btf->off) |
				(opts->retries ? nvme_retries_mask(&btf->off) : 0),
		.flags = state->counts_ok   ? ERRORS_COUNT_OK
			 : opts->all_status ? ERRORS_SHOW_OK
					    : 0,
		.failfast_mask = btf->retry.failfast_mask,
		.multipath_mask = btf->retry.multipath_mask,
		.max_retries = max_retries(),
		.dying_bit = btf->retry.dying_bit,
	};
	ask->sections[0] = (struct session_section){ ".rodata.errors", cfg, sizeof(*cfg) };
	if (state->counts_ok)
		ask->maps[0] = (struct session_map){ "successes", 0, 0 };
}

static void ask_session(struct session *s, struct session_request *ask,
			const struct errors_opts *opts)
{
	const struct errors_state *state = session_state(s);

	if (opts->summary) /* the namespace is in the command's dwords */
		ask->required = group_needs(&state->tally.group) & ~(u32)NEED_NSID;
	ask->required |= NEED_IO | NEED_STATUS | NEED_SQE | NEED_PID | NEED_COMM;
	if (opts->retries)
		ask->required |= NEED_RESULT;
	if (opts->kernel_stack)
		ask->required |= NEED_KSTACK;
	/* An Abort shows as its submission, which replay derives from the whole command. */
	if (session_is_replay(s))
		ask->required |= NEED_SUBMIT;
	ask->optional |= NEED_RESULT | NEED_COMPLETE | NEED_AER | NEED_TIMEOUT | NEED_RESET;
	ask->fast_path_only = !opts->all_status && !state->counts_ok;
}

static void settle_output(struct out *o, const struct errors_opts *opts)
{
	static const struct field none[] = { FIELD_DONE };

	out_show(o, "ctrl", !counts(opts)); /* a key of the summary */
	out_show(o, "nlb", true);
	out_show(o, "bytes", false);
	out_show(o, "kstack", opts->kernel_stack);
	out_show_with(o, 'b', opts->block);
	for (u32 i = 0; i < ERRORS_TYPES; i++)
		if (counts(opts) || (i == ERRORS_RETRY && !opts->retries))
			out_fields(o, &errors_schemas[i], none);
	if (!counts(opts))
		out_fields(o, &errors_sum_schema, none);
	out_fields(o, &errors_decode_schema, none);
}

static int errors_check(struct session *s, struct session_request *ask)
{
	const struct errors_opts *opts = session_cfg(s);
	struct errors_state *state = session_state(s);
	int err;

	state->format = out_opts(session_out(s))->format;
	ask->admin = true;
	err = check_options(opts, state->format);
	if (err)
		return err;
	settle_output(session_out(s), opts);
	if (!counts(opts))
		return 0;
	group_init(&state->tally.group, s, opts->by ? opts->by : ERRORS_BY, "(other)");
	errors_tally_columns(&state->tally);
	ask->by_host = group_has(&state->tally.group, KEY_HOST);
	return check_summary(opts);
}

static int errors_start(struct session *s, struct session_request *ask)
{
	const struct errors_opts *opts = session_cfg(s);
	struct errors_state *state = session_state(s);
	int err = 0;

	state->counts_ok = counts_successes(s, opts);
	ask_session(s, ask, opts);
	configure_kernel(s, ask, &state->cfg);
	ask->aggregates = opts->summary;
	if (opts->summary)
		group_ask_owners(&state->tally.group, ask);
	if (opts->summary && errors_tally_open(&state->tally))
		return fail(-ENOMEM, NULL, NULL, "cannot keep errors");
	if (opts->kernel_stack && !session_is_replay(s))
		err = frames_open(&state->frames, true, false);
	state->row.io.frames = state->frames;
	return err;
}

/* Prints the lines that the driver logs, which are of commands that failed for good. */
static void print_kernel(struct out *o, const struct errors_row *row)
{
	char line[KERNEL_ERROR_MAX];
	struct kernel_error e = {
		.cmd = row->io.cmd,
		.disk = row->io.view->queue->disk,
		.ctrl = row->io.view->ctrl,
		.status = (u16)row->io.status,
	};

	if (row->type != ERRORS_ERROR || !row->final || !row->io.command)
		return;
	kernel_error_text(line, sizeof(line), &e);
	out_line(o, line);
}

static void print_row(struct session *s, const struct errors_row *row)
{
	const struct errors_state *state = session_state(s);
	struct out *o = session_out(s);

	if (state->format == FORMAT_KERNEL) {
		print_kernel(o, row);
		return;
	}
	out_row(o, &errors_schemas[state->format == OUT_TEXT ? ERRORS_ERROR : row->type], row);
	for (u32 i = 0; state->format == OUT_TEXT && i < row->io.view->kstack_len; i++) {
		out_text(o, "    ");
		out_text_safe(o, frames_text(row->io.frames, row->io.view, false, i));
		out_text(o, "\n");
	}
}

/* Whether it is a success that is counted, which the programs may do as well. */
static bool is_counted(const struct errors_opts *opts, const struct event *ev)
{
	return opts->all_status && ev->kind == EVENT_IO && !event_status(ev);
}

static int errors_event(struct session *s, const struct view *v)
{
	const struct errors_opts *opts = session_cfg(s);
	struct errors_state *state = session_state(s);
	enum errors_type type = errors_type_of(v, opts->retries);
	const struct blkstatus *blk = NULL;

	if (type == ERRORS_NONE && !is_counted(opts, v->ev))
		return 1;
	if (type != ERRORS_NONE) {
		state->any = true;
		blk = session_blkstatus(s, v->ev);
	}
	if (opts->summary) {
		errors_tally_add(&state->tally, v, type, blk);
		return 0;
	}
	errors_row_fill(&state->row, v, type, blk, session_start_ns(s));
	print_row(s, &state->row);
	return 0;
}

/*
 * Takes the successes that the programs counted for a queue, and adds them to the tally with -a.
 * They may count meanwhile.
 */
static void take_successes(struct session *s, u32 queue, struct errors_successes *counts)
{
	const struct errors_opts *opts = session_cfg(s);
	struct errors_state *state = session_state(s);
	const struct queue_info *info = session_queue(s, queue);
	u64 *count = counts->opcode, n; /* opcodes, then fabrics types behind them */
	struct kernel_key key = {
		.ctrl_id = info->ctrl_id,
		.queue = queue,
		.qid = info->qid,
		.admin = info->admin,
	};

	for (u32 i = 0; i < sizeof(*counts) / sizeof(*count); i++) {
		n = count[i] ? __atomic_exchange_n(&count[i], 0, __ATOMIC_RELAXED) : 0;
		if (n && !opts->all_status)
			session_left_out(s, n);
		if (!n || !opts->all_status)
			continue;
		key.opcode = (u8)i;
		key.fctype = 0;
		if (i >= ARRAY_SIZE(counts->opcode)) {
			key.opcode = NVME_OPCODE_FABRICS;
			key.fctype = (u8)i;
		}
		errors_tally_successes(&state->tally, &key, n);
		session_account(s, n, 0);
	}
}

/*
 * Says that there was no error, at the end of a run that saw all commands: that is an answer, too.
 */
static void tell_clean(struct session *s)
{
	const struct counters *c = session_counters(s);

	if (!counters_complete(c) || session_no_status(s))
		return;
	note("no errors%s in %llu command%s", session_selects(s) ? " that match" : "",
	     (unsigned long long)c->completed, c->completed == 1 ? "" : "s");
}

static int errors_tick(struct session *s, const struct tick *tick)
{
	const struct errors_opts *opts = session_cfg(s);
	struct errors_state *state = session_state(s);
	struct errors_successes *counts;
	size_t size;

	if (tick->last && !state->any && state->format == OUT_TEXT)
		tell_clean(s);
	counts = state->counts_ok ? session_map_memory(s, "successes", &size) : NULL;
	for (u32 i = 0; counts && i < size / sizeof(*counts); i++)
		take_successes(s, i, &counts[i]);
	if (opts->summary)
		errors_tally_print(&state->tally, tick);
	return 0;
}

static void errors_stop(struct session *s)
{
	struct errors_state *state = session_state(s);

	frames_close(state->frames);
	errors_tally_close(&state->tally);
}

/* clang-format off */
static const struct example errors_examples[] = {
	{ "each error as it happens", "nvmetool errors" },
	{ "counts each ten seconds", "nvmetool errors -s -a 10" },
	{ "the meaning of status values", "nvmetool errors --decode 0x4281 2/81" },
	{ "the errors in a recording", "nvmetool errors -i drive.nvt" },
	{ "what the block layer and programs are told", "nvmetool errors --block -d nvme0n1" },
	{ "who meets errors while fio runs, as JSON", "nvmetool errors -s --by comm,dev --json -- fio job.fio" },
	{ "the lines that the kernel logs", "nvmetool errors -f kernel -i drive.nvt" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_errors = {
	.name = "errors",
	.summary = "show errors, retries, timeouts and resets, decoded",
	.about =
		"Prints a line for each attempt of a command that failed, with the name of its "
		"status. Timeouts, Abort commands, controller resets and asynchronous events have "
		"a line each. A run without any of these says on standard error how many commands "
		"it saw.\n\n"
		"RETRY is the number of attempts before this one. A + behind it means that the "
		"driver tries again, so the program has not been told of the error yet. FLAGS are "
		"bits of the status: DNR is Do Not Retry, MORE says that the drive's error log "
		"has more information, CRD1 to CRD3 name the delay before a retry.\n\n"
		"-s --by counts by other keys. Errors, retries, timeouts and the like have rows of "
		"their own, and a key that an event does not tell is empty: a reset has a controller "
		"alone. With -a and keys beside queue, opcode and status, each success costs as much "
		"as a line of trace.\n\n"
		"In all counts (-s, --by status of other commands, the table of report) the "
		"key is SCT/SC alone. DNR, MORE and CRD say what the drive thinks of one attempt, so "
		"errors that differ in them share a row. A status of flags alone, 0/00, is an "
		"error.\n\n"
		"-f kernel prints the lines that the driver writes to the kernel's log for "
		"commands that failed for good, as a kernel with verbose errors writes them; "
		"other records have no such line.\n\n"
		"--decode explains status values that others print, and what they say without one: "
		"the kernel (failed commands, timeouts, resets, drives that are gone, connections over "
		"fabrics and their errnos, paths, errors of the block layer, the tracepoint "
		"nvme_complete_rq), nvme-cli, smartctl and the error logs that they print as text or "
		"JSON, FreeBSD, SPDK, and errors and trace as text, CSV and JSON: "
		"dmesg | nvmetool errors --decode -\n\n"
		"smartctl's error log and old nvme-cli print a status with its phase bit, all others "
		"without, so a value alone can have two readings: both are shown, the likelier "
		"first, and READING says why. Entries of an error log that are not in use are left "
		"out. Lines that are not understood are counted on standard error. The first 4096 "
		"bytes of a line are read.\n\n"
		"For NVMe, --summary answers what counting results by host and device status "
		"answers for SCSI. The SCSI layer itself is not traced.\n\n"
		"Timeouts and resets are seen where the kernel has BTF of the driver's modules "
		"(not in 5.10), and only for transports that are loaded at the start.",
	.examples = errors_examples,
	.takes = TAKES_TRACING | TAKES_UNIT | PRINTS_EVENTS | NEEDS_STATUS,
	.rows = EXPR_EVENTS,
	.opts = errors_opts,
	.cfg_size = sizeof(struct errors_opts),
	.formats = errors_formats,
	.schemas = errors_records,
	.untraced = errors_untraced,
	.run_schemas = decode_schemas,
	.check_run = decode_check,
	.run = errors_run,
	.bpf = "errors",
	.state_size = sizeof(struct errors_state),
	.check = errors_check,
	.start = errors_start,
	.event = errors_event,
	.tick = errors_tick,
	.stop = errors_stop,
};
