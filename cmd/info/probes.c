// SPDX-License-Identifier: GPL-2.0-or-later
/* info: what a recording of `spdk -f nvt` holds. */
#include <errno.h>

#include "cmd/info/info_row.h"
#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

struct counts {
	u64 *place; /* hits by place */
	u32 n, room;
};

static bool count_hit(struct counts *c, u32 place)
{
	while (c->n <= place) {
		if (!array_grow((void **)&c->place, c->n, &c->room, sizeof(*c->place)))
			return false;
		c->place[c->n++] = 0;
	}
	c->place[place]++;
	return true;
}

/* Orders probes: the most frequent first, then by name. */
static int compare(const void *a, const void *b)
{
	const struct info_probe *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Sums up the places of each probe. */
static bool list_probes(struct info_row *row, const struct spdk_load *l, const struct counts *c)
{
	u32 k;

	row->n_probes = 0;
	row->probe = calloc(c->n + 1, sizeof(*row->probe));
	for (u32 i = 0; row->probe && i < c->n; i++) {
		const char *name = l->site[i].shape.name;

		if (!c->place[i] || !name)
			continue;
		for (k = 0; k < row->n_probes && !streq(row->probe[k].name, name); k++)
			;
		row->n_probes += k == row->n_probes;
		row->probe[k].name = name;
		row->probe[k].count += c->place[i];
	}
	if (row->probe)
		qsort(row->probe, row->n_probes, sizeof(*row->probe), compare);
	return row->probe;
}

int info_read_probes(struct info_row *row, struct spdk_load *l)
{
	struct spdk_sum sum = { 0 };
	struct counts counts = { 0 };
	bool room = true;
	u64 end_ns;
	int err;

	row->head = *replay_head(l->replay, 0);
	row->end_ns = row->head.start_ns;
	row->probes = l;
	row->holds = RECORD_PROBES;
	row->inflight_at_exit = INFO_UNKNOWN;
	while ((err = spdk_load_next(l)) > 0 && (room = count_hit(&counts, l->hit.site))) {
		row->hits++;
		row->errors += spdk_failed(&l->site[l->hit.site], &l->hit);
		if (l->hit.ts_ns > row->end_ns)
			row->end_ns = l->hit.ts_ns;
	}
	spdk_load_end(l, &sum, &end_ns);
	row->hits_lost = sum.lost;
	row->whole = !replay_damaged(l->replay);
	row->complete = row->whole && !spdk_lost_total(&sum.lost);
	room = room && list_probes(row, l, &counts);
	free(counts.place);
	return err < 0 || room ? err : fail(-ENOMEM, NULL, NULL, "counts of probes");
}
