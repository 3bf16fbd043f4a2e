// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The kernel's types on the way from a bio to the file whose data it moves: see bpf/file_walk.h. */
#ifndef NVT_FILE_KERN_H
#define NVT_FILE_KERN_H

#include "bpf/kern.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	unsigned int s_dev;
};

struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	u64 i_ino;
	u32 i_generation;
	void *i_private;
};

struct rb_node {
	u64 __rb_parent_color;
	void *rb_right;
	void *rb_left;
};

struct rb_root {
	void *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
};

struct page {
	struct address_space *mapping;
	u64 compound_head;
};

struct page___new {
	u64 compound_info; /* 7.1 */
};

struct bio_vec {
	struct page *bv_page;
};

struct bio___walk {
	struct bio___walk *bi_next;
	void *bi_end_io;
	struct bio_vec *bi_io_vec;
};

/* Direct I/O. */

struct file {
	void *f_inode;
};

struct kiocb {
	void *ki_complete;
	void *ki_filp;
	int ki_flags;
};

struct blkdev_dio {
	void *iocb; /* or the task that waits */
	unsigned int flags; /* 5.16 */
	struct bio___walk bio;
};

struct blkdev_dio___old {
	_Bool is_sync : 1;
};

struct iomap_dio {
	void *iocb;
	_Bool wait_for_completion;
	struct {
		void *waiter;
	} submit;
};

#pragma clang attribute pop

#endif
