// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interface of a run for commands. A command has callbacks in struct cmd: check() and start() say
 * what the run needs, then event() gets each event in time order, tick() is called at each interval
 * and once at the end, and stop() always comes last.
 *
 * Commands also use lookup.h for the names behind the numbers of events, kernel_maps.h for what the
 * programs have counted, recording.h if they compare or write recordings, and source.h if they bring
 * a source of their own. impl.h is for this room alone.
 */
#ifndef NVT_SESSION_SESSION_H
#define NVT_SESSION_SESSION_H

#include "bpf/shared/wire.h"
#include "lib/cli/cmd.h"
#include "lib/event/view.h"

struct counters;
struct expr;
struct expr_row;
struct filter;
struct kernel_features;
struct probe;
struct session;
struct time_ranges;
struct waits;

/* Runs a tracing command to its end. 0 or EXIT_AS(...)/-errno, everything reported. */
int session_run(struct invocation *inv);

/*
 * A command's wishes for its run. The struct comes zeroed to check(), which sets `admin` and may
 * set what else the command line decides, then to start(). The session applies it once start() has
 * returned: the data it points to have to be there until then, `probes` until the end of the run.
 */
#define SESSION_POLL	 16 /* descriptors that cmd->poll() may fill in */
#define SESSION_SECTIONS 2
#define SESSION_MAPS	 4
#define SESSION_INFLIGHT 1024
struct session_request {
	/*
	 * Bits of enum need: data of events. The run ends if a recording lacks a required one. If it
	 * lacks an optional one (view.lacks, session_lacks()), a note says so once; if it lacks a
	 * quiet one, nothing does.
	 */
	u32 required, optional, quiet;
	bool admin; /* admin commands pass as well (-A) */
	bool aggregates; /* an event command sums up this time: INTERVAL means ticks, not the end */
	/*
	 * Recordings are compared with each other as if all were of one host: devices of two hosts that
	 * have the same name are one, names do not begin with the host, and an event that two
	 * recordings have is handed out for each.
	 */
	bool one_host;
	/*
	 * Live, with the programs of bpf/trace.bpf.c: what is in flight when the run ends is handed out, as
	 * EVENT_INFLIGHT, after all other events, at most SESSION_INFLIGHT commands, oldest first. In replay
	 * all commands get what the recording has of it.
	 */
	bool inflight_end;
	bool one_report; /* there is one report, of the whole run: --time has one range */
	bool by_host; /* rows have their host as a key: names need not begin with it */
	bool makes_files; /* live: during the run it creates files, by names of its own */
	bool foreign_files; /* the same, in a directory that only CAP_DAC_OVERRIDE opens to us */
	bool fast_path_only; /* what the object's fast path gives is enough: see bpf/prog.h */
	/*
	 * Live: the command has the terminal as a screen (lib/out/screen.h), and idle() is called
	 * when this descriptor is readable, too. 0: it has not.
	 */
	int screen_fd;
	bool no_events; /* the event buffer stays empty, and need not be as large as --buffer says */
	bool replaces_file; /* live: a file is written aside and renamed, again and again */
	bool serves; /* live: connections are taken from sockets that listen */
	u64 interval_ns; /* INTERVAL where the command line has none; 0: none */
	u64 duration_ns; /* --duration where the command line has none; 0: none */
	/*
	 * "command completed": the end of a run without a row notes that no matching one did, since an
	 * empty table looks like a fault of ours. NULL: it does not.
	 */
	const char *none;
	/*
	 * Live: the first tick comes at the begin. Without INTERVAL, --duration and PROGRAM the run
	 * is that tick.
	 */
	bool at_once;
	/* NEED_INFLIGHT: takes only commands that find at most so many outstanding on the controller. */
	u32 max_inflight;
	u32 busy; /* NEED_BUSY: enum busy_level, until session_busy_at() of kernel_maps.h */
	/* Live: the program `probe_...` on these functions in place of the tracepoints. */
	const char *const *probes; /* at most STACKS_PROBES */
	u32 n_probes;
	/* Live: contents of sections of the object, whose sizes must agree; names end the list. */
	struct session_section {
		const char *name;
		const void *data;
		size_t size;
	} sections[SESSION_SECTIONS];
	/* Live: value size (0: as in the object) and entries of maps of the command. */
	struct session_map {
		const char *name;
		u32 value_size, entries; /* entries 0: one for each index of queue info */
	} maps[SESSION_MAPS];
};

/* An interval that has ended, or the end of the run. */
struct tick {
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC */
	u64 wall_ns; /* of end_ns */
	u64 seq; /* from 0 */
	bool last;
	bool reset; /* false after SIGUSR2: report without reset */
};

/* The run. */
void *session_cfg(struct session *s); /* the command's options */
void *session_state(struct session *s); /* cmd->state_size bytes, zeroed at the start */
const struct common *session_common(const struct session *s);
bool session_is_replay(const struct session *s);
/* Attach time, CLOCK_MONOTONIC; in replay that of the recording. */
u64 session_start_ns(const struct session *s);
/* The begin of what is looked at: the same or, with --time, that of the first range. */
u64 session_from_ns(const struct session *s);
/* The begin of the interval that is not yet over. */
u64 session_interval_start(const struct session *s);
/* --time: its ranges, of which there are none without it, since session_start_ns(). */
const struct time_ranges *session_times(const struct session *s);
/* Ends the run as Ctrl-C would (--max-events is handled by the session itself). */
void session_end(struct session *s);
/* Ends the run for a failure that the command has reported. */
void session_fail(struct session *s, int err);
/*
 * The run goes on, and its exit status is @status, EXIT_AS(...), unless --fail-if has one. The first
 * call counts.
 */
void session_verdict(struct session *s, int status);
/* True once the run is to end, a replay before its input. */
bool session_ending(const struct session *s);
/* The selection; of recordings of several hosts without -c and -d, which the session has by host. */
const struct filter *session_filter(const struct session *s);
/* This host, as probed; in replay nothing is known. */
const struct probe *session_probe(const struct session *s);
/* BTF's description of the running kernel; in replay nothing is known. */
const struct kernel_features *session_features(const struct session *s);
/* Wall-clock time of @mono_ns, CLOCK_MONOTONIC. */
u64 session_wall_ns(const struct session *s, u64 mono_ns);

/* Its output. */
struct out *session_out(struct session *s);
/* --fail-if, parsed; without a term if it was not given. */
const struct expr *session_condition(const struct session *s);
/*
 * Takes the values that --fail-if knows of the row just printed (lib/cli/expr.h); a condition that
 * is true ends the run with exit status 6.
 */
void session_check(struct session *s, const struct expr_row *row);

/*
 * Status, result and retries are unknown because lockdown hides them: of all commands or, in
 * replay, of some so far.
 */
bool session_no_status(const struct session *s);
/* Once events come: bits of enum need that some recording lacks, or live the kernel. */
u32 session_lacks(const struct session *s);
/*
 * The name of the next of the data whose bits are in *@lacks, which it takes out of there, and the
 * option that records it, as " (record -Q)", or "". NULL: there is none with a name.
 */
const char *session_lacking(u32 *lacks, const char **how);

/* The account of the run. */
/* As it is so far; in the last tick() and in stop() that of the whole run. */
const struct counters *session_counters(const struct session *s);
/* Waits in the block layer, of the events that were handed out so far. */
const struct waits *session_waits(const struct session *s);
/* Counts @commands of an aggregate, of which @errors failed. */
void session_account(struct session *s, u64 commands, u64 errors);
/* Says that something matched which is in no other count: --fail-if fails without. */
void session_matched(struct session *s);
/* Counts @commands that the command itself leaves out, as a filter would. */
void session_left_out(struct session *s, u64 commands);
/*
 * In replay: counts @commands as those whose time in the queue is left out, because it is not known
 * when they entered the block layer: event_entry_unknown().
 */
void session_entry_unknown(struct session *s, u64 commands);
/* Adds to a loss counter that the command itself found (keys_full of a user-space table). */
void session_lost(struct session *s, enum stat_id stat, u64 n);

#endif
