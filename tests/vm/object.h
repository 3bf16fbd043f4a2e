// SPDX-License-Identifier: GPL-2.0-or-later
/* A BPF object that a test made, in place of one that the binary carries. */
#ifndef NVT_TESTS_VM_OBJECT_H
#define NVT_TESTS_VM_OBJECT_H

#include <stddef.h>

/* Reads @file; *object is the caller's to free. 0 or -errno. */
int object_read(const char *file, void **object, size_t *size);

#endif
