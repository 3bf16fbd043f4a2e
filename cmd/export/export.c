// SPDX-License-Identifier: GPL-2.0-or-later
/* export: writes what happened in the formats of other tools. */
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "cmd/export/export_format.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/group/fields.h"
#include "lib/session/lookup.h"
#include "lib/session/unpack.h"

#define WRAP_MIN  (1U << 20)
#define WRAP_STEP (1U << 12) /* so that what was aligned stays so */

/* clang-format off */
enum { EXPORT_NONE, EXPORT_FIO, EXPORT_BLKTRACE, EXPORT_HDR, EXPORT_CHROME };

static const struct export_format *const formats[] = {
	[EXPORT_FIO] = &export_fio, [EXPORT_BLKTRACE] = &export_blktrace,
	[EXPORT_HDR] = &export_hdr, [EXPORT_CHROME] = &export_chrome,
};

static const struct opt_word format_words[] = {
	{ "fio", EXPORT_FIO, "fio --read_iolog: reads, writes and flushes with their times" },
	{ "blktrace", EXPORT_BLKTRACE, "blkparse, btt and iowatcher, as NAME.blktrace.0" },
	{ "hdr", EXPORT_HDR, "logs of HdrHistogram: a line per row, and INTERVAL" },
	{ "chrome", EXPORT_CHROME, "Perfetto and chrome://tracing" },
	{ NULL },
};

static const struct opt_word by_words[] = {
	GROUP_WORD(NONE) GROUP_WORD(CTRL) GROUP_WORD(NS) GROUP_WORD(DEV) GROUP_WORD(QID) GROUP_WORD(CPU)
	GROUP_WORD(OPCODE) GROUP_WORD(PID) GROUP_WORD(COMM) GROUP_WORD(CGROUP)
	{ NULL },
};

static const struct opt export_opts[] = {
	OPT_ENUM(struct export_opts, format, .name = "format", .main = true, .letter = 'f', .arg = "FORMAT",
		 .words = format_words, .help = "whose input to write"),
	OPT_LIST(struct export_opts, map, .name = "map", .main = true, .arg = "DEV=FILE",
		 .brief = "fio: replay on FILE: nvme0n1=/dev/sdx", .help = "fio: replay on FILE what was done to DEV, as in nvme0n1=/dev/sdx"),
	OPT_SIZE(struct export_opts, wrap_bytes, .name = "wrap", .main = true, .arg = "SIZE", .min = WRAP_MIN, .max = 1ULL << 62,
		 .brief = "fio: fit into SIZE bytes", .help = "fio: begin again at 0 behind each SIZE bytes, to replay on a smaller disk"),
	OPT_SET_OF(struct export_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST",
		   .def = "dev,opcode", .words = by_words, .help = "hdr: a tag for each combination of these"),
	OPT_DONE
};

/* The words before the number of each gap. */
static const char *const gap_words[EXPORT_GAPS] = {
	[GAP_ADMIN] = "admin and fabrics commands",
	[GAP_OPCODE] = "commands that it has no word for",
	[GAP_RANGES] = "trims with more than one range, or from user space",
	[GAP_FUA] = "FUA bits of writes",
	[GAP_SIZE] = "commands of disks whose block size is not known",
	[GAP_BEYOND] = "commands longer than --wrap",
	[GAP_NAME] = "commands of disks whose name is too long for it",
	[GAP_LONG] = "latencies of 39 hours and more",
	[GAP_KEYS] = "commands beyond 256 tags, which are in \"(other)\"",
};

static const struct example export_examples[] = {
	{ "fio --read_iolog", "nvmetool export -f fio -i a.nvt -w job.log" },
	{ "for blkparse -i a", "nvmetool export -f blktrace -i a.nvt -w a.blktrace.0" },
	{ "each second", "nvmetool export -f hdr -i a.nvt -w a.hlog 1" },
	{ "ten s for Perfetto", "nvmetool export -f chrome -w a.json --duration 10" },
	{ "to replay on a disk of 64 GiB", "nvmetool export -f fio -i a.nvt --wrap 64g -w job.log" },
	{ NULL },
};
/* clang-format on */

void export_put(struct export *e, const void *data, size_t n)
{
	out_bytes(session_out(e->s), data, n);
}

void export_text(struct export *e, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n > 0)
		export_put(e, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void *export_more(struct export *e, void **array, u32 n, size_t size)
{
	void *more = NULL;

	if (!e->err)
		more = realloc(*array, (n + 1) * size);
	if (!more) {
		if (!e->err)
			session_fail(e->s, e->err = fail(-ENOMEM, NULL, NULL, "export"));
		return NULL;
	}
	*array = more;
	return memset((char *)more + n * size, 0, size);
}

void *export_device(struct export *e, const struct view *v, void **array, u32 *n, size_t size)
{
	u32 device = session_device(e->s, v->ev->queue);
	u32 *made;

	for (u32 i = 0; i < *n; i++) {
		char *at = (char *)*array + i * size;

		if (*(u32 *)at == device)
			return at;
	}
	made = export_more(e, array, *n, size);
	if (!made)
		return NULL;
	++*n;
	*made = device;
	return made;
}

/* --map DEV=FILE: fio ends a name at a blank. */
static int check_map(const struct opt_list *map)
{
	for (u32 i = 0; i < map->n; i++) {
		const char *file = strchr(map->word[i], '=');

		if (!file || file == map->word[i] || !file[1] || strpbrk(map->word[i], " \t\n"))
			return fail_usage("expected DEVICE=FILE without blanks",
					  "write it like nvme0n1=/dev/sdx", "--map '%s'",
					  map->word[i]);
		if (strlen(file + 1) > FIO_NAME_MAX)
			return fail_usage("fio reads 256 characters of a name",
					  "name a link to the file", "--map '%s'", map->word[i]);
	}
	return 0;
}

static int check_options(struct session *s, const struct export_opts *opts)
{
	const struct selection *sel = &session_common(s)->selection;
	const struct export_format *format = formats[opts->format];

	if (!opts->format)
		return fail_missing("there is no default", "name one of fio, blktrace, hdr, chrome",
				    "-f FORMAT");
	if (opts->map.n && opts->format != EXPORT_FIO)
		return fail_usage("only fio replays", "drop it", "--map");
	if (opts->wrap_bytes && opts->format != EXPORT_FIO)
		return fail_usage("only fio replays", "drop it", "--wrap");
	if (opts->wrap_bytes % WRAP_STEP)
		return fail_usage("expected a multiple of 4k, so that I/O stays aligned",
				  "write it like 64g", "--wrap %" PRIu64, opts->wrap_bytes);
	if (opts->format == EXPORT_BLKTRACE && !session_common(s)->output.file && isatty(1))
		return fail_missing("this format is not for a terminal", "add -w NAME.blktrace.0",
				    "-f blktrace");
	if (format->submit && (sel->min_lat_ns || sel->status.n))
		return fail_usage("they are known only at completion, and this format has "
				  "commands as they are sent",
				  "select them first: record -w FILE -i ...",
				  "--min-lat or --status");
	return check_map(&opts->map);
}

static int export_check(struct session *s, struct session_request *ask)
{
	const struct export_opts *opts = session_cfg(s);
	struct export *e = session_state(s);
	int err = check_options(s, opts);

	if (err)
		return err;
	e->s = s;
	e->opts = opts;
	e->format = formats[opts->format];
	ask->admin = opts->format != EXPORT_HDR; /* as latency */
	group_init(&e->group, s, opts->by, "(other)");
	return 0;
}

static int export_start(struct session *s, struct session_request *ask)
{
	struct export *e = session_state(s);
	const struct export_format *format = e->format;

	ask->required = format->required | NEED_IO | (format->ticks ? group_needs(&e->group) : 0);
	ask->quiet = format->quiet;
	group_ask_owners(&e->group, ask);
	ask->aggregates = format->ticks;
	ask->fast_path_only = !(format->required & NEED_SUBMIT);
	e->state = calloc(1, format->state_bytes);
	if (!e->state)
		return fail(-ENOMEM, NULL, NULL, "export");
	return format->open ? format->open(e) : 0;
}

/* Begins the output with the first event or tick: then the wall clock is known. */
static void begin(struct export *e, s64 wall_offset_ns)
{
	if (e->begun)
		return;
	e->begun = true;
	e->start_wall_ns = session_start_ns(e->s) + (u64)wall_offset_ns;
	if (e->format->begin)
		e->format->begin(e);
}

static int export_event(struct session *s, const struct view *v)
{
	struct export *e = session_state(s);
	u64 start_ns = session_start_ns(s);

	begin(e, (s64)(v->wall_ns - v->ev->ts_ns));
	switch (v->ev->kind) {
	case EVENT_SUBMIT:
		trace_row_fill(&e->row, v, TRACE_SUBMIT, start_ns);
		if (e->format->submit)
			e->format->submit(e, v);
		break;
	case EVENT_IO:
		trace_row_fill(&e->row, v, TRACE_IO, start_ns);
		if (e->format->complete)
			e->format->complete(e, v);
		break;
	}
	return 0;
}

static int export_tick(struct session *s, const struct tick *t)
{
	struct export *e = session_state(s);

	begin(e, (s64)(t->wall_ns - t->end_ns));
	group_interval(&e->group, t);
	if (e->format->tick && (t->last || e->format->ticks))
		e->format->tick(e, t);
	for (u32 i = 0; t->last && i < EXPORT_GAPS; i++)
		if (e->gaps[i])
			note("not in the export: %s: %" PRIu64, gap_words[i], e->gaps[i]);
	return e->err;
}

static void export_stop(struct session *s)
{
	struct export *e = session_state(s);

	if (e->state && e->format->close)
		e->format->close(e);
	free(e->state);
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write commands in the formats of other tools",
	.about =
		"Turns a recording, or what happens now, into the input of tools that are there "
		"already. What a format cannot express is counted on stderr.\n\n"
		"fio: a trace of version 3 for fio --read_iolog (fio 3.31 or later), of /dev/DEV or what --map "
		"names in its place: fio --name=again --read_iolog=job.log --ioengine=libaio --iodepth=32 (without "
		"an engine fio sends one command at a time). To replay it is to write to these disks: what is on them is lost. "
		"Reads, writes, flushes and trims are there, in the order and at the times in which the driver sent "
		"them. fio 3.33 leaves out trims, and the time before them: give it the others (-O read,write,flush) "
		"and the trims as a blktrace, which it reads as well. Where a file ends it fails, or leaves out "
		"what follows without an error: stderr says how large the file must be, since this format has no comments. "
		"--wrap 64g takes offsets modulo 64 GiB instead: sizes, times and sequences stay, but seeks get "
		"shorter and blocks far apart may fall on one. fio's own replay drifts: it waits for the time "
		"between two commands, but not less for being late, so that a replay takes longer than the "
		"recording, and how many are in flight is up to its --iodepth.\n\n"
		"blktrace: one file for all disks, whose name has to end in .blktrace.0 for blkparse -i. D and C are "
		"nvme_setup_cmd and nvme_complete_rq; Q has the time of D, and all is on CPU 0. The error of a "
		"command that failed is EIO.\n\n"
		"hdr: latencies with three significant digits, for HistogramLogProcessor and the like; a "
		"line for each tag and INTERVAL. As in latency, admin commands are there if they are selected: -q 0-.\n\n"
		"chrome: a process for each device, whose commands are slices on as many lanes as are needed "
		"for them not to overlap.",
	.examples = export_examples,
	.takes = TAKES_SELECTION | TAKES_FILE | TAKES_RUN | TAKES_INTERNALS | PRINTS_EVENTS,
	.rows = EXPR_EVENTS,
	.opts = export_opts,
	.cfg_size = sizeof(struct export_opts),
	.bpf = "trace",
	.state_size = sizeof(struct export),
	.check = export_check,
	.start = export_start,
	.unpack = trace_unpack,
	.event = export_event,
	.tick = export_tick,
	.stop = export_stop,
};
