// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a tracing command, live or replayed: find the object, configure, probe, load, attach,
 * poll, put events in order, tick, drain, account for losses, clean up. A command gives callbacks
 * only.
 *
 * Order of calls: start() once before load; event() for each event in time order; tick() at each
 * interval and once at the end; stop() always. With -i FILE the same calls come from a recording.
 */
#ifndef NVT_SESSION_SESSION_H
#define NVT_SESSION_SESSION_H

#include "bpf/shared/wire.h"
#include "lib/cli/cmd.h"
#include "lib/event/view.h"

struct blkstatus;
struct kernel_features;
struct counters;
struct record_head;
struct session;

/* An interval that has ended, or the end of the run. */
struct tick {
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC */
	u64 wall_ns; /* of end_ns */
	u64 seq; /* from 0 */
	bool last;
	bool reset; /* false after SIGUSR2: report without reset */
};

/* Runs a tracing command to its end. 0 or EXIT_AS(...)/-errno, everything reported. */
int session_run(struct invocation *inv);

/* For callbacks. */
void *session_cfg(struct session *s); /* the command's options */
void *session_state(struct session *s); /* cmd->state_size bytes, zeroed at the start */
struct out *session_out(struct session *s);
const struct common *session_common(const struct session *s);
bool session_is_replay(const struct session *s);
/* The account so far; in the last tick() and in stop() that of the whole run. */
const struct counters *session_counters(const struct session *s);
/* Attach time, CLOCK_MONOTONIC; of the recording in replay. */
u64 session_start_ns(const struct session *s);

/*
 * In start(): asks the common BPF part to gather more; bits of enum need. Replay: 0 or
 * EXIT_AS(EXIT_NOTHING) after naming what the recording lacks.
 */
int session_need(struct session *s, u32 needs);
/*
 * In start(): as session_need(), but a recording may lack it (view.lacks, session_lacks()): @what
 * ("timeouts") is then named once, unless it is NULL.
 */
void session_want(struct session *s, u32 needs, const char *what);
/* In replay, once events come: what some recording does not hold, bits of enum need. */
u32 session_lacks(const struct session *s);
/* What the block layer made of @ev, an event with OUTCOME_BLOCK; NULL: nothing that is known. */
const struct blkstatus *session_blkstatus(const struct session *s, const struct event *ev);
/*
 * Lockdown keeps status, result and retries from us, of all commands or, in replay, of some so far:
 * they are unknown.
 */
bool session_no_status(const struct session *s);
/* What BTF says of the running kernel; in replay nothing is known. */
const struct kernel_features *session_features(const struct session *s);
/* In start(), live only: sets section @name of the object; sizes must agree. No-op in replay. */
int session_rodata(struct session *s, const char *name, const void *data, size_t size);
/* In start(), live only: value size and entries of a map of the command. No-op in replay. */
int session_size_map(struct session *s, const char *map, u32 value_size, u32 entries);
/* Live only: the mapped memory of an mmapable array (size bytes), or NULL. */
void *session_map_memory(struct session *s, const char *map, size_t *size);
/*
 * Live only: sends aggregates to the other bank and waits until no program uses the old one; its
 * number.
 */
u32 session_flip_bank(struct session *s);
/* In start(): admin commands pass as well (-A). */
void session_admin(struct session *s);
/*
 * In start(), with NEED_INFLIGHT: only commands submitted with at most @n outstanding on the
 * controller.
 */
void session_max_inflight(struct session *s, u32 n);
/*
 * In start(): nothing is asked for but what the plain way of the programs gives (PROG_PLAIN of
 * bpf/prog.h).
 */
void session_plain(struct session *s);
/*
 * In start(): programs tell nothing through the event buffer, which need not be as large as
 * --buffer says.
 */
void session_no_events(struct session *s);
/*
 * In start(), live only: the program `probe_...` on these functions in place of the tracepoints; at
 * most STACKS_PROBES, and they must outlive the run.
 */
void session_probe(struct session *s, const char *const *functions, u32 n);
/*
 * Live only: hands each entry of a hash to @take and deletes those for which it returns true. The
 * entries must be of a bank that no program uses any more. 0 or -errno.
 */
int session_walk_map(struct session *s, const char *map,
		     bool (*take)(void *ctx, const void *key, const void *value), void *ctx);
/* Live only: frames of stack @id of map `stacks`, innermost first; how many there are. */
u32 session_stack(struct session *s, s32 id, u64 frames[VIEW_FRAMES]);
/* Live only: the extent of per-CPU tables, see sysfs_cpus(). */
u32 session_cpus(const struct session *s);
/* Live only: controllers that were there at the start. */
u32 session_ctrls(const struct session *s);
/* Queue facts by index, as events name them; never NULL. Names as in struct view. */
const struct queue_info *session_queue(struct session *s, u32 index);
const char *session_dev_name(struct session *s, u32 index);
/*
 * One index for all queues with the same name: the paths of a device, or one that went and came
 * back, are one. The devices of two hosts are two.
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
/* In start(): rows have their host as a key, so that names need not begin with it. */
void session_by_host(struct session *s);
const char *session_path_name(struct session *s, u32 index);
const char *session_cgroup_path(struct session *s, u64 cgroup_id); /* NULL: unknown */
/* REQ_* bits of the running kernel as bits of enum req_flag. */
u32 session_req_flags(struct session *s, u32 cmd_flags);
/* Aggregates: counts samples that stand for @commands, of which @errors failed, for the account. */
void session_account(struct session *s, u64 commands, u64 errors);
/* In replay: counts @commands that the command itself leaves out, as a filter would. */
void session_left_out(struct session *s, u64 commands);
/* Adds to a loss counter that the command itself found (keys_full of a user-space table). */
void session_lost(struct session *s, enum stat_id stat, u64 n);

struct expr;
/* --fail-if, parsed; without a term if it was not given. */
const struct expr *session_condition(const struct session *s);
/*
 * Values that --fail-if knows of the row just printed; see lib/cli/expr.h. True conditions end with
 * exit 6.
 */
struct expr_row;
void session_check(struct session *s, const struct expr_row *row);

/* The run, or the recording that it replays, may leave commands out, by whatever option. */
bool session_selects(const struct session *s);

/*
 * In start() of an event command: it aggregates this time, so that INTERVAL means ticks, not the
 * end.
 */
void session_aggregates(struct session *s);

/* Release of the kernel that the events come from; NULL: a recording does not tell. */
const char *session_kernel(struct session *s);

/*
 * Fills @head with what a recording of this run says of it; texts are the session's. Not version,
 * host, arch, needs, clock.
 */
void session_describe(struct session *s, struct record_head *head);

/*
 * Of what was counted as printed @commands, and @others that are no commands, have not got there:
 * nobody took them.
 */
void session_unread(struct session *s, u64 commands, u64 others);
/* Readable once a signal has come, for whoever waits. */
int session_wake_fd(const struct session *s);
/* The run was ended, a replay before its input. */
bool session_ending(const struct session *s);

/* Ends the run as Ctrl-C would (--max-events is handled by the session itself). */
void session_end(struct session *s);
/* Ends the run for a failure that the command has reported. */
void session_fail(struct session *s, int err);

#endif
