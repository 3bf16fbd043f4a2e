// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The kernel's types on the way from a descriptor to the requests of a drive, and from a request to
 * who waits for it. Members by name, places by CO-RE; where kernels differ, a type has a flavour
 * for each. Beside bpf/kern.h, so that other objects need not carry them.
 */
#ifndef NVT_INFLIGHT_KERN_H
#define NVT_INFLIGHT_KERN_H

#include "bpf/file_kern.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* From a descriptor to a device: everything in sysfs is a node with a kobject. */

struct task_struct___walk {
	void *stack;
	void *stack_vm_area; /* with CONFIG_VMAP_STACK */
	void *files;
};

struct vm_struct {
	unsigned int nr_pages; /* from 7.2 on a long: what it holds fits */
};

struct files_struct {
	void *fdt;
};

struct fdtable {
	unsigned int max_fds;
	void *fd;
};

struct atomic {
	int counter;
};

struct kernfs_node___walk {
	struct atomic active; /* negative: removed */
	void *priv; /* of a directory: its kobject */
};

struct kobject {
	void *name;
};

struct device___walk {
	struct kobject kobj;
	void *driver_data;
};

struct block_device___walk {
	struct device___walk bd_device;
};

/* Before 5.11 the disk's device lies in its first partition. */
struct hd_struct {
	struct device___walk __dev;
};

struct gendisk___old {
	struct hd_struct part0;
};

/* The tags. */

struct blk_mq_tag_set___walk {
	void *tags;
};

struct blk_mq_tags {
	unsigned int nr_tags;
	void *rqs;
};

struct request___walk {
	u64 deadline;
	u64 start_time_ns;
	unsigned int timeout;
	void *end_io;
	void *end_io_data;
};

/* The tasks that wait. */

struct list_head___walk {
	void *next;
};

struct swait_queue_head {
	struct list_head___walk task_list;
};

struct completion {
	struct swait_queue_head wait;
};

struct swait_queue {
	void *task;
	struct list_head___walk task_list;
};

struct io_kiocb {
	void *tctx; /* 6.13 */
};

struct io_kiocb___old {
	void *task;
};

struct io_uring_task {
	void *task;
};

struct aio_kiocb {
	void *ki_ctx;
};

struct kioctx {
	void *aio_ring_file;
};

struct vm_area_struct {
	void *vm_mm;
	struct {
		struct rb_node rb;
	} shared;
};

struct mm_struct {
	void *owner;
};

#pragma clang attribute pop

#endif
