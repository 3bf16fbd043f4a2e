// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvmetool with the object in the file that NVMETOOL_OBJECT names, in place of its own (ld --wrap).
 * For programs that overlook something on purpose: see t/blind.sh.
 */
#include <errno.h>
#include <stdlib.h>

#include "embed/embed.h"
#include "tests/vm/object.h"

int __wrap_embed_bpf(const char *name, void **object, size_t *size);

int __wrap_embed_bpf(const char *name, void **object, size_t *size)
{
	const char *file = getenv("NVMETOOL_OBJECT");

	(void)name;
	return file ? object_read(file, object, size) : -ENOENT;
}
