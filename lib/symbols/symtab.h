// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of functions by address, and how one frame of a stack is written. Used for kernel and
 * user stacks.
 */
#ifndef NVT_SYMBOLS_SYMTAB_H
#define NVT_SYMBOLS_SYMTAB_H

#include "lib/base/types.h"

/* The function at an address. Strings belong to the table that was asked. */
struct sym {
	const char *name; /* NULL: none, print the address */
	const char *module; /* kernel module or file, NULL: none */
	u64 offset; /* from the beginning of the function */
};

/* A function; names are offsets into symtab.text, 0 is none. */
struct symtab_entry {
	u64 addr;
	u32 size; /* 0: not known, up to the next one */
	u32 weight; /* of several at one address, the lightest gives the name */
	u32 name, module;
};

/* Zero-initialise, symtab_add(), symtab_sort(), symtab_find(); symtab_free(). */
struct symtab {
	struct symtab_entry *entry;
	char *text;
	u32 n, room;
	u32 text_len, text_room;
};

/* Keeps a string of @len bytes. Returns its offset, 0 when there is no memory. */
u32 symtab_text(struct symtab *t, const char *s, size_t len);

/* Adds a function. 0 or -ENOMEM. */
int symtab_add(struct symtab *t, const struct symtab_entry *entry);

/* Sorts the table; called once all functions are added. */
void symtab_sort(struct symtab *t);

/* Finds the function that holds @addr; false when there is none. */
bool symtab_find(const struct symtab *t, u64 addr, struct sym *sym);

void symtab_free(struct symtab *t);

/*
 * Writes a frame: "nvme_setup_cmd+0x12 [nvme_core]", without the offset unless @offsets; the
 * address where there is no name, "0x7f12 [libc.so.6]". A name longer than SYM_NAME_MAX, as C++ has
 * them, ends with '~' and a hash of all of it, so that different names stay different. Returns
 * @buf, which VIEW_FRAME bytes always hold: the name of a module is that of a file (NAME_MAX).
 */
#define SYM_NAME_MAX 700
const char *symtab_format(char *buf, size_t size, u64 addr, const struct sym *sym, bool offsets);

#endif
