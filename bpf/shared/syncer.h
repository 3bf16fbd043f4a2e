// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who waits for a flush: NEED_SYNCER. Programs keep a list of the tasks that are inside fsync() or
 * its like; user space tells which devices of file systems lie on which namespaces.
 */
#ifndef NVT_SHARED_SYNCER_H
#define NVT_SHARED_SYNCER_H

#include "bpf/shared/hist.h"

/* The function of a system call. */
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#define SYSCALL(call) "__arm64_sys_" call
#else
#define SYSCALL(call) "__x64_sys_" call
#endif

/* In a command slot: the task that waited longest for the file system of the command, and how many did. */
struct syncer {
	u32 pid; /* 0: nobody, or not proven */
	u32 n;
	char comm[WIRE_COMM];
};
WIRE_SIZE(struct syncer, 24);

#define SYNCERS	       64 /* calls that are inside at a time; while there are more, nobody is named */
#define SYNC_ENTRIES   128 /* SYNCERS, and one that stays empty; a power of two */
#define SYNC_NOBODY    ~0ULL /* as a time: later than all others */
#define SYNC_DEVICES   2048 /* by a hash; a power of two */
#define SYNC_NO_DEVICE ~0U /* of a call: of no file system */
#define SYNC_STEPS     8 /* further entries where one may be */

/* A call that a task is inside of. */
struct syncing {
	u64 claims; /* how many programs want the entry or have it: sync_take() */
	u64 since_ns; /* 0: nobody is inside; written last */
	u64 frame; /* where on the task's stack the kernel calls our programs: tells its calls apart */
	u32 dev; /* of the file system, as the kernel counts: major << 20 | minor; 0: of each */
	u32 pid, tid, pad;
	char comm[WIRE_COMM];
};
WIRE_SIZE(struct syncing, 56);

/* A namespace that a device lies on. */
struct sync_device {
	u32 dev; /* 0: the entry is free */
	u32 nsid;
	u32 ctrl_id, pad;
};
WIRE_SIZE(struct sync_device, 16);

/* .bss.sync */
struct sync_table {
	/*
	 * By user space when all programs are attached; until then no call counts. The kernel leaves
	 * out programs at the return of calls that it is in when another one is attached to them.
	 */
	u64 start_ns;
	u64 unseen; /* calls inside that found no entry */
	struct syncing task[SYNC_ENTRIES];
	struct sync_device device[SYNC_DEVICES];
};
WIRE_SIZE(struct sync_table, 16 + 128 * 56 + 2048 * 16);

/* Where a device is looked for first. */
NVT_INLINE u32 sync_device_first(u32 dev, u32 ctrl_id, u32 nsid)
{
	u64 word = (u64)dev << 32 ^ (u64)ctrl_id << 20 ^ nsid;

	return word * 0x9e3779b97f4a7c15ULL >> 53;
}

NVT_INLINE u32 sync_device_next(u32 at)
{
	return (at + 1) & (SYNC_DEVICES - 1);
}

#endif
