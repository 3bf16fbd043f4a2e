// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvmetool with the events of flood.bpf.c or, for latency, the commands of flood_latency.bpf.c in
 * place of a drive's. The functions that lead to its programs are replaced at link time (ld
 * --wrap); the code behind the event buffer is its own. The objects lie beside the binary.
 */
#include <unistd.h>

#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/probe.h"
#include "tests/vm/object.h"

int __wrap_embed_bpf(const char *name, void **object, size_t *size);
int __wrap_probe_before(const struct probe *p, const struct kernel_features *info, int btf_err,
			const char *btf_dir);

int __wrap_embed_bpf(const char *name, void **object, size_t *size)
{
	const char *flood = streq(name, "latency") ? "flood_latency.bpf.o" : "flood.bpf.o";
	char file[512] = "";

	if (readlink("/proc/self/exe", file, sizeof(file) - sizeof("flood_latency.bpf.o")) < 0 ||
	    !strrchr(file, '/'))
		return -ENOENT;
	snprintf(strrchr(file, '/') + 1, sizeof("flood_latency.bpf.o"), "%s", flood);
	return object_read(file, object, size);
}

/* Accepts a host without a driver and its BTF. */
int __wrap_probe_before(const struct probe *p, const struct kernel_features *info, int btf_err,
			const char *btf_dir)
{
	(void)p;
	(void)info;
	(void)btf_dir;
	return btf_err;
}
