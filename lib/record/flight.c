// SPDX-License-Identifier: GPL-2.0-or-later
/* The flight recorder's side of a writer: what it keeps of blocks, and the files it makes of them. */
#include "lib/record/flight.h"

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/record/file.h"
#include "lib/record/record.h"
#include "lib/record/writer.h"

void flight_keep(struct record_writer *w, u32 kind, u32 bytes, u32 count)
{
	w->block.kind = kind;
	w->block.count = count;
	w->block.size_bytes = bytes;
	if (record_ring_add(w->ring, &w->block, w->out) && !w->broken)
		w->broken = fail(-ENOMEM, NULL, NULL, "flight recorder");
}

void flight_describe(struct record_writer *w)
{
	struct record_kept *b = &w->block;

	if (!w->ring)
		return;
	b->first_ns = w->ev[0].ts_ns;
	b->last_ns = w->ev[w->n - 1].ts_ns;
	b->wall_offset_ns = w->wall_offset_ns;
	for (u32 i = 0; i < w->n; i++)
		record_count(&b->counted, &w->ev[i]);
	if (w->begun)
		record_counters_add(&w->total, &b->counted);
}

void flight_renew(struct record_writer *w)
{
	if (!w->ring || w->begun)
		return;
	if (record_ring_is_stale(w->ring) || record_dict_is_half(&w->dict)) {
		record_dict_renew(&w->dict);
		record_ring_renew(w->ring);
	}
}

void flight_begin_block(struct record_writer *w)
{
	w->block.counted = (struct counters){ 0 };
	w->block.lost = *w->losses;
}

u64 record_kept_bytes(const struct record_writer *w)
{
	return w->ring->bytes;
}

int record_create_ring(struct record_writer **writer, u64 bytes, const struct lost *losses)
{
	struct record_writer *w = *writer = writer_make("flight recorder");

	if (!w)
		return -ENOMEM;
	if (w->err)
		return w->err;
	w->losses = losses;
	w->ring = malloc(sizeof(*w->ring));
	if (!w->ring)
		return fail(-ENOMEM, NULL, NULL, "flight recorder");
	record_ring_open(w->ring, bytes);
	record_dict_renew(&w->dict); /* the first generation has one half, too */
	return 0;
}

/* True for blocks that go to a file which begins at @from_ns. */
static bool is_wanted(const struct record_kept *k, u64 from_ns)
{
	return k->kind != RECORD_EVENTS || k->last_ns >= from_ns;
}

/*
 * Finds what a file that should begin at @head->start_ns can begin with, and corrects that time: it
 * has all events from there on. Blocks begin before it, for they are written whole.
 */
static void find_begin(struct record_writer *w, struct record_head *head)
{
	const struct record_kept *k = w->ring->first;
	u64 gone_ns = w->ring->gone_ns, from_ns = head->start_ns;

	for (; k && (k->kind != RECORD_EVENTS || k->last_ns < from_ns); k = k->next)
		if (k->kind == RECORD_EVENTS)
			gone_ns = k->last_ns;
	if (from_ns <= gone_ns)
		head->start_ns = gone_ns + 1;
	w->lost_before = k ? k->lost : *w->losses;
	if (!k)
		return;
	head->wall_offset_ns = k->wall_offset_ns;
	if (k->first_ns < head->start_ns)
		head->start_ns = k->first_ns;
}

/* Writes what is kept. @from_ns: as asked for, before it was corrected. */
static int write_kept(struct record_writer *w, u64 from_ns)
{
	for (const struct record_kept *k = w->ring->first; k && !w->err; k = k->next) {
		if (!is_wanted(k, from_ns))
			continue;
		writer_put(w, k->data, k->size_bytes);
		writer_push(w);
		if (k->kind != RECORD_EVENTS)
			continue;
		w->written += k->count;
		record_counters_add(&w->total, &k->counted);
	}
	return w->err;
}

int record_dump_begin(struct record_writer *w, const char *file, struct record_head *head)
{
	u64 from_ns = head->start_ns;
	char *name = strdup(file);

	writer_events(w);
	if (!name)
		return fail(-ENOMEM, NULL, NULL, "cannot write '%s'", file);
	free(w->file);
	w->file = name;
	w->total = (struct counters){ 0 };
	w->written = w->gone = 0;
	w->err = sink_open_new(&w->sink, w->file);
	w->sink.patient = true;
	find_begin(w, head);
	if (!w->err)
		record_begin(w, head);
	return w->err ? w->err : write_kept(w, from_ns);
}

/*
 * Completes the counters of a file: what was lost since it began, and what follows from that, for
 * commands that were lost are not in it.
 */
static void close_total(struct record_writer *w, const struct counters *now)
{
	struct counters *c = &w->total;

#define LOST(name, ...) c->lost.name = now->lost.name - w->lost_before.name;
#include "lib/event/lost.def"
#undef LOST
	c->paired = c->emitted + c->lost.ring_full + c->lost.output;
	c->submitted = c->paired + c->lost.inflight_full;
	c->completed = c->paired + c->before_attach + c->unsent + c->lost.unmatched;
	c->recursion_known = now->recursion_known;
	c->events = true;
	c->inflight_unknown = true;
	c->cut = now->cut;
}

int record_dump_end(struct record_writer *w, const struct counters *now)
{
	int err;

	writer_events(w);
	close_total(w, now);
	if (w->begun && !w->err)
		writer_end(w, &w->total);
	writer_drain(w);
	err = sink_close(&w->sink);
	if (err && !w->err)
		writer_failed(w, err);
	err = w->err;
	w->err = 0;
	w->begun = false;
	w->gone = w->sink.gone;
	w->sink = (struct sink){ .fd = -1, .wake_fd = -1 };
	return err;
}
