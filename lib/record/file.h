// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the files of recordings safely. */
#ifndef NVT_RECORD_FILE_H
#define NVT_RECORD_FILE_H

struct sink;

/* sink_open() for what is no text: "-" is stdout, unless that is a terminal. */
int record_file_create(struct sink *s, const char *file);

/*
 * Opens @file for reading, "-" is stdin; anything but a regular file is refused there and never
 * waited for. A descriptor, or EXIT_AS(EXIT_NOTHING) after a message.
 */
int record_file_open(const char *file);

#endif
