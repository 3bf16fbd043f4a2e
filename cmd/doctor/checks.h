// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checks of doctor, with a verdict each. They ask the same functions as a session does before
 * it attaches (lib/host/probe.h, lib/btf/features.h), so that doctor and sessions agree.
 */
#ifndef NVT_DOCTOR_CHECKS_H
#define NVT_DOCTOR_CHECKS_H

#include "lib/base/types.h"

enum doctor_verdict { DOCTOR_OK, DOCTOR_DEGRADED, DOCTOR_NO, DOCTOR_UNKNOWN };

struct doctor_check {
	const char *name; /* "lockdown", or the name of a tracepoint or function */
	enum doctor_verdict verdict;
	int status; /* with DOCTOR_NO: exit status of a session; 0: follows from another check */
	char detail[192]; /* what was found; if degraded, what is lost */
	const char *remedy; /* NULL: none needed, or none known */
};

typedef void doctor_put(void *ctx, const struct doctor_check *check);

/*
 * Hands each check to @put. @btf_dir is that of --btf; NULL: the kernel's own. Returns 0, or the
 * exit status that a session would have here.
 */
int doctor_run(const char *btf_dir, doctor_put *put, void *ctx);

/* "ok", "degraded" or "no". */
const char *doctor_word(enum doctor_verdict verdict);

/* The kernel functions of one name. */
struct doctor_function {
	const char *name;
	const char *module; /* NULL: vmlinux, or absent */
	const char *state; /* "traceable", "untraceable", "inlined" or "absent" */
	const char *how; /* "fentry,kprobe", "kprobe", or NULL */
	const char *detail; /* NULL: nothing to add */
};

typedef void doctor_put_function(void *ctx, const struct doctor_function *function);

/*
 * Hands each function whose name matches @glob (* and ?) to @put, by name. A @glob without
 * wildcards that matches none is handed out as absent. kallsyms says which functions there are, BTF
 * has their types, and tracefs, where it is mounted, says whether probes can be put on them. 0, or
 * -errno of kallsyms.
 */
int doctor_functions(const char *glob, const char *btf_dir, doctor_put_function *put, void *ctx);

#endif
