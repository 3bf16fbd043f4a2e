// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who waits for a flush: NEED_SYNCER. Programs keep a list of the tasks that are inside fsync() or
 * its like; user space tells which devices of file systems lie on which namespaces.
 */
#ifndef NVT_SHARED_SYNCER_H
#define NVT_SHARED_SYNCER_H

#include "bpf/shared/hist.h"

/* In a command slot: the task that waited longest for the file system of the command, and how many did. */
struct syncer {
	u32 pid; /* 0: nobody */
	u32 n;
	char comm[WIRE_COMM];
};
WIRE_SIZE(struct syncer, 24);

#define SYNCERS	     64 /* tasks that are inside at a time; more are not seen */
#define SYNC_ENTRIES 128 /* of .bss.syncing, a power of two */
#define SYNC_NOBODY  ~0ULL /* as a time: later than all others */

/* An entry of .bss.syncing: a task that is inside. */
struct syncing {
	u64 claims; /* how many programs want the entry or have it: bpf/syncer.h */
	u64 since_ns; /* 0: nobody is inside */
	u32 dev; /* of the file system, as the kernel counts: major << 20 | minor; 0: of each */
	u32 pid, tid, pad;
	char comm[WIRE_COMM];
};
WIRE_SIZE(struct syncing, 48);

#define SYNC_DEVICES 2048 /* entries of .bss.below, by a hash; a power of two */
#define SYNC_STEPS   8 /* further entries where one may be */

/* An entry of .bss.below: a namespace that a device lies on. */
struct sync_device {
	u32 dev; /* 0: the entry is free */
	u32 nsid;
	u32 ctrl_id, pad;
};
WIRE_SIZE(struct sync_device, 16);

/* Where it is looked for first. */
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
