// SPDX-License-Identifier: GPL-2.0-or-later
/* Files carried inside the binary: BPF objects, completion scripts, styles of pages, texts of help. */
#ifndef NVT_EMBED_H
#define NVT_EMBED_H

#include <stddef.h>

struct blob {
	const char *kind; /* "bpf" and "style", packed; "completion", a script; "topic", Markdown */
	const char *name; /* file name without prefix and suffix: "latency", "bash", "hosts" */
	const void *data; /* without a NUL at its end */
	size_t size; /* bytes */
};

/* All blobs, in the order of build/embed.def; the last one has kind NULL. */
extern const struct blob embed_blobs[];

/* The blob of that kind and name, or NULL. */
const struct blob *embed_find(const char *kind, const char *name);

/*
 * Unpacks the packed blob of that kind and name. The caller frees *object; *size is in bytes. 0,
 * -ENOENT: there is none, -ENOMEM, or -EBADMSG: the binary is damaged.
 */
int embed_unpack(const char *kind, const char *name, void **object, size_t *size);
/* The same of the BPF object of that name, for bpf_object__open_mem(). */
int embed_bpf(const char *name, void **object, size_t *size);

#endif
