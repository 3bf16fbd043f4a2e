// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shape of I/O: what `pattern` counts, from single commands to rows.
 *
 * Per device a pattern_device follows the streams; per key a pattern_sum holds the figures of an
 * interval. Sequential, random, backward, strided and seeks are of reads and writes that name a
 * range of blocks; a zone append does not, the drive chooses its place.
 */
#ifndef NVT_PATTERN_SUM_H
#define NVT_PATTERN_SUM_H

#include "lib/event/streams.h"
#include "lib/group/group.h"
#include "lib/host/sysfs.h"

#define PATTERN_SIZES  33 /* slot 0 is [0, 1), slot k is [2^(k-1), 2^k) bytes: sizes are 32 bits */
#define PATTERN_SEEKS  65
#define PATTERN_ALIGNS 22 /* the last slot is 1 MiB and more */

/* What an address can be aligned to. */
enum pattern_limit {
	PATTERN_LBA, /* logical block */
	PATTERN_PHYSICAL, /* physical block */
	PATTERN_NPWG, /* preferred write granularity; writes alone */
	PATTERN_NOWS, /* optimal write size; writes alone */
	PATTERN_NOIOB, /* optimal I/O boundary: not to be crossed */
	PATTERN_OWN, /* the command's own size; its start alone */
	PATTERN_LIMITS,
};

/* A command to be counted. */
struct pattern_io {
	u64 lba;
	u32 blocks; /* 0: no range of blocks */
	u32 bytes; /* data transferred */
	u32 lba_bytes; /* 0: not known */
	bool read, write;
	const struct sysfs_limits *limits; /* or NULL */
};

/* How a command relates to those before it. */
struct pattern_relation {
	bool placed; /* it is a read or write with a range: the members below hold */
	bool first; /* of its device: neither sequential nor random, no seek */
	enum stream_kind kind;
	bool stream; /* the one that makes its stream count */
	u64 seek_blocks; /* from the end of the device's last command to its start */
};

/* Streams and the last command of a device; zero-initialise, pattern_device_free(). */
struct pattern_device {
	struct streams *streams[2]; /* reads, writes */
	u64 last_end;
	bool seen;
};

/* Relates @io to what @dev did before, with @limit streams. 0 or -ENOMEM. */
int pattern_relate(struct pattern_device *dev, const struct pattern_io *io, u32 limit, u64 interval,
		   struct pattern_relation *to);
void pattern_device_free(struct pattern_device *dev);

/* What one limit found. */
struct pattern_aligned {
	u64 bytes; /* of the limit; 0 none, ~0 not the same for all devices of the row */
	u64 checked, off; /* commands it applies to, and those of them that do not keep to it */
};

struct pattern_sum {
	u64 count, reads, writes, others, errors;
	u64 bytes, read_bytes, write_bytes;
	u64 placed; /* reads and writes with a range */
	u64 sequential, random, backward, strided, streams;
	u64 unaligned, crossing;
	u64 unknown; /* placed, but the limits of the device are not known */
	u64 sizes[PATTERN_SIZES], seeks[PATTERN_SEEKS], aligns[PATTERN_ALIGNS];
	struct pattern_aligned limits[PATTERN_LIMITS];
};

/* Counts a command. */
void pattern_sum_add(struct pattern_sum *sum, const struct pattern_io *io,
		     const struct pattern_relation *to);

/* The slot of @value in sizes, seeks or aligns, and a slot's lower edge. */
u32 pattern_slot(u64 value);
u64 pattern_slot_lo(u32 slot);

/* A row of lib/group/table.h. */
struct pattern_entry {
	struct group_key key;
	struct pattern_sum sum;
};

#endif
