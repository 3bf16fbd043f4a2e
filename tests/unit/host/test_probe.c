// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/probe: each cause of failure gets its own exit status and message. */
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/probe.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

#define CAP(name) (1ULL << PROBE_CAP_##name)

/* A host on which everything works, and the file that takes messages. */
struct world {
	struct probe p;
	struct kernel_features features;
	struct stderr_capture messages;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->p = (struct probe){
		.caps = CAP(BPF) | CAP(PERFMON),
		.memlock_max = UINT64_MAX,
		.nofile = 1024,
		.release = 6 << 8 | 1,
		.sysfs = true,
		.nvme_loaded = true,
	};
	w->features.off.known = 1;
	w->features.args[BTF_TRACE_SETUP_CMD] = 2;
	w->features.args[BTF_TRACE_COMPLETE_RQ] = 1;
	w->messages = stderr_begin();
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	char buf[2000];

	stderr_end(&w->messages, buf, sizeof(buf));
	free(w);
	return 0;
}

/* One line was printed since the last call, and it holds @text. */
static void said(struct world *w, const char *text)
{
	char buf[2000];

	stderr_end(&w->messages, buf, sizeof(buf));
	w->messages = stderr_begin();
	if (!strstr(buf, text) || strchr(buf, '\n') != buf + strlen(buf) - 1)
		fail_msg("want '%s': %s", text, buf);
}

static void before(struct world *w, int btf_err, int status, const char *text)
{
	assert_int_equal(probe_before(&w->p, &w->features, btf_err, NULL), EXIT_AS(status));
	said(w, text);
}

static void failed(struct world *w, int err, int status, const char *text)
{
	assert_int_equal(probe_failed(&w->p, err, "load"), EXIT_AS(status));
	said(w, text);
}

TEST_WITH(fine, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(probe_before(&w->p, &w->features, 0, NULL), 0);
	w->p.caps = CAP(SYS_ADMIN);
	assert_int_equal(probe_before(&w->p, &w->features, 0, NULL), 0);
}

TEST_WITH(no_driver, setup, teardown)
{
	struct world *w = *state;

	w->p.nvme_loaded = false;
	w->features.off.known = 0;
	w->p.caps = 0; /* the driver is the first thing to mend */
	before(w, 0, EXIT_KERNEL, "no NVMe driver: the module nvme_core is not loaded; ");
	w->p.sysfs = false;
	before(w, 0, EXIT_KERNEL, "error: /sys: not mounted");
}

TEST_WITH(no_btf, setup, teardown)
{
	struct world *w = *state;

	before(w, -ENOENT, EXIT_KERNEL, "error: /sys/kernel/btf/vmlinux: this kernel has no BTF");
	before(w, -EINVAL, EXIT_KERNEL, "cannot read /sys/kernel/btf/vmlinux");
	assert_int_equal(probe_before(&w->p, &w->features, -ENOENT, "/x"), EXIT_AS(EXIT_KERNEL));
	said(w, "error: /x/vmlinux: no such file; give --btf");
	assert_int_equal(probe_before(&w->p, &w->features, -ESTALE, "/x"), EXIT_AS(EXIT_KERNEL));
	said(w, "error: /x/vmlinux: it is not of the running kernel; give a copy");
	w->features.refused = "nvme_core";
	assert_int_equal(probe_before(&w->p, &w->features, -ESTALE, "/x"), EXIT_AS(EXIT_KERNEL));
	said(w, "error: /x/nvme_core: it is not of the running kernel; give a copy");
	assert_int_equal(probe_before(&w->p, &w->features, -EPERM, "/x"), EXIT_AS(EXIT_PERMISSION));
	said(w,
	     "error: /x/nvme_core: whether it is of the running kernel cannot be told here; run");
}

TEST_WITH(capabilities, setup, teardown)
{
	struct world *w = *state;

	w->p.caps = 0;
	before(w, 0, EXIT_PERMISSION, "CAP_BPF and CAP_PERFMON are missing");
	w->p.caps = CAP(BPF);
	before(w, 0, EXIT_PERMISSION, ": CAP_PERFMON is missing");
	w->p.caps = CAP(PERFMON);
	before(w, 0, EXIT_PERMISSION, ": CAP_BPF is missing");
	w->p.caps = ~0ULL;
	w->p.user_ns = true;
	before(w, 0, EXIT_PERMISSION, "user namespace");
	w->p.caps = 0;
	before(w, 0, EXIT_PERMISSION, "CAP_BPF and CAP_PERFMON are missing");
}

TEST_WITH(tp_btf, setup, teardown)
{
	struct world *w = *state;

	assert_false(probe_tp_btf(&w->p, &w->features)); /* module BTF by id takes CAP_SYS_ADMIN */
	w->features.nvme_built_in = true;
	assert_true(probe_tp_btf(&w->p, &w->features));
	w->features.nvme_built_in = false;
	w->p.caps = CAP(SYS_ADMIN);
	assert_true(probe_tp_btf(&w->p, &w->features));
	w->features.args[BTF_TRACE_BIO_QUEUE] = 1;
	assert_true(probe_tp_btf(&w->p, &w->features));
	w->features.nvme_built_in = true;
	w->features.args[BTF_TRACE_BIO_QUEUE] = 2; /* 5.10: the queue, and the bio */
	assert_false(probe_tp_btf(&w->p, &w->features));
	w->features.args[BTF_TRACE_BIO_QUEUE] = 1;
	w->features.args[BTF_TRACE_COMPLETE_RQ] = -1;
	assert_false(probe_tp_btf(&w->p, &w->features));
}

TEST_WITH(lockdown, setup, teardown)
{
	struct world *w = *state;

	w->p.caps = ~0ULL;
	w->p.lockdown = LOCKDOWN_INTEGRITY;
	assert_int_equal(probe_before(&w->p, &w->features, 0, NULL), 0);
	w->p.lockdown = LOCKDOWN_CONFIDENTIALITY;
	assert_int_equal(probe_before(&w->p, &w->features, 0, NULL), 0);
	w->features.args[BTF_TRACE_SETUP_CMD] = -1;
	before(w, 0, EXIT_PERMISSION, "lockdown=confidentiality");
	failed(w, -EINVAL, EXIT_PERMISSION, "lockdown=confidentiality");
}

TEST_WITH(memlock, setup, teardown)
{
	struct world *w = *state;

	w->p.memlock_max = 65536;
	failed(w, -EPERM, EXIT_PERMISSION, "seccomp"); /* 6.1 does not count it */
	w->p.release = 5 << 8 | 10;
	failed(w, -EPERM, EXIT_PERMISSION, "RLIMIT_MEMLOCK is 64 KiB");
	w->p.caps |= CAP(SYS_RESOURCE);
	failed(w, -EPERM, EXIT_PERMISSION, "seccomp");
}

TEST_WITH(failures, setup, teardown)
{
	struct world *w = *state;

	failed(w, -EMFILE, EXIT_RUNTIME, "RLIMIT_NOFILE is 1024; ");
	failed(w, -ENOMEM, EXIT_RUNTIME, "--buffer");
	failed(w, -ESRCH, EXIT_KERNEL, "-vv");
	failed(w, -ENOENT, EXIT_KERNEL,
	       "this kernel lacks something that they need"); /* a tracepoint */
	failed(w, -ENOSYS, EXIT_KERNEL, "without bpf()");
	failed(w, -EACCES, EXIT_KERNEL, "verifier");
	failed(w, -EINVAL, EXIT_KERNEL, "verifier");
	w->p.caps = 0;
	failed(w, -EACCES, EXIT_PERMISSION, "CAP_BPF");
}

/* On whatever host the test runs: figures that cannot be otherwise. */
TEST_WITH(this_host, setup, teardown)
{
	struct probe p;

	probe_read(&p);
	assert_true(p.release >= 4 << 8);
	assert_true(p.nofile >= 3);
	assert_true(p.sysfs == (access("/sys/kernel", F_OK) == 0));
}

TEST_WITH(comm, setup, teardown)
{
	struct world *w = *state;

	assert_true(probe_pads_comm(&w->p, &w->features));
	w->p.release = 5 << 8 | 14;
	assert_false(probe_pads_comm(&w->p, &w->features));
	w->features.comm_padded = true;
	assert_true(probe_pads_comm(&w->p, &w->features));
}

/* Where a program of ours may be skipped while it runs. */
TEST_WITH(skips, setup, teardown)
{
	struct sysfs_ctrl ctrl = { .queue_count = 5 };
	const struct sysfs sysfs = { .ctrls = &ctrl, .n_ctrls = 1 };
	struct world *w = *state;

	w->p.cpus = 4;
	assert_true(probe_guards_recursion(&w->p, &w->features));
	assert_false(probe_skips(&w->p, &w->features, &sysfs));
	w->p.fabrics_loaded = true;
	assert_true(probe_skips(&w->p, &w->features, &sysfs));
	w->p.fabrics_loaded = false;
	w->p.queue_kinds = true;
	assert_true(probe_skips(&w->p, &w->features, &sysfs));
	w->p.queue_kinds = false;
	ctrl.queue_count = 4; /* three for I/O: a completion may be sent to another CPU */
	assert_true(probe_skips(&w->p, &w->features, &sysfs));
	ctrl.queue_count = 5;
	w->p.release = 7 << 8;
	assert_true(probe_skips(&w->p, &w->features, &sysfs));
	w->p.release = 5 << 8 | 15;
	ctrl.queue_count = 2;
	assert_false(probe_guards_recursion(&w->p, &w->features));
	assert_false(probe_skips(&w->p, &w->features, &sysfs));
	w->features.recursion_guard = true; /* taken over: the number stays */
	assert_true(probe_guards_recursion(&w->p, &w->features));
	assert_true(probe_skips(&w->p, &w->features, &sysfs));
}
