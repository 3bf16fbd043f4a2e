// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes recordings: gathers events, encodes them column by column, seals block by block. */
#include <inttypes.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/record/entry.h"
#include "lib/record/file.h"
#include "lib/record/flight.h"
#include "lib/record/record.h"
#include "lib/record/writer.h"

#define STEP_NS 100000 /* a change of the wall clock by so much begins a new block */
/* A reader that takes nothing for so long at the end has stopped. */
#define LAST_NS (200 * NSEC_PER_MSEC)

_Static_assert(RECORD_EVENTS_BYTES +
			       RECORD_COLUMNS * (RECORD_COLUMN_BYTES + 8 * RECORD_BLOCK_EVENTS) <=
		       RECORD_PAYLOAD_MAX,
	       "a full block fits in a payload");

int writer_failed(struct record_writer *w, int err)
{
	w->err = err;
	if (err == -EPIPE) /* the reader has gone, which is no error to report */
		return err;
	return fail(err, NULL, NULL, "cannot write '%s' (%" PRIu64 " events written)", w->file,
		    w->written);
}

void writer_put(struct record_writer *w, const u8 *data, size_t size)
{
	char *to = w->err ? NULL : sink_reserve(&w->sink, size);

	if (w->err)
		return;
	if (!to) {
		writer_failed(w, -ENOMEM);
		return;
	}
	memcpy(to, data, size);
	w->sink.end += size;
}

static bool is_pending(const struct record_writer *w)
{
	return w->sink.end != w->sink.start;
}

/*
 * Why no more events can be added: a flight recorder outlives its files, and its errors with them.
 */
static int failure(const struct record_writer *w)
{
	return w->ring ? w->broken : w->err;
}

int writer_push(struct record_writer *w)
{
	if (!w->err && sink_push(&w->sink))
		writer_failed(w, w->sink.err);
	return w->err;
}

/* Seals and writes the block whose payload lies in w->out behind the head. */
static void write_block(struct record_writer *w, u32 kind, u32 size, u32 count)
{
	struct record_block b = { kind, size, count, record_crc(w->out + RECORD_HEAD_BYTES, size) };

	record_pack_head(w->out, &b);
	if (w->ring && kind != RECORD_HEAD && kind != RECORD_END)
		flight_keep(w, kind, RECORD_HEAD_BYTES + size, count);
	if (!w->ring || w->begun)
		writer_put(w, w->out, RECORD_HEAD_BYTES + size);
}

struct record_writer *writer_make(const char *file)
{
	struct record_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		fail(-ENOMEM, NULL, NULL, "cannot write '%s'", file);
		return NULL;
	}
	w->sink = (struct sink){ .fd = -1, .wake_fd = -1 };
	w->file = strdup(file);
	w->ev = malloc(RECORD_BLOCK_EVENTS * sizeof(*w->ev));
	if (!w->file || !w->ev || record_dict_open(&w->dict) || record_column_open(&w->packer))
		w->err = fail(-ENOMEM, NULL, NULL, "cannot write '%s'", file);
	return w;
}

int record_create(struct record_writer **writer, const char *file)
{
	struct record_writer *w = *writer = writer_make(file);

	if (!w)
		return -ENOMEM;
	if (w->err)
		return w->err;
	w->err = record_file_create(&w->sink, file);
	w->sink.patient = true;
	return w->err;
}

int record_replace(struct record_writer *w)
{
	w->err = sink_replace(&w->sink);
	return w->err;
}

void record_patient(struct record_writer *w, bool patient, int wake_fd)
{
	w->sink.patient = patient;
	w->sink.wake_fd = wake_fd;
}

/*
 * Appends NAME=VALUE to the text in w->out. A value with a line break is left out: it would begin
 * another line.
 */
static void put_line(struct record_writer *w, u32 *size, const char *name, const char *value)
{
	char *at = (char *)w->out + RECORD_HEAD_BYTES + *size;
	int len;

	if (!value || strchr(value, '\n'))
		return;
	len = snprintf(at, RECORD_TEXT_MAX - *size, "%s=%s\n", name, value);
	if (len > 0 && (u32)len < RECORD_TEXT_MAX - *size)
		*size += len;
}

static void put_columns(struct record_writer *w, u32 *size)
{
	char text[64];

	for (u32 i = 0; i < RECORD_COLUMNS; i++) {
		snprintf(text, sizeof(text), "%s,%u", record_columns[i].name,
			 record_columns[i].bytes);
		put_line(w, size, "column", text);
	}
}

static void put_needs(struct record_writer *w, u32 *size, u32 needs)
{
	char text[256] = "";
	size_t len = 0;

	for (u32 i = 0; record_needs[i].name; i++)
		if (needs & record_needs[i].value)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? "," : "",
					record_needs[i].name);
	put_line(w, size, "needs", text);
}

int record_begin(struct record_writer *w, const struct record_head *head)
{
	u8 start[RECORD_START_BYTES] = RECORD_MAGIC;
	char text[32];
	u32 size = 0;

	if (w->begun || w->err || record_replace(w))
		return w->err;
	w->begun = true;
	record_put(start + 8, RECORD_VERSION, 4);
	put_columns(w, &size);
	put_needs(w, &size, head->needs);
	put_line(w, &size, "version", head->version);
	put_line(w, &size, "host", head->host);
	put_line(w, &size, "hosts", head->hosts ? "several" : NULL);
	put_line(w, &size, "kernel", head->kernel);
	put_line(w, &size, "arch", head->arch);
	snprintf(text, sizeof(text), "%" PRIu64, head->start_ns);
	put_line(w, &size, "start_ns", text);
	snprintf(text, sizeof(text), "%" PRId64, head->wall_offset_ns);
	put_line(w, &size, "wall_offset_ns", text);
	put_line(w, &size, "filters", head->filters);
	put_line(w, &size, "ctrls", head->ctrls);
	put_line(w, &size, "partitions", head->parts);
	put_line(w, &size, "trigger", head->trigger);
	snprintf(text, sizeof(text), "%" PRIu64, head->trigger_ns);
	put_line(w, &size, "trigger_ns", head->trigger ? text : NULL);
	w->wall_offset_ns = head->wall_offset_ns;
	writer_put(w, start, sizeof(start));
	write_block(w, RECORD_HEAD, size, 0);
	return writer_push(w);
}

static void write_entries(struct record_writer *w, u32 kind, struct record_entries *e)
{
	u8 *payload = w->out + RECORD_HEAD_BYTES;
	uLongf size = RECORD_PAYLOAD_MAX - 4;

	if (!e->count)
		return;
	record_put(payload, e->size_bytes, 4);
	/* Cannot fail: the payload is four times what may lie in a buffer. */
	compress2(payload + 4, &size, e->bytes, e->size_bytes, 6);
	write_block(w, kind, 4 + size, e->count);
	e->size_bytes = e->count = 0;
}

int writer_events(struct record_writer *w)
{
	u8 *payload = w->out + RECORD_HEAD_BYTES;
	u8 *head = payload + RECORD_EVENTS_BYTES;
	u32 size = RECORD_EVENTS_BYTES + RECORD_COLUMNS * RECORD_COLUMN_BYTES;

	if (!w->n)
		return failure(w);
	write_entries(w, RECORD_QUEUES, &w->dict.queues);
	write_entries(w, RECORD_CGROUPS, &w->dict.cgroups);
	write_entries(w, RECORD_STACKS, &w->dict.stacks);
	write_entries(w, RECORD_SCHEDS, &w->dict.scheds);
	record_put(payload, w->wall_offset_ns, 8);
	record_put(payload + 8, RECORD_COLUMNS, 4);
	record_put(payload + 12, 0, 4);
	for (u32 i = 0; i < RECORD_COLUMNS; i++, head += RECORD_COLUMN_BYTES)
		size += record_column_pack(&w->packer, i, w->ev, w->n, head, payload + size);
	flight_describe(w);
	write_block(w, RECORD_EVENTS, size, w->n);
	writer_push(w);
	w->written += w->ring && !w->begun ? 0 : w->n;
	for (u32 i = 0; i < w->n && is_pending(w); i++)
		if (w->ev[i].kind == EVENT_IO)
			sink_mark(&w->sink);
	w->n = 0;
	flight_renew(w);
	return failure(w);
}

int record_flush(struct record_writer *w, u64 now_ns)
{
	if (w->n && now_ns >= w->ev[0].ts_ns + NSEC_PER_SEC)
		return writer_events(w);
	return failure(w);
}

int record_push(struct record_writer *w)
{
	return !w->ring && is_pending(w) ? writer_push(w) : failure(w);
}

bool record_full(const struct record_writer *w)
{
	return w->sink.end - w->sink.start >= SINK_BOUND;
}

u64 record_unread(struct record_writer *w)
{
	return w->err ? 0 : sink_marks_pending(&w->sink);
}

/*
 * A block is full when it has an eighth of what stands in front of it, so that a cut takes away
 * little of a short recording as well.
 */
static bool block_is_full(const struct record_writer *w)
{
	u64 before = w->events - w->n;

	if (w->ring)
		return w->n == RECORD_RING_EVENTS;
	return w->n == RECORD_BLOCK_EVENTS || (w->n >= RECORD_BLOCK_LEAST && w->n >= before / 8);
}

int record_add(struct record_writer *w, const struct view *v)
{
	s64 wall_offset_ns = sat_diff((s64)v->wall_ns, (s64)v->ev->ts_ns);
	s64 step_ns = sat_diff(wall_offset_ns, w->wall_offset_ns);
	struct event *ev;

	if (step_ns < -STEP_NS || step_ns > STEP_NS) {
		writer_events(w);
		w->wall_offset_ns = wall_offset_ns;
	}
	record_flush(w, v->ev->ts_ns);
	if (block_is_full(w) || record_dict_full(&w->dict))
		writer_events(w);
	if (failure(w))
		return failure(w);
	if (w->ring && !w->n)
		flight_begin_block(w);
	ev = &w->ev[w->n++];
	*ev = *v->ev;
	ev->cmd_flags = v->flags;
	record_dict_add(&w->dict, v, ev);
	w->events++;
	return failure(w);
}

bool record_wants_kstack(const struct record_writer *w, const struct view *v)
{
	return record_dict_wants(&w->dict, v, false);
}

bool record_wants_ustack(const struct record_writer *w, const struct view *v)
{
	return record_dict_wants(&w->dict, v, true);
}

u64 record_events(const struct record_writer *w)
{
	return w->events;
}

u64 record_written(const struct record_writer *w)
{
	return w->written;
}

u64 record_bytes(const struct record_writer *w)
{
	return w->gone + w->sink.gone;
}

void writer_end(struct record_writer *w, const struct counters *total)
{
	char text[32];
	u32 size = 0;

	for (u32 i = 0; record_counters[i].name; i++) {
		const char *at = (const char *)total + record_counters[i].value;

		snprintf(text, sizeof(text), "%" PRIu64, *(const u64 *)at);
		put_line(w, &size, record_counters[i].name, text);
	}
	put_line(w, &size, "recursion_known", total->recursion_known ? "1" : "0");
	put_line(w, &size, "events", total->events ? "1" : "0");
	put_line(w, &size, "cut", total->cut ? "1" : "0");
	put_line(w, &size, "inflight_unknown", total->inflight_unknown ? "1" : NULL);
	write_block(w, RECORD_END, size, 0);
}

void writer_drain(struct record_writer *w)
{
	u64 gone;

	writer_push(w);
	record_patient(w, true, -1);
	do {
		gone = w->sink.gone;
		w->sink.until_ns = clock_ns(CLOCK_MONOTONIC) + LAST_NS;
		writer_push(w);
	} while (!w->err && is_pending(w) && w->sink.gone != gone);
	sink_drain(&w->sink, 0);
}

int record_finish(struct record_writer *w, const struct counters *total)
{
	if (w->begun && !w->err)
		writer_events(w);
	if (w->begun && !w->err)
		writer_end(w, total);
	writer_drain(w);
	return w->err;
}

int record_close(struct record_writer *w)
{
	int err;

	if (!w)
		return 0;
	if (w->begun && !w->err)
		writer_events(w);
	err = sink_close(&w->sink);
	if (err && !w->err)
		writer_failed(w, err);
	if (w->dict.left_out)
		note("'%s': %" PRIu64 " stacks, cgroups or queues found no room in the recording",
		     w->file, w->dict.left_out);
	err = w->err;
	if (w->ring)
		record_ring_close(w->ring);
	free(w->ring);
	record_dict_close(&w->dict);
	record_column_close(&w->packer);
	free(w->ev);
	free(w->file);
	free(w);
	return err;
}
