// SPDX-License-Identifier: GPL-2.0-or-later
/* The streams of each device and direction, made when first needed. */
#include "lib/trace_pattern.h"

#include "lib/session.h"
#include "lib/str.h"
#include "lib/streams.h"

struct trace_pattern {
	struct streams *streams[2 * WIRE_QUEUES]; /* reads, writes */
};

struct trace_pattern *trace_pattern_new(void)
{
	return calloc(1, sizeof(struct trace_pattern));
}

const char *trace_pattern_of(struct trace_pattern *p, u32 device, const struct trace_row *row)
{
	u32 writes =
		row->opcode & 1; /* data goes to the drive: opcode bits 1:0, Base 2.1, 3.3.3.1 */
	struct streams **at = &p->streams[2 * (device & (WIRE_QUEUES - 1)) + writes];
	enum stream_kind kind;
	bool first = !*at;
	u32 hits;

	if (row->slba == ~0ULL || row->nlb == ~0ULL)
		return NULL;
	if (first)
		*at = streams_new(STREAMS_DEFAULT);
	if (!*at)
		return NULL;
	kind = streams_add(*at, row->slba, row->slba + row->nlb, 0, &hits);
	if (first)
		return NULL;
	return kind == STREAM_SEQUENTIAL ? "S" : "R";
}

void trace_pattern_free(struct trace_pattern *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(p->streams); i++)
		streams_free(p->streams[i]);
	free(p);
}
