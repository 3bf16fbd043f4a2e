// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the paths of a device: one that commands have left. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/session/lookup.h"

/* The commands of a device that took the path by a controller. */
struct path {
	u32 kind; /* any of them */
	u64 count, first_ns, last_ns; /* completions */
};

static bool is_same(const struct log_kind *a, const struct log_kind *b)
{
	return a->key.device == b->key.device && a->ctrl == b->ctrl;
}

/* Sums up the kinds of each path. Returns how many there are. */
static u32 gather(const struct log *l, struct path *all)
{
	u32 n = 0;

	for (u32 k = 0; k < l->n_kinds; k++) {
		const struct log_kind *kind = l->kind[k];
		u32 i = 0;

		if (!find_is_io(l, k) || !kind->count)
			continue;
		while (i < n && !is_same(l->kind[all[i].kind], kind))
			i++;
		if (i == n)
			all[n++] = (struct path){ k, 0, kind->first_ns, kind->last_ns };
		all[i].count += kind->count;
		if (kind->first_ns < all[i].first_ns)
			all[i].first_ns = kind->first_ns;
		if (kind->last_ns > all[i].last_ns)
			all[i].last_ns = kind->last_ns;
	}
	return n;
}

/*
 * How many commands the path would have had since its last one, at its rate. Its first and last
 * command have count - 1 distances between them.
 */
static double missed(const struct path *p, u64 until_ns)
{
	double distance = (double)(p->last_ns - p->first_ns) / (double)(p->count - 1);

	return until_ns > p->last_ns ? (double)(until_ns - p->last_ns) / (distance + 1) : 0;
}

static const char *ctrl_of(struct report *r, const struct log_kind *kind,
			   char buf[SESSION_CTRL_NAME])
{
	const char *name = session_ctrl_name(r->s, kind->key.ctrl_id, kind->key.host, buf);

	return name ? name : "";
}

static void say_left(struct report *r, u32 side, const struct path *left, const struct path *by)
{
	const struct log *l = &r->side[side].log;
	char time[FIND_TIME], name[2][SESSION_CTRL_NAME], word[FIND_WORD];
	const char *dev = find_device(r, side, left->kind);
	struct finding *f = find_new(r, side, FINDING_PATH, FINDING_HIGH, dev);

	f->weight = (double)left->count;
	finding_say(f,
		    "no command took the path by %s from %s on, after %" PRIu64
		    "; others took that by %s",
		    ctrl_of(r, l->kind[left->kind], name[0]), find_time(r, left->last_ns, time),
		    (uint64_t)left->count, ctrl_of(r, l->kind[by->kind], name[1]));
	find_when(r, f, left->last_ns, r->side[side].last_ns);
	finding_figure(f, "count", (double)left->count);
	find_shows(r, f, "latency --by ctrl,dev 1 -d %s", find_quote(dev ? dev : "", word));
}

void find_paths(struct report *r, u32 side)
{
	const struct log *l = &r->side[side].log;
	struct path *all = calloc(l->n_kinds + 1, sizeof(*all));
	u32 n = all ? gather(l, all) : 0;

	for (u32 i = 0; i < n; i++) {
		const struct path *by = NULL;

		for (u32 k = 0; k < n; k++)
			if (k != i &&
			    l->kind[all[k].kind]->key.device == l->kind[all[i].kind]->key.device &&
			    (!by || all[k].last_ns > by->last_ns))
				by = &all[k];
		if (by && all[i].count >= finding_limit[LIMIT_PATH_COUNT] &&
		    by->count >= finding_limit[LIMIT_PATH_COUNT] &&
		    missed(&all[i], by->last_ns) >= finding_limit[LIMIT_PATH_COUNT])
			say_left(r, side, &all[i], by);
	}
	free(all);
}
