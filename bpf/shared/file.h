// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The file whose data a command moves, as programs tell it: by inode and device. lib/loader/file_functions.c
 * fills in the functions, lib/session/session_files.c finds the path.
 */
#ifndef NVT_SHARED_FILE_H
#define NVT_SHARED_FILE_H

#include "bpf/shared/wire.h"

/*
 * Functions whose address in a bio proves what hangs on it. An address of 0 matches nothing: the
 * kernel has no such function, or hides its addresses.
 */
enum file_function {
	FILE_IOMAP, /* direct I/O of a file */
	FILE_BDEV, /* direct I/O of a block device */
	FILE_BDEV_ASYNC,
	FILE_CACHED, /* from here on: reads into the page cache, and writes from it; up to the first 0 */
	FILE_FUNCTIONS = FILE_CACHED + 16
};

/*
 * The way from a bio that the block layer, dm or md made to the bio that it was made for. It begins
 * at what bi_private points to, or at the structure that the bio lies in, and follows pointers.
 */
struct file_step {
	u64 end; /* the function at the end of such a bio */
	u16 known; /* this kernel has the structures */
	u16 inside; /* where in the structure the bio lies; 0: bi_private points to that */
	u16 hops; /* pointers to follow, up to two; the last one is to the bio */
	u16 at[2]; /* where they lie, each from the one before */
	u16 unless; /* offset of a pointer that has to be NULL; 0: nothing has to be */
	u32 pad;
};
WIRE_SIZE(struct file_step, 24);

#define FILE_STEPS 9

/* Set before load. */
struct file_cfg {
	u64 function[FILE_FUNCTIONS];
	u64 steps;
	struct file_step step[FILE_STEPS];
};
WIRE_SIZE(struct file_cfg, 8 * FILE_FUNCTIONS + 8 + 24 * FILE_STEPS);

/*
 * A file: the inode, its generation, and the device number of its file system as the kernel counts
 * them: major << 20 | minor. File systems use the number of a deleted file again at once; then the
 * generation is another one. It is 0 where the file system has none. A block device, whose page
 * cache has the metadata of file systems, is inode 0 of its own number. All 0: not proven.
 */
struct file_id {
	u64 ino;
	union {
		struct {
			u32 ino_dev, ino_gen;
		};
		u64 dev_gen; /* both, to be compared at once */
	};
};
WIRE_SIZE(struct file_id, 16);

/* The file of @ev. */
static inline struct file_id event_file(const struct event *ev)
{
	return (struct file_id){ .ino = ev->ino, .ino_dev = ev->ino_dev, .ino_gen = ev->ino_gen };
}

static inline _Bool file_same(const struct file_id *a, const struct file_id *b)
{
	return a->ino == b->ino && a->dev_gen == b->dev_gen;
}

/* In .bss.files: a file that a command was of, and a process that submitted it. */
struct file_hint {
	struct file_id id;
	u32 pid, pad;
};
WIRE_SIZE(struct file_hint, 24);

#define FILE_HINTS                                                                                 \
	512 /* entries of .bss.files: files that commands were of, by a hash; a power of two */

#endif
