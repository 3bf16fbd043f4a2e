// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places each file named in build/embed.def in the binary, finds it by kind and name, unpacks BPF
 * objects.
 */
#include "embed/embed.h"

#include <errno.h>
#include <lzma.h>

#include "lib/base/str.h"
#include "lib/cli/common.h"

/*
 * One statement, so that the order stays; and the table is the assembler's too, because only it
 * knows the sizes: in C the difference of two arrays is undefined, and compilers make use of that.
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

static const struct object {
	const char *name;
	u32 size; /* bytes, unpacked */
	u32 sums_from, sums_to; /* what add_up() undoes: bytes from its beginning */
} objects[] = {
#define OBJECT(name, size, from, to) { #name, size, from, to },
#include "objects.def"
#undef OBJECT
};

const char *embed_bpf_name(size_t i)
{
	return i < ARRAY_SIZE(objects) ? objects[i].name : NULL;
}

/* Unpacks the first @size bytes of @b; 0, -ENOMEM, or -EBADMSG when it has not so many. */
static int unpack(const struct blob *b, void *to, size_t size)
{
	lzma_stream z = LZMA_STREAM_INIT;

	if (lzma_alone_decoder(&z, UINT64_MAX) != LZMA_OK)
		return -ENOMEM;
	z.next_in = b->data;
	z.avail_in = b->size;
	z.next_out = to;
	z.avail_out = size;
	lzma_ret status = lzma_code(&z, LZMA_RUN);
	lzma_end(&z);
	return (status == LZMA_OK || status == LZMA_STREAM_END) && !z.avail_out ? 0 : -EBADMSG;
}

/*
 * Turns words that embed/pack.sh made differences from those 16 bytes before into what they were.
 */
static void add_up(const struct object *object, void *bytes)
{
	u32 *word = (u32 *)bytes + object->sums_from / sizeof(u32);
	const u32 *end = (u32 *)bytes + object->sums_to / sizeof(u32);

	for (word += 4; word < end; word++)
		*word += word[-4];
}

int embed_bpf(const char *name, void **object, size_t *size)
{
	size_t before = 0, i = 0;

	while (i < ARRAY_SIZE(objects) && !streq(objects[i].name, name))
		before += objects[i++].size;
	if (i == ARRAY_SIZE(objects))
		return -ENOENT;
	*size = objects[i].size;
	char *all = malloc(before + *size);
	if (!all)
		return -ENOMEM;
	int err = unpack(embed_find("bpf", "objects"), all, before + *size);
	if (err) {
		free(all);
		return err;
	}
	memmove(all, all + before, *size);
	add_up(&objects[i], all);
	*object = all;
	return 0;
}
