// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvmetool as guests run it, with two answers of its own (ld --wrap): a system call that is not in
 * lib/host/confine.def ends it, where it would only fail in the field; and with NVMETOOL_BTF=any it
 * takes BTF of another kernel. The shipped binary has no such switch.
 */
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/types.h"
#include "lib/host/calls.h"

int __real_calls_filter(u32 what, u32 otherwise);
int __wrap_calls_filter(u32 what, u32 otherwise);
enum btf_origin __real_btf_types_origin(const struct btf_types *types, const char *name);
enum btf_origin __wrap_btf_types_origin(const struct btf_types *types, const char *name);

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
