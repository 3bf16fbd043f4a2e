// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this host allows: a list of checks with a verdict each. They ask the same functions as a
 * session does before it attaches (lib/host/probe.h, lib/btf/features.h), so that both cannot
 * disagree.
 */
#ifndef NVT_DOCTOR_CHECKS_H
#define NVT_DOCTOR_CHECKS_H

#include "lib/base/types.h"

enum doctor_verdict { DOCTOR_OK, DOCTOR_DEGRADED, DOCTOR_NO, DOCTOR_UNKNOWN };

struct doctor_check {
	const char *name; /* "lockdown"; of a tracepoint or function its own name */
	enum doctor_verdict verdict;
	int status; /* of DOCTOR_NO: exit status that a session would end with, 0: follows from another */
	char detail[192]; /* what was found; if degraded what is lost by it */
	const char *remedy; /* NULL: none needed, or none known */
};

typedef void doctor_put(void *ctx, const struct doctor_check *check);

/*
 * Hands each check to @put. @btf_dir as --btf, NULL: the kernel's. 0 or the exit status of a
 * session here.
 */
int doctor_run(const char *btf_dir, doctor_put *put, void *ctx);

/* "ok", "degraded" or "no". */
const char *doctor_word(enum doctor_verdict verdict);

/* What is known of kernel functions of one name. */
struct doctor_function {
	const char *name;
	const char *module; /* NULL: vmlinux, or absent */
	const char *state; /* "traceable", "untraceable", "inlined" or "absent" */
	const char *how; /* "fentry,kprobe", "kprobe", or NULL */
	const char *detail; /* NULL: nothing to add */
};

typedef void doctor_put_function(void *ctx, const struct doctor_function *function);

/*
 * Hands each function whose name matches @glob (* and ?) to @put, by name; a @glob without
 * wildcards that matches none is handed out as absent. What is there is known from kallsyms, its
 * types from BTF, and whether probes can be put on it from tracefs where that is mounted. 0 or
 * -errno of kallsyms.
 */
int doctor_functions(const char *glob, const char *btf_dir, doctor_put_function *put, void *ctx);

#endif
