// SPDX-License-Identifier: GPL-2.0-or-later
/* Files carried inside the binary: BPF objects and completion scripts. */
#ifndef NVT_EMBED_H
#define NVT_EMBED_H

#include <stddef.h>

struct blob {
	const char *kind; /* "bpf" or "completion" */
	const char *name; /* file name without the rest: "latency", "bash" */
	const void *data; /* aligned to 16 bytes, not terminated */
	size_t size; /* bytes */
};

/* Every blob, in the order of build/embed.def; the last one has kind NULL. */
extern const struct blob embed_blobs[];

/* The blob of that kind and name, or NULL. */
const struct blob *embed_find(const char *kind, const char *name);

#endif
