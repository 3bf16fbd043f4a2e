// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of files that a process has mapped: ELF of any shape. The input lacks the four bytes of
 * the magic.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/symbols/elfsyms.h"
#include "tests/fuzz/feed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u8 magic[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 };
	static const u64 offsets[] = { 0, 0x40, 0x1000, 0x1234, ~0ULL };
	char path[FEED_PATH], text[256];
	u8 *file = malloc(size + 4);
	struct elfsyms e;
	struct sym sym;
	int fd;

	if (!file)
		abort();
	memcpy(file, magic, sizeof(magic));
	memcpy(file + 4, data, size);
	fd = feed_file(file, size + 4, path);
	if (!elfsyms_read(&e, fd)) {
		for (u32 i = 0; i < ARRAY_SIZE(offsets); i++)
			if (elfsyms_find(&e, offsets[i], &sym))
				symtab_format(text, sizeof(text), offsets[i], &sym, true);
	}
	elfsyms_free(&e);
	close(fd);
	free(file);
	return 0;
}
