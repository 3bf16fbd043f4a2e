// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What libbpf asks BTF for, answered from what has been read already (lib/btf.h). libbpf 1.1 would read all of it once
 * more, load the types of every module of the host, and look for each program's target in vmlinux once for vmlinux and
 * once for each module. Nor does it take another place for /sys/kernel/btf, which a container may not have, for
 * programs of BTF; and it gives up where it may not list the modules. It also goes through all of vmlinux for each
 * structure that programs are relocated by; we give it those alone (lib/btf_cut.h). So the linker puts our functions in
 * place of three of its own (--wrap, lib/deps/deps.mk), and the sections of programs that are attached by BTF are ours.
 */
#include "lib/live_btf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/btf.h"
#include "lib/btf_cut.h"
#include "lib/str.h"

struct live_btf {
	const char *dir; /* NULL: BTF_DIR */
	struct btf *types; /* of vmlinux, until libbpf takes them */
	const struct btf *local; /* of the object that is loaded */
	struct btf *cut; /* for its relocations, until libbpf takes it */
	const struct btf_facts *facts; /* NULL: closed */
	const char *module; /* whose BTF was asked for last, as it will be again */
	int module_fd; /* -1: none */
	u32 sections; /* that are ours already */
	int (*prepare)(struct bpf_program *prog, void *arg); /* or NULL */
	void *prepare_arg;
};

/*
 * libbpf's functions take no argument of ours: a setting of the process, as libbpf's own are. Once made it stays, as
 * the sections do: libbpf 1.1 frees its table twice when the last one is given back.
 */
static struct live_btf *btf_source;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__real_btf__load_vmlinux_btf(void) __attribute__((weak)); /* no --wrap in unit tests */
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext);
struct btf *__real_btf__parse(const char *path, struct btf_ext **ext) __attribute__((weak));
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next);
int __real_bpf_btf_get_next_id(u32 id, u32 *next) __attribute__((weak));

/* What was read already, else what the kernel says. */
static struct btf *vmlinux_types(struct live_btf *l)
{
	struct btf *types = l->types;
	char path[PATH_MAX];

	l->types = NULL;
	if (types)
		return types;
	if (!l->dir)
		return __real_btf__load_vmlinux_btf();
	snprintf(path, sizeof(path), "%s/vmlinux", l->dir);
	return btf__parse(path, NULL);
}

/* libbpf asks for it at each load, before it relocates. */
struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	struct live_btf *l = btf_source;
	struct btf *types;

	if (!l || !l->facts)
		return __real_btf__load_vmlinux_btf();
	types = vmlinux_types(l);
	if (types && l->local) {
		btf__free(l->cut);
		l->cut = btf_cut(types, l->local);
	}
	return types;
}

/* What an object is relocated by has a path only for libbpf to ask for it. */
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext)
{
	struct btf *cut;

	if (!btf_source || !streq(path, LIVE_BTF_CUT))
		return __real_btf__parse(path, ext);
	cut = btf_source->cut;
	btf_source->cut = NULL;
	if (!cut)
		errno = ENOMEM;
	return cut;
}

/* libbpf goes through the modules for types that vmlinux has not: nothing of ours is there. */
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next)
{
	(void)id;
	(void)next;
	errno = ENOENT;
	return -ENOENT;
}

static int next_btf(u32 id, u32 *next)
{
	return __real_bpf_btf_get_next_id ? __real_bpf_btf_get_next_id(id, next)
					  : bpf_btf_get_next_id(id, next);
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

static void close_module(struct live_btf *l)
{
	if (l->module_fd >= 0)
		close(l->module_fd);
	l->module_fd = -1;
	l->module = NULL;
}

/* A descriptor of the module's BTF, 0 for that of vmlinux, or -errno. It stays ours. */
static int open_module(struct live_btf *l, const char *module)
{
	u32 id = 0;
	int fd = -ENOENT;

	if (!module)
		return 0;
	if (l->module && streq(module, l->module))
		return l->module_fd;
	while (fd == -ENOENT && !next_btf(id, &id))
		fd = open_if(id, module);
	if (fd < 0)
		return fd;
	close_module(l);
	l->module = module;
	l->module_fd = fd;
	return fd;
}

/* Names the target of a program, "tp_btf/nvme_sq". */
static int name_target(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *name = strchr(bpf_program__section_name(prog), '/') + 1;
	struct live_btf *l = btf_source;
	u32 trace = 0;
	int fd;

	(void)cookie;
	while (trace < BTF_TRACE_MAX && !streq(btf_trace_name(trace), name))
		trace++;
	if (!l->facts || trace == BTF_TRACE_MAX || !l->facts->id[trace])
		return -ESRCH;
	fd = open_module(l, l->facts->module[trace]);
	if (fd < 0)
		return fd;
	opts->attach_btf_id = l->facts->id[trace];
	opts->attach_btf_obj_fd = fd;
	return l->prepare ? l->prepare(prog, l->prepare_arg) : 0;
}

static int attach_target(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

/* 0 or -errno; called again it goes on where it failed. */
static int take_sections(struct live_btf *l)
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

	for (; l->sections < ARRAY_SIZE(sections); l->sections++) {
		int id = libbpf_register_prog_handler(sections[l->sections].name,
						      BPF_PROG_TYPE_TRACING,
						      sections[l->sections].type, &opts);

		if (id < 0)
			return id;
	}
	return 0;
}

int live_btf_open(const char *dir, struct btf *types, const struct btf_facts *facts)
{
	struct live_btf *l = btf_source ? btf_source : calloc(1, sizeof(*l));

	if (!l) {
		btf__free(types);
		return -ENOMEM;
	}
	btf_source = l;
	l->dir = dir;
	l->types = types;
	l->facts = facts;
	l->module_fd = -1;
	return take_sections(l);
}

void live_btf_local(const struct btf *local)
{
	btf_source->local = local;
}

void live_btf_prepare(int (*prepare)(struct bpf_program *prog, void *arg), void *arg)
{
	btf_source->prepare = prepare;
	btf_source->prepare_arg = arg;
}

void live_btf_close(void)
{
	struct live_btf *l = btf_source;

	if (!l || !l->facts)
		return;
	close_module(l);
	btf__free(l->types);
	btf__free(l->cut);
	l->types = NULL;
	l->cut = NULL;
	l->local = NULL;
	l->facts = NULL;
	l->dir = NULL;
	l->prepare = NULL;
}
