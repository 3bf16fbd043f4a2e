// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel functions, modules and BPF programs included, from /proc/kallsyms. */
#ifndef NVT_SYMBOLS_KSYMS_H
#define NVT_SYMBOLS_KSYMS_H

#include "lib/symbols/symtab.h"

struct ksyms;

/*
 * Opens @path (NULL: /proc/kallsyms), which is read at the first question. Open it before
 * capabilities are dropped: the kernel shows addresses to a process that was privileged at that
 * time. 0 or -errno.
 */
int ksyms_open(struct ksyms **k, const char *path);

/* The function at @addr; sym->name is NULL when there is none or the kernel hides its addresses. */
void ksyms_find(struct ksyms *k, u64 addr, struct sym *sym);

/* True when the kernel hides its addresses (kptr_restrict, no CAP_SYSLOG). */
bool ksyms_hidden(struct ksyms *k);

/*
 * Finds the functions @names, @n of them, in @path (NULL: /proc/kallsyms), which it reads once: an
 * address for each, 0 where there is none. A name that stands there n times is for the first n
 * functions of it; if there are more, its last address is 0. 0; -EPERM when the kernel hides its
 * addresses, or another -errno of reading: then all are 0.
 */
int ksyms_addresses(const char *path, const char *const *names, u32 n, u64 *addr);

/* NULL is allowed. */
void ksyms_close(struct ksyms *k);

#endif
