// SPDX-License-Identifier: GPL-2.0-or-later
/* The sums that `report` gathers, and the sections of the page that it makes of them. */
#ifndef NVT_REPORT_REPORT_H
#define NVT_REPORT_REPORT_H

#include "lib/view/compare.h"
#include "lib/view/errors_row.h"
#include "lib/view/pattern_row.h"
#include "cmd/report/find.h"
#include "cmd/report/find_log.h"
#include "lib/view/flame.h"
#include "lib/view/latency_row.h"
#include "lib/out/map.h"

#define REPORT_SIDES	2 /* recordings */
#define REPORT_MAPS	8 /* heat maps of a device and opcode */
#define REPORT_SLOWEST	20
#define REPORT_TROUBLES 50
#define REPORT_LEFT	16 /* commands in flight at the end */

/* Latencies by key. */
enum report_table { REPORT_OPS, REPORT_STATUS, REPORT_TASKS, REPORT_CGROUPS, REPORT_TABLES };

/* The heat map of a device and opcode. A row of lib/group/table.h. */
struct report_map {
	struct group_key key;
	struct heat_map *map;
	u64 count;
};

/* Sums over time. Columns are those of lib/out/map.h: they begin short, and each two of them become one. */
struct series_point {
	u64 count, bytes;
	u64 busy_ns; /* the time that commands spent between set-up and completion */
	u64 troubles[ERRORS_TYPES];
};
struct series {
	u64 start_ns;
	u32 n;
	struct series_point at[HEAT_COLUMNS];
};

/* A recording, or the live run. */
struct report_side {
	struct report *r;
	struct out *o;
	u32 number; /* of the recording */
	u64 start_ns, end_ns;
	/* The first event and the last one. Findings look no further: so a live run and its recording tell the same. */
	u64 first_ns, last_ns;
	u64 commands, bytes, errors, max_ns;
	u64 troubles[ERRORS_TYPES];
	bool begun;
	u32 sees; /* bits 1 << enum errors_type: of these a count of 0 says that there were none */
	struct series series;
	struct heat_map *map; /* of all commands */
	struct group_table *maps; /* of struct report_map, the first keys of REPORT_OPS */
	bool maps_full; /* there were more */
	struct group_table *table[REPORT_TABLES]; /* of struct latency_sum */
	struct group_table *pattern; /* of struct pattern_entry */
	struct pattern_devices devices;
	struct group_table *stacks; /* of struct stacks_sum */
	struct view_kept slowest[REPORT_SLOWEST]; /* the slowest first */
	struct view_kept trouble[REPORT_TROUBLES]; /* the earliest */
	struct view_kept left[REPORT_LEFT]; /* in flight at the end, the oldest first */
	u32 n_slowest, n_trouble, n_left;
	struct log log;
};

struct report {
	struct session *s;
	struct out *o;
	u32 sides;
	u32 lacks; /* bits of enum need that some recording lacks */
	bool failed;
	bool page; /* else sentences or records */
	bool restarted; /* an interval was reported: the next one does not begin with the recording */
	u64 step_ns; /* a column of all series */
	u8 pattern_kind; /* EVENT_SUBMIT or EVENT_IO: which events make the pattern */
	struct latency_cfg cfg;
	struct latency_view view[REPORT_TABLES];
	struct group pattern_group;
	struct stacks_cfg stacks_cfg;
	struct stacks_view stacks;
	struct diff_compare diff; /* of two recordings */
	struct report_side side[REPORT_SIDES];
	struct find find;
};

/* gather.c: counting. 0, or -ENOMEM. */
int report_open(struct report *r);
void report_close(struct report *r);
int report_restart(struct report *r); /* counts anew, for the next interval */
int report_add(struct report *r, const struct view *v);

/* report_latency.c: the keys of a table, bits 1 << enum key, and its rows in all recordings. */
extern const struct report_keys {
	u64 by;
	u32 limit;
} report_keys[REPORT_TABLES];
/* True if the recordings tell what these need. */
bool report_knows(const struct report *r, enum report_table table);

/* report_errors.c: what goes wrong, as the page names it. */
struct report_trouble {
	enum errors_type type;
	u32 need; /* what tells of it; 0: each recording, but see report_sees() */
	const char *which, *name;
};
#define REPORT_TROUBLE_KINDS 5
extern const struct report_trouble report_troubles[REPORT_TROUBLE_KINDS];
/* The value of side->sees. */
u32 report_sees(const struct report_side *side);

/* The parts of the page, each of a recording, or of all. */
void report_subject(struct report_side *side); /* report_about.c */
void report_about(struct report_side *side);
void report_changes(struct report *r); /* changes.c */
void report_time(struct report *r); /* time.c */
void report_maps(struct report *r);
void report_latency(struct report_side *side); /* report_latency.c */
void report_who(struct report_side *side);
void report_errors(struct report_side *side); /* report_errors.c */
void report_slowest(struct report_side *side);
void report_pattern(struct report_side *side); /* shape.c */
void report_flame(struct report_side *side); /* report_flame.c */

#endif
