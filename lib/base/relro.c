// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/base/relro.h"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first call is for the program itself, and ends the walk. */
static int protect(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + header->p_vaddr;
		uintptr_t to = (from + header->p_memsz) & -page;

		from &= -page;
		if (header->p_type == PT_GNU_RELRO)
			// NOLINTNEXTLINE(performance-no-int-to-ptr): that is how headers say where
			mprotect((void *)from, to - from, PROT_READ);
	}
	return 1;
}

void relro_protect(void)
{
	dl_iterate_phdr(protect, NULL);
}
