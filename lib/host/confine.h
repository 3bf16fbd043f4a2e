// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives up what a session needs no more once it has attached: capabilities, ways to gain new ones,
 * and all system calls but those of lib/host/confine.def. It cannot be undone; processes forked
 * before are not concerned.
 */
#ifndef NVT_HOST_CONFINE_H
#define NVT_HOST_CONFINE_H

#include "lib/base/types.h"

/* What is done after attaching; bits. */
enum confine_for {
	CONFINE_ALWAYS = 0,
	CONFINE_PROGRAM = 1 << 0, /* there is a program to wait for */
	CONFINE_MAPS = 1 << 1, /* bpf() is called: stacks, rows, counts of the kernel */
	CONFINE_USERS = 1 << 2, /* files of processes are read: user stacks */
	CONFINE_WAIT = 1 << 3, /* bpf() updates a map, with CONFINE_MAPS: see lib/loader/wait.c */
};

/*
 * @map_fd: a map, to try with CONFINE_MAPS whether this kernel wants CAP_BPF for that (before
 * 5.19). Sets *kept to the capabilities that stay, bit per number. In a process with
 * NVMETOOL_SECCOMP=kill (tests) a call that is not in the list kills instead of failing. 0, or
 * EXIT_AS(EXIT_PERMISSION) after a message.
 */
int confine(u32 what, int map_fd, u64 *kept);

/*
 * Name of a capability that confine() may keep, and its bit in *of, by its place in the list; NULL
 * past the end.
 */
const char *confine_cap_name(u32 i, u64 *of);

#endif
