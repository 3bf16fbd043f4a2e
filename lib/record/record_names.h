// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's dictionaries: what the events of a recording refer to (queues, cgroups, stacks,
 * schedulers). All are bounded.
 */
#ifndef NVT_RECORD_NAMES_H
#define NVT_RECORD_NAMES_H

#include "lib/base/hash.h"
#include "lib/record/format.h"
#include "lib/record/record.h"

struct view;

/*
 * The queues and schedulers of all files; entry 0 stands for a queue that is not known, or for no
 * scheduler.
 */
struct record_queues {
	struct replay_queue *queue; /* RECORD_QUEUES_MAX */
	struct hash_index queues; /* of `queue` */
	u32 n, n_hosts;
	char **hosts; /* each once, as many as there are queues */
	struct hash_index host; /* of `hosts` */
	char *scheds[SCHED_UNKNOWN]; /* by event.sched, each once; NULL: none */
};

/* 0 or -ENOMEM. */
int record_queues_open(struct record_queues *q);
void record_queues_close(struct record_queues *q);

/* The dictionaries of one file. */
struct record_names {
	struct record_queues *all;
	const char *host;
	bool prefixed; /* the host's name is put in front of those of controllers and devices */
	u16 *queue; /* index in `all` by number, RECORD_QUEUES_MAX + 1 */
	u64 *cgroup; /* ids, RECORD_CGROUPS_MAX, or NULL */
	char **path; /* of these cgroups */
	struct hash_index cgroups; /* of `cgroup` */
	struct record_stack **stack; /* by number, or NULL */
	u8 sched[256]; /* index in all->scheds by number, or SCHED_UNKNOWN */
	u32 n_cgroups, last_stack;
	u64 memory_bytes;
	u64 left_out; /* entries that found no room: their events have no name */
};

int record_names_open(struct record_names *n, struct record_queues *all, const char *host);
/* Takes the entries of a dictionary block. 0, -EINVAL when they are malformed, -ENOMEM. */
int record_names_add(struct record_names *n, const struct record_block *b, const u8 *payload);
const char *record_names_cgroup(const struct record_names *n, u64 id); /* NULL: unknown */
/* The path of a file, as events have it; NULL: unknown. */
const char *record_names_file(const struct record_names *n, const struct file_id *id);
/* True when the file has stack @number. */
bool record_names_has_stack(const struct record_names *n, u32 number);
/* Sets the stacks of @v to those with these numbers (0: none). */
void record_names_stacks(const struct record_names *n, u32 kstack, u32 ustack, struct view *v);
void record_names_close(struct record_names *n);

#endif
