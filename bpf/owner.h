// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The owner of a request: the cgroup on whose behalf the block layer got it, NEED_OWNER. A bio
 * belongs to a cgroup that has the io controller: that of the inode whose page is written back,
 * else that of the task. Where both are the same the task's own cgroup says it finer, since the
 * controller may not be enabled that far down.
 */
#ifndef NVT_OWNER_H
#define NVT_OWNER_H

#include "bpf/rq.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, since 2.6.27 */

/* The address of the io controller's state of @set, which must not be dereferenced. */
static __always_inline u64 owner_css(const struct css_set *set, bool typed)
{
	const void *at = __builtin_preserve_access_index(&set->subsys);

	at += cfg.io_css * sizeof(void *);
	return typed ? *(const u64 *)at : probed_word(at);
}

/* The cgroup of @bio; NULL: that of tasks of @set. */
static __always_inline struct cgroup *owner_of_bio(struct bio *bio, const struct css_set *set,
						   bool typed)
{
	struct blkcg_gq *blkg;
	struct blkcg *blkcg;

	if (!bpf_core_field_exists(struct bio, bi_blkg) || cfg.io_css == IO_CSS_NONE || !bio)
		return NULL;
	blkg = MEMBER_AS(typed, bio, bi_blkg);
	blkcg = blkg ? MEMBER_AS(typed, blkg, blkcg) : NULL;
	if (!blkcg || (u64)&blkcg->css == owner_css(set, typed))
		return NULL;
	return MEMBER_AS(typed, blkcg, css.cgroup);
}

/*
 * The id of the owner of @bio, or of a request without one, which is entered by the current task.
 * @reads: it is a read. Those of a task are its own; a kernel thread reads for others, too.
 */
static __always_inline u64 owner_id(struct bio *bio, bool reads, bool typed)
{
	struct task_struct *task =
		typed ? bpf_get_current_task_btf() : (struct task_struct *)bpf_get_current_task();
	struct css_set *set = MEMBER_AS(typed, task, cgroups);
	struct cgroup *cgroup = NULL;
	struct kernfs_node *kn;

	if (!reads || MEMBER_AS(typed, task, flags) & PF_KTHREAD)
		cgroup = owner_of_bio(bio, set, typed);
	if (!cgroup)
		cgroup = MEMBER_AS(typed, set, dfl_cgrp);
	kn = MEMBER_AS(typed, cgroup, kn);
	return MEMBER_AS(typed, kn, id);
}

/* That of a request. */
static __always_inline u64 owner_of(const struct rq *rq)
{
	return owner_id(RQ_RARELY(rq, bio), (u8)RQ(rq, cmd_flags) == REQ_OP_READ, rq->typed);
}

#endif
