// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out what is missing: capabilities, limits, lockdown, BTF, the driver. */
#include "lib/probe.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/str.h"

#define RELEASE(major, minor) ((major) << 8 | (minor))

static u64 read_caps(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (u64)data[1].effective << 32;
}

/* "none [integrity] confidentiality" */
static enum lockdown read_lockdown(void)
{
	char line[80] = "";
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	if (strstr(line, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	return strstr(line, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
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

void probe_read(struct probe *p)
{
	struct rlimit limit;

	memset(p, 0, sizeof(*p));
	p->caps = read_caps();
	p->lockdown = read_lockdown();
	p->user_ns = in_user_ns();
	p->release = read_release();
	p->sysfs = access("/sys/kernel", F_OK) == 0;
	p->nvme_loaded =
		access("/sys/module/nvme_core", F_OK) == 0 || access("/sys/class/nvme", F_OK) == 0;
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

bool probe_tp_btf(const struct probe *p, const struct btf_facts *facts)
{
	if (!facts->in_kernel || facts->args[BTF_TRACE_SETUP_CMD] < 0 ||
	    facts->args[BTF_TRACE_COMPLETE_RQ] < 0)
		return false;
	return facts->nvme_built_in || probe_has(p, PROBE_CAP_SYS_ADMIN);
}

/* Programs cannot be loaded for want of a capability: says which one. 0 when none is missing. */
static int missing_caps(const struct probe *p)
{
	const char *why = NULL;

	if (p->user_ns && (holds(p, PROBE_CAP_BPF) || holds(p, PROBE_CAP_SYS_ADMIN)))
		return fail(EXIT_AS(EXIT_PERMISSION),
			    "capabilities of a user namespace do not count for BPF",
			    "run outside of it, as root of the host", "not permitted to trace");
	if (!probe_has(p, PROBE_CAP_BPF))
		why = probe_has(p, PROBE_CAP_PERFMON) ? "CAP_BPF is missing"
						      : "CAP_BPF and CAP_PERFMON are missing";
	else if (!probe_has(p, PROBE_CAP_PERFMON))
		why = "CAP_PERFMON is missing";
	if (!why)
		return 0;
	return fail(EXIT_AS(EXIT_PERMISSION), why,
		    "run as root, or give the file these: setcap cap_bpf,cap_perfmon+ep FILE",
		    "not permitted to trace");
}

/* Before 5.11 BPF memory counts against RLIMIT_MEMLOCK, which libbpf raises if it may. */
static int memlock_too_low(const struct probe *p)
{
	char what[64];

	if (p->release >= RELEASE(5, 11) || p->memlock_max == UINT64_MAX ||
	    probe_has(p, PROBE_CAP_SYS_RESOURCE))
		return 0;
	snprintf(what, sizeof(what), "RLIMIT_MEMLOCK is %llu KiB",
		 (unsigned long long)p->memlock_max >> 10);
	return fail(EXIT_AS(EXIT_PERMISSION), what,
		    "raise it with ulimit -l unlimited, or add CAP_SYS_RESOURCE",
		    "not permitted to lock the memory that BPF needs");
}

/* Only typed loads (tp_btf) still read kernel memory there. */
static int locked_down(const struct probe *p)
{
	if (p->lockdown != LOCKDOWN_CONFIDENTIALITY)
		return 0;
	return fail(EXIT_AS(EXIT_PERMISSION),
		    "kernel lockdown=confidentiality forbids it to read kernel memory",
		    "boot with lockdown=integrity", "not permitted to trace");
}

static int no_btf(int err, const char *dir)
{
	if (err != -ENOENT)
		return fail(EXIT_AS(EXIT_KERNEL), strerror(-err), NULL, "cannot read %s/vmlinux",
			    dir ? dir : BTF_DIR);
	if (dir && !streq(dir, BTF_DIR))
		return fail(EXIT_AS(EXIT_KERNEL), "no such file",
			    "--btf wants a copy of the kernel's /sys/kernel/btf", "%s/vmlinux",
			    dir);
	return fail(EXIT_AS(EXIT_KERNEL), "this kernel has no BTF, or it is not mounted here",
		    "use a kernel with CONFIG_DEBUG_INFO_BTF, or --btf DIR with a copy of the "
		    "host's /sys/kernel/btf",
		    BTF_DIR "/vmlinux");
}

int probe_before(const struct probe *p, const struct btf_facts *facts, int btf_err,
		 const char *btf_dir)
{
	int err;

	if (!p->sysfs)
		return fail(EXIT_AS(EXIT_KERNEL), "not mounted", "mount -t sysfs sysfs /sys",
			    "/sys");
	if (!p->nvme_loaded && !facts->off.known)
		return fail(EXIT_AS(EXIT_KERNEL), "module nvme_core is not loaded",
			    "load the driver of your drives first: modprobe nvme",
			    "no NVMe driver");
	if (btf_err)
		return no_btf(btf_err, btf_dir);
	err = missing_caps(p);
	if (!err && !probe_tp_btf(p, facts))
		err = locked_down(p);
	return err;
}

static int not_permitted(const struct probe *p, const char *what)
{
	int err = missing_caps(p);

	err = err ? err : memlock_too_low(p);
	err = err ? err : locked_down(p);
	if (err)
		return err;
	return fail(EXIT_AS(EXIT_PERMISSION), "bpf() is refused though no capability is missing",
		    "look for a seccomp filter (container) or a security module that forbids it",
		    "cannot %s", what);
}

int probe_failed(const struct probe *p, int err, const char *what)
{
	char why[64];
	int told;

	switch (-err) {
	case EPERM:
		return not_permitted(p, what);
	case EMFILE:
		snprintf(why, sizeof(why), "RLIMIT_NOFILE is %llu", (unsigned long long)p->nofile);
		return fail(EXIT_AS(EXIT_RUNTIME), why, "raise it with ulimit -n 256", "cannot %s",
			    what);
	case ENOMEM:
		return fail(EXIT_AS(EXIT_RUNTIME), "out of memory",
			    "try a smaller --buffer, or raise the memory limit of the cgroup",
			    "cannot %s", what);
	case ENOENT:
	case ESRCH:
		return fail(EXIT_AS(EXIT_KERNEL), "this kernel lacks what it needs",
			    "run again with -vv to see what", "cannot %s", what);
	case ENOSYS:
		return fail(EXIT_AS(EXIT_KERNEL), "this kernel was built without bpf()",
			    "use a kernel with CONFIG_BPF_SYSCALL", "cannot %s", what);
	default:
		break;
	}
	told = missing_caps(p);
	told = told ? told : locked_down(p);
	if (told)
		return told;
	return fail(EXIT_AS(EXIT_KERNEL), strerror(-err),
		    "run again with -vvv to see what the kernel's verifier says", "cannot %s",
		    what);
}
