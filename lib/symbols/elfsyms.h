// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of one ELF file, found by offset in the file, as memory maps name places. */
#ifndef NVT_SYMBOLS_ELFSYMS_H
#define NVT_SYMBOLS_ELFSYMS_H

#include "lib/symbols/symtab.h"

#define ELFSYMS_SEGMENTS 16

struct elfsyms {
	struct symtab table; /* by virtual address */
	struct {
		u64 offset, size, vaddr;
	} segment[ELFSYMS_SEGMENTS]; /* executable ones */
	u32 n_segments;
	u64 bytes; /* bytes that reading it took, of the file and of memory */
};

/*
 * Reads .symtab and .dynsym of the file open at @fd, which may be closed afterwards; a table beyond
 * any program's is left out. 0, -ENOEXEC when it is no ELF file with sections, or -ENOMEM;
 * elfsyms_free() in any case.
 */
int elfsyms_read(struct elfsyms *e, int fd);

/* The function at @offset of the file; false when there is none. */
bool elfsyms_find(const struct elfsyms *e, u64 offset, struct sym *sym);

void elfsyms_free(struct elfsyms *e);

#endif
