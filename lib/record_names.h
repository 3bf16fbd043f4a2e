// SPDX-License-Identifier: GPL-2.0-or-later
/* What the events of a recording refer to, as read: queues, cgroups, stacks. Everything is bounded. */
#ifndef NVT_RECORD_NAMES_H
#define NVT_RECORD_NAMES_H

#include "lib/record.h"
#include "lib/record_format.h"

struct view;

/* The queues of all files; entry 0 is the one that is not known. */
struct names_queues {
	struct replay_queue *queue; /* RECORD_QUEUES_MAX */
	const char **host; /* of the file an entry is from */
	u32 n;
};

/* 0 or -ENOMEM. */
int names_queues_open(struct names_queues *q);
void names_queues_close(struct names_queues *q);

/* The dictionaries of one file. */
struct names {
	struct names_queues *all;
	const char *host;
	u16 *queue; /* index in `all` by number, RECORD_QUEUES_MAX + 1 */
	struct names_cgroup **cgroup; /* hash table, or NULL */
	struct names_cgroup *last_cgroup;
	struct names_stack **stack; /* by number, or NULL */
	u32 n_cgroups, last_stack;
	u64 memory_bytes;
};

int names_open(struct names *n, struct names_queues *all, const char *host);
/* Takes the entries of a dictionary block. 0, or -EINVAL when they are not what they should be. */
int names_add(struct names *n, const struct record_block *b, const u8 *payload);
const char *names_cgroup(const struct names *n, u64 id); /* NULL: unknown */
/* True when the file has stack @number. */
bool names_has_stack(const struct names *n, u32 number);
/* Points the stacks of @v at those with these numbers (0: none). */
void names_stacks(const struct names *n, u32 kstack, u32 ustack, struct view *v);
void names_close(struct names *n);

#endif
