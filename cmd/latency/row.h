// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `latency`: from a row of cmd/latency/table.h to named keys and figures, and their
 * schema.
 */
#ifndef NVT_LATENCY_ROW_H
#define NVT_LATENCY_ROW_H

#include "cmd/latency/table.h"
#include "lib/nvme/spec.h"
#include "lib/out/hist.h"
#include "lib/out/out.h"
#include "lib/session/session.h"

struct session;

#define LATENCY_NO_NUMBER (-1) /* key of the row "(other)": null */

/* One record as printed. Keys that --by does not name are not shown. */
struct latency_row {
	u64 wall_ns, interval_ns, seq;
	u64 count, errors, bytes, min_ns, max_ns, sum_ns, mean_ns;
	double iops, bytes_per_s; /* not a number while the interval has no length */
	u64 pct_ns[HIST_PERCENTILES];
	s64 ctrl_id, nsid, qid, cpu, opcode, admin, pid, cgroup_id, status;
	u32 flags; /* bits of enum req_flag */
	const char *host, *ctrl, *dev, *op, *size, *comm, *cgroup, *sct_sc, *status_name, *phase;
	bool other;
	struct hist hist;
	const struct percentile *pct;
	u32 n_pct;
	char ctrl_text[SESSION_CTRL_NAME], op_text[NVME_OPCODE_NAME_MAX], size_text[32],
		comm_text[WIRE_COMM + 1];
	char sct_sc_text[NVME_SCT_SC_MAX];
};

/* What the records of one run have in common. */
struct latency_view {
	struct session *s;
	const struct latency_cfg *cfg;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	u64 start_ns, end_ns, wall_ns, seq; /* of the interval */
	/* Columns of this run: those of the schema and one for each percentile. */
	struct field fields[80];
	char names[HIST_PERCENTILES][24], heads[HIST_PERCENTILES][16];
};

extern const struct schema latency_schema;

/*
 * Fits the columns of @o to view->pct and to the keys of view->cfg; @extension shows total and
 * average.
 */
void latency_columns(struct latency_view *view, struct out *o, bool extension);

/* Fills in the record of @from; strings lie in @row, in the session or are constants. */
void latency_row_fill(struct latency_row *row, const struct latency_view *view,
		      const struct agg_row *from);

/*
 * What `pattern` has in common: the keys and the interval of a record (@key NULL: the row
 * "(other)"), the columns of the keys in @by, and the order of rows, devices first and tasks last,
 * with the session as @ctx.
 */
void latency_row_keys(struct latency_row *row, const struct latency_view *view,
		      const struct latency_key *key);
/*
 * In replay: whose controller or device it is, where hosts are told apart; @host: session_host().
 */
static inline void latency_key_host(struct latency_key *key, const struct latency_cfg *cfg,
				    u32 host)
{
	if (!latency_has(cfg, LATENCY_BY_DEV) &&
	    cfg->by & (1U << LATENCY_BY_CTRL | 1U << LATENCY_BY_HOST))
		key->queue = host;
}

void latency_show_keys(struct out *o, u32 by);
int latency_key_compare(const struct latency_key *a, const struct latency_key *b, void *ctx);

/* Whether it is known that commands of the row failed. */
bool latency_has_errors(const void *row);

/* "ok", "Unrecovered Read Error DNR". */
void latency_status_text(const struct latency_row *row, char *buf, size_t size);

/* "sync|fua" of row->flags with @sep between; "" for none. */
void latency_flags_text(const struct latency_row *row, const char *sep, char *buf, size_t size);

/* The keys of @by but the opcode, for a line of text: "nvme0 comm=fio"; "" for none. */
void latency_row_name(const struct latency_row *row, u32 by, char *buf, size_t size);

/* The smallest label of a size class: "<=16k", and ">64k" for the last. */
void latency_size_text(const struct latency_cfg *cfg, u32 class, char *buf, size_t size);

/* cmd/latency/text.c: how a row looks to people. */
enum latency_histogram { LATENCY_BARS, LATENCY_TABLE, LATENCY_NO_HISTOGRAM };

struct latency_style {
	u32 histogram; /* enum latency_histogram */
	u32 bits; /* rows of the table: 2^bits per power of two */
	u32 by; /* as latency_cfg.by */
	u32 columns; /* width of the terminal */
	bool extension;
};

/* Key line, table, figures, and an empty line. */
void latency_draw(struct out *o, const struct latency_style *style, const struct latency_row *row);

/* What it takes to report an interval; row is scratch. */
struct latency_report {
	struct latency_view view;
	struct latency_style style;
	struct latency_row row;
	bool draw; /* as histograms rather than lines */
	bool printed; /* some row was, in any interval */
};

/* Sorts the rows of @agg, prints each and lets --fail-if see it. cmd/latency/report.c */
void latency_report(struct session *s, struct latency_report *report, struct agg *agg);

#endif
