// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that others read while it is replaced again and again: each time as a whole, written aside
 * in the same directory and then renamed.
 */
#ifndef NVT_METRICS_FILE_H
#define NVT_METRICS_FILE_H

#include "lib/base/types.h"

struct metrics_file {
	const char *path; /* as named */
	const char *name; /* in the directory */
	char *aside; /* the name of the new one */
	int dir_fd; /* -1: not open */
};

/* Opens the directory of @path, which must outlive @f. 0 or EXIT_AS(...)/-errno after a message. */
int metrics_file_open(struct metrics_file *f, const char *path);

/* Replaces the file by the @size bytes at @data, readable by all. 0 or -errno after a message. */
int metrics_file_write(struct metrics_file *f, const char *data, size_t size);

/* Zeroes but for dir_fd -1 are allowed. */
void metrics_file_close(struct metrics_file *f);

#endif
