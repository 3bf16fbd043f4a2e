// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands in flight at a moment: a snapshot of the kernel's tag tables, or what a recording says
 * of that moment. A session fills it in (session_inflight()), `inflight` prints it.
 */
#ifndef NVT_EVENT_INFLIGHT_H
#define NVT_EVENT_INFLIGHT_H

#include "bpf/shared/wire.h"

/* How the age of a command is known. */
enum inflight_age {
	INFLIGHT_AGE_NONE, /* it is not */
	INFLIGHT_AGE_TRACE, /* its setup was traced, or recorded */
	INFLIGHT_AGE_START, /* request.start_time_ns */
	INFLIGHT_AGE_DEADLINE, /* from its timer: a lower bound once the timer has expired */
};

/* Members of a command that are known; the others are 0. */
enum inflight_known {
	INFLIGHT_SQE = 1 << 0, /* opcode, cid, slba and nlb as the drive has them */
	INFLIGHT_CID = 1 << 1, /* cid; without it only the tag is known */
	INFLIGHT_LBA = 1 << 2, /* slba and nlb: the command names a range */
	INFLIGHT_LEFT = 1 << 3, /* left_ns and timeout_ns */
	INFLIGHT_EXPIRIES = 1 << 4, /* expiries */
	INFLIGHT_CGROUP = 1 << 5, /* cgroup_id */
	INFLIGHT_TASK = 1 << 6, /* pid and comm: proven, never guessed */
	INFLIGHT_FILE = 1 << 7, /* ino and ino_dev: of buffered I/O */
	INFLIGHT_OPCODE = 1 << 8, /* opcode, fctype */
	INFLIGHT_NSID = 1 << 9,
};

/* A command in flight. */
struct inflight_command {
	u64 age_ns; /* by `age_source` */
	s64 left_ns; /* until the timeout; negative: overdue */
	u64 timeout_ns;
	u64 slba;
	u64 cgroup_id;
	u64 ino;
	u32 known; /* bits of enum inflight_known */
	u32 nlb; /* counts from 1 */
	u32 bytes; /* data transferred */
	u32 nsid;
	u32 expiries; /* times that the timer has run out */
	u32 ino_dev; /* major << 20 | minor, as the kernel's dev_t */
	u32 pid;
	u32 ctrl; /* index in inflight_snapshot.ctrls */
	u16 qid, cid, tag;
	u8 opcode, fctype;
	u8 admin;
	u8 age_source; /* enum inflight_age */
	u8 timed_out; /* the driver's timeout handler has been called for it */
	u8 pad;
	char comm[WIRE_COMM]; /* NUL-terminated, any bytes */
	char dev[WIRE_DISK_NAME]; /* "nvme0n1", of a multipath the head; "nvme0" for the controller's own */
	char path[WIRE_DISK_NAME]; /* hidden path disk "nvme0c0n1", or "" */
};

/* A controller, and what is known of its commands. */
struct inflight_ctrl {
	s32 ctrl_id; /* instance */
	char name[WIRE_DISK_NAME]; /* "nvme0" */
	char state
		[24]; /* as sysfs has it: live, resetting, connecting, deleting, dead; "" unknown */
	/*
	 * NULL: the commands above are all there are. Else why they are not, as text; then
	 * sysfs_inflight counts what sysfs says of its disks.
	 */
	const char *hidden;
	u64 sysfs_inflight;
};

struct inflight_snapshot {
	u64 mono_ns, wall_ns; /* when it was begun */
	struct inflight_ctrl *ctrls;
	u32 n_ctrls;
	struct inflight_command *commands; /* in the order of ctrls, devices, queues and tags */
	u32 n_commands;
	u64 torn; /* requests that changed while they were read, each time: not among the commands */
};

#endif
