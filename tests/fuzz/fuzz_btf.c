// SPDX-License-Identifier: GPL-2.0-or-later
/* --btf DIR: any bytes as the BTF of the kernel and as that of its driver. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/btf.h"
#include "lib/str.h"
#include "tests/fuzz/feed.h"

static char dir[] = "/tmp/nvmetool-fuzz-XXXXXX";

static void in_dir(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static void remove_dir(void)
{
	char path[64];

	in_dir(path, sizeof(path), "vmlinux");
	unlink(path);
	in_dir(path, sizeof(path), "nvme_core");
	unlink(path);
	rmdir(dir);
}

/* Makes DIR/NAME lead to @target. */
static void link_to(const char *name, const char *target)
{
	char path[64];

	in_dir(path, sizeof(path), name);
	unlink(path);
	if (symlink(target, path))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static bool ready;
	struct btf_facts facts;
	char path[FEED_PATH];
	int fd;

	if (!ready && (!mkdtemp(dir) || atexit(remove_dir)))
		abort();
	ready = true;
	fd = feed_file(data, size, path);
	link_to("vmlinux", path);
	link_to("nvme_core", path);
	btf_facts_read(&facts, dir, NULL);
	close(fd);
	return 0;
}
