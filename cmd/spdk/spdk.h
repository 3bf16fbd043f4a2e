// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of `spdk`, and the processes that they select. */
#ifndef NVT_SPDK_SPDK_H
#define NVT_SPDK_SPDK_H

#include "bpf/shared/usdt.h"
#include "cmd/spdk/hit_row.h"
#include "lib/cli/cmd.h"
#include "lib/usdt/process.h"

struct spdk_opts {
	struct opt_list pid, comm, probe;
	u64 sets; /* bit per enum spdk_set; 0: those that are taken unless told */
	bool list;
};

/* A place that is wanted, with what its hits mean. */
struct spdk_place {
	struct spdk_site site;
	struct usdt_spec spec;
	const struct usdt_at *at;
	u32 target;
	const char *why; /* an argument cannot be read: the reason; NULL: all can */
};

struct spdk_target {
	struct usdt_process process;
	int pidfd; /* readable once it has ended */
	int map; /* its map, which reads as empty once it ends or runs another program */
	int memory; /* the size of its memory, which is 0 once it ends */
	u32 probes, places; /* attached to */
	const char *ended; /* "exit", "exec"; NULL: it goes on */
	char version[24]; /* "v26.09-pre"; "": not known */
};

struct spdk_targets {
	struct spdk_target target[USDT_TARGETS];
	u32 n;
	struct spdk_place *place; /* by process, then by name */
	u32 n_places;
};

/* Looks the processes up and reads their probes. 0 or EXIT_AS(...) after a message. */
int spdk_targets_read(struct spdk_targets *t, const struct spdk_opts *opts);
void spdk_targets_free(struct spdk_targets *t);

/* The word of --set for @set. */
const char *spdk_set_word(u8 set);

/* Prints the probes. As cmd_print(). */
int spdk_list(const struct invocation *inv, const struct spdk_targets *t);

#endif
