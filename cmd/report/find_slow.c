// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about episodes: like commands took longer for a while, and who was there meanwhile. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/classes.h"
#include "cmd/report/coincide.h"
#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define EPISODES 128
#define MOST_OF	 0.6 /* of the commands outstanding: who has sent so many waits behind his own */
#define HUNG	 50 /* times as long as others: what one hung command lost is not the episode's */
#define TRIES	 6 /* classes of an episode with which others may coincide */
#define LITTLE	 0.03 /* of the loss of the worst span: spans that lost less are left out */
#define QUIET	 5 /* slow commands, one after the other, take no longer than a quiet time lasts */
#define FEWEST	 20 /* commands: half as many beside a stretch, or a quarter in a quiet time, do */

/* The stretches of a class in which it waited. */
struct episode {
	u32 kind, sender, ctrl;
	u32 n;
	struct coincide_span span[STRETCH_MOST];
	double lost_ns, surely, span_ns;
	double above; /* logarithm of the ratio to the quiet level, times the time */
	double took_ns; /* all commands of the class */
	double own, all; /* outstanding when its commands were sent: its own, and all; sums */
	bool waited, growing, used, worker;
	const struct episode *joined; /* the one that tells of this, too */
};

struct episodes {
	struct report *r;
	u32 side;
	const struct log *l;
	u32 n;
	struct episode *is;
};

/* The means of how many commands of the sender, and of all, were outstanding with points. */
struct depth {
	double mean, all;
};

static struct depth depth_of(const struct log *l, const struct stretch_point *p, u32 from, u32 to)
{
	double n = to - from, own = 0, all = 0;

	for (u32 i = from; i < to; i++) {
		own += l->own[p[i].tag] + 1;
		all += l->all[p[i].tag] + 1;
	}
	return n < 1 ? (struct depth){ 1, 1 } : (struct depth){ own / n, all / n };
}

/* The points next to a stretch that are in none: before it, or else behind. */
static void beside(const struct stretches *s, u32 i, u32 points, u32 *from, u32 *to)
{
	*from = i ? s->is[i - 1].to : 0;
	*to = s->is[i].from;
	if (*to - *from >= FEWEST / 2 || s->is[i].to >= points)
		return;
	*from = s->is[i].to;
	*to = i + 1 < s->n ? s->is[i + 1].from : points;
}

/* How many points a nanosecond has. */
static double rate_of(const struct stretch_point *p, u32 from, u32 to)
{
	return (to - from) / (p[to - 1].at - p[from].at + 1);
}

/*
 * Whether a process waits longer because it wants more: it has more in flight than before. Where most
 * of what is in flight is its own, it must also send more commands in a second, or nearly as many if its
 * depth explains the wait. Where others have most, its depth must explain the wait and grow no less than
 * theirs.
 */
static bool is_own_wish(const struct episodes *e, const struct class *class,
			const struct stretches *s, const struct stretch_point *p, u32 i)
{
	const struct stretch *is = &s->is[i];
	double ratio = exp(is->level - s->quiet), growth, more;
	bool explained;
	struct depth quiet, now;
	u32 from, to;

	beside(s, i, class->n, &from, &to);
	if (to <= from)
		return false;
	quiet = depth_of(e->l, p, from, to);
	now = depth_of(e->l, p, is->from, is->to);
	growth = now.mean / quiet.mean;
	more = rate_of(p, is->from, is->to) / rate_of(p, from, to);
	explained = ratio < finding_limit[LIMIT_SLOW_FACTOR] * growth;
	if (growth < finding_limit[LIMIT_SLOW_OWN])
		return false;
	if (now.mean >= MOST_OF * now.all)
		return more > 1.3 || (explained && more > 1 / 1.2);
	return explained &&
	       now.mean - quiet.mean >= (now.all - now.mean) - (quiet.all - quiet.mean);
}

/* How long the commands of a stretch took in all beyond what they take in quiet time. */
static double lost_of(const struct stretches *s, const struct stretch_point *p, u32 i)
{
	double usual = exp(s->quiet + s->spread * s->spread / 2), most = HUNG * exp(s->is[i].level),
	       sum = 0;

	for (u32 k = s->is[i].from; k < s->is[i].to; k++)
		sum += fmin(exp((double)p[k].value), most) - usual;
	return sum > 0 ? sum : 0;
}

static void add_span(struct episode *e, const struct log *l, const struct stretches *s,
		     const struct stretch_point *p, u32 i)
{
	const struct stretch *is = &s->is[i];
	const struct stretch_point *last = &p[is->to - 1];
	struct coincide_span *span = &e->span[e->n++];
	double slow_ns = exp(is->level);

	*span = (struct coincide_span){ is->edge[0], is->edge[1], { -1, -1 }, -1 };
	span->to_ns = fmax(span->to_ns, last->at + fmin(exp((double)last->value), 4 * slow_ns));
	if (!is->open[0])
		span->first_ns = is->unsure[0] + 3 * exp(s->quiet);
	for (u32 k = 0; k < 2; k++)
		if (!is->open[k]) /* what was sent before may still be in flight */
			span->unsure[k] = is->unsure[k] + slow_ns;
	for (u32 k = is->from; k < is->to; k++) {
		e->own += l->own[p[k].tag] + 1;
		e->all += l->all[p[k].tag] + 1;
	}
	e->lost_ns += lost_of(s, p, i);
	e->span_ns += span->to_ns - span->from_ns;
	e->above += (is->level - s->quiet) * (span->to_ns - span->from_ns);
	e->surely = fmax(e->surely, is->surely);
	e->growing |= is->growing;
}

/* Adds the stretches in which a class waited for others. One in which little was lost tells of another time. */
static void add_spans(const struct episodes *e, struct episode *to, const struct class *class,
		      const struct stretches *s, const struct stretch_point *p)
{
	double lost[STRETCH_MOST], most = 0;

	for (u32 i = 0; i < s->n; i++) {
		lost[i] = is_own_wish(e, class, s, p, i) ? -1 : lost_of(s, p, i);
		most = fmax(most, lost[i]);
	}
	for (u32 i = 0; i < s->n; i++)
		if (lost[i] >= most * LITTLE)
			add_span(to, e->l, s, p, i);
}

/* Somebody waits for it, and for others, not for what it has in flight itself. */
static bool waits(const struct episode *e)
{
	return e->waited && e->own < MOST_OF * e->all && !e->worker;
}

/* What counts of it: little of what one waits for his own. */
static double counts_for(const struct episode *e)
{
	return waits(e) ? e->lost_ns : e->waited ? e->lost_ns / 10 : e->lost_ns / 1000;
}

static int compare_lost(const void *a, const void *b)
{
	double x = counts_for(a), y = counts_for(b);

	return (x < y) - (x > y);
}

static void keep(struct episodes *e, struct episode *is)
{
	is->worker = e->l->sender[is->sender]->work != WORK_OWN;
	if (!is->n || is->lost_ns <= 0)
		return;
	if (e->n == EPISODES) { /* the least one goes */
		qsort(e->is, e->n, sizeof(*e->is), compare_lost);
		e->n--;
	}
	e->is[e->n++] = *is;
}

static struct stretches stretches_of(const struct class *class, const struct stretch_point *p)
{
	return stretch_find(p, class->n, log(finding_limit[LIMIT_SLOW_FACTOR]),
			    finding_limit[LIMIT_SLOW_SURELY]);
}

static void keep_class(struct episodes *e, const struct class *class, const struct stretches *s,
		       const struct stretch_point *p)
{
	const struct log_kind *kind = e->l->kind[class->kind];
	struct episode is = { .kind = class->kind,
			      .sender = class->sender,
			      .ctrl = kind->ctrl,
			      .waited = kind->waited };

	for (u32 i = 0; i < class->n; i++)
		is.took_ns += (double)e->l->at[p[i].tag].lat_ns;
	add_spans(e, &is, class, s, p);
	keep(e, &is);
}

static void look_at_class(struct episodes *e, const struct class *class,
			  const struct stretch_point *p)
{
	const struct stretches s = stretches_of(class, p);

	keep_class(e, class, &s, p);
}

/* Looks at a class by depth, and keeps how far its commands are above its quiet level. */
static void look_by_depth(struct episodes *e, const struct class *class,
			  const struct stretch_point *p)
{
	const struct stretches s = stretches_of(class, p);

	keep_class(e, class, &s, p);
	for (u32 i = 0; i < class->n; i++)
		e->l->excess[p[i].tag] = s.known ? p[i].value - (float)s.quiet : NAN;
}

static u64 class_of_device(const struct log *l, u32 i)
{
	const struct group_key *key = &l->kind[l->at[i].kind]->key;

	if (class_of_sender(l, i) == CLASS_NONE || isnan(l->excess[i]))
		return CLASS_NONE;
	return (u64)key->device << 32 | key->flags << 16 | (u64)key->opcode;
}

static float excess_of(const struct log *l, u32 i)
{
	return l->excess[i];
}

/* The class of all in a stretch that lost most by others: it stands for them. */
static void choose_class(const struct log *l, const struct stretch_point *p,
			 const struct stretch *is, struct class *class)
{
	double *lost = calloc((size_t)(LOG_SENDERS + 1), sizeof(*lost)), most = 0;

	for (u32 i = is->from; lost && i < is->to; i++) {
		const struct log_command *c = &l->at[p[i].tag];

		lost[c->sender] += (double)c->lat_ns;
		if (l->own[p[i].tag] + 1 < MOST_OF * (l->all[p[i].tag] + 1) ? lost[c->sender] > most
									    : most <= 0) {
			most = lost[c->sender];
			class->kind = c->kind;
			class->sender = c->sender;
		}
	}
	free(lost);
}

/* The same of all commands of an opcode to a device together, by how far they are above their quiet levels. */
static void look_at_device(struct episodes *e, const struct class *class,
			   const struct stretch_point *p)
{
	struct class of = *class;
	struct episode is = { 0 };
	const struct stretches s = stretches_of(class, p);

	if (!s.n)
		return;
	choose_class(e->l, p, &s.is[0], &of);
	add_spans(e, &is, &of, &s, p);
	is.kind = of.kind;
	is.sender = of.sender;
	is.ctrl = e->l->kind[of.kind]->ctrl;
	is.waited = e->l->kind[of.kind]->waited;
	is.lost_ns = is.took_ns = 0;
	for (u32 i = 0; i < class->n; i++) {
		double lat = (double)e->l->at[p[i].tag].lat_ns;

		is.took_ns += lat;
		for (u32 k = 0; k < is.n; k++)
			if (p[i].at >= is.span[k].from_ns && p[i].at < is.span[k].to_ns)
				is.lost_ns += lat * (1 - exp(-fmax(0, (double)p[i].value)));
	}
	keep(e, &is);
}

static int look_at_classes(struct episodes *e, const struct classing *by,
			   void (*look)(struct episodes *e, const struct class *class,
					const struct stretch_point *p))
{
	struct classes *c = classes_make(e->l, by);

	for (u32 i = 0; c && i < c->n; i++)
		look(e, &c->is[i], c->point + c->is[i].first);
	classes_free(c);
	return c ? 0 : -1;
}

/* For how long both are. */
static double common_ns(const struct episode *a, const struct episode *b)
{
	double sum = 0;

	for (u32 i = 0; i < a->n; i++)
		for (u32 k = 0; k < b->n; k++) {
			double from = fmax(a->span[i].from_ns, b->span[k].from_ns);
			double to = fmin(a->span[i].to_ns, b->span[k].to_ns);

			sum += to > from ? to - from : 0;
		}
	return sum;
}

/* Whether two are about the same time of a controller. */
static bool are_one(const struct episode *a, const struct episode *b)
{
	return a->ctrl == b->ctrl && common_ns(a, b) >= fmin(a->span_ns, b->span_ns) / 2;
}

/* Where the class ended, or began, while others still waited, the episode goes on with them. */
static void prolong(struct episode *is, const struct episode *by)
{
	struct coincide_span *first = &is->span[0], *last = &is->span[is->n - 1];
	double from = by->span[0].from_ns, to = by->span[by->n - 1].to_ns;

	if (is->n > 1 || by->n > 1)
		return;
	if (last->unsure[1] < 0 && to > last->to_ns) {
		last->to_ns = to;
		last->unsure[1] = by->span[0].unsure[1];
	}
	if (first->unsure[0] < 0 && from < first->from_ns) {
		first->from_ns = from;
		first->unsure[0] = by->span[0].unsure[0];
	}
	is->span_ns = last->to_ns - first->from_ns;
}

static bool is_same(const struct episode *a, const struct episode *b)
{
	return a->kind == b->kind && a->sender == b->sender;
}

/* Whether @is tells of the commands of episode @at, by way of another episode: by depth, or of all. */
static bool is_told(const struct episodes *e, u32 at, const struct episode *is)
{
	u32 i = 0;

	while (i < at && !(e->is[i].joined == is && is_same(&e->is[i], &e->is[at])))
		i++;
	return i < at || is_same(is, &e->is[at]);
}

/* Takes what others lost at the same time. Returns how many kinds and senders that were. */
static u32 join_others(struct episodes *e, struct episode *is, double *lost_ns)
{
	u32 others = 0;

	for (u32 i = 0; i < e->n; i++) {
		struct episode *o = &e->is[i];

		if (o == is || o->used || !are_one(is, o))
			continue;
		o->used = true;
		prolong(is, o);
		if (is_told(e, i, is))
			continue;
		o->joined = is;
		others++;
		*lost_ns += o->lost_ns;
	}
	return others;
}

static const struct coincide_span *longest(const struct episode *is)
{
	u32 most = 0;

	for (u32 i = 1; i < is->n; i++)
		if (is->span[i].to_ns - is->span[i].from_ns >
		    is->span[most].to_ns - is->span[most].from_ns)
			most = i;
	return &is->span[most];
}

/* The time between two spans, or before or behind all, as far as it is surely outside. */
struct gap {
	double from_ns, to_ns;
	double first_ns, last_ns; /* commands of the class that ended in it */
	u32 count;
};

/* When the first command of an episode's class ended. */
static double first_end(const struct log *l, const struct episode *is)
{
	u32 i = 0;

	while (i < l->n - 1 && !log_is(&l->at[i], is->kind, is->sender))
		i++;
	return (double)log_end_ns(&l->at[i]);
}

/* Sets the gap before each span and the one behind the last. What is unsure takes half of one at most. */
static void set_gaps(const struct episodes *e, const struct episode *is, struct gap *gap)
{
	const struct report_side *side = &e->r->side[e->side];
	double half_ns;

	for (u32 i = 0; i <= is->n; i++) {
		gap[i].from_ns = i ? is->span[i - 1].to_ns : (double)side->start_ns;
		gap[i].to_ns = (double)side->last_ns;
		if (i == is->n)
			break;
		half_ns = (is->span[i].from_ns - (i ? gap[i].from_ns : first_end(e->l, is))) / 2;
		gap[i].to_ns = is->span[i].from_ns - fmax(0, fmin(is->span[i].unsure[0], half_ns));
	}
}

/* The gap in which most commands of the class ended, and for how long such ended in all gaps. */
static struct find_period quiet_period(const struct episodes *e, const struct episode *is,
				       double *ns)
{
	struct gap gap[STRETCH_MOST + 1] = { 0 }, *most = gap;

	set_gaps(e, is, gap);
	for (u32 k = 0; k < e->l->n; k++) {
		double end = (double)log_end_ns(&e->l->at[k]);

		if (!log_is(&e->l->at[k], is->kind, is->sender))
			continue;
		for (u32 i = 0; i <= is->n; i++) {
			if (end < gap[i].from_ns || end >= gap[i].to_ns)
				continue;
			gap[i].first_ns = gap[i].count++ ? gap[i].first_ns : end;
			gap[i].last_ns = end;
		}
	}
	for (u32 i = 0; i <= is->n; i++) {
		*ns += gap[i].last_ns - gap[i].first_ns;
		most = gap[i].count > most->count ? &gap[i] : most;
	}
	return find_period(e->r, e->side, most->from_ns, most->to_ns);
}

/* Periods that the figures are of, and the command shows: the quiet time, and the longest span. */
static bool set_periods(const struct episodes *e, const struct episode *is,
			struct find_period *quiet, struct find_period *slow)
{
	const struct coincide_span *span = longest(is);
	double quiet_ns = 0;

	*slow = find_period(e->r, e->side, span->from_ns, span->to_ns);
	find_median(e->r, e->side, is->kind, is->sender, slow);
	*quiet = quiet_period(e, is, &quiet_ns);
	find_median(e->r, e->side, is->kind, is->sender, quiet);
	return quiet->count >= FEWEST / 4 && slow->count && quiet_ns >= QUIET * slow->median_ns &&
	       slow->median_ns >= 1.3 * quiet->median_ns;
}

static void weigh(const struct report_side *side, const struct episode *is, struct finding *f,
		  double lost_ns, u32 named)
{
	double waiting = lost_ns / (double)(side->last_ns - side->first_ns + 1);
	double share = is->lost_ns / (is->took_ns + 1), ratio = exp(is->above / is->span_ns);
	bool only_before = is->n == 1 && is->span[0].unsure[0] < 0 && !named;

	f->lost_s = lost_ns / 1e9;
	f->likely = is->surely < 1.5 * finding_limit[LIMIT_SLOW_SURELY];
	bool brief = is->span_ns < finding_limit[LIMIT_SLOW_BRIEF] * 1e9 &&
		     ratio < 2 * finding_limit[LIMIT_SLOW_FACTOR];

	if (!is->waited || is->worker || only_before || brief ||
	    waiting < finding_limit[LIMIT_SLOW_LEAST] || share < finding_limit[LIMIT_SLOW_PART])
		f->severity = FINDING_LOW;
	else if (ratio >= finding_limit[LIMIT_SLOW_HIGH] &&
		 waiting >= 4 * finding_limit[LIMIT_SLOW_LEAST] &&
		 share >= 2 * finding_limit[LIMIT_SLOW_PART])
		f->severity = FINDING_HIGH;
}

/* Marks who waits in the episodes that are one with @is: their senders are not blamed for it. */
static void mark_victims(const struct episodes *e, const struct episode *is, u8 *victims)
{
	memset(victims, 0, LOG_SENDERS + 1);
	for (u32 i = 0; i < e->n; i++)
		if (!e->is[i].worker && are_one(is, &e->is[i]))
			victims[e->is[i].sender] = 1;
	victims[is->sender] = 2;
}

static struct find_episode episode_of(const struct episode *is, const u8 *victims)
{
	return (struct find_episode){ is->kind, is->sender,  victims, is->span,
				      is->n,	is->growing, NULL };
}

/*
 * Of the episodes that are one with @first, the one that tells most of it: the first that somebody
 * coincides with, else @first. Its coincidences are in @c.
 */
static struct episode *best_of(struct episodes *e, struct episode *first, struct coincide *c)
{
	u8 victims[LOG_SENDERS + 1];
	struct find_episode episode;
	struct find_period quiet, slow;
	struct episode *most = first;
	bool unclear = false;
	u32 tries = 0;

	for (u32 i = 0; i < e->n; i++) {
		struct episode *is = &e->is[i];
		bool tried = tries < TRIES && (is == first || waits(is));

		if (is->used || !are_one(first, is) || !is->waited || is->worker ||
		    (!tried && is->lost_ns <= most->lost_ns) || !set_periods(e, is, &quiet, &slow))
			continue;
		if (is->lost_ns > most->lost_ns)
			most = is;
		if (!tried)
			continue;
		tries++;
		mark_victims(e, is, victims);
		episode = episode_of(is, victims);
		if (!find_coincides(e->r, e->side, &episode, c) && c->n)
			return is;
		unclear |= c->unclear;
	}
	*c = (struct coincide){ .unclear = unclear };
	return most;
}

static void say_episode(struct episodes *e, struct episode *first)
{
	struct report *r = e->r;
	struct coincide c;
	struct episode *is = best_of(e, first, &c);
	struct find_episode episode = episode_of(is, NULL);
	double lost_ns = is->lost_ns;
	struct find_period quiet, slow;
	u32 others, named;
	char text[2][FMT_NUMBER], class[FIND_CLASS];
	struct finding *f;

	if (!set_periods(e, is, &quiet, &slow))
		return;
	is->used = true;
	episode.shown = &slow;
	others = join_others(e, is, &lost_ns);
	f = find_new(r, e->side, FINDING_SLOW, FINDING_MEDIUM, find_device(r, e->side, is->kind));
	find_class(r, e->side, f, is->kind, is->sender, class);
	finding_say(f, "%s took %s instead of %s", class, fmt_ns(text[0], slow.median_ns, " ", 0),
		    fmt_ns(text[1], quiet.median_ns, " ", 0));
	find_spans(r, f, is->span, is->n, is->growing);
	if (others)
		finding_say(f, ", and %u other kind%s of commands waited", others, plural(others));
	named = find_with(r, f, &episode, &c);
	finding_figure(f, "p50_ns", slow.median_ns);
	finding_figure(f, "before_p50_ns", quiet.median_ns);
	finding_figure(f, "count", slow.count);
	finding_figure(f, "lost_s", lost_ns / 1e9);
	weigh(&r->side[e->side], is, f, lost_ns, named);
	find_shows_periods(r, f, is->kind, is->sender,
			   quiet.from_ns < slow.from_ns ? &quiet : &slow,
			   quiet.from_ns < slow.from_ns ? &slow : &quiet);
	for (u32 i = 0; f->severity != FINDING_LOW && i < is->n; i++)
		log_set_apart(&r->side[e->side].log, is->ctrl, is->span[i].from_ns,
			      is->span[i].to_ns);
}

void find_slow(struct report *r, u32 side)
{
	struct episodes e = { .r = r, .side = side, .l = &r->side[side].log };

	e.is = calloc(EPISODES, sizeof(*e.is));
	if (e.is) {
		for (u32 i = 0; i < e.l->n; i++)
			e.l->excess[i] = NAN;
		look_at_classes(&e, &(struct classing){ .key = class_of_depth }, look_by_depth);
		look_at_classes(&e, &(struct classing){ .key = class_of_sender }, look_at_class);
		look_at_classes(&e,
				&(struct classing){ .key = class_of_device, .value = excess_of },
				look_at_device);
		qsort(e.is, e.n, sizeof(*e.is), compare_lost);
		for (u32 i = 0; i < e.n; i++)
			if (!e.is[i].used)
				say_episode(&e, &e.is[i]);
	}
	free(e.is);
}
