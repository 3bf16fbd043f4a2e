// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths of files by inode, generation and device number, which the kernel has without a name. The
 * file system is asked by handle, open_by_handle_at(2), which needs CAP_DAC_READ_SEARCH and a mount
 * of the whole file system in our own mount namespace. Elsewhere the open files of a process that
 * has I/O on the file are looked through. Either way the generation has to be the file's: its number
 * alone may belong to another file by now. So where a file system has handles of a form of its own
 * (exFAT, UDF), or none, no path is found.
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
	u32 round; /* of open_files_renew() */
	struct {
		u32 dev, round; /* the round in which it was looked up, plus 1 */
		bool whole;
		char path[256];
	} mount; /* of the last file */
};

/* From now on each file is looked at anew when it is asked for: it may have been renamed or deleted. */
void open_files_renew(struct open_files *f);

/*
 * Process @pid (0: not known) has I/O on a file, which is looked for unless it was found, or looked
 * for since open_files_renew(). So the file system is asked while it has the file at hand. Without
 * privileges, nothing is found.
 */
void open_files_learn(struct open_files *f, const struct file_id *id, u32 pid);

/*
 * Returns the path of a file as it is now, with " (deleted)" behind that of a deleted one, or
 * "/dev/NAME" of a block device, inode 0; NULL: not known. Where nobody can be asked any more, it is
 * the path that the file had when it was found the last time. It is valid until open_files_renew().
 */
const char *open_files_path(struct open_files *f, const struct file_id *id);

/* Where the file system with this number is mounted in our own mount namespace; else "". */
void open_files_mount(u32 dev, char *buf, size_t size);

void open_files_free(struct open_files *f);

#endif
