// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over controllers, hardware queues and tags, and reckons times. */
#include "cmd/inflight/snapshot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bpf/shared/filter.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/loader/walker.h"

#define LOOKS	 8 /* at a piece of a table that keeps changing */
#define HCTX_MAX 65536
#define TAGS_MAX 65536 /* of a hardware queue */
/*
 * The block layer rounds a timer up to seconds, and does not move one for less than half of one
 * (blk_add_timer()); the rest is the kernel's own slack.
 */
#define LATE_NS (7 * NSEC_PER_SEC / 4)

/* A controller's table that is walked. */
struct walk {
	struct snapshot *s;
	struct walker *w;
	struct snapshot_ctrl *ctrl;
	int fd; /* its directory, or that of one of its disks */
	struct snapshot_table table; /* of which queue the next piece is */
};

struct snapshot_cmd *snapshot_add(struct snapshot *s)
{
	if (s->n_cmds == s->room) {
		u32 room = s->room ? 2 * s->room : 256;
		void *cmds = realloc(s->cmds, room * sizeof(*s->cmds));

		if (!cmds)
			return NULL;
		s->cmds = cmds;
		s->room = room;
	}
	return &s->cmds[s->n_cmds++];
}

/*
 * How often the timer expired, at the least. It started when the request went to the driver, and
 * again at each expiry, which comes up to LATE_NS after the deadline. Of a request that a scheduler
 * held meanwhile nothing is known but that it did not wait long enough.
 */
static u32 expiries(const struct snapshot_cmd *c, s64 timer_ns, u64 tick_ns)
{
	s64 before_ns = (s64)(c->age_ns + 2 * tick_ns) - timer_ns;
	u64 most, least;

	if (before_ns < (s64)c->timeout_ns)
		return 0;
	if (c->rq.scheduled)
		return UINT32_MAX;
	most = (u64)before_ns / c->timeout_ns;
	least = ((u64)before_ns - 1) / (c->timeout_ns + LATE_NS) + 1;
	return (u32)(least < most ? least : most);
}

/*
 * The age is that of the request, where the kernel noted when it was made. Else it is that of its
 * timer. Where both are known, they tell how often that expired.
 */
static void reckon(struct snapshot_cmd *c, u64 jiffies, u64 tick_ns)
{
	s64 timer_ns;

	c->timeout_ns = c->rq.timeout * tick_ns;
	c->left_ns = (s64)(c->rq.deadline - jiffies) * (s64)tick_ns;
	timer_ns = (s64)c->timeout_ns - c->left_ns;
	c->age_source = c->rq.start_ns ? AGE_START : AGE_DEADLINE;
	c->expiries = UINT32_MAX;
	if (!c->rq.start_ns) {
		c->age_ns = timer_ns > 0 ? (u64)timer_ns : 0;
		return;
	}
	c->age_ns = c->now_ns > c->rq.start_ns ? c->now_ns - c->rq.start_ns : 0;
	if (c->timeout_ns)
		c->expiries = expiries(c, timer_ns, tick_ns);
}

int snapshot_chunk(struct snapshot *s, const struct snapshot_table *table,
		   const struct inflight_chunk *chunk)
{
	for (u32 i = 0; i < chunk->n && i < INFLIGHT_TAGS; i++) {
		struct snapshot_cmd *c = snapshot_add(s);

		if (!c)
			return fail(-ENOMEM, NULL, NULL, "commands");
		*c = (struct snapshot_cmd){
			.rq = chunk->request[i],
			.ctrl = table->ctrl,
			.now_ns = chunk->now_ns,
			.qid = table->admin ? 0 : table->hctx + 1,
		};
		if (c->rq.disk[0])
			c->ns = sysfs_ns(&s->sysfs, c->rq.disk);
		reckon(c, chunk->jiffies, table->tick_ns);
	}
	return 0;
}

/*
 * Looks at a piece until it holds still. NULL: the program cannot be run, which was told.
 */
static const struct inflight_chunk *look(struct walk *walk, u32 tag)
{
	const struct inflight_chunk *chunk = NULL;

	for (u32 i = 0; i < LOOKS; i++) {
		chunk = walker_look(walk->w, walk->fd, walk->table.admin, walk->table.hctx, tag);
		if (!chunk) {
			fail(-errno, NULL, NULL, "cannot run the program");
			return NULL;
		}
		if (chunk->state != INFLIGHT_MOVED && !chunk->torn)
			break;
	}
	return chunk;
}

/* enum inflight_state of the queue's last piece, or an error after a message. */
static int walk_hctx(struct walk *walk, u32 hctx)
{
	const struct inflight_chunk *chunk;
	u32 tag = 0;

	walk->table.hctx = hctx;
	do {
		chunk = look(walk, tag);
		if (!chunk)
			return EXIT_AS(EXIT_RUNTIME);
		if (chunk->state == INFLIGHT_MOVED)
			walk->ctrl->torn++;
		else if (chunk->state != INFLIGHT_DONE)
			return (int)chunk->state;
		walk->ctrl->torn += chunk->torn;
		if (chunk->state == INFLIGHT_DONE && snapshot_chunk(walk->s, &walk->table, chunk))
			return EXIT_AS(EXIT_RUNTIME);
		tag += INFLIGHT_TAGS;
	} while (tag < chunk->tags && tag < TAGS_MAX);
	return (int)chunk->state;
}

/* enum inflight_state, or an error after a message. What was found of a table that went is dropped. */
static int walk_table(struct walk *walk)
{
	u32 before = walk->s->n_cmds, hctxs = walk->table.admin ? 1 : HCTX_MAX;
	int state = INFLIGHT_DONE;

	for (u32 hctx = 0; hctx < hctxs && state == INFLIGHT_DONE; hctx++)
		state = walk_hctx(walk, hctx);
	if (state == INFLIGHT_GONE)
		walk->s->n_cmds = before;
	return state;
}

static int open_dir(const char *class, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS_DIR "/class/%s/%s", class, name);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* As walk_table(), of the device @name of a @class; INFLIGHT_GONE: there is none. */
static int walk_dir(struct walk *walk, const char *class, const char *name, bool admin)
{
	int state;

	walk->fd = open_dir(class, name);
	if (walk->fd < 0)
		return INFLIGHT_GONE;
	walk->table.admin = admin;
	state = walk_table(walk);
	close(walk->fd);
	return state;
}

/* All namespaces of a controller share its tags: the first disk that leads to them will do. */
static int walk_disks(struct walk *walk)
{
	const struct sysfs *sysfs = &walk->s->sysfs;
	int state = INFLIGHT_DONE;

	for (u32 i = 0; i < sysfs->n_ns; i++) {
		if (sysfs->ns[i].ctrl_id != walk->ctrl->ctrl->ctrl_id)
			continue;
		state = walk_dir(walk, "block", sysfs->ns[i].name, false);
		if (state != INFLIGHT_GONE && state != INFLIGHT_NO_TAGS)
			return state;
	}
	return state;
}

/* Adds the reads and writes in flight that the kernel counts for @disk. */
static void add_host(u64 *host, const char *disk)
{
	char dir[128], text[64], *end, *last;
	u64 reads, writes;

	snprintf(dir, sizeof(dir), SYSFS_DIR "/class/block/%s", disk);
	sysfs_line(dir, "inflight", text, sizeof(text));
	reads = strtoull(text, &end, 10);
	writes = strtoull(end, &last, 10);
	if (end != text && last != end)
		*host = (*host == UINT64_MAX ? 0 : *host) + reads + writes;
}

static void count_host(struct snapshot *s, struct snapshot_ctrl *ctrl)
{
	ctrl->host = UINT64_MAX;
	for (u32 i = 0; i < s->sysfs.n_ns; i++) {
		if (s->sysfs.ns[i].ctrl_id == ctrl->ctrl->ctrl_id)
			add_host(&ctrl->host, s->sysfs.ns[i].name);
	}
}

/* A jiffy: the resolution of the coarse clock, which each tick moves on. */
static u64 tick_ns(void)
{
	struct timespec res = { 0 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &res);
	return (u64)res.tv_nsec;
}

static int take_ctrl(struct snapshot *s, struct walker *w, const struct filter *f,
		     const struct sysfs_ctrl *ctrl)
{
	struct snapshot_ctrl *c = &s->ctrls[s->n_ctrls++];
	struct walk walk = { .s = s, .w = w, .ctrl = c, .table = { c, tick_ns() } };
	int state = INFLIGHT_DONE;

	*c = (struct snapshot_ctrl){ .ctrl = ctrl, .now_ns = clock_ns(CLOCK_MONOTONIC) };
	count_host(s, c);
	if (w && f->admin)
		state = walk_dir(&walk, "nvme", ctrl->name, true);
	c->gone = state == INFLIGHT_GONE;
	if (w && f->io && state > 0 && !c->gone)
		state = walk_disks(&walk);
	return state < 0 ? state : 0;
}

int snapshot_take(struct snapshot *s, struct walker *w, const struct filter *f)
{
	int err = sysfs_read(&s->sysfs, NULL);

	if (err == -ENOENT)
		return probe_no_driver();
	if (err)
		return fail(err, NULL, NULL, SYSFS_DIR "/class/nvme");
	s->ctrls = calloc(s->sysfs.n_ctrls + 1, sizeof(*s->ctrls));
	if (!s->ctrls)
		return fail(-ENOMEM, NULL, NULL, "controllers");
	for (u32 i = 0; !err && i < s->sysfs.n_ctrls; i++) {
		if (filter_ctrl(f, s->sysfs.ctrls[i].ctrl_id))
			err = take_ctrl(s, w, f, &s->sysfs.ctrls[i]);
	}
	return err;
}

void snapshot_free(struct snapshot *s)
{
	for (u32 i = 0; i < s->n_cmds; i++)
		free(s->cmds[i].recorded);
	sysfs_free(&s->sysfs);
	free(s->ctrls);
	free(s->cmds);
	*s = (struct snapshot){ 0 };
}
