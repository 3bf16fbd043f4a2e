// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The devices that names on the command line may mean: those of this machine, or those a recording
 * was made on. A name may stand for several entries: a multipath head is one entry per path.
 */
#ifndef NVT_HOST_DEVICE_H
#define NVT_HOST_DEVICE_H

#include "bpf/shared/wire.h"
#include "lib/host/sysfs.h"

struct device {
	char name[WIRE_DISK_NAME]; /* "nvme3", "nvme3n1", "nvme3n1p2", "nvme1c0n1" */
	struct range64 lba; /* a partition's logical blocks, else 0 to ~0 */
	s32 ctrl_id;
	u32 nsid; /* 0: the controller as a whole */
	u32 major, minor; /* 0, 0: none, or not known */
	u32 host; /* index of device_dir.hosts */
};

/* Zero-initialise, fill, device_dir_free(). */
struct device_dir {
	struct device *dev;
	u32 n, room;
	const char *sys, *proc; /* of this machine; NULL: /sys, /proc */
	bool live; /* this machine's: the list is complete, and /dev may be read */
	char **hosts; /* whose devices these are */
	u32 n_hosts, hosts_room;
	u32 at; /* the host of device_host() */
};

/*
 * Has what is added from now on be of @host; NULL: not known, which names of merged recordings have
 * as DEVICE_NO_HOST. 0 or -ENOMEM.
 */
#define DEVICE_NO_HOST "?"
int device_host(struct device_dir *dir, const char *host);

/* The index of the host whose name are the @len bytes at @name; DEVICE_ANY: there is none. */
#define DEVICE_ANY UINT32_MAX
u32 device_find_host(const struct device_dir *dir, const char *name, size_t len);

/* Adds every controller, namespace, path, head and partition, and sets live. 0 or -ENOMEM. */
int device_add_sysfs(struct device_dir *dir, const struct sysfs *sysfs);

/*
 * Adds the controller and, for a namespace's queue, the disk and its head, from a recording. 0 or
 * -ENOMEM.
 */
int device_add_queue(struct device_dir *dir, const struct queue_info *queue);

/*
 * The partitions of @dir as text, "nvme0n1p2 259:3 0 1 2048-4095,...": name, number, controller,
 * namespace and logical blocks. NULL: no memory. The caller frees it.
 */
char *device_parts(const struct device_dir *dir);
/* Adds the partitions that such a text of a recording tells; what is malformed is left out. */
int device_add_parts(struct device_dir *dir, const char *parts);

void device_dir_free(struct device_dir *dir);

/*
 * Finds the entries of @host, or of DEVICE_ANY, that @word means: a name, a path below /dev (links are followed when live, else
 * only its last part counts), ng3n1, or MAJ:MIN. Their indices go to @found (room for @max).
 * Returns how many there are, which may be more than @max.
 */
u32 device_find(const struct device_dir *dir, u32 host, const char *word, u32 *found, u32 max);

/* True when some controller's number, of @host or of DEVICE_ANY, lies in [lo, hi]. */
bool device_has_ctrl(const struct device_dir *dir, u32 host, u32 lo, u32 hi);

/* True when some namespace's ID lies in [lo, hi]. */
bool device_has_nsid(const struct device_dir *dir, u32 lo, u32 hi);

/*
 * Writes "known: nvme0 nvme0n1", or "there is no controller", for a message; it ends in " ..." when
 * it was cut to @size. Where there are several hosts, theirs stand in front: "known: a/nvme0 b/nvme0".
 */
void device_known(const struct device_dir *dir, char *buf, size_t size);
/* The same of the hosts: "known: a b". */
void device_known_hosts(const struct device_dir *dir, char *buf, size_t size);

#endif
