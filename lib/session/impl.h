// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the files of this room; commands include lib/session/session.h only. */
#ifndef NVT_SESSION_IMPL_H
#define NVT_SESSION_IMPL_H

#include "bpf/shared/filter.h"
#include "lib/base/units.h"
#include "lib/btf/features.h"
#include "lib/cli/select.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/event/waits.h"
#include "lib/host/cgroup.h"
#include "lib/host/device.h"
#include "lib/host/names.h"
#include "lib/host/open_files.h"
#include "lib/host/probe.h"
#include "lib/host/sysfs.h"
#include "lib/record/record.h"
#include "lib/session/source.h"

#include <sys/utsname.h>

struct loader;
struct outstanding;
struct program;
struct flush_devices;

#define WATCH_NS   (500 * NSEC_PER_MSEC) /* how often losses are read: told within a second */
#define PROGRAM_MS 2000 /* time that PROGRAM gets to end, when we end first */

/* lib/session/tick.c: the grid of the intervals, and the times of the run: CLOCK_MONOTONIC. */
struct run_clock {
	u64 start_ns, end_ns, tick_ns; /* attached, last seen, last tick */
	u64 handed_ns; /* see session_handed_ns() */
	u64 tick_wall_ns; /* of the current report */
	u64 interval_ns, next_tick_ns, stop_ns; /* 0: none */
	u64 seq; /* ticks so far, those of signals included */
	u64 intervals; /* those that have ended */
	struct time_ranges times; /* of --time */
	u32 range; /* of them: the interval */
	s64 wall_offset_ns;
};

/* lib/session/account.c: the numbers of the run, and what was told of them. */
struct run_account {
	struct counters counters, checked; /* checked: at the last report, for --fail-if */
	struct lost told, noted; /* losses in the last `lost` record, and in the notes */
	struct lost own; /* losses that user space found itself */
	struct waits waits;
	u64 told_ns; /* when losses were last looked at */
	u64 left_out; /* commands past --max-events, or left out of a recording by the filter */
	u64 kept_caps; /* live: capabilities that were kept after attaching */
	bool closed; /* account_close() was called */
};

/* lib/session/hosts.c: what is selected of a host. */
struct host_filter {
	bool none; /* nothing */
	struct filter filter;
};

/* The drives and the selection, as text for meta and recordings too: lib/session/about.h. */
struct run_subject {
	struct filter filter; /* of several hosts: without -c and -d, which `hosts` have */
	struct host_filter
		*hosts; /* replay, of several hosts, with -c or -d: one for each of dir.hosts */
	u32 host; /* of them, that of the last event */
	struct device_dir dir;
	char *parts; /* live only: device_parts() */
	char *ctrls; /* live only */
	char *filters;
	struct record_head head; /* live only: see session_recording() */
};

/* Names of a queue, computed when they are first asked for. */
struct queue_names {
	struct names names;
	struct sysfs_limits limits;
	bool known;
};

/* lib/session/lookup.c, and for the current event lib/session/fill_view.c: names behind numbers. */
struct run_names {
	struct queue_names *queues; /* live: WIRE_QUEUES of them */
	struct cgroup_table cgroups;
	struct open_files files;
	u64 renew_ns; /* when open_files_renew() is due */
	u64 below_ns; /* when session_syncers_watch() looks again */
	bool below_full; /* the user was told that some devices are left out */
	u16 *device; /* 1 + session_device(); 0: not looked up */
	u16 *host; /* session_host(); 0: not looked up */
	struct utsname system; /* live: this host; empty: not looked up */
	char sched[WIRE_SCHEDS][20]; /* names of schedulers, once one was asked for */
	u64 sysfs_generation; /* of queues, when sysfs was read */
	u64 ctrls_generation; /* the same, when subject.ctrls was written */
	struct {
		u64 kernel[VIEW_FRAMES], user[VIEW_FRAMES];
	} stacks; /* of the current event */
	struct queue_info aer_queue; /* of the current asynchronous event */
	struct names aer_names;
};

/* lib/session/kernel.c: this host, live. */
struct run_kernel {
	struct kernel_features btf;
	struct probe probe;
	struct sysfs sysfs; /* as read at names.sysfs_generation */
	u64 look_ns; /* when look_again() is due */
	u64 seen, looked; /* generations of queues: at the last check, at the last look at sysfs */
};

/* lib/session/run_replay.c: the recordings of a replay. */
struct run_recorded {
	struct replay_wait wait;
	struct outstanding *outstanding; /* with --max-inflight */
	char *chain; /* the filters of the recording and ours */
};

struct session {
	struct invocation *inv;
	const struct cmd *cmd;
	const struct source *source; /* live; NULL: a replay */
	void *state;
	struct out *out; /* NULL: the command writes its file itself (record) */
	struct session_request request;
	u32 needs; /* needs of the command and of the filter */
	struct loader *loader;
	struct replay *replay;
	struct program *program;
	struct flush_devices *flushes; /* live: devices above namespaces that flushed, or NULL */
	struct run_clock clock;
	struct run_account account;
	struct run_subject subject;
	struct run_names names;
	struct run_kernel kernel;
	struct run_recorded recorded;
	struct expr expr;
	int signal_fd;
	int failure; /* of a callback that returns nothing */
	int verdict; /* see session_verdict() */
	bool matched; /* a command, or hit, was there for the command to see */
	bool condition; /* a condition of --fail-if was true */
	bool aggregates; /* INTERVAL means ticks */
	bool no_status; /* see session_no_status(); in replay: a command without one was seen */
	bool some_status; /* replay: a command with one was seen */
	bool empty; /* it begins and ends without a source, see session_await() */
	bool begun; /* attached, or a recording is open: there is something to report */
	bool started; /* the command's start() was called, so stop() has to be */
	bool ending;
	bool interrupted; /* ... because of a signal */
};

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

/* lib/session/session_files.c: live, with NEED_FILE: finds the paths of files that had I/O meanwhile. */
void session_files_watch(struct session *s, u64 now_ns);

/*
 * lib/session/session_syncers.c: live, with NEED_SYNCER: tells the programs which devices lie on which
 * namespaces, each second anew.
 */
void session_syncers_watch(struct session *s, u64 now_ns);

/* lib/session/lookup.c: the names of a queue, live. NULL: no memory. */
const struct queue_names *session_names_at(struct session *s, u32 index);

/* lib/session/start.c: calls the command's start() and applies its request. 0 or EXIT_AS(...) after a message. */
int session_start(struct session *s);
/* lib/session/start.c: replaces the output file while the privileges allow it. 0 or -errno after a message. */
int session_replace(struct session *s);

/* lib/session/inflight_end.c: hands out what is in flight, once programs are detached. */
void session_hand_inflight(struct session *s);
/*
 * lib/session/inflight_end.c: whether what only a completion tells selects a command that has none: it
 * takes as long already as --min-lat asks, and of --status there is none.
 */
bool session_takes_inflight(const struct filter *f, const struct event *ev);
/* lib/session/hosts.c: makes the filters of a replay. 0 or EXIT_AS(...) after a message. */
int session_select(struct session *s);
/*
 * lib/session/hosts.c: the filter of the commands of this host, as a view names it; NULL: nothing of it
 * is selected.
 */
const struct filter *session_filter_of(struct session *s, const char *host);
/* lib/session/hosts.c: the place of this host in dir.hosts, or DEVICE_ANY. */
u32 session_host_place(const struct session *s, const char *host);
/* lib/session/hand_out.c: true once --max-events rows were printed. */
bool session_has_enough(const struct session *s);
/* lib/session/hand_out.c */
void session_put_event(struct session *s, const struct view *v);

/*
 * lib/session/tick.c: plans the reports and the end of the run, counted from clock.start_ns. Commands
 * that print events have no intervals: their run ends after INTERVAL x COUNT, like the duration of
 * biosnoop.
 */
void session_plan(struct session *s);
/* lib/session/tick.c: true if the run ends as soon as it has begun: request.at_once, and nothing makes it go on. */
bool session_once(const struct session *s);
int session_do_tick(struct session *s, u64 now_ns, bool last, bool reset);

/*
 * lib/session/times.c: --time, in a replay. Whether the command can have so many ranges: 0 or a usage
 * error after a message.
 */
int session_check_times(const struct session *s);
/* lib/session/times.c: the first interval begins with the first range. */
void session_begin_times(struct session *s);
/* lib/session/times.c: moves time on to @now_ns: reports the ranges that have ended. */
int session_times_until(struct session *s, u64 now_ns);
/* lib/session/times.c: true for an event that lies in the range at hand. */
bool session_in_time(const struct session *s, const struct view *v);
/* lib/session/times.c: cuts the period of a recording to the range at hand. */
void session_cut_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns);
/* lib/session/times.c: once all was read: fails the run if a range begins after the last event. */
void session_tell_beyond(struct session *s);
/* lib/session/tick.c: reads pending signals: SIGUSR1 and SIGUSR2 tick, the others end the run. */
int session_signals(struct session *s);

/* lib/session/needs.c: the bits of enum need that the filter itself requires. */
u32 session_filter_needs(const struct filter *f);
/* lib/session/needs.c: refuses a recording that lacks what the run needs. 0 or EXIT_AS(...) after a message. */
int session_check_needs(const struct session *s);
/*
 * lib/session/needs.c: the name of a bit of enum need that is in @missing, which loses it; NULL: none
 * is left. @missing begins as session_missing(): what is optional and the recording lacks.
 */
const char *session_need_name(u32 *missing);
u32 session_missing(const struct session *s);
/* lib/session/needs.c: says what is missing. */
void session_tell_missing(const struct session *s);

/* Runs a session on a recording, from open to the last event. lib/session/run_replay.c */
int session_replay(struct session *s);
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

/*
 * Does as --absent says where the NVMe driver is not loaded: waits for it, or begins an empty run
 * (s->empty). 0 or EXIT_AS(...) after a message. lib/session/absent.c
 */
int session_await(struct session *s);

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
