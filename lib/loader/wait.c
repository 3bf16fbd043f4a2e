// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits until every program that runs now has ended. Programs of tracepoints run inside an RCU read
 * side, so a grace period does it. An update of a map of maps returns after one: its
 * maybe_wait_bpf_programs() calls synchronize_rcu() (1ae80cf31938, Linux 4.20), which waits for
 * programs that were preempted (7.0) as well, on one CPU as on many.
 *
 * Before Linux 5.13 that would be the only call of bpf() in many runs, and so what they keep CAP_BPF
 * for: bpf/freed.h is not run where programs cannot compare and swap. There membarrier()'s global
 * barrier does. It calls synchronize_rcu() only where several CPUs are online: on one nothing is under
 * way while we run, since programs are not preempted. Kernels with nohz_full CPUs have no such barrier.
 */
#include "lib/loader/loader_impl.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/host/confine.h"

static bool has_barrier(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && commands & MEMBARRIER_CMD_GLOBAL;
}

int loader_wait_open(struct loader *l, bool by_map)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	if (!by_map && has_barrier())
		return 0;
	l->wait.inner = loader_array("wait", sizeof(u64));
	if (l->wait.inner < 0)
		return l->wait.inner;
	opts.inner_map_fd = (u32)l->wait.inner;
	l->wait.outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "wait", sizeof(u32), sizeof(u32),
				       1, &opts);
	return l->wait.outer < 0 ? l->wait.outer : 0;
}

bool loader_waits_by_map(const struct loader *l)
{
	return l->wait.outer >= 0;
}

u32 loader_still_needs(const struct loader *l)
{
	return loader_waits_by_map(l) ? CONFINE_MAPS | CONFINE_WAIT | CONFINE_WALK : 0;
}

void loader_quiesce(struct loader *l)
{
	u32 zero = 0;
	long err;

	if (loader_waits_by_map(l))
		err = bpf_map_update_elem(l->wait.outer, &zero, &l->wait.inner, BPF_ANY);
	else
		err = syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (err)
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
