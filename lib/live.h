// SPDX-License-Identifier: GPL-2.0-or-later
/* The BPF side of a live session: one object from embedded bytes to attached programs and back. */
#ifndef NVT_LIVE_H
#define NVT_LIVE_H

#include "bpf/flight.h"
#include "lib/btf.h"
#include "lib/counters.h"
#include "lib/probe.h"
#include "lib/session.h"
#include "lib/sysfs.h"

struct live;

/* What a live session is made from. */
struct live_setup {
	const struct internal_opts *opts;
	const struct btf_facts *btf;
	const struct probe *probe;
	const struct sysfs *sysfs;
	const struct filter *filter;
	const int *cgroup_fds; /* filter->n_cgroups of them */
	u32 needs;
	u32 max_inflight; /* prog_cfg.max_inflight */
	bool plain, no_events; /* as session_plain(), session_no_events() */
	u32 cpus; /* possible */
	const char *const *probes; /* n_probes functions, in place of the tracepoints */
	u32 n_probes;
};

/* Opens the object, so that sections and maps can be set. 0 or EXIT_AS(...) after a message. */
int live_open(struct live **l, const char *object, const struct internal_opts *opts);

/* As session_rodata() and session_size_map(). */
int live_rodata(struct live *l, const char *name, const void *data, size_t size);
int live_size_map(struct live *l, const char *name, u32 value_size, u32 entries);

/* Configures, loads, attaches. 0 or EXIT_AS(...) after a message. */
int live_attach(struct live *l, const struct live_setup *setup);

/* "tp_btf" or "raw_tp". */
const char *live_method(const struct live *l);

/* CLOCK_MONOTONIC before the first program ran: no event is older. */
u64 live_start_ns(const struct live *l);

/* enum assumed_layout of the driver's struct nvme_request. LAYOUT_RIGHT: status and result can be read. */
u32 live_layout(const struct live *l);

/* Names of wanted hooks that this kernel lacks; NULL past the last. */
const char *live_missing(const struct live *l, u32 i);

/* As session_map_memory(). */
void *live_memory(struct live *l, const char *name, size_t *size);

/* As session_walk_map(). */
int live_walk_map(struct live *l, const char *name,
		  bool (*take)(void *ctx, const void *key, const void *value), void *ctx);

/* File descriptor of a map, or -1. */
int live_map_fd(const struct live *l, const char *name);

/* Facts by index, or NULL past the end. */
const struct queue_facts *live_queue(struct live *l, u32 index);

struct control_view {
	u32 stopping, bank;
	u64 generation;
};

/* Written by user space, read by the programs. */
volatile struct control_view *live_control(struct live *l);

/* Detaches the programs; after it no program of ours runs, and every counter is final. */
void live_detach(struct live *l);

/* Waits until every program that runs now has ended. */
void live_quiesce(struct live *l);

/* Whether that takes bpf(), to update a map: where membarrier() has no global barrier. */
bool live_waits_by_map(const struct live *l);

/* Adds the losses so far; cheap, for the watch of each second. */
void live_lost(struct live *l, struct counters *c);

/* The whole account, after live_detach(). @now_ns for the age of the oldest command in flight. */
void live_counters(struct live *l, u64 now_ns, struct counters *c);

/* What tracing itself cost: --self-stats. */
struct live_cost {
	u64 map_bytes; /* memory of all maps, the event buffer included */
	/* Of the programs on the path of a command: how often, and how long in all. Two on one hook count as one. */
	u64 setup_runs, setup_ns;
	u64 complete_runs, complete_ns; /* 0 where the kernel did not count */
	bool timed; /* false: the kernel did not let runs be counted, they are 0 */
};

/* Before live_detach(). Counting needs CAP_SYS_ADMIN and costs time itself: only with --self-stats. */
void live_cost(struct live *l, struct live_cost *cost);

void live_close(struct live *l); /* NULL is allowed */

#endif
