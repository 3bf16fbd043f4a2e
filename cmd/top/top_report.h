// SPDX-License-Identifier: GPL-2.0-or-later
/* A report of `top`: makes the rows of a view, sorts and prints them. */
#ifndef NVT_TOP_TOP_REPORT_H
#define NVT_TOP_TOP_REPORT_H

#include "cmd/top/top_busy.h"
#include "cmd/top/top_row.h"
#include "cmd/top/top_view.h"
#include "lib/group/table.h"

struct top_report {
	struct latency_view view; /* its group has the keys of the rows */
	u32 sort, sorts; /* enum top_sort, and one more than the last there is */
	u32 first, limit; /* which rows are printed: limit from first on */
	enum top_known known;
	bool partly; /* a filter decides at completion: what was outstanding is not known */
	bool mixed; /* "(other)" has commands of which others are in flight: no row has a QD */
	struct group_table *shown; /* of struct top_sum */
	struct group_table *util; /* of struct top_util, not ours; NULL: nothing is known */
	u32 n; /* rows there are */
	struct top_row row; /* scratch space */
};

/* Chooses the view by its keys, and shows the columns of its keys in place of those before. */
void top_report_view(struct top_report *r, struct session *s, u32 by);

/* Says how much this view knows of outstanding commands. */
enum top_known top_report_known(const struct top_report *r);

/* Opens report->shown for at most @limit rows. 0 or -ENOMEM. */
int top_report_open(struct top_report *r, const struct latency_cfg *cfg, u32 limit);
void top_report_close(struct top_report *r);

/* Has rows made of these, whose keys are those of all views or those of the view. */
struct top_parts {
	struct group_table *done; /* of struct latency_sum */
	struct group_table *begin, *end; /* of struct top_flight */
	struct group_table *util; /* of struct top_util, by the keys of the view; or NULL */
};
void top_report_make(struct top_report *r, const struct top_parts *parts);

/* Sorts the rows and prints those that are asked for. */
void top_report_print(struct top_report *r);

/* One more than the last row that is printed. */
u32 top_report_end(const struct top_report *r);

/* Lets --fail-if see all rows. */
void top_report_check(struct top_report *r);

#endif
