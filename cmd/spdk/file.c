// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes and reads recordings of hits; lib/record/format.h says how they look. */
#include "cmd/spdk/file.h"

#include <errno.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/record/entry.h"
#include "lib/record/format.h"

#define ENTRY_MAX  8192 /* the longest of all: an entry of a hit with 12 strings has 3 KiB */
#define BLOCK_HITS (256U << 10) /* bytes of hits that make a block */

struct spdk_save {
	struct record_writer *w;
	struct record_entries places, hits;
	u64 first_ns; /* time of the first hit that waits */
	bool *said; /* by place: the file has it */
	u32 n_said, said_room;
};

int spdk_save_open(struct spdk_save **save, const char *file)
{
	struct spdk_save *s = *save = calloc(1, sizeof(*s));

	if (!s)
		return fail(-ENOMEM, NULL, NULL, "cannot write '%s'", file);
	s->places.bytes = malloc(RECORD_DICT_MAX);
	s->hits.bytes = malloc(RECORD_DICT_MAX);
	if (!s->places.bytes || !s->hits.bytes)
		return fail(-ENOMEM, NULL, NULL, "cannot write '%s'", file);
	return record_create(&s->w, file);
}

int spdk_save_begin(struct spdk_save *s, struct record_head *head)
{
	head->holds = RECORD_PROBES;
	return record_begin(s->w, head);
}

void spdk_save_patient(struct spdk_save *s, bool patient, int wake_fd)
{
	record_patient(s->w, patient, wake_fd);
}

/* Writes what waits: places before the hits that name them. */
static int write_out(struct spdk_save *s)
{
	int err = record_entries(s->w, RECORD_PLACES, &s->places);

	return err ? err : record_entries(s->w, RECORD_HITS, &s->hits);
}

int spdk_save_process(struct spdk_save *s, u32 number, const struct spdk_process_sum *process)
{
	u8 bytes[256];
	struct record_entries e = { .bytes = bytes };
	u32 start = entry_begin(&e);

	entry_put(&e, number, 4);
	entry_put(&e, process->pid, 4);
	entry_put(&e, process->probes, 4);
	entry_put(&e, process->places, 4);
	entry_put_text(&e, process->comm, 15);
	entry_put_text(&e, process->version, 23);
	entry_put_text(&e, process->ended, 7);
	entry_end(&e, start);
	return record_entries(s->w, RECORD_PROCESSES, &e);
}

static void put_place(struct spdk_save *s, u32 number, u32 process, const struct spdk_shape *shape)
{
	struct record_entries *e = &s->places;
	u32 start = entry_begin(e);

	entry_put(e, number, 4);
	entry_put(e, process, 4);
	entry_put_text(e, shape->name, sizeof(shape->name) - 1);
	entry_put(e, shape->set, 1);
	entry_put(e, shape->states, 1);
	entry_put(e, shape->known, 1);
	entry_put(e, shape->n_args, 1);
	for (u32 i = 0; i < shape->n_args; i++) {
		entry_put_text(e, shape->arg[i].name, sizeof(shape->arg[i].name) - 1);
		entry_put(e, shape->arg[i].type, 1);
		entry_put(e, shape->arg[i].size, 1);
		entry_put(e, shape->arg[i].is_signed, 1);
		entry_put(e, shape->arg[i].unreadable, 1);
	}
	entry_end(e, start);
}

/* Says what place @number is, once. */
static int say_place(struct spdk_save *s, u32 number, u32 process, const struct spdk_shape *shape)
{
	while (s->n_said <= number) {
		if (!array_grow((void **)&s->said, s->n_said, &s->said_room, sizeof(*s->said)))
			return fail(-ENOMEM, NULL, NULL, "places of probes");
		s->said[s->n_said++] = false;
	}
	if (!s->said[number])
		put_place(s, number, process, shape);
	s->said[number] = true;
	return 0;
}

int spdk_save_hit(struct spdk_save *s, u32 process, const struct spdk_site *site,
		  const struct spdk_hit *hit, s64 wall_offset_ns)
{
	struct record_entries *e = &s->hits;
	u32 start;
	int err;

	if (record_full(s->w))
		return -ENOSPC;
	if (e->size_bytes > BLOCK_HITS || s->places.size_bytes > RECORD_DICT_MAX - ENTRY_MAX) {
		err = write_out(s);
		if (err)
			return err;
	}
	err = say_place(s, hit->site, process, &site->shape);
	if (err)
		return err;
	s->first_ns = e->count ? s->first_ns : hit->ts_ns;
	start = entry_begin(e);
	entry_put(e, hit->ts_ns, 8);
	entry_put(e, (u64)wall_offset_ns, 8);
	entry_put(e, hit->site, 4);
	entry_put(e, hit->tid, 4);
	entry_put(e, hit->unread, 2);
	entry_put(e, hit->cut, 2);
	entry_put(e, site->shape.n_args, 1);
	for (u32 i = 0; i < site->shape.n_args; i++) {
		size_t len = hit->text[i] ? strnlen(hit->text[i], USDT_TEXT - 1) : 0;

		entry_put(e, hit->text[i] ? len + 1 : 0, 2);
		if (!hit->text[i])
			entry_put(e, hit->arg[i], 8);
		else
			memcpy(e->bytes + e->size_bytes, hit->text[i], len);
		e->size_bytes += (u32)len;
	}
	entry_end(e, start);
	return 0;
}

int spdk_save_flush(struct spdk_save *s, u64 now_ns)
{
	if (s->hits.count && now_ns > s->first_ns + NSEC_PER_SEC)
		return write_out(s);
	return record_push(s->w);
}

int spdk_save_finish(struct spdk_save *s, struct spdk_sum *sum, u64 end_ns)
{
	struct record_value values[SPDK_CAUSES + 4] = {
		{ "end_ns", end_ns },
		{ "hits", sum->hits },
		{ "emitted", sum->emitted },
		{ "errors", sum->errors },
	};
	int err = write_out(s);
	u64 unread;

	for (u32 i = 0; i < SPDK_CAUSES; i++)
		values[4 + i] =
			(struct record_value){ spdk_causes[i], *spdk_cause_of(&sum->lost, i) };
	if (!err)
		err = record_finish_values(s->w, values, ARRAY_SIZE(values));
	unread = record_unread(s->w);
	sum->emitted -= unread;
	sum->lost.output += unread;
	return err;
}

u64 spdk_save_bytes(const struct spdk_save *s)
{
	return record_bytes(s->w);
}

void spdk_save_close(struct spdk_save *s)
{
	if (!s)
		return;
	record_close(s->w);
	free(s->places.bytes);
	free(s->hits.bytes);
	free(s->said);
	free(s);
}

/* Each of these takes an entry, and sets c->bad where it makes no sense, c->no_memory. */
static void take_process(struct spdk_load *l, struct entry_cursor *c)
{
	u32 number = (u32)entry_take(c, 4);
	struct spdk_process_names *names = &l->names[number % USDT_TARGETS];
	struct spdk_process_sum *sum = &l->sums[number % USDT_TARGETS];

	if (number >= USDT_TARGETS) {
		c->bad = true;
		return;
	}
	sum->pid = (u32)entry_take(c, 4);
	sum->probes = (u32)entry_take(c, 4);
	sum->places = (u32)entry_take(c, 4);
	entry_copy_text(c, names->comm, sizeof(names->comm));
	entry_copy_text(c, names->version, sizeof(names->version));
	entry_copy_text(c, names->ended, sizeof(names->ended));
	sum->comm = names->comm;
	sum->version = names->version[0] ? names->version : NULL;
	sum->ended = names->ended[0] ? names->ended : NULL;
	if (l->n_processes <= number)
		l->n_processes = number + 1;
}

static bool make_places(struct spdk_load *l, u32 n)
{
	while (l->n_sites < n) {
		u32 i = l->n_sites;

		if (!array_grow((void **)&l->site, i, &l->sites_room, sizeof(*l->site)) ||
		    !array_grow((void **)&l->process, i, &l->process_room, sizeof(*l->process)))
			return false;
		l->site[i] = (struct spdk_site){ 0 };
		l->n_sites++;
	}
	return true;
}

static void take_shape(struct spdk_shape *shape, struct entry_cursor *c)
{
	u32 n_args;

	entry_copy_text(c, shape->name, sizeof(shape->name));
	shape->set = (u8)entry_take(c, 1);
	shape->states = (u8)entry_take(c, 1);
	shape->known = (u8)entry_take(c, 1);
	n_args = (u32)entry_take(c, 1);
	shape->n_args = n_args <= USDT_ARGS ? (u8)n_args : 0;
	for (u32 i = 0; i < shape->n_args; i++) {
		struct spdk_arg *arg = &shape->arg[i];

		entry_copy_text(c, arg->name, sizeof(arg->name));
		arg->type = (u8)entry_take(c, 1);
		arg->size = (u8)entry_take(c, 1);
		arg->is_signed = (u8)entry_take(c, 1);
		arg->unreadable = (u8)entry_take(c, 1);
		c->bad |= arg->type >= SPDK_TYPES || arg->size > sizeof(u64);
	}
	c->bad |= n_args > USDT_ARGS || shape->set > SPDK_OTHER;
}

static void take_place(struct spdk_load *l, struct entry_cursor *c)
{
	u32 number = (u32)entry_take(c, 4), process = (u32)entry_take(c, 4);
	struct spdk_shape shape = { 0 };

	take_shape(&shape, c);
	c->bad |= number >= USDT_SPECS || process >= l->n_processes;
	if (c->bad)
		return;
	c->no_memory = !make_places(l, number + 1);
	if (c->no_memory)
		return;
	l->process[number] = process;
	l->site[number] = (struct spdk_site){
		.pid = l->sums[process].pid,
		.comm = l->names[process].comm,
		.shape = shape,
	};
}

/* An argument: a number, or a string behind 1 + its length. */
static void take_arg(struct spdk_load *l, u32 i, struct entry_cursor *c)
{
	u32 len = (u32)entry_take(c, 2);

	if (!len) {
		l->hit.arg[i] = entry_take(c, 8);
		return;
	}
	len--;
	if (len >= USDT_TEXT || len > (size_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	snprintf(l->text[i], USDT_TEXT, "%.*s", (int)len, (const char *)c->at);
	c->at += len;
	l->hit.text[i] = l->text[i];
}

static void take_hit(struct spdk_load *l, struct entry_cursor *c)
{
	struct spdk_hit *hit = &l->hit;
	u32 n_args;

	*hit = (struct spdk_hit){ .ts_ns = entry_take(c, 8) };
	l->wall_offset_ns = (s64)entry_take(c, 8);
	hit->site = (u32)entry_take(c, 4);
	hit->tid = (u32)entry_take(c, 4);
	hit->unread = (u16)entry_take(c, 2);
	hit->cut = (u16)entry_take(c, 2);
	n_args = (u32)entry_take(c, 1);
	if (hit->site >= l->n_sites || n_args != l->site[hit->site].shape.n_args ||
	    !l->site[hit->site].shape.name[0]) {
		c->bad = true;
		return;
	}
	for (u32 i = 0; i < n_args; i++)
		take_arg(l, i, c);
}

int spdk_load_next(struct spdk_load *l)
{
	struct entry_cursor c;
	u32 kind;
	int err;

	while ((err = replay_entry(l->replay, &kind, &c)) > 0) {
		if (kind == RECORD_PROCESSES)
			take_process(l, &c);
		else if (kind == RECORD_PLACES)
			take_place(l, &c);
		else
			take_hit(l, &c);
		if (c.no_memory)
			return fail(-ENOMEM, NULL, NULL, "places of probes");
		if (c.bad)
			replay_bad_entry(l->replay);
		else if (kind == RECORD_HITS)
			return 1;
	}
	return err;
}

bool spdk_load_end(const struct spdk_load *l, struct spdk_sum *sum, u64 *end_ns)
{
	for (u32 i = 0; i < SPDK_CAUSES; i++)
		replay_value(l->replay, spdk_causes[i], spdk_cause_of(&sum->lost, i));
	replay_value(l->replay, "hits", &sum->hits);
	return replay_value(l->replay, "end_ns", end_ns);
}

void spdk_load_free(struct spdk_load *l)
{
	free(l->site);
	free(l->process);
}
