// SPDX-License-Identifier: GPL-2.0-or-later
/* The argument of a command's callbacks: an event, and the names and texts behind its numbers. */
#ifndef NVT_EVENT_VIEW_H
#define NVT_EVENT_VIEW_H

#include "bpf/shared/file.h"

struct sysfs_limits;

#define VIEW_FRAMES 127 /* frames of a stack: PERF_MAX_STACK_DEPTH */
#define VIEW_FRAME  1024 /* bytes of a frame's text, with its NUL; lib/symbols/symtab.h sees to it */

/* An event together with what it refers to. Valid during the callback only, see view_keep(). */
struct view {
	const struct event *ev;
	u32 file; /* in replay: the recording, numbered in the order of the command line */
	const struct queue_info *queue; /* never NULL; ctrl_id -1, disk "" where unknown */
	const char *ctrl; /* "nvme3" */
	const char *dev; /* "nvme3n1", of a multipath the head; else ctrl */
	const char *path; /* hidden path disk "nvme1c0n1", or NULL */
	const char *members; /* EVENT_FLUSH: namespaces below it, "nvme0n1 nvme1n1"; else NULL */
	/* In replay: host of the recording, one string per host; NULL: not known, or live. */
	const char *host;
	const struct sysfs_limits *limits; /* of the namespace, or NULL */
	const char *cgroup; /* path of ev->cgroup_id below the root, or NULL */
	const char *owner; /* path of ev->owner_id below the root, or NULL */
	const char *sched; /* name behind ev->sched; NULL: none, or not known */
	/* Path of the file whose data moves, event_file(), or NULL. */
	const char *file_path;
	const u64 *kstack; /* addresses, innermost first */
	const u64 *ustack;
	u32 kstack_len, ustack_len;
	/* In replay: the frames as text; NULL live, see lib/symbols/frames.h. */
	const char *const *ktext;
	const char *const *utext;
	u32 flags; /* ev->cmd_flags as bits of enum req_flag */
	u32 lacks; /* bits of enum need that its recording does not hold; 0 live */
	u64 wall_ns; /* ev->ts_ns as wall-clock time */
};

/* A queue and its names. Those that are not known are NULL. */
struct view_queue {
	const struct queue_info *info;
	const char *ctrl, *dev;
	const char *path; /* of a device above namespaces: its members */
	const char *host;
	const struct sysfs_limits *limits;
};

/* Where the event is from, and so what its numbers refer to. */
struct view_source {
	u32 file;
	u32 lacks; /* as in struct view */
	u32 needs; /* bits of enum need that are looked up; the rest stays unknown */
	s64 wall_offset_ns; /* wall clock = monotonic + this */
	void *arg; /* for these; NULL: not known, and flags as the event has them */
	u32 (*flags)(void *arg, u32 cmd_flags);
	const char *(*cgroup)(void *arg, u64 id);
	const char *(*sched)(void *arg, u8 number);
	const char *(*file_path)(void *arg, const struct file_id *id);
	void (*stacks)(void *arg, struct view *v); /* sets those of @v->ev */
};

/* The queue of an event whose queue is not known, without names. */
extern const struct view_queue view_no_queue;

/* Makes the view of @ev. All views are made here: what neither @queue nor @source knows is unknown. */
void view_make(struct view *v, const struct event *ev, const struct view_queue *queue,
	       const struct view_source *source);

/* An event of a recording with its view, to be shown later: names stay until the recording is closed. */
struct view_kept {
	struct event ev;
	struct view view;
};

void view_keep(struct view_kept *kept, const struct view *v);
const struct view *view_kept(struct view_kept *kept); /* valid until @kept moves */

#endif
