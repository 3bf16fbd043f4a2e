// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checks of doctor, in the order of its output. Those of the kernel, the driver and BTF are
 * here.
 */
#include "cmd/doctor/checks.h"

#include <errno.h>
#include <stdarg.h>

#include "cmd/doctor/doctor.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

void doctor_say(struct doctor_check *c, enum doctor_verdict verdict, const char *fmt, ...)
{
	va_list args;

	c->verdict = verdict;
	va_start(args, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, args);
	va_end(args);
}

bool doctor_refused(const struct doctor *d, enum probe_need need, struct doctor_check *c)
{
	struct probe_fault f;

	if (!probe_fault(&d->host, need, &f))
		return false;
	doctor_say(c, DOCTOR_NO, "%.90s: %s", f.what, f.why);
	c->status = f.status;
	c->remedy = f.remedy;
	return true;
}

static void check_kernel(const struct doctor *d, struct doctor_check *c)
{
	bool old = d->p.release < (5 << 8 | 10);

	doctor_say(c, old ? DOCTOR_DEGRADED : DOCTOR_OK, "%s %s%s", d->system.sysname,
		   d->system.release, old ? ": nvmetool is tested on 5.10 and newer" : "");
	c->remedy = old ? "use 5.10 or newer" : NULL;
}

static void check_arch(const struct doctor *d, struct doctor_check *c)
{
	bool known = streq(d->system.machine, "x86_64") || streq(d->system.machine, "aarch64");

	doctor_say(c, known ? DOCTOR_OK : DOCTOR_DEGRADED, "%s%s", d->system.machine,
		   known ? "" : ": nvmetool is tested on x86_64 and aarch64 only");
}

static void check_driver(const struct doctor *d, struct doctor_check *c)
{
	if (!doctor_refused(d, PROBE_SYSFS, c) && !doctor_refused(d, PROBE_DRIVER, c))
		doctor_say(c, DOCTOR_OK, "nvme_core is %s; controllers: %u",
			   d->features.nvme_built_in ? "built in" : "loaded", d->sysfs.n_ctrls);
}

/* True when the driver is absent, so that nothing about it can be checked. */
static bool no_driver(const struct doctor *d)
{
	return !d->p.nvme_loaded && !d->features.off.known;
}

static const char *btf_dir(const struct doctor *d)
{
	return d->host.btf_dir ? d->host.btf_dir : BTF_DIR;
}

static void check_btf(const struct doctor *d, struct doctor_check *c)
{
	if (!doctor_refused(d, PROBE_BTF, c))
		doctor_say(c, DOCTOR_OK, "%.150s/vmlinux", btf_dir(d));
}

static void check_nvme_btf(const struct doctor *d, struct doctor_check *c)
{
	if (d->features.nvme_built_in) {
		doctor_say(c, DOCTOR_OK, "part of vmlinux");
	} else if (d->features.off.known) {
		doctor_say(c, DOCTOR_OK, "%.150s/nvme_core", btf_dir(d));
	} else if (no_driver(d)) {
		doctor_say(c, DOCTOR_UNKNOWN, "not checked: module nvme_core is not loaded");
	} else {
		doctor_say(c, DOCTOR_DEGRADED,
			   "none: nvmetool assumes the structure layout of Linux 5.10");
		c->remedy = "use a kernel with BTF for modules (5.11 or newer), or --btf DIR";
	}
}

static void check_attach(const struct doctor *d, struct doctor_check *c)
{
	const char *why = probe_no_tp_btf(&d->p, &d->features);

	if (d->status)
		doctor_say(c, DOCTOR_NO, "cannot attach: see the checks that say no");
	else if (why)
		doctor_say(c, DOCTOR_DEGRADED,
			   "raw_tp, because %s: each command costs more, and errors does not see "
			   "timeouts and resets",
			   why);
	else
		doctor_say(c, DOCTOR_OK, "tp_btf, because the driver's tracepoints are in BTF");
}

static void check_recursion(const struct doctor *d, struct doctor_check *c)
{
	bool counted = probe_guards_recursion(&d->p, &d->features);

	doctor_say(c, counted ? DOCTOR_OK : DOCTOR_DEGRADED, "the kernel %s",
		   counted ? "counts the program runs that it skips"
			   : "does not count the program runs that it skips (before 6.1): "
			     "lost.recursion is null");
}

static const struct {
	const char *name;
	void (*look)(const struct doctor *d, struct doctor_check *c);
} checks[] = {
	{ "kernel", check_kernel },
	{ "arch", check_arch },
	{ "driver", check_driver },
	{ "btf", check_btf },
	{ "nvme_btf", check_nvme_btf },
	{ "capabilities", doctor_capabilities },
	{ "lockdown", doctor_lockdown },
	{ "memlock", doctor_memlock },
	{ "seccomp", doctor_seccomp },
	{ "bpf", doctor_bpf },
	{ "attach", check_attach },
	{ "recursion", check_recursion },
	{ "unprivileged_bpf", doctor_unprivileged_bpf },
	{ "perf_event_paranoid", doctor_perf_event },
	{ "user_stacks", doctor_user_stacks },
	{ "uprobes", doctor_uprobes },
	{ "kallsyms", doctor_kallsyms },
	{ "namespaces", doctor_namespaces },
	{ "cgroup2", doctor_cgroup2 },
	{ "tracefs", doctor_tracefs },
	{ "clock", doctor_clock },
};

/* The loss without the tracepoint or function; NULL: nothing that nvmetool offers yet. */
static const char *const uses[BTF_TRACE_MAX] = {
	[BTF_TRACE_SETUP_CMD] = "everything",
	[BTF_TRACE_COMPLETE_RQ] = "everything",
	[BTF_TRACE_SQ] = "trace --sq",
	[BTF_TRACE_ASYNC_EVENT] = "asynchronous events",
	[BTF_TRACE_RQ_INSERT] = "the submitter, where an I/O scheduler is used",
	[BTF_TRACE_BIO_QUEUE] = "-Q",
	[BTF_TRACE_BIO_REMAP] = "-Q above md",
	[BTF_TRACE_GETRQ] = "stacks --at queue",
	[BTF_TRACE_RQ_COMPLETE] = "latency --phases, errors --block",
	[BTF_FUNC_INSERT_FLUSH] = "who waits for a flush",
	[BTF_FUNC_TIMEOUT_PCI] = "timeouts in errors",
	[BTF_FUNC_TIMEOUT_TCP] = "timeouts in errors",
	[BTF_FUNC_TIMEOUT_RDMA] = "timeouts in errors",
	[BTF_FUNC_TIMEOUT_FC] = "timeouts in errors",
	[BTF_FUNC_CHANGE_STATE] = "controller resets in errors",
};

/*
 * True when the tracepoint or function is there. Where BTF does not say so of the driver's
 * tracepoints, kallsyms does.
 */
static bool is_there(const struct doctor *d, enum btf_trace trace)
{
	bool there =
		probe_trace_there(&d->p, &d->features, trace, probe_tp_btf(&d->p, &d->features));

	if (there && d->features.args[trace] < 0 && d->kallsyms)
		return d->symbols >> trace & 1;
	return there;
}

/* Returns why programs cannot attach there. */
static const char *why_lost(const struct doctor *d, enum btf_trace trace)
{
	if (d->features.args[trace] < 0)
		return "not in this kernel's BTF";
	if (d->p.ftrace_off && features_trace_function(trace))
		return "which is not traced while kernel.ftrace_enabled is 0";
	return d->features.ftrace_direct ? "without tp_btf"
					 : "which this kernel lets no program attach to";
}

static void check_trace(const struct doctor *d, enum btf_trace trace, struct doctor_check *c)
{
	bool needed = trace <= BTF_TRACE_COMPLETE_RQ;
	bool of_driver = trace < BTF_TRACE_RQ_INSERT || features_trace_module(trace);

	if (of_driver && no_driver(d)) {
		doctor_say(c, DOCTOR_UNKNOWN, "not checked: module nvme_core is not loaded");
	} else if (is_there(d, trace)) {
		doctor_say(
			c, DOCTOR_OK, "%s",
			d->features.args[trace] < 0
				? "found; its arguments are not in BTF, so those of Linux 5.10 are assumed"
				: d->features.types[trace]);
	} else {
		doctor_say(c, needed ? DOCTOR_NO : DOCTOR_DEGRADED, "%s %s: does not work: %s",
			   trace >= BTF_FUNC_INSERT_FLUSH ? "function" : "tracepoint",
			   why_lost(d, trace), uses[trace]);
		c->status = needed ? EXIT_KERNEL : 0;
		if (d->p.ftrace_off && features_trace_function(trace))
			c->remedy = "trace functions: sysctl kernel.ftrace_enabled=1";
	}
}

/*
 * Reads kallsyms once: whether it shows addresses, and the driver's tracepoints. A tracepoint is
 * recognized by the function that each has since 5.10. Its data is listed only with
 * CONFIG_KALLSYMS_ALL, which Debian's arm64 kernel does not set.
 */
static void read_kallsyms(struct doctor *d)
{
	static const char mark[] = " __traceiter_";
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL, *name;
	size_t size = 0;

	if (!f)
		return;
	d->kallsyms = d->hidden = true;
	while (getline(&line, &size, f) > 0) {
		d->hidden &= strspn(line, "0") >= 8;
		name = strstr(line, mark);
		for (u32 i = 0; name && i < BTF_TRACE_RQ_INSERT; i++) {
			const char *wanted = features_trace_name(i);

			if (has_prefix(name + strlen(mark), wanted) &&
			    strchr("\t\n", name[strlen(mark) + strlen(wanted)]))
				d->symbols |= 1U << i;
		}
	}
	free(line);
	fclose(f);
}

static void look_around(struct doctor *d, const char *dir)
{
	probe_read(&d->p);
	d->host = (struct probe_host){
		.p = &d->p,
		.features = &d->features,
		.btf_err = features_read_own(&d->features, dir, NULL),
		.btf_dir = dir,
	};
	if (sysfs_read(&d->sysfs, NULL))
		d->sysfs.n_ctrls = 0;
	uname(&d->system);
	read_kallsyms(d);
}

static void put_check(struct doctor *d, struct doctor_check *c, doctor_put *put, void *ctx)
{
	/* A session ends with the first need that is not met. */
	if (!d->status)
		d->status = c->status;
	put(ctx, c);
}

int doctor_run(const char *dir, doctor_put *put, void *ctx)
{
	struct doctor *d = calloc(1, sizeof(*d));
	int status;

	if (!d)
		return EXIT_RUNTIME;
	look_around(d, dir);
	for (u32 i = 0; i < ARRAY_SIZE(checks); i++) {
		struct doctor_check c = { .name = checks[i].name };

		checks[i].look(d, &c);
		put_check(d, &c, put, ctx);
	}
	for (u32 i = 0; i < BTF_TRACE_MAX; i++) {
		struct doctor_check c = { .name = features_trace_name(i) };

		if (d->host.btf_err || !uses[i] || !features_trace_applies(&d->features, i))
			continue;
		check_trace(d, i, &c);
		put_check(d, &c, put, ctx);
	}
	status = d->status;
	sysfs_free(&d->sysfs);
	free(d);
	return status;
}

const char *doctor_word(enum doctor_verdict verdict)
{
	static const char *const words[] = { "ok", "degraded", "no", "unknown" };

	return words[verdict];
}
