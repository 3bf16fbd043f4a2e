// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The types of a BTF file, read in place (Documentation/bpf/btf.rst). libbpf's own reader copies
 * the file and keeps more of each type, of which vmlinux has more than 100 000 and we ask for some
 * fifty. What a type consists of tell the inline functions of <bpf/btf.h>.
 */
#ifndef NVT_BTF_TYPES_H
#define NVT_BTF_TYPES_H

#include "lib/base/types.h"

struct btf_type;

/* A set of kinds of types, of these. */
#define BTF_KIND_BIT(name) (1U << BTF_KIND_##name)

struct btf_types {
	const struct btf_types *base; /* of a module: vmlinux, which it goes on from; or NULL */
	u8 *data; /* the file, perhaps not to be written */
	size_t n_data;
	u32 *at; /* where in it types are, from @first on */
	u32 first, end; /* ids: 1 or the end of @base; behind the last */
	const char *names; /* one behind the other; the last ends with the section */
	u32 names_from, names_end; /* their offsets, as types say them */
};

/*
 * Reads file @path. A module's has @base, which must stay. 0 or -errno: of reading; -EINVAL: no BTF
 * of this byte order, or a type ends behind the file; -ENOMEM. Nothing is held then.
 */
int btf_types_read(struct btf_types *types, const char *path, const struct btf_types *base);

/*
 * The same for vmlinux of the running kernel, whose file is @path: from 6.16 on nothing is copied,
 * from 5.11 on with CAP_SYS_ADMIN it is at once, where of a file the kernel copies each page twice.
 */
int btf_types_read_kernel(struct btf_types *types, const char *path);

/*
 * Whether @types, of a vmlinux, are those of the running kernel; true as well where that cannot be
 * told.
 */
bool btf_types_are_kernels(const struct btf_types *types);

/* All zeroes will do. */
void btf_types_free(struct btf_types *types);

/* Type @id, which is at least types->first and less than types->end. */
static inline const struct btf_type *btf_types_own(const struct btf_types *types, u32 id)
{
	return (const void *)(types->data + types->at[id - types->first]);
}

/* Type @id; NULL: 0 (void), or there is none. It stays with @types. */
static inline const struct btf_type *btf_types_at(const struct btf_types *types, u32 id)
{
	if (types->base && id < types->first)
		types = types->base;
	if (id < types->first || id >= types->end)
		return NULL;
	return btf_types_own(types, id);
}

/* Bytes of @type, with all its members; 0: it is of no kind that we know. */
u32 btf_types_bytes(const struct btf_type *type);

/* The name at @offset, "" for none; NULL: outside the file, which may say anything. */
static inline const char *btf_types_name(const struct btf_types *types, u32 offset)
{
	if (types->base && offset < types->names_from)
		types = types->base;
	return offset < types->names_end ? types->names + (offset - types->names_from) : NULL;
}

/*
 * Which names are worth a closer look, by the first two characters of those that are looked for:
 * nearly all others are told by these, and a kernel has more than 100 000.
 */
struct btf_begins {
	bool with[1 << 12];
};

static inline bool *btf_begin(struct btf_begins *begins, const char *name)
{
	return &begins->with[((u8)name[0] & 63) << 6 | (name[0] ? (u8)name[1] & 63 : 0)];
}

#endif
