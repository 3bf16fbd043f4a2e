// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of user-space functions: the memory map of the process says which file lies at an address,
 * the file's symbol table says which function. Processes end and files are replaced meanwhile; an
 * address that can no longer be named has the reason in place of the file.
 */
#ifndef NVT_SYMBOLS_USYMS_H
#define NVT_SYMBOLS_USYMS_H

#include "lib/symbols/symtab.h"

struct usyms;

/*
 * Opens the tables; @proc is where processes are, NULL is /proc. Maps are kept for 64 processes,
 * symbols for every file met, until they take a gigabyte, which is said once. Processes of other
 * users need CAP_SYS_PTRACE, their files CAP_CHECKPOINT_RESTORE. Files on FUSE, and on file systems
 * that the process has mounted for itself, are not read. 0 or -ENOMEM.
 */
int usyms_open(struct usyms **u, const char *proc);

/*
 * Names @addr of thread group @pid. sym->name NULL: print the address; sym->module is then the
 * file, or "exited" (no such process), "denied" (its map may not be read), "anonymous" (code made
 * at run time that nothing names), "perf-123.map" with a name from there (lib/symbols/perfmap.h), or
 * NULL when nothing is mapped there. A file removed since is read through the
 * process, and called "fio (deleted)". Strings are valid until the next call.
 */
void usyms_find(struct usyms *u, u32 pid, u64 addr, struct sym *sym);

/* NULL is allowed. */
void usyms_close(struct usyms *u);

#endif
