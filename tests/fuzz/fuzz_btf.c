// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --btf DIR: any bytes as the BTF of the kernel and of its driver, and what a program is relocated
 * by then.
 */
#include <bpf/btf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/btf/features.h"
#include "lib/btf/subset.h"
#include "lib/btf/btf_types.h"
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

/* The types of a program that names structures of the driver. */
static struct btf *make_local(void)
{
	struct btf *local = btf__new_empty();

	if (!local || btf__add_struct(local, "nvme_request", 0) < 0 ||
	    btf__add_struct(local, "nvme_ctrl___old", 0) < 0 ||
	    btf__add_enum(local, "kernel_type", 4) < 0 ||
	    btf__add_enum_value(local, "KERNEL_TYPE_nvme_ctrl", 0) < 0)
		abort();
	return local;
}

static void cut(struct btf_types *types)
{
	static struct btf *local;

	if (!local)
		local = make_local();
	btf__free(btf_subset(types, local));
	btf_types_free(types);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static bool ready;
	struct kernel_features features;
	struct btf_types types;
	char path[FEED_PATH];
	int fd;

	if (!ready && (!mkdtemp(dir) || atexit(remove_dir)))
		abort();
	ready = true;
	fd = feed_file(data, size, path);
	link_to("vmlinux", path);
	link_to("nvme_core", path);
	if (!features_read(&features, dir, &types))
		cut(&types);
	close(fd);
	return 0;
}
