// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the files of doctor. */
#ifndef NVT_DOCTOR_DOCTOR_H
#define NVT_DOCTOR_DOCTOR_H

#include <sys/utsname.h>

#include "cmd/doctor/checks.h"
#include "lib/host/probe.h"
#include "lib/host/sysfs.h"

struct doctor {
	struct probe p;
	struct kernel_features features;
	struct probe_host host;
	struct sysfs sysfs;
	struct utsname system;
	u32 symbols; /* tracepoints of the driver that are in kallsyms, bit per enum btf_trace */
	bool kallsyms, hidden; /* kallsyms can be read; it shows no addresses */
	int status; /* of the first check that said no */
};

/* Sets verdict and detail. */
__attribute__((format(printf, 3, 4))) void
doctor_say(struct doctor_check *c, enum doctor_verdict verdict, const char *fmt, ...);

/* True when a session would refuse because @need is not met; *c then says so. */
bool doctor_refused(const struct doctor *d, enum probe_need need, struct doctor_check *c);

/* In cmd/doctor/limits.c: what this process may do, and what it can see. */
void doctor_capabilities(const struct doctor *d, struct doctor_check *c);
void doctor_user_stacks(const struct doctor *d, struct doctor_check *c);
void doctor_memlock(const struct doctor *d, struct doctor_check *c);
void doctor_lockdown(const struct doctor *d, struct doctor_check *c);
void doctor_unprivileged_bpf(const struct doctor *d, struct doctor_check *c);
void doctor_perf_event(const struct doctor *d, struct doctor_check *c);
void doctor_seccomp(const struct doctor *d, struct doctor_check *c);
void doctor_bpf(const struct doctor *d, struct doctor_check *c);
void doctor_namespaces(const struct doctor *d, struct doctor_check *c);
void doctor_tracefs(const struct doctor *d, struct doctor_check *c);
void doctor_uprobes(const struct doctor *d, struct doctor_check *c);
void doctor_kallsyms(const struct doctor *d, struct doctor_check *c);
void doctor_cgroup2(const struct doctor *d, struct doctor_check *c);
void doctor_clock(const struct doctor *d, struct doctor_check *c);

#endif
