// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about classes of commands that need no episode: tails, overload, waits before the drive. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/classes.h"
#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"

#define TAIL_GAP                                                                                   \
	12 /* times the median distance of two commands of a tail: chance has no such gap */

static void each_class(struct report *r, u32 side, const struct classing *by,
		       void (*look)(struct report *r, u32 side, const struct class *class,
				    const struct stretch_point *p))
{
	struct classes *c = classes_make(&r->side[side].log, by);

	for (u32 i = 0; c && i < c->n; i++)
		look(r, side, &c->is[i], c->point + c->is[i].first);
	classes_free(c);
}

/* How many of @n values are below @value. */
static u32 below(const float *values, u32 n, double value)
{
	u32 count = 0;

	for (u32 i = 0; i < n; i++)
		count += (double)values[i] < value;
	return count;
}

/*
 * The latencies that a table shows in the row of a class: commands that are set apart are among them.
 * @size: the row is of one size. NULL: no memory.
 */
static float *shown_of(const struct log *l, const struct class *class, bool size, u32 *n)
{
	const struct group_key *key = &l->kind[class->kind]->key;
	float *lat = malloc((l->n + 1) * sizeof(*lat));

	*n = 0;
	for (u32 i = 0; lat && i < l->n; i++) {
		const struct group_key *is = &l->kind[l->at[i].kind]->key;

		if (l->at[i].sender == class->sender && is->device == key->device &&
		    is->opcode == key->opcode && is->admin == key->admin &&
		    (!size || is->size_class == key->size_class))
			lat[(*n)++] = l->at[i].lat_ns;
	}
	return lat;
}

#define LITTLE 0.03 /* of a tail: a span with less is chance */

/* Commands that took very much longer than most of their class. */
struct tail {
	double limit; /* logarithm of the least latency in it */
	u32 n, spans;
	double lost_ns;
	bool always; /* at any time; else all of them were in the spans */
	struct coincide_span span[STRETCH_MOST];
};

/* Spans of time in which commands of a tail were in flight; a span ends where none is for @gap_ns. */
static void fill_spans(struct tail *is, const struct stretch_point *p, u32 n, double gap_ns)
{
	struct coincide_span *last = is->span;

	is->spans = 0;
	for (u32 i = 0; i < n; i++) {
		double to = p[i].at + exp((double)p[i].value),
		       before = i ? p[i].at - p[i - 1].at : 0;

		if ((double)p[i].value < is->limit)
			continue;
		if (!is->spans || (p[i].at - last->to_ns > gap_ns && is->spans < STRETCH_MOST)) {
			last = &is->span[is->spans++];
			*last = (struct coincide_span){ p[i].at, to, { 0 }, 2 * before };
		}
		last->to_ns = fmax(last->to_ns, to);
		last->unsure[0] = last->unsure[1] = (last->to_ns - last->from_ns) / 20;
	}
}

/* The median distance of the commands of a tail. */
static double median_gap(const struct tail *is, const struct stretch_point *p, u32 n)
{
	float *gaps = malloc((n + 1) * sizeof(*gaps));
	double last = 0, median = INFINITY;
	u32 m = 0;

	for (u32 i = 0; gaps && i < n; i++) {
		if ((double)p[i].value < is->limit)
			continue;
		if (last > 0)
			gaps[m++] = (float)(p[i].at - last);
		last = p[i].at;
	}
	if (gaps && m)
		median = stretch_median(gaps, m);
	free(gaps);
	return median;
}

/* Makes one span of all, without those at the begin and at the end that are chance. */
static void join_spans(struct tail *is, const struct stretch_point *p, u32 n)
{
	u32 in[STRETCH_MOST] = { 0 }, first = 0, last = is->spans - 1;
	struct coincide_span *to = is->span;

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < is->spans; k++)
			in[k] += (double)p[i].value >= is->limit &&
				 p[i].at >= is->span[k].from_ns && p[i].at < is->span[k].to_ns;
	while (first < last && in[first] < LITTLE * is->n)
		first++;
	while (last > first && in[last] < LITTLE * is->n)
		last--;
	*to = (struct coincide_span){ .from_ns = is->span[first].from_ns,
				      .to_ns = is->span[last].to_ns,
				      .first_ns = is->span[first].first_ns };
	to->unsure[0] = to->unsure[1] = (to->to_ns - to->from_ns) / 20;
	is->spans = 1;
}

/*
 * When the tail was: in spans, if gaps are longer than chance has them; else from the first to the last of
 * it, or at any time, if each quarter of the time of their class has some; of fewer than 40, three have.
 */
static void set_times(struct tail *is, const struct stretch_point *p, u32 n)
{
	double span = p[n - 1].at - p[0].at + 1, sum = 0;
	u32 in[4] = { 0 }, quarters = 0;

	fill_spans(is, p, n, fmax(TAIL_GAP * median_gap(is, p, n), span / 64));
	for (u32 i = 0; i < is->spans; i++)
		sum += is->span[i].to_ns - is->span[i].from_ns;
	if (is->spans > 1 && sum < span / 2)
		return;
	join_spans(is, p, n);
	for (u32 i = 0; i < n; i++)
		in[(u32)((p[i].at - p[0].at) * 4 / span)] += (double)p[i].value >= is->limit;
	for (u32 i = 0; i < 4; i++)
		quarters += in[i] && in[i] >= is->n / 40;
	is->always = quarters >= (is->n < 40 ? 3 : 4);
}

static void say_tail(struct report *r, u32 side, const struct class *class, float *lat,
		     const struct tail *is)
{
	const struct log *l = &r->side[side].log;
	char name[FIND_CLASS], text[2][FMT_NUMBER], share[FMT_NUMBER], ctrl[FIND_WORD],
		table[FIND_TABLE];
	double part = (double)is->n / class->n, middle, median, typical;
	struct finding *f;
	float *shown;
	u32 n;

	shown = shown_of(l, class, true, &n);
	if (!shown)
		return;
	middle = (double)stretch_select(lat, class->n, class->n - 1 - is->n / 2); /* of the tail */
	middle = round((below(shown, n, middle) + 1.0) / n * 1e4) / 100;
	median = find_percentile(shown, n, 50);
	typical = find_percentile(shown, n, middle);
	free(shown);
	if (typical < finding_limit[LIMIT_TAIL_FACTOR] / 2 * median)
		return; /* with what is set apart it is no tail */

	f = find_new(r, side, is->always ? FINDING_TAIL : FINDING_SLOW, FINDING_MEDIUM,
		     find_device(r, side, class->kind));
	f->lost_s = is->lost_ns / 1e9 * l->every;
	find_class(r, side, f, class->kind, class->sender, name);
	finding_say(f, "%s %% of the %s took %s, %s times as long as most,",
		    fmt_number(share, part * 100, part < 0.1), name,
		    fmt_ns(text[0], typical, " ", 0),
		    find_depth(typical / median, (char[FMT_NUMBER]){ 0 }));
	if (is->always)
		finding_say(f, " at any time");
	else
		find_spans(r, f, is->span, is->spans, false);
	finding_say(f, "; the median is %s", fmt_ns(text[1], median, " ", 0));
	if (!is->always)
		find_others(r, f, class->kind, class->sender, is->span, is->spans);
	if (!l->kind[class->kind]->waited)
		f->severity = FINDING_LOW;
	finding_figure(f, "share_pct", part * 100);
	finding_figure(f, "tail_ns", typical);
	finding_figure(f, "p50_ns", median);
	finding_figure(f, "count", (double)is->n * l->every);
	finding_figure(f, "lost_s", f->lost_s);
	find_table(r, side, class->kind, class->sender, "", table);
	find_shows(r, f, "%s %s -P 50,%s,100", table,
		   find_ctrl_option(r, &l->kind[class->kind]->key, ctrl),
		   fmt_number(share, middle, 2));
}

static void look_at_tail(struct report *r, u32 side, const struct class *class,
			 const struct stretch_point *p)
{
	double sum = 0, median, limit;
	struct tail is = { 0 };
	float *lat = malloc((class->n + 1) * sizeof(*lat));
	u32 between;

	if (!lat || class->n < 5 * finding_limit[LIMIT_TAIL_COUNT]) {
		free(lat);
		return;
	}
	for (u32 i = 0; i < class->n; i++) {
		lat[i] = r->side[side].log.at[p[i].tag].lat_ns;
		sum += (double)lat[i];
	}
	median = (double)stretch_select(lat, class->n, class->n / 2);
	limit = fmax(finding_limit[LIMIT_TAIL_FACTOR] * median, 1e6);
	is.limit = log(limit);
	for (u32 i = 0; i < class->n; i++) {
		is.n += (double)lat[i] >= limit;
		is.lost_ns += (double)lat[i] >= limit ? (double)lat[i] - median : 0;
	}
	between = class->n - is.n - below(lat, class->n, limit / 3);
	if (is.n >= finding_limit[LIMIT_TAIL_COUNT] && is.n <= class->n / 8 &&
	    between <= is.n / 2 && is.lost_ns >= finding_limit[LIMIT_TAIL_SHARE] * sum) {
		set_times(&is, p, class->n);
		say_tail(r, side, class, lat, &is);
	}
	free(lat);
}

void find_tails(struct report *r, u32 side)
{
	const struct classing by = { .key = class_of_sender };

	each_class(r, side, &by, look_at_tail);
}

/*
 * What is outstanding on a controller in the time of a class, by the name of the sender, and how much of
 * the time anything is.
 */
struct crowd {
	double of[LOG_SENDERS + 1], bytes[LOG_SENDERS + 1];
	double all, all_bytes, busy, lasts;
};

static void fill_crowd(const struct log *l, const struct class *class,
		       const struct stretch_point *p, struct crowd *c)
{
	double from = p[0].at, to = p[class->n - 1].at + exp((double)p[class->n - 1].value),
	       until = from;

	for (u32 i = 0; i < l->n; i++) {
		const struct log_command *at = &l->at[l->by_submit[i]];
		u32 name = l->sender[at->sender]->name;
		double begin = fmax((double)at->submit_ns, from),
		       end = fmin((double)log_end_ns(at), to);

		if (l->kind[at->kind]->ctrl != l->kind[class->kind]->ctrl || end <= begin)
			continue;
		c->of[name] += end - begin;
		c->all += end - begin;
		c->bytes[name] += at->bytes;
		c->all_bytes += at->bytes;
		c->busy += fmax(0, end - fmax(begin, until));
		until = fmax(until, end);
	}
	c->lasts = to - from;
}

/* The median latency of the reads and writes that all processes of a name sent to a controller. */
static double median_of(const struct log *l, u32 ctrl, u32 name)
{
	float *lat = malloc((l->n + 1) * sizeof(*lat));
	double median = 0;
	u32 n = 0;

	for (u32 i = 0; lat && i < l->n; i++)
		if (l->sender[l->at[i].sender]->name == name &&
		    l->kind[l->at[i].kind]->ctrl == ctrl && l->at[i].bytes)
			lat[n++] = l->at[i].lat_ns;
	if (n)
		median = stretch_median(lat, n);
	free(lat);
	return median;
}

struct overload {
	u32 culprit;
	double depth, all, own, median,
		theirs; /* depths: of the culprit, of all, of the class's sender */
};

/* Whether one other sender has the drive all the time; sets who, and how much. */
static bool is_full(const struct log *l, const struct class *class, const struct stretch_point *p,
		    struct overload *is)
{
	struct crowd *c = calloc(1, sizeof(*c));
	u32 name = l->sender[class->sender]->name, most = name ? 0 : 1;
	bool full = false;

	if (!c || l->n_senders < 2) {
		free(c);
		return false;
	}
	fill_crowd(l, class, p, c);
	for (u32 i = 0; i < l->n_senders; i++)
		if (i != name && !l->sender[i]->key.other && c->of[i] > c->of[most])
			most = i;
	full = c->busy >= finding_limit[LIMIT_OVERLOAD_BUSY] * c->lasts &&
	       (c->of[most] >= finding_limit[LIMIT_OVERLOAD_SHARE] * c->all ||
		(c->of[most] >= finding_limit[LIMIT_OVERLOAD_SHARE] / 2 * c->all &&
		 c->bytes[most] >= finding_limit[LIMIT_OVERLOAD_SHARE] * c->all_bytes));
	is->culprit = most;
	is->depth = c->of[most] / c->lasts * l->every;
	is->all = c->all / c->lasts * l->every;
	is->own = c->of[name] / c->lasts * l->every;
	free(c);
	return full;
}

static bool is_overloaded(const struct log *l, const struct class *class,
			  const struct stretch_point *p, struct overload *is)
{
	double others = 0;
	float *lat;
	u32 n;

	*is = (struct overload){ 0 };
	for (u32 i = 0; i < class->n; i++)
		others += l->all[p[i].tag] - l->own[p[i].tag];
	lat = shown_of(l, class, false, &n);
	is->median = lat ? find_percentile(lat, n, 50) : 0;
	free(lat);
	if (others < finding_limit[LIMIT_OVERLOAD_OTHERS] * class->n ||
	    is->median < finding_limit[LIMIT_OVERLOAD_US] * 1e3 || !is_full(l, class, p, is))
		return false;
	is->theirs = median_of(l, l->kind[class->kind]->ctrl, is->culprit);
	return is->median >= finding_limit[LIMIT_OVERLOAD_FACTOR] * is->theirs;
}

/* The finding that names the same process already. */
static struct finding *same_overload(struct report *r, u32 side, const struct overload *is)
{
	const struct log_sender *culprit = r->side[side].log.sender[is->culprit];

	for (u32 i = 0; i < r->find.n; i++) {
		struct finding *f = &r->find.at[i];

		if (f->kind == FINDING_OVERLOAD && f->side == side &&
		    streq(f->with[0].comm, culprit->comm) &&
		    f->with[0].pid == log_sender_pid(culprit))
			return f;
	}
	return NULL;
}

static void add_culprit(const struct log *l, struct finding *f, const struct overload *is)
{
	const struct log_sender *sender = l->sender[is->culprit];
	struct finding_with *with = &f->with[f->n_with++];

	*with = (struct finding_with){ .pid = log_sender_pid(sender), .depth = is->depth };
	snprintf(with->comm, sizeof(with->comm), "%s", sender->comm);
}

static void look_at_overload(struct report *r, u32 side, const struct class *class,
			     const struct stretch_point *p)
{
	const struct log *l = &r->side[side].log;
	const struct log_kind *kind = l->kind[class->kind];
	char name[FIND_CLASS], waiter[LOG_NAME], who[LOG_NAME], text[FMT_NUMBER], depth[FMT_NUMBER],
		all[FMT_NUMBER], ctrl[FIND_WORD];
	struct overload is;
	struct finding *f;

	if (r->lacks & NEED_COMM || !kind->waited || class->n < 20 ||
	    !is_overloaded(l, class, p, &is))
		return;
	f = same_overload(r, side, &is);
	if (f) {
		f->lost_s += is.median / 1e9 * class->n * l->every;
		return;
	}
	f = find_new(r, side, FINDING_OVERLOAD, FINDING_HIGH, find_device(r, side, class->kind));
	f->lost_s = is.median / 1e9 * class->n * l->every;
	find_class(r, side, f, class->kind, class->sender, name);
	finding_say(
		f,
		"%ss of %s took %s, all the time behind %s, which had %s of the %s commands in flight",
		f->op_room, log_sender_name(l, r->s, class->sender, waiter),
		fmt_ns(text, is.median, " ", 0), log_sender_name(l, r->s, is.culprit, who),
		find_depth(is.depth, depth), find_depth(is.all, all));
	add_culprit(l, f, &is);
	finding_figure(f, "p50_ns", is.median);
	finding_figure(f, "depth", is.depth);
	finding_figure(f, "all_depth", is.all);
	finding_figure(f, "lost_s", f->lost_s);
	find_shows(r, f, "latency --table --hist-bits 6 --by dev,opcode%s --columns +qd %s",
		   find_keys(r, side, class->sender), find_ctrl_option(r, &kind->key, ctrl));
}

/* Of whatever size: who waits behind others waits as long with any. */
static u64 class_of_opcode(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];
	const struct group_key *key = &l->kind[c->kind]->key;

	if (class_of_sender(l, i) == CLASS_NONE)
		return CLASS_NONE;
	return (u64)key->device << 32 | (u64)c->sender << 16 | (u64)key->opcode << 8 | key->flags;
}

void find_overload(struct report *r, u32 side)
{
	const struct classing by = { .key = class_of_opcode };

	each_class(r, side, &by, look_at_overload);
}

static u64 class_of_waiting(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];
	const struct group_key *key = &l->kind[c->kind]->key;

	if (key->admin || c->wait_ns < 0 || l->sender[c->sender]->key.other)
		return CLASS_NONE;
	return (u64)key->device << 32 | (u64)c->sender << 16 | (u64)key->opcode << 8 | key->flags;
}

static bool is_waiting(const struct log *l, const struct class *class,
		       const struct stretch_point *p, struct finding_wait *is)
{
	struct waits sum = { .count = class->n };

	for (u32 i = 0; i < class->n; i++) {
		sum.wait_ns += (u64)l->at[p[i].tag].wait_ns;
		sum.drive_ns += (u64)l->at[p[i].tag].lat_ns;
	}
	return finding_waits(&sum, is);
}

/* A submitter gathers commands in its plug, and sends them soon: a plug may explain a wait that is short. */
static bool may_be_plug(double wait_ns)
{
	return wait_ns < finding_limit[LIMIT_WAIT_PLUG_MS] * 1e6;
}

/* Says what may hold them. NVMe does not see it. */
static void say_holder(struct report *r, struct finding *f, u32 device, double wait_ns)
{
	const char *plug = may_be_plug(wait_ns) ? "a plug, " : "";
	const struct log_sched is = log_sched(&r->side[f->side].log, device);
	const char *sched = is.known ? session_sched_name(r->s, is.now) : NULL;

	if (r->lacks & NEED_SCHED)
		return;
	if (sched)
		finding_say(f, "; the scheduler %s holds them, or %sa limit or a lack of tags does",
			    sched, plug);
	else
		finding_say(f, "; without a scheduler, %sa lack of tags or a limit holds them",
			    plug);
}

/* Names who has the tags meanwhile; who has them himself waits by his own wish. */
static void say_tags(struct report *r, struct finding *f, const struct class *class,
		     const struct stretch_point *p, double wait_ns)
{
	const struct log *l = &r->side[f->side].log;
	char who[LOG_NAME], depth[FMT_NUMBER], all[FMT_NUMBER];
	struct overload is = { 0 };

	if (!(r->lacks & NEED_COMM) && is_full(l, class, p, &is)) {
		finding_say(f, "; %s had %s of the %s commands in flight",
			    log_sender_name(l, r->s, is.culprit, who), find_depth(is.depth, depth),
			    find_depth(is.all, all));
		add_culprit(l, f, &is);
	} else if (is.own >= finding_limit[LIMIT_OVERLOAD_SHARE] * is.all ||
		   (is.all < finding_limit[LIMIT_OVERLOAD_OTHERS] && may_be_plug(wait_ns))) {
		f->severity =
			FINDING_LOW; /* its own wish, or the submitter gathers them in its plug */
	}
}

static void look_at_wait(struct report *r, u32 side, const struct class *class,
			 const struct stretch_point *p)
{
	const struct log *l = &r->side[side].log;
	const struct log_kind *kind = l->kind[class->kind];
	char name[FIND_CLASS], who[LOG_NAME], text[2][FMT_NUMBER], share[FMT_NUMBER],
		dev[FIND_WORD];
	struct finding_wait is;
	struct finding *f;

	if (!is_waiting(l, class, p, &is))
		return;
	f = find_new(r, side, FINDING_QUEUE_WAIT,
		     is.share >= finding_limit[LIMIT_WAIT_HIGH] ? FINDING_HIGH : FINDING_MEDIUM,
		     find_device(r, side, class->kind));
	f->lost_s = is.mean_ns / 1e9 * class->n * l->every;
	find_class(r, side, f, class->kind, class->sender, name);
	finding_say(
		f,
		"%ss of %s waited %s on average in the block layer, %s %% of their time, and %s for the drive",
		f->op_room, log_sender_name(l, r->s, class->sender, who),
		fmt_ns(text[0], is.mean_ns, " ", 0), fmt_number(share, is.share * 100, 0),
		fmt_ns(text[1], is.mean_ns / is.share - is.mean_ns, " ", 0));
	say_holder(r, f, kind->key.device, is.mean_ns);
	say_tags(r, f, class, p, is.mean_ns);
	if (!kind->waited)
		f->severity = FINDING_LOW;
	finding_figure(f, "wait_ns", is.mean_ns);
	finding_figure(f, "wait_pct", is.share * 100);
	finding_figure(f, "lost_s", f->lost_s);
	find_shows(r, f, "top -b -Q --by dev,opcode%s -d %s -O %s%s",
		   find_keys(r, side, class->sender),
		   find_quote(find_device(r, side, class->kind), dev), f->op_room,
		   session_is_replay(r->s) ? " --time 0-" : ""); /* one table of it all */
}

void find_waits(struct report *r, u32 side)
{
	const struct classing by = { .key = class_of_waiting };

	if (!(r->lacks & NEED_QUEUED))
		each_class(r, side, &by, look_at_wait);
}
