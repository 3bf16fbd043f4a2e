// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks up the names behind the numbers of events, live or recorded. @index: of a queue, as events have it. */
#ifndef NVT_SESSION_LOOKUP_H
#define NVT_SESSION_LOOKUP_H

#include "bpf/shared/file.h"
#include "lib/event/view.h"
#include "lib/session/session.h"

struct blkstatus;

/* Live: makes the view of @ev, an event of this run. */
void session_view(struct session *s, struct view *v, const struct event *ev);
/* Returns the source for views of events that come from this kernel; @needs: the names to look up. */
struct view_source session_view_source(struct session *s, u32 needs);
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
/* The path of a file, as events have it (struct file_id); NULL: unknown. */
const char *session_file_path(struct session *s, const struct file_id *id);
/* Live: process @pid (0: not known) has I/O on the file, which is looked for. */
void session_file_learn(struct session *s, const struct file_id *id, u32 pid);
/* Writes the path for text. If it is unknown: "ino:131.7" with the generation, and live where the file system is mounted. */
void session_file_text(struct session *s, const struct file_id *id, char *buf, size_t size);
/* "ino:131.7", or "ino:131" without generation; "259:1" for a block device. */
void session_file_number(const struct file_id *id, char *buf, size_t size);
#define SESSION_FILE_TEXT 1024 /* for that, else cut */
/* "259:1", a device number as the kernel counts: major << 20 | minor. Returns @buf. */
#define SESSION_DEV_NUMBER 16
const char *session_dev_number(u32 dev, char buf[SESSION_DEV_NUMBER]);
/* Name of an I/O scheduler by the number that events have; NULL: none, or unknown. */
const char *session_sched_name(struct session *s, u8 number);
/* One number for all that events have for schedulers of the same name. */
u8 session_sched(struct session *s, u8 number);
/* REQ_* bits of the running kernel as bits of enum req_flag. */
u32 session_req_flags(struct session *s, u32 cmd_flags);
/* The block layer's status of @ev, an event with OUTCOME_BLOCK; NULL: nothing that is known. */
const struct blkstatus *session_blkstatus(const struct session *s, const struct event *ev);
/* The controllers that are there now, for about_ctrl_fields(); NULL: a recording does not tell. */
const char *session_ctrls_now(struct session *s);

#endif
