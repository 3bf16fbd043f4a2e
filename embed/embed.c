// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places each file named in build/embed.def in the binary and finds it by kind and name. BPF
 * objects and styles are compressed by gzip, each by itself: a command unpacks only the one that it
 * needs.
 */
#include "embed/embed.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "lib/base/str.h"
#include "lib/base/types.h"

#define WINDOW_GZIP 16 /* added to the window of inflateInit2(): the data has gzip's header */

/*
 * All of it is one statement, so that the order stays. The assembler makes the table too, because
 * it alone knows the sizes: in C the difference of pointers into two arrays is undefined, and
 * compilers make use of that.
 */
/* clang-format off */
__asm__(
	".pushsection .data.rel.ro.embed, \"aw\"\n"
	".balign 8\n"
	".globl embed_blobs\n"
	"embed_blobs:\n"
#define BLOB(kind, name, file)                                                  \
	".pushsection .rodata.embed, \"a\"\n"                                   \
	".Lkind_" #kind "_" #name ": .string \"" #kind "\"\n"                   \
	".Lname_" #kind "_" #name ": .string \"" #name "\"\n"                   \
	".Ldata_" #kind "_" #name ": .incbin \"" file "\"\n"                    \
	".Lend_" #kind "_" #name ":\n"                                          \
	".popsection\n"                                                         \
	".quad .Lkind_" #kind "_" #name ", .Lname_" #kind "_" #name "\n"        \
	".quad .Ldata_" #kind "_" #name "\n"                                    \
	".quad .Lend_" #kind "_" #name " - .Ldata_" #kind "_" #name "\n"
#include "embed.def"
#undef BLOB
	".quad 0, 0, 0, 0\n"
	".popsection\n");
/* clang-format on */

const struct blob *embed_find(const char *kind, const char *name)
{
	for (const struct blob *b = embed_blobs; b->kind; b++) {
		if (streq(b->kind, kind) && streq(b->name, name))
			return b;
	}
	return NULL;
}

/* The size of the unpacked data, with which gzip ends, little-endian. */
static size_t unpacked_size(const struct blob *gzip)
{
	u32 size;

	memcpy(&size, (const char *)gzip->data + gzip->size - sizeof(size), sizeof(size));
	return le32toh(size);
}

/* Unpacks @gzip to @to, which has @size bytes; 0, -ENOMEM, or -EBADMSG. */
static int unpack(const struct blob *gzip, void *to, size_t size)
{
	z_stream z = { .next_in = (void *)gzip->data,
		       .avail_in = gzip->size,
		       .next_out = to,
		       .avail_out = size };

	if (inflateInit2(&z, MAX_WBITS + WINDOW_GZIP) != Z_OK)
		return -ENOMEM;
	int status = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return status == Z_STREAM_END && !z.avail_out ? 0 : -EBADMSG;
}

int embed_unpack(const char *kind, const char *name, void **object, size_t *size)
{
	const struct blob *gzip = embed_find(kind, name);

	if (!gzip)
		return -ENOENT;
	*size = unpacked_size(gzip);
	void *bytes = malloc(*size);
	if (!bytes)
		return -ENOMEM;
	int err = unpack(gzip, bytes, *size);
	if (err) {
		free(bytes);
		return err;
	}
	*object = bytes;
	return 0;
}

int embed_bpf(const char *name, void **object, size_t *size)
{
	return embed_unpack("bpf", name, object, size);
}
