// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of the options that commands share. */
#include "lib/cli/common.h"

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"

#define DAY_NS (24 * 3600ULL * NSEC_PER_SEC)

/* clang-format off */
static const struct opt_word queue_words[] = {
	{ "admin", 0, "queue 0" }, { "io", 0, "all I/O queues" }, { NULL },
};

static const struct opt_word status_words[] = {
	{ "ok", 0, "successful" }, { "error", 0, "any failure" }, { "retry", 0, "failed, and will be retried" },
	{ "media", 0, "media and data integrity errors" }, { "path", 0, "path errors" }, { NULL },
};

/* These select by what only a completed command has. */
static const struct opt completed_opts[] = {
	OPT_TIME(struct selection, min_lat_ns, .name = "min-lat", .letter = 'L', .arg = "TIME",
		 .max = DAY_NS, .help = "only commands at least this slow: 500us  2ms"),
	OPT_LIST(struct selection, status, .name = "status", .arg = "LIST", .words = status_words,
		 .help = "status codes (2/81, 0x281) or kinds"),
	OPT_LIST(struct selection, time, .name = "time", .arg = "LIST", .hint = HINT_TIMES,
		 .help = "of a recording: what completed in these times since its start, each with a report of its own: 4-6.5  300ms-1.2s,2s-"),
	OPT_DONE,
};

static const struct opt selection_opts[] = {
	OPT_LIST(struct selection, device, .name = "device", .other = "disk", .letter = 'd', .arg = "LIST",
		 .main = true, .hint = HINT_DEVICE, .help = "devices: nvme3  nvme3n1p2  /dev/...  MAJ:MIN; HOST/nvme3n1 of that host's recording; md0, /dev/mapper/x or a mount point: what is below",
		 .brief = "devices: nvme3  nvme3n1p2  /dev/...  MAJ:MIN"),
	OPT_LIST(struct selection, opcode, .name = "opcode", .letter = 'O', .arg = "LIST", .hint = HINT_OPCODE,
		 .main = true, .help = "opcodes: read,write,0x09,admin:identify; '!flush' is all but flush",
		 .brief = "opcodes: read,write,0x09,admin:identify"),
	OPT_LIST(struct selection, comm, .name = "comm", .arg = "GLOB",
		 .help = "name of the submitting process, a shell pattern; '!fio*' is all others"),
	OPT_LIST(struct selection, pid, .name = "pid", .letter = 'p', .arg = "LIST", .hint = HINT_PID,
		 .help = "processes that submitted the command; '!4711' is all others"),
	OPT_LIST(struct selection, size, .name = "size", .arg = "MIN[-MAX]",
		 .help = "transfer size in bytes: 4k  64k-1m"),
	OPT_LIST(struct selection, cgroup, .name = "cgroup", .letter = 'g', .arg = "PATH", .hint = HINT_CGROUP,
		 .help = "processes of this cgroup (v2) and of those below it"),
	OPT_LIST(struct selection, ctrl, .name = "ctrl-id", .letter = 'c', .arg = "LIST", .hint = HINT_CTRL,
		 .help = "controllers, the N of /dev/nvmeN: 3  0-3,7  nvme3; HOST/3 of that host's recording; -1 is all, '!3' all but 3"),
	OPT_LIST(struct selection, nsid, .name = "nsid", .letter = 'n', .arg = "LIST", .hint = HINT_NSID,
		 .help = "namespace IDs"),
	OPT_LIST(struct selection, qid, .name = "qid", .letter = 'q', .arg = "LIST",
		 .words = queue_words, .help = "queues, by number or by name"),
	OPT_LIST(struct selection, lba, .name = "lba", .arg = "FROM[-TO]",
		 .help = "logical blocks of the namespace; of trims with several ranges a recording has none"),
	OPT_DONE,
};

static const struct opt_word units[] = {
	{ "ns", UNIT_NS, "nanoseconds" }, { "us", UNIT_US, "microseconds" },
	{ "ms", UNIT_MS, "milliseconds" }, { "s", UNIT_S, "seconds" }, { NULL },
};

static const struct opt_word color_words[] = {
	{ "auto", COLOR_AUTO, "on a terminal, unless NO_COLOR is set" },
	{ "always", COLOR_ALWAYS, "into files and pipes as well" },
	{ "never", COLOR_NEVER, "plain text" },
	{ NULL },
};

/*
 * Only keeps the word: common_check() looks it up, since some commands have formats of their own.
 */
static int parse_format(void *group, const char *word)
{
	struct output_opts *out = group;

	if (out->format_word && !streq(out->format_word, word))
		return fail_usage("only one output format is possible", "drop one of them", "formats %s and %s",
				  out->format_word, word);
	out->format_word = word;
	return 0;
}

static const struct opt file_opts[] = {
	OPT_STR(struct output_opts, file, .name = "write", .main = true, .letter = 'w', .arg = "FILE", .hint = HINT_FILE,
		.brief = "write data to FILE, not to standard output",
		.help = "write data to FILE, not to standard output; the umask says who may read text, CSV, JSON, pages "
			"and pictures, recordings and what is for other tools (folded, export) only its owner"),
	OPT_DONE,
};

static const struct opt quiet_opts[] = {
	OPT_FLAG(struct output_opts, quiet, .name = "quiet", .help = "print errors only: no notes, no progress"),
	OPT_DONE,
};

static const struct opt output_opts[] = {
	OPT_ALIAS("--format json", .name = "json", .letter = 'j', .main = true, .help = "JSON, an object per line"),
	OPT_CALL(parse_format, .name = "format", .other = "output-format", .letter = 'f', .other_letter = 'o',
		 .arg = "FMT", .words = common_formats, .hint = HINT_FORMAT,
		 .help = "output format, text unless given"),
	OPT_ALIAS("--format csv", .name = "csv", .help = "CSV with a heading"),
	OPT_STR(struct output_opts, columns, .name = "columns", .arg = "LIST", .hint = HINT_COLUMN,
		.help = "choose columns, or add (+NAME) or drop (-NAME) some"),
	OPT_ENUM(struct output_opts, color, .name = "color", .rare = true, .arg = "WHEN", .def = "auto", .words = color_words,
		 .help = "colour errors and p99 in text"),
	OPT_UNSET(struct output_opts, header, .name = "no-header", .rare = true, .help = "print no heading in text and CSV"),
	OPT_UNSET(struct output_opts, meta, .name = "no-meta", .rare = true, .help = "print no meta record in JSON"),
	OPT_DONE,
};

static const struct opt time_opts[] = {
	OPT_FLAG(struct output_opts, timestamp, .name = "timestamp", .letter = 'T',
		 .help = "add wall-clock time to text"),
	OPT_DONE,
};

static const struct opt utc_opts[] = {
	OPT_FLAG(struct output_opts, utc, .name = "utc", .help = "show wall-clock time in UTC"),
	OPT_DONE,
};

static const struct opt unit_opts[] = {
	OPT_ENUM(struct output_opts, unit, .name = "unit", .arg = "UNIT", .def = "us", .words = units,
		 .help = "unit of latencies in text"),
	OPT_ALIAS("--unit ms", .name = "milliseconds", .letter = 'm', .help = "latencies in milliseconds"),
	OPT_DONE,
};

static const struct opt run_opts[] = {
	OPT_TIME(struct run_opts, duration_ns, .name = "duration", .main = true, .arg = "TIME", .min = NSEC_PER_MSEC,
		 .max = 366 * DAY_NS, .help = "stop after TIME"),
	OPT_U64(struct run_opts, max_events, .name = "max-events", .arg = "N", .min = 1,
		.help = "stop after N records"),
	OPT_DONE,
};

static const struct opt check_opts[] = {
	OPT_STR(struct run_opts, fail_if, .name = "fail-if", .main = true, .arg = "EXPR", .hint = HINT_CONDITION,
		.help = "exit with status 6 if EXPR is true in any interval"),
	OPT_FLAG(struct run_opts, strict, .name = "strict", .help = "exit with status 7 if anything was lost"),
	OPT_DONE,
};

static const struct opt none_opts[] = {
	OPT_FLAG(struct run_opts, allow_none, .name = "allow-none",
		 .help = "let --fail-if pass where no command matched, or none of an opcode in EXPR; else that fails, unless EXPR names their count"),
	OPT_DONE,
};

static const struct opt_word absent_words[] = {
	{ "error", ABSENT_ERROR, "end with status 4" },
	{ "ok", ABSENT_OK, "say so, and end with status 0; run PROGRAM unmeasured" },
	{ "wait", ABSENT_WAIT, "begin when it comes, with all that -c, -n and -d name" },
	{ NULL },
};

#define OPT_ABSENT(how) \
	OPT_ENUM(struct run_opts, absent, .name = "absent", .arg = "HOW", .def = (how), \
		 .words = absent_words, .help = "on a host without the NVMe driver, end with status 4, " \
			 "end with 0 or run PROGRAM unmeasured, or wait, at most for --duration")

static const struct opt absent_opts[] = {
	OPT_ABSENT("error"),
	OPT_DONE,
};

static const struct opt await_opts[] = {
	OPT_ABSENT("wait"),
	OPT_DONE,
};

static const struct opt input_opts[] = {
	OPT_LIST(struct run_opts, input, .name = "input", .letter = 'i', .arg = "FILE", .hint = HINT_FILE,
		 .main = true, .brief = "replay a recording, in place of tracing", .help = "replay a recording; several are merged; FILE alone does the same"),
	OPT_DONE,
};

static const struct opt files_opts[] = {
	OPT_LIST(struct run_opts, input, .name = "input", .letter = 'i', .arg = "FILE", .hint = HINT_FILE,
		 .main = true, .help = "a recording; the same as FILE alone"),
	OPT_DONE,
};

static const struct opt_word attach_words[] = {
	{ "auto", ATTACH_AUTO, "the best way that this kernel offers" },
	{ "tp_btf", ATTACH_TP_BTF, "typed tracepoints; needs BTF of nvme_core" },
	{ "raw_tp", ATTACH_RAW_TP, "raw tracepoints" },
	{ NULL },
};

static const struct opt attach_opts[] = {
	OPT_STR(struct internal_opts, btf, .name = "btf", .rare = true, .arg = "DIR", .def = "/sys/kernel/btf",
		.hint = HINT_DIR, .help = "BTF files of the kernel and its modules"),
	OPT_ENUM(struct internal_opts, attach, .name = "attach", .rare = true, .arg = "HOW", .def = "auto",
		 .words = attach_words, .help = "how to attach to the kernel's tracepoints"),
	OPT_DONE,
};

static const struct opt internal_opts[] = {
	OPT_SIZE(struct internal_opts, buffer_bytes, .name = "buffer", .rare = true, .arg = "SIZE", .def = "8m",
		 .min = 4096, .max = 1ULL << 30, .help = "size of the event ring buffer"),
	OPT_FLAG(struct internal_opts, self_stats, .name = "self-stats", .rare = true,
		 .help = "report nvmetool's own cost per event"),
	OPT_FLAG(struct internal_opts, probe_only, .name = "probe-only", .rare = true,
		 .help = "attach, report what was attached, detach, exit"),
	OPT_DONE,
};

static const struct opt general_opts[] = {
	OPT_FLAG(struct internal_opts, help, .name = "help", .letter = 'h', .help = "print the main options and some examples"),
	OPT_FLAG(struct internal_opts, version, .name = "version", .letter = 'V',
		 .help = "print the versions of nvmetool and of its libraries"),
	OPT_COUNT(struct internal_opts, verbose, .name = "verbose", .letter = 'v',
		  .help = "print more messages; -vv: those of libbpf too; -vvv: the verifier's too"),
	OPT_DONE,
};
/* clang-format on */

const struct opt_word common_formats[] = {
#define FORMAT(id, word, help) { #word, OUT_##id, help },
#include "lib/out/format.def"
#undef FORMAT
	{ NULL },
};

void common_groups(const struct cmd *cmd, struct common *c, void *cfg, struct opt_group *groups)
{
	if (cmd->opts)
		*groups++ = (struct opt_group){ "Further options", cmd->opts, cfg };
	if (cmd->takes & TAKES_SELECTION && !(cmd->takes & SHOWS_INFLIGHT))
		*groups++ = (struct opt_group){ "Selection", completed_opts, &c->selection };
	if (cmd->takes & TAKES_SELECTION)
		*groups++ = (struct opt_group){ "Selection", selection_opts, &c->selection };
	if (cmd->takes & (TAKES_OUTPUT | TAKES_FILE))
		*groups++ = (struct opt_group){ "Output", file_opts, &c->output };
	if (cmd->takes & TAKES_OUTPUT)
		*groups++ = (struct opt_group){ "Output", output_opts, &c->output };
	if (cmd->takes & TAKES_TIMES)
		*groups++ = (struct opt_group){ "Output", time_opts, &c->output };
	if (cmd->takes & (TAKES_TIMES | TAKES_UTC))
		*groups++ = (struct opt_group){ "Output", utc_opts, &c->output };
	if (cmd->takes & TAKES_UNIT)
		*groups++ = (struct opt_group){ "Output", unit_opts, &c->output };
	if (cmd->takes & (TAKES_OUTPUT | TAKES_FILE))
		*groups++ = (struct opt_group){ "Output", quiet_opts, &c->output };
	if (cmd->takes & TAKES_RUN)
		*groups++ = (struct opt_group){ "Run control", run_opts, &c->run };
	if (cmd->takes & (TAKES_RUN | TAKES_CHECKS))
		*groups++ = (struct opt_group){ "Run control", check_opts, &c->run };
	if (cmd->takes & (TAKES_RUN | TAKES_CHECKS) && !(cmd->takes & SHOWS_INFLIGHT))
		*groups++ = (struct opt_group){ "Run control", none_opts, &c->run };
	if (cmd->takes & (TAKES_RUN | TAKES_INPUT) && !(cmd->takes & (TRACES_USERS | TAKES_FILES)))
		*groups++ = (struct opt_group){ "Run control", input_opts, &c->run };
	if (cmd->takes & TAKES_RUN && !(cmd->takes & TRACES_USERS))
		*groups++ =
			(struct opt_group){ "Run control",
					    cmd->takes & AWAITS_DRIVER ? await_opts : absent_opts,
					    &c->run };
	if (cmd->takes & TAKES_FILES)
		*groups++ = (struct opt_group){ "Run control", files_opts, &c->run };
	if (cmd->takes & TAKES_INTERNALS && !(cmd->takes & TRACES_USERS))
		*groups++ = (struct opt_group){ "Internals", attach_opts, &c->internal };
	if (cmd->takes & TAKES_INTERNALS)
		*groups++ = (struct opt_group){ "Internals", internal_opts, &c->internal };
	*groups++ = (struct opt_group){ "General", general_opts, &c->internal };
	*groups = (struct opt_group){ 0 };
}
