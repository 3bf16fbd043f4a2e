// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writer's dictionaries: what the events of a recording refer to (queues, cgroups, stacks,
 * schedulers). The writer says each once, before the first event that names it, and a file again when
 * its path has changed.
 */
#ifndef NVT_RECORD_DICT_H
#define NVT_RECORD_DICT_H

#include "lib/base/hash.h"
#include "lib/record/entry.h"
#include "lib/record/format.h"

struct view;

struct record_dict {
	struct record_entries queues, cgroups, stacks, scheds;
	struct dict_queue *queue; /* by event.queue, then by controller */
	u64 *cgroup, *stack; /* ids, and stack_key(), in the order of their numbers in the file */
	u64 *path_hash; /* of the paths of files among the cgroups; else 0 */
	struct hash_index cgroup_index, stack_index;
	u32 n_queues, n_cgroups, n_stacks;
	bool sched[256]; /* by event.sched: it is in the file */
	u32 stacks_max; /* the last number that a stack may get */
	u64 memory_bytes; /* memory that a reader will need */
	u64 left_out; /* entries beyond the bounds of the format */
};

/* 0 or -ENOMEM. */
int record_dict_open(struct record_dict *d);
/*
 * Notes what @v refers to and puts the numbers of the file into @ev, a copy of v->ev: queue,
 * kstack_id and ustack_id (0: none).
 */
void record_dict_add(struct record_dict *d, const struct view *v, struct event *ev);
/* True when the stack of @v is not in the file yet. */
bool record_dict_wants(const struct record_dict *d, const struct view *v, bool user);
/* True when the entries that wait should be written before more are added. */
bool record_dict_full(const struct record_dict *d);
/* True when half of what a file may have was said. */
bool record_dict_is_half(const struct record_dict *d);
/*
 * Forgets what was said, so that all is said again. Stacks get numbers of the other half of those
 * that there are: a reader knows each by one meaning. Nothing may wait to be written.
 */
void record_dict_renew(struct record_dict *d);
void record_dict_close(struct record_dict *d);

#endif
