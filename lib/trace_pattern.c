// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the last commands of each queue and direction ended; sixteen streams can run at once. */
#include "lib/trace_pattern.h"

#include "lib/session.h"
#include "lib/str.h"

#define STREAMS 16

struct stream_ends {
	u64 end[STREAMS]; /* first block behind a command */
	u32 n, next; /* ends known; the one to replace */
};

struct trace_pattern {
	struct stream_ends *ends[2 * WIRE_QUEUES]; /* reads, writes; made when first needed */
};

struct trace_pattern *trace_pattern_new(void)
{
	return calloc(1, sizeof(struct trace_pattern));
}

const char *trace_pattern_of(struct trace_pattern *p, const struct trace_row *row)
{
	u32 writes =
		row->opcode & 1; /* data goes to the drive: opcode bits 1:0, Base 2.1, 3.3.3.1 */
	struct stream_ends **at, *e;

	if (row->slba == ~0ULL || row->nlb == ~0ULL)
		return NULL;
	at = &p->ends[2 * (row->view->ev->queue & (WIRE_QUEUES - 1)) + writes];
	if (!*at)
		*at = calloc(1, sizeof(**at));
	e = *at;
	if (!e)
		return NULL;
	for (u32 i = 0; i < e->n; i++) {
		if (e->end[i] != row->slba)
			continue;
		e->end[i] = row->slba + row->nlb;
		return "S";
	}
	e->end[e->next] = row->slba + row->nlb;
	e->next = (e->next + 1) % STREAMS;
	if (e->n < STREAMS)
		e->n++;
	return e->n == 1 ? NULL : "R";
}

void trace_pattern_free(struct trace_pattern *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(p->ends); i++)
		free(p->ends[i]);
	free(p);
}
