// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays that grow. */
#ifndef NVT_BASE_ARRAY_H
#define NVT_BASE_ARRAY_H

#include "lib/base/types.h"

/*
 * Makes room in *@array, which has room for *@room elements of @size bytes, for one more behind the
 * first @n. The caller frees it. False: there is no memory, and all stays as it was.
 */
bool array_grow(void **array, u32 n, u32 *room, size_t size);

/* The same, and counts that element in *@n: returns it, zeroed, or NULL. */
void *array_add(void **array, u32 *n, u32 *room, size_t size);

#endif
