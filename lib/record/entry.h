// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of dictionaries, which lie one behind the other in a block: numbers and strings.
 */
#ifndef NVT_RECORD_ENTRY_H
#define NVT_RECORD_ENTRY_H

#include "lib/base/types.h"

/* Entries of one kind that wait to be written. The caller sees to it that there is room. */
struct record_entries {
	u8 *bytes;
	u32 size_bytes, count;
};

/* Begins an entry, and leaves room for its length. Returns what entry_end() takes. */
u32 entry_begin(struct record_entries *e);
void entry_put(struct record_entries *e, u64 value, u32 bytes);
/* At most @max bytes of @s, which may be NULL: that is read as an empty string. */
void entry_put_text(struct record_entries *e, const char *s, size_t max);
/* Ends the entry. Returns how long it is. */
u32 entry_end(struct record_entries *e, u32 start);

/* Reads one entry. `bad` is set once something reached behind its end, and all is 0 from then on. */
struct entry_cursor {
	const u8 *at, *end;
	bool bad, no_memory; /* no_memory: the reader's */
};

u64 entry_take(struct entry_cursor *c, u32 bytes);
/* A string of the entry, without a NUL at its end; *len may be 0. */
const u8 *entry_take_text(struct entry_cursor *c, u32 *len);

/* Moves @entry to the next one of those from *at to @end. False: there is none that is sound. */
bool entry_next(struct entry_cursor *entry, const u8 **at, const u8 *end);

#endif
