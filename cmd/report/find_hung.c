// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about commands that hung: they took very long, or are in flight still. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "cmd/report/stretch.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/nvme/spec.h"
#include "lib/session/recording.h"

/* A command that may have hung, and what its class takes. */
struct suspect {
	const struct view *v;
	u32 kind, sender;
	double lat_ns, usual_ns; /* usual: 99.9 % of its class take less; 0: it has no equals */
	u64 from_ns, to_ns;
	bool hung, said;
};

double find_usual(const struct log *l, u32 kind, u32 sender, double lat_ns)
{
	float *lat = malloc((l->n + 1) * sizeof(*lat));
	double usual = 0;
	u32 n = 0, as_long = 0;

	for (u32 i = 0; lat && i < l->n; i++) {
		if (!log_is(&l->at[i], kind, sender))
			continue;
		if ((double)l->at[i].lat_ns >= lat_ns / 2)
			as_long++;
		else
			lat[n++] = l->at[i].lat_ns;
	}
	if (lat && n)
		usual = (double)stretch_select(lat, n, (u32)ceil(0.999 * n) - 1);
	free(lat);
	return as_long > 10 && as_long > n / 20 ? (double)NAN : usual;
}

static void look(struct report *r, u32 side, const struct view *v, struct suspect *s)
{
	const struct log *l = &r->side[side].log;

	*s = (struct suspect){ .v = v, .from_ns = v->ev->submit_ns, .to_ns = v->ev->ts_ns };
	s->lat_ns = (double)(s->to_ns - s->from_ns);
	if (s->lat_ns < finding_limit[LIMIT_HUNG_S] * 1e9)
		return;
	log_class(&r->side[side].log, r->s, v, r->lacks | v->lacks, &s->kind, &s->sender);
	if (l->kind[s->kind]->key.admin && l->kind[s->kind]->key.opcode == nvme_admin_async_event)
		return;
	s->usual_ns = find_usual(l, s->kind, s->sender, s->lat_ns);
	s->hung = s->lat_ns >= finding_limit[LIMIT_HUNG_FACTOR] * s->usual_ns;
}

/* How many commands of the controller ended while this one did not. */
static u32 ended_meanwhile(const struct log *l, const struct suspect *s)
{
	u32 n = 0;

	for (u32 i = 0; i < l->n; i++) {
		double end = (double)log_end_ns(&l->at[i]);

		n += l->kind[l->at[i].kind]->ctrl == l->kind[s->kind]->ctrl &&
		     end > (double)s->from_ns + s->lat_ns / 20 &&
		     end < (double)s->to_ns - s->lat_ns / 20;
	}
	return n * l->every;
}

static const char *became(const struct view *v)
{
	if (v->ev->kind != EVENT_IO)
		return "and is in flight still at the end";
	if (v->ev->status == NVME_SC_ABORT_REQ || v->ev->status == NVME_SC_HOST_ABORTED_CMD)
		return "and was aborted";
	return event_failed(v->ev) ? "and failed" : NULL;
}

/* Says the longest one, and counts those that hung at the same time. */
static void say_hung(struct report *r, u32 side, struct suspect *all, u32 n, struct suspect *s)
{
	const struct log *l = &r->side[side].log;
	const struct view *v = s->v;
	char class[FIND_CLASS], text[FMT_NUMBER], usual[FMT_NUMBER], from[FIND_TIME], to[FIND_TIME],
		ctrl[FIND_WORD];
	struct finding *f =
		find_new(r, side, FINDING_HUNG, FINDING_HIGH, find_device(r, side, s->kind));
	u32 others = 0, ended = ended_meanwhile(l, s);

	for (u32 i = 0; i < n; i++) {
		if (&all[i] == s || !all[i].hung ||
		    l->kind[all[i].kind]->ctrl != l->kind[s->kind]->ctrl ||
		    all[i].from_ns >= s->to_ns || all[i].to_ns <= s->from_ns)
			continue;
		all[i].said = true;
		others++;
	}
	find_class(r, side, f, s->kind, s->sender, class);
	find_time(r, s->from_ns, from);
	find_time_after(r, s->from_ns, s->to_ns, to);
	finding_say(f, "one of the %s", class);
	if (!(r->lacks & NEED_SQE) &&
	    (v->ev->opcode == OPCODE_READ || v->ev->opcode == OPCODE_WRITE) &&
	    !(v->ev->flags & EVENT_ADMIN))
		finding_say(f, ", block %" PRIu64 ",",
			    (uint64_t)(v->ev->cdw[0] | (u64)v->ev->cdw[1] << 32));
	finding_say(f, " took %s from %s to %s", fmt_ns(text, s->lat_ns, " ", 0), from, to);
	if (became(v))
		finding_say(f, ", %s", became(v));
	if (others)
		finding_say(f, ", and %u more hung then", others);
	if (s->usual_ns > 0)
		finding_say(f, "; 99.9 %% of the others took less than %s",
			    fmt_ns(usual, s->usual_ns, " ", 0));
	if (ended)
		finding_say(f, "; meanwhile %u other commands ended on the controller", ended);
	else
		finding_say(f, "; nothing else ended on the controller meanwhile");
	f->lost_s = s->lat_ns / 1e9 * (others + 1);
	find_when(r, f, s->from_ns, s->to_ns);
	finding_figure(f, "lat_ns", s->lat_ns);
	finding_figure(f, "count", others + 1);
	finding_figure(f, "p99.9_ns", s->usual_ns);
	finding_figure(f, "lost_s", f->lost_s);
	if (session_is_replay(r->s))
		find_shows(r, f, "trace %s -L %s",
			   find_ctrl_option(r, &l->kind[s->kind]->key, ctrl), "1s");
	else
		find_shows(r, f, "inflight %s", find_ctrl_option(r, &l->kind[s->kind]->key, ctrl));
}

/* The recording does not tell whose commands are in flight at its end, only how many. */
static void find_unfinished(struct report *r, u32 side)
{
	char age[FMT_NUMBER];
	struct counters c;
	struct finding *f;

	session_recording(r->s, side, &c);
	if (!c.inflight_at_exit || (double)c.oldest_ns < finding_limit[LIMIT_HUNG_S] * 1e9)
		return;
	f = find_new(r, side, FINDING_HUNG, FINDING_HIGH, NULL);
	f->lost_s = (double)c.oldest_ns / 1e9;
	finding_say(f, "%" PRIu64 " command%s in flight at the end, the oldest for %s",
		    (uint64_t)c.inflight_at_exit, c.inflight_at_exit == 1 ? " was" : "s were",
		    fmt_ns(age, (double)c.oldest_ns, " ", 0));
	finding_figure(f, "count", (double)c.inflight_at_exit);
	finding_figure(f, "lat_ns", (double)c.oldest_ns);
	find_shows(r, f, session_is_replay(r->s) ? "info" : "inflight");
}

static int compare_suspects(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	return (x->lat_ns < y->lat_ns) - (x->lat_ns > y->lat_ns);
}

void find_hung(struct report *r, u32 side)
{
	struct report_side *at = &r->side[side];
	struct suspect all[REPORT_SLOWEST + REPORT_LEFT];
	u32 n = 0;

	for (u32 i = 0; i < at->n_slowest; i++)
		look(r, side, view_kept(&at->slowest[i]), &all[n++]);
	for (u32 i = 0; i < at->n_left; i++)
		look(r, side, view_kept(&at->left[i]), &all[n++]);
	qsort(all, n, sizeof(*all), compare_suspects);
	for (u32 i = 0; i < n; i++)
		if (all[i].hung && !all[i].said)
			say_hung(r, side, all, n, &all[i]);
	if (!at->n_left)
		find_unfinished(r, side);
}
