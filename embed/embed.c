// SPDX-License-Identifier: GPL-2.0-or-later
/* Places each file named in build/embed.def in the binary and finds it by kind and name. */
#include "embed/embed.h"

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
	".balign 16\n"                                                          \
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
