// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the files of recordings safely. */
#ifndef NVT_RECORD_FILE_H
#define NVT_RECORD_FILE_H

struct sink;

/* Like sink_open(), for data that is no text: "-" is stdout, unless that is a terminal. */
int record_file_create(struct sink *s, const char *file);

/*
 * Opens @file for reading. "-" is stdin; anything else must be a regular file, so that opening
 * never waits. Returns a descriptor, or EXIT_AS(EXIT_NOTHING) after a message.
 */
int record_file_open(const char *file);

#endif
