// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the paths of a device: one that commands have left. */
#include <inttypes.h>

#include "cmd/report/report.h"

/*
 * How many commands the path would have had since its last one, at its rate. Its first and last
 * command have count - 1 distances between them.
 */
static double missed(const struct find_path *p, u64 until_ns)
{
	double distance = (double)(p->last_ns - p->first_ns) / (double)(p->count - 1);

	return until_ns > p->last_ns ? (double)(until_ns - p->last_ns) / (distance + 1) : 0;
}

static void say_left(struct report *r, u32 side, const struct find_path *left,
		     const struct find_path *by)
{
	char time[FIND_TIME], on[SESSION_CTRL_NAME], dev[FIND_WORD];
	struct group_row keys;
	struct finding *f;

	group_row_fill(&keys, &r->find_groups.path, &by->key);
	snprintf(on, sizeof(on), "%s", keys.ctrl ? keys.ctrl : "");
	group_row_fill(&keys, &r->find_groups.path, &left->key);
	f = find_new(r, side, FINDING_PATH, FINDING_HIGH, keys.dev);
	f->weight = (double)left->count;
	finding_say(f,
		    "no command took the path by %s from %s on, after %" PRIu64
		    "; others took that by %s",
		    keys.ctrl ? keys.ctrl : "", find_time(r, left->last_ns, time),
		    (uint64_t)left->count, on);
	find_when(r, f, left->last_ns, r->side[side].last_ns);
	finding_figure(f, "count", (double)left->count);
	find_shows(r, f, "latency --by ctrl,dev 1 -d %s",
		   find_quote(keys.dev ? keys.dev : "", dev));
}

void find_paths(struct report *r, u32 side)
{
	struct group_table *t = r->side[side].find.paths;
	u32 n = group_table_sort(t, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct find_path *p = group_table_at(t, i), *by = NULL;

		if (p->key.other || (double)p->count < finding_limit[LIMIT_PATH_COUNT])
			continue;
		for (u32 k = 0; k < n; k++) {
			const struct find_path *other = group_table_at(t, k);

			if (other->key.device == p->key.device &&
			    other->key.ctrl_id != p->key.ctrl_id &&
			    (!by || other->last_ns > by->last_ns))
				by = other;
		}
		if (by && (double)by->count >= finding_limit[LIMIT_PATH_COUNT] &&
		    missed(p, by->last_ns) >= finding_limit[LIMIT_PATH_COUNT])
			say_left(r, side, p, by);
	}
}
