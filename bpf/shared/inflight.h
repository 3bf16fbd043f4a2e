// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The arguments and the result of the walk of `inflight`, which finds the requests of a hardware
 * queue that the driver has at that moment. The programs are in bpf/inflight.bpf.c; they are never
 * attached but run once for each piece of a tag table, by lib/loader/walker.c.
 */
#ifndef NVT_SHARED_INFLIGHT_H
#define NVT_SHARED_INFLIGHT_H

#include "bpf/shared/file.h"

#define INFLIGHT_TAGS 256 /* tags that one call looks at, a power of two */
#define INFLIGHT_SQE  8 /* words of a submission queue entry */

/*
 * Functions whose address in a request or bio tells what hangs on it; lib/loader/walker.c has their
 * names. An address of 0 matches nothing.
 */
enum inflight_function {
	INFLIGHT_SYNC, /* passthrough: somebody waits */
	INFLIGHT_URING_CMD, /* passthrough of io_uring */
	INFLIGHT_URING_META,
	INFLIGHT_BDEV_SIMPLE, /* direct I/O of a block device, while a task waits */
	INFLIGHT_AIO, /* kiocb.ki_complete */
	INFLIGHT_URING_RW,
	INFLIGHT_URING_POLL,
	INFLIGHT_FUNCTIONS
};

/* Set before load. */
struct inflight_cfg {
	u64 function[INFLIGHT_FUNCTIONS];
	u32 page_bytes; /* of the kernel's memory pages */
	u16 req_cmd; /* as nvme_offsets.req_cmd */
	u16 ctrl_tagset; /* as nvme_offsets.ctrl_admin_tagset; 0: not known */
	u16 ctrl_admin_q; /* where that is 0: the offset of the admin queue */
	/*
	 * The driver keeps a pointer to each command's SQE in its request (5.13: f4b9e6c90c57); 0:
	 * only to those of passthrough, which are followed while somebody waits for them.
	 */
	u8 has_sqe;
	u8 pad[5];
};
WIRE_SIZE(struct inflight_cfg, 72);

/* Arguments of a call. */
enum inflight_arg {
	INFLIGHT_ARG_FD, /* descriptor of the disk's or the controller's directory in sysfs */
	INFLIGHT_ARG_CTRL, /* 1: of the controller: its admin queue */
	INFLIGHT_ARG_HCTX, /* hardware queue */
	INFLIGHT_ARG_TAG, /* the first tag */
	INFLIGHT_ARGS
};

enum inflight_state {
	INFLIGHT_DONE = 1,
	INFLIGHT_GONE, /* the device was removed */
	INFLIGHT_MOVED, /* the table was replaced meanwhile: what was found is worth nothing */
	INFLIGHT_NO_HCTX, /* there is no such hardware queue */
	INFLIGHT_NO_TAGS, /* a disk without tags, such as the head of several paths */
};

/* A request that the driver has. */
struct inflight_request {
	u64 sqe[INFLIGHT_SQE]; /* with has_sqe */
	u64 start_ns; /* when the request was made; 0: the kernel did not note it */
	u64 deadline; /* in jiffies */
	u64 sector;
	u64 cgroup_id; /* of the task, else (or of a worker) that which the kernel charges; 0: not known */
	struct file_id file; /* whose data it moves */
	char disk[WIRE_DISK_NAME]; /* "": none, a queue of the driver's own */
	char comm[WIRE_COMM];
	u32 cmd_flags;
	u32 bytes;
	u32 timeout; /* in jiffies */
	u32 lba_bytes;
	u32 pid; /* 0: not proven */
	u16 tag;
	u8 has_sqe;
	u8 scheduled; /* it went through an I/O scheduler */
	u8 worker; /* whom @pid names is a kernel worker: the submitter is not known */
	u8 pad[7];
};
WIRE_SIZE(struct inflight_request, 192);

/* The result of a call. */
struct inflight_chunk {
	u64 now_ns, jiffies; /* when it began */
	u32 state; /* enum inflight_state */
	u32 n; /* requests */
	u32 torn; /* that changed each time they were read */
	u32 tags; /* of the hardware queue */
	struct inflight_request request[INFLIGHT_TAGS];
};
WIRE_SIZE(struct inflight_chunk, 32 + INFLIGHT_TAGS * 192);

#endif
