// SPDX-License-Identifier: GPL-2.0-or-later
/* Backup programs (bpf/backup.h): the same object loaded again, on the same maps. */
#include "lib/loader/loader_impl.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/loader/btf.h"

/* The configuration is the one map that differs. */
static int set_cfg(struct bpf_map *map, struct bpf_map *first)
{
	struct prog_cfg cfg;
	size_t size;
	const void *from = bpf_map__initial_value(first, &size);

	if (!from || size != sizeof(cfg))
		return -EINVAL;
	memcpy(&cfg, from, size);
	cfg.backup = BACKUP_SECOND;
	return bpf_map__set_initial_value(map, &cfg, sizeof(cfg));
}

/*
 * The hook of a program whose backup program sees whether the first has done the work.
 * BACKUP_HOOKS: it cannot see it and would do the work again, so there is none.
 */
static enum backup_hook hook_of(const struct bpf_program *prog)
{
	static const char *const names[BACKUP_HOOKS] = {
		[BACKUP_SETUP] = "setup_",   [BACKUP_COMPLETE] = "complete_",
		[BACKUP_INSERT] = "insert_", [BACKUP_DONE] = "done_",
		[BACKUP_ENTRY] = "entry_",   [BACKUP_STAMP] = "stamp_",
		[BACKUP_MOVE] = "move_",     [BACKUP_ENDED] = "ended_",
		[BACKUP_FLUSH] = "flush_",   [BACKUP_SYNC] = "sync_",
		[BACKUP_SYNCED] = "synced_", [BACKUP_SERVED] = "served_",
		[BACKUP_PLUG] = "plug_",     [BACKUP_WAITS] = "waits_",
		[BACKUP_WAITED] = "waited_",
	};
	enum backup_hook hook = 0;

	while (hook < BACKUP_HOOKS && !has_prefix(bpf_program__name(prog), names[hook]))
		hook++;
	return hook;
}

/* Both objects are of the same bytes, so their maps come in the same order. */
static int share_maps(struct loader *l)
{
	struct bpf_map *cfg = loader_find_map(l, ".rodata.cfg");
	struct bpf_map *map = NULL, *first = NULL;
	int err = 0;

	while (!err && (first = bpf_object__next_map(l->object, first))) {
		map = bpf_object__next_map(l->backups, map);
		if (first == cfg)
			err = set_cfg(map, first);
		else if (bpf_map__autocreate(first))
			err = bpf_map__reuse_fd(map, bpf_map__fd(first));
		else
			err = bpf_map__set_autocreate(map, false);
		loader_flat_backups(l, first, map);
	}
	return err;
}

int loader_load_again(struct loader *l)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "nvmetool",
		    .btf_custom_path = LOADER_BTF_CUT);
	struct bpf_program *prog;
	int err;

	l->backups = bpf_object__open_mem(l->bytes, l->n_bytes, &opts);
	if (!l->backups)
		return -errno;
	bpf_object__for_each_program(prog, l->backups) {
		bpf_program__set_autoload(prog, loader_stands_in(l, prog) &&
							hook_of(prog) < BACKUP_HOOKS);
	}
	err = share_maps(l);
	loader_btf_object(l->backups);
	if (!err)
		err = bpf_object__load(l->backups);
	return err;
}

static u64 misses_of(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	u32 len = sizeof(info);
	int fd = bpf_program__fd(prog);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) ? info.recursion_misses : 0;
}

static u64 misses_of_backup(const struct loader *l, enum backup_hook hook)
{
	struct bpf_program *prog;
	u64 misses = 0;

	bpf_object__for_each_program(prog, l->backups)
		misses += hook_of(prog) == hook ? misses_of(prog) : 0;
	return misses;
}

/*
 * Runs of @first that were skipped and not made good. A backup program does not count what it
 * leaves alone: requests of other drives, and of controllers that are not selected. So no more is
 * lost than both were skipped for.
 */
static u64 skips_of(struct loader *l, const struct bpf_program *first)
{
	enum backup_hook hook = hook_of(first);
	u64 misses = misses_of(first), stood_in, both;

	if (!misses || !l->backups || hook == BACKUP_HOOKS)
		return misses;
	stood_in = loader_stat(l, STAT_STOOD_IN + hook);
	misses = misses > stood_in ? misses - stood_in : 0;
	both = misses_of_backup(l, hook);
	return misses < both ? misses : both;
}

u64 loader_made_good(struct loader *l, enum backup_hook hook)
{
	u64 stood_in = loader_stat(l, STAT_STOOD_IN + hook), misses = 0;
	struct bpf_program *prog;

	if (!l->backups)
		return 0;
	bpf_object__for_each_program(prog, l->object) {
		if (hook_of(prog) == hook)
			misses += misses_of(prog);
	}
	return stood_in < misses ? stood_in : misses;
}

u64 loader_skips(struct loader *l)
{
	struct bpf_program *prog;
	u64 skips = 0;

	bpf_object__for_each_program(prog, l->object) {
		if (!loader_closes(prog))
			skips += skips_of(l, prog);
	}
	return skips;
}
