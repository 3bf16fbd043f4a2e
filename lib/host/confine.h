// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives up all that a session no longer needs once it has attached: capabilities, ways to gain new
 * ones, and all system calls but those of lib/host/confine.def. It cannot be undone. Processes that
 * were forked before are not concerned.
 */
#ifndef NVT_HOST_CONFINE_H
#define NVT_HOST_CONFINE_H

#include "lib/base/types.h"

/* The work that a session still does after attaching; bits. */
enum confine_for {
	CONFINE_ALWAYS = 0,
	CONFINE_PROGRAM = 1 << 0, /* there is a program to wait for */
	CONFINE_MAPS = 1 << 1, /* bpf() is called: stacks, rows, counts, lib/loader/wait.c */
	CONFINE_USERS = 1 << 2, /* files of processes are read: user stacks, paths of open files */
	CONFINE_WALK = 1 << 3, /* a program is run by bpf(): lib/loader/walker.h, bpf/freed.h */
	CONFINE_SCREEN = 1 << 4, /* the terminal is a screen: lib/out/screen.h */
	CONFINE_OVERRIDE = 1 << 5, /* files are created in a directory of another user */
	CONFINE_FILES = 1 << 6, /* files are created */
	CONFINE_REPLACE = 1 << 7, /* a file is written aside and renamed */
	CONFINE_SERVE = 1 << 8, /* connections are taken from sockets that listen */
};

/*
 * Confines this process to @what. @map_fd is a map: with CONFINE_MAPS or CONFINE_WALK it is used to try whether
 * this kernel wants CAP_BPF for reading it (before 5.19). Sets *kept to the capabilities that stay,
 * bit per number. 0, or EXIT_AS(EXIT_PERMISSION) after a message.
 */
int confine(u32 what, int map_fd, u64 *kept);

/*
 * Returns the name of capability @i of those that confine() may keep, and sets *of to its bit; NULL
 * past the end.
 */
const char *confine_cap_name(u32 i, u64 *of);

#endif
