// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of a running process: in its executable and in the libraries that it has mapped, also
 * in another mount namespace and where the files are deleted.
 */
#ifndef NVT_USDT_PROCESS_H
#define NVT_USDT_PROCESS_H

#include "lib/usdt/args.h"
#include "lib/usdt/notes.h"

/* A file that the process has mapped, with probes that are wanted. */
struct usdt_mapped {
	struct usdt_file file; /* open */
	char *path; /* as the process has it */
};

/* A place of a probe, in memory. */
struct usdt_at {
	const struct usdt_probe *probe;
	u32 file; /* index of struct usdt_mapped */
	u64 address;
};

struct usdt_process {
	u32 pid;
	char comm[16];
	struct usdt_mapped *mapped;
	u32 n_mapped, room;
	struct usdt_at *at;
	u32 n_at, at_room;
	u32 version; /* as usdt_version(), of all its files */
	bool pre, versions; /* versions: they differ */
	u32 open; /* files that could be opened */
	u32 closed; /* files that could not be, and the path of one */
	char closed_path[256];
	u32 bad; /* notes that make no sense */
};

/*
 * Reads the probes of @provider in process @pid. 0, also without any; or EXIT_AS(...) after a
 * message that says why the process cannot be looked at. usdt_process_free() in any case.
 */
int usdt_process_read(struct usdt_process *p, u32 pid, const char *provider);

/* usdt_args() of a place. */
int usdt_process_args(const struct usdt_process *p, const struct usdt_at *at,
		      struct usdt_spec *spec, const char *why[USDT_ARGS]);

void usdt_process_free(struct usdt_process *p);

#endif
