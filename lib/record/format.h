// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The format of recordings, for the writer and the reader of lib/record/record.h only.
 *
 * A file is 16 bytes (magic, u32 version, u32 0) and blocks. A block is 24 bytes of head, sealed by
 * a CRC of its own so that its length can be trusted, and a payload with its CRC in the head.
 * Numbers are little-endian. CRCs are zlib's crc32().
 *
 *   head     magic u32, kind u32, payload bytes u32, count u32, payload CRC u32, CRC of these 20 bytes u32
 *   HEAD     lines NAME=VALUE: one `column=NAME,BYTES` for each column in the order of the event blocks,
 *            version, host, hosts, kernel, arch, start_ns, wall_offset_ns, needs, filters, ctrls, partitions;
 *            of a flight recorder: trigger, trigger_ns
 *   QUEUES, CGROUPS, STACKS, SCHEDS   bytes inflated u32, then a zlib stream of `count` entries; an entry is its
 *            length u32 and members, so that members can be added behind; a string is its length u16 and
 *            bytes. They stand before the first event that names them.
 *   CGROUPS has the paths of files as well: by record_file_number(), and as "INO_DEV INO.INO_GEN PATH", without
 *   ".0". A file that is renamed has a further entry, which stands from there on.
 *   The path of a queue that stands for a device above namespaces has the names of these, apart by blanks.
 *   EVENTS   wall offset s64, columns u32, 0 u32; per column: encoding u8, bytes per value u8 (0 1 2 4 8),
 *            1 when deflated u8, 0 u8, bytes stored u32, base u64; then the bytes of all columns
 *            The kinds of events are those of enum event_kind, whose numbers do not change; unknown ones are
 *            skipped. The last events may be commands that were in flight when the run ended (EVENT_INFLIGHT):
 *            their time is that end, they have what their submission tells, and count in no counter.
 *   END      lines NAME=VALUE with the counters of the run; a file without it was cut
 *
 * A value of a column is stored as an unsigned number of as few bytes as its block needs:
 *   PLAIN    base + number
 *   DELTA    value before + zigzag(number), the first one after base
 *   BACK     0 for 0, else the event's time minus zigzag(number - 1)
 * Unknown kinds, columns and lines are skipped.
 */
#ifndef NVT_RECORD_FORMAT_H
#define NVT_RECORD_FORMAT_H

#include "bpf/shared/file.h"
#include "lib/event/counters.h"

#define RECORD_MAGIC	    "NVMETOOL"
#define RECORD_VERSION	    1
#define RECORD_START_BYTES  16
#define RECORD_BLOCK_MAGIC  0x42564e9eU
#define RECORD_HEAD_BYTES   24
#define RECORD_EVENTS_BYTES 16 /* of an event block, before its columns */
#define RECORD_COLUMN_BYTES 16
#define RECORD_BLOCK_EVENTS 8192 /* the writer's largest blocks */
#define RECORD_BLOCK_LEAST  128 /* and the smallest, but for the last of a second */
#define RECORD_EVENTS_MAX   16384 /* the most a reader takes */
#define RECORD_PAYLOAD_MAX  (4U << 20)
#define RECORD_COLUMNS_MAX  64
#define RECORD_TEXT_MAX	    (64U << 10) /* payload of HEAD and END */
#define RECORD_DICT_MAX	    (1U << 20) /* a dictionary block, inflated */
#define RECORD_QUEUES_MAX   4096
#define RECORD_CGROUPS_MAX  32768
#define RECORD_FILE_TEXT    (4096 + 32) /* of a file among the cgroups */
#define RECORD_STACKS_MAX   65536
#define RECORD_FRAMES_MAX   128
#define RECORD_DICT_MEMORY  (32U << 20) /* all dictionaries of a file, inflated */

enum record_kind {
	RECORD_HEAD = 1,
	RECORD_QUEUES,
	RECORD_CGROUPS,
	RECORD_STACKS,
	RECORD_EVENTS,
	RECORD_END,
	RECORD_SCHEDS,
};

enum record_encoding { RECORD_PLAIN, RECORD_DELTA, RECORD_BACK };

/* A column: a member of struct event and how it is stored. */
struct record_column {
	const char *name;
	u16 at; /* offset in struct event */
	u8 bytes; /* of the member */
	u8 encoding; /* the writer's; a reader goes by the block */
	u32 needs; /* read only when one of these is asked for; 0: always */
	u32 absent; /* the value where a file lacks the column */
};

#define RECORD_PARTS 10 /* columns of the members that are SPLIT */
enum {
#define STORED(type, member, encoding, needs, absent) RECORD_AT_##member,
#define SPLIT(type, member, n)
#define PASSED(type, member)
#include "bpf/shared/event.def"
#undef STORED
#undef SPLIT
#undef PASSED
	RECORD_WHOLE,
	RECORD_COLUMNS = RECORD_WHOLE + RECORD_PARTS
};
/* Column 0 is the event's time. */
extern const struct record_column record_columns[RECORD_COLUMNS];

/* Bits of enum need by name, as in `needs=pid,comm`. Ends with a NULL name. */
struct record_name {
	const char *name;
	u32 value;
};
extern const struct record_name record_needs[];

/* Members of struct counters by name. Ends with a NULL name. */
extern const struct record_name record_counters[]; /* value: offset of the u64 */

/* The head of a block, unpacked. */
struct record_block {
	u32 kind, size_bytes, count, crc;
};

void record_pack_head(u8 *at, const struct record_block *b);
/* False when magic, seal or size are wrong. */
bool record_unpack_head(const u8 *at, struct record_block *b);

/* zlib's CRC of @size bytes. */
u32 record_crc(const void *data, size_t size);

/* Counts @ev in the counters of a run that has nothing but the events of a file. */
void record_count(struct counters *c, const struct event *ev);

/* Adds the numbers of @more to @to; an age is no number to add. */
void record_counters_add(struct counters *to, const struct counters *more);
/* Takes the numbers of @less, which are part of @from, away from it. */
void record_counters_take(struct counters *from, const struct counters *less);

static inline void record_put(u8 *at, u64 value, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		at[i] = value >> 8 * i;
}

static inline u64 record_get(const u8 *at, u32 bytes)
{
	u64 value = 0;

	for (u32 i = 0; i < bytes; i++)
		value |= (u64)at[i] << 8 * i;
	return value;
}

/* Small numbers of either sign as small unsigned ones. */
static inline u64 record_zigzag(u64 difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static inline u64 record_unzigzag(u64 number)
{
	return number >> 1 ^ -(number & 1);
}

#define RECORD_FILE                                                                                \
	(1ULL << 63) /* in the number of a file among the cgroups, whose own are below */

/* The number of a file. Two may share one: the text tells which it is of. */
static inline u64 record_file_number(const struct file_id *id)
{
	u64 word = id->ino ^ (u64)id->ino_dev << 40 ^ (u64)id->ino_gen << 24;

	return RECORD_FILE | word * 0x9e3779b97f4a7c15ULL >> 1;
}

/* Writes what stands before the path of a file in its text. Returns how long it is. */
#define RECORD_FILE_ID 64
size_t record_file_id(const struct file_id *id, char buf[RECORD_FILE_ID]);

#endif
