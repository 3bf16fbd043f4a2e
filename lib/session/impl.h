// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the parts of a session; commands see lib/session/session.h alone. */
#ifndef NVT_SESSION_IMPL_H
#define NVT_SESSION_IMPL_H

#include "bpf/shared/filter.h"
#include "lib/base/units.h"
#include "lib/btf/features.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/host/cgroup.h"
#include "lib/host/device.h"
#include "lib/host/names.h"
#include "lib/host/probe.h"
#include "lib/host/sysfs.h"
#include "lib/record/record.h"
#include "lib/session/session.h"

#include <sys/utsname.h>

struct loader;
struct program;

/* Names of a queue, made when they are first asked for. */
struct queue_names {
	struct names names;
	struct sysfs_limits limits;
	bool known;
};

#define WATCH_NS (500 * NSEC_PER_MSEC) /* how often losses are looked at: told within a second */

struct session_stacks {
	u64 kernel[VIEW_FRAMES], user[VIEW_FRAMES];
};

struct session {
	struct invocation *inv;
	const struct cmd *cmd;
	void *state;
	struct out *out; /* NULL: the command writes its file itself (record) */
	struct expr expr;
	struct filter filter;
	char *ctrls,
		*filters; /* for meta and recordings, see lib/session/about.h; ctrls: live only */
	char *chain; /* replay: the recording's filters and ours */
	struct sysfs sysfs; /* live: as it was at that generation of queues */
	u64 sysfs_generation;
	struct device_dir dir;
	struct cgroup_table cgroups;
	struct counters counters, checked; /* checked: at the last report, for --fail-if */
	struct lost told, noted; /* what the last `lost` record and the notes said */
	struct loader *loader;
	struct replay *replay;
	struct replay_wait wait;
	struct program *program;
	struct queue_names *names; /* live: WIRE_QUEUES of them */
	u16 *device; /* 1 + session_device(); 0: not looked up */
	struct utsname system; /* live: what session_host_name() tells of; empty: not looked up */
	struct session_stacks stacks; /* of the view at hand */
	struct queue_info aer_queue; /* of the asynchronous event at hand */
	struct names aer_names;
	u64 start_ns, end_ns, tick_ns; /* CLOCK_MONOTONIC: attached, last seen, last tick */
	u64 tick_wall_ns; /* of the report at hand */
	u64 next_tick_ns, stop_ns; /* 0: none */
	u64 seq; /* ticks so far, those of signals included */
	u64 intervals; /* that have ended */
	u64 empty_ticks; /* replay: of intervals without any event */
	u64 told_ns; /* when losses were last looked at */
	s64 wall_offset_ns;
	struct lost own; /* what user space itself found no room for */
	int failure; /* of a callback that returns none */
	u64 left_out; /* joined commands past --max-events, or that the filter left out of a recording */
	struct session_request request;
	u32 needs; /* of the command and of the filter */
	int signal_fd;
	struct kernel_features btf;
	struct probe probe;
	bool no_status,
		some_status; /* see session_no_status(); replay: one without was seen, one with it */
	u64 kept_caps; /* live: capabilities that were not given up after attaching */
	bool begun; /* attached, or a recording is open: there is something to report */
	bool started; /* the command's start() was called: stop() is due */
	bool ending;
	bool aggregates; /* INTERVAL means ticks */
	char kernel[65];
	bool condition; /* a --fail-if was true */
};

/* lib/session/view.c */
void session_view(struct session *s, struct view *v, const struct event *ev);

/* lib/session/session.c */
/* The command's start(), and what it asks for. 0 or EXIT_AS(...) after a message. */
int session_start(struct session *s);
/* The filter itself needs these data of a command: bits of enum need. */
u32 session_filter_needs(const struct filter *f);
/* filter_orphan() of @ev, an event of @queue. */
bool session_takes_orphan(const struct session *s, const struct event *ev,
			  const struct queue_info *queue);
/* True once --max-events rows were printed. */
bool session_has_enough(const struct session *s);
void session_put_event(struct session *s, const struct view *v);
/*
 * From start_ns on: when there are reports, and when the run ends. Events have no intervals: their
 * run ends after INTERVAL x COUNT, as biosnoop's duration.
 */
void session_plan(struct session *s);
int session_do_tick(struct session *s, u64 now_ns, bool last, bool reset);
/* Reads pending signals: SIGUSR1, SIGUSR2 tick, the others end the run. */
int session_signals(struct session *s);

/* lib/session/replay.c: from open to the last event. */
int session_replay(struct session *s);
/*
 * There: the name of one of the bits of enum need that the command wants and the recording lacks,
 * as @missing has them, which loses it. NULL: none is left. session_missing(): all of them.
 */
const char *session_need_name(u32 *missing);
u32 session_missing(const struct session *s);
/* There: replaces the output file, while we may. 0 or -errno after a message. */
int session_replace(struct session *s);

/*
 * lib/session/lockdown.c: what lockdown leaves of a live session; 0 or EXIT_AS(...) after a
 * message.
 */
int session_lockdown(struct session *s);
/* In replay, of a command without status. Ends the run where that is what was asked for. */
void session_miss_status(struct session *s);

/*
 * lib/session/lockdown.c: says once that status and result are not known, when the assumed layout
 * has been found wrong.
 */
void session_check_layout(struct session *s);

/* lib/session/confine.c: gives up privileges; 0 or EXIT_AS(...) after a message. */
int session_confine(struct session *s);

/* lib/session/live.c: from probe to the last event. */
int session_live(struct session *s);

/*
 * lib/session/account.c: what ran, losses as they happen (looked at once a second), everything at
 * the end.
 */
void account_meta(struct session *s);
void account_watch(struct session *s, u64 now_ns);
void account_close(struct session *s); /* the counters of the whole run, before the last tick */
void account_end(struct session *s);

#endif
