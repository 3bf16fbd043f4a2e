// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about one among equals: a queue of a device, a namespace of a controller, a drive of a model. */
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/lookup.h"
#include "lib/session/recording.h"

/* The rows that a row is compared with. */
enum among {
	AMONG_QUEUES, /* of one device and size */
	AMONG_NAMESPACES, /* of one controller */
	AMONG_DRIVES, /* of one model, under a load that is alike */
};

/* Rows that are compared with each other. */
struct equals {
	struct report *r;
	u32 side;
	enum among among;
	struct group_table *t;
	const struct group *g;
	u32 n;
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
	if (e->among == AMONG_QUEUES)
		return a->key.device == b->key.device && a->key.size_class == b->key.size_class;
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

static void say_uneven(const struct equals *e, const struct latency_sum *row,
		       const struct unlike *is)
{
	static const char *const others[] = {
		[AMONG_QUEUES] = "other queues",
		[AMONG_NAMESPACES] = "other namespaces of the controller",
		[AMONG_DRIVES] = "other drives of the model under a like load",
	};
	char text[2][FMT_NUMBER], queue[32] = "";
	struct group_row keys;
	struct finding *f;

	group_row_fill(&keys, e->g, &row->key);
	f = find_new(e->r, e->side, FINDING_UNEVEN, FINDING_MEDIUM, keys.dev);
	find_op(f, keys.op);
	f->weight = is->own_ns / is->their_ns;
	f->likely = e->among == AMONG_DRIVES && is->equals == 1;
	if (e->among == AMONG_QUEUES)
		snprintf(queue, sizeof(queue), " of queue %lld", (long long)keys.qid);
	finding_say(f, "%s of the %ss%s took more than %s, %s of those of %s less than %s",
		    is->percent == 50 ? "half" : "a tenth", keys.op, queue,
		    fmt_ns(text[0], is->own_ns, " ", 0), is->percent == 50 ? "half" : "99 %",
		    others[e->among], fmt_ns(text[1], is->their_ns, " ", 0));
	finding_figure(f, is->percent == 50 ? "p50_ns" : "p90_ns", is->own_ns);
	finding_figure(f, is->percent == 50 ? "others_p50_ns" : "others_p99_ns", is->their_ns);
	finding_figure(f, "count", (double)row->count);
	find_shows(e->r, f, "latency --by dev,opcode%s",
		   e->among == AMONG_QUEUES ? ",qid,size" : "");
}

/* Whether that percentile of a row is so much higher than theirs; sets the figures. */
static bool is_slower(const struct equals *e, const struct latency_sum *row, struct unlike *is)
{
	is->own_ns = find_percentile(e->r, row, is->percent);
	for (u32 i = 0; i < e->n; i++) {
		const struct latency_sum *other = group_table_at(e->t, i);
		double theirs;

		if (other == row || !are_equals(e, row, other))
			continue;
		is->equals++;
		theirs = find_percentile(e->r, other, is->their_percent);
		is->their_ns = theirs > is->their_ns ? theirs : is->their_ns;
	}
	return is->their_ns > 0 && is->own_ns >= finding_limit[LIMIT_UNEVEN_FACTOR] * is->their_ns;
}

static void find_among(struct equals *e)
{
	e->n = group_table_sort(e->t, NULL, NULL);
	for (u32 i = 0; i < e->n; i++) {
		const struct latency_sum *row = group_table_at(e->t, i);
		struct unlike half = { .percent = 50, .their_percent = 50 };
		struct unlike tail = { .percent = 90, .their_percent = 99 };
		bool slower = is_slower(e, row, &half) &&
			      find_percentile(e->r, row, (u32)finding_limit[LIMIT_UNEVEN_CLEAR]) >=
				      half.their_ns;

		if (slower || is_slower(e, row, &tail))
			say_uneven(e, row, slower ? &half : &tail);
	}
}

void find_uneven(struct report *r, u32 side)
{
	struct equals e = { .r = r,
			    .side = side,
			    .among = AMONG_QUEUES,
			    .t = r->side[side].find.queues,
			    .g = &r->find_groups.queue };

	find_among(&e);
	e.among = AMONG_NAMESPACES;
	e.t = r->side[side].table[REPORT_OPS];
	e.g = &r->view[REPORT_OPS].group;
	find_among(&e);
	e.among = AMONG_DRIVES;
	number_models(&e);
	find_among(&e);
}
