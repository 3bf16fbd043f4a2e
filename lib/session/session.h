// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interface of a run for commands, which see this file alone. A command has callbacks in struct
 * cmd: check() and start() say what the run needs, then event() gets each event in time order,
 * tick() is called at each interval and once at the end, and stop() always comes last.
 */
#ifndef NVT_SESSION_SESSION_H
#define NVT_SESSION_SESSION_H

#include "bpf/shared/wire.h"
#include "lib/cli/cmd.h"
#include "lib/event/view.h"

struct blkstatus;
struct command_slot;
struct counters;
struct expr;
struct expr_row;
struct filter;
struct kernel_features;
struct record_head;
struct session;

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
	 * Recordings are compared with each other: what has the same name on two hosts is one, and
	 * names do not tell hosts.
	 */
	bool one_host;
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
	/*
	 * Live: the first tick comes at the begin. Without INTERVAL, --duration and PROGRAM the run
	 * is that tick.
	 */
	bool at_once;
	/*
	 * With NEED_INFLIGHT: only commands that find at most so many outstanding on the
	 * controller.
	 */
	u32 max_inflight;
	u32 busy; /* with NEED_BUSY: enum busy_level, until session_busy_at() */
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
/* In replay: when a recording began, and ended so far, on the clock of the events. */
void session_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns);
/* In replay: what a recording says of itself, and its counters as far as it was read. */
const struct record_head *session_recording(const struct session *s, u32 file, struct counters *c);
/* The length of an interval; 0: there are none. */
u64 session_interval_ns(const struct session *s);
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
/* Readable once a signal has come. */
int session_wake_fd(const struct session *s);
/* The run, or the recording that it replays, may leave commands out, by whatever option. */
bool session_selects(const struct session *s);
/* The selection. */
const struct filter *session_filter(const struct session *s);
/* BTF's description of the running kernel; in replay nothing is known. */
const struct kernel_features *session_features(const struct session *s);
/* Live: the number of possible CPUs, which per-CPU tables have; see sysfs_cpus(). */
u32 session_cpus(const struct session *s);
/* Live: controllers that were there at the start. */
u32 session_ctrls(const struct session *s);
/* Whether the selection takes commands of controller @ctrl_id. */
bool session_takes_ctrl(const struct session *s, s32 ctrl_id);
/* The controllers that are there now, for about_ctrl_fields(); NULL: a recording does not tell. */
const char *session_ctrls_now(struct session *s);
/* Wall-clock time of @mono_ns, CLOCK_MONOTONIC. */
u64 session_wall_ns(const struct session *s, u64 mono_ns);
/*
 * Fills @head with what a recording of this run says of it, but version, host, arch, needs and
 * clock; texts are the session's.
 */
void session_describe(struct session *s, struct record_head *head);

/* Its output. */
struct out *session_out(struct session *s);
/* --fail-if, parsed; without a term if it was not given. */
const struct expr *session_condition(const struct session *s);
/*
 * Takes the values that --fail-if knows of the row just printed (lib/cli/expr.h); a condition that
 * is true ends the run with exit status 6.
 */
void session_check(struct session *s, const struct expr_row *row);

/* Fills in a view of @ev, an event of this run. */
void session_view(struct session *s, struct view *v, const struct event *ev);
/* Names behind the numbers of events. @index: of a queue, as events have it. */
/* Queue info, never NULL. */
const struct queue_info *session_queue(struct session *s, u32 index);
u32 session_queues(const struct session *s); /* in replay: indexes in use so far, from 0 on */
const char *session_dev_name(struct session *s, u32 index); /* as view.dev */
/*
 * One index for all queues with the same device name: the paths of a device, or one that went and
 * came back, are one. The devices of two hosts are two.
 */
u32 session_device(struct session *s, u32 index);
/* One index for all queues of a host, where recordings of several are told apart; else 0. */
u32 session_host(struct session *s, u32 index);
/* Name of the host that a queue belongs to; NULL: a recording does not tell. */
const char *session_host_name(struct session *s, u32 index);
/*
 * "nvme3", or "host/nvme3" where recordings of several hosts are told apart by that; @index:
 * session_host(), or a device's.
 */
#define SESSION_CTRL_NAME 320
const char *session_ctrl_name(struct session *s, s32 ctrl_id, u32 index,
			      char buf[SESSION_CTRL_NAME]);
const char *session_cgroup_path(struct session *s, u64 cgroup_id); /* NULL: unknown */
/* Name of an I/O scheduler by the number that events have; NULL: none, or unknown. */
const char *session_sched_name(struct session *s, u8 number);
/* One number for all that events have for schedulers of the same name. */
u8 session_sched(struct session *s, u8 number);
/* REQ_* bits of the running kernel as bits of enum req_flag. */
u32 session_req_flags(struct session *s, u32 cmd_flags);
/* The block layer's status of @ev, an event with OUTCOME_BLOCK; NULL: nothing that is known. */
const struct blkstatus *session_blkstatus(const struct session *s, const struct event *ev);
/*
 * Status, result and retries are unknown because lockdown hides them: of all commands or, in
 * replay, of some so far.
 */
bool session_no_status(const struct session *s);
/* Once events come: bits of enum need that some recording lacks, or live the kernel. */
u32 session_lacks(const struct session *s);

/* The account of the run. */
/* As it is so far; in the last tick() and in stop() that of the whole run. */
const struct counters *session_counters(const struct session *s);
/* The same with the losses of this moment, not of the last half second. */
const struct counters *session_losses(struct session *s);
/* All events until then, CLOCK_MONOTONIC, were handed to the command. */
u64 session_handed_ns(const struct session *s);
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
/*
 * Counts as lost what was counted as printed but has no reader any more: @commands, and @others
 * that are no commands.
 */
void session_unread(struct session *s, u64 commands, u64 others);

/* Maps of a live run. */
/* The mapped memory of an mmapable array (*size bytes), or NULL, as in replay. */
void *session_map_memory(struct session *s, const char *map, size_t *size);
/* Live: deletes an entry of a hash, if it is there. */
void session_delete(struct session *s, const char *map, const void *key);
/* Live: waits until every program that runs now has ended. */
void session_quiesce(struct session *s);
/* Sends aggregates to the other bank, waits until no program uses the old one: its number. */
u32 session_flip_bank(struct session *s);
/*
 * Hands each entry of a hash to @take and deletes those for which it returns true. The entries must
 * be of a bank that no program uses any more. 0 or -errno.
 */
int session_walk_map(struct session *s, const char *map,
		     bool (*take)(void *ctx, const void *key, const void *value), void *ctx);
/*
 * Hands each selected command that is in flight now to @take, live: a copy of its command slot, and
 * the index of its queue, and its tag. Takes NEED_NSID, without which paths through one controller
 * cannot be told apart.
 */
void session_inflight(struct session *s,
		      void (*take)(void *ctx, const struct command_slot *slot, u32 queue, u32 tag),
		      void *ctx);
/* With NEED_BUSY: what commands that are sent from now on keep busy, enum busy_level. */
void session_busy_at(struct session *s, u32 level);
/* Frames of stack @id of map `stacks`, innermost first; how many there are. */
u32 session_stack(struct session *s, s32 id, u64 frames[VIEW_FRAMES]);

#endif
