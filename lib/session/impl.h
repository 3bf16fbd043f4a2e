// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the files of this room; commands include lib/session/session.h only. */
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
#include "lib/session/source.h"

#include <sys/utsname.h>

struct loader;
struct outstanding;
struct program;
struct flush_devices;

/* Names of a queue, computed when they are first asked for. */
struct queue_names {
	struct names names;
	struct sysfs_limits limits;
	bool known;
};

#define WATCH_NS (500 * NSEC_PER_MSEC) /* how often losses are read: told within a second */

struct session_stacks {
	u64 kernel[VIEW_FRAMES], user[VIEW_FRAMES];
};

struct session {
	struct invocation *inv;
	const struct cmd *cmd;
	const struct source *source; /* live; NULL: a replay */
	void *state;
	struct out *out; /* NULL: the command writes its file itself (record) */
	struct expr expr;
	struct filter filter;
	char *parts; /* live only: device_parts() */
	char *ctrls, /* live only */
		*filters; /* for meta and recordings, see lib/session/about.h */
	char *chain; /* replay: the filters of the recording and ours */
	struct sysfs sysfs; /* live: as read at this generation of queues */
	u64 sysfs_generation, ctrls_generation; /* ctrls: of the text above */
	struct device_dir dir;
	struct cgroup_table cgroups;
	struct counters counters, checked; /* checked: at the last report, for --fail-if */
	struct lost told, noted; /* losses in the last `lost` record, and in the notes */
	struct loader *loader;
	struct replay *replay;
	struct replay_wait wait;
	struct outstanding *outstanding; /* replay with --max-inflight */
	struct program *program;
	struct queue_names *names; /* live: WIRE_QUEUES of them */
	struct flush_devices *flushes; /* live: devices above namespaces that flushed, or NULL */
	u16 *device; /* 1 + session_device(); 0: not looked up */
	u16 *host; /* session_host(); 0: not looked up */
	struct utsname system; /* live: what session_host_name() tells of; empty: not looked up */
	struct session_stacks stacks; /* of the current view */
	char sched[WIRE_SCHEDS][20]; /* names of schedulers, once one was asked for */
	struct queue_info aer_queue; /* of the current asynchronous event */
	struct names aer_names;
	u64 start_ns, end_ns, tick_ns; /* CLOCK_MONOTONIC: attached, last seen, last tick */
	u64 handed_ns; /* see session_handed_ns() */
	u64 tick_wall_ns; /* of the current report */
	u64 interval_ns, next_tick_ns, stop_ns; /* 0: none */
	u64 seq; /* ticks so far, those of signals included */
	u64 intervals; /* those that have ended */
	u64 told_ns; /* when losses were last looked at */
	s64 wall_offset_ns;
	struct lost own; /* losses that user space found itself */
	int failure; /* of a callback that returns nothing */
	u64 left_out; /* commands past --max-events, or left out of a recording by the filter */
	struct session_request request;
	u32 needs; /* needs of the command and of the filter */
	int signal_fd;
	struct kernel_features btf;
	struct probe probe;
	bool no_status,
		some_status; /* see session_no_status(); replay: seen without one, seen with one */
	u64 look_ns; /* live: when look_again() is due */
	u64 seen, looked; /* generations of queues: at the last check, at the last look at sysfs */
	u64 kept_caps; /* live: capabilities that were kept after attaching */
	bool begun; /* attached, or a recording is open: there is something to report */
	bool started; /* the command's start() was called, so stop() has to be */
	bool ending;
	bool interrupted; /* ... because of a signal */
	bool aggregates; /* INTERVAL means ticks */
	char kernel[65];
	int verdict; /* see session_verdict() */
	bool matched; /* a command, or hit, was there for the command to see */
	bool condition; /* a condition of --fail-if was true */
	bool accounted; /* account_close() was called */
};

/* lib/session/session.c */
/* Calls the command's start() and applies its request. 0 or EXIT_AS(...) after a message. */
int session_start(struct session *s);
/* The bits of enum need that the filter itself requires. */
u32 session_filter_needs(const struct filter *f);
/* filter_orphan() for @ev, an event of @queue. */
bool session_takes_orphan(const struct session *s, const struct event *ev,
			  const struct queue_info *queue);
/* Replaces the output file while the privileges allow it. 0 or -errno after a message. */
int session_replace(struct session *s);
/* True if the run ends as soon as it has begun: request.at_once, and nothing makes it go on. */
bool session_once(const struct session *s);
/* True if it traces processes: events are hits, none is a command. */
static inline bool session_has_hits(const struct session *s)
{
	return s->cmd->takes & TRACES_USERS;
}

/* True for an event that counts: a command, or a hit. */
static inline bool session_counts(const struct event *ev)
{
	return ev->kind == EVENT_IO || ev->kind == EVENT_HIT;
}

/* True once --max-events rows were printed. */
bool session_has_enough(const struct session *s);
void session_put_event(struct session *s, const struct view *v);
/*
 * Plans the reports and the end of the run, counted from start_ns. Commands that print events have
 * no intervals: their run ends after INTERVAL x COUNT, like the duration of biosnoop.
 */
void session_plan(struct session *s);
int session_do_tick(struct session *s, u64 now_ns, bool last, bool reset);
/* Reads pending signals: SIGUSR1 and SIGUSR2 tick, the others end the run. */
int session_signals(struct session *s);

/* Runs a session on a recording, from open to the last event. lib/session/run_replay.c */
int session_replay(struct session *s);
/*
 * The name of a bit of enum need that is in @missing, which loses it; NULL: none is left. @missing
 * begins as session_missing(): what the command wants and the recording lacks. lib/session/run_replay.c
 */
const char *session_need_name(u32 *missing);
u32 session_missing(const struct session *s);
/*
 * Restricts a live session to what lockdown permits. 0 or EXIT_AS(...) after a message.
 * lib/session/lockdown.c
 */
int session_lockdown(struct session *s);
/* To be called in replay for a command without status. Ends the run if the status was asked for. */
void session_miss_status(struct session *s);

/*
 * Says once that status and result are not known, if the assumed layout turned out to be wrong.
 * lib/session/lockdown.c
 */
void session_check_layout(struct session *s);

/* Gives up privileges. 0 or EXIT_AS(...) after a message. lib/session/give_up.c */
int session_confine(struct session *s);

/* Runs a live session, from probe to the last event. lib/session/run_live.c */
int session_live(struct session *s);

/*
 * The account: what ran, losses as they happen (read once a second), and all of it at the end.
 * lib/session/account.c
 */
void account_meta(struct session *s);
void account_watch(struct session *s, u64 now_ns);
/* Reads the final counters, once; before the last tick, or before a replay is served. */
void account_close(struct session *s);
void account_end(struct session *s);

#endif
