// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of sentences: classes of commands, periods, what coincides; and the commands that show them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/coincide.h"
#include "cmd/report/report.h"
#include "cmd/report/stretch.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/nvme/spec.h"
#include "lib/session/lookup.h"
#include "lib/session/recording.h"

#define MSEC	 1e6
#define BRIEF_NS 1e8 /* what begins and ends in one tenth of a second, as times are printed */

static const struct log *log_of(const struct report *r, u32 side)
{
	return &r->side[side].log;
}

const char *find_device(struct report *r, u32 side, u32 kind)
{
	return session_dev_name(r->s, log_of(r, side)->kind[kind]->key.device);
}

const char *find_opcode(const struct log_kind *kind, char buf[NVME_OPCODE_NAME_MAX])
{
	enum nvme_set set = nvme_set_of(!kind->key.admin, kind->key.opcode);
	const char *name = nvme_opcode_name(set, kind->key.opcode);

	if (name)
		snprintf(buf, NVME_OPCODE_NAME_MAX, "%s", name);
	else
		snprintf(buf, NVME_OPCODE_NAME_MAX, "0x%02x", kind->key.opcode);
	return buf;
}

/* "128K": bytes in the unit that leaves few digits. */
static const char *size_word(double bytes, char buf[FMT_NUMBER])
{
	bool mega = bytes >= 1 << 20, kilo = bytes >= 1 << 10;
	double value = mega ? bytes / (1 << 20) : kilo ? bytes / (1 << 10) : bytes;
	u32 decimals = value < 10 && fabs(value - round(value)) > 0.05;
	size_t n = strlen(fmt_number(buf, value, decimals));

	snprintf(buf + n, FMT_NUMBER - n, "%s", mega ? "M" : kilo ? "K" : "");
	return buf;
}

/* "4K reads", "4K to 7.5K writes", "flushes". */
void find_kind(const struct log_kind *kind, char *buf, size_t size)
{
	char op[NVME_OPCODE_NAME_MAX], least[FMT_NUMBER], most[FMT_NUMBER];
	u8 code = kind->key.opcode;
	bool moves = !kind->key.admin && (code == OPCODE_READ || code == OPCODE_WRITE);

	find_opcode(kind, op);
	if (!moves)
		snprintf(buf, size, "%s",
			 code == OPCODE_FLUSH && !kind->key.admin ? "flushes"
			 : code == OPCODE_DSM && !kind->key.admin ? "discards"
								  : op);
	else if (kind->least_bytes == kind->most_bytes)
		snprintf(buf, size, "%s %ss", size_word((double)kind->least_bytes, least), op);
	else
		snprintf(buf, size, "%s to %s %ss", size_word((double)kind->least_bytes, least),
			 size_word((double)kind->most_bytes, most), op);
}

static void name_sender(struct finding_with *w, const struct log_sender *sender)
{
	snprintf(w->comm, sizeof(w->comm), "%s", sender->comm);
	w->pid = log_sender_pid(sender);
}

void find_class(struct report *r, u32 side, struct finding *f, u32 kind, u32 sender,
		char buf[FIND_CLASS])
{
	const struct log *l = log_of(r, side);
	char name[LOG_NAME], what[100], op[NVME_OPCODE_NAME_MAX];
	struct finding_with who;

	find_kind(l->kind[kind], what, sizeof(what));
	find_op(f, find_opcode(l->kind[kind], op));
	snprintf(buf, FIND_CLASS, "%s", what);
	if (r->lacks & NEED_COMM || l->sender[sender]->key.other)
		return;
	name_sender(&who, l->sender[sender]);
	snprintf(f->comm_room, sizeof(f->comm_room), "%s", who.comm);
	f->pid = who.pid;
	snprintf(buf, FIND_CLASS, "%s of %s", what, log_sender_name(l, r->s, sender, name));
}

/* What --time counts from: the begin of the recording, of two the own one. */
static u64 base_ns(const struct report *r, u32 side)
{
	return r->sides > 1 ? r->side[side].start_ns : session_start_ns(r->s);
}

struct find_period find_period(const struct report *r, u32 side, double from_ns, double to_ns)
{
	double start = (double)base_ns(r, side), from = ceil((from_ns - start) / MSEC),
	       to = floor((to_ns - start) / MSEC);

	return (struct find_period){ .from_ns = start + fmax(from, 0) * MSEC,
				     .to_ns = start + fmax(to, fmax(from, 0) + 1) * MSEC };
}

/* Whether two kinds differ in nothing that the options of a command tell apart. */
static bool is_like(const struct log_kind *a, const struct log_kind *b)
{
	return a == b || (a->key.device == b->key.device && a->key.opcode == b->key.opcode &&
			  a->key.size_class == b->key.size_class && a->key.admin == b->key.admin);
}

double find_percentile(float *lat, u32 n, double percent)
{
	u32 rank = (u32)ceil(percent / 100 * n);
	double at, edge, max;

	if (!n)
		return 0;
	at = (double)stretch_select(lat, n, rank ? rank - 1 : 0);
	edge = (double)hist_lo(&hist_finest, hist_slot(&hist_finest, (u64)at) + 1);
	max = (double)stretch_select(lat, n, n - 1);
	return edge > max ? max : edge;
}

void find_median(const struct report *r, u32 side, u32 kind, u32 sender, struct find_period *p)
{
	const struct log *l = log_of(r, side);
	float *lat = malloc((l->n + 1) * sizeof(*lat));
	u32 n = 0;

	for (u32 i = 0; lat && i < l->n; i++) {
		const struct log_command *c = &l->at[i];
		double end = (double)log_end_ns(c);

		if (c->sender == sender && end >= p->from_ns && end < p->to_ns &&
		    is_like(l->kind[c->kind], l->kind[kind]) &&
		    (!p->is_in || p->is_in(l, i, p->ctx)))
			lat[n++] = c->lat_ns;
	}
	p->count = n;
	if (lat && n)
		p->median_ns = find_percentile(lat, n, 50);
	free(lat);
}

/* Writes @word for a shell, in quotes where it needs them. */
const char *find_quote(const char *word, char buf[FIND_WORD])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";
	size_t n = 0;

	if (*word && !word[strspn(word, plain)]) {
		snprintf(buf, FIND_WORD, "%s", word);
		return buf;
	}
	buf[n++] = '\'';
	for (; *word && n + 7 < FIND_WORD; word++) {
		if (*word == '\'') /* not by a backslash, which output escapes */
			n += (size_t)snprintf(buf + n, FIND_WORD - n, "'\"'\"'");
		else
			buf[n++] = *word;
	}
	snprintf(buf + n, FIND_WORD - n, "'");
	return buf;
}

/* "-c 3", or "-c host/3" where recordings of several hosts are told apart. */
const char *find_ctrl_option(struct report *r, const struct group_key *key, char buf[FIND_WORD])
{
	char name[SESSION_CTRL_NAME], word[FIND_WORD];
	const char *ctrl = session_ctrl_name(r->s, key->ctrl_id, key->host, name),
		   *slash = strrchr(ctrl, '/');

	if (!slash)
		snprintf(buf, FIND_WORD, "-c %d", key->ctrl_id);
	else
		snprintf(buf, FIND_WORD, "-c %s", find_quote(ctrl, word));
	return buf;
}

static double since(const struct report *r, u32 side, double ns)
{
	return (ns - (double)base_ns(r, side)) / 1e9;
}

const char *find_keys(const struct report *r, u32 side, u32 of)
{
	const struct log_sender *sender = log_of(r, side)->sender[of];

	if (r->lacks & NEED_COMM)
		return "";
	if (sender->work == WORK_WRITEBACK && sender->key.owner_id)
		return ",owner";
	return sender->key.pid ? ",comm,pid" : ",comm";
}

void find_table(const struct report *r, u32 side, u32 kind, u32 sender, const char *more,
		char buf[FIND_TABLE])
{
	const struct log_kind *is = log_of(r, side)->kind[kind];
	char split[64] = "";

	if (is->key.size_class)
		snprintf(split, sizeof(split), ",size --split-size=%llu,%llu",
			 (1ULL << (is->key.size_class - 1)) - 1, (1ULL << is->key.size_class) - 1);
	snprintf(buf, FIND_TABLE, "latency --table --hist-bits 6 --by dev,opcode%s%s%s",
		 find_keys(r, side, sender), more, split);
}

void find_shows_periods(struct report *r, struct finding *f, u32 kind, u32 sender,
			const struct find_period *a, const struct find_period *b)
{
	const struct log_kind *is = log_of(r, f->side)->kind[kind];
	char ctrl[FIND_WORD], table[FIND_TABLE], time[4 * FMT_NUMBER + 16] = "", t[4][FMT_NUMBER];

	if (session_is_replay(r->s))
		snprintf(time, sizeof(time), " --time %s-%s,%s-%s",
			 fmt_number(t[0], since(r, f->side, a->from_ns), 3),
			 fmt_number(t[1], since(r, f->side, a->to_ns), 3),
			 fmt_number(t[2], since(r, f->side, b->from_ns), 3),
			 fmt_number(t[3], since(r, f->side, b->to_ns), 3));
	find_table(r, f->side, kind, sender, "", table);
	find_shows(r, f, "%s -P 50,99 --columns +qd %s%s", table,
		   find_ctrl_option(r, &is->key, ctrl), time);
}

const char *find_depth(double depth, char buf[FMT_NUMBER])
{
	return fmt_number(buf, depth, depth < 10 && fabs(depth - round(depth)) > 0.05);
}

const char *find_rate(double bytes_per_s, char buf[FMT_NUMBER])
{
	size_t n = strlen(fmt_rate(buf, bytes_per_s / 1e6));

	snprintf(buf + n, FMT_NUMBER - n, " MB/s");
	return buf;
}

/* "on average 16 of the 17 commands in flight were of tar (3406), 128K reads, 190 MB/s" */
static void say_sender(struct report *r, struct finding *f, const struct coincide *c,
		       const struct coincide_what *w, bool elsewhere)
{
	const struct log *l = log_of(r, f->side);
	char name[LOG_NAME], what[100], depth[FMT_NUMBER], all[FMT_NUMBER], text[FMT_NUMBER];

	find_kind(l->kind[w->kind], what, sizeof(what));
	finding_say(f, "; on average %s of the %s commands in flight then were of %s, mostly %s",
		    find_depth(w->depth, depth), find_depth(c->all, all),
		    log_sender_name(l, r->s, w->sender, name), what);
	if (elsewhere)
		finding_say(f, " of %s", find_device(r, f->side, w->kind));
	if (w->bytes_per_s > 0)
		finding_say(f, ", %s", find_rate(w->bytes_per_s, text));
}

static void say_what(struct report *r, struct finding *f, const struct coincide *c,
		     const struct coincide_what *w, u32 device)
{
	const struct log *l = log_of(r, f->side);
	const struct log_kind *kind = l->kind[w->kind];
	struct finding_with *with = &f->with[f->n_with++];
	char op[NVME_OPCODE_NAME_MAX], share[FMT_NUMBER];

	*with = (struct finding_with){ .pid = -1,
				       .bytes_per_s = w->bytes_per_s,
				       .depth = w->depth };
	find_opcode(kind, op);
	snprintf(with->op, sizeof(with->op), "%s", op);
	snprintf(with->dev, sizeof(with->dev), "%s", find_device(r, f->side, w->kind));
	if (w->admin) {
		with->event = "admin";
		finding_say(f, "; %s commands were in flight meanwhile, on average %s", op,
			    find_depth(w->depth, share));
		return;
	}
	name_sender(with, l->sender[w->sender]);
	say_sender(r, f, c, w, kind->key.device != device);
}

/* How far apart the spans begin, if all distances are alike; else 0. */
static double period_of(const struct coincide_span *span, u32 n)
{
	double period = n > 1 ? (span[n - 1].from_ns - span[0].from_ns) / (n - 1) : 0, off = 0;

	for (u32 i = 1; i < n; i++)
		off = fmax(off, fabs(span[i].from_ns - span[i - 1].from_ns - period));
	return n > 2 && off < 0.15 * period ? period : 0;
}

void find_spans(struct report *r, struct finding *f, const struct coincide_span *span, u32 n,
		bool growing)
{
	const struct coincide_span *first = &span[0], *last = &span[n - 1];
	char from[FIND_TIME], to[FIND_TIME], text[FMT_NUMBER];
	double period = period_of(span, n), sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += span[i].to_ns - span[i].from_ns;
	find_time(r, (u64)first->from_ns, from);
	find_time_after(r, (u64)first->from_ns, (u64)last->to_ns, to);
	find_when(r, f, (u64)first->from_ns, (u64)last->to_ns);
	if (n > 1) {
		finding_say(f, " %u times from %s to %s, %s each", n, from, to,
			    fmt_ns(text, sum / n, " ", 0));
		if (period > 0)
			finding_say(f, ", every %s", fmt_ns(text, period, " ", 0));
		finding_figure(f, "times", n);
	} else if (first->unsure[0] < 0) {
		finding_say(f, " until %s", find_time(r, (u64)last->to_ns, to));
	} else if (first->unsure[1] >= 0 && sum < BRIEF_NS) {
		finding_say(f, " at %s, for %s", from, fmt_ns(text, sum, " ", 0));
	} else {
		finding_say(f, growing ? ", ever more from %s" : " from %s", from);
		if (first->unsure[1] < 0)
			finding_say(f, " on");
		else
			finding_say(f, " to %s", to);
	}
}

/* Whether @ns is at an edge of the episode. */
static bool at_edge(const struct coincide_span *span, u32 n, double ns, double slice_ns)
{
	for (u32 i = 0; i < n; i++)
		for (u32 e = 0; e < 2; e++)
			if (span[i].unsure[e] >= 0 && fabs((e ? span[i].to_ns : span[i].from_ns) -
							   ns) <= span[i].unsure[e] + slice_ns)
				return true;
	return false;
}

static void add_event(struct finding *f, const char *event)
{
	if (f->n_with < FINDING_WITH)
		f->with[f->n_with++] = (struct finding_with){ .pid = -1, .event = event };
}

/* Events at an edge: the scheduler, a timeout or a reset. */
static void say_events(struct report *r, struct finding *f, u32 device,
		       const struct coincide_span *span, u32 n)
{
	struct report_side *side = &r->side[f->side];
	double slice_ns = (double)(side->last_ns - side->first_ns) / COINCIDE_SLICES;
	const struct log_sched sched = log_sched(&side->log, device);
	const char *now, *was;

	if (sched.changed_ns && at_edge(span, n, (double)sched.changed_ns, slice_ns)) {
		now = session_sched_name(r->s, sched.now);
		was = session_sched_name(r->s, sched.was);
		finding_say(f, "; at the same time the scheduler became %s, it was %s",
			    now ? now : "none", was ? was : "none");
		add_event(f, "scheduler");
	}
	for (u32 i = 0; i < side->n_trouble; i++) {
		const struct view *v = view_kept(&side->trouble[i]);
		bool reset = v->ev->kind == EVENT_RESET;

		if ((!reset && v->ev->kind != EVENT_TIMEOUT) ||
		    !at_edge(span, n, (double)v->ev->ts_ns, slice_ns))
			continue;
		finding_say(f, "; at the same time %s",
			    reset ? "the controller was reset"
				  : "the driver waited in vain for a command");
		add_event(f, reset ? "reset" : "timeout");
		break;
	}
}

/*
 * Looks only at the time from the first command that waited, or might have, to the last: what would
 * have taken long before and after it is not known.
 */
static void set_time(struct coincide_ask *ask, const struct find_episode *is)
{
	const struct log *l = ask->log;

	ask->start_ns = (u64)is->span[0].from_ns;
	ask->end_ns = (u64)is->span[is->n - 1].to_ns;
	for (u32 i = 0; i < l->n; i++) {
		if (!log_is(&l->at[i], is->kind, is->sender))
			continue;
		if (l->at[i].submit_ns < ask->start_ns)
			ask->start_ns = l->at[i].submit_ns;
		if (log_end_ns(&l->at[i]) > ask->end_ns)
			ask->end_ns = log_end_ns(&l->at[i]);
	}
}

/* How much a class waits over time, for an episode that grows: the mean of its logarithms by slice. */
static void fill_line(const struct coincide_ask *ask, const struct find_episode *is,
		      double line[COINCIDE_SLICES])
{
	double step = (double)(ask->end_ns - ask->start_ns + 1) / COINCIDE_SLICES, last = 0;
	u32 n[COINCIDE_SLICES] = { 0 };

	memset(line, 0, COINCIDE_SLICES * sizeof(*line));
	for (u32 i = 0; i < ask->log->n; i++) {
		const struct log_command *c = &ask->log->at[i];
		double slice = ((double)c->submit_ns - (double)ask->start_ns) / step;

		if (!log_is(c, is->kind, is->sender) || slice < 0 || slice >= COINCIDE_SLICES)
			continue;
		line[(u32)slice] += log((double)c->lat_ns + 1);
		n[(u32)slice]++;
	}
	for (u32 i = 0; i < COINCIDE_SLICES; i++) {
		line[i] = n[i] ? line[i] / n[i] : last;
		last = line[i];
	}
}

/* The mean time between spans. */
static double gap_of(const struct find_episode *is)
{
	double ns = is->span[is->n - 1].to_ns - is->span[0].from_ns;

	for (u32 i = 0; i < is->n; i++)
		ns -= is->span[i].to_ns - is->span[i].from_ns;
	return ns / (is->n - 1);
}

/*
 * Looks for somebody who is there during all spans and between them, unless these are far from each
 * other: what comes and goes may do so while he is there. The edges are known no better than to a gap.
 */
static int find_around(struct coincide *to, struct coincide_ask ask, const struct find_episode *is)
{
	const struct coincide_span *last = &is->span[is->n - 1];
	struct coincide_span hull = is->span[0];
	double gap = gap_of(is);
	struct coincide c;
	int err;

	hull.to_ns = last->to_ns;
	hull.unsure[1] = last->unsure[1];
	for (u32 e = 0; e < 2; e++)
		hull.unsure[e] += hull.unsure[e] >= 0 ? gap : 0;
	if (gap > (hull.to_ns - hull.from_ns) / 8)
		return 0;
	ask.span = &hull;
	ask.n = 1;
	err = coincide_find(&c, &ask);
	if (c.n)
		*to = c;
	to->unclear |= c.unclear;
	return err;
}

int find_coincides(struct report *r, u32 side, const struct find_episode *is, struct coincide *c)
{
	int err;
	const struct report_side *at = &r->side[side];
	double line[COINCIDE_SLICES];
	struct coincide_ask ask = { .log = &at->log,
				    .ctrl = at->log.kind[is->kind]->ctrl,
				    .victims = is->victims,
				    .span = is->span,
				    .n = is->n,
				    .line = is->growing ? line : NULL };

	*c = (struct coincide){ 0 };
	if (r->lacks & NEED_COMM || !is->n)
		return 0;
	set_time(&ask, is);
	if (is->growing)
		fill_line(&ask, is, line);
	err = coincide_find(c, &ask);
	return err || c->n || is->n < 2 ? err : find_around(c, ask, is);
}

/* Sets the figures to those of commands that ended in a period, as histograms count them. */
static void refigure(const struct log *l, u32 ctrl, const struct find_period *p, struct coincide *c)
{
	double span_ns = (p->to_ns - p->from_ns) / l->every;

	c->all = 0;
	for (u32 k = 0; k < c->n; k++)
		if (!c->is[k].admin) /* the command does not show these */
			c->is[k].depth = c->is[k].bytes_per_s = 0;
	for (u32 i = 0; i < l->n; i++) {
		const struct log_command *at = &l->at[i];
		double end = (double)log_end_ns(at);

		if (l->kind[at->kind]->ctrl != ctrl || end < p->from_ns || end >= p->to_ns)
			continue;
		c->all += (double)at->lat_ns / span_ns;
		for (u32 k = 0; k < c->n; k++)
			if (!c->is[k].admin && c->is[k].sender == at->sender) {
				c->is[k].depth += (double)at->lat_ns / span_ns;
				c->is[k].bytes_per_s += at->bytes * 1e9 / span_ns;
			}
	}
}

u32 find_with(struct report *r, struct finding *f, const struct find_episode *is,
	      struct coincide *c)
{
	u32 device = r->side[f->side].log.kind[is->kind]->key.device;

	if (is->shown)
		refigure(&r->side[f->side].log, r->side[f->side].log.kind[is->kind]->ctrl,
			 is->shown, c);
	for (u32 i = 0; i < c->n && f->n_with < FINDING_WITH; i++)
		say_what(r, f, c, &c->is[i], device);
	say_events(r, f, device, is->span, is->n);
	if (!f->n_with && !c->unclear && !(r->lacks & NEED_COMM))
		finding_say(f, "; nothing else changed then");
	return f->n_with;
}

void find_others(struct report *r, struct finding *f, u32 kind, u32 sender,
		 const struct coincide_span *span, u32 n)
{
	u8 victims[LOG_SENDERS + 1] = { 0 };
	const struct find_episode episode = {
		.kind = kind, .sender = sender, .victims = victims, .span = span, .n = n
	};
	struct coincide c;

	victims[sender] = 2;
	if (!find_coincides(r, f->side, &episode, &c))
		find_with(r, f, &episode, &c);
}
