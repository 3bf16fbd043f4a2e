// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes of files that a process has mapped: notes and operands of any shape. The input lacks the
 * four bytes of the magic.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/usdt/args.h"
#include "lib/usdt/notes.h"
#include "tests/fuzz/feed.h"

static int find(const void *ctx, const char *name, u64 *address)
{
	return usdt_symbol(ctx, name, address);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u8 magic[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 };
	const char *why[USDT_ARGS];
	struct usdt_spec spec;
	struct usdt_file f;
	char path[FEED_PATH];
	u8 *file = malloc(size + 4);
	bool pre;
	int fd;

	if (!file)
		abort();
	memcpy(file, magic, sizeof(magic));
	memcpy(file + 4, data, size);
	fd = feed_file(file, size + 4, path);
	if (!usdt_notes_read(&f, fd)) {
		const struct usdt_names names = { .find = find, .ctx = &f };

		for (u32 i = 0; i < f.n_probes; i++)
			usdt_args(&spec, f.probe[i].args, &names, why);
		usdt_version(&f, &pre);
	}
	usdt_notes_free(&f);
	close(fd);
	free(file);
	return 0;
}
