// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's dictionaries. Their entries come from a file that may be hostile: lengths are
 * checked before anything is read.
 */
#include <inttypes.h>
#include <errno.h>
#include <zlib.h>

#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/record/entry.h"
#include "lib/record/record_names.h"

#define HOSTS_MAX RECORD_QUEUES_MAX /* a queue names one */

struct record_stack {
	u32 len;
	u64 *frame;
	const char **text;
};

int record_queues_open(struct record_queues *q)
{
	q->queue = calloc(RECORD_QUEUES_MAX, sizeof(*q->queue));
	q->hosts = calloc(HOSTS_MAX, sizeof(*q->hosts));
	if (!q->queue || !q->hosts || hash_open(&q->queues, RECORD_QUEUES_MAX) ||
	    hash_open(&q->host, HOSTS_MAX))
		return -ENOMEM;
	q->queue[0] = (struct replay_queue){ .info = { .ctrl_id = -1 }, .ctrl = "-", .dev = "-" };
	q->n = 1;
	return 0;
}

static void queue_free(struct replay_queue *q)
{
	free((char *)q->ctrl);
	free((char *)q->dev);
	free((char *)q->path);
}

void record_queues_close(struct record_queues *q)
{
	for (u32 i = 1; i < q->n; i++)
		queue_free(&q->queue[i]);
	for (u32 i = 0; i < q->n_hosts; i++)
		free(q->hosts[i]);
	for (u32 i = 0; i < SCHED_UNKNOWN; i++)
		free(q->scheds[i]);
	free(q->hosts);
	free(q->queue);
	hash_close(&q->queues);
	hash_close(&q->host);
}

/*
 * Returns the one string for this host, which all its queues share. NULL: not known, no memory, or
 * more hosts than queues.
 */
static const char *host_text(struct record_queues *all, const char *host)
{
	u32 at, i;

	if (!host || !*host)
		return NULL;
	at = hash_first(&all->host, hash_text(&all->host.key, host));
	for (; hash_number(&all->host, at, &i); at = hash_next(&all->host, at))
		if (streq(all->hosts[i], host))
			return all->hosts[i];
	i = all->n_hosts;
	if (i == HOSTS_MAX || !(all->hosts[i] = strdup(host)))
		return NULL;
	hash_put(&all->host, at, all->n_hosts++);
	return all->hosts[i];
}

int record_names_open(struct record_names *n, struct record_queues *all, const char *host)
{
	n->all = all;
	n->host = host_text(all, host);
	n->queue = calloc(RECORD_QUEUES_MAX + 1, sizeof(*n->queue));
	memset(n->sched, SCHED_UNKNOWN, sizeof(n->sched));
	n->sched[SCHED_NONE] = SCHED_NONE;
	return n->queue && (!host || !*host || n->host) ? 0 : -ENOMEM;
}

void record_names_close(struct record_names *n)
{
	for (u32 i = 0; i < n->n_cgroups; i++)
		free(n->path[i]);
	for (u32 i = 1; n->stack && i <= n->last_stack; i++)
		free(n->stack[i]);
	hash_close(&n->cgroups);
	free(n->cgroup);
	free(n->path);
	free(n->stack);
	free(n->queue);
}

/* Returns a string as a copy of its own; NULL when it is empty. */
static char *take_name(struct entry_cursor *c)
{
	u32 len;
	const u8 *text = entry_take_text(c, &len);
	char *name = len ? strndup((const char *)text, len) : NULL;

	c->no_memory |= len && !name;
	return name;
}

/* Puts the host in front of the name of a controller or device. */
static void prefix(const struct record_names *n, struct entry_cursor *c, const char *host,
		   const char **name)
{
	char *whole = NULL;

	if (!*name || !n->prefixed)
		return;
	if (asprintf(&whole, "%s/%s", host ? host : "?", *name) < 0)
		whole = NULL;
	c->no_memory |= !whole;
	free((char *)*name);
	*name = whole;
}

/*
 * Sets the host of a queue. A recording made of others names it in each queue, other ones in the
 * head.
 */
static void take_host(struct record_names *n, struct entry_cursor *c, struct replay_queue *q)
{
	char *host = c->at == c->end ? NULL : take_name(c);

	if (host) {
		q->host = host_text(n->all, host);
		c->no_memory |= !q->host && n->all->n_hosts < HOSTS_MAX;
		free(host);
	}
	prefix(n, c, q->host, &q->ctrl);
	prefix(n, c, q->host, &q->dev);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && streq(a, b));
}

static bool same_queue(const struct replay_queue *a, const struct replay_queue *b)
{
	const struct queue_info *x = &a->info, *y = &b->info;

	return !memcmp(&a->limits, &b->limits, sizeof(a->limits)) && x->ctrl_id == y->ctrl_id &&
	       x->nsid == y->nsid && x->major == y->major && x->minor == y->minor &&
	       x->lba_bytes == y->lba_bytes && x->admin == y->admin && streq(x->disk, y->disk) &&
	       same(a->ctrl, b->ctrl) && same(a->dev, b->dev) && same(a->path, b->path) &&
	       same(a->host, b->host);
}

static u64 text_word(const struct hash_key *key, const char *text)
{
	return text ? hash_text(key, text) : 0;
}

/* Equal queues, as same_queue() says, have equal hashes. */
static u64 queue_hash(const struct hash_key *key, const struct replay_queue *q)
{
	const struct queue_info *i = &q->info;
	const struct sysfs_limits *l = &q->limits;
	const u64 words[] = {
		(u64)(u32)i->ctrl_id << 32 | i->nsid,
		(u64)i->major << 32 | i->minor,
		(u64)i->lba_bytes << 32 | i->admin,
		(u64)l->physical_bytes << 32 | l->min_io_bytes,
		(u64)l->opt_io_bytes << 32 | l->chunk_bytes,
		text_word(key, i->disk),
		text_word(key, q->ctrl),
		text_word(key, q->dev),
		text_word(key, q->path),
		text_word(key, q->host),
	};

	return hash_words(key, words, ARRAY_SIZE(words));
}

/* Returns the index of @q among the queues of all files. Takes over its names or frees them. */
static u32 queue_index(struct record_names *n, struct replay_queue *q)
{
	struct record_queues *all = n->all;
	u32 at = hash_first(&all->queues, queue_hash(&all->queues.key, q)), i;

	while (hash_number(&all->queues, at, &i) && !same_queue(&all->queue[i], q))
		at = hash_next(&all->queues, at);
	if (!all->queues.slot[at] && all->n < RECORD_QUEUES_MAX && q->ctrl && q->dev) {
		i = all->n++;
		q->info.index = i;
		all->queue[i] = *q;
		hash_put(&all->queues, at, i);
		return i;
	}
	queue_free(q);
	n->left_out += !all->queues.slot[at];
	return all->queues.slot[at] ? i : 0;
}

/* Reads the limits, if the entry has them: those of the first version do not. */
static void take_limits(struct entry_cursor *c, struct sysfs_limits *limits)
{
	if (c->at == c->end)
		return;
	limits->physical_bytes = entry_take(c, 4);
	limits->min_io_bytes = entry_take(c, 4);
	limits->opt_io_bytes = entry_take(c, 4);
	limits->chunk_bytes = entry_take(c, 4);
}

static void add_queue(struct record_names *n, struct entry_cursor *c)
{
	struct replay_queue q = { .host = n->host };
	const u8 *disk;
	u32 number, len;

	number = entry_take(c, 4);
	q.info.ctrl_id = (s32)entry_take(c, 4);
	q.info.nsid = entry_take(c, 4);
	q.info.major = entry_take(c, 4);
	q.info.minor = entry_take(c, 4);
	q.info.lba_bytes = entry_take(c, 4);
	q.info.admin = entry_take(c, 4) != 0;
	disk = entry_take_text(c, &len);
	if (len > WIRE_DISK_NAME - 1)
		len = WIRE_DISK_NAME - 1;
	memcpy(q.info.disk, disk, len);
	q.ctrl = take_name(c);
	q.dev = take_name(c);
	q.path = take_name(c);
	take_limits(c, &q.limits);
	take_host(n, c, &q);
	if (number >= RECORD_QUEUES_MAX)
		c->bad = true;
	if (q.info.ctrl_id < -1)
		q.info.ctrl_id = -1;
	if (c->bad || c->no_memory)
		queue_free(&q);
	else
		n->queue[number] = queue_index(n, &q);
}

/* Makes room for cgroups: many recordings have none. False: no memory. */
static bool open_cgroups(struct record_names *n)
{
	if (n->cgroups.slot)
		return true;
	if (!n->cgroup)
		n->cgroup = calloc(RECORD_CGROUPS_MAX, sizeof(*n->cgroup));
	if (!n->path)
		n->path = calloc(RECORD_CGROUPS_MAX, sizeof(*n->path));
	return n->cgroup && n->path && !hash_open(&n->cgroups, RECORD_CGROUPS_MAX);
}

/* Whether the path is another one than @known: a file was renamed. Who has that keeps it. */
static bool is_renamed(u64 id, const char *known, const u8 *path, u32 len)
{
	return id & RECORD_FILE && (strlen(known) != len || memcmp(known, path, len) != 0);
}

static void add_cgroup(struct record_names *n, struct entry_cursor *c)
{
	u64 id = entry_take(c, 8);
	u32 len, at, number;
	const u8 *path = entry_take_text(c, &len);

	c->no_memory = !open_cgroups(n);
	if (c->bad || c->no_memory)
		return;
	if (hash_find(&n->cgroups, n->cgroup, id, &at, &number) &&
	    !is_renamed(id, n->path[number], path, len))
		return;
	if (n->n_cgroups == RECORD_CGROUPS_MAX) {
		n->left_out++;
		return;
	}
	number = n->n_cgroups;
	n->path[number] = strndup((const char *)path, len);
	c->no_memory = !n->path[number];
	if (c->no_memory)
		return;
	n->cgroup[number] = id;
	hash_put(&n->cgroups, at, n->n_cgroups++);
}

/* Reads a stack into one allocation: addresses, pointers, strings with their ends. */
static struct record_stack *read_stack(struct entry_cursor *c, u32 len)
{
	size_t text_bytes = (size_t)(c->end - c->at);
	struct record_stack *st;
	char *text;

	st = malloc(sizeof(*st) + len * (sizeof(u64) + sizeof(void *) + 1) + text_bytes);
	if (!st)
		return NULL;
	st->len = len;
	st->frame = (u64 *)(st + 1);
	st->text = (const char **)(st->frame + len);
	text = (char *)(st->text + len);
	for (u32 i = 0; i < len; i++) {
		u32 bytes;
		const u8 *from;

		st->frame[i] = entry_take(c, 8);
		from = entry_take_text(c, &bytes);
		c->bad |= bytes >= VIEW_FRAME; /* no writer's */
		memcpy(text, from, bytes);
		text[bytes] = '\0';
		st->text[i] = bytes ? text : NULL;
		text += bytes + 1;
	}
	return st;
}

static void add_stack(struct record_names *n, struct entry_cursor *c)
{
	u32 number = entry_take(c, 4), len = entry_take(c, 4);
	struct record_stack *st;

	if (!n->stack)
		n->stack = calloc(RECORD_STACKS_MAX + 1, sizeof(void *));
	c->no_memory = !n->stack;
	if (number == 0 || number > RECORD_STACKS_MAX || len > RECORD_FRAMES_MAX)
		c->bad = true;
	if (c->bad || !n->stack || n->stack[number])
		return;
	st = read_stack(c, len);
	c->no_memory = !st;
	if (c->bad || !st)
		free(st);
	else
		n->stack[number] = st;
	if (n->last_stack < number)
		n->last_stack = number;
}

/* The index of a scheduler among those of all files. Takes over @name or frees it. */
static u8 sched_index(struct record_queues *all, char *name)
{
	for (u32 i = SCHED_NONE + 1; i < SCHED_UNKNOWN; i++) {
		if (!all->scheds[i]) {
			all->scheds[i] = name;
			return (u8)i;
		}
		if (streq(all->scheds[i], name)) {
			free(name);
			return (u8)i;
		}
	}
	free(name);
	return SCHED_UNKNOWN;
}

static void add_sched(struct record_names *n, struct entry_cursor *c)
{
	u32 number = entry_take(c, 4);
	char *name = take_name(c);

	if (number == SCHED_NONE || number >= SCHED_UNKNOWN || !name)
		c->bad = true;
	if (c->bad)
		free(name);
	else
		n->sched[number] = sched_index(n->all, name);
}

static void add_entry(struct record_names *n, u32 kind, struct entry_cursor *c)
{
	n->memory_bytes += c->end - c->at;
	if (kind == RECORD_QUEUES)
		add_queue(n, c);
	else if (kind == RECORD_CGROUPS)
		add_cgroup(n, c);
	else if (kind == RECORD_SCHEDS)
		add_sched(n, c);
	else
		add_stack(n, c);
}

static int add_entries(struct record_names *n, const struct record_block *b, const u8 *at,
		       const u8 *end)
{
	struct entry_cursor c;

	for (u32 i = 0; i < b->count; i++) {
		if (!entry_next(&c, &at, end) ||
		    n->memory_bytes + (size_t)(c.end - c.at) > RECORD_DICT_MEMORY)
			return -EINVAL;
		add_entry(n, b->kind, &c);
		if (c.no_memory)
			return -ENOMEM;
		if (c.bad)
			return -EINVAL;
	}
	return 0;
}

int record_names_add(struct record_names *n, const struct record_block *b, const u8 *payload)
{
	uLongf size;
	u8 *bytes;
	int err = -EINVAL;

	if (b->size_bytes < 4)
		return -EINVAL;
	size = record_get(payload, 4);
	if (size > RECORD_DICT_MAX)
		return -EINVAL;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	if (uncompress(bytes, &size, payload + 4, b->size_bytes - 4) == Z_OK)
		err = add_entries(n, b, bytes, bytes + size);
	free(bytes);
	return err;
}

const char *record_names_cgroup(const struct record_names *n, u64 id)
{
	u32 at, number;

	if (!id || !n->cgroups.slot || !hash_find(&n->cgroups, n->cgroup, id, &at, &number))
		return NULL;
	return n->path[number];
}

const char *record_names_file(const struct record_names *n, const struct file_id *id)
{
	const char *text = record_names_cgroup(n, record_file_number(id));
	char whose[RECORD_FILE_ID];
	size_t len = record_file_id(id, whose);

	return text && has_prefix(text, whose) ? text + len : NULL;
}

bool record_names_has_stack(const struct record_names *n, u32 number)
{
	return n->stack && number && number <= RECORD_STACKS_MAX && n->stack[number];
}

void record_names_stacks(const struct record_names *n, u32 kstack, u32 ustack, struct view *v)
{
	if (record_names_has_stack(n, kstack)) {
		const struct record_stack *st = n->stack[kstack];

		v->kstack = st->frame;
		v->kstack_len = st->len;
		v->ktext = st->text;
	}
	if (record_names_has_stack(n, ustack)) {
		const struct record_stack *st = n->stack[ustack];

		v->ustack = st->frame;
		v->ustack_len = st->len;
		v->utext = st->text;
	}
}
