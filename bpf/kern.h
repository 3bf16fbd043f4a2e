// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The kernel's types as far as we read them: members by name, places by CO-RE.
 *
 * Only types of vmlinux stand here; structures of module nvme_core are read at offsets that user
 * space hands over (struct nvme_offsets), because relocating them would need CAP_SYS_ADMIN.
 */
#ifndef NVT_KERN_H
#define NVT_KERN_H

#define __VMLINUX_H__ /* bpf_tracing.h: the kernel's types are here */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed short s16;
typedef signed int s32;
typedef signed long long s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;

enum { false, true };
typedef _Bool bool;

#define NULL	    ((void *)0)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x)   __builtin_expect(!!(x), 1)

#include "bpf/shared/uapi.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/*
 * Word @i of member @m of a structure that @p points to in a BTF program, an array of bytes marked
 * WORDS. The verifier lets a load span elements (btf_struct_walk(): "an array of int as a scratch
 * space").
 */
#define ARRAY_WORD(p, m, i) (*(const volatile u64 *)&(p)->m[(i) * sizeof(u64)])
#define WORDS		    __attribute__((aligned(8)))

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct device {
	struct device *parent;
	u32 devt;
};

struct gendisk;

struct block_device {
	struct device bd_device;
	struct gendisk *bd_disk;
};

struct request_queue;

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32] WORDS;
	u64 diskseq; /* 5.15: cf179948554a */
	struct block_device *part0; /* before 5.11 another type, read in raw programs only */
	struct request_queue *queue;
};

struct blk_mq_tag_set {
	unsigned int nr_hw_queues;
	unsigned int queue_depth;
	void *driver_data;
};

struct elevator_type {
	const char *elevator_name;
};

struct elevator_queue {
	struct elevator_type *type;
};

struct queue_limits {
	unsigned int logical_block_size;
};

struct request_queue {
	struct elevator_queue *elevator;
	void *queuedata;
	int id;
	unsigned long queue_flags;
	void *mq_ops;
	unsigned int nr_hw_queues;
	unsigned int nr_requests; /* before 6.18 a long: what it holds fits */
	struct gendisk *disk; /* 5.15: d152c682f03c, before it request.rq_disk */
	struct blk_mq_tag_set *tag_set;
	struct queue_limits limits;
};

struct list_head {
	struct list_head *next, *prev;
};

struct request;

/*
 * A hardware queue keeps here the requests that wait for a flush, and the command that serves them.
 */
struct blk_flush_queue {
	unsigned int flush_running_idx : 1;
	struct list_head flush_queue[2];
	struct request *flush_rq;
};

struct blk_mq_hw_ctx {
	unsigned int queue_num;
	struct blk_flush_queue *fq;
	struct request_queue *queue;
};

struct bio_issue {
	u64 value;
};

struct bvec_iter {
	u64 bi_sector;
	unsigned int bi_size;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* as many as there are controllers */
	struct cgroup *dfl_cgrp;
};

struct blkcg {
	struct cgroup_subsys_state css;
};

struct blkcg_gq {
	struct blkcg *blkcg;
};

struct bio {
	struct bio *bi_next; /* of the same request */
	struct block_device *bi_bdev; /* 5.12: 309dca309fc3 */
	unsigned int bi_opf;
	struct blkcg_gq *bi_blkg; /* with CONFIG_BLK_CGROUP */
	struct bvec_iter bi_iter;
	void *bi_private;
	struct bio_issue bi_issue; /* with CONFIG_BLK_CGROUP, up to 6.17; see bpf/stamp.h */
};

struct bio___old {
	struct gendisk *bi_disk;
};

enum mq_rq_state {
	MQ_RQ_IDLE, /* not given to the device, include/linux/blk-mq.h */
};

struct request {
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	int tag;
	int internal_tag;
	unsigned int __data_len;
	u64 __sector;
	struct bio *bio;
	struct list_head queuelist;
	enum mq_rq_state state;
};

struct request___old {
	struct gendisk *rq_disk;
};

struct request___flush {
	struct {
		struct list_head list;
	} flush;
};

#define PF_WQ_WORKER 0x20 /* of task_struct.flags, include/linux/sched.h, since 2.6.36 */

struct task_struct {
	unsigned int flags;
	int pid, tgid;
	char comm[16] WORDS;
	void *bio_list;
	struct css_set *cgroups; /* with CONFIG_CGROUPS */
};

struct timespec64 {
	s64 tv_sec;
};

#pragma clang attribute pop

/*
 * Types as the kernel itself counts them; what programs are relocated by counts others. See
 * lib/btf/subset.h.
 */
enum kernel_type {
	KERNEL_TYPE_request,
	KERNEL_TYPE_timespec64,
};

/* The number of structure @name, for bpf_rdonly_cast(). */
#define KERNEL_TYPE(name) bpf_core_enum_value(enum kernel_type, KERNEL_TYPE_##name)

/*
 * The 64 bytes of a submission queue entry: wire format, so no relocation. NVM Base 2.1, figure 92.
 */
struct nvme_command {
	u8 opcode;
	u8 flags;
	u16 command_id;
	u32 nsid; /* fabrics: byte 4 is FCTYPE */
	u32 cdw2, cdw3;
	u64 metadata;
	u64 dptr[2];
	u32 cdw10[6];
};

/*
 * Kernel 6.2 (a35b9af4ec2c): reads through the result are checked by the fault handler, not by us.
 */
extern void *bpf_rdonly_cast(const void *obj, u32 btf_id) __ksym __weak;

#endif
