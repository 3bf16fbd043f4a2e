// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs of `spdk`, attached to instructions of processes. The kernel puts a breakpoint there
 * in the memory of that process alone, and takes it away when the event is closed.
 */
#ifndef NVT_LOADER_UPROBES_H
#define NVT_LOADER_UPROBES_H

#include "bpf/shared/usdt.h"
#include "lib/host/probe.h"

struct uprobes;

/* Where a program is attached. */
struct uprobe_place {
	u32 target; /* number of the process, below USDT_TARGETS */
	u32 pid;
	int fd; /* the file, open */
	u64 offset; /* of the instruction */
	u64 semaphore; /* offset of its counter, 0: none */
	u64 address; /* of the instruction, in the process */
};

struct uprobes_setup {
	const struct probe *probe; /* stays until uprobes_close() */
	u32 targets, places; /* processes, and places of all together */
	u64 buffer_bytes; /* as --buffer */
	u32 verbose; /* as -v */
};

/* Loads a program for each process. 0 or EXIT_AS(...) after a message. uprobes_close() in any case. */
int uprobes_open(struct uprobes **u, const struct uprobes_setup *setup);

/* Attaches to a place. 0, -EEXIST: another probe is there; or EXIT_AS(...) after a message. */
int uprobes_add(struct uprobes *u, const struct uprobe_place *place, const struct usdt_spec *spec);

/* Descriptor of the map that is a ring of struct usdt_hit. */
int uprobes_ring_fd(const struct uprobes *u);

/* The sum of all CPUs; without a system call. */
void uprobes_counts(const struct uprobes *u, struct usdt_counts *sum);

/* Detaches. After it no hit comes in any more. */
void uprobes_detach(struct uprobes *u);

void uprobes_close(struct uprobes *u); /* NULL is allowed */

/*
 * Attaches a program that does nothing to an instruction of this process that is never run, and
 * detaches it. 0, -ENODEV: this kernel has no uprobes, or -errno.
 */
int uprobes_try(void);

/*
 * Why attaching failed with -errno @err, for a person; then *@remedy helps. NULL: nobody knows.
 */
const char *uprobes_why(const struct probe *p, int err, const char **remedy);

#endif
