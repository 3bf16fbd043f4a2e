// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside of lib/loader/loader.h, shared by its parts. */
#ifndef NVT_LOADER_IMPL_H
#define NVT_LOADER_IMPL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/shared/stacks.h"
#include "lib/loader/loader.h"

#define LOADER_HOOKS	37
#define LOADER_LINKS	(2 * LOADER_HOOKS + STACKS_PROBES)
#define LOADER_MAPPINGS 16
#define LOADER_FLAT	2

/* A mapping that is undone at the end. */
struct loader_mapping {
	const struct bpf_map *map;
	void *memory;
	size_t size;
};

struct loader {
	struct bpf_object *object;
	struct bpf_object *backups; /* the backup programs, NULL where the kernel skips none */
	void *bytes; /* of the object */
	size_t n_bytes;
	struct bpf_link *links[LOADER_LINKS];
	const char *hook[LOADER_LINKS]; /* of the link: "setup" */
	u32 n_links;
	const char *missing[LOADER_HOOKS];
	u32 n_missing;
	u32 lacks; /* loader_lacks() */
	u64 refused; /* a bit for each hook whose program the kernel did not load */
	struct loader_mapping mapping[LOADER_MAPPINGS];
	u32 n_mappings;
	struct loader_flat {
		const struct bpf_map *map; /* that it takes the place of */
		/* Descriptors. */
		int section; /* that programs name */
		int backup_section; /* that backup programs name */
		int array; /* that both address in its place */
	} flat[LOADER_FLAT]; /* tables of the fast path */
	u32 n_flat;
	u32 command_slots; /* how many there are */
	const struct queue_info *queues; /* WIRE_QUEUES of them: each event asks for one */
	const volatile u32 *layout; /* enum assumed_layout; NULL: BTF tells the layout */
	u64 start_ns; /* CLOCK_MONOTONIC, before the first hook */
	struct {
		int outer, inner; /* maps of lib/loader/wait.c, or -1 */
	} wait;
	u64 skips,
		skips_told; /* of the last look at what the kernel skipped; of that, what was told */
	int stats_fd; /* keeps the kernel counting run times, or -1 */
	bool tp_btf, recursion_known;
	bool backup; /* load backup programs */
	bool fast; /* the fast path is taken, where the object has one: see bpf/fast.h */
	bool probing; /* functions in place of tracepoints */
};

/*
 * lib/loader/configure.c: before load, once the way in is chosen (l->tp_btf, l->backup):
 * configuration and sizes of maps; decides l->fast. 0 or -errno after a message.
 */
int loader_configure(struct loader *l, const struct loader_setup *setup);

/* lib/loader/loader_maps.c: the map of that name, or NULL. */
struct bpf_map *loader_find_map(const struct loader *l, const char *name);

/*
 * lib/loader/loader_maps.c: before load: the initial value of a section (".rodata.cfg"), and its size; NULL: the object has
 * none.
 */
void *loader_section(const struct loader *l, const char *name, size_t *size);

/* lib/loader/loader_hooks.c: chooses the programs that are loaded, and notes what is missing. */
void loader_choose_programs(struct loader *l, const struct loader_setup *setup);

/* lib/loader/loader_hooks.c: leaves out @prog, which the kernel refused. False: no run goes on without. */
bool loader_does_without(struct loader *l, const struct bpf_program *prog);

/* lib/loader/loader_hooks.c: attaches what was loaded. 0, or -errno or EXIT_AS(...) after a message. */
int loader_attach_programs(struct loader *l, const struct loader_setup *setup);

/* lib/loader/loader_hooks.c: whether @prog, of l->backups, is the backup program of one that is loaded. */
bool loader_stands_in(const struct loader *l, const struct bpf_program *prog);

/* lib/loader/loader_hooks.c: whether the program only ends commands early: a run that is skipped is no loss. */
bool loader_closes(const struct bpf_program *prog);

/* lib/loader/backup.c: loads the backup programs, into l->backups. 0 or -errno. */
int loader_load_again(struct loader *l);

/* lib/loader/backup.c: runs that the kernel skipped and that no backup program made good. */
u64 loader_skips(struct loader *l);

/* lib/loader/backup.c: runs of @hook that the kernel skipped and the backup program made. */
u64 loader_made_good(struct loader *l, enum backup_hook hook);

/* lib/loader/loader_maps.c: a counter of the programs. */
u64 loader_stat(struct loader *l, enum stat_id id);

/* Regions laid out one behind the other. */
struct layout {
	struct region regions[2 * WIRE_CTRLS];
	struct region spares[2][WIRE_SPARES];
	u32 n_spares[2];
	u32 entries[2]; /* of command_slots, of sched_slots */
	u32 slot_bytes; /* of a command slot */
};

/*
 * lib/loader/loader_size.c: @l, which begins as zeroes but for slot_bytes where the
 * fast path needs just so many, for the controllers of sysfs that the filter
 * selects, and for some that may come. The command slots take no more than the tags of the former
 * do, or 20 MiB and the smallest spare regions.
 */
void loader_lay(struct layout *l, const struct loader_setup *setup);

/* lib/loader/loader_hooks.c: the program of bpf/freed.h; NULL: the object has none. */
const struct bpf_program *loader_freed(const struct loader *l);

/* lib/loader/wait.c: makes what loader_quiesce() needs; 0 or -errno. The second undoes it. */
int loader_wait_open(struct loader *l);
void loader_wait_close(struct loader *l);

/* lib/loader/loader_size.c: table sizes from sysfs, regions and spares into the object. 0 or -errno. */
int loader_size_tables(struct loader *l, const struct loader_setup *setup, struct prog_cfg *cfg);

/* lib/loader/bss.c: before load: makes the arrays of sections that begin as zeroes. 0 or -errno. */
int loader_make_bss(struct loader *l);

/*
 * lib/loader/bss.c: an array of one value of @bytes, all zeroes, to be mapped. A descriptor, the
 * caller's to close, or -errno.
 */
int loader_array(const char *name, u32 bytes);

/* lib/loader/loader_maps.c: what the values of an array take in memory. */
size_t loader_map_bytes(const struct bpf_map *map);

/*
 * lib/loader/flat.c: where the fast path is taken, before load, once all maps have their sizes and
 * after loader_make_bss(): makes their tables. 0 or -errno.
 */
int loader_flatten(struct loader *l);

/*
 * lib/loader/flat.c: before load of l->backups, whose @map is @first there: has programs of both
 * address the same.
 */
void loader_flat_backups(struct loader *l, const struct bpf_map *first, const struct bpf_map *map);

/* lib/loader/flat.c: undoes loader_flatten(). */
void loader_flat_close(struct loader *l);

/*
 * lib/loader/loader_ring.c: the map `events`, if there is one, of @wanted bytes, or of less when memory
 * does not suffice, which is told. *@bytes is what it got. 0 or -errno after a message.
 */
int loader_ring(struct loader *l, u64 wanted, u32 *bytes);
/* The same for @map of any object. */
int loader_ring_map(struct bpf_map *map, u64 wanted, u32 *bytes);

#endif
