// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams, and what pattern counts of commands; limits as an injected sysfs tree announces them. */
#include "lib/view/pattern_row.h"
#include "lib/base/str.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

#define COMMANDS 10000

struct counts {
	u32 kind[4];
};

static u64 seed = 1;

static u64 draw(u64 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 24) % below;
}

static enum stream_kind add(struct streams *s, struct counts *c, u64 start, u64 blocks)
{
	u32 hits;
	enum stream_kind kind = streams_add(s, start, start + blocks, 1, &hits);

	c->kind[kind]++;
	return kind;
}

TEST(end)
{
	assert_int_equal(streams_end(8, 8), 16);
	assert_int_equal(streams_end(~0ULL - 8, 8), ~0ULL);
	assert_int_equal(streams_end(~0ULL - 7, 8), ~0ULL); /* not 0 */
}

/* The definition, word for word: the ends of the last @limit tracked commands, the latest last. */
struct definition {
	u64 end[STREAMS_DEFAULT + 1];
	u32 n, limit;
};

static bool is_sequential(struct definition *d, u64 start, u64 end)
{
	u32 at = d->n;

	while (at && d->end[at - 1] != start)
		at--;
	d->end[d->n++] = end;
	if (at || d->n > d->limit) {
		u32 gone = at ? at - 1 : 0;

		memmove(&d->end[gone], &d->end[gone + 1], (--d->n - gone) * sizeof(*d->end));
	}
	return at > 0;
}

/*
 * Few addresses and few sizes, so that everything meets: repeats, overlaps, two that end at one
 * place.
 */
TEST(definition)
{
	static const u32 limits[] = { 1, 2, 3, 5, 16 };

	for (u32 k = 0; k < ARRAY_SIZE(limits) * 8; k++) {
		struct definition d = { .limit = limits[k % ARRAY_SIZE(limits)] };
		struct streams *s = streams_new(d.limit);
		u64 places = 4ULL << k / ARRAY_SIZE(limits);
		u32 sequential = 0, hits;

		for (u32 i = 0; i < COMMANDS; i++) {
			u64 start = draw(places), end = start + 1 + draw(2);
			bool want = is_sequential(&d, start, end);

			assert_int_equal(streams_add(s, start, end, 1, &hits) == STREAM_SEQUENTIAL,
					 want);
			sequential += want;
		}
		assert_in_range(sequential, 1, COMMANDS - 1);
		streams_free(s);
	}
}

TEST(backward)
{
	struct streams *s = streams_new(STREAMS_DEFAULT);
	struct counts c = { 0 };

	for (u64 i = 0; i < COMMANDS; i++)
		add(s, &c, (COMMANDS - i) * 8ULL, 8);
	assert_int_equal(c.kind[STREAM_BACKWARD], COMMANDS - 1);
	assert_int_equal(c.kind[STREAM_SEQUENTIAL], 0);
	streams_free(s);
}

/* Strides up, down, and of four jobs in turn: the first three of each are plain random. */
TEST(strided)
{
	static const struct {
		s64 stride;
		u32 jobs;
	} cases[] = { { 100, 1 }, { -100, 1 }, { 4096, 4 }, { -24, 2 } };

	static const u64 bases[] = { 1ULL << 30, 1ULL << 32, 1ULL << 36, 1ULL << 31 };

	for (u32 k = 0; k < ARRAY_SIZE(cases); k++) {
		struct streams *s = streams_new(STREAMS_DEFAULT);
		struct counts c = { 0 };
		u32 jobs = cases[k].jobs;

		for (u64 i = 0; i < COMMANDS; i++)
			add(s, &c, bases[i % jobs] + (u64)(cases[k].stride * (i / jobs)), 8);
		assert_int_equal(c.kind[STREAM_STRIDED], COMMANDS - 3 * jobs);
		assert_int_equal(c.kind[STREAM_SEQUENTIAL], 0);
		streams_free(s);
	}
}

/* Hits count per interval, so a stream counts in each interval in which it has four. */
TEST(hits_per_interval)
{
	struct streams *s = streams_new(4);
	u32 hits;

	for (u64 i = 0; i < 20; i++) {
		streams_add(s, i * 8, i * 8 + 8, i / 10, &hits);
		assert_int_equal(hits, i < 10 ? i : i - 9);
	}
	streams_free(s);
}

static void put_queue(const char *root, const char *disk, const char *name, const char *value)
{
	char dir[96];

	snprintf(dir, sizeof(dir), "class/nvme/nvme0/%s/queue", disk);
	scratch_put(root, dir, name, value);
}

/* A drive that announces everything, and one that announces nothing. */
static void put_drive(const char *root)
{
	scratch_put(root, "class/nvme/nvme0", "state", "live\n");
	scratch_put(root, "class/nvme/nvme0/nvme0n1", "nsid", "1\n");
	scratch_put(root, "class/nvme/nvme0/nvme0n2", "nsid", "2\n");
	put_queue(root, "nvme0n1", "logical_block_size", "4096\n");
	put_queue(root, "nvme0n1", "physical_block_size", "16384\n");
	put_queue(root, "nvme0n1", "minimum_io_size", "32768\n");
	put_queue(root, "nvme0n1", "optimal_io_size", "131072\n");
	put_queue(root, "nvme0n1", "chunk_sectors", "256\n");
	put_queue(root, "nvme0n2", "logical_block_size", "4096\n");
	put_queue(root, "nvme0n2", "physical_block_size", "4096\n");
	put_queue(root, "nvme0n2", "minimum_io_size", "4096\n");
	put_queue(root, "nvme0n2", "optimal_io_size", "0\n");
	put_queue(root, "nvme0n2", "chunk_sectors", "0\n");
}

static void count(struct pattern_sum *sum, struct pattern_device *dev, struct pattern_io io)
{
	struct pattern_relation to;

	assert_int_equal(pattern_relate(dev, &io, STREAMS_DEFAULT, 1, &to), 0);
	pattern_sum_add(sum, &io, &to);
}

static struct pattern_io io_of(const struct sysfs_ns *ns, bool write, u64 start_kib, u32 kib)
{
	return (struct pattern_io){
		.lba = start_kib * 1024 / ns->lba_bytes,
		.blocks = kib * 1024 / ns->lba_bytes,
		.bytes = kib * 1024,
		.lba_bytes = ns->lba_bytes,
		.read = !write,
		.write = write,
		.limits = &ns->limits,
	};
}

static void assert_limit(const struct pattern_sum *sum, enum pattern_limit limit, u64 bytes,
			 u64 checked, u64 off)
{
	assert_int_equal(sum->limits[limit].bytes, bytes);
	assert_int_equal(sum->limits[limit].checked, checked);
	assert_int_equal(sum->limits[limit].off, off);
}

TEST(limits)
{
	char *root = scratch_make();
	struct pattern_device dev = { 0 };
	struct pattern_sum sum = { 0 };
	const struct sysfs_ns *ns;
	struct sysfs s;

	put_drive(root);
	assert_int_equal(sysfs_read(&s, root), 0);
	ns = sysfs_ns(&s, "nvme0n1");
	assert_int_equal(ns->limits.physical_bytes, 16384);
	count(&sum, &dev, io_of(ns, false, 16, 16)); /* aligned */
	count(&sum, &dev, io_of(ns, false, 4, 16)); /* begins within a physical block */
	count(&sum, &dev, io_of(ns, false, 16, 4)); /* ends within one */
	count(&sum, &dev, io_of(ns, true, 16, 16)); /* half a unit of NPWG */
	count(&sum, &dev, io_of(ns, true, 32, 32)); /* a unit of NPWG, not of NOWS */
	count(&sum, &dev, io_of(ns, true, 128, 128)); /* all is well */
	count(&sum, &dev, io_of(ns, false, 112, 32)); /* across the boundary of 128 KiB */
	count(&sum, &dev, io_of(ns, false, 0, 256)); /* and across it again, from one to the next */
	assert_limit(&sum, PATTERN_LBA, 4096, 8, 0);
	assert_limit(&sum, PATTERN_PHYSICAL, 16384, 8, 2);
	assert_limit(&sum, PATTERN_NPWG, 32768, 3, 1);
	assert_limit(&sum, PATTERN_NOWS, 131072, 3, 2);
	assert_limit(&sum, PATTERN_NOIOB, 131072, 8, 2);
	assert_int_equal(sum.limits[PATTERN_OWN].off, 2); /* 16 KiB at 4, 32 KiB at 112 */
	assert_int_equal(sum.unaligned, 3);
	assert_int_equal(sum.crossing, 2);
	assert_int_equal(sum.unknown, 0);
	pattern_device_free(&dev);
	sysfs_free(&s);
	scratch_remove(root);
}

/*
 * A drive of 4 KiB blocks without limits: nothing is unaligned to it; to their own size commands
 * still are.
 */
TEST(no_limits)
{
	char *root = scratch_make();
	struct pattern_device dev = { 0 };
	struct pattern_sum sum = { 0 };
	const struct sysfs_ns *ns;
	struct sysfs s;

	put_drive(root);
	assert_int_equal(sysfs_read(&s, root), 0);
	ns = sysfs_ns(&s, "nvme0n2");
	for (u32 i = 0; i < 100; i++)
		count(&sum, &dev, io_of(ns, i & 1, 4 + 16 * i, 16));
	assert_int_equal(sum.unaligned, 0);
	assert_int_equal(sum.crossing, 0);
	assert_int_equal(sum.unknown, 0);
	assert_limit(&sum, PATTERN_PHYSICAL, 4096, 100, 0);
	assert_limit(&sum, PATTERN_NOIOB, 0, 0, 0);
	assert_limit(&sum, PATTERN_NOWS, 0, 0, 0);
	assert_limit(&sum, PATTERN_OWN, 16384, 100, 100);
	assert_int_equal(sum.aligns[pattern_slot(4096)], 100);
	pattern_device_free(&dev);
	sysfs_free(&s);
	scratch_remove(root);
}

TEST(figures)
{
	struct pattern_device dev = { 0 };
	struct pattern_sum sum = { 0 };
	struct pattern_io io = { .blocks = 8, .bytes = 4096, .lba_bytes = 512, .read = true };

	count(&sum, &dev, io); /* the first: neither */
	io.lba = 8;
	count(&sum, &dev, io); /* sequential */
	io.read = false;
	io.write = true;
	io.lba = 16;
	count(&sum, &dev, io); /* no write ended there: random, though the seek is none */
	io.lba = 1024;
	count(&sum, &dev, io);
	io.lba = 40;
	count(&sum, &dev, io); /* back */
	count(&sum, &dev, (struct pattern_io){ .bytes = 16 }); /* deallocate */
	count(&sum, &dev, (struct pattern_io){ .bytes = 4096, .write = true }); /* zone append */
	assert_int_equal(sum.count, 7);
	assert_int_equal(sum.reads, 2);
	assert_int_equal(sum.writes, 4);
	assert_int_equal(sum.others, 1);
	assert_int_equal(sum.bytes, 6 * 4096 + 16);
	assert_int_equal(sum.read_bytes, 2 * 4096);
	assert_int_equal(sum.write_bytes, 4 * 4096);
	assert_int_equal(sum.sequential, 1);
	assert_int_equal(sum.random, 3);
	assert_int_equal(sum.placed, 5);
	assert_int_equal(sum.seeks[0], 2);
	assert_int_equal(sum.seeks[pattern_slot(1000ULL * 512)], 2);
	assert_int_equal(sum.sizes[pattern_slot(4096)], 6);
	pattern_device_free(&dev);
}

TEST(slots)
{
	for (u32 i = 0; i < 64; i++) {
		assert_int_equal(pattern_slot(1ULL << i), i + 1);
		assert_int_equal(pattern_slot((1ULL << i) + ((1ULL << i) - 1)), i + 1);
		assert_true(pattern_slot_lo(i + 1) == 1ULL << i);
	}
	assert_int_equal(pattern_slot(0), 0);
	assert_int_equal(pattern_slot(~0ULL), PATTERN_SEEKS - 1);
	assert_int_equal(pattern_slot(~0U), PATTERN_SIZES - 1);
}
