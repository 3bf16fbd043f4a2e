// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about pauses: nothing of a device ended for long, though commands were in flight. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define PAUSES 64 /* of a device */

struct pauses {
	u32 device, kind, sender, n;
	double last_ns, sum_ns;
	struct coincide_span at[PAUSES];
};

/* A pause: nothing ended since the last command did, though this one was in flight. */
static void add(const struct log *l, struct pauses *to, u32 i)
{
	const struct log_command *c = &l->at[i];
	double from = fmax((double)c->submit_ns, to->last_ns), end = (double)log_end_ns(c);

	to->last_ns = fmax(to->last_ns, end);
	if (end - from < finding_limit[LIMIT_PAUSE_MS] * 1e6 || l->apart[i] || to->n == PAUSES ||
	    (double)c->lat_ns >= finding_limit[LIMIT_HUNG_S] * 1e9 ||
	    !(end - from >=
	      finding_limit[LIMIT_PAUSE_FACTOR] * find_usual(l, c->kind, c->sender, end - from)))
		return;
	to->kind = c->kind;
	to->sender = c->sender;
	to->sum_ns += end - from;
	to->at[to->n++] = (struct coincide_span){
		from, end, { (end - from) / 20, (end - from) / 20 }, (end - from) / 20
	};
}

static void say(struct report *r, u32 side, const struct pauses *is)
{
	const struct log *l = &r->side[side].log;
	char ctrl[FIND_WORD];
	struct finding *f =
		find_new(r, side, FINDING_SLOW, is->n >= 3 ? FINDING_HIGH : FINDING_MEDIUM,
			 find_device(r, side, is->kind));

	f->likely = is->n < 3;
	f->lost_s = is->sum_ns / 1e9;
	finding_say(f, "nothing ended, though commands were in flight,");
	find_spans(r, f, is->at, is->n, false);
	find_others(r, f, is->kind, is->sender, is->at, is->n);
	finding_figure(f, "pause_ns", is->sum_ns / is->n);
	finding_figure(f, "lost_s", f->lost_s);
	find_shows(r, f, "trace %s -L %.0fms", find_ctrl_option(r, &l->kind[is->kind]->key, ctrl),
		   finding_limit[LIMIT_PAUSE_MS]);
}

void find_pauses(struct report *r, u32 side)
{
	const struct log *l = &r->side[side].log;
	struct pauses *all = calloc(l->n_kinds + 1, sizeof(*all));

	for (u32 i = 0; all && i < l->n; i++) {
		const struct log_kind *kind = l->kind[l->at[i].kind];
		u32 k = 0;

		if (kind->key.admin || !kind->waited)
			continue;
		while (all[k].device && all[k].device != kind->key.device + 1)
			k++;
		all[k].device = kind->key.device + 1;
		add(l, &all[k], i);
	}
	for (u32 k = 0; all && k < l->n_kinds; k++)
		if (all[k].n)
			say(r, side, &all[k]);
	free(all);
}
