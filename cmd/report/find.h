// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of a report: what they need beside the sums of the page, and who looks for them. */
#ifndef NVT_REPORT_FIND_H
#define NVT_REPORT_FIND_H

#include "cmd/report/coincide.h"
#include "lib/base/fmt.h"
#include "lib/view/finding.h"

#define FIND_MOST  64 /* findings that are kept, before the first of them are shown */
#define FIND_SHOWN 7

struct report;
struct report_side;

/* The findings of all recordings. */
struct find {
	struct finding at[FIND_MOST];
	u32 n;
};

/* find.c: looks for all kinds in all recordings, and sorts what was found. 0 or -ENOMEM. */
int find_all(struct report *r);
/* A new finding of a recording about device or controller @dev, which may be NULL; never NULL. */
struct finding *find_new(struct report *r, u32 side, enum finding_kind kind,
			 enum finding_severity severity, const char *dev);
/* Names the command that shows a finding: "latency", its options, and the file. Foreign words come quoted. */
__attribute__((format(printf, 3, 4))) void find_shows(struct report *r, struct finding *f,
						      const char *format, ...);
/* Since when, and until when. */
void find_when(struct report *r, struct finding *f, u64 from_ns, u64 to_ns);
void find_op(struct finding *f, const char *op); /* NULL: unknown */
/* A time of the day: "22:13:25.0"; and of one after @from_ns: "27.0" if that is in the same minute. */
#define FIND_TIME 32
const char *find_time(struct report *r, u64 ns, char buf[FIND_TIME]);
const char *find_time_after(struct report *r, u64 from_ns, u64 ns, char buf[FIND_TIME]);

/* Whether a kind is of I/O commands; of such to session_device() @device; the first of such to its device. */
bool find_is_io(const struct log *l, u32 kind);
bool find_is_of(const struct log *l, u32 kind, u32 device);
bool find_is_first(const struct log *l, u32 kind);

/* find_say.c: the parts of sentences. @kind and @sender are those of the log. */
const char *find_device(struct report *r, u32 side, u32 kind);
const char *find_opcode(const struct log_kind *kind, char buf[NVME_OPCODE_NAME_MAX]);
/* "4K reads" */
void find_kind(const struct log_kind *kind, char *buf, size_t size);
/* "4K reads of tar (3406)"; sets op, comm and pid of @f. */
#define FIND_CLASS 400
void find_class(struct report *r, u32 side, struct finding *f, u32 kind, u32 sender,
		char buf[FIND_CLASS]);

/* A part of the recording, in whole milliseconds since its begin, and the commands of a class that ended in it. */
struct find_period {
	double from_ns, to_ns, median_ns;
	u32 count;
	bool (*is_in)(const struct log *l, u32 i, const void *ctx); /* NULL: all are */
	const void *ctx;
};
struct find_period find_period(const struct report *r, u32 side, double from_ns, double to_ns);
void find_median(const struct report *r, u32 side, u32 kind, u32 sender, struct find_period *p);

/* A foreign word as an option's value for a shell. */
#define FIND_WORD 340
const char *find_quote(const char *word, char buf[FIND_WORD]);
/* "-c 3", or "-c host/3" */
const char *find_ctrl_option(struct report *r, const struct group_key *key, char buf[FIND_WORD]);
/* A percentile of @n latencies, as histograms of most buckets tell it. Puts them into another order. */
double find_percentile(float *lat, u32 n, double percent);
/* By what keys a table has a sender in a row of its own: ",comm,pid". */
const char *find_keys(const struct report *r, u32 side, u32 of);
/* The command, but for what it selects, whose table has a class in a row; @more: keys, as ",cpu". */
#define FIND_TABLE 160
void find_table(const struct report *r, u32 side, u32 kind, u32 sender, const char *more,
		char buf[FIND_TABLE]);
/* find_shows() of the latencies by class in two periods, the earlier one first. */
void find_shows_periods(struct report *r, struct finding *f, u32 kind, u32 sender,
			const struct find_period *a, const struct find_period *b);
const char *find_depth(double depth, char buf[FMT_NUMBER]); /* "16", "0.5" */
const char *find_rate(double bytes_per_s, char buf[FMT_NUMBER]); /* "38.2 MB/s" */
/* Says when, " from 22:13:28.0 to 30.0" or " 5 times from 22:13:25.1 to 34.1, 1.0 s each, every 2.0 s", and notes it. */
void find_spans(struct report *r, struct finding *f, const struct coincide_span *span, u32 n,
		bool growing);
/* An episode in which commands of a class, and of other senders, waited. */
struct find_episode {
	u32 kind, sender;
	const u8 *victims; /* by sender: all who waited */
	const struct coincide_span *span;
	u32 n; /* spans */
	bool growing;
	const struct find_period
		*shown; /* figures are of this, as the command shows it; NULL: of the spans */
};
/* What coincides with it. 0 or -ENOMEM. */
int find_coincides(struct report *r, u32 side, const struct find_episode *is, struct coincide *c);
/* Says and notes that, and the events at its edges. Returns how many those are. */
u32 find_with(struct report *r, struct finding *f, const struct find_episode *is,
	      struct coincide *c);

/* Says who was there while the commands of @kind and @sender waited, in @n spans, as find_with() does. */
void find_others(struct report *r, struct finding *f, u32 kind, u32 sender,
		 const struct coincide_span *span, u32 n);

/*
 * find_hung.c: what 99.9 % of a class take, without commands that take half as long as @lat_ns, or longer;
 * 0: there are no others. NaN: those are so many that this is how the class is.
 */
double find_usual(const struct log *l, u32 kind, u32 sender, double lat_ns);

/* Each looks for the findings of some kinds in recording @side. */
void find_changes(struct report *r, u32 side); /* find_change.c: once the logs of all are settled */
void find_lost(struct report *r, u32 side); /* find_errors.c */
void find_errors(struct report *r, u32 side);
void find_resets(struct report *r, u32 side);
void find_retries(struct report *r, u32 side);
void find_hung(struct report *r, u32 side); /* find_hung.c */
void find_uneven(struct report *r, u32 side); /* find_uneven.c */
void find_regions(struct report *r, u32 side);
void find_slow(struct report *r, u32 side); /* find_slow.c */
void find_pauses(struct report *r, u32 side); /* find_pause.c */
void find_overload(struct report *r, u32 side); /* find_class.c */
void find_waits(struct report *r, u32 side);
void find_tails(struct report *r, u32 side);
void find_load(struct report *r, u32 side); /* find_load.c */
void find_misaligned(struct report *r, u32 side);
void find_paths(struct report *r, u32 side); /* find_path.c */

/* find_print.c */
void find_text(struct report *r);
void find_page(struct report *r);

#endif
