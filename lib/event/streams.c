// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the streams of one device and direction. */
#include "lib/event/streams.h"

#include "lib/base/str.h"

/* A tracked command: the last one of its stream. */
struct stream {
	u64 start, end; /* blocks */
	u64 gap; /* from its predecessor's end to its start, modulo 2^64 */
	u64 used; /* streams.clock when it came */
	u64 interval; /* that `hits` counts */
	u32 gaps; /* how often the gap came in a row, 0: not known */
	u32 hits;
};

struct streams {
	u64 clock; /* commands so far */
	u32 n, limit;
	struct stream stream[];
};

struct streams *streams_new(u32 limit)
{
	struct streams *s = calloc(1, sizeof(*s) + limit * sizeof(struct stream));

	if (s)
		s->limit = limit;
	return s;
}

void streams_free(struct streams *s)
{
	free(s);
}

static enum stream_kind relation(const struct stream *e, u64 start, u64 end)
{
	if (start == e->end)
		return STREAM_SEQUENTIAL;
	if (end == e->start)
		return STREAM_BACKWARD;
	if (e->gaps && start == e->end + e->gap)
		return STREAM_STRIDED;
	return STREAM_RANDOM;
}

/* Returns the tracked command that [start, end) continues, the latest of several; NULL: none. */
static struct stream *find(struct streams *s, u64 start, u64 end, enum stream_kind *kind)
{
	struct stream *best = NULL;

	*kind = STREAM_RANDOM;
	for (u32 i = 0; i < s->n; i++) {
		struct stream *e = &s->stream[i];
		enum stream_kind k = relation(e, start, end);

		/* Kinds rank as enumerated: sequential before backward before strided. */
		if (!k || (best && (k > *kind || (k == *kind && e->used < best->used))))
			continue;
		best = e;
		*kind = k;
	}
	return best;
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/*
 * Returns the tracked command whose end is nearest, or NULL. The gap of a command that continues
 * none is measured from it, since the two may be a stride.
 */
static const struct stream *nearest(const struct streams *s, u64 start)
{
	const struct stream *best = NULL;

	for (u32 i = 0; i < s->n; i++) {
		const struct stream *e = &s->stream[i];

		if (!best || distance(e->end, start) < distance(best->end, start))
			best = e;
	}
	return best;
}

/* The place for a new command: a free one, else that of the command which came first. */
static struct stream *place(struct streams *s)
{
	struct stream *oldest = s->stream;

	if (s->n < s->limit)
		return &s->stream[s->n++];
	for (u32 i = 1; i < s->n; i++)
		if (s->stream[i].used < oldest->used)
			oldest = &s->stream[i];
	return oldest;
}

/*
 * Tracks a command that continues no stream. @e is the command that it is backward or strided to,
 * NULL: none. Returns how often its gap came in a row.
 */
static u32 track(struct streams *s, u64 start, u64 end, const struct stream *e)
{
	const struct stream *near = e ? e : nearest(s, start);
	struct stream new = {
		.start = start,
		.end = end,
		.used = s->clock,
	};

	if (near) {
		new.gap = start - near->end;
		new.gaps = near->gaps && near->gap == new.gap ? near->gaps + 1 : 1;
	}
	*place(s) = new;
	return new.gaps;
}

/* Moves the stream of @e on to [start, end), and returns the command's number in the interval. */
static u32 advance(struct streams *s, struct stream *e, u64 start, u64 end, u64 interval)
{
	e->hits = e->interval == interval ? e->hits + 1 : 1;
	e->interval = interval;
	e->gaps = 0;
	e->start = start;
	e->end = end;
	e->used = s->clock;
	return e->hits;
}

/*
 * Only a sequential command moves its stream on. Jobs that begin at equal distances look like a
 * stride, and each of them is yet to go on from where it began.
 */
enum stream_kind streams_add(struct streams *s, u64 start, u64 end, u64 interval, u32 *hits)
{
	enum stream_kind kind;
	struct stream *e = find(s, start, end, &kind);

	*hits = 0;
	s->clock++;
	if (kind == STREAM_SEQUENTIAL) {
		*hits = advance(s, e, start, end, interval);
		return kind;
	}
	if (track(s, start, end, e) < 3 && kind == STREAM_STRIDED)
		return STREAM_RANDOM;
	return kind;
}
