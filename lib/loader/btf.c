// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What libbpf asks BTF for, answered from what has been read already (lib/btf/features.h). libbpf
 * 1.1 would read all of it once more, load the types of every module of the host, and look for each
 * program's target in vmlinux once for vmlinux and once for each module. Nor does it take another
 * place for /sys/kernel/btf, which a container may not have, for programs of BTF; and it gives up
 * where it may not list the modules. It also goes through all of vmlinux for each structure that
 * programs are relocated by; we give it those alone (lib/btf/subset.h). So the linker puts our
 * functions in place of three of its own (--wrap, lib/deps/deps.mk), and the sections of programs
 * that are attached by BTF are ours. Of vmlinux itself it gets nothing then: what it would find
 * there, targets and functions to call, we put in.
 */
#include "lib/loader/btf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/btf/fd.h"
#include "lib/btf/features.h"
#include "lib/btf/subset.h"
#include "lib/btf/types.h"

struct loader_btf {
	struct btf_types types; /* of vmlinux */
	const struct bpf_object *object; /* that is loaded */
	const struct kernel_features *features; /* NULL: closed */
	const char *module; /* whose BTF was asked for last, as it will be again */
	int module_fd; /* -1: none */
	u32 sections; /* that are ours already */
	void (*edit)(struct bpf_insn *insn, void *arg); /* or NULL */
	void *edit_arg;
};

/*
 * libbpf's functions take no argument of ours: a setting of the process, as libbpf's own are. Once
 * made it stays, as the sections do: libbpf 1.1 frees its table twice when the last one is given
 * back.
 */
static struct loader_btf *btf_source;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext);
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next);

/* libbpf asks for it at each load, for what we put in ourselves. */
struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return btf__new_empty();
}

/* What an object is relocated by has a path, LOADER_BTF_CUT, only for libbpf to ask for it. */
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext)
{
	(void)path;
	(void)ext;
	return btf_subset(&btf_source->types, bpf_object__btf(btf_source->object));
}

/* libbpf goes through the modules for types that vmlinux has not: nothing of ours is there. */
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next)
{
	(void)id;
	(void)next;
	errno = ENOENT;
	return -ENOENT;
}

static void close_module(struct loader_btf *l)
{
	if (l->module_fd >= 0)
		close(l->module_fd);
	l->module_fd = -1;
	l->module = NULL;
}

/* A descriptor of the module's BTF, 0 for that of vmlinux, or -errno. It stays ours. */
static int open_module(struct loader_btf *l, const char *module)
{
	int fd;

	if (!module)
		return 0;
	if (l->module && streq(module, l->module))
		return l->module_fd;
	fd = btf_fd_of(module);
	if (fd < 0)
		return fd;
	close_module(l);
	l->module = module;
	l->module_fd = fd;
	return fd;
}

/* Has a call of a function that libbpf did not find, of which we have one, call it. */
static void resolve_call(const struct loader_btf *l, struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL &&
	    !insn->imm)
		insn->imm = (s32)l->features->rdonly_cast;
}

static int edit_all(const struct loader_btf *l, struct bpf_program *prog)
{
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	for (size_t i = 0; i < n; i++) {
		resolve_call(l, &insns[i]);
		if (l->edit)
			l->edit(&insns[i], l->edit_arg);
	}
	err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

/* Names the target of a program, "tp_btf/nvme_sq". */
static int name_target(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *name = strchr(bpf_program__section_name(prog), '/') + 1;
	struct loader_btf *l = btf_source;
	u32 trace = 0;
	int fd;

	(void)cookie;
	while (trace < BTF_TRACE_MAX && !streq(features_trace_name(trace), name))
		trace++;
	if (!l->features || trace == BTF_TRACE_MAX || !l->features->id[trace])
		return -ESRCH;
	fd = open_module(l, l->features->module[trace]);
	if (fd < 0)
		return fd;
	opts->attach_btf_id = l->features->id[trace];
	opts->attach_btf_obj_fd = fd;
	return edit_all(l, prog);
}

static int attach_target(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

/* 0 or -errno; called again it goes on where it failed. */
static int take_sections(struct loader_btf *l)
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

int loader_btf_open(struct btf_types *types, const struct kernel_features *features)
{
	struct loader_btf *l = btf_source ? btf_source : calloc(1, sizeof(*l));

	if (!l) {
		btf_types_free(types);
		return -ENOMEM;
	}
	btf_source = l;
	l->types = *types;
	l->features = features;
	l->module_fd = -1;
	return take_sections(l);
}

void loader_btf_object(const struct bpf_object *object)
{
	btf_source->object = object;
}

void loader_btf_edit(void (*edit)(struct bpf_insn *insn, void *arg), void *arg)
{
	btf_source->edit = edit;
	btf_source->edit_arg = arg;
}

void loader_btf_close(void)
{
	struct loader_btf *l = btf_source;

	if (!l || !l->features)
		return;
	close_module(l);
	btf_types_free(&l->types);
	l->object = NULL;
	l->features = NULL;
	l->edit = NULL;
}
