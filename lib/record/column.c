// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes one column of an event block: gathers it from the events, encodes, narrows and deflates
 * it.
 */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/record/column.h"

#define RETRY_BLOCKS 15 /* a column that did not deflate is tried again after so many blocks */

int record_column_open(struct record_packer *p)
{
	return deflateInit(&p->z, 1) == Z_OK ? 0 : -ENOMEM;
}

void record_column_close(struct record_packer *p)
{
	deflateEnd(&p->z);
}

static u64 member(const struct event *ev, const struct record_column *c)
{
	const char *at = (const char *)ev + c->at;
	u64 value = 0;

	memcpy(&value, at, c->bytes);
	return value;
}

static u64 back(u64 ts_ns, u64 value)
{
	return value ? record_zigzag(ts_ns - value) + 1 : 0;
}

/* Fills p->value with the numbers to store; returns the base. */
static u64 encode(struct record_packer *p, const struct record_column *c, const struct event *ev,
		  u32 n)
{
	u64 *value = p->value, base = ~0ULL, before;

	switch (c->encoding) {
	case RECORD_DELTA:
		base = before = member(&ev[0], c);
		for (u32 i = 0; i < n; i++) {
			u64 now = member(&ev[i], c);

			value[i] = record_zigzag(now - before);
			before = now;
		}
		return base;
	case RECORD_BACK:
		for (u32 i = 0; i < n; i++)
			value[i] = back(ev[i].ts_ns, member(&ev[i], c));
		return 0;
	default:
		for (u32 i = 0; i < n; i++) {
			value[i] = member(&ev[i], c);
			if (value[i] < base)
				base = value[i];
		}
		for (u32 i = 0; i < n; i++)
			value[i] -= base;
		return base;
	}
}

/* Returns the bytes that the largest of @n values needs: 0, 1, 2, 4 or 8. */
static u32 width_of(const u64 *value, u32 n)
{
	u64 all = 0;

	for (u32 i = 0; i < n; i++)
		all |= value[i];
	if (all > 0xffffffff)
		return 8;
	if (all > 0xffff)
		return 4;
	return all > 0xff ? 2 : all > 0;
}

/* There is one loop for each width, so that compilers make each a simple copy. */
static void narrow(u8 *to, const u64 *value, u32 n, u32 width)
{
	switch (width) {
	case 1:
		for (u32 i = 0; i < n; i++)
			to[i] = value[i];
		break;
	case 2:
		for (u32 i = 0; i < n; i++)
			record_put(to + 2UL * i, value[i], 2);
		break;
	case 4:
		for (u32 i = 0; i < n; i++)
			record_put(to + 4UL * i, value[i], 4);
		break;
	case 8:
		for (u32 i = 0; i < n; i++)
			record_put(to + 8UL * i, value[i], 8);
		break;
	}
}

/*
 * Deflates @size bytes of p->bytes to @to if that saves an eighth or more. Returns the bytes
 * written, else 0.
 */
static u32 squeeze(struct record_packer *p, u8 *to, u32 size)
{
	deflateReset(&p->z);
	p->z.next_in = p->bytes;
	p->z.avail_in = size;
	p->z.next_out = to;
	p->z.avail_out = size - size / 8;
	return deflate(&p->z, Z_FINISH) == Z_STREAM_END ? p->z.total_out : 0;
}

u32 record_column_pack(struct record_packer *p, u32 number, const struct event *ev, u32 n, u8 *head,
		       u8 *at)
{
	const struct record_column *c = &record_columns[number];
	u64 base = encode(p, c, ev, n);
	u32 width = width_of(p->value, n), size = width * n, packed = 0;

	narrow(p->bytes, p->value, n, width);
	if (p->stored[number]) {
		p->stored[number]--;
	} else if (size >= 16) {
		packed = squeeze(p, at, size);
		/* A small block says little about the next one. */
		if (!packed && n == RECORD_BLOCK_EVENTS)
			p->stored[number] = RETRY_BLOCKS;
	}
	if (!packed)
		memcpy(at, p->bytes, size);
	head[0] = c->encoding;
	head[1] = width;
	head[2] = packed != 0;
	head[3] = 0;
	record_put(head + 4, packed ? packed : size, 4);
	record_put(head + 8, base, 8);
	return packed ? packed : size;
}
