// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays a scene. As bus and channels serve in the order of submission, a command's completion is
 * known when it is submitted; what is simulated event by event is who submits when.
 */
#include <stdlib.h>

#include "tests/model/model.h"

enum happening_kind { HAPPENS_ISSUE, HAPPENS_SUBMIT, HAPPENS_DONE, HAPPENS_ADMIN };

struct happening {
	double at_ns;
	u64 order; /* of those at one time, the first that was added is first */
	enum happening_kind kind;
	u32 of; /* sender, command or admin command */
};

/* Where a sender is. */
struct progress {
	u64 arrivals, commands; /* so far */
	u64 next_page;
	u32 outstanding, owed; /* owed: arrivals that wait, as too much is in flight */
	u32 hung[FAULTS];
};

struct work {
	double bus_ns, channel_ns[64]; /* when each is free */
	u32 turn;
};

struct play {
	const struct scene *s;
	struct played *p;
	bool faults;
	struct happening *heap;
	u32 n, room;
	u64 order;
	struct progress progress[SENDERS];
	struct work work[DRIVES];
	u32 outstanding[SPACES];
	u32 *waits[SPACES]; /* commands that wait for a tag */
	u32 waits_from[SPACES], waits_n[SPACES], waits_room[SPACES];
};

static void *grow(void *at, u32 *room, size_t size)
{
	*room = *room ? 2 * *room : 1024;
	at = realloc(at, *room * size);
	if (!at)
		abort();
	return at;
}

static bool before(const struct happening *a, const struct happening *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

static void add(struct play *g, double at_ns, enum happening_kind kind, u32 of)
{
	struct happening h = { at_ns, g->order++, kind, of };
	u32 i = g->n++;

	if (g->n > g->room)
		g->heap = grow(g->heap, &g->room, sizeof(*g->heap));
	for (; i && before(&h, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = h;
}

static struct happening first(struct play *g)
{
	struct happening top = g->heap[0], last = g->heap[--g->n];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < g->n) {
		if (child + 1 < g->n && before(&g->heap[child + 1], &g->heap[child]))
			child++;
		if (!before(&g->heap[child], &last))
			break;
		g->heap[i] = g->heap[child];
		i = child;
	}
	g->heap[i] = last;
	return top;
}

double chance_of(u64 a, u64 b)
{
	u64 seed = a * 0x9e3779b97f4a7c15ULL ^ (b + 1) * 0xd1342543de82ef95ULL;

	uniform(&seed);
	return uniform(&seed);
}

/* The numbers of the @i-th command of a sender: the same whatever else is played. */
static u64 numbers_of(const struct scene *s, u32 sender, u64 i, u32 what)
{
	u64 seed = s->seed ^ (u64)(sender + 1) << 40 ^ (u64)what << 56;

	uniform(&seed);
	return seed ^ (i + 1) * 0xd1342543de82ef95ULL;
}

/* Is @at within an active stretch? Else *next is when one begins, if any. */
static bool active(double at, double from, double to, double on, double period, double *next)
{
	double since = at - from, turn;

	if (next)
		*next = since < 0 ? from : LONG_RUN;
	if (since < 0 || at >= to)
		return false;
	if (!period)
		return true;
	turn = floor(since / period);
	if (next && from + (turn + 1) * period < to)
		*next = from + (turn + 1) * period;
	return since - turn * period < on;
}

static bool fault_now(const struct fault *f, double at)
{
	return active(at, f->from, f->to, f->on, f->period, NULL);
}

static bool concerns(const struct play *g, const struct fault *f, const struct command *c)
{
	const struct scene *s = g->s;

	return g->faults && s->space[s->sender[c->sender].space].drive == f->drive &&
	       (f->opcode < 0 || f->opcode == c->opcode) &&
	       (f->sender < 0 || f->sender == c->sender) && fault_now(f, c->submit_ns / 1e9);
}

static bool overlaps(const struct fault *f, const struct command *c)
{
	return c->page < f->first + f->pages && c->page + c->bytes / PAGE_BYTES > f->first;
}

/* How many times as long the channels take for this command. */
static double slowness(const struct play *g, struct command *c)
{
	double factor = 1;

	for (u32 i = 0; i < g->s->faults; i++) {
		const struct fault *f = &g->s->fault[i];
		double at = (c->submit_ns / 1e9 - f->from) / (f->to - f->from);

		if (!concerns(g, f, c))
			continue;
		c->hit |= f->kind == FAULT_PLACE && overlaps(f, c);
		if (f->kind == FAULT_SLOW || (f->kind == FAULT_PLACE && overlaps(f, c)))
			factor *= f->factor;
		else if (f->kind == FAULT_RAMP)
			factor *= 1 + (f->factor - 1) * at;
	}
	return factor;
}

/* What a fault adds to a command that took @took_ns, without keeping a channel busy. */
static double extra(struct play *g, const struct command *c, double took_ns, u64 *seed)
{
	struct progress *p = &g->progress[c->sender];
	double ns = 0;

	for (u32 i = 0; i < g->s->faults; i++) {
		const struct fault *f = &g->s->fault[i];
		double drawn = uniform(seed), share = f->share;

		if (!concerns(g, f, c))
			continue;
		if (f->kind == FAULT_WARM)
			share *= exp(-(c->submit_ns / 1e9 - f->from) / f->add);
		if ((f->kind == FAULT_LONG || f->kind == FAULT_WARM) && drawn < share)
			ns += took_ns * (f->factor - 1) * (0.5 + drawn / share);
		else if (f->kind == FAULT_LATE)
			ns += f->add * (0.7 + 0.6 * drawn);
		else if (f->kind == FAULT_HANG && p->hung[i] < f->count && ++p->hung[i])
			ns += f->add * (0.9 + 0.2 * drawn);
		else if (f->kind == FAULT_CPU &&
			 (f->queue ? c->cpu % g->s->queues == f->cpu % g->s->queues
				   : c->cpu == f->cpu))
			ns += f->add * (0.5 + drawn);
	}
	return ns;
}

static double spread(double median, double sigma, u64 *seed)
{
	return median * exp(sigma * normal(seed));
}

static double *channel_for(struct work *w, const struct drive *d, u64 page)
{
	u32 best = 0;

	if (d->striped)
		return &w->channel_ns[page * PAGE_BYTES / d->stripe % d->channels];
	for (u32 i = 1; i < d->channels; i++)
		if (w->channel_ns[i] < w->channel_ns[best])
			best = i;
	return &w->channel_ns[best];
}

/* The time when the last of @pieces is done that begin at @from_ns, each of them @median long. */
static double occupy(struct work *w, const struct drive *d, const struct command *c, u32 pieces,
		     double from_ns, double ns)
{
	double done_ns = from_ns;

	for (u32 i = 0; i < pieces; i++) {
		double *free_ns = channel_for(w, d, c->page + (u64)i * d->stripe / PAGE_BYTES);

		*free_ns = (*free_ns > from_ns ? *free_ns : from_ns) + ns;
		if (*free_ns > done_ns)
			done_ns = *free_ns;
	}
	return done_ns;
}

static double serve_read(struct work *w, const struct drive *d, struct command *c, double factor,
			 u64 *seed)
{
	u32 pieces = (c->bytes + d->stripe - 1) / d->stripe;
	u32 rounds = (pieces + d->channels - 1) / d->channels;
	double piece = (pieces > 1 ? d->stripe : c->bytes) / d->channel, bus_ns = c->bytes / d->bus;
	double from_ns, done_ns = 0, longest = 0;

	w->bus_ns = (w->bus_ns > c->submit_ns ? w->bus_ns : c->submit_ns) + bus_ns;
	from_ns = w->bus_ns;
	for (u32 i = 0; i < pieces; i++) {
		double ns = spread(d->read_ns, d->sigma, seed) + piece, end_ns;
		struct command part = *c;

		part.page += (u64)i * d->stripe / PAGE_BYTES;
		end_ns = occupy(w, d, &part, 1, from_ns, ns * factor);
		done_ns = end_ns > done_ns ? end_ns : done_ns;
		longest = ns > longest ? ns : longest;
	}
	/* More pieces than channels come one behind the other even on an idle drive. */
	c->alone_ns = bus_ns + longest * rounds;
	return done_ns;
}

/* Work that waits on the channels, on average. */
static double backlog(const struct work *w, const struct drive *d, double now_ns)
{
	double sum = 0;

	for (u32 i = 0; i < d->channels; i++)
		sum += w->channel_ns[i] > now_ns ? w->channel_ns[i] - now_ns : 0;
	return sum / d->channels;
}

static double serve_write(struct work *w, const struct drive *d, struct command *c, double factor,
			  u64 *seed)
{
	u32 pieces = (c->bytes + d->stripe - 1) / d->stripe;
	double piece = (pieces > 1 ? d->stripe : c->bytes) / d->program;
	double room_ns = c->submit_ns + backlog(w, d, c->submit_ns) - d->cache_ns;
	double cache_ns = spread(d->write_ns, d->sigma, seed);

	w->bus_ns = (w->bus_ns > c->submit_ns ? w->bus_ns : c->submit_ns) + c->bytes / d->bus;
	occupy(w, d, c, pieces, w->bus_ns, piece * factor);
	c->alone_ns = c->bytes / d->bus + cache_ns;
	return (room_ns > w->bus_ns ? room_ns : w->bus_ns) + cache_ns * factor;
}

/* Flushes and trims: all channels are busy with it, or none. */
static double serve_all(struct work *w, const struct drive *d, struct command *c, double ns,
			bool holds)
{
	c->alone_ns = ns;
	if (!holds)
		return c->submit_ns + ns;
	for (u32 i = 0; i < d->channels; i++)
		if (w->channel_ns[i] < c->submit_ns)
			w->channel_ns[i] = c->submit_ns;
	for (u32 i = 0; i < d->channels; i++)
		w->channel_ns[i] += ns;
	return c->submit_ns + backlog(w, d, c->submit_ns);
}

static double serve(struct play *g, struct command *c)
{
	const struct scene *s = g->s;
	u32 drive = s->space[s->sender[c->sender].space].drive;
	const struct drive *d = &s->drive[drive];
	struct work *w = &g->work[drive];
	u64 seed = numbers_of(s, c->sender, c->number, 1);
	double factor = slowness(g, c), done_ns, ns;

	if (c->opcode == OPCODE_READ) {
		done_ns = serve_read(w, d, c, factor, &seed);
	} else if (c->opcode == OPCODE_WRITE) {
		done_ns = serve_write(w, d, c, factor, &seed);
	} else if (c->opcode == OPCODE_FLUSH) {
		ns = spread(d->flush_ns, d->flush_sigma, &seed) * factor;
		done_ns = serve_all(w, d, c, ns, d->flush_holds);
	} else {
		ns = spread(d->trim_ns, d->sigma, &seed) * (0.2 + c->bytes / 1048576.0) * factor;
		done_ns = serve_all(w, d, c, ns, d->trim_holds);
	}
	ns = extra(g, c, done_ns - c->submit_ns, &seed);
	c->hit |= ns > 0;
	return done_ns + ns;
}

static u16 outcome(const struct play *g, const struct command *c, u64 *seed)
{
	for (u32 i = 0; i < g->s->faults; i++) {
		const struct fault *f = &g->s->fault[i];

		if (f->kind == FAULT_ERROR && uniform(seed) < f->share && concerns(g, f, c))
			return c->opcode == OPCODE_READ ? 0x4281 : 0x4280;
	}
	return 0;
}

static u8 draw_opcode(const struct sender *from, u64 *seed)
{
	double drawn = uniform(seed);

	if (drawn < from->writes)
		return OPCODE_WRITE;
	if (drawn < from->writes + from->flushes)
		return OPCODE_FLUSH;
	return drawn < from->writes + from->flushes + from->trims ? OPCODE_DSM : OPCODE_READ;
}

static u64 draw_page(const struct sender *from, struct progress *p, u32 bytes, u64 *seed)
{
	u64 pages = bytes / PAGE_BYTES ? bytes / PAGE_BYTES : 1, places = from->pages / pages, page;
	double drawn = uniform(seed);

	if (!from->sequential)
		return from->first + (u64)(drawn * (double)places) * pages;
	if (p->next_page + pages > from->pages)
		p->next_page = 0;
	page = from->first + p->next_page;
	p->next_page += pages;
	return page;
}

/* A new command enters the block layer. */
static void enter(struct play *g, u32 sender, double now_ns)
{
	const struct sender *from = &g->s->sender[sender];
	struct progress *p = &g->progress[sender];
	u64 seed = numbers_of(g->s, sender, p->commands, 0);
	struct command *c;
	double drawn;

	if (g->p->n == g->p->room)
		g->p->command = grow(g->p->command, &g->p->room, sizeof(*c));
	c = &g->p->command[g->p->n];
	*c = (struct command){ .queued_ns = now_ns,
			       .sender = (u16)sender,
			       .number = (u32)p->commands };
	c->opcode = draw_opcode(from, &seed);
	drawn = uniform(&seed);
	c->bytes = drawn < from->more ? from->more_bytes : from->bytes;
	c->page = draw_page(from, p, c->bytes, &seed);
	c->cpu = (u16)((from->cpu + (u32)(uniform(&seed) * from->cpus)) % g->s->cpus);
	c->submit_ns = now_ns + 1500 + 3000 * uniform(&seed);
	if (from->wait && g->faults && c->opcode != OPCODE_FLUSH &&
	    now_ns >= 1e9 * g->s->space[from->space].sched_from)
		c->submit_ns += 1e9 * spread(from->wait, from->wait_sigma, &seed);
	p->outstanding++;
	p->commands++;
	add(g, c->submit_ns, HAPPENS_SUBMIT, g->p->n++);
}

static void submit(struct play *g, u32 i, double now_ns)
{
	struct command *c = &g->p->command[i];
	u64 seed = numbers_of(g->s, c->sender, c->number, 2);

	c->submit_ns = now_ns;
	g->outstanding[g->s->sender[c->sender].space]++;
	c->done_ns = serve(g, c);
	c->status = outcome(g, c, &seed);
	c->hit |= c->status != 0;
	add(g, c->done_ns, HAPPENS_DONE, i);
}

/* Submits, or waits for a tag behind all that wait already. */
static void want_tag(struct play *g, u32 i, double now_ns)
{
	u32 space = g->s->sender[g->p->command[i].sender].space, tags = g->s->space[space].tags;

	if (!tags || g->outstanding[space] < tags) {
		submit(g, i, now_ns);
		return;
	}
	if (g->waits_n[space] == g->waits_room[space])
		g->waits[space] = grow(g->waits[space], &g->waits_room[space], sizeof(u32));
	g->waits[space][g->waits_n[space]++] = i;
}

static double now_rate(const struct sender *from, double at, double end)
{
	double to = from->end < end ? from->end : end;

	return from->rate + (from->rate_end - from->rate) * (at - from->begin) / (to - from->begin);
}

/* The time of a sender has come: a command, or some at once, or a pause. */
static void issue(struct play *g, u32 sender, double now_ns)
{
	const struct sender *from = &g->s->sender[sender];
	struct progress *p = &g->progress[sender];
	double at = now_ns / 1e9, next, end = g->s->seconds;
	u64 seed = numbers_of(g->s, sender, p->arrivals++, 3);
	u32 batch = from->batch ? from->batch : 1;

	if (!active(at, from->begin, from->end, from->on, from->period, &next)) {
		if (next < end)
			add(g, next * 1e9 + uniform(&seed) * 1e5, HAPPENS_ISSUE, sender);
		return;
	}
	for (u32 i = 0; i < batch; i++) {
		if (p->outstanding < from->depth)
			enter(g, sender, now_ns + i * 700.0);
		else if (from->rate && p->owed < from->depth)
			p->owed++;
	}
	if (from->rate) {
		double gap = batch / now_rate(from, at, end);

		gap *= from->even ? 0.9 + 0.2 * uniform(&seed) : -log(uniform(&seed));
		add(g, now_ns + 1e9 * gap, HAPPENS_ISSUE, sender);
	}
}

static void done(struct play *g, u32 i, double now_ns)
{
	u32 sender = g->p->command[i].sender, space = g->s->sender[sender].space;
	const struct sender *from = &g->s->sender[sender];
	struct progress *p = &g->progress[sender];
	u64 seed = numbers_of(g->s, sender, g->p->command[i].number, 4);

	p->outstanding--;
	g->outstanding[space]--;
	if (g->waits_from[space] < g->waits_n[space])
		submit(g, g->waits[space][g->waits_from[space]++], now_ns);
	if (!from->rate) {
		add(g, now_ns - 1e9 * from->think * log(uniform(&seed)), HAPPENS_ISSUE, sender);
	} else if (p->owed) {
		p->owed--;
		enter(g, sender, now_ns);
	}
}

static void stop_drive(struct play *g, const struct admin *a)
{
	struct work *w = &g->work[a->drive];
	double until_ns = 1e9 * (a->at + a->seconds);

	if (!a->stops || !g->faults)
		return;
	for (u32 i = 0; i < g->s->drive[a->drive].channels; i++)
		w->channel_ns[i] = until_ns > w->channel_ns[i] ? until_ns : w->channel_ns[i];
	w->bus_ns = until_ns;
}

/* Those who send the next when one is over begin with as many as they keep in flight. */
static void begin(struct play *g, u32 roles)
{
	for (u32 i = 0; i < g->s->senders; i++) {
		const struct sender *from = &g->s->sender[i];
		u32 n = from->rate ? 1 : from->depth;
		u64 seed = numbers_of(g->s, i, 0, 5);

		for (u32 k = 0; k < n && from->role & roles; k++)
			add(g, from->begin * 1e9 + uniform(&seed) * 1e6, HAPPENS_ISSUE, i);
	}
	for (u32 i = 0; i < g->s->admins; i++)
		add(g, 1e9 * g->s->admin[i].at, HAPPENS_ADMIN, i);
}

void play(struct played *p, const struct scene *s, u32 roles, bool faults)
{
	struct play g = { .s = s, .p = p, .faults = faults };

	p->n = 0;
	begin(&g, roles);
	while (g.n) {
		struct happening h = first(&g);

		if (h.at_ns > s->seconds * 1e9 && h.kind != HAPPENS_DONE)
			continue;
		if (h.kind == HAPPENS_ISSUE)
			issue(&g, h.of, h.at_ns);
		else if (h.kind == HAPPENS_SUBMIT)
			want_tag(&g, h.of, h.at_ns);
		else if (h.kind == HAPPENS_DONE)
			done(&g, h.of, h.at_ns);
		else
			stop_drive(&g, &s->admin[h.of]);
	}
	free(g.heap);
	for (u32 i = 0; i < SPACES; i++)
		free(g.waits[i]);
}

void played_free(struct played *p)
{
	free(p->command);
	*p = (struct played){ 0 };
}
