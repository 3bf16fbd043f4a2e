// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of data of an object that is not loaded yet. */
#ifndef NVT_LOADER_SECTION_H
#define NVT_LOADER_SECTION_H

#include "lib/base/types.h"

struct bpf_object;

/* Returns the data of section @name, which has @size bytes, to be filled in; NULL after a message. */
void *section_of_object(struct bpf_object *object, const char *name, size_t size);

#endif
