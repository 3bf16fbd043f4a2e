// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths of files by inode and device number, which the kernel has without a name: looked for among
 * the open files of a process that has I/O on them.
 */
#ifndef NVT_HOST_OPEN_FILES_H
#define NVT_HOST_OPEN_FILES_H

#include "bpf/shared/file.h"
#include "lib/base/hash.h"

/* Zero-initialise, open_files_free(). */
struct open_files {
	struct open_file *file;
	u32 n, room;
	struct hash_index index; /* of `file` */
};

/*
 * Looks for the file among those that process id->pid has open, unless its path is known, or it was
 * looked for there the last time. No file system is asked for what it does not know at hand, so a
 * silent server holds up nothing. Without privileges for the process, nothing is found.
 */
void open_files_learn(struct open_files *f, const struct file_id *id);

/*
 * Returns the path of a file as the process has it, which may end in " (deleted)", or "/dev/NAME" of
 * a block device, inode 0; NULL: not known. The path is valid until open_files_free().
 */
const char *open_files_path(struct open_files *f, u32 dev, u64 ino);

/* Where the file system with this number is mounted in our own mount namespace; else "". */
void open_files_mount(u32 dev, char *buf, size_t size);

void open_files_free(struct open_files *f);

#endif
