// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * From a bio to the file whose data it moves. The function that the kernel calls at the bio's end
 * decides: it tells what bi_private is, and whether the pages are the page cache's. Those of direct
 * I/O are a process's memory, and may be another file's.
 *
 * Whoever includes this defines word(), which reads eight bytes of the kernel.
 */
#ifndef NVT_FILE_WALK_H
#define NVT_FILE_WALK_H

#include "bpf/file_kern.h"
#include "bpf/shared/file.h"

const volatile struct file_cfg file_cfg SEC(".rodata.files");

#define LEVELS_MAX   24 /* bios from a request's to the one submitted: splits, dm, md, writeback */
#define CHAINED_ON   1 /* in place of a function: see file_whole_bio() */
#define PAGE_TAIL    1 /* in page.compound_head: the rest leads to the first page */
#define PAGE_MASK    0xffffffff00000000 /* no page's address, but such a mask (7.1) */
#define MAPPING_BITS 3 /* of page.mapping: set where that is none of a file */
#define MODE_FMT     0170000 /* S_IFMT */
#define MODE_BLOCK   0060000 /* S_IFBLK */
#define DIO_IS_SYNC  2 /* of blkdev_dio.flags, block/fops.c */

/*
 * Where member @m lies, and whether this kernel has it. A structure is named by its first member:
 * that has the same size on every kernel.
 */
#define FIELD(type, m, what) __builtin_preserve_field_info(((type *)0)->m, BPF_FIELD_##what)
#define OFFSET(type, m)	     FIELD(type, m, BYTE_OFFSET)
#define EXISTS(type, m)	     FIELD(type, m, EXISTS)
#define BITS(type, m)	     (~0ULL >> (64 - 8 * sizeof(__typeof__(((type *)0)->m))))

/* Member @m of the structure at @addr, a number or a pointer. */
#define READ(addr, type, m) (word(cast, (addr) + OFFSET(type, m)) & BITS(type, m))

static __always_inline u64 word(bool cast, u64 addr);

static __always_inline bool file_ends(u64 end, enum file_function function)
{
	return end == file_cfg.function[function];
}

static __always_inline u64 file_follow(bool cast, const volatile struct file_step *step, u64 bio,
				       u64 private)
{
	u64 at = step->inside ? bio - step->inside : private;

	if (step->unless && word(cast, at + step->unless))
		return 0;
	if (step->hops > 0)
		at = word(cast, at + step->at[0]);
	if (step->hops > 1)
		at = word(cast, at + step->at[1]);
	return at;
}

/* The bio that @bio, which has these members, was made for; 0: for itself, or it is not known. */
static __always_inline u64 file_made_for(bool cast, u64 bio, u64 end, u64 private)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < FILE_STEPS && i < file_cfg.steps; i++) {
		if (end == file_cfg.step[i].end)
			return file_follow(cast, &file_cfg.step[i], bio, private);
	}
	return 0;
}

/*
 * The bio that was submitted, of which @bio is a part. *@end and *@private are members of @bio, and
 * then of the one returned. Before Linux 6.8 writeback by iomap (XFS) chains a full bio to the next
 * one and submits it; that one has no end function yet: then *@end is CHAINED_ON. Nobody else chains
 * to a bio without one.
 */
static __always_inline u64 file_whole_bio(bool cast, u64 bio, u64 *end, u64 *private)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < LEVELS_MAX; i++) {
		u64 whole = file_made_for(cast, bio, *end, *private), whole_end;

		if (!whole)
			break;
		whole_end = READ(whole, struct bio___walk, bi_end_io);
		if (!whole_end) {
			*end = whole == *private ? CHAINED_ON : 0;
			break;
		}
		bio = whole;
		*end = whole_end;
		*private = READ(bio, struct bio, bi_private);
	}
	return bio;
}

static __always_inline u64 file_first_page(bool cast, u64 page)
{
	u64 info = 0;

	if (EXISTS(struct page, compound_head))
		info = READ(page, struct page, compound_head);
	else if (EXISTS(struct page___new, compound_info))
		info = READ(page, struct page___new, compound_info);
	if (!(info & PAGE_TAIL))
		return page;
	info &= ~(u64)PAGE_TAIL;
	return info < PAGE_MASK ? info : page & info;
}

/* The inode whose page @bio moves, a bio of the page cache; 0: none. */
static __always_inline u64 file_of_pages(bool cast, u64 bio)
{
	u64 page = READ(READ(bio, struct bio___walk, bi_io_vec), struct bio_vec, bv_page);
	u64 mapping, inode;

	if (!EXISTS(struct page, mapping) || !page)
		return 0;
	mapping = READ(file_first_page(cast, page), struct page, mapping);
	if (!mapping || mapping & MAPPING_BITS)
		return 0;
	inode = READ(mapping, struct address_space, host);
	return inode && READ(inode, struct inode, i_mapping) == mapping ? inode : 0;
}

/* Whether a task waits for the direct I/O of a block device, and @dio names that in place of the kiocb. */
static __always_inline bool file_dio_waits(bool cast, u64 dio)
{
	if (EXISTS(struct blkdev_dio, flags))
		return READ(dio, struct blkdev_dio, flags) & DIO_IS_SYNC;
	return word(cast, dio + OFFSET(struct blkdev_dio___old, is_sync))
		       << FIELD(struct blkdev_dio___old, is_sync, LSHIFT_U64) >>
	       FIELD(struct blkdev_dio___old, is_sync, RSHIFT_U64);
}

/* The kiocb of the direct I/O whose bio ends by @end; 0: it is none, or has none that is known. */
static __always_inline u64 file_kiocb(bool cast, u64 bio, u64 end, u64 private)
{
	if (file_ends(end, FILE_IOMAP))
		return EXISTS(struct iomap_dio, iocb) ? READ(private, struct iomap_dio, iocb) : 0;
	if (!EXISTS(struct blkdev_dio, iocb))
		return 0;
	if (file_ends(end, FILE_BDEV))
		return file_dio_waits(cast, private) ? 0 : READ(private, struct blkdev_dio, iocb);
	if (file_ends(end, FILE_BDEV_ASYNC))
		return READ(bio - OFFSET(struct blkdev_dio, bio.bi_next), struct blkdev_dio, iocb);
	return 0;
}

/* Whether bios that end by @end move pages of the page cache. */
static __noinline bool file_is_cached(u64 end)
{
#pragma clang loop unroll(full)
	for (u32 i = FILE_CACHED; i < FILE_FUNCTIONS && file_cfg.function[i]; i++) {
		if (file_ends(end, i))
			return true;
	}
	return false;
}

/* The address of the inode whose data moves with @bio, which ends by @end; 0: not proven. */
static __always_inline u64 file_inode(bool cast, u64 bio, u64 end, u64 private)
{
	u64 kiocb;

	if (!end)
		return 0;
	kiocb = file_kiocb(cast, bio, end, private);
	if (kiocb)
		return READ(READ(kiocb, struct kiocb, ki_filp), struct file, f_inode);
	return end == CHAINED_ON || file_is_cached(end) ? file_of_pages(cast, bio) : 0;
}

static __always_inline void file_identify(bool cast, u64 inode, struct file_id *id)
{
	if ((READ(inode, struct inode, i_mode) & MODE_FMT) == MODE_BLOCK) {
		*id = (struct file_id){ .ino_dev = READ(inode, struct inode, i_rdev) };
		return;
	}
	id->ino = READ(inode, struct inode, i_ino);
	id->ino_gen = READ(inode, struct inode, i_generation);
	id->ino_dev = READ(READ(inode, struct inode, i_sb), struct super_block, s_dev);
}

#endif
