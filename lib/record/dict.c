// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writer's dictionaries. Each has an index of the entries that are in the file, and a buffer of
 * those that are still to be written.
 */
#include <inttypes.h>
#include <errno.h>

#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/host/sysfs.h"
#include "lib/record/dict.h"

#define FULL_BYTES (RECORD_DICT_MAX / 2)

/* No single entry can overrun a buffer that record_dict_full() has called half full. */
_Static_assert(RECORD_FRAMES_MAX *(8 + 2 + VIEW_FRAME) + 64 < RECORD_DICT_MAX - FULL_BYTES,
	       "a stack fits in half a buffer");

/*
 * A queue as the file last described it. Queue info may be completed later; the queue then gets a
 * new number.
 */
struct dict_queue {
	const char *host; /* see view.host */
	u64 diskseq;
	s32 ctrl_id;
	u32 nsid, lba_bytes;
	u32 number; /* number in the file plus 1; 0: none yet */
};

int record_dict_open(struct record_dict *d)
{
	d->queue = calloc(2UL * WIRE_QUEUES, sizeof(*d->queue));
	d->cgroup = calloc(RECORD_CGROUPS_MAX, sizeof(*d->cgroup));
	d->path_hash = calloc(RECORD_CGROUPS_MAX, sizeof(*d->path_hash));
	d->stack = calloc(RECORD_STACKS_MAX, sizeof(*d->stack));
	d->queues.bytes = malloc(RECORD_DICT_MAX);
	d->cgroups.bytes = malloc(RECORD_DICT_MAX);
	d->stacks.bytes = malloc(RECORD_DICT_MAX);
	d->scheds.bytes = malloc(RECORD_DICT_MAX);
	d->stacks_max = RECORD_STACKS_MAX;
	if (hash_open(&d->cgroup_index, RECORD_CGROUPS_MAX) ||
	    hash_open(&d->stack_index, RECORD_STACKS_MAX))
		return -ENOMEM;
	if (d->queue && d->cgroup && d->path_hash && d->stack && d->queues.bytes &&
	    d->cgroups.bytes && d->stacks.bytes && d->scheds.bytes)
		return 0;
	return -ENOMEM;
}

void record_dict_close(struct record_dict *d)
{
	free(d->queue);
	free(d->cgroup);
	free(d->path_hash);
	free(d->stack);
	hash_close(&d->cgroup_index);
	hash_close(&d->stack_index);
	free(d->queues.bytes);
	free(d->cgroups.bytes);
	free(d->stacks.bytes);
	free(d->scheds.bytes);
}

static void put_end(struct record_dict *d, struct record_entries *e, u32 start)
{
	d->memory_bytes += entry_end(e, start);
}

static void put_limits(struct record_entries *e, const struct sysfs_limits *limits)
{
	static const struct sysfs_limits unknown;

	if (!limits)
		limits = &unknown;
	entry_put(e, limits->physical_bytes, 4);
	entry_put(e, limits->min_io_bytes, 4);
	entry_put(e, limits->opt_io_bytes, 4);
	entry_put(e, limits->chunk_bytes, 4);
}

static void say_queue(struct record_dict *d, const struct view *v, u32 number)
{
	struct record_entries *e = &d->queues;
	u32 start = entry_begin(e);
	const struct queue_info *q = v->queue;

	entry_put(e, number, 4);
	entry_put(e, (u32)q->ctrl_id, 4);
	entry_put(e, q->nsid, 4);
	entry_put(e, q->major, 4);
	entry_put(e, q->minor, 4);
	entry_put(e, q->lba_bytes, 4);
	entry_put(e, q->admin, 4);
	entry_put_text(e, q->disk, WIRE_DISK_NAME - 1);
	entry_put_text(e, v->ctrl, 255);
	entry_put_text(e, v->dev, 255);
	entry_put_text(e, v->members ? v->members : v->path, 255);
	put_limits(e, v->limits);
	entry_put_text(e, v->host, 255);
	put_end(d, e, start);
}

/*
 * Returns the index in d->queue. Asynchronous events and resets have no queue: they use the upper
 * half, by controller.
 */
static u32 queue_slot(const struct view *v)
{
	if (event_is_of_ctrl(v->ev))
		return WIRE_QUEUES + ((u32)v->queue->ctrl_id & (WIRE_QUEUES - 1));
	return v->ev->queue & (WIRE_QUEUES - 1);
}

/* Returns the file's number of the queue of @v, from 0 on. */
static u32 queue_number(struct record_dict *d, const struct view *v)
{
	const struct queue_info *q = v->queue;
	struct dict_queue now = { v->host, q->diskseq, q->ctrl_id, q->nsid, q->lba_bytes, 0 };
	struct dict_queue *known;

	known = &d->queue[queue_slot(v)];
	now.number = known->number;
	if (known->number && known->host == now.host && known->diskseq == now.diskseq &&
	    known->ctrl_id == now.ctrl_id && known->nsid == now.nsid &&
	    known->lba_bytes == now.lba_bytes)
		return known->number - 1;
	if (d->n_queues == RECORD_QUEUES_MAX) {
		d->left_out++;
		return RECORD_QUEUES_MAX; /* a number that no reader knows */
	}
	now.number = ++d->n_queues;
	*known = now;
	say_queue(d, v, known->number - 1);
	return known->number - 1;
}

static void say_cgroup(struct record_dict *d, u64 id, const char *path)
{
	struct record_entries *e = &d->cgroups;
	u32 start = entry_begin(e);

	entry_put(e, id, 8);
	entry_put_text(e, path, RECORD_FILE_TEXT);
	put_end(d, e, start);
}

/* Notes a cgroup or a file. A file is said again where it has another path: @hash tells. */
static void note_path(struct record_dict *d, u64 id, const char *path, u64 hash)
{
	u32 at, number;
	bool known = hash_find(&d->cgroup_index, d->cgroup, id, &at, &number);

	if (known && d->path_hash[number] == hash)
		return;
	if (d->memory_bytes > RECORD_DICT_MEMORY / 2 ||
	    (!known && d->n_cgroups == RECORD_CGROUPS_MAX)) {
		d->left_out++;
		return;
	}
	if (!known) {
		number = d->n_cgroups++;
		d->cgroup[number] = id;
		hash_put(&d->cgroup_index, at, number);
	}
	d->path_hash[number] = hash;
	say_cgroup(d, id, path);
}

static void note_cgroup(struct record_dict *d, u64 id, const char *path)
{
	if (id && path)
		note_path(d, id, path, 0);
}

static void note_file(struct record_dict *d, const struct view *v)
{
	const struct file_id id = event_file(v->ev);
	char text[RECORD_FILE_TEXT];
	size_t len;

	if (!v->file_path)
		return;
	len = record_file_id(&id, text);
	snprintf(text + len, sizeof(text) - len, "%s", v->file_path);
	note_path(d, record_file_number(&id), text, hash_text(&d->cgroup_index.key, text));
}

/* An event has the same number as before: there are few. */
static void note_sched(struct record_dict *d, const struct view *v)
{
	struct record_entries *e = &d->scheds;
	u8 number = v->ev->sched;
	u32 start;

	if (!v->sched || d->sched[number])
		return;
	d->sched[number] = true;
	start = entry_begin(e);
	entry_put(e, number, 4);
	entry_put_text(e, v->sched, 255);
	put_end(d, e, start);
}

/*
 * Returns the key of a stack, 0: none. A kernel stack's key is its id in the map `stacks`, a user
 * stack's that id and the process.
 */
static u64 stack_key(const struct view *v, bool user)
{
	s32 id = user ? v->ev->ustack_id : v->ev->kstack_id;
	u32 len = user ? v->ustack_len : v->kstack_len;

	if (id < 0 || len == 0)
		return 0;
	return user ? (u64)v->ev->pid << 32 | (u32)id | 1U << 31 : (u64)(u32)id + 1;
}

static void say_stack(struct record_dict *d, const struct view *v, bool user, u32 number)
{
	struct record_entries *e = &d->stacks;
	const char *const *text = user ? v->utext : v->ktext;
	const u64 *frame = user ? v->ustack : v->kstack;
	u32 len = user ? v->ustack_len : v->kstack_len;
	u32 start = entry_begin(e);

	if (len > RECORD_FRAMES_MAX)
		len = RECORD_FRAMES_MAX;
	entry_put(e, number, 4);
	entry_put(e, len, 4);
	for (u32 i = 0; i < len; i++) {
		entry_put(e, frame[i], 8);
		entry_put_text(e, text ? text[i] : NULL, VIEW_FRAME - 1);
	}
	put_end(d, e, start);
}

/* Returns the file's number of a stack, from 1 on; 0: none. */
static u32 stack_number(struct record_dict *d, const struct view *v, bool user)
{
	u64 key = stack_key(v, user);
	u32 at, number;

	if (!key)
		return 0;
	if (hash_find(&d->stack_index, d->stack, key, &at, &number))
		return number + 1;
	if (d->n_stacks == d->stacks_max || d->memory_bytes > RECORD_DICT_MEMORY / 2) {
		d->left_out++;
		return 0;
	}
	d->stack[d->n_stacks] = key;
	hash_put(&d->stack_index, at, d->n_stacks++);
	say_stack(d, v, user, d->n_stacks);
	return d->n_stacks;
}

void record_dict_add(struct record_dict *d, const struct view *v, struct event *ev)
{
	ev->queue = queue_number(d, v);
	note_cgroup(d, v->ev->cgroup_id, v->cgroup);
	note_cgroup(d, v->ev->owner_id, v->owner);
	note_file(d, v);
	note_sched(d, v);
	ev->kstack_id = (s32)stack_number(d, v, false);
	ev->ustack_id = (s32)stack_number(d, v, true);
}

bool record_dict_wants(const struct record_dict *d, const struct view *v, bool user)
{
	u64 key = stack_key(v, user);
	u32 at, number;

	return key && !hash_find(&d->stack_index, d->stack, key, &at, &number);
}

bool record_dict_full(const struct record_dict *d)
{
	return d->queues.size_bytes > FULL_BYTES || d->cgroups.size_bytes > FULL_BYTES ||
	       d->stacks.size_bytes > FULL_BYTES;
}

#define STACKS_HALF (RECORD_STACKS_MAX / 2)

bool record_dict_is_half(const struct record_dict *d)
{
	return d->n_queues > RECORD_QUEUES_MAX / 2 || d->n_cgroups > RECORD_CGROUPS_MAX / 2 ||
	       d->stacks_max - d->n_stacks < STACKS_HALF / 2 ||
	       d->memory_bytes > RECORD_DICT_MEMORY / 4;
}

void record_dict_renew(struct record_dict *d)
{
	bool upper = d->stacks_max == STACKS_HALF;

	memset(d->queue, 0, 2UL * WIRE_QUEUES * sizeof(*d->queue));
	hash_clear(&d->cgroup_index);
	hash_clear(&d->stack_index);
	memset(d->sched, 0, sizeof(d->sched));
	d->n_queues = d->n_cgroups = 0;
	d->memory_bytes = 0;
	d->n_stacks = upper ? STACKS_HALF : 0;
	d->stacks_max = upper ? RECORD_STACKS_MAX : STACKS_HALF;
}
