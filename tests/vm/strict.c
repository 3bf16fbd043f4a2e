// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvmetool as guests run it, with answers of its own (ld --wrap): a system call that is not in
 * lib/host/confine.def ends it, where it would only fail in the field; with NVMETOOL_BTF=any it
 * takes BTF of another kernel; NVMETOOL_REFUSED has the kernel refuse programs: `typed` all that are
 * attached by BTF, `functions` those of functions, else the program of this name; and with
 * NVMETOOL_KERNEL=5.15 it takes a newer kernel for Linux 5.15. The shipped binary has no such switch.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/btf_types.h"
#include "lib/btf/features.h"
#include "lib/host/calls.h"
#include "lib/host/probe.h"

int __real_calls_filter(u32 what, u32 otherwise);
int __wrap_calls_filter(u32 what, u32 otherwise);
enum btf_origin __real_btf_types_origin(const struct btf_types *types, const char *name);
enum btf_origin __wrap_btf_types_origin(const struct btf_types *types, const char *name);
void __real_probe_read(struct probe *p);
void __wrap_probe_read(struct probe *p);
int __real_features_read_own(struct kernel_features *features, const char *dir,
			     struct btf_types *types);
int __wrap_features_read_own(struct kernel_features *features, const char *dir,
			     struct btf_types *types);
int __real_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t n,
			 const struct bpf_prog_load_opts *opts);
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t n,
			 const struct bpf_prog_load_opts *opts);

int __wrap_calls_filter(u32 what, u32 otherwise)
{
	(void)otherwise;
	return __real_calls_filter(what, SECCOMP_RET_KILL_PROCESS);
}

enum btf_origin __wrap_btf_types_origin(const struct btf_types *types, const char *name)
{
	const char *which = getenv("NVMETOOL_BTF");

	return which && !strcmp(which, "any") ? BTF_OWN : __real_btf_types_origin(types, name);
}

static bool is_5_15(void)
{
	const char *which = getenv("NVMETOOL_KERNEL");

	return which && !strcmp(which, "5.15");
}

void __wrap_probe_read(struct probe *p)
{
	__real_probe_read(p);
	if (is_5_15())
		p->release = 5 << 8 | 15;
}

/*
 * What that kernel has not: a guard of raw tracepoints (6.1), zeroes behind a task's name (5.17),
 * namespaces that are identified after their queue is made (6.0).
 */
int __wrap_features_read_own(struct kernel_features *features, const char *dir,
			     struct btf_types *types)
{
	int err = __real_features_read_own(features, dir, types);

	if (is_5_15())
		features->recursion_guard = features->comm_padded = features->late_identify = false;
	return err;
}

static bool is_refused(enum bpf_prog_type type, const char *name,
		       const struct bpf_prog_load_opts *opts)
{
	const char *what = getenv("NVMETOOL_REFUSED");

	if (!what || !name)
		return false;
	if (!strcmp(what, "typed"))
		return type == BPF_PROG_TYPE_TRACING;
	if (!strcmp(what, "functions"))
		return type == BPF_PROG_TYPE_TRACING &&
		       opts->expected_attach_type != BPF_TRACE_RAW_TP;
	return !strcmp(what, name);
}

int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t n,
			 const struct bpf_prog_load_opts *opts)
{
	if (!is_refused(type, name, opts))
		return __real_bpf_prog_load(type, name, license, insns, n, opts);
	errno = EINVAL;
	return -EINVAL;
}
