// SPDX-License-Identifier: GPL-2.0-or-later
/* The account of the BPF side: counters of losses, and sums over the command slots. */
#include "lib/loader/loader_impl.h"

#include "lib/base/str.h"

#define HASH_ELEM   48 /* bytes beside key and value */
#define HASH_BUCKET 16

/*
 * How many runs the kernel skipped so far. While programs run, a backup program may be about to
 * make one good. So a skip is told when the next look, a second later, still finds it; it is never
 * taken back.
 */
static u64 skips_so_far(struct loader *l)
{
	u64 skips = loader_skips(l), stood = skips < l->skips ? skips : l->skips;

	l->skips = skips;
	if (!l->backups)
		return skips;
	if (stood > l->skips_told)
		l->skips_told = stood;
	return l->skips_told;
}

void loader_lost(struct loader *l, struct counters *c)
{
#define LOST(name, stat, unit, text)                                                               \
	if ((stat) != STAT_MAX)                                                                    \
		c->lost.name = loader_stat(l, stat);
#include "lib/event/lost.def"
#undef LOST
	c->recursion_known = l->recursion_known;
	c->lost.recursion = l->recursion_known ? skips_so_far(l) : 0;
}

/*
 * How many setups, or completions, of controllers that are followed reached the programs. After
 * loader_detach().
 */
static u64 reached_sum(struct loader *l, enum backup_hook hook)
{
	size_t size;
	const struct reached *reached = loader_memory(l, ".bss.reached", &size);
	u64 sum = loader_made_good(l, hook);

	for (u32 i = 0; reached && i < WIRE_CPUS; i++)
		sum += reached[i].hook[hook] - reached[i].apart[hook];
	return sum;
}

static void add_slot(struct counters *c, const struct command_slot *f, u64 now_ns)
{
	/*
	 * A command that waits for the block layer has no event yet, so its completion does not
	 * count yet.
	 */
	bool held = f->state & SLOT_HELD;

	c->completed -= held;
	c->paired += f->completes + f->filtered - held;
	c->requeued += f->requeued;
	c->filtered += f->filtered;
	if (!(f->state & SLOT_BUSY) && !held)
		return;
	c->inflight_at_exit++;
	if (now_ns > f->submit_ns && now_ns - f->submit_ns > c->oldest_ns)
		c->oldest_ns = now_ns - f->submit_ns;
}

void loader_counters(struct loader *l, u64 now_ns, struct counters *c)
{
	size_t size, stride = bpf_map__value_size(loader_find_map(l, "command_slots"));
	const char *command_slots = loader_memory(l, "command_slots", &size);

	c->submitted = reached_sum(l, BACKUP_SETUP);
	c->completed = reached_sum(l, BACKUP_COMPLETE) - loader_stat(l, STAT_STOPPED);
	c->paired = c->requeued = c->filtered = 0;
	c->inflight_at_exit = c->oldest_ns = 0;
	loader_lost(l, c);
	if (l->recursion_known)
		c->lost.recursion = loader_skips(l);
	for (u32 i = 0; command_slots && i < l->command_slots; i++)
		add_slot(c, (const struct command_slot *)(command_slots + i * stride), now_ns);
	c->before_attach = loader_stat(l, STAT_BEFORE_ATTACH);
	c->unsent = loader_stat(l, STAT_UNSENT);
	c->failed_setup = loader_stat(l, STAT_FAILED_SETUP);
	c->entry_unknown = loader_stat(l, STAT_ENTRY_UNKNOWN);
	c->lost.miscounted = counters_miscounted(c);
}

/*
 * Returns the memory that the kernel uses for a hash: an element for each entry, and buckets, as in
 * kernel/bpf/hashtab.c.
 */
static u64 hash_bytes(const struct bpf_map *map)
{
	u64 entries = bpf_map__max_entries(map), key = (bpf_map__key_size(map) + 7) & ~7U;
	u64 buckets = 1;

	while (buckets < entries)
		buckets *= 2;
	return buckets * HASH_BUCKET + entries * (HASH_ELEM + key) + loader_map_bytes(map);
}

static u64 bytes_of(const struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_RINGBUF:
		return bpf_map__max_entries(map);
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
		return hash_bytes(map);
	default:
		return loader_map_bytes(map);
	}
}

static u64 map_bytes(const struct loader *l)
{
	struct bpf_map *map;
	u64 bytes = 0;

	bpf_object__for_each_map(map, l->object)
		bytes += bytes_of(map);
	return bytes;
}

static void add_runs(const struct bpf_program *prog, u64 *runs, u64 *ns)
{
	struct bpf_prog_info info = {};
	u32 len = sizeof(info);

	if (bpf_program__fd(prog) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return;
	*runs += info.run_cnt;
	*ns += info.run_time_ns;
}

static void add_programs(const struct bpf_object *object, struct loader_cost *cost)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object) {
		const char *name = bpf_program__name(prog);

		if (has_prefix(name, "setup_"))
			add_runs(prog, &cost->setup_runs, &cost->setup_ns);
		else if (has_prefix(name, "complete_"))
			add_runs(prog, &cost->complete_runs, &cost->complete_ns);
	}
}

void loader_cost(struct loader *l, struct loader_cost *cost)
{
	struct loader_cost backup = { 0 };

	*cost = (struct loader_cost){ .map_bytes = map_bytes(l), .timed = l->stats_fd >= 0 };
	add_programs(l->object, cost);
	if (!l->backups || !cost->timed)
		return;
	/* Each command runs a program and its backup program, unless the first was skipped. */
	add_programs(l->backups, &backup);
	cost->setup_ns += backup.setup_ns;
	cost->setup_runs += loader_stat(l, STAT_STOOD_IN + BACKUP_SETUP);
	cost->complete_ns += backup.complete_ns;
	cost->complete_runs += loader_stat(l, STAT_STOOD_IN + BACKUP_COMPLETE);
}
