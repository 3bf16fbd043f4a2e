// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside of lib/live.h, shared by its parts. */
#ifndef NVT_LIVE_IMPL_H
#define NVT_LIVE_IMPL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/live.h"

#define LIVE_HOOKS    18
#define LIVE_LINKS    (2 * LIVE_HOOKS + SESSION_PROBES)
#define LIVE_MAPPINGS 16
#define LIVE_FLAT     2

/* A mapping that is undone at the end. */
struct live_mapping {
	const struct bpf_map *map;
	void *memory;
	size_t size;
};

struct live {
	struct bpf_object *object;
	struct bpf_object *second; /* the same programs again, NULL where the kernel skips none */
	void *bytes; /* of the object */
	size_t n_bytes;
	struct bpf_link *links[LIVE_LINKS];
	const char *hook[LIVE_LINKS]; /* of the link: "setup" */
	u32 n_links;
	const char *missing[LIVE_HOOKS];
	u32 n_missing;
	struct live_mapping mapping[LIVE_MAPPINGS];
	u32 n_mappings;
	struct live_flat {
		const struct bpf_map *map; /* that it takes the place of */
		/* Descriptors: of the section that programs name, and second ones; of what they address. */
		int section, second, array;
	} flat[LIVE_FLAT]; /* tables of plain programs */
	u32 n_flat;
	u32 flights; /* entries of the table of commands in flight */
	const struct queue_facts *queues; /* WIRE_QUEUES of them: each event asks for one */
	const volatile u32 *layout; /* enum assumed_layout; NULL: BTF tells the layout */
	u64 start_ns; /* CLOCK_MONOTONIC, before the first hook */
	u64 stack_losses; /* of user space: stacks that could not be read back */
	struct {
		int outer, inner; /* maps of lib/live_wait.c, or -1 */
	} wait;
	u64 skips,
		skips_told; /* of the last look at what the kernel skipped; of that, what was told */
	int stats_fd; /* keeps the kernel counting run times, or -1 */
	bool tp_btf, recursion_known;
	bool twice; /* load the programs a second time */
	bool plain; /* plain programs, where there are any: see bpf/prog.h */
	bool noted; /* those of them that note requests */
	bool probing; /* functions in place of tracepoints */
};

/*
 * lib/live_cfg.c: before load, once the way in is chosen (l->tp_btf, l->twice): configuration and sizes of maps; decides
 * l->plain and l->noted. 0 or -errno after a message.
 */
int live_configure(struct live *l, const struct live_setup *setup);

/*
 * After a load that the kernel refused: the object as it was before, with the sizes and constants that it had been given. 0 or
 * -errno.
 */
int live_reopen(struct live *l);

/* The map of that name, or NULL. */
struct bpf_map *live_find_map(const struct live *l, const char *name);

/* Before load: the initial value of a section (".rodata.cfg"), and its size; NULL: the object has none. */
void *live_section(const struct live *l, const char *name, size_t *size);

/* Whether @second, of l->second, is the one that stands in for a program which is loaded. */
bool live_stands_in(const struct live *l, const struct bpf_program *second);

/* Whether it only ends commands early, so that nothing is lost with a run of it. */
bool live_closes(const struct bpf_program *prog);

/* lib/live_twice.c: loads what was loaded once more, into l->second. 0 or -errno. */
int live_load_again(struct live *l);

/* lib/live_twice.c: runs that the kernel skipped while a program of ours was held up, and that none stood in for. */
u64 live_skips(struct live *l);

/* lib/live_twice.c: runs for setups, or completions, that the kernel skipped and the second program made. */
u64 live_made_good(struct live *l, enum twice_hook hook);

/* lib/live_account.c: a counter of the programs. */
u64 live_stat(struct live *l, enum stat_id id);

/* Regions laid out one behind the other. */
struct layout {
	struct region regions[2 * WIRE_CTRLS];
	struct region spares[2][WIRE_SPARES];
	u32 n_spares[2];
	u32 entries[2]; /* of the table of flights, of the table for schedulers */
	u32 flight_bytes; /* of an entry of the first */
};

/*
 * lib/live_size.c: @l, which begins as zeroes, for the controllers of sysfs that the filter selects, and for some that may
 * come. The table of flights takes no more than what their tags do, or 20 MiB and the smallest spare regions.
 */
void live_lay(struct layout *l, const struct live_setup *setup);

/* lib/live_size.c: entries for the hardware queues of @sysfs, and for as many that come later; at most WIRE_QUEUES. */
u32 live_queues(const struct sysfs *sysfs);

/* lib/live_wait.c: makes what live_quiesce() needs; 0 or -errno. The second undoes it. */
int live_wait_open(struct live *l);
void live_wait_close(struct live *l);

/* lib/live_size.c: table sizes from sysfs, regions and spares into the object. 0 or -errno. */
int live_size_tables(struct live *l, const struct live_setup *setup, struct prog_cfg *cfg);

/* lib/live_bss.c: before load: makes the arrays of sections that begin as zeroes. 0 or -errno. */
int live_make_bss(struct live *l);

/* lib/live_bss.c: an array of one value of @bytes, all zeroes, to be mapped. A descriptor, the caller's to close, or -errno. */
int live_array(const char *name, u32 bytes);

/* lib/live_flat.c: what the values of an array take in memory. */
size_t live_map_bytes(const struct bpf_map *map);

/*
 * lib/live_flat.c: where plain programs will run, before load, once all maps have their sizes and after live_make_bss():
 * makes their tables. 0 or -errno.
 */
int live_flatten(struct live *l);

/* lib/live_flat.c: the descriptor by which the memory of @map is had; it stays the session's. */
int live_memory_fd(const struct live *l, const struct bpf_map *map);

/* lib/live_flat.c: before load of l->second, whose @map is @first there: has programs of both address the same. */
void live_flatten_again(struct live *l, const struct bpf_map *first, const struct bpf_map *map);

/* lib/live_flat.c: undoes live_flatten(). */
void live_flat_close(struct live *l);

/*
 * lib/live_ring.c: the map `events`, if there is one, of @wanted bytes, or of less when memory does not
 * suffice, which is told. *@bytes is what it got. 0 or -errno after a message.
 */
int live_ring(struct live *l, u64 wanted, u32 *bytes);

#endif
