// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Says what is true of a scene. Who lost how much by the culprits or faults is what their commands
 * take less when the same is played without them; so a label says what happened, not what was meant.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nvme/spec.h"
#include "tests/data/made.h"
#include "tests/model/model.h"

#define CLASSES	     128
#define SLICES	     10
#define SLICE_LEAST  20 /* commands of a class in a slice that is compared */
#define VICTIM_RATIO 1.2 /* from here on somebody has lost something */
#define SICK_RATIO   1.4 /* and from here on it has to be found */
#define SICK_NS	     20e6 /* if it was so much altogether */
#define SICK_LEAST   20 /* of so many commands */
#define HARM_RATIO   1.2 /* that a newcomer of a healthy load may do */
#define OWN_RATIO    1.5 /* that one may wait in a healthy load */

/* The commands of one kind of one process. */
struct class
{
	const char *comm;
	u32 space, size, sender; /* size: power of four */
	enum role role;
	u8 opcode;
	u32 n, hits, room;
	double sum_ns, alone_ns, hit_ns, *lat_ns;
	u32 slice_n[SLICES];
	double slice_ns[SLICES], slice_alone_ns[SLICES];
};

struct classes {
	const struct scene *s;
	struct class class[CLASSES];
	u32 n;
};

static u32 size_of(u32 bytes)
{
	u32 size = 0;

	for (; bytes >= 4; bytes /= 4)
		size++;
	return size;
}

static struct class *class_of(struct classes *all, const struct command *c)
{
	const struct sender *from = &all->s->sender[c->sender];
	struct class *k = all->class;

	for (; k < all->class + all->n; k++)
		if (k->space == from->space && k->opcode == c->opcode &&
		    k->size == size_of(c->bytes) && !strcmp(k->comm, from->comm))
			return k;
	if (all->n == CLASSES)
		abort();
	all->n++;
	*k = (struct class){ .comm = from->comm,
			     .space = from->space,
			     .size = size_of(c->bytes),
			     .sender = c->sender,
			     .role = from->role,
			     .opcode = c->opcode };
	return k;
}

/* Of what waits in the block layer the wait counts as well. */
static bool counts_waits(const struct scene *s)
{
	return s->truth.kinds && strstr(s->truth.kinds, "queue-wait");
}

/* Does something go on at @at that others wait for; or, with another role, is one of these there? */
static bool goes_on(const struct scene *s, enum role role, double at)
{
	bool found =
		role == ROLE_CULPRIT && (s->truth.whole || counts_waits(s)) && at >= s->truth.from;

	for (u32 i = 0; i < s->senders && !found; i++) {
		const struct sender *from = &s->sender[i];
		double since = at - from->begin;

		found = from->role == role && since >= 0 && at < from->end + 0.2 &&
			(!from->period || fmod(since, from->period) < from->on + 0.2);
	}
	for (u32 i = 0; i < s->faults && !found && role == ROLE_CULPRIT; i++) {
		const struct fault *f = &s->fault[i];
		double since = at - f->from;

		found = since >= 0 && at < f->to &&
			(!f->period || f->kind == FAULT_WARM || fmod(since, f->period) < f->on);
	}
	for (u32 i = 0; i < s->admins && !found && role == ROLE_CULPRIT; i++) {
		const struct admin *a = &s->admin[i];

		found = a->stops && at >= a->at && at < a->at + a->seconds;
	}
	return found;
}

static void count(struct class *k, const struct command *c, double lat_ns, double seconds)
{
	u32 slice = (u32)(c->submit_ns / 1e9 / seconds * SLICES);

	if (k->n == k->room) {
		k->room = k->room ? 2 * k->room : 64;
		k->lat_ns = realloc(k->lat_ns, k->room * sizeof(double));
		if (!k->lat_ns)
			abort();
	}
	k->lat_ns[k->n++] = lat_ns;
	k->sum_ns += lat_ns;
	k->alone_ns += c->alone_ns;
	k->hits += c->hit;
	k->hit_ns += c->hit ? lat_ns - c->alone_ns : 0;
	k->slice_n[slice]++;
	k->slice_ns[slice] += lat_ns;
	k->slice_alone_ns[slice] += c->alone_ns;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the commands of @p that were sent while somebody of @role goes on; 0: all. */
static struct classes *classify(const struct scene *s, const struct played *p, enum role role)
{
	struct classes *all = calloc(1, sizeof(*all));

	if (!all)
		abort();
	all->s = s;
	for (u32 i = 0; i < p->n; i++) {
		const struct command *c = &p->command[i];
		double from_ns = counts_waits(s) ? c->queued_ns : c->submit_ns;

		if (!c->done_ns || c->submit_ns >= 1e9 * s->seconds ||
		    (role && !goes_on(s, role, c->queued_ns / 1e9)))
			continue;
		count(class_of(all, c), c, c->done_ns - from_ns, s->seconds);
	}
	for (u32 i = 0; i < all->n; i++)
		qsort(all->class[i].lat_ns, all->class[i].n, sizeof(double), by_number);
	return all;
}

static void classes_free(struct classes *all)
{
	for (u32 i = 0; i < all->n; i++)
		free(all->class[i].lat_ns);
	free(all);
}

/* The same scene with others in it. */
static struct classes *without(const struct scene *s, u32 roles, bool faults, enum role role)
{
	struct played p = { 0 };
	struct classes *all;

	play(&p, s, roles, faults);
	all = classify(s, &p, role);
	played_free(&p);
	return all;
}

static const struct class *same(const struct classes *all, const struct class *k)
{
	for (const struct class *o = all->class; o < all->class + all->n; o++)
		if (o->space == k->space && o->opcode == k->opcode && o->size == k->size &&
		    !strcmp(o->comm, k->comm))
			return o;
	return NULL;
}

/* How many times as long the commands of a class took, on average; 1: they are too few to say. */
static double ratio(const struct class *k, const struct classes *base)
{
	const struct class *o = same(base, k);

	return o && o->n >= 5 && k->n >= 5 ? k->sum_ns / k->n / (o->sum_ns / o->n) : 1;
}

static double ratio_of_medians(const struct class *k, const struct classes *base)
{
	const struct class *o = same(base, k);

	return o && o->n >= 30 && k->n >= 30 ? k->lat_ns[k->n / 2] / o->lat_ns[o->n / 2] : 1;
}

/* Does the fault concern commands one by one, so that each is known? */
static bool has_hits(const struct scene *s)
{
	return s->faults && s->truth.kinds && s->fault[0].kind >= FAULT_LONG;
}

/* Is a class among those who lost, and by how much? */
static bool is_victim(const struct scene *s, const struct class *k, const struct classes *base)
{
	if (k->role == ROLE_CULPRIT)
		return false;
	return has_hits(s) ? k->hits > 0 : ratio(k, base) >= VICTIM_RATIO;
}

/* So many single commands a fault must have met for anybody to notice. */
static u32 hits_needed(const struct scene *s)
{
	switch (s->fault[0].kind) {
	case FAULT_HANG:
	case FAULT_ERROR:
		return 1;
	case FAULT_LONG:
		return 10;
	default:
		return 60;
	}
}

static bool lost_enough(const struct scene *s, const struct classes *now,
			const struct classes *base)
{
	double lost_ns = 0, sum_ns = 0, hit_ns = 0;
	u32 hits = 0, n = 0;

	for (u32 i = 0; i < now->n; i++) {
		const struct class *k = &now->class[i];

		if (!is_victim(s, k, base))
			continue;
		n += k->n;
		hits += k->hits;
		hit_ns += k->hit_ns;
		sum_ns += k->sum_ns;
		lost_ns += k->sum_ns * (1 - 1 / ratio(k, base));
	}
	if (has_hits(s))
		return hits >= hits_needed(s) &&
		       (s->fault[0].kind == FAULT_ERROR || hit_ns >= SICK_NS);
	return n >= SICK_LEAST && lost_ns >= SICK_NS && sum_ns >= SICK_RATIO * (sum_ns - lost_ns);
}

/* Would the victims have lost as much without the innocents? */
static bool innocents_harmless(const struct scene *s, const struct classes *now)
{
	struct classes *base;
	bool harmless = true;

	for (u32 i = 0; i < s->senders; i++)
		harmless = harmless && s->sender[i].role != ROLE_INNOCENT;
	if (harmless)
		return true;
	base = without(s, ROLE_LOAD | ROLE_CULPRIT, true, ROLE_CULPRIT);
	harmless = true;
	for (u32 i = 0; i < now->n; i++)
		harmless = harmless && (now->class[i].role == ROLE_INNOCENT ||
					ratio(&now->class[i], base) < 1.15);
	classes_free(base);
	return harmless;
}

/* Do like commands of a healthy load wait as long at any time, against an idle drive? */
static bool steady(const struct scene *s, const struct class *k)
{
	const struct sender *from = &s->sender[k->sender];
	double least = 1e9, most = 0;
	bool waits_for_itself = from->batch > 1 || (!from->rate && from->depth > 2);

	for (u32 i = 0; i < SLICES; i++) {
		double times = k->slice_ns[i] / k->slice_alone_ns[i];

		if (k->slice_n[i] < SLICE_LEAST)
			continue;
		least = times < least ? times : least;
		most = times > most ? times : most;
	}
	return most <= s->kind->steady * least &&
	       (waits_for_itself || s->kind->steady > 1.3 || most <= OWN_RATIO);
}

static bool healthy(const struct scene *s, const struct played *p)
{
	struct classes *now = classify(s, p, 0), *with = classify(s, p, ROLE_INNOCENT),
		       *base = without(s, ROLE_LOAD, true, ROLE_INNOCENT);
	bool fine = true;

	for (u32 i = 0; i < now->n; i++)
		fine = fine && steady(s, &now->class[i]);
	for (u32 i = 0; i < with->n; i++)
		fine = fine && ratio(&with->class[i], base) <= HARM_RATIO &&
		       ratio_of_medians(&with->class[i], base) <= HARM_RATIO;
	classes_free(now);
	classes_free(with);
	classes_free(base);
	return fine;
}

/* Words apart by blanks, as the strings of an array. */
static void print_words(const char *name, const char *words)
{
	printf(",\"%s\":[", name);
	for (const char *at = words ? words : ""; *at; at += strspn(at, " ")) {
		printf("%s\"%.*s\"", at == words ? "" : ",", (int)strcspn(at, " "), at);
		at += strcspn(at, " ");
	}
	printf("]");
}

static void print_flag(const char *name, bool value)
{
	printf(",\"%s\":%s", name, value ? "true" : "false");
}

static void print_time(const char *name, double at)
{
	printf(",\"%s\":%" PRIu64, name, (u64)(START_NS + WALL_OFFSET_NS) + (u64)(at * 1e9));
}

/* Each culprit once, by what it may be called. */
static void print_culprits(const struct scene *s)
{
	const char *between = "";

	printf(",\"culprits\":[");
	for (u32 i = 0; i < s->senders; i++) {
		const struct sender *from = &s->sender[i];
		bool again = from->role != ROLE_CULPRIT;

		for (u32 k = 0; k < i && !again; k++)
			again = s->sender[k].role == ROLE_CULPRIT &&
				!strcmp(s->sender[k].comm, from->comm);
		if (again)
			continue;
		printf("%s{\"dev\":\"nvme%un%u\",\"comm\":\"%s\",\"owner\":\"%s\"}", between,
		       s->space[from->space].drive, s->space[from->space].nsid, from->comm,
		       from->owner ? from->owner : "");
		between = ",";
	}
	printf("]");
}

/* What the commands are called that stop the drive. */
static void print_stopping(const struct scene *s)
{
	const char *op = NULL;

	for (u32 i = 0; i < s->admins; i++)
		if (s->admin[i].stops)
			op = nvme_opcode_name(NVME_SET_ADMIN, s->admin[i].opcode);
	printf(",\"event_op\":\"%s\"", op ? op : "");
}

static void print_victims(const struct scene *s, const struct classes *now,
			  const struct classes *base)
{
	const char *between = "";

	printf(",\"victims\":[");
	for (u32 i = 0; now && i < now->n; i++) {
		const struct class *k = &now->class[i];
		const struct space *space = &s->space[k->space];
		const struct class *o = same(base, k);

		if (!is_victim(s, k, base))
			continue;
		printf("%s{\"dev\":\"nvme%un%u\",\"op\":\"%s\",\"comm\":\"%s\",\"from_bytes\":%u,"
		       "\"n\":%u,\"hits\":%u,\"mean_us\":%.1f,\"was_us\":%.1f}",
		       between, space->drive, space->nsid, nvme_opcode_name(NVME_SET_IO, k->opcode),
		       k->comm, 1U << 2 * k->size, k->n, k->hits, k->sum_ns / k->n / 1e3,
		       o ? o->sum_ns / o->n / 1e3 : 0);
		between = ",";
	}
	printf("]");
}

/*
 * Bounds the time of the truth by when somebody was there of whom it can be seen: a victim who has
 * sent like commands at another time, too.
 */
static void narrow(struct truth *t, const struct scene *s, const struct played *p,
		   struct classes *now, const struct classes *base)
{
	double first[CLASSES] = { 0 }, last[CLASSES] = { 0 }, from = t->to, to = t->from;
	bool else_too[CLASSES] = { false };

	for (u32 i = 0; i < p->n; i++) {
		double at = p->command[i].submit_ns / 1e9;
		u32 k = (u32)(class_of(now, &p->command[i]) - now->class);

		else_too[k] |= at < t->from || at >= t->to;
		if (at < t->from || at >= t->to)
			continue;
		first[k] = last[k] > 0 ? first[k] : at;
		last[k] = p->command[i].done_ns / 1e9;
	}
	for (u32 k = 0; k < now->n; k++) {
		if (!else_too[k] || last[k] <= 0 || !is_victim(s, &now->class[k], base))
			continue;
		from = first[k] < from ? first[k] : from;
		to = last[k] > to ? last[k] : to;
	}
	if (from < to) {
		t->from = fmax(t->from, from);
		t->to = fmin(t->to, to);
	}
}

static void print_label(const struct scene *s, const struct truth *t, u64 seed, const char *file,
			const struct classes *now, const struct classes *base)
{
	printf("{\"seed\":%" PRIu64 ",\"file\":\"%s\",\"kind\":\"%s\"", seed, file, s->kind->name);
	print_flag("sick", s->kind->sick);
	print_words("kinds", t->kinds);
	print_words("events", t->events);
	print_flag("event_needed", t->event_needed);
	print_flag("may_be_silent", t->may_be_silent);
	print_flag("any_device", t->any_device);
	print_time("begin_ns", 0);
	print_time("end_ns", s->seconds);
	print_time("from_ns", t->whole ? 0 : t->from);
	print_time("to_ns", t->whole || t->to > s->seconds ? s->seconds : t->to);
	print_stopping(s);
	print_culprits(s);
	print_victims(s, now, base);
	printf("}\n");
}

bool label(const struct scene *s, const struct played *p, u64 seed, const char *file)
{
	struct classes *now, *base;
	struct truth truth = s->truth;
	bool true_to_kind;

	if (!s->kind->sick) {
		true_to_kind = healthy(s, p);
		if (true_to_kind)
			print_label(s, &truth, seed, file, NULL, NULL);
		return true_to_kind;
	}
	now = classify(s, p, ROLE_CULPRIT);
	base = without(s, ROLE_LOAD | ROLE_INNOCENT, false, ROLE_CULPRIT);
	true_to_kind = lost_enough(s, now, base) && innocents_harmless(s, now);
	if (true_to_kind) {
		if (!truth.whole && !has_hits(s))
			narrow(&truth, s, p, now, base);
		print_label(s, &truth, seed, file, now, base);
	}
	classes_free(now);
	classes_free(base);
	return true_to_kind;
}
