// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes entries, and reads them from a file that may be hostile: lengths are checked first. */
#include "lib/record/entry.h"

#include "lib/base/str.h"
#include "lib/record/format.h"

void entry_put(struct record_entries *e, u64 value, u32 bytes)
{
	record_put(e->bytes + e->size_bytes, value, bytes);
	e->size_bytes += bytes;
}

void entry_put_text(struct record_entries *e, const char *s, size_t max)
{
	size_t len = s ? strnlen(s, max) : 0;

	entry_put(e, len, 2);
	if (len)
		memcpy(e->bytes + e->size_bytes, s, len);
	e->size_bytes += (u32)len;
}

u32 entry_begin(struct record_entries *e)
{
	entry_put(e, 0, 4);
	return e->size_bytes;
}

u32 entry_end(struct record_entries *e, u32 start)
{
	record_put(e->bytes + start - 4, e->size_bytes - start, 4);
	e->count++;
	return e->size_bytes - start;
}

u64 entry_take(struct entry_cursor *c, u32 bytes)
{
	u64 value = 0;

	if (c->bad || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	value = record_get(c->at, bytes);
	c->at += bytes;
	return value;
}

const u8 *entry_take_text(struct entry_cursor *c, u32 *len)
{
	const u8 *text;

	*len = (u32)entry_take(c, 2);
	if ((size_t)(c->end - c->at) < *len) {
		c->bad = true;
		*len = 0;
	}
	text = c->at;
	c->at += *len;
	return text;
}

bool entry_next(struct entry_cursor *entry, const u8 **at, const u8 *end)
{
	struct entry_cursor c = { .at = *at, .end = end };
	u32 size = (u32)entry_take(&c, 4);

	if (c.bad || size > (size_t)(end - c.at))
		return false;
	*entry = (struct entry_cursor){ .at = c.at, .end = c.at + size };
	*at = entry->end;
	return true;
}
