// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many command slots there are: one for every tag of every hardware queue of the controllers
 * that sysfs shows and the filter selects. Spare regions wait for controllers, queues and
 * schedulers that come later.
 */
#include "lib/loader/loader_impl.h"

#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

#define ADMIN_TAGS	64 /* NVME_AQ_DEPTH is 32, on every kernel */
#define IO_TAGS_DEFAULT 1024 /* where sysfs says nothing: io_queue_depth, and its power of two */
#define SPARE_TAGS_MAX	65536 /* in one spare region for I/O commands */
#define SPARE_TAGS_MIN	8192 /* in the only one, when what is there fills the table */
#define TABLE_BYTES	(20U << 20) /* of command slots, where spare regions end */
#define SCHED_TAGS	256 /* BLKDEV_DEFAULT_RQ * 2: what a scheduler switched on later gets */
#define SPARE_CTRLS	8
#define SPARE_SCHEDS	4
#define QUEUES_MAX	(WIRE_QUEUES - WIRE_STACKED)
#define SPARE_QUEUES	2048 /* entries for hardware queues that come later, at least */
#define CLAIMS_MORE	2048 /* beside queues: regions, rows */

static u32 at_least(u32 value, u32 min)
{
	return value < min ? min : value;
}

static u32 io_tags(const struct sysfs_ctrl *ctrl, u32 cpus)
{
	u32 queues = sysfs_io_queues(ctrl), depth = sysfs_io_depth(ctrl);

	return (queues ? queues : cpus) * (depth ? depth : IO_TAGS_DEFAULT);
}

static struct region cut(struct layout *l, u32 table, u32 entries)
{
	struct region r = { l->entries[table], entries };

	l->entries[table] += entries;
	return r;
}

static void add_spare(struct layout *l, u32 table, u32 entries)
{
	if (l->n_spares[table] < WIRE_SPARES)
		l->spares[table][l->n_spares[table]++] = cut(l, table, entries);
}

/* Whether commands of the controller are followed. Programs leave others out: queue_is_apart(). */
static bool is_followed(const struct loader_setup *setup, s32 ctrl_id)
{
	return filter_ctrl(setup->filter, ctrl_id);
}

/*
 * Every controller's own regions; spare ones when its number is too large for a place in the table.
 */
static void lay_ctrls(struct layout *l, const struct loader_setup *setup)
{
	for (u32 i = 0; i < setup->sysfs->n_ctrls; i++) {
		const struct sysfs_ctrl *ctrl = &setup->sysfs->ctrls[i];
		u32 io = io_tags(ctrl, setup->cpus);

		if (!is_followed(setup, ctrl->ctrl_id))
			continue;
		if (ctrl->ctrl_id >= WIRE_CTRLS) {
			add_spare(l, 0, io);
			add_spare(l, 0, ADMIN_TAGS);
			continue;
		}
		l->regions[2UL * ctrl->ctrl_id] = cut(l, 0, io);
		l->regions[2UL * ctrl->ctrl_id + 1] = cut(l, 0, ADMIN_TAGS);
	}
}

/* How many bytes of struct command_slot a slot has. */
static u32 slot_bytes(const struct loader_setup *setup)
{
	if (setup->needs & (NEED_DURING | NEED_PHASES | NEED_FILE | NEED_SYNCER))
		return sizeof(struct command_slot);
	if (setup->needs & NEED_CAUSE)
		return SLOT_CAUSE;
	if (setup->needs & NEED_SQE)
		return SLOT_DWORDS;
	if (setup->needs & NEED_SUBMITTER)
		return SLOT_SUBMITTER;
	return SLOT_LEAN;
}

/*
 * As many as the largest controller has, for each of some; fewer where those that are there need
 * the memory.
 */
static void lay_spares(struct layout *l, const struct loader_setup *setup)
{
	u32 io = setup->cpus * IO_TAGS_DEFAULT, used = l->entries[0] + SPARE_CTRLS * ADMIN_TAGS;
	u32 room = TABLE_BYTES / l->slot_bytes, left = room > used ? room - used : 0;

	for (u32 i = 0; i < setup->sysfs->n_ctrls; i++) {
		const struct sysfs_ctrl *ctrl = &setup->sysfs->ctrls[i];

		if (is_followed(setup, ctrl->ctrl_id))
			io = at_least(io, io_tags(ctrl, setup->cpus));
	}
	if (io > SPARE_TAGS_MAX)
		io = SPARE_TAGS_MAX;
	if (io > at_least(left, SPARE_TAGS_MIN))
		io = at_least(left, SPARE_TAGS_MIN);
	for (u32 i = 0; i < SPARE_CTRLS; i++) {
		add_spare(l, 0, ADMIN_TAGS);
		if (i == 0 || left / io > i)
			add_spare(l, 0, io);
	}
}

/* A region for each queue with a scheduler, and some for those that get one later. */
static void lay_schedulers(struct layout *l, const struct loader_setup *setup)
{
	u32 largest = SCHED_TAGS;

	for (u32 i = 0; i < setup->sysfs->n_ns; i++) {
		const struct sysfs_ns *ns = &setup->sysfs->ns[i];
		u32 tags = at_least(ns->hctxs, 1) * at_least(ns->nr_requests, SCHED_TAGS);

		if (!is_followed(setup, ns->ctrl_id))
			continue;
		largest = at_least(largest, tags);
		if (!streq(ns->scheduler, "none") && ns->scheduler[0])
			add_spare(l, 1, tags);
	}
	for (u32 i = 0; i < SPARE_SCHEDS; i++)
		add_spare(l, 1, largest);
}

static int by_size(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	return (x->entries > y->entries) - (x->entries < y->entries);
}

void loader_lay(struct layout *l, const struct loader_setup *setup)
{
	if (!l->slot_bytes)
		l->slot_bytes = slot_bytes(setup);
	lay_ctrls(l, setup);
	lay_spares(l, setup);
	if (setup->needs & NEED_SUBMITTER)
		lay_schedulers(l, setup);
	for (u32 i = 0; i < ARRAY_SIZE(l->spares); i++)
		qsort(l->spares[i], l->n_spares[i], sizeof(struct region), by_size);
}

/*
 * The hardware queues that sysfs shows: those of each namespace, and of each controller the admin
 * and the connect queue's.
 */
static u32 count_queues(const struct sysfs *sysfs)
{
	u32 n = 0;

	for (u32 i = 0; i < sysfs->n_ns; i++)
		n += at_least(sysfs->ns[i].hctxs, 1);
	for (u32 i = 0; i < sysfs->n_ctrls; i++)
		n += 1 + sysfs_io_queues(&sysfs->ctrls[i]);
	return n;
}

u32 loader_queues(const struct sysfs *sysfs)
{
	u32 there = count_queues(sysfs), more = at_least(there, SPARE_QUEUES);

	return there + more < QUEUES_MAX ? there + more : QUEUES_MAX;
}

static int size_queues(struct loader *l, const struct prog_cfg *cfg)
{
	bool busy = cfg->needs & NEED_BUSY;
	int err = loader_size_map(l, "known", 0, cfg->queues);

	if (!err)
		err = loader_size_map(l, "claims", 0,
				      cfg->queues * (busy ? BUSY_LEVELS : 1) + cfg->spare_stacks +
					      CLAIMS_MORE);
	if (!err && busy)
		err = loader_size_map(l, "busy", 0, cfg->queues);
	return err;
}

int loader_size_tables(struct loader *l, const struct loader_setup *setup, struct prog_cfg *cfg)
{
	struct layout *layout = calloc(1, sizeof(*layout));
	int err;

	if (!layout)
		return -ENOMEM;
	layout->slot_bytes = l->fast ? cfg->fast_words * sizeof(u64) : 0;
	loader_lay(layout, setup);
	cfg->command_slots = l->command_slots = layout->entries[0];
	cfg->sched_slots = layout->entries[1];
	cfg->queues = loader_queues(setup->sysfs);
	err = loader_rodata(l, ".rodata.regions", layout->regions, sizeof(layout->regions));
	if (!err)
		err = loader_rodata(l, ".rodata.spares", layout->spares, sizeof(layout->spares));
	if (!err)
		err = loader_size_map(l, "command_slots", layout->slot_bytes, cfg->command_slots);
	if (!err)
		err = loader_size_map(l, "sched_slots", 0, at_least(cfg->sched_slots, 1));
	if (!err)
		err = size_queues(l, cfg);
	free(layout);
	return err;
}
