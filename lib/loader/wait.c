// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits until every program that runs now has ended. Programs of tracepoints run inside an RCU read
 * side, so a grace period does it. An update of a map of maps returns after one: its
 * maybe_wait_bpf_programs() calls synchronize_rcu() (1ae80cf31938, Linux 4.20), which waits for
 * programs that were preempted (7.0) as well, on one CPU as on many.
 */
#include "lib/loader/loader_impl.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/err.h"

int loader_wait_open(struct loader *l)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	l->wait.inner = loader_array("wait", sizeof(u64));
	if (l->wait.inner < 0)
		return l->wait.inner;
	opts.inner_map_fd = (u32)l->wait.inner;
	l->wait.outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "wait", sizeof(u32), sizeof(u32),
				       1, &opts);
	return l->wait.outer < 0 ? l->wait.outer : 0;
}

void loader_quiesce(struct loader *l)
{
	u32 zero = 0;

	if (bpf_map_update_elem(l->wait.outer, &zero, &l->wait.inner, BPF_ANY))
		note("cannot wait for programs that still run, so counts may lack some: %s",
		     err_text(errno));
}

void loader_wait_close(struct loader *l)
{
	if (l->wait.outer >= 0)
		close(l->wait.outer);
	if (l->wait.inner >= 0)
		close(l->wait.inner);
	l->wait.outer = l->wait.inner = -1;
}
