// SPDX-License-Identifier: GPL-2.0-or-later
/* Keeps the streams of each device and direction, which are made when first needed. */
#include "cmd/trace/trace_pattern.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/event/streams.h"
#include "lib/session/session.h"

struct trace_pattern {
	struct streams *streams[WIRE_QUEUES][2]; /* reads, writes */
};

struct trace_pattern *trace_pattern_new(void)
{
	return calloc(1, sizeof(struct trace_pattern));
}

int trace_pattern_fill(struct trace_row *row, struct trace_pattern *p, u32 device)
{
	struct streams **of_device = p->streams[device & (WIRE_QUEUES - 1)];
	struct streams **at = &of_device[row->opcode == OPCODE_WRITE];
	bool first = !of_device[0] && !of_device[1];
	enum stream_kind kind;
	u32 hits;

	if (row->admin || row->slba == UNKNOWN64 ||
	    (row->opcode != OPCODE_READ && row->opcode != OPCODE_WRITE))
		return 0;
	if (!*at)
		*at = streams_new(STREAMS_DEFAULT);
	if (!*at)
		return -ENOMEM;
	kind = streams_add(*at, row->slba, streams_end(row->slba, row->nlb), 0, &hits);
	if (!first)
		row->pattern = kind == STREAM_SEQUENTIAL ? "S" : "R";
	return 0;
}

void trace_pattern_free(struct trace_pattern *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < WIRE_QUEUES; i++) {
		streams_free(p->streams[i][0]);
		streams_free(p->streams[i][1]);
	}
	free(p);
}
