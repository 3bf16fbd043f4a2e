// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of files that a process has mapped: ELF of any shape. The input lacks the four bytes of
 * the magic.
 */
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/symbols/elfsyms.h"
#include "tests/fuzz/feed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u64 offsets[] = { 0, 0x40, 0x1000, 0x1234, ~0ULL };
	char path[FEED_PATH], text[256];
	struct elfsyms e;
	struct sym sym;
	int fd;

	fd = feed_elf(data, size, path);
	if (!elfsyms_read(&e, fd)) {
		for (u32 i = 0; i < ARRAY_SIZE(offsets); i++)
			if (elfsyms_find(&e, offsets[i], &sym))
				symtab_format(text, sizeof(text), offsets[i], &sym, true);
	}
	elfsyms_free(&e);
	close(fd);
	return 0;
}
