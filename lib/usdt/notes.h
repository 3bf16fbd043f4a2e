// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of an ELF file: its notes of owner "stapsdt", which <sys/sdt.h> makes (SystemTap's
 * wiki, UserSpaceProbeImplementation). The file may be hostile: sizes are bounded, and each number
 * is checked before it is used.
 */
#ifndef NVT_USDT_NOTES_H
#define NVT_USDT_NOTES_H

#include "lib/base/types.h"

/* A place of a probe. Strings are the file's; they may hold any bytes. */
struct usdt_probe {
	const char *provider, *name, *args;
	u64 address; /* as the file has it, without what a loader adds */
	u64 offset; /* of that instruction in the file */
	u64 semaphore; /* offset of its counter in the file; 0: it has none */
};

struct usdt_segment {
	u64 address, offset, size;
	bool executable;
};

#define USDT_SEGMENTS 32

struct usdt_file {
	int fd; /* the caller's */
	u64 size; /* bytes */
	struct usdt_probe *probe;
	u32 n_probes;
	u32 bad; /* notes and places that make no sense, left out */
	struct usdt_segment segment[USDT_SEGMENTS];
	u32 n_segments;
	char *text; /* behind the strings */
	struct usdt_sections *sections;
};

/*
 * Reads the probes of the file open at @fd, which usdt_symbol() and usdt_version() read, too.
 * 0, also without probes; -ENOEXEC: not an ELF file of this machine, or its tables cannot be; or
 * -ENOMEM. usdt_notes_free() in any case.
 */
int usdt_notes_read(struct usdt_file *f, int fd);

/*
 * The value of the one symbol of that name, as the file has it. 0, -ENOENT, -ENOTUNIQ: symbols of
 * different values have the name, or -ENOMEM.
 */
int usdt_symbol(const struct usdt_file *f, const char *name, u64 *value);

/*
 * Finds "SPDK vYY.MM" in the file's constants: YY * 100 + MM, with *pre whether "-pre" follows.
 * 0: it is not there, or there are several.
 */
u32 usdt_version(const struct usdt_file *f, bool *pre);

void usdt_notes_free(struct usdt_file *f);

#endif
