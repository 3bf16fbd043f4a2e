// SPDX-License-Identifier: GPL-2.0-or-later
/* Divides LATENCY_MAP_BYTES between rows and CPUs. */
#include "lib/view/latency_size.h"

u32 latency_extremes_bytes(const struct latency_cfg *cfg)
{
	return sizeof(struct hist_extremes) * (cfg->flags & LATENCY_BOTH ? 2 : 1);
}

u32 latency_extremes_count(const struct latency_cfg *cfg)
{
	return latency_shares_cells(cfg) ? LATENCY_BANKS * cfg->cpus * cfg->slots : 1;
}

/* Of maps `cells` and `extremes` together. */
static u64 map_bytes(const struct latency_cfg *cfg)
{
	u64 cells = (u64)LATENCY_BANKS * cfg->copies * cfg->slots;

	return cells * cfg->cell_bytes +
	       (u64)latency_extremes_count(cfg) * latency_extremes_bytes(cfg);
}

static bool is_prime(u32 n)
{
	for (u32 i = 2; i * i <= n; i++) {
		if (n % i == 0)
			return false;
	}
	return n > 1;
}

/* Half as many, as a power of two: programs take the lower bits of the CPU's number. */
static u32 fewer(u32 copies)
{
	u32 n = 1;

	while (n * 2 < copies)
		n *= 2;
	return n;
}

/* Returns how many slots there is room for with one copy of each. */
static u32 slots_that_fit(struct latency_cfg *cfg)
{
	u32 slots;

	cfg->slots = 1;
	slots = (u32)(LATENCY_MAP_BYTES / map_bytes(cfg));
	return slots < LATENCY_SLOTS_MIN ? LATENCY_SLOTS_MIN : slots;
}

void latency_size(struct latency_cfg *cfg, u32 most)
{
	cfg->slots = most;
	cfg->copies = cfg->cpus;
	while (cfg->copies > 1 && map_bytes(cfg) > LATENCY_MAP_BYTES)
		cfg->copies = fewer(cfg->copies);
	if (map_bytes(cfg) > LATENCY_MAP_BYTES) {
		cfg->slots = slots_that_fit(cfg);
		while (!is_prime(cfg->slots - 1))
			cfg->slots--;
	}
	/* Any step leads to all of a prime number of rows. */
	cfg->steps = cfg->slots > 2 * LATENCY_STEPS && is_prime(cfg->slots - 1) ? LATENCY_STEPS : 0;
	cfg->cells = latency_shares_cells(cfg) ? 0 : LATENCY_BANKS * cfg->copies * cfg->slots;
	cfg->shared_cells = LATENCY_BANKS * cfg->copies * cfg->slots - cfg->cells;
}
