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

static __always_inline struct task_struct *owner_task(bool typed)
{
	return typed ? bpf_get_current_task_btf() : (struct task_struct *)bpf_get_current_task();
}

/* Whether @task, the current one, may enter a request for others: reads of a process are its own. */
static __always_inline bool owner_is_asked(const struct task_struct *task, bool reads, bool typed)
{
	return !reads || MEMBER_AS(typed, task, flags) & PF_KTHREAD;
}

/* The id of the owner of @bio, which @task enters; NULL: that of the task. */
static __always_inline u64 owner_id(struct bio *bio, const struct task_struct *task, bool typed)
{
	struct css_set *set = MEMBER_AS(typed, task, cgroups);
	struct cgroup *cgroup = owner_of_bio(bio, set, typed);
	struct kernfs_node *kn;

	if (!cgroup)
		cgroup = MEMBER_AS(typed, set, dfl_cgrp);
	kn = MEMBER_AS(typed, cgroup, kn);
	return MEMBER_AS(typed, kn, id);
}

/* The owner of a request that the current task enters. */
static __always_inline u64 owner_of(const struct rq *rq)
{
	bool reads = (u8)RQ(rq, cmd_flags) == REQ_OP_READ;
	struct task_struct *task = owner_task(rq->typed);
	struct bio *bio = NULL;

	if (owner_is_asked(task, reads, rq->typed))
		bio = RQ_RARELY(rq, bio);
	return owner_id(bio, task, rq->typed);
}

#endif
