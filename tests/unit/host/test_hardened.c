// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/host/probe on hosts whose administrator has switched something off, or built something in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/host/probe.h"
#include "tests/unit/scratch.h"

#include <cmocka.h>

static void test_ftrace(void **state)
{
	struct probe p = { 0 };
	struct kernel_features features = { .ftrace_direct = true };

	(void)state;
	assert_true(probe_trace_there(&p, &features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_true(probe_trace_there(&p, &features, BTF_FUNC_INSERT_FLUSH, true));
	p.ftrace_off = true;
	assert_false(probe_trace_there(&p, &features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_false(probe_trace_there(&p, &features, BTF_FUNC_INSERT_FLUSH, true));
	assert_true(probe_trace_there(&p, &features, BTF_TRACE_SETUP_CMD, true));
}

static void test_jit(void **state)
{
	struct probe p = { 0 };

	(void)state;
	assert_string_equal(probe_why(&p, -524),
			    "the kernel does not support the operation (ENOTSUPP)");
	p.jit_off = true;
	assert_string_equal(probe_why(&p, -524), "net.core.bpf_jit_enable is 0");
	assert_string_equal(probe_why(&p, -EINVAL), strerror(EINVAL));
}

static void test_addresses(void **state)
{
	struct probe p = { .kptr_restrict = 1 };

	(void)state;
	assert_string_equal(probe_kptr_remedy(&p), "add CAP_SYSLOG");
	p.kptr_restrict = 2; /* root, too, sees none */
	assert_string_equal(probe_kptr_remedy(&p),
			    "add CAP_SYSLOG and let it show them: sysctl kernel.kptr_restrict=1");
	p.caps = 1ULL << PROBE_CAP_SYSLOG;
	assert_string_equal(probe_kptr_remedy(&p),
			    "let it show them: sysctl kernel.kptr_restrict=1");
}

/* The driver of fabrics shows itself where it is built in, too: then it is no module. */
static void test_fabrics(void **state)
{
	char *root = scratch_make();

	(void)state;
	assert_false(probe_fabrics(root));
	scratch_put(root, "class/nvme-fabrics/ctl", "uevent", "");
	assert_true(probe_fabrics(root));
	assert_int_equal(scratch_remove(root), 0);
}

/* A limit that cannot be read is not one of 0, which lets no stack be taken. */
static void test_this_host(void **state)
{
	struct probe p;

	(void)state;
	probe_read(&p);
	assert_true(p.max_stack > 0 || !access("/proc/sys/kernel/perf_event_max_stack", R_OK));
	assert_int_equal(p.kptr_restrict > 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ftrace),	  cmocka_unit_test(test_jit),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_fabrics),
		cmocka_unit_test(test_this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
