// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics: counters and histograms for Prometheus, over HTTP or in a file. */
#include "cmd/metrics/families.h"
#include "cmd/metrics/metrics_file.h"
#include "cmd/metrics/listen.h"
#include "cmd/metrics/server.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/group/fields.h"

#define FILE_NS		  (15 * NSEC_PER_SEC) /* how often -w writes, without INTERVAL */
#define SERIES_MAX	  4000

#define METRICS_KEYS(USE) USE(CTRL) USE(DEV) USE(OPCODE) USE(CGROUP)

struct metrics_opts {
	const char *listen;
	u64 by; /* bits 1 << enum key */
	u32 max_series;
	bool admin, queued;
};

struct metrics_state {
	struct group group;
	struct metrics_reading reading;
	struct server *server;
	struct metrics_file file;
	bool wrote; /* the file is there */
};

/* clang-format off */
static const struct opt_word by_words[] = {
	GROUP_WORD(NONE) METRICS_KEYS(GROUP_WORD)
	{ NULL },
};

static const struct opt metrics_opts[] = {
	OPT_STR(struct metrics_opts, listen, .name = "listen", .main = true, .arg = "WHERE",
		.brief = "serve on ADDR:PORT, unix:PATH, or systemd's (fd)", .help = "serve on ADDR:PORT, on unix:PATH, or on the sockets that systemd passes (fd)"),
	OPT_SET_OF(struct metrics_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST",
		   .def = "ctrl,dev,opcode", .words = by_words,
		   .brief = "labels; processes are none", .help = "labels; processes are none, since they would make ever more series"),
	OPT_FLAG(struct metrics_opts, admin, .name = "admin", .main = true, .letter = 'A', .help = "include admin commands"),
	OPT_FLAG(struct metrics_opts, queued, .name = "queued", .main = true, .letter = 'Q',
		 .brief = "a second histogram, from block layer entry", .help = "a second histogram, from block layer entry; commands whose entry is not known are not in it"),
	OPT_U32(struct metrics_opts, max_series, .name = "max-series", .arg = "N", .def = "500",
		.min = 1, .max = SERIES_MAX, .help = "at most N combinations of labels; further commands count as (other)"),
	OPT_DONE
};

static const struct example metrics_examples[] = {
	{ "for Prometheus on this host", "nvmetool metrics --listen 127.0.0.1:9966" },
	{ "for node_exporter", "nvmetool metrics -w node/nvme.prom 30" },
	{ "by cgroup, for a proxy", "nvmetool metrics --listen unix:mx --by cgroup" },
	{ "with the wait for the driver", "nvmetool metrics -Q -w nvme.prom 30" },
	{ "of a recording", "nvmetool metrics -i drive.nvt -w nvme.prom" },
	{ "at most 100 combinations of labels", "nvmetool metrics --listen [::1]:9966 --by dev,cgroup --max-series 100" },
	{ NULL },
};
/* clang-format on */

/* Checks that there is one destination. */
static int check_way(const struct metrics_opts *opts, const char *file)
{
	if (opts->listen && file)
		return fail_usage("metrics have one destination", "drop one of them",
				  "--listen and --write");
	if (!opts->listen && !file)
		return fail_missing("no destination is given", "give --listen ADDR:PORT or -w FILE",
				    "metrics");
	if (file && streq(file, "-"))
		return fail_usage("it is replaced at each interval", "name a file", "--write -");
	return 0;
}

static int metrics_check(struct session *s, struct session_request *ask)
{
	const struct metrics_opts *opts = session_cfg(s);
	struct metrics_state *m = session_state(s);
	const char *file = session_common(s)->output.file;
	int err = check_way(opts, file);

	m->file.dir_fd = -1;
	if (err)
		return err;
	m->reading.queued = opts->queued;
	m->reading.served = opts->listen;
	group_init(&m->group, s, opts->by, "(other)");
	err = group_check_condition(&m->group);
	if (err)
		return err;
	ask->admin = opts->admin;
	ask->one_report = true;
	ask->interval_ns = file ? FILE_NS : 0;
	ask->replaces_file = file;
	ask->serves = opts->listen;
	return 0;
}

/* Until the run starts there is nothing to count. */
static void render(void *ctx, struct expo *e)
{
	metrics_render(ctx, e);
}

/* Opens the directory of the file, or the sockets and serves on them. */
static int open_way(struct session *s)
{
	const struct metrics_opts *opts = session_cfg(s);
	struct metrics_state *m = session_state(s);
	const char *file = session_common(s)->output.file;
	int fds[SERVER_LISTENERS], n;

	metrics_process_open(&m->reading.process);
	if (file)
		return metrics_file_open(&m->file, file);
	n = listen_open(opts->listen, fds, SERVER_LISTENERS);
	if (n < 0)
		return n;
	m->server = server_open(fds, (u32)n, render, &m->reading);
	return m->server ? 0 : fail(-ENOMEM, NULL, NULL, "cannot serve");
}

static int metrics_start(struct session *s, struct session_request *ask)
{
	const struct metrics_opts *opts = session_cfg(s);
	struct metrics_state *m = session_state(s);
	bool waited = m->server || m->file.dir_fd >= 0;
	int err = waited ? 0 : open_way(s);

	m->wrote = false;
	return err ? err : metrics_reading_open(&m->reading, s, &m->group, opts->max_series, ask);
}

static int metrics_event(struct session *s, const struct view *v)
{
	struct metrics_state *m = session_state(s);

	metrics_reading_event(&m->reading, v);
	return 0;
}

static int write_file(struct metrics_state *m)
{
	struct expo e = { 0 };
	int err;

	metrics_render(&m->reading, &e);
	err = e.failed ? fail(-ENOMEM, NULL, NULL, "cannot write '%s'", m->file.path)
		       : metrics_file_write(&m->file, e.data, e.len);
	expo_free(&e);
	m->wrote = true;
	return err;
}

/* Lets --fail-if see all rows since the start. */
static void check_rows(struct metrics_state *m, const struct tick *t)
{
	struct latency_count *count = &m->reading.count;
	u32 n = group_table_sort(count->table, latency_sum_compare, &m->group);
	struct group_row keys;

	group_interval(&m->group, t);
	m->group.start_ns = session_from_ns(m->group.s);
	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *sum = group_table_at(count->table, i);
		struct hist hist = latency_sum_hist(sum, &count->cfg.hist);
		struct expr_row values = latency_sum_values(sum, &hist);

		group_row_fill(&keys, &m->group, &sum->key);
		group_check(&m->group, &keys, &values);
	}
	if (!n)
		group_check(&m->group, NULL, &(struct expr_row){ 0 });
}

/* In replay there is one file, of the whole recording. */
static int metrics_tick(struct session *s, const struct tick *t)
{
	struct metrics_state *m = session_state(s);

	metrics_read(&m->reading);
	check_rows(m, t);
	return m->file.dir_fd >= 0 && (t->last || !session_is_replay(s)) ? write_file(m) : 0;
}

static u32 metrics_poll(struct session *s, struct pollfd *fds)
{
	const struct metrics_state *m = session_state(s);

	return m->server ? server_poll(m->server, fds) : 0;
}

/* Serves. A file is written at once for the first time: that shows whether it can be. */
static int metrics_idle(struct session *s, u64 now_ns)
{
	struct metrics_state *m = session_state(s);

	if (m->server)
		server_step(m->server, now_ns);
	return m->file.dir_fd >= 0 && !m->wrote ? write_file(m) : 0;
}

static void metrics_stop(struct session *s)
{
	struct metrics_state *m = session_state(s);

	server_close(m->server);
	metrics_file_close(&m->file);
	metrics_reading_close(&m->reading);
}

_Static_assert(SERVER_FDS <= SESSION_POLL, "descriptors that the session does not poll");

const struct cmd cmd_metrics = {
	.name = "metrics",
	.summary = "export counters and histograms to Prometheus",
	.about =
		"Counts what latency counts, since the start, and gives it to Prometheus: on a "
		"socket for each scrape (--listen), or in a file for node_exporter's textfile "
		"collector (-w), which is replaced each INTERVAL, 15 seconds unless given. There is "
		"no default address. A scraper gets OpenMetrics 1.0 or the text format 0.0.4, "
		"compressed if it takes gzip. With --listen, scrapes within INTERVAL of a reading "
		"get that one again. By controller it also tells what is in flight, the age of the "
		"oldest such command, timeouts and resets, but on kernels without BTF of modules (5.10) "
		"neither of these two, and of a recording nothing that is in flight.\n\n"
		"-Q adds a second histogram, nvmetool_block_duration_seconds, of the same commands: "
		"as in latency -Q the time begins when the I/O entered the block layer. The "
		"difference of their sums is the time that commands waited for a tag or in the I/O "
		"scheduler. --fail-if goes by the first one.\n\n"
		"The edges of buckets are 2^k and 1.5 * 2^k nanoseconds from 8.19 us to 8.59 s on "
		"every host, so histograms of a fleet add up: sum by (le). A command of just such "
		"a time counts above the edge. Counters never go back while it runs; a restart shows in "
		"nvmetool_start_time_seconds. There are no native histograms: their buckets grow by a "
		"constant factor, and nvmetool's cut each power of two in equal parts.\n\n"
		"Names of drives differ from host to host and from boot to boot. nvmetool_controller_info "
		"has model, serial number and firmware of each, to be joined: EXPR * on (instance, "
		"controller) group_left (model, serial) nvmetool_controller_info. With --listen there "
		"are metrics of nvmetool's own process, process_cpu_seconds_total and others; "
		"nvmetool_build_info has its version.\n\n"
		"On a host without the NVMe driver it waits for it, and has only metrics of nvmetool "
		"itself until then; --absent says otherwise.\n\n"
		"The server answers GET and HEAD of /metrics, and has no TLS and no passwords: "
		"listen on a local address, or put a proxy in front. With -i it serves what a "
		"recording holds until it is interrupted. A systemd service that needs no root, alert "
		"rules and a Grafana dashboard come with nvmetool: nvmetool-metrics.socket and "
		"share/nvmetool.",
	.operands = "(--listen WHERE | -w FILE) [INTERVAL]",
	.examples = metrics_examples,
	.takes = TAKES_SELECTION | TAKES_FILE | TAKES_RUN | TAKES_INTERNALS | COUNTS_IN_KERNEL |
		 WRITES_ITSELF | AWAITS_DRIVER,
	.rows = EXPR_LATENCIES,
	.opts = metrics_opts,
	.cfg_size = sizeof(struct metrics_opts),
	.bpf = "latency",
	.state_size = sizeof(struct metrics_state),
	.waits = open_way,
	.check = metrics_check,
	.start = metrics_start,
	.event = metrics_event,
	.tick = metrics_tick,
	.poll = metrics_poll,
	.idle = metrics_idle,
	.stop = metrics_stop,
};
