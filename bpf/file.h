// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The file of a request, NEED_FILE. At setup its bios are held, and their pages locked or under
 * writeback, so nothing that is followed goes away. Pages are reached by types, which costs least.
 * What lies behind bi_private has none: each step is a checked load, before Linux 6.2 a helper call.
 */
#ifndef NVT_FILE_H
#define NVT_FILE_H

#include "bpf/rq.h"

#if PROG_FILES

/*
 * This and others below are global functions: the verifier follows them once, not at each call, and
 * what they take and return are numbers.
 */
__noinline u64 file_word(u64 addr)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): what is read is a number */
	return kernel_word((void *)addr);
}

static __always_inline u64 word(bool cast, u64 addr)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): what is read is a number */
	return cfg.rdonly_cast ? cast_word((void *)addr) : file_word(addr);
}

#include "bpf/file_walk.h"

#define FILE_MERGED 128 /* bios of a request that are looked at: a drive takes no more segments */

struct file_hint file_hints[FILE_HINTS] SEC(".bss.files");

/* The address of the inode whose data moves with @bio, which has these members; 0: not proven. */
__noinline u64 file_find(u64 bio, u64 end, u64 private)
{
	const bool cast = false;

	bio = file_whole_bio(cast, bio, &end, &private);
	return file_inode(cast, bio, end, private);
}

static __always_inline u64 file_of_bio(u64 bio)
{
	const bool cast = false;

	return file_find(bio, READ(bio, struct bio___walk, bi_end_io),
			 READ(bio, struct bio, bi_private));
}

/* Whether the bios behind @bio in its request are of the file with @inode as well. */
__noinline int file_is_all(u64 bio, u64 inode)
{
	const bool cast = false;

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < FILE_MERGED; i++) {
		bio = READ(bio, struct bio___walk, bi_next);
		if (!bio)
			return true;
		if (file_of_bio(bio) != inode)
			return false;
	}
	return false;
}

/*
 * A pointer as a number, by way of the slot: the verifier hands no pointer to a global function in
 * place of one.
 */
static __always_inline u64 file_number(struct command_slot *f, const void *ptr)
{
	volatile u64 *number = &f->file.ino;

	*number = (u64)ptr;
	return *number;
}

/*
 * In programs with types: notes the file whose page @bio moves. False: look by words. A page that is
 * not the first of its folio has no mapping that an inode has.
 */
static __always_inline bool file_typed(struct command_slot *f, const struct bio___walk *bio)
{
	struct address_space *mapping;
	struct inode *inode;

	if (!EXISTS(struct page, mapping) || file_ends((u64)bio->bi_end_io, FILE_IOMAP) ||
	    !file_is_cached((u64)bio->bi_end_io))
		return false;
	mapping = bio->bi_io_vec->bv_page->mapping;
	inode = mapping->host;
	if (inode->i_mapping != mapping)
		return false;
	if (bio->bi_next && !file_is_all(file_number(f, bio), file_number(f, inode))) {
		f->file = (struct file_id){ 0 };
		return true;
	}
	if ((inode->i_mode & MODE_FMT) == MODE_BLOCK)
		f->file = (struct file_id){ .ino_dev = inode->i_rdev };
	else
		f->file = (struct file_id){ .ino = inode->i_ino,
					    .ino_dev = inode->i_sb->s_dev,
					    .ino_gen = inode->i_generation };
	return true;
}

static __noinline int file_fill(struct command_slot *f, struct bio *bio, bool typed)
{
	const struct bio___walk *walk = (void *)bio;
	u64 number = file_number(f, bio), inode;
	bool alone = false;

	if (typed) {
		if (file_typed(f, walk))
			return 0;
		inode = file_find(number, file_number(f, walk->bi_end_io),
				  file_number(f, bio->bi_private));
		alone = !walk->bi_next;
	} else {
		inode = file_of_bio(number);
	}
	if (inode && (alone || file_is_all(number, inode)))
		file_identify(false, inode, &f->file);
	else
		f->file = (struct file_id){ 0 };
	return 0;
}

/* Tells user space who has the file open, as long as the process is there. */
static __always_inline void file_hint(const struct command_slot *f)
{
	const struct file_id *id = &f->file;
	u64 hash = id->ino ^ id->dev_gen ^ id->dev_gen >> 32;
	struct file_hint *hint = &file_hints[hash & (FILE_HINTS - 1)];

	if (file_same(&hint->id, id) && hint->pid == f->sub.pid)
		return;
	hint->id = *id;
	hint->pid = f->sub.pid;
}

/* Fills in the file of @rq, whose submitter is known. */
static __always_inline void file_setup(struct command_slot *f, const struct rq *rq)
{
	struct bio *bio = RQ_RARELY(rq, bio);

	if (bio)
		file_fill(f, bio, rq->typed);
	else
		f->file = (struct file_id){ 0 };
	if (f->file.ino)
		file_hint(f);
}

#else
static __always_inline void file_setup(struct command_slot *f, const struct rq *rq)
{
}
#endif

#endif
