// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/base/array.h"

#include <stdlib.h>
#include <string.h>

bool array_grow(void **array, u32 n, u32 *room, size_t size)
{
	u32 more = *room ? 2 * *room : 64;
	void *bigger;

	if (n < *room)
		return true;
	bigger = reallocarray(*array, more, size);
	if (!bigger)
		return false;
	*array = bigger;
	*room = more;
	return true;
}

void *array_add(void **array, u32 *n, u32 *room, size_t size)
{
	if (!array_grow(array, *n, room, size))
		return NULL;
	return memset((char *)*array + (size_t)(*n)++ * size, 0, size);
}
