// SPDX-License-Identifier: GPL-2.0-or-later
/* A record of `trace`: an event as named, typed values, and the columns made of them. */
#ifndef NVT_VIEW_TRACE_ROW_H
#define NVT_VIEW_TRACE_ROW_H

#include "lib/nvme/decode.h"
#include "lib/out/out.h"
#include "lib/session/lookup.h"
#include "lib/symbols/frames.h"

struct event;
struct view;

/* The kind of event that a row shows. */
enum trace_type { TRACE_IO, TRACE_SUBMIT, TRACE_COMPLETE, TRACE_AER, TRACE_SQ, TRACE_FLUSH };
#define TRACE_TYPES 6

/*
 * Numbers of a command that a row has as the event does: type, member, and the need that tells it;
 * 0: each does. All ones: not known.
 */
#define TRACE_COPIED(COPY)                                                                         \
	COPY(u64, bytes, 0)                                                                        \
	COPY(u32, submit_cpu, NEED_CPU)

#define TRACE_COPIED_MEMBER(type, m, need) type m;

/*
 * A row has over 40 members: a column of each of six types of record. A member that is all ones,
 * or NULL, is not known or not of this type.
 */
struct trace_row {
	enum trace_type type;
	const struct view *view;
	struct frames *frames;
	struct nvme_cmd_view cmd;
	u64 wall_ns, mono_ns, since_ns; /* since_ns: since attaching */
	u64 slba, nlb, nsid, result, lat_ns, queue_ns, cgroup_id, ino, ino_gen, syncer_pid, syncers;
	const char *ctrl, *dev, *path, *op, *sct_sc, *status_name, *comm, *cgroup, *pattern,
		*ino_dev, *file, *syncer;
	s32 ctrl_id;
	u32 qid, cid, tag, opcode, fctype, status, sct, sc, crd, retries, pid, tid;
	u32 complete_cpu;
	TRACE_COPIED(TRACE_COPIED_MEMBER)
	u8 admin, dnr, more, worker;
	bool command; /* the command is known */
	/* TRACE_AER */
	struct nvme_aen aen;
	u32 aen_type, aen_info, aen_lid;
	/* TRACE_SQ */
	u32 sq_head, sq_tail;
	/* TRACE_FLUSH */
	u32 nvme_flushes, shared;
	u8 with_data, fua;
	char op_text[NVME_OPCODE_NAME_MAX];
	char sct_sc_text[NVME_SCT_SC_MAX];
	char ino_dev_text[SESSION_DEV_NUMBER];
};

/*
 * Fills @row from @v, as an event of @type; the row points into @v and into itself. A joined event
 * can be made a TRACE_SUBMIT or TRACE_COMPLETE. @start_ns is the time that TIME(s) counts from.
 */
void trace_row_fill(struct trace_row *row, const struct view *v, enum trace_type type,
		    u64 start_ns);

/* Fills in the file, which the former does of commands whose submitter is known. */
void trace_row_fill_file(struct trace_row *row, const struct view *v);

/* By enum trace_type. In text every type is printed with the first. */
extern const struct schema trace_schemas[TRACE_TYPES];

/* The columns, for the tables of all records that begin with a struct trace_row. */

/* Print the values that are more than numbers; see struct field. */
void trace_row_text_cgroup(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_text_file(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_text_time(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_text_slba(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_text_comm(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_text_status(const struct out *o, const void *p, char *buf, size_t size);
bool trace_row_bad(const void *p); /* the command failed */
void trace_row_text_cdw(const struct out *o, const void *p, char *buf, size_t size);
void trace_row_csv_cdw(const void *p, char *buf, size_t size);
void trace_row_emit_cdw(struct json *j, const void *p);
void trace_row_emit_flags(struct json *j, const void *p);
void trace_row_emit_fields(struct json *j, const void *p);
void trace_row_emit_kstack(struct json *j, const void *row);
void trace_row_emit_ustack(struct json *j, const void *row);
void trace_row_emit_members(struct json *j, const void *p);

#define TRACE_ROW(type, m, ...) FIELD_OF(FIELD_##type, struct trace_row, m, #m, __VA_ARGS__)
#define TRACE_CALL(nm, ...)                                                                        \
	{                                                                                          \
		.type = FIELD_CALL, .name = nm, __VA_ARGS__                                        \
	}
#define TRACE_NOT_TEXT (FIELD_NO_TEXT | FIELD_NULL_ONES)
#define TRACE_WIDE     (FIELD_HIDDEN | FIELD_NULL_ONES)
/* clang-format off */

/* Time, in rows of every type. */
#define TRACE_TS									\
	{ .type = FIELD_TIME, .at = offsetof(struct trace_row, wall_ns), .name = "ts",	\
	  .head = "WALL", .width = -15, .flags = FIELD_HIDDEN, .rank = 10,				\
	  .help = "wall-clock time of the event" },					\
	FIELD_TIME_NS(struct trace_row, wall_ns),					\
	TRACE_ROW(U64, mono_ns, .flags = FIELD_NO_TEXT,					\
	    .help = "time of the event, of \"io\" the completion, by CLOCK_MONOTONIC")

/* And the controller. */
#define TRACE_WHEN \
	TRACE_TS, \
	TRACE_ROW(S32, ctrl_id, .flags = TRACE_NOT_TEXT, .help = "controller, the N of /dev/nvmeN"), \
	TRACE_ROW(STR, ctrl, .width = -6, .flags = FIELD_HIDDEN, .least = 12, .rank = 70, .help = "controller by name")

/* Seconds since attaching. */
#define TRACE_TIME \
	TRACE_CALL("time", .head = "TIME(s)", .width = -10, .flags = FIELD_ONLY_TEXT, .text = trace_row_text_time, .rank = 30, \
	     .help = "seconds since attaching")

/* The command as it was submitted. */
#define TRACE_COMMAND \
	TRACE_ROW(STR, dev, .width = -7, .least = 12, .help = "namespace (the multipath head, if any), or the controller"), \
	TRACE_ROW(STR, path, .with = "W", .width = -9, .flags = FIELD_HIDDEN, .least = 12, .rank = 60, .help = "disk of the path taken, which multipath hides"), \
	TRACE_ROW(U64, nsid, .with = "W", .width = 4, .flags = TRACE_WIDE, .rank = 75, .help = "namespace ID; none for fabrics commands"), \
	TRACE_ROW(U32, qid, .width = 3, .flags = FIELD_NULL_ONES, .rank = 50, .help = "queue; 0 is the admin queue"), \
	TRACE_ROW(U32, cid, .width = -5, .flags = FIELD_NULL_ONES, .rank = 65, \
	    .help = "command identifier with its generation bits"), \
	TRACE_ROW(U32, tag, .with = "W", .width = 5, .flags = TRACE_WIDE, .rank = 85, .help = "tag of the request, cid & 0xfff"), \
	TRACE_ROW(STR, op, .width = -5, .least = 6, .help = "name of the opcode"), \
	TRACE_ROW(U32, opcode, .flags = TRACE_NOT_TEXT, .help = "opcode as a number"), \
	TRACE_ROW(BOOL, admin, .flags = TRACE_NOT_TEXT, .help = "true for admin commands"), \
	TRACE_ROW(U32, fctype, .flags = TRACE_NOT_TEXT, .help = "fabrics command type, when opcode is 0x7f"), \
	TRACE_ROW(U64, slba, .width = -9, .flags = FIELD_NULL_ONES, .text = trace_row_text_slba, .rank = 20, \
	    .help = "first logical block, also of a trim with one range; in text, other commands show their most important field"), \
	TRACE_ROW(U64, nlb, .with = "W", .width = 5, .flags = TRACE_WIDE, .rank = 80, .help = "logical blocks, counted from 1"), \
	TRACE_ROW(U64, bytes, .width = 6, .flags = FIELD_NULL_ONES, .rank = 33, .help = "bytes of data transferred"), \
	TRACE_CALL("flags", .needs = NEED_CMD_FLAGS, .flags = FIELD_NULL_ONES, .emit = trace_row_emit_flags, .json = JSON_STRINGS, \
	     .help = "flags of the block request, such as sync and fua"), \
	TRACE_CALL("fields", .flags = FIELD_NULL_ONES, .emit = trace_row_emit_fields, .json = JSON_COUNTS, \
	     .help = "fields of the command dwords, named as in the specification"), \
	TRACE_CALL("cdw10_15", .with = "R", .head = "CDW10..15", .width = -53, .flags = TRACE_WIDE, .json = JSON_STRING, \
	     .emit = trace_row_emit_cdw, .text = trace_row_text_cdw, .csv = trace_row_csv_cdw, .rank = 90, \
	     .help = "command dwords 10 to 15 in hexadecimal")

/* The drive's answer. */
#define TRACE_STATUS(status_head) \
	TRACE_ROW(U32, status, .head = status_head, .width = -6, .flags = FIELD_NULL_ONES, .text = trace_row_text_status, \
	    .bad = trace_row_bad, .rank = 15, \
	    .help = "the 15 bits of the completion status; in text ok or SCT/SC"), \
	TRACE_ROW(U32, sct, .flags = TRACE_NOT_TEXT, .help = "status code type"), \
	TRACE_ROW(U32, sc, .flags = TRACE_NOT_TEXT, .help = "status code"), \
	TRACE_ROW(STR, sct_sc, .flags = FIELD_NO_TEXT, .help = "both codes in hexadecimal, as nvme-cli prints them: 2/81"), \
	TRACE_ROW(STR, status_name, .with = "W", .head = "STATUS NAME", .width = -28, .flags = FIELD_HIDDEN, .least = 12, .rank = 45, \
	    .help = "name of the status"), \
	TRACE_ROW(BOOL, dnr, .flags = TRACE_NOT_TEXT, .help = "the Do Not Retry bit"), \
	TRACE_ROW(BOOL, more, .flags = TRACE_NOT_TEXT, .help = "the More bit: the error log has more information"), \
	TRACE_ROW(U32, crd, .flags = TRACE_NOT_TEXT, .help = "index of the command retry delay"), \
	TRACE_ROW(HEX64, result, .with = "R", .needs = NEED_RESULT, .width = -10, .flags = TRACE_WIDE, .rank = 72, .help = "dwords 0 and 1 of the completion")

#define TRACE_RETRIES \
	TRACE_ROW(U32, retries, .with = "W", .needs = NEED_RESULT, .head = "TRY", .width = 3, .flags = TRACE_WIDE, .rank = 55, .help = "attempts before this one")

#define TRACE_LATENCY \
	TRACE_ROW(U64, lat_ns, .head = "LAT", .width = 7, .flags = FIELD_NULL_ONES | FIELD_LAT, .rank = 1, \
	    .help = "time from submission to completion"), \
	TRACE_ROW(U64, queue_ns, .with = "Q", .needs = NEED_QUEUED, .head = "QUE", .width = 7, .flags = TRACE_WIDE | FIELD_LAT | FIELD_COSTLY, .rank = 12, \
	    .help = "time from block layer entry to submission; with -Q"), \
	TRACE_ROW(U32, submit_cpu, .with = "W", .needs = NEED_CPU, .head = "SCPU", .width = 4, .flags = TRACE_WIDE, .rank = 82, .help = "CPU of the submission"), \
	TRACE_ROW(U32, complete_cpu, .with = "W", .needs = NEED_CPU, .head = "CCPU", .width = 4, .flags = TRACE_WIDE, .rank = 82, \
	    .help = "CPU of the completion")

/* The file whose data moves. */
#define TRACE_FILE \
	TRACE_ROW(U64, ino, .needs = NEED_FILE, .flags = TRACE_NOT_TEXT | FIELD_COSTLY, .help = "its inode; null: a block device, or not proven"), \
	TRACE_ROW(U64, ino_gen, .needs = NEED_FILE, .flags = TRACE_NOT_TEXT | FIELD_COSTLY, .help = "generation of the inode: a new file with an old number has another one; null: none"), \
	TRACE_ROW(STR, ino_dev, .needs = NEED_FILE, .flags = FIELD_NO_TEXT | FIELD_COSTLY, .help = "device number of its file system, or of the block device"), \
	TRACE_ROW(STR, file, .with = "W", .needs = NEED_FILE, .width = -8, .flags = FIELD_HIDDEN | FIELD_COSTLY, .least = 8, .rank = 76, .text = trace_row_text_file, \
		  .help = "path of the file whose data moves, as it is now, (deleted) behind that of a deleted one; null: not known")

/* Who waits for a flush. */
#define TRACE_SYNCER \
	TRACE_ROW(U64, syncer_pid, .needs = NEED_SYNCER, .flags = TRACE_NOT_TEXT | FIELD_COSTLY, .help = "process that waits for the flush or FUA write, in fsync() or its like; null: none, or not proven"), \
	TRACE_ROW(U64, syncers, .needs = NEED_SYNCER, .flags = TRACE_NOT_TEXT | FIELD_COSTLY, .help = "how many calls wait; it is the one that waits longest"), \
	TRACE_ROW(STR, syncer, .with = "W", .needs = NEED_SYNCER, .width = -8, .flags = FIELD_HIDDEN | FIELD_COSTLY, .least = 8, .rank = 77, .help = "name of the process that waits")

/* The task that submitted. */
#define TRACE_SUBMITTER \
	TRACE_ROW(U32, pid, .width = -4, .flags = FIELD_NULL_ONES, .rank = 35, .help = "process that submitted"), \
	TRACE_ROW(U32, tid, .with = "W", .width = -4, .flags = TRACE_WIDE, .rank = 78, .help = "thread that submitted"), \
	TRACE_ROW(STR, comm, .flags = FIELD_LAST, .text = trace_row_text_comm, .rank = 28, \
	    .help = "name of the process; in text also the name of an asynchronous event"), \
	TRACE_ROW(U64, cgroup_id, .needs = NEED_CGROUP, .flags = TRACE_NOT_TEXT, .help = "ID of its cgroup (v2)"), \
	TRACE_ROW(STR, cgroup, .needs = NEED_CGROUP, .flags = FIELD_HIDDEN, .least = 8, .rank = 58, .text = trace_row_text_cgroup, \
		  .help = "path of its cgroup; text names a container or unit"), \
	TRACE_ROW(BOOL, worker, .flags = TRACE_NOT_TEXT, \
	    .help = "true: a kernel worker is named, because the submitter is not known"), \
	TRACE_CALL("kstack", .with = "k", .flags = FIELD_ABSENT, .emit = trace_row_emit_kstack, .json = JSON_STRINGS, \
	     .help = "kernel stack of the submission, innermost first; with -k"), \
	TRACE_CALL("ustack", .with = "u", .flags = FIELD_ABSENT, .emit = trace_row_emit_ustack, .json = JSON_STRINGS, \
	     .help = "user stack of the submitter, innermost first; with -u")
/* An asynchronous event. */
#define TRACE_AER_FIELDS \
	TRACE_WHEN, \
	TRACE_ROW(HEX64, result, .help = "dword 0 of the completion"), \
	TRACE_ROW(U32, aen_type, .help = "type of the event"), \
	FIELD_OF(FIELD_STR, struct trace_row, aen.type_name, "aen_type_name", \
		 .help = "name of the type"), \
	TRACE_ROW(U32, aen_info, .help = "number of the event within its type"), \
	FIELD_OF(FIELD_STR, struct trace_row, aen.text, "aen_name", .help = "name of the event"), \
	TRACE_ROW(U32, aen_lid, .help = "log page to read")
/* clang-format on */

#endif
