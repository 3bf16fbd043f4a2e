// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings about equals that are not alike: queues, CPUs, paths, namespaces, drives and regions. Only
 * commands of one class are compared, sent in the same part of the time and with about as many
 * outstanding; so who sends more, or others, or at another time, is not slower for that.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/classes.h"
#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/lookup.h"
#include "lib/session/recording.h"

#define PERIODS	   5 /* of time: commands of the same one are compared */
#define PARTS	   64 /* queues, CPUs and so on of a class */
#define FEWEST	   3 /* commands of a part in what is compared */
#define MODELS	   32
#define ABOUT_THEN 16 /* commands one after the other */

enum among { AMONG_CPUS, AMONG_QUEUES, AMONG_PATHS, AMONG_NAMESPACES, AMONG_DRIVES };

static const struct {
	const char *of, *others, *by; /* in the sentence, and for --by */
} words[] = {
	[AMONG_CPUS] = { "CPU ", "other CPUs", "cpu" },
	[AMONG_QUEUES] = { "queue ", "other queues", "qid" },
	[AMONG_PATHS] = { "the path by nvme", "other paths", "ctrl" },
	[AMONG_NAMESPACES] = { NULL, "other namespaces of the controller", "dev" },
	[AMONG_DRIVES] = { NULL, "other drives of the model", "dev" },
};

/* What one part took beside the others: sums of logarithms of ratios, by their weight. */
struct part {
	u32 id, count;
	double sum, weight, squares;
	u32 device, kind, sender, equals;
	double own, theirs; /* sums of the logarithms of medians, by weight */
};

struct equals {
	struct report *r;
	u32 side;
	enum among among;
	const struct log *l;
	u8 model[LOG_CTRLS]; /* a number for each model; 0: not known */
	u32 n;
	struct part part[PARTS];
};

/* The classing functions know nothing but the log: what they need beside it is in it. */
static u64 time_part(const struct log *l, u32 i)
{
	const struct log_command *first = &l->at[l->by_submit[0]],
				 *last = &l->at[l->by_submit[l->n - 1]];
	u64 span_ns = last->submit_ns - first->submit_ns + 1;

	return (l->at[i].submit_ns - first->submit_ns) * PERIODS / span_ns;
}

/* Kind, sender, what is outstanding on the controller, time: what has to be the same. */
static u64 class_of_equals(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];

	if (class_of_sender(l, i) == CLASS_NONE)
		return CLASS_NONE;
	return (u64)c->kind << 32 | (u64)l->sender[c->sender]->name << 16 |
	       class_bits(l->all[i]) << 8 | time_part(l, i);
}

/* The same without the namespace and the path, which are what is compared. */
static u64 class_of_like(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];
	const struct group_key *key = &l->kind[c->kind]->key;

	if (class_of_sender(l, i) == CLASS_NONE)
		return CLASS_NONE;
	return (u64)key->opcode << 56 | (u64)key->size_class << 48 | (u64)key->flags << 44 |
	       (u64)l->sender[c->sender]->name << 16 | class_bits(l->all[i]) << 8 | time_part(l, i);
}

static u32 part_of(const struct equals *e, u32 i)
{
	const struct log_command *c = &e->l->at[i];
	const struct group_key *key = &e->l->kind[c->kind]->key;

	switch (e->among) {
	case AMONG_CPUS:
		return c->cpu;
	case AMONG_QUEUES:
		return c->qid;
	case AMONG_PATHS:
		return (u32)key->ctrl_id;
	default:
		return key->device;
	}
}

/* Whether commands may be compared: namespaces of one controller, or drives of one model. */
static bool are_equals(const struct equals *e, u32 a, u32 b)
{
	const struct log_kind *x = e->l->kind[e->l->at[a].kind], *y = e->l->kind[e->l->at[b].kind];

	if (e->among == AMONG_NAMESPACES)
		return x->ctrl == y->ctrl;
	if (e->among == AMONG_DRIVES)
		return x->ctrl != y->ctrl && e->model[x->ctrl] &&
		       e->model[x->ctrl] == e->model[y->ctrl];
	if (e->among == AMONG_PATHS)
		return x->key.device == y->key.device;
	return x->ctrl == y->ctrl;
}

static struct part *part_at(struct equals *e, u32 id)
{
	u32 i = 0;

	while (i < e->n && e->part[i].id != id)
		i++;
	if (i == PARTS)
		return NULL;
	if (i == e->n)
		e->part[e->n++] = (struct part){ .id = id };
	return &e->part[i];
}

/* Compares the commands of part @id of a class with those of its equals. */
static void compare(struct equals *e, const struct class *class, const struct stretch_point *p,
		    u32 at, float *room)
{
	u32 id = part_of(e, p[at].tag), n = 0, m = 0;
	float *others = room + class->n;
	double own, theirs, weight, log_ratio;
	struct part *part;

	for (u32 i = 0; i < class->n; i++) {
		if (part_of(e, p[i].tag) == id)
			room[n++] = p[i].value;
		else if (are_equals(e, p[at].tag, p[i].tag))
			others[m++] = p[i].value;
	}
	part = n >= FEWEST && m >= FEWEST ? part_at(e, id) : NULL;
	if (!part)
		return;
	own = stretch_median(room, n);
	theirs = stretch_median(others, m);
	log_ratio = own - theirs;
	weight = (double)n * m / (n + m);
	part->sum += weight * log_ratio;
	part->squares += weight * log_ratio * log_ratio;
	part->weight += weight;
	part->count += n;
	part->equals++;
	part->own += weight * own;
	part->theirs += weight * theirs;
	part->device = e->l->kind[e->l->at[p[at].tag].kind]->key.device;
	part->kind = e->l->at[p[at].tag].kind;
	part->sender = e->l->at[p[at].tag].sender;
}

static void look_at_class(struct equals *e, const struct class *class,
			  const struct stretch_point *p)
{
	float *room = malloc(sizeof(*room) * 2 * (class->n + 1));
	u32 seen[PARTS], n = 0;

	for (u32 i = 0; room && i < class->n && n < PARTS; i++) {
		u32 id = part_of(e, p[i].tag), k = 0;

		while (k < n && seen[k] != id)
			k++;
		if (k < n)
			continue;
		seen[n++] = id;
		compare(e, class, p, i, room);
	}
	free(room);
}

/* What the command shows of a part: the median of all its commands of the class. */
struct of_part {
	const struct equals *e;
	u32 id;
};

static bool is_of_part(const struct log *l, u32 i, const void *ctx)
{
	const struct of_part *of = ctx;

	(void)l;
	return part_of(of->e, i) == of->id;
}

static void show(struct equals *e, const struct part *part, struct finding *f)
{
	const struct group_key *key = &e->l->kind[part->kind]->key;
	const char *device = find_device(e->r, e->side, part->kind);
	char table[FIND_TABLE], more[8] = "", word[FIND_WORD];

	if (words[e->among].of)
		snprintf(more, sizeof(more), ",%s", words[e->among].by);
	find_table(e->r, e->side, part->kind, part->sender, more, table);
	if (e->among == AMONG_DRIVES)
		find_shows(e->r, f, "%s", table);
	else if (e->among == AMONG_PATHS)
		find_shows(e->r, f, "%s -d %s", table, find_quote(device, word));
	else
		find_shows(e->r, f, "%s %s", table, find_ctrl_option(e->r, key, word));
}

static void say(struct equals *e, const struct part *part)
{
	struct report *r = e->r;
	const struct of_part of_part = { e, part->id };
	struct find_period all = { .to_ns = INFINITY, .is_in = is_of_part, .ctx = &of_part };
	double ratio = exp(part->sum / part->weight);
	char class[FIND_CLASS], text[FMT_NUMBER], times[FMT_NUMBER], of[40] = "";
	struct finding *f;

	find_median(r, e->side, part->kind, part->sender, &all);
	f = find_new(r, e->side, FINDING_UNEVEN, FINDING_MEDIUM,
		     find_device(r, e->side, part->kind));
	f->lost_s = (exp(part->own / part->weight) - exp(part->theirs / part->weight)) / 1e9 *
		    part->count * e->l->every;
	f->weight = ratio;
	find_class(r, e->side, f, part->kind, part->sender, class);
	if (words[e->among].of)
		snprintf(of, sizeof(of), " by way of %s%u", words[e->among].of, part->id);
	finding_say(f, "%s%s took %s; at like depth and time %s times as long as those of %s",
		    class, of, fmt_ns(text, all.median_ns, " ", 0), find_depth(ratio, times),
		    words[e->among].others);
	finding_figure(f, "ratio", ratio);
	finding_figure(f, "p50_ns", all.median_ns);
	finding_figure(f, "count", (double)part->count * e->l->every);
	finding_figure(f, "lost_s", f->lost_s);
	show(e, part, f);
}

/* What is said of a part is not said of it once more, as an episode or otherwise. */
static void set_apart(struct equals *e, const struct part *part)
{
	struct log *l = &e->r->side[e->side].log;

	for (u32 i = 0; i < l->n; i++)
		if (l->sender[l->at[i].sender]->name == l->sender[part->sender]->name &&
		    part_of(e, i) == part->id &&
		    l->kind[l->at[i].kind]->key.opcode == l->kind[part->kind]->key.opcode &&
		    l->kind[l->at[i].kind]->ctrl == l->kind[part->kind]->ctrl)
			l->apart[i] = 1;
}

static void judge(struct equals *e)
{
	for (u32 i = 0; i < e->n; i++) {
		const struct part *part = &e->part[i];
		double mean = part->sum / part->weight,
		       variance = part->squares / part->weight - mean * mean;
		double chance = sqrt(fmax(variance, 0.01) / part->equals);

		if (part->count >= finding_limit[LIMIT_UNEVEN_COUNT] && part->equals >= 2 &&
		    mean >= log(finding_limit[LIMIT_UNEVEN_FACTOR]) &&
		    mean >= finding_limit[LIMIT_UNEVEN_SURELY] * chance) {
			say(e, part);
			set_apart(e, part);
		}
	}
}

/* Compares by device, kind and sender: the classes that differ in depth and time alone are one comparison. */
static void look_among(struct equals *e, enum among among)
{
	const struct classing by = { .key = among < AMONG_PATHS ? class_of_equals : class_of_like };
	const u64 mask = ~0xffffULL; /* without depth and time */
	u64 done;
	struct classes *c;

	if ((among == AMONG_CPUS && e->r->lacks & NEED_CPU) || !e->l->n)
		return;
	c = classes_make(e->l, &by);
	e->among = among;
	for (u32 i = 0; c && i < c->n; i++) {
		if (c->is[i].key == CLASS_NONE)
			continue;
		done = c->is[i].key & mask;
		e->n = 0;
		for (u32 k = i; k < c->n; k++) {
			if (c->is[k].key == CLASS_NONE || (c->is[k].key & mask) != done)
				continue;
			look_at_class(e, &c->is[k], c->point + c->is[k].first);
			c->is[k].key = CLASS_NONE;
		}
		judge(e);
	}
	classes_free(c);
}

/* Numbers the models of the controllers; a recording of several hosts does not say whose they are. */
static void number_models(struct equals *e)
{
	char known[MODELS][ABOUT_FIELD], fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD];
	struct counters c;
	const struct record_head *head = session_recording(e->r->s, e->side, &c);
	const char *text = head->hosts ? NULL : head->ctrls;
	u32 n = 0, i;

	while (text && (text = about_ctrl_fields(text, fields))) {
		for (i = 0; i < n && !streq(known[i], fields[3]); i++)
			;
		if (i == MODELS || !fields[3][0])
			continue;
		if (i == n)
			memcpy(known[n++], fields[3], ABOUT_FIELD);
		for (u32 k = 0; k < e->l->n_ctrls; k++)
			if (e->l->ctrl[k].id == (s32)strtol(fields[0], NULL, 10))
				e->model[k] = (u8)(i + 1);
	}
}

/* Regions: stretches of blocks whose like commands take longer all the time. */
static double place_of(const struct log_command *c)
{
	return (double)c->lba;
}

/* Of reads alone: where a write goes is the drive's affair, and a journal is written in a circle. */
static u64 class_of_place(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];

	return c->lba < 0 || l->kind[c->kind]->key.opcode != OPCODE_READ ? CLASS_NONE
									 : class_of_depth(l, i);
}

static bool is_in_region(const struct log *l, u32 i, const void *ctx)
{
	const struct stretch *is = ctx;
	double at = (double)l->at[i].lba;

	return at >= is->edge[0] && at < is->edge[1];
}

static bool is_elsewhere(const struct log *l, u32 i, const void *ctx)
{
	return !is_in_region(l, i, ctx);
}

/* A region is found among levelled values. It is said only if the medians of the latencies show it, too. */
static void say_region(struct report *r, u32 side, const struct class *class,
		       const struct stretch *is)
{
	const struct log *l = &r->side[side].log;
	struct find_period in = { .to_ns = INFINITY, .is_in = is_in_region, .ctx = is },
			   others = { .to_ns = INFINITY, .is_in = is_elsewhere, .ctx = is };
	char name[FIND_CLASS], text[2][FMT_NUMBER], dev[FIND_WORD], table[FIND_TABLE],
		op[NVME_OPCODE_NAME_MAX];
	const char *device = find_device(r, side, class->kind);
	struct finding *f;

	find_median(r, side, class->kind, class->sender, &in);
	find_median(r, side, class->kind, class->sender, &others);
	if (in.median_ns < finding_limit[LIMIT_UNEVEN_FACTOR] * others.median_ns)
		return;
	f = find_new(r, side, FINDING_UNEVEN, FINDING_MEDIUM, device);
	f->lost_s = (in.median_ns - others.median_ns) / 1e9 * (is->to - is->from) * l->every;
	find_class(r, side, f, class->kind, class->sender, name);
	finding_say(f, "%s from block %.0f to %.0f took %s, those of other blocks %s", name,
		    is->edge[0], is->edge[1] - 1, fmt_ns(text[0], in.median_ns, " ", 0),
		    fmt_ns(text[1], others.median_ns, " ", 0));
	finding_figure(f, "p50_ns", in.median_ns);
	finding_figure(f, "others_ns", others.median_ns);
	finding_figure(f, "from_block", is->edge[0]);
	finding_figure(f, "to_block", is->edge[1] - 1);
	finding_figure(f, "count", (double)(is->to - is->from) * l->every);
	finding_figure(f, "lost_s", f->lost_s);
	find_table(r, side, class->kind, class->sender, "", table);
	find_shows(r, f, "%s -d %s -O %s --lba %.0f-%.0f", table, find_quote(device, dev),
		   find_opcode(l->kind[class->kind], op), is->edge[0], is->edge[1] - 1);
}

/*
 * Takes from each value the median of those that were sent about then: a drive that is slow for a while
 * is so in all regions. False: no memory.
 */
static bool level_by_time(const struct log *l, struct stretch_point *p, u32 n)
{
	struct stretch_point *by_time = malloc(n * sizeof(*by_time));
	float *room = malloc((n + 1) * sizeof(*room));
	double whole;

	for (u32 i = 0; by_time && room && i < n; i++) {
		by_time[i] =
			(struct stretch_point){ (double)l->at[p[i].tag].submit_ns, p[i].value, i };
		room[i] = p[i].value;
	}
	if (by_time && room) {
		whole = stretch_median(room, n);
		qsort(by_time, n, sizeof(*by_time), stretch_by_place);
		for (u32 from = 0, to; from < n; from = to) {
			double median;

			to = n - from < 2 * ABOUT_THEN ? n : from + ABOUT_THEN;
			for (u32 i = from; i < to; i++)
				room[i - from] = by_time[i].value;
			median = stretch_median(room, to - from);
			for (u32 i = from; i < to; i++)
				p[by_time[i].tag].value += (float)(whole - median);
		}
	}
	free(by_time);
	free(room);
	return by_time && room;
}

void find_regions(struct report *r, u32 side)
{
	const struct log *l = &r->side[side].log;
	const struct classing by = { .key = class_of_place, .at = place_of };
	struct classes *c = r->lacks & NEED_SQE ? NULL : classes_make(l, &by);

	for (u32 i = 0; c && i < c->n; i++) {
		const struct class *class = &c->is[i];
		struct stretch_point *p = c->point + class->first;
		struct stretches s;

		if (!level_by_time(l, p, class->n))
			continue;
		s = stretch_find(p, class->n, log(finding_limit[LIMIT_UNEVEN_FACTOR]),
				 finding_limit[LIMIT_UNEVEN_SURELY]);
		for (u32 k = 0; k < s.n; k++)
			if (s.is[k].to - s.is[k].from >= finding_limit[LIMIT_UNEVEN_COUNT])
				say_region(r, side, class, &s.is[k]);
	}
	classes_free(c);
}

void find_uneven(struct report *r, u32 side)
{
	struct equals *e = calloc(1, sizeof(*e));

	if (!e)
		return;
	e->r = r;
	e->side = side;
	e->l = &r->side[side].log;
	number_models(e);
	for (u32 among = AMONG_CPUS; among <= AMONG_DRIVES; among++)
		look_among(e, (enum among)among);
	free(e);
}
