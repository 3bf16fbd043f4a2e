// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out what tracing lacks here: capabilities, limits, lockdown, BTF, the driver. */
#include "lib/host/probe.h"

#include <bpf/bpf.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/sysfs.h"

#define RELEASE(major, minor) ((major) << 8 | (minor))
#define PCI_PARAMETERS	      "/sys/module/nvme/parameters"

static u64 read_caps(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (u64)data[1].effective << 32;
}

/*
 * Reads the level in brackets: "none [integrity] confidentiality". False when securityfs does not
 * tell.
 */
static bool read_lockdown(enum lockdown *level)
{
	char line[80];

	sysfs_line("/sys/kernel/security", "lockdown", line, sizeof(line));
	*level = strstr(line, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
	if (strstr(line, "[confidentiality]"))
		*level = LOCKDOWN_CONFIDENTIALITY;
	return line[0] != '\0';
}

int probe_try(bool reading)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_K /* add */, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	u32 skip = reading ? 0 : ARRAY_SIZE(insns) - 2;
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "nvmetool_probe", "Dual BSD/GPL",
			       insns + skip, ARRAY_SIZE(insns) - skip, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The inode of the initial user namespace is PROC_USER_INIT_INO on every kernel. */
static bool in_user_ns(void)
{
	char target[64];
	ssize_t len = readlink("/proc/self/ns/user", target, sizeof(target) - 1);

	if (len < 0)
		return false;
	target[len] = '\0';
	return !streq(target, "user:[4026531837]");
}

/* The inode of the initial namespace is PROC_PID_INIT_INO on every kernel. */
int probe_host_pids(void)
{
	char target[64] = "";

	if (readlink("/proc/self/ns/pid", target, sizeof(target) - 1) < 0)
		return -errno;
	return streq(target, "pid:[4026531836]");
}

static u32 read_release(void)
{
	struct utsname name;
	char *end;
	u32 major;

	if (uname(&name) < 0)
		return 0;
	major = (u32)strtoul(name.release, &end, 10);
	return RELEASE(major, *end == '.' ? (u32)strtoul(end + 1, NULL, 10) : 0);
}

static u32 read_number(const char *dir, const char *name)
{
	char line[32];
	long value;

	sysfs_line(dir, name, line, sizeof(line));
	value = strtol(line, NULL, 10);
	return value > 0 ? (u32)value : 0;
}

/* True when the file says 0, and not when it cannot be read. */
static bool is_zero(const char *dir, const char *name)
{
	char line[32];

	sysfs_line(dir, name, line, sizeof(line));
	return streq(line, "0");
}

#define SYSCTL	  "/proc/sys/kernel"
#define MAX_STACK "perf_event_max_stack"

/* 127 where the file is not there: the kernel has no perf events, or they are older. */
static u32 read_max_stack(void)
{
	u32 frames = read_number(SYSCTL, MAX_STACK);

	return frames || is_zero(SYSCTL, MAX_STACK) ? frames : 127;
}

static bool has_sysfs(void)
{
	return access("/sys/kernel", F_OK) == 0;
}

bool probe_driver(void)
{
	return access("/sys/module/nvme_core", F_OK) == 0 || access("/sys/class/nvme", F_OK) == 0;
}

bool probe_transport(void)
{
	static const char *const modules[] = { "nvme",	  "nvme_tcp",  "nvme_rdma",
					       "nvme_fc", "nvme_loop", "nvme_apple" };
	char path[64];

	for (u32 i = 0; i < ARRAY_SIZE(modules); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", modules[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

void probe_read(struct probe *p)
{
	struct rlimit limit;

	memset(p, 0, sizeof(*p));
	p->caps = read_caps();
	p->user_ns = in_user_ns();
	p->lockdown_read = read_lockdown(&p->lockdown);
	if (!p->lockdown_read && probe_has(p, PROBE_CAP_BPF) && probe_has(p, PROBE_CAP_PERFMON) &&
	    !probe_try(false) && probe_try(true))
		p->lockdown = LOCKDOWN_CONFIDENTIALITY;
	p->release = read_release();
	p->cpus = sysfs_cpus(NULL);
	p->perf_paranoid = read_number(SYSCTL, "perf_event_paranoid");
	p->jit_off = is_zero("/proc/sys/net/core", "bpf_jit_enable");
	p->ftrace_off = is_zero(SYSCTL, "ftrace_enabled");
	p->kprobes_off = is_zero("/sys/kernel/debug/kprobes", "enabled");
	p->max_stack = read_max_stack();
	p->kptr_restrict = (u8)read_number(SYSCTL, "kptr_restrict");
	p->sysfs = has_sysfs();
	p->nvme_loaded = probe_driver();
	p->fabrics_loaded = probe_fabrics(NULL);
	p->queue_kinds = read_number(PCI_PARAMETERS, "poll_queues") ||
			 read_number(PCI_PARAMETERS, "write_queues");
	p->memlock_max = UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_max != RLIM_INFINITY)
		p->memlock_max = limit.rlim_max;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		p->nofile = limit.rlim_cur;
}

static bool holds(const struct probe *p, enum probe_cap cap)
{
	return p->caps >> cap & 1;
}

bool probe_has(const struct probe *p, enum probe_cap cap)
{
	if (p->user_ns)
		return false;
	if (cap == PROBE_CAP_BPF || cap == PROBE_CAP_PERFMON)
		return holds(p, cap) || holds(p, PROBE_CAP_SYS_ADMIN);
	return holds(p, cap);
}

bool probe_no_perf(const struct probe *p)
{
	return p->perf_paranoid > 2 && !probe_has(p, PROBE_CAP_SYS_ADMIN);
}

const char *probe_no_tp_btf(const struct probe *p, const struct kernel_features *features)
{
	if (features->args[BTF_TRACE_SETUP_CMD] < 0 || features->args[BTF_TRACE_COMPLETE_RQ] < 0)
		return "the driver's tracepoints are not in BTF";
	/* These kernels also lack the helper that gives the task: both came with 5.11. */
	if (features->args[BTF_TRACE_BIO_QUEUE] > 1)
		return "the tracepoints of the block layer are those before Linux 5.11";
	if (!features->nvme_built_in && !probe_has(p, PROBE_CAP_SYS_ADMIN))
		return "the BTF of a module needs CAP_SYS_ADMIN";
	return NULL;
}

bool probe_tp_btf(const struct probe *p, const struct kernel_features *features)
{
	return !probe_no_tp_btf(p, features);
}

bool probe_trace_there(const struct probe *p, const struct kernel_features *features,
		       enum btf_trace trace, bool tp_btf)
{
	return features_trace_there(features, trace, tp_btf) &&
	       !(p->ftrace_off && features_trace_function(trace));
}

#define ENOTSUPP 524 /* of the kernel: its libc has none */
#define JIT_OFF	 "net.core.bpf_jit_enable is 0"

const char *probe_why(const struct probe *p, int err)
{
	return err == -ENOTSUPP && p->jit_off ? JIT_OFF : err_text(err);
}

const char *probe_kptr_remedy(const struct probe *p)
{
	if (p->kptr_restrict < 2)
		return "add CAP_SYSLOG";
	return probe_has(p, PROBE_CAP_SYSLOG)
		       ? "let it show them: sysctl kernel.kptr_restrict=1"
		       : "add CAP_SYSLOG and let it show them: sysctl kernel.kptr_restrict=1";
}

/* Fills *f and returns true. @why may lie in f->why. */
static bool fault(struct probe_fault *f, int status, const char *what, const char *why,
		  const char *remedy)
{
	f->status = status;
	f->remedy = remedy;
	snprintf(f->what, sizeof(f->what), "%s", what);
	if (why != f->why)
		snprintf(f->why, sizeof(f->why), "%s", why);
	return true;
}

bool probe_guards_recursion(const struct probe *p, const struct kernel_features *features)
{
	return features->recursion_guard || p->release >= RELEASE(6, 1);
}

bool probe_pads_comm(const struct probe *p, const struct kernel_features *features)
{
	return features->comm_padded || p->release >= RELEASE(5, 17);
}

bool probe_fabrics(const char *sysfs)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/class/nvme-fabrics", sysfs ? sysfs : "/sys");
	return access(path, F_OK) == 0;
}

bool probe_skips(const struct probe *p, const struct kernel_features *features,
		 const struct sysfs *sysfs)
{
	if (!probe_guards_recursion(p, features))
		return false;
	if (p->release >= RELEASE(7, 0) || p->fabrics_loaded || p->queue_kinds)
		return true;
	for (u32 i = 0; i < sysfs->n_ctrls; i++) {
		if (sysfs_io_queues(&sysfs->ctrls[i]) < p->cpus)
			return true;
	}
	return false;
}

/* True when programs cannot be loaded because a capability is missing. */
static bool missing_caps(const struct probe *p, struct probe_fault *f)
{
	const char *why = NULL;

	if (p->user_ns && (holds(p, PROBE_CAP_BPF) || holds(p, PROBE_CAP_SYS_ADMIN)))
		return fault(f, EXIT_PERMISSION, "not permitted to trace",
			     "capabilities of a user namespace do not count for BPF",
			     "run outside that namespace, as root of the host");
	if (!probe_has(p, PROBE_CAP_BPF))
		why = probe_has(p, PROBE_CAP_PERFMON) ? "CAP_BPF is missing"
						      : "CAP_BPF and CAP_PERFMON are missing";
	else if (!probe_has(p, PROBE_CAP_PERFMON))
		why = "CAP_PERFMON is missing";
	return why && fault(f, EXIT_PERMISSION, "not permitted to trace", why,
			    "run as root, or give the binary these capabilities: setcap "
			    "cap_bpf,cap_perfmon+ep FILE");
}

/* Before 5.11 BPF memory counts against RLIMIT_MEMLOCK, which libbpf raises if it may. */
static bool memlock_too_low(const struct probe *p, struct probe_fault *f)
{
	if (p->release >= RELEASE(5, 11) || p->memlock_max == UINT64_MAX ||
	    probe_has(p, PROBE_CAP_SYS_RESOURCE))
		return false;
	snprintf(f->why, sizeof(f->why), "RLIMIT_MEMLOCK is %llu KiB",
		 (unsigned long long)p->memlock_max >> 10);
	return fault(f, EXIT_PERMISSION, "cannot lock the memory that BPF needs", f->why,
		     "raise it (ulimit -l unlimited), or add CAP_SYS_RESOURCE");
}

#define LOCKED_DOWN "kernel lockdown=confidentiality forbids reading kernel memory"
#define UNLOCK	    "boot with lockdown=integrity"

static bool locked_down(const struct probe *p, struct probe_fault *f)
{
	return p->lockdown == LOCKDOWN_CONFIDENTIALITY &&
	       fault(f, EXIT_PERMISSION, "not permitted to trace", LOCKED_DOWN, UNLOCK);
}

int probe_locked_down(const char *what)
{
	return fail(EXIT_AS(EXIT_PERMISSION), LOCKED_DOWN, UNLOCK, "%s", what);
}

bool probe_no_status(const struct probe *p, const struct kernel_features *features)
{
	return p->lockdown == LOCKDOWN_CONFIDENTIALITY && !features->rdonly_cast;
}

static bool no_btf(const struct probe_host *h, struct probe_fault *f)
{
	const char *dir = h->btf_dir ? h->btf_dir : BTF_DIR;
	const char *file = h->features->refused ? h->features->refused : "vmlinux";
	char what[sizeof(f->what)];
	bool read = h->btf_err == -ENOENT || h->btf_err == -ESTALE || h->features->refused;

	snprintf(what, sizeof(what), "%s%s/%s", read ? "" : "cannot read ", dir, file);
	if (h->btf_err == -ESTALE)
		return fault(f, EXIT_KERNEL, what, "it is not of the running kernel",
			     "give a copy of this kernel's /sys/kernel/btf, or drop --btf");
	if (h->features->refused)
		return fault(f, EXIT_PERMISSION, what,
			     "whether it is of the running kernel cannot be told here",
			     "run as root: a binary with capabilities takes no other file");
	if (h->btf_err != -ENOENT)
		return fault(f, EXIT_KERNEL, what, err_text(h->btf_err), NULL);
	if (!streq(dir, BTF_DIR))
		return fault(f, EXIT_KERNEL, what, "no such file",
			     "give --btf a copy of /sys/kernel/btf of this kernel");
	return fault(f, EXIT_KERNEL, what, "this kernel has no BTF, or it is not mounted here",
		     "use a kernel with CONFIG_DEBUG_INFO_BTF, or give --btf a copy of the host's "
		     "/sys/kernel/btf");
}

bool probe_fault(const struct probe_host *h, enum probe_need need, struct probe_fault *f)
{
	switch (need) {
	case PROBE_SYSFS:
		return !h->p->sysfs &&
		       fault(f, EXIT_KERNEL, "/sys", "not mounted", "mount -t sysfs sysfs /sys");
	case PROBE_DRIVER:
		return !h->p->nvme_loaded && !h->features->off.known &&
		       fault(f, EXIT_KERNEL, "no NVMe driver", "the module nvme_core is not loaded",
			     "load it: modprobe nvme");
	case PROBE_BTF:
		return h->btf_err && no_btf(h, f);
	case PROBE_CAPS:
		return missing_caps(h->p, f);
	case PROBE_LOCKDOWN: /* only typed loads (tp_btf) still read kernel memory there */
		if (probe_tp_btf(h->p, h->features) || !locked_down(h->p, f))
			return false;
		if (h->features->args[BTF_TRACE_SETUP_CMD] >= 0)
			f->remedy = "add CAP_SYS_ADMIN, or " UNLOCK;
		return true;
	default:
		return memlock_too_low(h->p, f);
	}
}

static int report(const struct probe_fault *f)
{
	return fail(EXIT_AS(f->status), f->why, f->remedy, "%s", f->what);
}

/* Reports the first of the needs before @end that is not met. */
static int report_first(const struct probe_host *host, enum probe_need end)
{
	struct probe_fault f;

	for (u32 need = 0; need < end; need++) {
		if (probe_fault(host, need, &f))
			return report(&f);
	}
	return 0;
}

int probe_before(const struct probe *p, const struct kernel_features *features, int btf_err,
		 const char *btf_dir)
{
	const struct probe_host host = { p, features, btf_err, btf_dir };

	return report_first(&host, PROBE_MEMLOCK);
}

int probe_no_driver(void)
{
	const struct probe p = { .sysfs = has_sysfs() };
	const struct kernel_features features = { 0 };
	const struct probe_host host = { .p = &p, .features = &features };

	return report_first(&host, PROBE_BTF);
}

static int not_permitted(const struct probe *p, const char *what)
{
	struct probe_fault f;

	if (missing_caps(p, &f) || memlock_too_low(p, &f) || locked_down(p, &f))
		return report(&f);
	return fail(
		EXIT_AS(EXIT_PERMISSION),
		"the kernel refuses bpf(), though no capability is missing",
		"check whether a seccomp filter (of a container) or a security module forbids it",
		"cannot %s", what);
}

int probe_failed(const struct probe *p, int err, const char *what)
{
	struct probe_fault f;
	char why[64];

	switch (-err) {
	case EPERM:
		return not_permitted(p, what);
	case EMFILE:
		snprintf(why, sizeof(why), "RLIMIT_NOFILE is %llu", (unsigned long long)p->nofile);
		return fail(EXIT_AS(EXIT_RUNTIME), why, "raise it: ulimit -n 256", "cannot %s",
			    what);
	case ENOMEM:
		return fail(EXIT_AS(EXIT_RUNTIME), "out of memory",
			    "use a smaller --buffer, or raise memory.max of the cgroup",
			    "cannot %s", what);
	case ENOENT:
	case ESRCH:
		return fail(EXIT_AS(EXIT_KERNEL), "this kernel lacks something that they need",
			    "run again with -vv, which shows what it is", "cannot %s", what);
	case ENOTSUPP:
		return fail(EXIT_AS(EXIT_KERNEL), probe_why(p, err),
			    "have BPF compiled: sysctl net.core.bpf_jit_enable=1", "cannot %s",
			    what);
	case ENOSYS:
		return fail(EXIT_AS(EXIT_KERNEL), "this kernel was built without bpf()",
			    "use a kernel with CONFIG_BPF_SYSCALL", "cannot %s", what);
	default:
		break;
	}
	if (missing_caps(p, &f) || locked_down(p, &f))
		return report(&f);
	return fail(EXIT_AS(EXIT_KERNEL), err_text(err),
		    "run again with -vvv, which shows what the verifier of the kernel says",
		    "cannot %s", what);
}
