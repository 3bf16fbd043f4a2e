// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks for what goes with an episode. */
#include "cmd/report/coincide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/view/finding.h"

#define SLICES COINCIDE_SLICES
#define NEAR   4 /* slices: an episode is not known better than that */

/* One that may be named: a sender, or admin commands of a kind. */
struct candidate {
	float line[SLICES]; /* time outstanding */
	float sent[2][SLICES]; /* commands, and bytes */
	double inside_ns, inside_bytes, inside_count; /* in the spans */
	double outside_ns, outside_bytes, outside_count;
	double edge_count[2], edge_bytes[2]; /* beside edges: inside, and outside of it */
	double present_ns, busy_to; /* in the spans: at least one outstanding */
	u32 count;
	u64 begun; /* a bit for each span: one was sent when it began */
	u32 who, kind;
	double most_ns; /* of the kind with most time, so far */
	bool admin;
};

struct search {
	const struct log *l;
	const struct coincide_ask *ask;
	u32 n; /* candidates */
	bool edges; /* the episode has one */
	double start_ns, step_ns, span_ns;
	struct candidate *at;
	double *kind_ns; /* by kind: time in the spans */
	double all_ns, all_bytes;
	u32 number[LOG_SENDERS + 1 + LOG_KINDS + 1]; /* of candidates, by sender, then by kind */
};

static double overlap(double from, double to, double start, double end)
{
	double a = from > start ? from : start, b = to < end ? to : end;

	return b > a ? b - a : 0;
}

static void add_line(const struct search *s, struct candidate *c, double from, double to, u32 bytes)
{
	double first = (from - s->start_ns) / s->step_ns;

	if (first >= 0 && first < SLICES) {
		c->sent[0][(u32)first]++;
		c->sent[1][(u32)first] += (float)bytes;
	}
	for (u32 i = first > 0 ? (u32)first : 0; i < SLICES; i++) {
		double begin = s->start_ns + i * s->step_ns,
		       ns = overlap(from, to, begin, begin + s->step_ns);

		if (begin >= to)
			break;
		c->line[i] += (float)ns;
	}
}

/* Where the stretches beside edge @e of a span lie that are compared: just inside, and just outside. */
static bool beside(const struct coincide_span *span, u32 e, double ranges[2][2])
{
	double unsure = span->unsure[e], width = 4 * unsure, length = span->to_ns - span->from_ns;
	double at = e ? span->to_ns : span->from_ns;

	if (unsure < 0 || 2 * unsure >= length)
		return false;
	if (width < length / 32)
		width = length / 32;
	if (width > length - 2 * unsure)
		width = length - 2 * unsure;
	ranges[0][0] = e ? at - unsure - width : at + unsure;
	ranges[1][0] = e ? at + unsure : at - unsure - width;
	ranges[0][1] = ranges[0][0] + width;
	ranges[1][1] = ranges[1][0] + width;
	return true;
}

static void add_edges(const struct search *s, struct candidate *c,
		      const struct log_command *command, double from)
{
	double ranges[2][2];

	for (u32 i = 0; i < s->ask->n; i++)
		for (u32 e = 0; e < 2; e++)
			for (u32 k = 0; beside(&s->ask->span[i], e, ranges) && k < 2; k++) {
				bool in = from >= ranges[k][0] && from < ranges[k][1];

				c->edge_count[k] += in;
				c->edge_bytes[k] += in ? command->bytes : 0;
			}
}

static void add_inside(struct search *s, struct candidate *c, const struct log_command *command,
		       double from, double to)
{
	double in_ns = 0;
	bool within = false;

	c->count++;
	for (u32 i = 0; i < s->ask->n; i++) {
		const struct coincide_span *span = &s->ask->span[i];
		double ns = overlap(from, to, span->from_ns, span->to_ns);
		bool in = from >= span->from_ns && from < span->to_ns;

		within |= in;
		in_ns += ns;
		if (fabs(from - span->from_ns) <= span->first_ns && i < 64)
			c->begun |= 1ULL << i;
		s->all_ns += ns;
		s->kind_ns[command->kind] += ns;
		c->inside_ns += ns;
		c->present_ns += overlap(from > c->busy_to ? from : c->busy_to, to, span->from_ns,
					 span->to_ns);
		c->inside_count += in;
		c->inside_bytes += in ? command->bytes : 0;
		s->all_bytes += in ? command->bytes : 0;
	}
	c->outside_ns += to - from - in_ns;
	c->outside_count += !within;
	c->outside_bytes += within ? 0 : command->bytes;
	c->busy_to = to > c->busy_to ? to : c->busy_to;
	if (s->kind_ns[command->kind] > c->most_ns) {
		c->most_ns = s->kind_ns[command->kind];
		c->kind = command->kind;
	}
}

static struct candidate *candidate_of(struct search *s, const struct log_command *command)
{
	bool admin = s->l->kind[command->kind]->key.admin;
	u32 *number = &s->number[admin ? LOG_SENDERS + 1 + command->kind : command->sender];

	if (!*number) {
		*number = ++s->n;
		s->at[s->n - 1].who = command->sender;
		s->at[s->n - 1].kind = command->kind;
		s->at[s->n - 1].admin = admin;
	}
	return &s->at[*number - 1];
}

static void gather(struct search *s)
{
	for (u32 i = 0; i < s->l->n; i++) {
		const struct log_command *command = &s->l->at[s->l->by_submit[i]];
		double from = (double)command->submit_ns, to = from + (double)command->lat_ns;
		struct candidate *c;

		if (s->l->kind[command->kind]->ctrl != s->ask->ctrl || to < s->start_ns ||
		    from > (double)s->ask->end_ns)
			continue;
		c = candidate_of(s, command);
		add_line(s, c, from, to, command->bytes);
		add_inside(s, c, command, from, to);
		add_edges(s, c, command, from);
	}
}

/* The line of the episode: what part of a slice is in its spans. */
static void fill_line(const struct search *s, double line[SLICES])
{
	for (u32 i = 0; i < SLICES; i++) {
		double begin = s->start_ns + i * s->step_ns;

		line[i] = 0;
		for (u32 k = 0; k < s->ask->n; k++)
			line[i] += overlap(s->ask->span[k].from_ns, s->ask->span[k].to_ns, begin,
					   begin + s->step_ns) /
				   s->step_ns;
	}
}

/* Sum of products of one line and another, shifted in a circle. */
static double product(const double *line, const float *other, u32 shift)
{
	double sum = 0;

	for (u32 i = 0; i < SLICES; i++)
		sum += line[i] * (double)other[(i + shift) % SLICES];
	return sum;
}

/* Whether but few shifts make the lines agree as much as they do without. */
static bool goes_with(const double *line, const float *other)
{
	double as_it_is = product(line, other, 0);
	u32 better = 0;

	for (u32 shift = NEAR; shift <= SLICES - NEAR; shift++)
		better += product(line, other, shift) >= as_it_is * (1 - 1e-9);
	return better <= finding_limit[LIMIT_WITH_CHANCE] * SLICES;
}

/* Commands that are seldom, and take no longer because others do. */
static bool is_special(const struct log_kind *kind)
{
	return kind->key.admin ||
	       (kind->key.opcode != OPCODE_READ && kind->key.opcode != OPCODE_WRITE);
}

static bool rises_at_edges(const struct candidate *c)
{
	double more = finding_limit[LIMIT_WITH_MORE];

	return c->edge_count[0] > 0 && (c->edge_count[0] >= more * c->edge_count[1] ||
					c->edge_bytes[0] >= more * c->edge_bytes[1]);
}

/* It sends more a second during the episode than else, by number or bytes. */
static bool is_more(const struct search *s, const struct candidate *c)
{
	double more = finding_limit[LIMIT_WITH_MORE] * s->span_ns /
		      fmax(SLICES * s->step_ns - s->span_ns, s->step_ns);

	if (is_special(s->l->kind[c->kind]) && c->inside_ns >= more * c->outside_ns)
		return true;
	return c->inside_count >= more * c->outside_count ||
	       c->inside_bytes > more * c->outside_bytes;
}

/* Whether it came with the episode: then it is none of its victims, even if it waits as well. */
static bool is_new(const struct search *s, const struct candidate *c)
{
	double outside_ns = fmax(SLICES * s->step_ns - s->span_ns, s->step_ns);

	return c->inside_count >= 10 * c->outside_count * s->span_ns / outside_ns;
}

/* Whether commands were sent when spans began, by more than chance. */
static bool begins_with(const struct search *s, const struct candidate *c)
{
	double chance = 1;

	for (u32 i = 0; i < s->ask->n && i < 64; i++)
		if (c->begun >> i & 1)
			chance *= 2 * s->ask->span[i].first_ns * c->count / (SLICES * s->step_ns);
	return chance <= finding_limit[LIMIT_WITH_CHANCE] &&
	       2 * (u32)__builtin_popcountll(c->begun) >= s->ask->n;
}

static bool matters(const struct search *s, const struct candidate *c)
{
	double share = finding_limit[LIMIT_WITH_SHARE];

	if (s->ask->line) /* without an edge to tell by */
		return c->inside_ns >= 2 * share * s->all_ns ||
		       c->inside_bytes >= 4 * share * s->all_bytes;
	return c->inside_ns >= share * s->all_ns || c->inside_bytes >= share * s->all_bytes ||
	       (is_special(s->l->kind[c->kind]) && c->present_ns >= s->span_ns / 2);
}

static bool has_edges(const struct search *s)
{
	double ranges[2][2];

	for (u32 i = 0; i < s->ask->n; i++)
		for (u32 e = 0; e < 2; e++)
			if (beside(&s->ask->span[i], e, ranges))
				return true;
	return false;
}

static void name(struct coincide *to, const struct search *s, const struct candidate *c)
{
	struct coincide_what what = {
		.sender = c->who,
		.kind = c->kind,
		.admin = c->admin,
		.depth = c->inside_ns * s->l->every / s->span_ns,
		.bytes_per_s = c->inside_bytes * s->l->every / s->span_ns * 1e9,
		.bytes = c->inside_count > 0 ? c->inside_bytes / c->inside_count : 0,
		.share = c->inside_ns / (s->all_ns + 1)
	};
	u32 i = to->n < COINCIDE_MOST ? to->n++ : COINCIDE_MOST - 1;

	for (; i && to->is[i - 1].share < what.share; i--)
		to->is[i] = to->is[i - 1];
	to->is[i] = what;
}

/*
 * Whether it sends more while others wait much than while they wait little, in the time that it is
 * there. Who only comes or goes at some other time sends as much in both.
 */
static bool grows_with(const struct candidate *c, const double *line)
{
	double least = INFINITY, most = -INFINITY, sent[2][2] = { 0 };
	u32 first = 0, end = SLICES, n[2] = { 0 };

	while (first < SLICES && c->sent[0][first] <= 0)
		first++;
	while (end > first && c->sent[0][end - 1] <= 0)
		end--;
	for (u32 i = first; i < end; i++) {
		least = fmin(least, line[i]);
		most = fmax(most, line[i]);
	}
	for (u32 i = first; i < end; i++) {
		bool high = line[i] > (least + most) / 2;

		n[high]++;
		for (u32 k = 0; k < 2; k++)
			sent[k][high] += (double)c->sent[k][i];
	}
	for (u32 k = 0; k < 2; k++)
		if (n[0] >= NEAR && n[1] >= NEAR &&
		    sent[k][1] * n[0] >= finding_limit[LIMIT_WITH_GROWS] * sent[k][0] * n[1])
			return true;
	return false;
}

/* Whether it sent more just when the episode began and ended, or as that grew. */
static bool is_sent_with(const struct search *s, const struct candidate *c, bool grows)
{
	return (s->edges && rises_at_edges(c)) || grows ||
	       (!s->edges && !s->ask->line && is_new(s, c));
}

/* Whoever waits himself is named only if he came with the episode, or sends ever more. */
static bool may_be_named(const struct search *s, const struct candidate *c, bool grows)
{
	return c->admin || (!s->l->sender[c->who]->key.other &&
			    (!s->ask->victims[c->who] || (s->ask->line ? grows : is_new(s, c))));
}

static void judge(struct coincide *to, const struct search *s, const double *line)
{
	to->all = s->all_ns * s->l->every / s->span_ns;
	for (u32 i = 0; i < s->n; i++) {
		const struct candidate *c = &s->at[i];
		bool grows = grows_with(c, line), begins, goes;

		if (!matters(s, c) || !(grows || is_more(s, c)) ||
		    (!c->admin && s->ask->victims[c->who] > 1))
			continue;
		begins = c->admin && begins_with(s, c);
		goes = begins || goes_with(line, c->line);
		if (begins || (goes && may_be_named(s, c, grows) && is_sent_with(s, c, grows)))
			name(to, s, c);
		else if (goes)
			to->unclear = true;
	}
}

int coincide_find(struct coincide *to, const struct coincide_ask *ask)
{
	struct search *s = calloc(1, sizeof(*s));
	const struct log *l = ask->log;
	double own[SLICES];
	bool ok;

	*to = (struct coincide){ 0 };
	if (!s)
		return -ENOMEM;
	*s = (struct search){ .l = l, .ask = ask, .start_ns = (double)ask->start_ns };
	s->step_ns = (double)(ask->end_ns - ask->start_ns + 1) / SLICES;
	for (u32 i = 0; i < ask->n; i++)
		s->span_ns += ask->span[i].to_ns - ask->span[i].from_ns;
	s->at = calloc(l->n_senders + l->n_kinds + 1, sizeof(*s->at));
	s->kind_ns = calloc(LOG_KINDS + 1, sizeof(*s->kind_ns));
	ok = s->at && s->kind_ns;
	if (ok && s->span_ns > 0) {
		s->edges = has_edges(s);
		gather(s);
		fill_line(s, own);
		judge(to, s, ask->line ? ask->line : own);
	}
	free(s->at);
	free(s->kind_ns);
	free(s);
	return ok ? 0 : -ENOMEM;
}
