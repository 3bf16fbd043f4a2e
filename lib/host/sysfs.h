// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Controllers and namespaces as /sys shows them: a snapshot that is read once. Strings are the
 * drive's, without blanks at their end; they are escaped when they are printed.
 *
 * A namespace with several paths (native multipath) has one disk that users see, the head
 * ("nvme1n1"), and a hidden one per controller ("nvme1c0n1"). The 1 is the subsystem's number. So a
 * controller is never named after a disk: it is the directory in which the disk lies.
 */
#ifndef NVT_HOST_SYSFS_H
#define NVT_HOST_SYSFS_H

#include "lib/base/types.h"

#define SYSFS_DIR  "/sys"
#define SYSFS_NAME 32 /* DISK_NAME_LEN of the kernel */

struct sysfs_ctrl {
	char name[SYSFS_NAME]; /* "nvme3" */
	char state[24]; /* "live" */
	char transport[24]; /* "pcie", "tcp" */
	char address[256]; /* PCI address, or traddr=...,trsvcid=... */
	char model[48], serial[32], firmware[16];
	char subsysnqn[256];
	s32 ctrl_id; /* instance, the N of nvmeN */
	u32 cntlid; /* of Identify Controller; U32_MAX unknown */
	s32 numa_node; /* -1: none */
	u32 queue_count; /* the admin queue included; 0 unknown */
	u32 sqsize; /* entries of an I/O queue less one; 0 unknown */
};

/*
 * Sizes and boundaries that a drive announces, as the kernel's queue limits show them. 0 is none,
 * or unknown where physical_bytes is 0 as well.
 */
struct sysfs_limits {
	u32 physical_bytes; /* writable without a read: min(NPWG, atomic write unit) */
	u32 min_io_bytes; /* NPWG, preferred write granularity */
	u32 opt_io_bytes; /* NOWS, optimal write size */
	u32 chunk_bytes; /* NOIOB, boundary that a command should not cross */
};

/* A disk of one controller: a namespace, or one path to it. */
struct sysfs_ns {
	char name[SYSFS_NAME]; /* "nvme0n1", or the hidden path "nvme1c0n1" */
	char head[SYSFS_NAME]; /* the disk users see, name itself unless it is a path */
	char wwid[128];
	char scheduler[32]; /* "none", "mq-deadline" */
	s32 ctrl_id;
	u32 nsid; /* 0 unknown */
	u32 major, minor; /* of the head; 0, 0 unknown */
	u64 size_bytes; /* U64_MAX unknown */
	u32 lba_bytes;
	u32 metadata_bytes; /* per logical block, U32_MAX: this kernel does not tell */
	u32 nr_requests; /* requests per hardware queue that the scheduler holds */
	u32 hctxs; /* hardware queues */
	struct sysfs_limits limits;
	bool path; /* a hidden disk behind a head */
	bool zoned; /* its zones are written one behind the other */
};

/* A partition of a head. */
struct sysfs_part {
	char name[SYSFS_NAME], head[SYSFS_NAME];
	u32 major, minor;
	u64 start_bytes, size_bytes;
};

/* Controllers by number, namespaces by controller and nsid, partitions by head. */
struct sysfs {
	struct sysfs_ctrl *ctrls;
	struct sysfs_ns *ns;
	struct sysfs_part *parts;
	u32 n_ctrls, n_ns, n_parts;
	u32 ctrls_room, ns_room, parts_room;
};

/*
 * Reads class/nvme and class/block below @root, NULL is SYSFS_DIR. 0; -ENOENT when class/nvme is
 * not there (no driver loaded); another -errno. Nothing is printed. sysfs_free() in any case.
 */
int sysfs_read(struct sysfs *s, const char *root);
void sysfs_free(struct sysfs *s);

/*
 * Returns one more than the highest number that a CPU can have, from @root as above; 0 when it
 * cannot be read.
 */
u32 sysfs_cpus(const char *root);

/* The controller of that number, or NULL. */
const struct sysfs_ctrl *sysfs_ctrl(const struct sysfs *s, s32 ctrl_id);

/*
 * Returns the namespace whose disk, path or head, has that name; the first path of a head with
 * several; or NULL.
 */
const struct sysfs_ns *sysfs_ns(const struct sysfs *s, const char *name);

/* True for the name of a namespace's disk or path: "nvme0n1", "nvme1c0n1", not a partition's. */
bool sysfs_is_disk(const char *name);

/*
 * Reads the first line of file @name in directory @dir, without blanks at its end; "" when it
 * cannot be read.
 */
void sysfs_line(const char *dir, const char *name, char *buf, size_t size);

/*
 * Derives a hidden path's head from its name: "nvme1c0n1" is "nvme1n1". False, and @head empty,
 * when @path is no such name.
 */
bool sysfs_head_of(const char *path, char head[SYSFS_NAME]);

/*
 * Follows a path below /dev, links included: gives the node's name, and its number when it is a
 * block device (else 0, 0). False when there is no such node.
 */
bool sysfs_node(const char *path, char name[SYSFS_NAME], u32 *major_nr, u32 *minor_nr);

/* The number of the block device of that name, from @root as above; false: there is none. */
bool sysfs_number(const char *root, const char *name, u32 *major_nr, u32 *minor_nr);

/* Upper bounds: of the tags of one I/O queue, and of the number of I/O queues; 0 unknown. */
u32 sysfs_io_depth(const struct sysfs_ctrl *ctrl);
u32 sysfs_io_queues(const struct sysfs_ctrl *ctrl);

#endif
