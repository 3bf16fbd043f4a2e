// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of a report: the sums that they need beside those of the page, and who looks at these. */
#ifndef NVT_REPORT_FIND_H
#define NVT_REPORT_FIND_H

#include "cmd/report/series.h"
#include "lib/group/table.h"
#include "lib/view/finding.h"
#include "lib/view/latency_sum.h"

#define FIND_MOST   64 /* findings that are kept, before the first of them are shown */
#define FIND_SHOWN  7
#define FIND_STALLS 256 /* pauses of a device that are kept one by one */
#define FIND_RECENT 1024 /* commands of a controller that an admin command may have been beside */

struct report;
struct report_side;

/* The commands of a device. A row of lib/group/table.h. */
struct find_device {
	struct group_key key;
	u64 count, lat_ns;
	struct waits waits;
	u64 read_write_ns, read_writes;
	u64 flushes, fua, discards, discard_ns;
	u64 written, worker_writes, worker_written;
	u64 retried;
	u64 last_ns; /* the last completion of a read or write */
	u64 stall_ns[FIND_STALLS], stall_from_ns[FIND_STALLS];
	u32 stalls; /* may be more than FIND_STALLS */
	u8 sched;
	u8 sched_was; /* before the last change, by reads and writes */
	u32 sched_changes;
	u64 sched_ns; /* the last change */
	struct series series; /* of reads and writes */
};

/* The commands of a process to a device. A row of lib/group/table.h. */
struct find_who {
	struct group_key key;
	u64 count, flushes;
	struct series series;
};

/* The commands of a device that took the path by a controller. A row of lib/group/table.h. */
struct find_path {
	struct group_key key;
	u64 count, first_ns, last_ns; /* completions */
};

/* A read or write that is over, while it is not known whether an admin command was in flight. */
struct find_recent {
	u64 ts_ns, lat_ns;
	struct latency_sum *alone, *beside;
};

/* The commands of a controller, by whether an admin command was in flight with them. */
struct find_ctrl {
	struct group_key key;
	u64 admin, admin_to_ns; /* admin commands, and when the last one was over */
	u8 opcode;
	struct series series; /* of admin commands */
	u32 n, first; /* of recent */
	struct find_recent recent[FIND_RECENT];
};

/* The reads or writes of one size to a device, by where they are. Begins a row of lib/group/table.h. */
#define FIND_REGIONS 16
struct find_places {
	struct group_key key;
	u64 blocks; /* of a region, a power of two: the fewest with which all commands are in one */
	u64 first_ns[FIND_REGIONS], last_ns[FIND_REGIONS]; /* completions */
}; /* FIND_REGIONS rows of latency_sum follow: find_region() */

/* The sums of a recording. */
struct find_sums {
	struct group_table *devices, *who, *paths, *alone, *beside, *ctrls, *places;
	struct group_table *parts; /* latency_sum: reads and writes by path, queue, CPU, size */
};

/* The keys of these tables. */
struct find_groups {
	struct group device, who, path, ctrl, place, part;
};

/* The findings of all recordings. */
#define FIND_CTRL_IDS (1U << 16)
struct find {
	struct finding at[FIND_MOST];
	u32 n;
	u8 model[FIND_CTRL_IDS]; /* a number for each model, by the controller's; 0: not known */
};

/* find_sums.c */
void find_groups_init(struct find_groups *g, struct session *s);
int find_open(struct find_sums *f, const struct latency_cfg *cfg); /* 0 or -ENOMEM */
void find_close(struct find_sums *f);
/* Adds a completed command of recording @side. */
void find_add(struct report *r, struct report_side *side, const struct view *v);
/* Once all were added. */
void find_settle(struct report *r, struct report_side *side);

/* find_places.c: adds a read or write whose first block is known. */
size_t find_places_bytes(const struct latency_cfg *cfg);
void find_places_add(struct report *r, struct report_side *side, const struct view *v, u64 lat_ns);
/* The commands of region @i; NULL: they are too few, or all came at one time, as those of a scan. */
const struct latency_sum *find_region(const struct report *r, const struct find_places *p, u32 i);

/* find_sums.c: the controller of a device, if it had commands; NULL: none. */
const struct find_ctrl *find_ctrl_of(const struct report *r, const struct report_side *side,
				     u32 device);
/* A percentile of the latencies of a row of latency_sum. */
double find_percentile(const struct report *r, const struct latency_sum *row, u32 percent);

/* find.c: looks for all kinds in all recordings, and sorts what was found. */
void find_all(struct report *r);
/* A new finding of a recording about device or controller @dev, which may be NULL; never NULL. */
struct finding *find_new(struct report *r, u32 side, enum finding_kind kind,
			 enum finding_severity severity, const char *dev);
/* Names the command that shows a finding: "latency", its options, and the file. */
__attribute__((format(printf, 3, 4))) void find_shows(struct report *r, struct finding *f,
						      const char *format, ...);
/* Since when, and until when. */
void find_when(struct report *r, struct finding *f, u64 from_ns, u64 to_ns);
void find_op(struct finding *f, const char *op); /* NULL: unknown */
/* Names the process of a row of find_sums.who. */
void find_who(struct report *r, struct finding *f, const struct group_key *key);
/* A time of the day: "22:13:25.0". */
#define FIND_TIME 32
const char *find_time(struct report *r, u64 ns, char buf[FIND_TIME]);

/* Each looks for the findings of some kinds in recording @side. */
void find_lost(struct report *r, u32 side); /* find_errors.c */
void find_errors(struct report *r, u32 side);
void find_resets(struct report *r, u32 side);
void find_retries(struct report *r, u32 side);
void find_steps(struct report *r, u32 side); /* find_time.c */
void find_stalls(struct report *r, u32 side);
void find_saturation(struct report *r, u32 side);
void find_waits(struct report *r, u32 side); /* find_load.c */
void find_admin(struct report *r, u32 side);
void find_flushes(struct report *r, u32 side);
void find_misaligned(struct report *r, u32 side);
void find_discards(struct report *r, u32 side);
void find_writeback(struct report *r, u32 side);
void find_uneven(struct report *r, u32 side); /* find_uneven.c */
void find_paths(struct report *r, u32 side); /* find_path.c */

/* find_print.c */
void find_text(struct report *r);
void find_page(struct report *r);

#endif
