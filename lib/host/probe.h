// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out what this process may do on this kernel, and why something failed: it looks for the
 * cause before it gives a remedy, so that a missing module is not answered with "run as root".
 */
#ifndef NVT_HOST_PROBE_H
#define NVT_HOST_PROBE_H

#include "lib/btf/features.h"
#include "lib/host/sysfs.h"

/* Capabilities, by their numbers in linux/capability.h. */
enum probe_cap {
	PROBE_CAP_DAC_READ_SEARCH = 2,
	PROBE_CAP_SYS_PTRACE = 19,
	PROBE_CAP_SYS_ADMIN = 21,
	PROBE_CAP_SYS_RESOURCE = 24,
	PROBE_CAP_SYSLOG = 34,
	PROBE_CAP_PERFMON = 38,
	PROBE_CAP_BPF = 39,
};

enum lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };

struct probe {
	u64 caps; /* effective, bit per capability */
	u64 memlock_max; /* hard limit of RLIMIT_MEMLOCK in bytes, UINT64_MAX: none */
	u64 nofile; /* RLIMIT_NOFILE */
	u32 perf_paranoid; /* kernel.perf_event_paranoid, 0 where it cannot be read */
	u32 cpus; /* sysfs_cpus(): the driver spreads queues over all that are possible */
	u32 release; /* major << 8 | minor of the kernel: only for what BTF cannot tell */
	enum lockdown lockdown; /* tried out with a program where securityfs does not tell */
	bool lockdown_read; /* securityfs told */
	bool sysfs; /* /sys is there */
	bool nvme_loaded; /* the driver is loaded or built in */
	bool fabrics_loaded; /* or built in */
	bool queue_kinds; /* PCIe queues are split by kind (poll, write): less is known */
	bool jit_off; /* net.core.bpf_jit_enable is 0; false where it cannot be read */
	bool ftrace_off; /* kernel.ftrace_enabled is 0: programs on functions are not called */
	bool kprobes_off; /* the same of probes on functions, where debugfs tells */
	u32 max_stack; /* kernel.perf_event_max_stack: the most frames of a stack */
	u8 kptr_restrict; /* kernel.kptr_restrict */
	bool user_ns; /* capabilities are those of a user namespace: BPF does not take them */
};

/* The needs of a session, in the order in which they are checked. */
enum probe_need {
	PROBE_SYSFS,
	PROBE_DRIVER,
	PROBE_BTF,
	PROBE_CAPS,
	PROBE_LOCKDOWN, /* before anything is loaded */
	PROBE_MEMLOCK, /* checked after a refusal: libbpf raises the limit if it may */
	PROBE_NEEDS,
};

/* The cause of a failure, as arguments of fail(). */
struct probe_fault {
	int status; /* EXIT_PERMISSION or EXIT_KERNEL */
	char what[300], why[100];
	const char *remedy; /* NULL: none known */
};

/*
 * The host that probe_fault() is asked about. btf_err is what features_read(features, btf_dir)
 * returned.
 */
struct probe_host {
	const struct probe *p;
	const struct kernel_features *features;
	int btf_err;
	const char *btf_dir;
};

/* Looks at this process and this kernel. */
void probe_read(struct probe *p);

/* True when @need is not met; *f then holds the message. */
bool probe_fault(const struct probe_host *h, enum probe_need need, struct probe_fault *f);

/*
 * True when a program can be attached there (features_trace_there()) and will be called: function
 * programs are not while ftrace_off, and the kernel's tracing of functions breaks when they are
 * detached after it was switched on.
 */
bool probe_trace_there(const struct probe *p, const struct kernel_features *features,
		       enum btf_trace trace, bool tp_btf);

/* Returns why the kernel gave -errno @err at loading or attaching: a cause that is known, or text. */
const char *probe_why(const struct probe *p, int err);

/* Returns the remedy where the kernel hides addresses of its functions (/proc/kallsyms). */
const char *probe_kptr_remedy(const struct probe *p);

/* Loads a program that does nothing, or that reads kernel memory by a helper: 0 or -errno. */
int probe_try(bool reading);

/*
 * True when @cap is effective in the initial user namespace; CAP_SYS_ADMIN stands for CAP_BPF and
 * CAP_PERFMON.
 */
bool probe_has(const struct probe *p, enum probe_cap cap);

/*
 * True when tp_btf programs can be loaded for the driver's tracepoints: they are in BTF, and the
 * module's BTF, which libbpf opens by id, is not barred by a missing CAP_SYS_ADMIN.
 */
bool probe_tp_btf(const struct probe *p, const struct kernel_features *features);

/* Returns why they cannot; NULL when they can. */
const char *probe_no_tp_btf(const struct probe *p, const struct kernel_features *features);

/*
 * True when perf events, and so probes on functions, are kept from this process (Debian's, Ubuntu's
 * level 3).
 */
bool probe_no_perf(const struct probe *p);
/* The remedy then. */
#define PROBE_PERF_REMEDY "add CAP_SYS_ADMIN, or set it to 2: sysctl kernel.perf_event_paranoid=2"

/*
 * True when lockdown keeps status, result and retries of a command from tp_btf programs (before
 * 6.2).
 */
bool probe_no_status(const struct probe *p, const struct kernel_features *features);

/* Says that lockdown forbids @what ("stacks"), and returns EXIT_AS(EXIT_PERMISSION). */
int probe_locked_down(const char *what);

/*
 * True when the kernel does not run a program of a tracepoint inside itself, and counts what it
 * skips: 6.1 and newer (05b24ff9b2cf), and older ones of distributors that took that over
 * (CVE-2022-49764), as BTF tells.
 */
bool probe_guards_recursion(const struct probe *p, const struct kernel_features *features);

/*
 * True when a task's name in the task itself has zeroes behind it: 5.17 and newer (06c5088aeeda),
 * and older ones that took the series over, as BTF tells. A driver may be newer than its kernel.
 */
bool probe_pads_comm(const struct probe *p, const struct kernel_features *features);

/* True when the driver is loaded or built in; probe_transport(): one that drives are attached by. */
bool probe_driver(void);
bool probe_transport(void);

/*
 * True when drives on a network can come: their driver makes a class in @sysfs (NULL: /sys),
 * whether it is a module or built in.
 */
bool probe_fabrics(const char *sysfs);

/*
 * True when the kernel may skip a program of ours while it is held up on a CPU: where programs can
 * be preempted (7.0 and newer), or where completions run in a task or a soft interrupt, in which
 * one of another drive can interrupt them: fabrics, polling, and controllers with fewer queues than
 * CPUs, of all or of one kind.
 */
bool probe_skips(const struct probe *p, const struct kernel_features *features,
		 const struct sysfs *sysfs);

/*
 * Returns 1 when processes are numbered here as in events, that is, by the host; 0 in a pid
 * namespace (container) of our own; -errno when /proc is not mounted.
 */
int probe_host_pids(void);

/*
 * Makes quick checks before anything is loaded. @btf_err is what features_read(@features, @btf_dir)
 * returned. 0, or EXIT_AS(EXIT_PERMISSION or EXIT_KERNEL) after one line that names the cause.
 */
int probe_before(const struct probe *p, const struct kernel_features *features, int btf_err,
		 const char *btf_dir);

/* Says why sysfs shows no driver, and returns EXIT_AS(EXIT_KERNEL). */
int probe_no_driver(void);

/*
 * Says why @what ("load the programs", "attach to nvme_setup_cmd") failed with -errno @err, and
 * returns EXIT_AS(EXIT_PERMISSION, EXIT_KERNEL or EXIT_RUNTIME).
 */
int probe_failed(const struct probe *p, int err, const char *what);

#endif
