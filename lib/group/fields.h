// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The keys of --by for the tables of commands: the words of the option, and columns of rows that
 * begin with a struct group_row. A command lists its keys once, in the order of the columns, as
 * #define NAME_KEYS(USE) USE(CTRL) USE(DEV). NAME_KEYS(GROUP_WORD) and NAME_KEYS(GROUP_FIELDS) make
 * the two tables of that list. The lists below hold the keys that every command takes.
 */
#ifndef NVT_GROUP_FIELDS_H
#define NVT_GROUP_FIELDS_H

#include "lib/group/group.h"

#define GROUP_PLACE(USE) USE(CTRL) /* within a host */
#define GROUP_WHERE(USE) USE(HOST) GROUP_PLACE(USE)
#define GROUP_QUEUE(USE) USE(NS) USE(DEV) USE(QID) USE(CPU)
#define GROUP_SHAPE(USE) USE(SIZE) USE(FLAGS)
#define GROUP_TASK(USE)	 USE(PID) USE(COMM) USE(CGROUP) USE(OWNER)
#define GROUP_WHO(USE)	 GROUP_TASK(USE) USE(SCHED) USE(DURING)

/* All keys, in the order of the columns. */
#define GROUP_ALL(USE)	       USE(HOST) GROUP_ALL_IN_HOST(USE)
#define GROUP_ALL_IN_HOST(USE) GROUP_CHEAP(USE) USE(FILE) USE(SYNCER) USE(STATUS)
/* The keys of errors: all but the file, which each command would pay for, and few fail. */
#define GROUP_ERRORS(USE) USE(HOST) GROUP_CHEAP(USE) USE(STATUS)
#define GROUP_CHEAP(USE)                                                                           \
	GROUP_PLACE(USE) GROUP_QUEUE(USE) USE(OPCODE) GROUP_SHAPE(USE) GROUP_WHO(USE)

#define GROUP_WORD(key)	  GROUP_WORD_##key,
#define GROUP_FIELDS(key) GROUP_FIELDS_##key

/* clang-format off */
#define GROUP_WORD_NONE	  { "none", KEY_NONE, "all in one row" }
#define GROUP_WORD_HOST	  { "host", KEY_HOST, "host of the recording" }
#define GROUP_WORD_CTRL	  { "ctrl", KEY_CTRL, "controller" }
#define GROUP_WORD_NS	  { "ns", KEY_NS, "namespace ID" }
#define GROUP_WORD_DEV	  { "dev", KEY_DEV, "namespace's device" }
#define GROUP_WORD_QID	  { "qid", KEY_QID, "queue" }
#define GROUP_WORD_CPU	  { "cpu", KEY_CPU, "CPU that submitted" }
#define GROUP_WORD_OPCODE { "opcode", KEY_OPCODE, "read, write, ..." }
#define GROUP_WORD_SIZE	  { "size", KEY_SIZE, "size class" }
#define GROUP_WORD_FLAGS  { "flags", KEY_FLAGS, "flags of the block request" }
#define GROUP_WORD_PID	  { "pid", KEY_PID, "process that submitted" }
#define GROUP_WORD_COMM	  { "comm", KEY_COMM, "its name" }
#define GROUP_WORD_CGROUP { "cgroup", KEY_CGROUP, "cgroup that caused it, writeback too" }
#define GROUP_WORD_OWNER  { "owner", KEY_OWNER, "the same; cgroup beside it is the submitter's" }
#define GROUP_WORD_SCHED  { "sched", KEY_SCHED, "I/O scheduler that held it, or none" }
#define GROUP_WORD_DURING { "during", KEY_DURING, "admin command in flight meanwhile" }
#define GROUP_WORD_FILE	  { "file", KEY_FILE, "file whose data it moves" }
#define GROUP_WORD_SYNCER { "syncer", KEY_SYNCER, "process that waits for a flush" }
#define GROUP_WORD_STATUS { "status", KEY_STATUS, "completion status: SCT and SC" }

#define GROUP_ROW(type, m, ...)	FIELD_OF(FIELD_##type, struct group_row, m, #m, __VA_ARGS__),
#define GROUP_NUMBER		(FIELD_ABSENT | FIELD_NULL_ONES)

/* The interval of the row. */
#define GROUP_TS									\
	FIELD_OF(FIELD_TIME, struct group_row, wall_ns, "ts", .head = "TIME", .width = 15, \
		 .flags = FIELD_HIDDEN, .rank = 8, .help = "end of the interval"),
#define GROUP_LENGTH									\
	GROUP_ROW(U64, interval_ns, .flags = FIELD_NO_TEXT, .help = "length of the interval")
#define GROUP_INTERVAL									\
	GROUP_TS									\
	FIELD_TIME_NS(struct group_row, wall_ns),					\
	GROUP_LENGTH									\
	GROUP_SEQ
#define GROUP_SEQ									\
	GROUP_ROW(U64, seq, .flags = FIELD_NO_TEXT, .help = "number of the interval, from 0")
#define GROUP_FIELDS_HOST \
	GROUP_ROW(STR, host, .width = -8, .flags = FIELD_ABSENT, .least = 8, .help = "host of the recording")
#define GROUP_FIELDS_CTRL GROUP_CTRL(-5)
#define GROUP_CTRL(text_width) \
	GROUP_ROW(S64, ctrl_id, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "controller, the 3 of nvme3") \
	GROUP_ROW(STR, ctrl, .width = text_width, .flags = FIELD_ABSENT, .least = 12, .help = "controller, nvme3")
#define GROUP_FIELDS_NS \
	GROUP_ROW(S64, nsid, .width = 4, .flags = GROUP_NUMBER, .help = "namespace ID; none for fabrics commands")
#define GROUP_FIELDS_DEV \
	GROUP_ROW(STR, dev, .width = -7, .flags = FIELD_ABSENT, .least = 12, .help = "namespace or, for admin commands, controller")
#define GROUP_FIELDS_QID \
	GROUP_ROW(S64, qid, .width = 3, .flags = GROUP_NUMBER, .help = "queue; 0 is the admin queue")
#define GROUP_FIELDS_CPU \
	GROUP_ROW(S64, cpu, .width = 3, .flags = GROUP_NUMBER, .help = "CPU that submitted")
#define GROUP_FIELDS_OPCODE GROUP_OPCODE(-5)
#define GROUP_OPCODE(text_width) \
	GROUP_ROW(STR, op, .width = text_width, .flags = FIELD_ABSENT, .least = 6, .help = "name of the opcode") \
	GROUP_ROW(S64, opcode, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "opcode as a number") \
	GROUP_ROW(BOOL, admin, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "true for admin commands")
#define GROUP_FIELDS_SIZE \
	GROUP_ROW(STR, size, .width = -6, .flags = FIELD_ABSENT, .help = "size class")
#define GROUP_FIELDS_FLAGS \
	GROUP_ROW(CALL, flags, .width = -12, .least = 8, .flags = GROUP_NUMBER, .emit = group_emit_flags, .json = JSON_STRINGS, \
		  .csv = group_csv_flags, .text = group_text_flags, .help = "flags of the block request")
#define GROUP_FIELDS_PID \
	GROUP_ROW(S64, pid, .width = 7, .flags = GROUP_NUMBER, .help = "process that submitted")
#define GROUP_FIELDS_COMM \
	GROUP_ROW(STR, comm, .width = -15, .flags = FIELD_ABSENT, .least = 8, .help = "name of the process")
#define GROUP_FIELDS_CGROUP \
	GROUP_ROW(S64, cgroup_id, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "ID of the cgroup (v2) that caused it; of the submitter's where that is not recorded, or owner stands beside it") \
	GROUP_ROW(STR, cgroup, .width = -16, .flags = FIELD_ABSENT, .least = 8, .text = group_text_cgroup, \
		  .help = "path of this cgroup; text names a container or unit")
#define GROUP_FIELDS_OWNER \
	GROUP_ROW(S64, owner_id, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "ID of the cgroup (v2) that caused it") \
	GROUP_ROW(STR, owner, .width = -16, .flags = FIELD_ABSENT, .least = 8, .text = group_text_owner, \
		  .help = "path of the cgroup that caused it: of the inode that is written back, else the submitter's")
#define GROUP_FIELDS_SCHED \
	GROUP_ROW(STR, sched, .width = -11, .flags = FIELD_ABSENT, .least = 6, .help = "I/O scheduler that it went through, or none")
#define GROUP_FIELDS_DURING \
	GROUP_ROW(STR, during, .width = -16, .flags = FIELD_ABSENT, .least = 8, \
		  .help = "admin command that was in flight on the controller meanwhile, the first of several, - if none")
#define GROUP_FIELDS_FILE \
	GROUP_ROW(S64, ino, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "its inode; null: a block device, or not proven") \
	GROUP_ROW(S64, ino_gen, .flags = GROUP_NUMBER | FIELD_NO_TEXT, .help = "generation of the inode: a new file with an old number has another one; null: none") \
	GROUP_ROW(STR, ino_dev, .flags = FIELD_ABSENT | FIELD_NO_TEXT, .help = "device number of its file system, or of the block device") \
	GROUP_ROW(STR, file, .width = -24, .flags = FIELD_ABSENT, .least = 8, .text = group_text_file, \
		  .help = "path of the file whose data moves, as it is now, (deleted) behind that of a deleted one; null: not known")
#define GROUP_FIELDS_SYNCER \
	GROUP_ROW(S64, syncer_pid, .width = 7, .flags = GROUP_NUMBER, .help = "process that waits for the flush or FUA write, in fsync() or its like; null: none, or not proven") \
	GROUP_ROW(STR, syncer, .width = -15, .flags = FIELD_ABSENT, .least = 8, .help = "its name")
#define GROUP_FIELDS_STATUS \
	GROUP_ROW(S64, status, .width = -6, .flags = GROUP_NUMBER, .text = group_text_status, .bad = group_bad_status, \
		  .help = "SCT << 8 | SC of the status, without DNR, MORE and CRD; in text its name") \
	GROUP_ROW(STR, sct_sc, .flags = FIELD_ABSENT | FIELD_NO_TEXT, \
		  .help = "status code type and status code in hexadecimal: 2/81") \
	GROUP_ROW(STR, status_name, .flags = FIELD_ABSENT | FIELD_NO_TEXT, .help = "name of the status")
/* clang-format on */

#endif
