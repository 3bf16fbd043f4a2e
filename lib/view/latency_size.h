// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many rows and cells the programs keep. Each CPU has a cell of its own for each row as long as
 * these fit into LATENCY_MAP_BYTES. Else a cell is for several CPUs, as few as possible: rows come
 * first, since a command that finds none is shown without its key.
 */
#ifndef NVT_VIEW_LATENCY_SIZE_H
#define NVT_VIEW_LATENCY_SIZE_H

#include "bpf/shared/latency.h"

/*
 * Fills in slots, copies, cells, shared_cells and steps, from cpus, cell_bytes and flags. At most
 * @most slots; fewer if even one copy of the cells needs more memory.
 */
void latency_size(struct latency_cfg *cfg, u32 most);

/* The size of a value of map `extremes`, and how many it has. */
u32 latency_extremes_bytes(const struct latency_cfg *cfg);
u32 latency_extremes_count(const struct latency_cfg *cfg);

static inline bool latency_shares_cells(const struct latency_cfg *cfg)
{
	return cfg->copies < cfg->cpus;
}

#endif
