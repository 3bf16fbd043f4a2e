// SPDX-License-Identifier: GPL-2.0-or-later
/* Places each file named in build/embed.def in the binary, finds it by kind and name, unpacks BPF objects. */
#include "embed/embed.h"

#include <errno.h>
#include <zlib.h>

#include "lib/str.h"

/*
 * One statement, so that the order stays; and the table is the assembler's too, because only it knows the sizes: in C
 * the difference of two arrays is undefined, and compilers make use of that.
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

/* RFC 1952: a gzip file ends with the size of its content, 32 bits, little-endian. */
static size_t unpacked_size(const struct blob *b)
{
	const u8 *end = (const u8 *)b->data + b->size;

	return end[-4] | end[-3] << 8 | end[-2] << 16 | (size_t)end[-1] << 24;
}

/* 0, or -EBADMSG unless @b unpacks to exactly @size bytes. */
static int unpack(const struct blob *b, void *to, size_t size)
{
	z_stream z = {
		.next_in = (Bytef *)b->data,
		.avail_in = b->size,
		.next_out = to,
		.avail_out = size,
	};

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) /* 16: a gzip header, not zlib's */
		return -ENOMEM;
	int status = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return status == Z_STREAM_END && z.total_out == size ? 0 : -EBADMSG;
}

int embed_bpf(const char *name, void **object, size_t *size)
{
	const struct blob *b = embed_find("bpf", name);

	if (!b)
		return -ENOENT;
	*size = unpacked_size(b);
	*object = malloc(*size);
	if (!*object)
		return -ENOMEM;
	int err = unpack(b, *object, *size);
	if (err)
		free(*object);
	return err;
}
