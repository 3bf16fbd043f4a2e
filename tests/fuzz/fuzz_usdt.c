// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes of files that a process has mapped: notes and operands of any shape. The input lacks the
 * four bytes of the magic.
 */
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
	const char *why[USDT_ARGS];
	struct usdt_spec spec;
	struct usdt_file f;
	char path[FEED_PATH];
	bool pre;
	int fd;

	fd = feed_elf(data, size, path);
	if (!usdt_notes_read(&f, fd)) {
		const struct usdt_names names = { .find = find, .ctx = &f };

		for (u32 i = 0; i < f.n_probes; i++)
			usdt_args(&spec, f.probe[i].args, &names, why);
		usdt_version(&f, &pre);
	}
	usdt_notes_free(&f);
	close(fd);
	return 0;
}
