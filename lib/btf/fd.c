// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over the BTF that the kernel has loaded, by id. vmlinux usually comes first. */
#include "lib/btf/fd.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "lib/base/str.h"

/*
 * The kernel's own answer. lib/loader/btf.c wraps bpf_btf_get_next_id(), so that libbpf gets ours.
 * The reference is weak because unit tests are linked without the wrapper.
 */
int __real_bpf_btf_get_next_id(u32 id, u32 *next) __attribute__((weak));

static int next_btf(u32 id, u32 *next)
{
	return __real_bpf_btf_get_next_id ? __real_bpf_btf_get_next_id(id, next)
					  : bpf_btf_get_next_id(id, next);
}

/* Opens BTF @id if its name is @name; -ENOENT if not. */
static int open_if(u32 id, const char *name)
{
	char its[64] = "";
	struct bpf_btf_info info = { .name = (uintptr_t)its, .name_len = sizeof(its) };
	u32 size = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);

	if (fd < 0)
		return fd;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.kernel_btf && streq(its, name))
		return fd;
	close(fd);
	return -ENOENT;
}

int btf_fd_of(const char *name)
{
	u32 id = 0;
	int fd = -ENOENT, err = 0;

	while (fd == -ENOENT && !err) {
		err = next_btf(id, &id);
		if (!err)
			fd = open_if(id, name);
	}
	return err && fd == -ENOENT ? err : fd;
}
