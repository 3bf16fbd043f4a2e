// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories for one test, filled with small files. */
#ifndef NVT_TEST_SCRATCH_H
#define NVT_TEST_SCRATCH_H

#include <stddef.h>

struct btf;
struct btf_types;

/*
 * Makes a directory below /tmp; ends the test program when that fails. To be freed by
 * scratch_remove().
 */
char *scratch_make(void);

/* Removes it with all that is in it. 0 or -1. */
int scratch_remove(char *root);

/* For TEST_WITH(): *state is such a directory. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The content of file @path, with a NUL behind it; to be freed. @size: its bytes, unless NULL. */
char *scratch_read(const char *path, size_t *size);

/* Writes @text to ROOT/DIR/NAME, making the directories; NAME NULL makes these alone. */
void scratch_put(const char *root, const char *dir, const char *name, const char *text);

/* Writes the @n bytes at @data to ROOT/NAME. */
void scratch_put_bytes(const char *root, const char *name, const void *data, size_t n);

/* Writes @btf to ROOT/NAME as the kernel shows it. */
void scratch_put_btf(const char *root, const char *name, const struct btf *btf);

/* btf_types_read() of ROOT/NAME. */
int scratch_read_types(const char *root, const char *name, struct btf_types *types,
		       const struct btf_types *base);

#endif
