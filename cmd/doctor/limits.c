// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of doctor on what this process may do here, and what it can see. */
#include <errno.h>
#include <unistd.h>

#include "cmd/doctor/doctor.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/cgroup.h"
#include "lib/loader/uprobes.h"

#define MEMLOCK_ENOUGH (64ULL << 20) /* for the maps of a session, before 5.11 */
#define CAPS_ALL       ((1ULL << 41) - 1) /* up to CAP_CHECKPOINT_RESTORE, 5.9 */

void doctor_capabilities(const struct doctor *d, struct doctor_check *c)
{
	static const struct {
		enum probe_cap cap;
		const char *name;
	} caps[] = {
		{ PROBE_CAP_BPF, " CAP_BPF" },
		{ PROBE_CAP_PERFMON, " CAP_PERFMON" },
		{ PROBE_CAP_SYS_ADMIN, " CAP_SYS_ADMIN" },
		{ PROBE_CAP_SYS_RESOURCE, " CAP_SYS_RESOURCE" },
		{ PROBE_CAP_SYSLOG, " CAP_SYSLOG" },
		{ PROBE_CAP_SYS_PTRACE, " CAP_SYS_PTRACE" },
		{ PROBE_CAP_DAC_READ_SEARCH, " CAP_DAC_READ_SEARCH" },
	};
	char held[160] = "";

	if (doctor_refused(d, PROBE_CAPS, c))
		return;
	for (u32 i = 0; i < ARRAY_SIZE(caps); i++) {
		if (d->p.caps >> caps[i].cap & 1)
			snprintf(held + strlen(held), sizeof(held) - strlen(held), "%s",
				 caps[i].name);
	}
	doctor_say(c, DOCTOR_OK, "%s", (d->p.caps & CAPS_ALL) == CAPS_ALL ? "all" : held + 1);
}

void doctor_user_stacks(const struct doctor *d, struct doctor_check *c)
{
	if (probe_has(&d->p, PROBE_CAP_SYS_PTRACE)) {
		doctor_say(c, DOCTOR_OK, "stacks -u names the functions of every process");
		return;
	}
	doctor_say(c, DOCTOR_DEGRADED, "stacks -u cannot name functions of other users' processes");
	c->remedy = "add CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

void doctor_memlock(const struct doctor *d, struct doctor_check *c)
{
	if (d->p.release >= (5 << 8 | 11))
		doctor_say(c, DOCTOR_OK, "no limit for BPF since Linux 5.11");
	else if (d->p.memlock_max >= MEMLOCK_ENOUGH || !doctor_refused(d, PROBE_MEMLOCK, c))
		doctor_say(c, DOCTOR_OK, "high enough, or CAP_SYS_RESOURCE can raise it");
}

void doctor_lockdown(const struct doctor *d, struct doctor_check *c)
{
	static const char *const words[] = { "none", "integrity" };

	if (doctor_refused(d, PROBE_LOCKDOWN, c))
		return;
	if (d->p.lockdown == LOCKDOWN_CONFIDENTIALITY) {
		doctor_say(c, DOCTOR_DEGRADED, "confidentiality: does not work: stacks%s",
			   probe_no_status(&d->p, &d->features)
				   ? ", status, result and retries, hence errors and --status"
				   : "");
		c->remedy = "boot with lockdown=integrity";
	} else {
		doctor_say(c, d->p.lockdown_read ? DOCTOR_OK : DOCTOR_UNKNOWN, "%s",
			   d->p.lockdown_read ? words[d->p.lockdown]
					      : "securityfs is not mounted here");
	}
}

void doctor_unprivileged_bpf(const struct doctor *d, struct doctor_check *c)
{
	char line[32];

	(void)d;
	sysfs_line("/proc/sys/kernel", "unprivileged_bpf_disabled", line, sizeof(line));
	doctor_say(c, line[0] ? DOCTOR_OK : DOCTOR_UNKNOWN,
		   "%s; this does not matter to a user with CAP_BPF",
		   line[0] ? line : "not visible");
}

void doctor_perf_event(const struct doctor *d, struct doctor_check *c)
{
	bool denied = probe_no_perf(&d->p);

	doctor_say(c, denied ? DOCTOR_DEGRADED : DOCTOR_OK, "%u; %s", d->p.perf_paranoid,
		   denied ? "does not work: stacks --probe, spdk"
			  : "it matters to stacks --probe and spdk only");
	c->remedy = denied ? PROBE_PERF_REMEDY : NULL;
}

/* spdk attaches to processes; those of other users it has to look into as well. */
void doctor_uprobes(const struct doctor *d, struct doctor_check *c)
{
	const char *remedy = NULL, *why;
	struct probe_fault f;
	int err;

	if (probe_fault(&d->host, PROBE_CAPS, &f)) {
		doctor_say(c, DOCTOR_DEGRADED, "does not work: spdk: %s", f.why);
		c->remedy = f.remedy;
		return;
	}
	err = uprobes_try();
	why = err ? uprobes_why(&d->p, err, &remedy) : NULL;
	if (err) {
		doctor_say(c, DOCTOR_DEGRADED, "does not work: spdk: %s",
			   why ? why : err_text(err));
		c->remedy = remedy;
	} else if (!probe_has(&d->p, PROBE_CAP_SYS_PTRACE)) {
		doctor_say(c, DOCTOR_DEGRADED, "does not work: spdk on processes of other users");
		c->remedy = "add CAP_SYS_PTRACE";
	} else {
		doctor_say(c, DOCTOR_OK, "spdk attaches to processes: a test probe was attached");
	}
}

/* Returns the number behind @key in /proc/self/status, see proc(5); -1: it is not there. */
static long status_number(const char *key)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long value = -1;

	while (f && value < 0 && fgets(line, sizeof(line), f)) {
		if (has_prefix(line, key))
			value = strtol(line + strlen(key), NULL, 10);
	}
	if (f)
		fclose(f);
	return value;
}

void doctor_seccomp(const struct doctor *d, struct doctor_check *c)
{
	long mode = status_number("Seccomp:");

	(void)d;
	if (mode < 0)
		doctor_say(c, DOCTOR_UNKNOWN, "not visible");
	else if (!mode)
		doctor_say(c, DOCTOR_OK, "no filter");
	else
		doctor_say(
			c, DOCTOR_OK,
			"a filter is active (a container's?); the check bpf shows whether it forbids BPF");
}

void doctor_bpf(const struct doctor *d, struct doctor_check *c)
{
	struct probe_fault f;
	int err;

	if (probe_fault(&d->host, PROBE_CAPS, &f)) {
		doctor_say(c, DOCTOR_NO, "not tested: capabilities are missing");
		return;
	}
	err = probe_try(false);
	if (!err) {
		doctor_say(c, DOCTOR_OK, "the kernel loads a test program");
		return;
	}
	doctor_say(c, DOCTOR_NO, "the kernel does not load a test program: %s", err_text(err));
	c->status = err == -EPERM || err == -EACCES ? EXIT_PERMISSION : EXIT_KERNEL;
	c->remedy =
		err == -ENOSYS
			? "use a kernel with CONFIG_BPF_SYSCALL"
			: "check whether a seccomp filter (of a container) or a security module forbids it";
}

void doctor_namespaces(const struct doctor *d, struct doctor_check *c)
{
	int ours = probe_host_pids();

	(void)d;
	if (ours < 0) {
		doctor_say(c, DOCTOR_DEGRADED,
			   "/proc is not mounted: user functions have no names");
		c->remedy = "mount -t proc proc /proc";
	} else if (!ours) {
		doctor_say(c, DOCTOR_DEGRADED,
			   "process IDs are those of the host, not of this PID namespace; user "
			   "functions have no names");
		c->remedy = "run in the PID namespace of the host (docker run --pid=host)";
	} else {
		doctor_say(c, DOCTOR_OK, "process IDs are those of the host");
	}
}

void doctor_tracefs(const struct doctor *d, struct doctor_check *c)
{
	bool there = access("/sys/kernel/tracing/events", F_OK) == 0 ||
		     access("/sys/kernel/debug/tracing/events", F_OK) == 0;

	(void)d;
	doctor_say(c, DOCTOR_OK, "%s; not needed", there ? "mounted" : "not visible");
}

void doctor_kallsyms(const struct doctor *d, struct doctor_check *c)
{
	if (d->kallsyms && !d->hidden) {
		doctor_say(c, DOCTOR_OK, "readable, with addresses");
		return;
	}
	doctor_say(c, DOCTOR_DEGRADED, "%s: kernel stacks show addresses instead of names",
		   d->kallsyms ? "addresses are hidden" : "not readable");
	c->remedy = d->kallsyms ? probe_kptr_remedy(&d->p) : NULL;
}

void doctor_cgroup2(const struct doctor *d, struct doctor_check *c)
{
	struct cgroup_table table = { 0 };

	(void)d;
	if (!cgroup_init(&table, NULL)) {
		doctor_say(c, DOCTOR_OK, "mounted at %.120s", table.mount);
	} else {
		doctor_say(c, DOCTOR_DEGRADED,
			   "not mounted: -g does not work, and cgroups have no names");
		c->remedy = "mount -t cgroup2 none /sys/fs/cgroup";
	}
	cgroup_free(&table);
}

void doctor_clock(const struct doctor *d, struct doctor_check *c)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	bool is_slow = false;
	char line[64];

	(void)d;
	sysfs_line("/sys/devices/system/clocksource/clocksource0", "current_clocksource", line,
		   sizeof(line));
	for (u32 i = 0; i < ARRAY_SIZE(slow); i++)
		is_slow |= streq(line, slow[i]);
	doctor_say(c,
		   is_slow   ? DOCTOR_DEGRADED
		   : line[0] ? DOCTOR_OK
			     : DOCTOR_UNKNOWN,
		   "%s%s", line[0] ? line : "not visible",
		   is_slow ? ": slow or coarse, and nvmetool reads it twice per command" : "");
}
