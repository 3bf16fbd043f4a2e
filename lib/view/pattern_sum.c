// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds a command to the figures of its row. */
#include <errno.h>

#include "bpf/shared/filter.h"
#include "lib/view/pattern_sum.h"
#include "lib/base/str.h"

#define OPCODE_APPEND 0x7d

void pattern_io_fill(struct pattern_io *io, const struct view *v)
{
	const struct event *ev = v->ev;
	bool admin = ev->flags & EVENT_ADMIN;

	*io = (struct pattern_io){
		.lba = (u64)ev->cdw[1] << 32 | ev->cdw[0],
		.bytes = ev->bytes,
		.lba_bytes = v->queue->lba_bytes,
		.read = !admin && ev->opcode == OPCODE_READ,
		.write = !admin && (ev->opcode == OPCODE_WRITE || ev->opcode == OPCODE_APPEND),
		.limits = v->limits,
	};
	if (!admin && ev->opcode != OPCODE_APPEND)
		io->blocks = filter_lba_blocks(ev->opcode, ev->cdw[2]);
}

u32 pattern_slot(u64 value)
{
	return hist_log_linear(value, 0);
}

u64 pattern_slot_lo(u32 slot)
{
	return hist_log_linear_lo(slot, 0);
}

void pattern_seek(struct pattern_place *last, const struct pattern_io *io,
		  struct pattern_relation *to)
{
	to->seeks = last->seen;
	to->seek_blocks = io->lba > last->end ? io->lba - last->end : last->end - io->lba;
	last->end = streams_end(io->lba, io->blocks);
	last->seen = true;
}

int pattern_relate(struct pattern_device *dev, const struct pattern_io *io, u32 limit, u64 interval,
		   struct pattern_relation *to)
{
	struct streams **streams = &dev->streams[io->write];
	u32 hits;

	*to = (struct pattern_relation){ .placed = io->blocks && (io->read || io->write) };
	if (!to->placed)
		return 0;
	if (!*streams)
		*streams = streams_new(limit);
	if (!*streams)
		return -ENOMEM;
	to->kind =
		streams_add(*streams, io->lba, streams_end(io->lba, io->blocks), interval, &hits);
	to->stream = hits == STREAM_HITS;
	pattern_seek(&dev->last, io, to);
	to->first = !to->seeks;
	return 0;
}

void pattern_device_free(struct pattern_device *dev)
{
	streams_free(dev->streams[0]);
	streams_free(dev->streams[1]);
}

struct pattern_device *pattern_device_at(struct pattern_devices *devices, u32 device)
{
	struct pattern_device **at = &devices->at[device & (WIRE_QUEUES - 1)];

	if (!*at)
		*at = calloc(1, sizeof(**at));
	return *at;
}

void pattern_devices_free(struct pattern_devices *devices)
{
	for (u32 i = 0; i < WIRE_QUEUES; i++) {
		if (devices->at[i])
			pattern_device_free(devices->at[i]);
		free(devices->at[i]);
	}
}

static void add_kind(struct pattern_sum *sum, const struct pattern_relation *to)
{
	if (to->first)
		return;
	if (to->kind == STREAM_SEQUENTIAL)
		sum->sequential++;
	else
		sum->random++;
	sum->backward += to->kind == STREAM_BACKWARD;
	sum->strided += to->kind == STREAM_STRIDED;
	sum->streams += to->stream;
}

/*
 * Counts a command that was checked against a limit of @bytes, and whether it is @off; 0 bytes: the
 * drive has no such limit.
 */
static void check(struct pattern_sum *sum, enum pattern_limit limit, u64 bytes, bool off)
{
	struct pattern_aligned *a = &sum->limits[limit];

	if (!bytes)
		return;
	if (a->checked && a->bytes != bytes)
		a->bytes = ~0ULL;
	else
		a->bytes = bytes;
	a->checked++;
	a->off += off;
}

static bool off(u64 start, u64 end, u32 bytes)
{
	return bytes && (start % bytes || end % bytes);
}

static void add_limits(struct pattern_sum *sum, const struct pattern_io *io, u64 start, u64 end)
{
	const struct sysfs_limits *l = io->limits;
	bool crosses;

	if (!l || !l->physical_bytes) {
		sum->unknown++;
		return;
	}
	crosses = l->chunk_bytes && start / l->chunk_bytes != (end - 1) / l->chunk_bytes;
	check(sum, PATTERN_PHYSICAL, l->physical_bytes, off(start, end, l->physical_bytes));
	check(sum, PATTERN_NOIOB, l->chunk_bytes, crosses);
	if (io->write) {
		check(sum, PATTERN_NPWG, l->min_io_bytes, off(start, end, l->min_io_bytes));
		check(sum, PATTERN_NOWS, l->opt_io_bytes, off(start, end, l->opt_io_bytes));
	}
	sum->crossing += crosses;
	sum->unaligned += off(start, end, l->physical_bytes) ||
			  (io->write && off(start, end, l->min_io_bytes));
}

/* The largest power of two that divides @start, 1 MiB at most. */
static u32 align_slot(u64 start)
{
	u64 bit = start & -start;
	u32 slot = pattern_slot(bit);

	return !bit || slot >= PATTERN_ALIGNS ? PATTERN_ALIGNS - 1 : slot;
}

/* The slot of a seek, in bytes. A seek that exceeds 64 bits is in the last slot. */
static u32 seek_slot(u64 blocks, u32 lba_bytes)
{
	u64 bytes;

	return pattern_slot(__builtin_mul_overflow(blocks, lba_bytes, &bytes) ? ~0ULL : bytes);
}

static void add_place(struct pattern_sum *sum, const struct pattern_io *io,
		      const struct pattern_relation *to)
{
	u64 start = io->lba * io->lba_bytes, bytes = (u64)io->blocks * io->lba_bytes;
	u64 end = start + bytes;

	sum->placed++;
	add_kind(sum, to);
	if (!bytes) {
		sum->unknown++;
		return;
	}
	if (to->seeks)
		sum->seeks[seek_slot(to->seek_blocks, io->lba_bytes)]++;
	sum->aligns[align_slot(start)]++;
	check(sum, PATTERN_LBA, io->lba_bytes, false);
	check(sum, PATTERN_OWN, bytes, io->lba % io->blocks);
	add_limits(sum, io, start, end);
}

void pattern_sum_add(struct pattern_sum *sum, const struct pattern_io *io,
		     const struct pattern_relation *to)
{
	sum->count++;
	sum->reads += io->read;
	sum->writes += io->write;
	sum->others += !io->read && !io->write;
	sum->bytes += io->bytes;
	sum->read_bytes += io->read ? io->bytes : 0;
	sum->write_bytes += io->write ? io->bytes : 0;
	if (io->read || io->write)
		sum->sizes[pattern_slot(io->bytes)]++;
	if (to->placed)
		add_place(sum, io, to);
}
