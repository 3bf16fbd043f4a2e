// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of `spdk`: a hit, and a probe of --list. */
#ifndef NVT_SPDK_HIT_ROW_H
#define NVT_SPDK_HIT_ROW_H

#include "cmd/spdk/probes.h"
#include "lib/out/out.h"

/* Where a place of a probe is: what hits have in common. */
struct spdk_site {
	u32 pid;
	const char *comm; /* of the process, when it was looked at */
	struct spdk_shape shape;
};

/* A hit. */
struct spdk_hit {
	u64 ts_ns; /* CLOCK_MONOTONIC */
	u32 site; /* number of its struct spdk_site */
	u32 tid; /* ~0: not known, nvmetool is in a namespace of processes */
	u16 unread, cut; /* as struct usdt_hit */
	u64 arg[USDT_ARGS];
	const char *text[USDT_ARGS]; /* strings; NULL: the pointer was, or the argument is none */
};

#define SPDK_LINE 4096

struct spdk_row {
	u64 wall_ns, mono_ns, since_ns;
	u32 pid, tid;
	const char *comm, *probe;
	const char *args_text; /* as text; NULL: none */
	const struct spdk_site *site;
	const struct spdk_hit *hit;
	char line[SPDK_LINE];
};

/* Fills a row; @start_ns: the beginning of the run, @wall_ns: the time of the hit. @site and @hit have to stay. */
void spdk_row_fill(struct spdk_row *row, const struct spdk_site *site, const struct spdk_hit *hit,
		   u64 start_ns, u64 wall_ns);

/* Whether the hit says that something failed. */
bool spdk_failed(const struct spdk_site *site, const struct spdk_hit *hit);

/* A probe of a process. */
struct spdk_probe_row {
	u32 pid;
	const char *comm, *probe, *set;
	u32 args; /* without the hidden one */
	u32 places;
	const char *shape; /* names of the arguments; NULL: not known */
	const char *file; /* that has it, as the process has it */
	const char *unreadable; /* why an argument at some place is; NULL: none is */
	const char *spec; /* of its first place */
};

extern const struct schema spdk_schema, spdk_probe_schema;
extern const struct schema *const spdk_schemas[];

#endif
