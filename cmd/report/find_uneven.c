// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about one among equals: a part of a device, a namespace of a controller, a drive of a model. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/lookup.h"
#include "lib/session/recording.h"

/* The rows that a row is compared with; those of a device have commands of one size. */
enum among {
	AMONG_CPUS, /* of one queue */
	AMONG_QUEUES, /* of one path */
	AMONG_PATHS,
	AMONG_REGIONS, /* of one device */
	AMONG_NAMESPACES, /* of one controller */
	AMONG_DRIVES, /* of one model, under a load that is alike */
};

/* The words for them, and what shows them, beside device and opcode. */
static const struct {
	const char *others, *by;
} words[] = {
	[AMONG_QUEUES] = { "other queues", ",qid,size" },
	[AMONG_CPUS] = { "other CPUs of the queue", ",qid,cpu,size" },
	[AMONG_PATHS] = { "other paths", ",ctrl,size" },
	[AMONG_REGIONS] = { "other regions", "" },
	[AMONG_NAMESPACES] = { "other namespaces of the controller", "" },
	[AMONG_DRIVES] = { "other drives of the model under a like load", "" },
};

struct equal {
	const struct latency_sum *row;
};

/* Rows that are compared with each other. */
struct equals {
	struct report *r;
	u32 side;
	enum among among;
	const struct group *g;
	struct equal *at;
	u32 n;
	u64 blocks; /* of a region */
};

#define MODELS 32 /* of one host: drives of further ones are not compared */

/* Numbers the models of the controllers; a recording of several hosts does not say whose they are. */
static void number_models(struct equals *e)
{
	char known[MODELS][ABOUT_FIELD], fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD];
	struct counters c;
	const struct record_head *head = session_recording(e->r->s, e->side, &c);
	const char *text = head->hosts ? NULL : head->ctrls;
	u8 *model = e->r->find.model;
	u32 n = 0, i;

	memset(model, 0, FIND_CTRL_IDS);
	while (text && (text = about_ctrl_fields(text, fields))) {
		for (i = 0; i < n && !streq(known[i], fields[3]); i++)
			;
		if (i == MODELS || !fields[3][0])
			continue;
		if (i == n)
			memcpy(known[n++], fields[3], ABOUT_FIELD);
		model[strtoul(fields[0], NULL, 10) % FIND_CTRL_IDS] = (u8)(i + 1);
	}
}

static bool are_alike(u64 a, u64 b)
{
	double most = finding_limit[LIMIT_UNEVEN_LOAD];

	return (double)a <= most * (double)b && (double)b <= most * (double)a;
}

static bool are_drives(const struct equals *e, const struct latency_sum *a,
		       const struct latency_sum *b, const int ctrl[2])
{
	const u8 *model = e->r->find.model;
	u8 own = model[(u32)ctrl[0] % FIND_CTRL_IDS];

	return ctrl[0] != ctrl[1] && own && own == model[(u32)ctrl[1] % FIND_CTRL_IDS] &&
	       are_alike(a->count, b->count) && are_alike(a->sum.bytes, b->sum.bytes);
}

/* Whether one may be unlike the other. */
static bool are_equals(const struct equals *e, const struct latency_sum *a,
		       const struct latency_sum *b)
{
	struct session *s = e->r->s;
	int ctrl[2];

	if (a->key.other || b->key.other || a->key.admin != b->key.admin ||
	    a->key.opcode != b->key.opcode || a->count < (u64)finding_limit[LIMIT_UNEVEN_COUNT] ||
	    b->count < (u64)finding_limit[LIMIT_UNEVEN_COUNT])
		return false;
	if (e->among <= AMONG_REGIONS)
		return a->key.device == b->key.device && a->key.size_class == b->key.size_class &&
		       (e->among == AMONG_PATHS || a->key.ctrl_id == b->key.ctrl_id) &&
		       (e->among != AMONG_CPUS || a->key.qid == b->key.qid);
	if (session_host(s, a->key.device) != session_host(s, b->key.device))
		return false;
	ctrl[0] = session_queue(s, a->key.device)->ctrl_id;
	ctrl[1] = session_queue(s, b->key.device)->ctrl_id;
	return e->among == AMONG_DRIVES ? are_drives(e, a, b, ctrl) : ctrl[0] == ctrl[1];
}

/* A percentile of a row, and the highest one of its equals. */
struct unlike {
	u32 percent, their_percent;
	double own_ns, their_ns;
	u32 equals;
};

/* "of queue 3": the part of a device that a row is of. */
static void part_text(const struct equals *e, const struct latency_sum *row,
		      const struct group_row *keys, char *buf, size_t size)
{
	u64 first = row->phase * e->blocks;

	if (e->among == AMONG_QUEUES)
		snprintf(buf, size, " of queue %" PRId64, (int64_t)keys->qid);
	else if (e->among == AMONG_CPUS)
		snprintf(buf, size, " of CPU %" PRId64, (int64_t)keys->cpu);
	else if (e->among == AMONG_PATHS)
		snprintf(buf, size, " by way of %s", keys->ctrl ? keys->ctrl : "?");
	else if (e->among == AMONG_REGIONS)
		snprintf(buf, size, " of blocks %" PRIu64 " to %" PRIu64, (uint64_t)first,
			 (uint64_t)(first + e->blocks - 1));
}

static void show_uneven(const struct equals *e, struct finding *f, const struct latency_sum *row,
			const char *dev)
{
	u64 first = row->phase * e->blocks;

	if (e->among == AMONG_REGIONS)
		find_shows(e->r, f, "pattern --by opcode -d %s --lba %" PRIu64 "-%" PRIu64, dev,
			   (uint64_t)first, (uint64_t)(first + e->blocks - 1));
	else
		find_shows(e->r, f, "latency --by dev,opcode%s", words[e->among].by);
}

static void say_uneven(const struct equals *e, const struct latency_sum *row,
		       const struct unlike *is)
{
	char text[2][FMT_NUMBER], part[80] = "";
	struct group_row keys;
	struct finding *f;

	group_row_fill(&keys, e->g, &row->key);
	f = find_new(e->r, e->side, FINDING_UNEVEN, FINDING_MEDIUM, keys.dev);
	find_op(f, keys.op);
	f->weight = is->own_ns / is->their_ns;
	f->likely = (e->among == AMONG_DRIVES || e->among == AMONG_REGIONS) && is->equals == 1;
	part_text(e, row, &keys, part, sizeof(part));
	finding_say(f, "%s of the %ss%s took more than %s, %s of those of %s less than %s",
		    is->percent == 50 ? "half" : "a tenth", keys.op, part,
		    fmt_ns(text[0], is->own_ns, " ", 0), is->percent == 50 ? "half" : "99 %",
		    words[e->among].others, fmt_ns(text[1], is->their_ns, " ", 0));
	finding_figure(f, is->percent == 50 ? "p50_ns" : "p90_ns", is->own_ns);
	finding_figure(f, is->percent == 50 ? "others_p50_ns" : "others_p99_ns", is->their_ns);
	finding_figure(f, "count", (double)row->count);
	show_uneven(e, f, row, keys.dev ? keys.dev : "");
}

/* Whether that percentile of a row is so much higher than theirs; sets the figures. */
static bool is_slower(const struct equals *e, const struct latency_sum *row, struct unlike *is)
{
	is->own_ns = find_percentile(e->r, row, is->percent);
	for (u32 i = 0; i < e->n; i++) {
		const struct latency_sum *other = e->at[i].row;
		double theirs;

		if (other == row || !are_equals(e, row, other))
			continue;
		is->equals++;
		theirs = find_percentile(e->r, other, is->their_percent);
		is->their_ns = theirs > is->their_ns ? theirs : is->their_ns;
	}
	return is->their_ns > 0 && is->own_ns >= finding_limit[LIMIT_UNEVEN_FACTOR] * is->their_ns;
}

static void find_among(const struct equals *e)
{
	for (u32 i = 0; i < e->n; i++) {
		const struct latency_sum *row = e->at[i].row;
		struct unlike half = { .percent = 50, .their_percent = 50 };
		struct unlike tail = { .percent = 90, .their_percent = 99 };
		bool slower = is_slower(e, row, &half) &&
			      find_percentile(e->r, row, (u32)finding_limit[LIMIT_UNEVEN_CLEAR]) >=
				      half.their_ns;

		if (slower || is_slower(e, row, &tail))
			say_uneven(e, row, slower ? &half : &tail);
	}
}

/* Compares the rows of a table. */
static void find_in_table(struct equals *e, enum among among, struct group_table *t,
			  const struct group *g)
{
	u32 needs = group_needs(g) & ~(u32)NEED_NSID;

	if (e->r->lacks & (among == AMONG_CPUS ? needs : needs & ~(u32)NEED_CPU))
		return;
	e->among = among;
	e->g = g;
	e->n = group_table_sort(t, NULL, NULL);
	e->at = calloc(e->n + 1, sizeof(*e->at));
	for (u32 i = 0; e->at && i < e->n; i++)
		e->at[i].row = group_table_at(t, i);
	if (e->at)
		find_among(e);
	free(e->at);
}

/* Compares the regions of each device. */
static void find_in_places(struct report *r, u32 side)
{
	struct group_table *places = r->side[side].find.places;
	struct equal regions[FIND_REGIONS];
	struct equals e = { .r = r,
			    .side = side,
			    .among = AMONG_REGIONS,
			    .g = &r->find_groups.place,
			    .at = regions };
	u32 n = group_table_sort(places, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct find_places *p = group_table_at(places, i);

		e.blocks = p->blocks;
		e.n = 0;
		for (u32 at = 0; !p->key.other && at < FIND_REGIONS; at++) {
			regions[e.n].row = find_region(r, p, at);
			e.n += regions[e.n].row != NULL;
		}
		find_among(&e);
	}
}

/* A table of the rows of @t, where those that differ in nothing but @among are one; NULL: no memory. */
static struct group_table *join(const struct report *r, struct group_table *t, enum among among)
{
	u32 n = group_table_sort(t, NULL, NULL);
	struct group_table *to =
		group_table_open(LATENCY_KEY_BYTES, latency_sum_bytes(&r->cfg), n + 1);

	for (u32 i = 0; to && i < n; i++) {
		const struct latency_sum *row = group_table_at(t, i);
		struct latency_sum key = *row;

		key.key.cpu = 0;
		if (among == AMONG_PATHS)
			key.key.qid = 0;
		latency_sum_merge(group_table_row(to, &key), &r->cfg.hist, &row->sum);
	}
	return to;
}

/* Compares CPUs, then queues, then paths: those of a queue are joined, and then those of a path. */
static void find_in_parts(struct equals *e)
{
	struct group_table *parts = e->r->side[e->side].find.parts;
	const struct group *g = &e->r->find_groups.part;

	find_in_table(e, AMONG_CPUS, parts, g);
	for (u32 among = AMONG_QUEUES; among <= AMONG_PATHS; among++) {
		struct group_table *joined = join(e->r, parts, (enum among)among);

		if (joined)
			find_in_table(e, (enum among)among, joined, g);
		group_table_close(joined);
	}
}

void find_uneven(struct report *r, u32 side)
{
	struct group_table *ops = r->side[side].table[REPORT_OPS];
	const struct group *op = &r->view[REPORT_OPS].group;
	struct equals e = { .r = r, .side = side };

	find_in_parts(&e);
	find_in_places(r, side);
	find_in_table(&e, AMONG_NAMESPACES, ops, op);
	number_models(&e);
	find_in_table(&e, AMONG_DRIVES, ops, op);
}
