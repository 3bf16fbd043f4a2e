// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the fuzz targets: bytes as a file, bytes as words, a command line run as main() would.
 */
#ifndef NVT_FUZZ_FEED_H
#define NVT_FUZZ_FEED_H

#include "lib/cli/cmd.h"

/* The entry of every target; libFuzzer or tests/fuzz/corpus.c calls it. Always 0. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define FEED_PATH 32

/*
 * A file in memory that holds @data; its path goes to @path. The descriptor, to be closed; ends on
 * failure.
 */
int feed_file(const void *data, size_t size, char path[FEED_PATH]);

/* The same of an ELF file, whose first four bytes, the magic, @data lacks. */
int feed_elf(const u8 *data, size_t size, char path[FEED_PATH]);

#define FEED_WORDS 24

/* NUL-terminated copies of the lines of @data behind @first, then NULL; feed_free() frees them. */
struct feed_words {
	char *text;
	char *word[FEED_WORDS + 1];
	int n;
};
void feed_words(struct feed_words *w, const char *first, const u8 *data, size_t size);
void feed_free(struct feed_words *w);

/*
 * Parses argv[1..] for @cmd and checks what the options say together; with @run the session runs
 * too.
 */
int feed_command(const struct cmd *cmd, int argc, char **argv, bool run);

#endif
