// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What libbpf asks BTF for, answered from what has been read already (lib/btf.h). libbpf 1.1 would read all of it once
 * more, load the types of every module of the host, and look for each program's target in vmlinux once for vmlinux and
 * once for each module. Nor does it take another place for /sys/kernel/btf, which a container may not have, for
 * programs of BTF; and it gives up where it may not list the modules. So the linker puts our functions in place of two
 * of its own (--wrap, lib/deps/deps.mk), and the sections of programs that are attached by BTF are ours.
 */
#include "lib/live_btf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/btf.h"
#include "lib/str.h"

/* libbpf's functions take no argument of ours: settings of the process, as libbpf's own are. */
static const char *btf_dir;
static struct btf *btf_types;
static const struct btf_facts *btf_facts;
/* The module whose BTF was asked for last; programs of one module follow each other. */
static const char *module_name;
static int module_fd = -1;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__real_btf__load_vmlinux_btf(void) __attribute__((weak)); /* no --wrap in unit tests */
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next);
int __real_bpf_btf_get_next_id(u32 id, u32 *next) __attribute__((weak));

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	struct btf *types = btf_types;
	char path[PATH_MAX];

	btf_types = NULL;
	if (types)
		return types;
	if (!btf_dir)
		return __real_btf__load_vmlinux_btf();
	snprintf(path, sizeof(path), "%s/vmlinux", btf_dir);
	return btf__parse(path, NULL);
}

/* libbpf goes through the modules for types that vmlinux has not: nothing of ours is there. */
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next)
{
	(void)id;
	(void)next;
	errno = ENOENT;
	return -ENOENT;
}

/* Opens BTF @id if it is that of @module. -ENOENT: it is not. */
static int open_if(u32 id, const char *module)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
	u32 size = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);

	if (fd < 0)
		return fd;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.kernel_btf && streq(name, module))
		return fd;
	close(fd);
	return -ENOENT;
}

/* A descriptor of the module's BTF, 0 for that of vmlinux, or -errno. It stays ours. */
static int open_module(const char *module)
{
	u32 id = 0;
	int fd = -ENOENT;

	if (!module)
		return 0;
	if (module_name && streq(module, module_name))
		return module_fd;
	while (fd == -ENOENT && !__real_bpf_btf_get_next_id(id, &id))
		fd = open_if(id, module);
	if (fd < 0)
		return fd;
	live_btf_close();
	module_name = module;
	module_fd = fd;
	return fd;
}

/* Names the target of a program, "tp_btf/nvme_sq". */
static int name_target(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *name = strchr(bpf_program__section_name(prog), '/') + 1;
	u32 trace = 0;
	int fd;

	(void)cookie;
	while (trace < BTF_TRACE_MAX && !streq(btf_trace_name(trace), name))
		trace++;
	if (!btf_facts || trace == BTF_TRACE_MAX || !btf_facts->id[trace])
		return -ESRCH;
	fd = open_module(btf_facts->module[trace]);
	if (fd < 0)
		return fd;
	opts->attach_btf_id = btf_facts->id[trace];
	opts->attach_btf_obj_fd = fd;
	return 0;
}

static int attach_target(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

/* 0 or -errno. */
static int take_sections(void)
{
	static const struct {
		const char *name;
		enum bpf_attach_type type;
	} sections[] = {
		{ "tp_btf+", BPF_TRACE_RAW_TP },
		{ "fentry+", BPF_TRACE_FENTRY },
		{ "fexit+", BPF_TRACE_FEXIT },
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = name_target,
		    .prog_attach_fn = attach_target);
	int err = 0;

	for (u32 i = 0; err >= 0 && i < ARRAY_SIZE(sections); i++)
		err = libbpf_register_prog_handler(sections[i].name, BPF_PROG_TYPE_TRACING,
						   sections[i].type, &opts);
	return err < 0 ? err : 0;
}

int live_btf_set(const char *dir, struct btf *types, const struct btf_facts *facts)
{
	static bool taken;

	btf__free(btf_types);
	btf_dir = dir;
	btf_types = types;
	btf_facts = facts;
	if (taken)
		return 0;
	taken = true;
	return take_sections();
}

void live_btf_close(void)
{
	if (module_fd >= 0)
		close(module_fd);
	module_fd = -1;
	module_name = NULL;
}
