// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inner loops of replay. Each loop does one thing to many numbers, so that compilers make it
 * fast.
 */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/record/record_unpack.h"

int unpack_open(struct unpack *u, u32 needs)
{
	for (u32 i = 0; i < RECORD_COLUMNS; i++) {
		const struct record_column *c = &record_columns[i];

		u->column[i].wanted = !c->needs || (c->needs & needs);
	}
	return inflateInit(&u->z) == Z_OK ? 0 : -ENOMEM;
}

void unpack_close(struct unpack *u)
{
	for (u32 i = 0; i < RECORD_COLUMNS; i++)
		free(u->column[i].room);
	inflateEnd(&u->z);
}

static int inflate_column(struct unpack *u, struct unpack_column *c, const u8 *from, u32 bytes,
			  u32 size)
{
	if (c->room_bytes < size) {
		u8 *room = realloc(c->room, size);

		if (!room)
			return -ENOMEM;
		c->room = room;
		c->room_bytes = size;
	}
	inflateReset(&u->z);
	u->z.next_in = (u8 *)from;
	u->z.avail_in = bytes;
	u->z.next_out = c->room;
	u->z.avail_out = size;
	if (inflate(&u->z, Z_FINISH) != Z_STREAM_END || u->z.avail_out)
		return -EINVAL;
	c->data = c->room;
	return 0;
}

/* Reads the description of a column, whose bytes lie at @from. */
static int begin_column(struct unpack *u, struct unpack_column *c, const u8 *head, const u8 *from)
{
	u32 bytes = record_get(head + 4, 4);

	c->encoding = head[0];
	c->width = head[1];
	c->base = c->before = record_get(head + 8, 8);
	if (c->encoding > RECORD_BACK || c->width > 8 || (c->width & (c->width - 1)))
		return -EINVAL;
	if (head[2])
		return inflate_column(u, c, from, bytes, c->width * u->n);
	c->data = from;
	return bytes == c->width * u->n ? 0 : -EINVAL;
}

/* Stores @value in @n members at @at; there is one loop for each size. */
static void store(char *at, u32 bytes, const u64 *value, u32 n)
{
	switch (bytes) {
	case 1:
		for (u32 i = 0; i < n; i++)
			*(u8 *)(at + i * sizeof(struct event)) = value[i];
		break;
	case 2:
		for (u32 i = 0; i < n; i++)
			*(u16 *)(at + i * sizeof(struct event)) = value[i];
		break;
	case 4:
		for (u32 i = 0; i < n; i++)
			*(u32 *)(at + i * sizeof(struct event)) = value[i];
		break;
	default:
		for (u32 i = 0; i < n; i++)
			memcpy(at + i * sizeof(struct event), &value[i], 8);
		break;
	}
}

/*
 * True for members that hold numbers of the file: the reader replaces them in u->ev by numbers of
 * the run.
 */
static bool replaced(const struct record_column *c)
{
	return c->at == offsetof(struct event, queue) ||
	       c->at == offsetof(struct event, kstack_id) ||
	       c->at == offsetof(struct event, ustack_id) || c->at == offsetof(struct event, sched);
}

/* Gives all events of a batch the same value of a column. */
static void store_same(struct unpack *u, const struct record_column *c, u64 value)
{
	for (u32 k = 0; k < UNPACK_BATCH; k++)
		u->value[k] = value;
	store((char *)u->ev + c->at, c->bytes, u->value, UNPACK_BATCH);
}

/*
 * Stores the columns that have one value in the whole block, and those that are not in it; the
 * others follow batch by batch.
 */
static void preset(struct unpack *u)
{
	memset(u->ev, 0, sizeof(u->ev));
	for (u32 i = 0; i < RECORD_COLUMNS; i++) {
		const struct record_column *to = &record_columns[i];
		struct unpack_column *c = &u->column[i];

		if (!c->data && to->absent)
			store_same(u, to, to->absent);
		if (!c->data || c->width || c->encoding != RECORD_PLAIN || replaced(to))
			continue;
		store_same(u, to, c->base);
		c->data = NULL;
	}
}

int unpack_begin(struct unpack *u, const struct record_block *b, const u8 *payload, const u8 *map,
		 u32 n_columns)
{
	const u8 *head = payload + RECORD_EVENTS_BYTES;
	const u8 *from = head + (size_t)n_columns * RECORD_COLUMN_BYTES;
	const u8 *end = payload + b->size_bytes;

	u->n = u->at = 0;
	if (from > end || record_get(payload + 8, 4) != n_columns || b->count > RECORD_EVENTS_MAX)
		return -EINVAL;
	u->wall_offset_ns = (s64)record_get(payload, 8);
	u->n = b->count;
	for (u32 i = 0; i < RECORD_COLUMNS; i++)
		u->column[i].data = NULL;
	for (u32 i = 0; i < n_columns; i++, head += RECORD_COLUMN_BYTES) {
		u32 bytes = record_get(head + 4, 4);
		int err = 0;

		if (bytes > (size_t)(end - from))
			err = -EINVAL;
		else if (map[i] < RECORD_COLUMNS && u->column[map[i]].wanted)
			err = begin_column(u, &u->column[map[i]], head, from);
		if (err) {
			u->n = 0;
			return err;
		}
		from += bytes;
	}
	preset(u);
	return 0;
}

/* Widens the next @n numbers of a column into u->value. */
static void widen(struct unpack *u, const struct unpack_column *c, u32 n)
{
	const u8 *from = c->data + (size_t)u->at * c->width;

	switch (c->width) {
	case 0:
		memset(u->value, 0, n * sizeof(*u->value));
		break;
	case 1:
		for (u32 i = 0; i < n; i++)
			u->value[i] = from[i];
		break;
	case 2:
		for (u32 i = 0; i < n; i++)
			u->value[i] = record_get(from + 2UL * i, 2);
		break;
	case 4:
		for (u32 i = 0; i < n; i++)
			u->value[i] = record_get(from + 4UL * i, 4);
		break;
	default:
		for (u32 i = 0; i < n; i++)
			u->value[i] = record_get(from + 8UL * i, 8);
		break;
	}
}

static void decode(struct unpack *u, struct unpack_column *c, u32 n)
{
	u64 *value = u->value;

	switch (c->encoding) {
	case RECORD_DELTA:
		for (u32 i = 0; i < n; i++)
			value[i] = c->before += record_unzigzag(value[i]);
		break;
	case RECORD_BACK:
		for (u32 i = 0; i < n; i++)
			value[i] = value[i] ? u->ts_ns[i] - record_unzigzag(value[i] - 1) : 0;
		break;
	default:
		for (u32 i = 0; i < n; i++)
			value[i] += c->base;
		break;
	}
}

u32 unpack_next(struct unpack *u)
{
	u32 n = u->n - u->at;

	if (n > UNPACK_BATCH)
		n = UNPACK_BATCH;
	for (u32 i = 0; n && i < RECORD_COLUMNS; i++) {
		struct unpack_column *c = &u->column[i];

		if (c->data) {
			widen(u, c, n);
			decode(u, c, n);
			store((char *)u->ev + record_columns[i].at, record_columns[i].bytes,
			      u->value, n);
		}
		if (i == 0) /* the time, from which other columns are decoded */
			for (u32 k = 0; k < n; k++)
				u->ts_ns[k] = u->ev[k].ts_ns;
	}
	u->at += n;
	return n;
}
