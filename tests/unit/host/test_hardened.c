// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/host/probe on hosts whose administrator has switched something off, or built something in. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/host/probe.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

TEST(ftrace)
{
	struct probe p = { 0 };
	struct kernel_features features = { .ftrace_direct = true };

	assert_true(probe_trace_there(&p, &features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_true(probe_trace_there(&p, &features, BTF_FUNC_INSERT_FLUSH, true));
	p.ftrace_off = true;
	assert_false(probe_trace_there(&p, &features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_false(probe_trace_there(&p, &features, BTF_FUNC_INSERT_FLUSH, true));
	assert_true(probe_trace_there(&p, &features, BTF_TRACE_SETUP_CMD, true));
}

TEST(jit)
{
	struct probe p = { 0 };

	assert_string_equal(probe_why(&p, -524),
			    "the kernel does not support the operation (ENOTSUPP)");
	p.jit_off = true;
	assert_string_equal(probe_why(&p, -524), "net.core.bpf_jit_enable is 0");
	assert_string_equal(probe_why(&p, -EINVAL), strerror(EINVAL));
}

TEST(addresses)
{
	struct probe p = { .kptr_restrict = 1 };

	assert_string_equal(probe_kptr_remedy(&p), "add CAP_SYSLOG");
	p.kptr_restrict = 2; /* root, too, sees none */
	assert_string_equal(probe_kptr_remedy(&p),
			    "add CAP_SYSLOG and let it show them: sysctl kernel.kptr_restrict=1");
	p.caps = 1ULL << PROBE_CAP_SYSLOG;
	assert_string_equal(probe_kptr_remedy(&p),
			    "let it show them: sysctl kernel.kptr_restrict=1");
}

/* The driver of fabrics shows itself where it is built in, too: then it is no module. */
TEST(fabrics)
{
	char *root = scratch_make();

	assert_false(probe_fabrics(root));
	scratch_put(root, "class/nvme-fabrics/ctl", "uevent", "");
	assert_true(probe_fabrics(root));
	assert_int_equal(scratch_remove(root), 0);
}

/* A limit that cannot be read is not one of 0, which lets no stack be taken. */
TEST(this_host)
{
	struct probe p;

	probe_read(&p);
	assert_true(p.max_stack > 0 || !access("/proc/sys/kernel/perf_event_max_stack", R_OK));
	assert_int_equal(p.kptr_restrict > 2, 0);
}
