// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The controller behind a request. */
#ifndef NVT_CTRL_H
#define NVT_CTRL_H

#include "bpf/rq.h"

#define CTRL_WORDS 64 /* of struct nvme_ctrl that are searched; 5.10 has the sets at word 12 */
#define CTRL_NODES 1024 /* NUMA nodes of the largest kernels */

/* A word of struct nvme_ctrl. */
static __always_inline u64 ctrl_word(u64 ctrl, u32 i)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a number */
	return kernel_word((void *)(ctrl + i * sizeof(u64)));
}

/* Two integers, `instance` and a NUMA node? A pointer has another upper half. */
static __always_inline bool ctrl_is_instance(u64 word)
{
	s32 node = word >> 32;

	return node >= -1 && node < CTRL_NODES;
}

/*
 * Instance of controller @ctrl where no BTF tells the layout: every kernel from 4.17 to 7.2 has
 * `int instance, numa_node; struct blk_mq_tag_set *tagset, *admin_tagset; struct list_head
 * namespaces;` and @set, of the request at hand, is one of the two sets. -1: not found.
 */
__noinline s64 ctrl_search(u64 ctrl, u64 set)
{
	if (cfg.off.known) /* spares the verifier the loop */
		return -1;
	for (u32 i = 2; i < CTRL_WORDS; i++) {
		u64 before;

		if (ctrl_word(ctrl, i) != set)
			continue;
		before = ctrl_word(ctrl, i - 1);
		/*
		 * No other set yet: a zero like that of instance 0, but behind us is the empty
		 * list.
		 */
		if (!ctrl_is_instance(before) ||
		    ctrl_word(ctrl, i + 1) == ctrl + (i + 1) * sizeof(u64))
			before = ctrl_word(ctrl, --i - 1);
		if (!ctrl_is_instance(before))
			return -1;
		ctrl_at = (i - 1) * sizeof(u64);
		return (u32)before;
	}
	return -1;
}

/*
 * Instance of a controller of which no request is at hand; -1 where it cannot be read and there are
 * several. Until it was searched for there has been no command, so those at the start are all there
 * are.
 */
static __always_inline s32 ctrl_instance(void *ctrl)
{
	u32 at = cfg.off.known ? cfg.off.ctrl_instance : ctrl_at;

	if (!at || (!cfg.rdonly_cast && !cfg.probe_read))
		return cfg.only_ctrl;
	return (s32)kernel_word(ctrl + at);
}

/*
 * The controller behind a request, 0 where it cannot be read. Since 6.4 (d4d957b53d91) a time in
 * ticks may lie before it: where no BTF tells, that is not a kernel's address.
 */
static __always_inline u64 queue_ctrl(const struct rq *rq)
{
	u64 ctrl = nvme_request_word(rq, cfg.off.req_ctrl);

	if (!cfg.off.known && (s64)ctrl >= 0)
		ctrl = nvme_request_word(rq, cfg.off.req_ctrl + sizeof(u64));
	return ctrl;
}

#define MINOR_BITS 20 /* include/linux/kdev_t.h */

/*
 * Instance of the controller behind a request under lockdown=confidentiality before 6.2, where only
 * typed members can be read: the parent of a namespace's disk is the controller's device, whose
 * minor number is the instance. Admin queues have no disk; the data of the driver behind the tag
 * set is what they share with a queue that has been seen.
 */
static __always_inline s32 queue_typed_ctrl(struct request_queue *q)
{
	struct claim_key key = { CLAIM_CTRL, (u64)q->tag_set->driver_data };
	struct gendisk *disk;
	struct device *parent;
	u64 instance, *noted;

	if (!bpf_core_field_exists(struct request_queue, disk)) /* before 5.15 */
		return cfg.only_ctrl;
	disk = q->disk;
	if (!disk) {
		noted = bpf_map_lookup_elem(&claims, &key);
		return noted ? (s32)*noted : cfg.only_ctrl;
	}
	parent = disk->part0->bd_device.parent;
	if (!parent)
		return cfg.only_ctrl;
	instance = parent->devt & ((1U << MINOR_BITS) - 1);
	bpf_map_update_elem(&claims, &key, &instance, BPF_ANY);
	return instance;
}

/* Instance of the controller behind a request, -1 where it cannot be read. */
static __always_inline s32 queue_read_ctrl(const struct rq *rq, struct request_queue *q)
{
	u64 ctrl;

	if (rq->typed && !cfg.rdonly_cast && !cfg.probe_read)
		return queue_typed_ctrl(q);
	ctrl = queue_ctrl(rq);
	if (!ctrl)
		return -1;
	if (cfg.off.known)
		return kernel_word((void *)ctrl + cfg.off.ctrl_instance);
	return ctrl_search(ctrl, (u64)MEMBER(rq, q, tag_set));
}

/*
 * Whether a queue without a namespace is not the admin queue: fabrics connect I/O queues through
 * another one.
 */
static __always_inline bool queue_connects(const struct rq *rq, struct request_queue *q)
{
	u32 at = cfg.off.known ? cfg.off.ctrl_admin_tagset : ctrl_at + 2 * sizeof(u64);
	u64 ctrl = queue_ctrl(rq);

	if (!ctrl || !(cfg.off.known || ctrl_at))
		return false;
	return kernel_word((void *)ctrl + at) != (u64)MEMBER(rq, q, tag_set);
}

/*
 * Whether the driver leaves the SQE of a command as it is until that ends. That of TCP builds the
 * headers of the data it sends in the same place (nvme_tcp_setup_h2c_data_pdu()); what cannot be
 * told apart from it may do so, too.
 */
static __always_inline bool queue_keeps_sqe(const struct rq *rq)
{
	u64 ctrl = queue_ctrl(rq);

	return ctrl && cfg.off.ctrl_opts && !kernel_word((void *)ctrl + cfg.off.ctrl_opts);
}

#endif
