// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers libbpf's questions about BTF from what has been read already (lib/btf/features.h).
 *
 * libbpf 1.1 would read all of it again, load the types of every module of the host, and look for
 * the target of each program in vmlinux, once for vmlinux and once for each module. For programs
 * attached by BTF it accepts no other place than /sys/kernel/btf, which a container may not have,
 * and it fails where it may not list the modules. It goes through all of vmlinux for each structure
 * that programs are relocated by; we give it only those structures (lib/btf/subset.h).
 *
 * So the linker replaces three of its functions by ours (--wrap, lib/deps/deps.mk), and the
 * sections of programs that are attached by BTF are handled here. libbpf then gets nothing of
 * vmlinux itself: the targets and functions that it would find there are filled in here.
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
#include "lib/btf/btf_types.h"

struct loader_btf {
	struct btf_types types; /* of vmlinux */
	const struct bpf_object *object; /* the object that is loaded */
	const struct bpf_program *loading; /* loader_btf_loading() */
	const struct kernel_features *features; /* NULL: closed */
	const char *module; /* asked for last; the next program asks for the same */
	int module_fd; /* -1: none */
	u32 sections; /* the number of those that are handled here already */
	void (*edit)(struct bpf_insn *insn, void *arg); /* or NULL */
	void *edit_arg;
};

/*
 * The state of this file. It is global like libbpf's own settings, because libbpf's functions take
 * no argument of ours. It stays once it is made, as the sections do: libbpf 1.1 frees its table
 * twice when the last handler is unregistered.
 */
static struct loader_btf *btf_source;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext);
int __wrap_bpf_btf_get_next_id(u32 id, u32 *next);

/* Returns no types: libbpf asks for them at each load, to find what is filled in here. */
struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return btf__new_empty();
}

/*
 * Returns the types that an object is relocated by. LOADER_BTF_CUT is a path that only makes libbpf
 * ask for them.
 */
struct btf *__wrap_btf__parse(const char *path, struct btf_ext **ext)
{
	(void)path;
	(void)ext;
	return btf_subset(&btf_source->types, bpf_object__btf(btf_source->object));
}

/*
 * Ends the list at once. libbpf searches the modules for types that vmlinux lacks, and ours are all
 * in vmlinux.
 */
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

/*
 * A descriptor of the module's BTF, 0 for that of vmlinux, or -errno. The caller must not close it.
 */
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

/* Resolves a call of a kernel function that libbpf did not find, if we know the function. */
static void resolve_call(const struct loader_btf *l, struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL &&
	    !insn->imm)
		insn->imm = (s32)l->features->rdonly_cast;
}

/* Has a compare and swap add instead. The program does not get there, but old kernels refuse it. */
static void drop_cmpxchg(struct bpf_insn *insn)
{
	if (insn->code == (BPF_STX | BPF_ATOMIC | BPF_DW) && insn->imm == BPF_CMPXCHG)
		insn->imm = BPF_ADD;
}

static int edit_all(const struct loader_btf *l, struct bpf_program *prog, bool drop)
{
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	for (size_t i = 0; i < n; i++) {
		resolve_call(l, &insns[i]);
		if (drop)
			drop_cmpxchg(&insns[i]);
		if (l->edit)
			l->edit(&insns[i], l->edit_arg);
	}
	err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

/* Sets the target of a program, like "tp_btf/nvme_sq". */
static int name_target(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *name = strchr(bpf_program__section_name(prog), '/') + 1;
	struct loader_btf *l = btf_source;
	u32 trace = 0;
	int fd;

	(void)cookie;
	l->loading = prog;
	while (trace < BTF_TRACE_MAX && !streq(features_trace_name(trace), name))
		trace++;
	if (!l->features || trace == BTF_TRACE_MAX || !l->features->id[trace])
		return -ESRCH;
	fd = open_module(l, l->features->module[trace]);
	if (fd < 0)
		return fd;
	opts->attach_btf_id = l->features->id[trace];
	opts->attach_btf_obj_fd = fd;
	return edit_all(l, prog, false);
}

/* Programs that are run, not attached. Those that compare and swap are loaded beside others by BTF, which do. */
static int fill_calls(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)opts;
	(void)cookie;
	btf_source->loading = prog;
	return btf_source->features ? edit_all(btf_source, prog, false) : -ESRCH;
}

/* Raw tracepoints are as libbpf has them, but for what old kernels refuse. */
static int note_raw(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct loader_btf *l = btf_source;

	(void)opts;
	(void)cookie;
	l->loading = prog;
	return !l->features || l->features->cmpxchg ? 0 : edit_all(l, prog, true);
}

static int attach_raw(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_raw_tracepoint(
		prog, strchr(bpf_program__section_name(prog), '/') + 1);
	return *link ? 0 : -errno;
}

static int attach_target(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

/*
 * Registers the handlers of sections. 0 or -errno; another call goes on where the last one failed.
 */
static int take_sections(struct loader_btf *l)
{
	static const struct {
		const char *name;
		enum bpf_prog_type program;
		enum bpf_attach_type attach;
		libbpf_prog_prepare_load_fn_t prepare;
		libbpf_prog_attach_fn_t link;
	} sections[] = {
		{ "tp_btf+", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, name_target, attach_target },
		{ "fentry+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, name_target, attach_target },
		{ "fexit+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, name_target, attach_target },
		{ "walk+", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, fill_calls, NULL },
		{ "raw_tp+", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, note_raw, attach_raw },
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts);

	for (; l->sections < ARRAY_SIZE(sections); l->sections++) {
		const char *name = sections[l->sections].name;
		int id;

		opts.prog_prepare_load_fn = sections[l->sections].prepare;
		opts.prog_attach_fn = sections[l->sections].link;
		id = libbpf_register_prog_handler(name, sections[l->sections].program,
						  sections[l->sections].attach, &opts);
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
	btf_source->loading = NULL;
}

const struct bpf_program *loader_btf_loading(void)
{
	return btf_source->loading;
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
	l->loading = NULL;
	l->features = NULL;
	l->edit = NULL;
}
