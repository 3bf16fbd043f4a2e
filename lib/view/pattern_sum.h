// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shape of I/O: the figures of `pattern`, from single commands to rows.
 *
 * A pattern_device follows the streams of a device, a pattern_sum holds the figures of a key in an
 * interval. Only reads and writes that name a range of blocks count as sequential, random, backward
 * or strided and have seeks. A zone append names none: the drive chooses its place.
 */
#ifndef NVT_VIEW_PATTERN_SUM_H
#define NVT_VIEW_PATTERN_SUM_H

#include "lib/event/streams.h"
#include "lib/group/group.h"
#include "lib/host/sysfs.h"

#define PATTERN_SIZES  33 /* slot 0 is [0, 1), slot k is [2^(k-1), 2^k) bytes: sizes have 32 bits */
#define PATTERN_SEEKS  65
#define PATTERN_ALIGNS 22 /* the last slot is 1 MiB and more */

/* The limits to which an address can be aligned. */
enum pattern_limit {
	PATTERN_LBA, /* logical block */
	PATTERN_PHYSICAL, /* physical block */
	PATTERN_NPWG, /* preferred write granularity; writes only */
	PATTERN_NOWS, /* optimal write size; writes only */
	PATTERN_NOIOB, /* optimal I/O boundary, which a command should not cross */
	PATTERN_OWN, /* the command's own size; for its start only */
	PATTERN_LIMITS,
};

/* A command to be counted. */
struct pattern_io {
	u64 lba;
	u32 blocks; /* 0: it names no range of blocks */
	u32 bytes; /* data transferred */
	u32 lba_bytes; /* 0: not known */
	bool read, write;
	const struct sysfs_limits *limits; /* or NULL */
};

/* Fills in @io from a submission or a completed command. */
void pattern_io_fill(struct pattern_io *io, const struct view *v);

/* How a command relates to those before it. */
struct pattern_relation {
	bool placed; /* it is a read or write of a range: the members below are valid */
	bool first; /* the first of its device: neither sequential nor random */
	enum stream_kind kind;
	bool stream; /* with this one its stream counts as a stream */
	bool seeks; /* there is a place to measure the seek from */
	u64 seek_blocks; /* from there to its start */
};

/* Where the last command of a device ended, or that of a row on this device. Begins as zeroes. */
struct pattern_place {
	u64 end;
	bool seen;
};

/*
 * The streams and the last command of a device. Begins as zeroes, ends with pattern_device_free().
 */
struct pattern_device {
	struct streams *streams[2]; /* reads, writes */
	struct pattern_place last;
};

/* Devices by session_device(), allocated when first needed. Begins as zeroes. */
struct pattern_devices {
	struct pattern_device *at[WIRE_QUEUES];
};
struct pattern_device *pattern_device_at(struct pattern_devices *devices, u32 device); /* or NULL */
void pattern_devices_free(struct pattern_devices *devices);

/*
 * Relates @io to earlier commands of @dev, with @limit streams; the seek is from the last one of
 * @dev. 0 or -ENOMEM.
 */
int pattern_relate(struct pattern_device *dev, const struct pattern_io *io, u32 limit, u64 interval,
		   struct pattern_relation *to);
/* Measures the seek of @io, a placed command, from @last instead, and moves @last on. */
void pattern_seek(struct pattern_place *last, const struct pattern_io *io,
		  struct pattern_relation *to);
void pattern_device_free(struct pattern_device *dev);

/* The figures of one limit. */
struct pattern_aligned {
	u64 bytes; /* of the limit; 0: none, ~0: it differs between the devices of the row */
	u64 checked, off; /* commands it applies to, and those among them that violate it */
};

struct pattern_sum {
	u64 count, reads, writes, others, errors;
	u64 bytes, read_bytes, write_bytes;
	u64 placed; /* reads and writes with a range */
	u64 sequential, random, backward, strided, streams;
	u64 unaligned, crossing;
	u64 unknown; /* placed, but on a device whose limits are not known */
	u64 sizes[PATTERN_SIZES], seeks[PATTERN_SEEKS], aligns[PATTERN_ALIGNS];
	struct pattern_aligned limits[PATTERN_LIMITS];
};

/* Counts a command. */
void pattern_sum_add(struct pattern_sum *sum, const struct pattern_io *io,
		     const struct pattern_relation *to);

/* The slot of @value among sizes, seeks or aligns; and the lower edge of a slot. */
u32 pattern_slot(u64 value);
u64 pattern_slot_lo(u32 slot);

/* A row of lib/group/table.h. */
struct pattern_entry {
	struct group_key key;
	struct pattern_sum sum;
};

#endif
