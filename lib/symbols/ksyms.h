// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel functions, modules and BPF programs included, from /proc/kallsyms. */
#ifndef NVT_SYMBOLS_KSYMS_H
#define NVT_SYMBOLS_KSYMS_H

#include "lib/symbols/symtab.h"

struct ksyms;

/*
 * Opens @path (NULL: /proc/kallsyms), which is read at the first question. Open it before
 * capabilities are dropped: the kernel shows addresses to whoever was privileged at that time. 0 or
 * -errno.
 */
int ksyms_open(struct ksyms **k, const char *path);

/* The function at @addr; sym->name is NULL when there is none or the kernel hides its addresses. */
void ksyms_find(struct ksyms *k, u64 addr, struct sym *sym);

/* True when the kernel hides its addresses (kptr_restrict, no CAP_SYSLOG). */
bool ksyms_hidden(struct ksyms *k);

/* NULL is allowed. */
void ksyms_close(struct ksyms *k);

#endif
