// SPDX-License-Identifier: GPL-2.0-or-later
/* The interface of the loader, see README.md. Commands never see it: a session calls it. */
#ifndef NVT_LOADER_LOADER_H
#define NVT_LOADER_LOADER_H

#include "bpf/shared/slot.h"
#include "lib/btf/features.h"
#include "lib/cli/common.h"
#include "lib/event/counters.h"
#include "lib/host/confine.h"
#include "lib/host/probe.h"
#include "lib/host/sysfs.h"

struct loader;

/* The parts that a live run is made from. */
struct loader_setup {
	const struct internal_opts *opts;
	const struct kernel_features *btf;
	const struct probe *probe;
	const struct sysfs *sysfs;
	const struct filter *filter;
	const int *cgroup_fds; /* filter->n_cgroups of them */
	u32 needs;
	u32 max_inflight; /* prog_cfg.max_inflight */
	u32 busy; /* enum busy_level to begin with, NEED_BUSY */
	bool fast; /* the fast path tells all that is asked for */
	bool no_events; /* the event buffer stays empty */
	u32 cpus; /* possible */
	const char *const *probes; /* n_probes functions, in place of the tracepoints */
	u32 n_probes;
};

/* Opens the object, so that sections and maps can be set. 0 or EXIT_AS(...) after a message. */
int loader_open(struct loader **l, const char *object, const struct internal_opts *opts);

/* Before it is loaded: contents of section @name, whose size must be @size; sizes of a map. */
int loader_rodata(struct loader *l, const char *name, const void *data, size_t size);
int loader_size_map(struct loader *l, const char *name, u32 value_size, u32 entries);

/*
 * Entries for the hardware queues of @sysfs, and for as many that come later; at most WIRE_QUEUES
 * less WIRE_STACKED.
 */
u32 loader_queues(const struct sysfs *sysfs);

/* Configures, loads, attaches. 0 or EXIT_AS(...) after a message. */
int loader_attach(struct loader *l, const struct loader_setup *setup);

/* "tp_btf" or "raw_tp". */
const char *loader_method(const struct loader *l);

/* CLOCK_MONOTONIC before the first program ran: no event is older. */
u64 loader_start_ns(const struct loader *l);

/*
 * enum assumed_layout of the driver's struct nvme_request. LAYOUT_RIGHT: status and result can be
 * read.
 */
u32 loader_layout(const struct loader *l);

/* Names of wanted hooks that this kernel lacks; NULL past the last. */
const char *loader_missing(const struct loader *l, u32 i);

/* Bits of enum need that the programs never tell: PROG_NEVER of bpf/settings.h. */
u32 loader_never(const struct loader *l);

/* Bits of enum need of events that this kernel has no way to show. */
u32 loader_lacks(const struct loader *l);

/* As session_map_memory(). */
void *loader_memory(struct loader *l, const char *name, size_t *size);

/* As session_walk_map(). */
int loader_walk_map(struct loader *l, const char *name,
		    bool (*take)(void *ctx, const void *key, const void *value), void *ctx);

/* Deletes an entry of a hash, if it is there. */
void loader_delete(struct loader *l, const char *name, const void *key);

/* File descriptor of a map, or -1. */
int loader_map_fd(const struct loader *l, const char *name);

/* Queue info by index, or NULL past the end. */
const struct queue_info *loader_queue(struct loader *l, u32 index);

struct control_view {
	u32 stopping, bank;
	u64 generation;
	u32 busy;
	u32 pad;
};

/* Written by user space, read by the programs. */
volatile struct control_view *loader_control(struct loader *l);

/* Detaches the programs; after it no program of ours runs, and every counter is final. */
void loader_detach(struct loader *l);

/*
 * As session_inflight(). What is over and no hook told of is not in flight: see bpf/freed.h. @take
 * NULL: no program sets up any more, so that all of this is ended.
 */
void loader_inflight(struct loader *l,
		     void (*take)(void *ctx, const struct command_slot *slot, u32 queue, u32 tag),
		     void *ctx);

/* Waits until every program that runs now has ended. */
void loader_quiesce(struct loader *l);

/* Bits of enum confine_for: loader_quiesce(), loader_inflight() and loader_detach() call bpf() for these. */
#define LOADER_STILL_NEEDS (CONFINE_MAPS | CONFINE_WALK)

/* Adds the losses so far; cheap, for the watch of each second. */
void loader_lost(struct loader *l, struct counters *c);

/* The whole account, after loader_detach(). @now_ns for the age of the oldest command in flight. */
void loader_counters(struct loader *l, u64 now_ns, struct counters *c);

/* The cost of tracing itself: --self-stats. */
struct loader_cost {
	u64 map_bytes; /* memory of all maps, the event buffer included */
	/*
	 * How often the programs on the path of a command ran, and how long in all. A program and
	 * its backup program count as one.
	 */
	u64 setup_runs, setup_ns;
	u64 complete_runs, complete_ns; /* 0 where the kernel did not count */
	bool timed; /* false: the kernel did not let runs be counted, they are 0 */
};

/*
 * Before loader_detach(). Counting needs CAP_SYS_ADMIN and costs time itself: only with
 * --self-stats.
 */
void loader_cost(struct loader *l, struct loader_cost *cost);

void loader_close(struct loader *l); /* NULL is allowed */

#endif
