// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file systems that this host has mounted, by their device numbers: those of the initial mount
 * namespace and of our own. A process may mount FUSE in a namespace of its own, and a read of a
 * file there waits for that process. File systems that a process has mounted for itself alone are
 * not in these lists.
 */
#ifndef NVT_HOST_MOUNTS_H
#define NVT_HOST_MOUNTS_H

#include "lib/base/types.h"

enum mount_kind {
	MOUNT_UNKNOWN, /* not mounted on this host */
	MOUNT_FUSE, /* a process answers reads */
	MOUNT_KERNEL, /* the kernel answers reads */
};

struct mounts {
	struct mount {
		u32 major, minor;
		enum mount_kind kind;
	} * mount;
	u32 n, room;
};

/* Reads both lists below @proc anew; one that cannot be read counts as empty. */
void mounts_read(struct mounts *m, const char *proc);

enum mount_kind mounts_kind(const struct mounts *m, u32 major, u32 minor);

/*
 * Returns the kind of the mount that the file open at @fd (O_PATH will do) was reached through, by
 * the mounts of process @pid. The file itself is not asked: its device may be one that no mount has
 * (btrfs), or its daemon silent.
 */
enum mount_kind mounts_kind_of(const struct mounts *m, const char *proc, u32 pid, int fd);

struct mount_device {
	u32 major, minor;
};
#define MOUNT_DEVICES 32 /* of a file system; those past it are left out */

/*
 * Fills @dev with the block devices of the file system mounted last at @point, by the list of our own
 * below @proc and by what @sys tells: all of a btrfs or bcachefs that has several, and XFS's log and
 * realtime devices. Returns how many; 0: nothing is mounted there, or no block device.
 */
u32 mounts_devices(const char *proc, const char *sys, const char *point,
		   struct mount_device dev[MOUNT_DEVICES]);

/*
 * The reverse for one device: where the file system with these numbers is mounted, the whole of it if there is such
 * a mount; else "". Returns whether it is the whole.
 */
bool mounts_point(const char *proc, u32 major, u32 minor, char *buf, size_t size);

void mounts_free(struct mounts *m);

#endif
