// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The types of a BTF file, read in place (Documentation/bpf/btf.rst). libbpf's own reader copies
 * the file and keeps more for each type; vmlinux has more than 100 000 types, and we ask for some
 * fifty. The inline functions of <bpf/btf.h> give a type's members.
 */
#ifndef NVT_BTF_TYPES_H
#define NVT_BTF_TYPES_H

#include "lib/base/types.h"

struct btf_type;

/* One kind of type, as a bit of a set of kinds. */
#define BTF_KIND_BIT(name) (1U << BTF_KIND_##name)

struct btf_types {
	const struct btf_types *base; /* vmlinux, whose ids a module's continue; or NULL */
	u8 *data; /* the file; read-only when mapped */
	size_t n_data;
	u32 *at; /* offset in data by id, from @first on */
	u32 first, end; /* first id (1, or the end of @base), and the one behind the last */
	const char *names; /* the string section */
	u32 names_from, names_end; /* its offsets, as types name them */
};

/*
 * Reads file @path. @base is vmlinux for a module's file, else NULL, and must stay. 0; the -errno
 * of reading; -EINVAL when it is no BTF of this byte order, or a type ends behind the file;
 * -ENOMEM. After an error nothing is held.
 */
int btf_types_read(struct btf_types *types, const char *path, const struct btf_types *base);

/*
 * The same for vmlinux of the running kernel, whose file is @path, with less copying: from 6.16 on
 * the file is mapped; from 5.11 on, with CAP_SYS_ADMIN, the kernel copies it at once, and not page
 * by page as from a file.
 */
int btf_types_read_kernel(struct btf_types *types, const char *path);

/* Whose types a file has. */
enum btf_origin {
	BTF_OWN, /* the running kernel's */
	BTF_FOREIGN,
	BTF_UNKNOWN, /* neither /sys/kernel/btf nor the kernel tells */
};

/* Compares @types, of "vmlinux" or of a module, with those of the running kernel. */
enum btf_origin btf_types_origin(const struct btf_types *types, const char *name);

/* Frees @types; a zeroed struct is allowed. */
void btf_types_free(struct btf_types *types);

/* Returns type @id of this file: types->first <= @id < types->end. */
static inline const struct btf_type *btf_types_own(const struct btf_types *types, u32 id)
{
	return (const void *)(types->data + types->at[id - types->first]);
}

/*
 * Returns type @id, NULL for 0 (void) and for an id that is not there. It is valid as long as
 * @types.
 */
static inline const struct btf_type *btf_types_at(const struct btf_types *types, u32 id)
{
	if (types->base && id < types->first)
		types = types->base;
	if (id < types->first || id >= types->end)
		return NULL;
	return btf_types_own(types, id);
}

/* Returns the size of @type with all its members; 0 for an unknown kind. */
u32 btf_types_bytes(const struct btf_type *type);

/*
 * Returns the name at @offset, "" for a type without name; NULL when @offset lies outside the file.
 */
static inline const char *btf_types_name(const struct btf_types *types, u32 offset)
{
	if (types->base && offset < types->names_from)
		types = types->base;
	return offset < types->names_end ? types->names + (offset - types->names_from) : NULL;
}

/*
 * A set of the first two characters of all names that are searched for. It rules out nearly all of
 * the kernel's more than 100 000 names without comparing them.
 */
struct btf_begins {
	bool with[1 << 12];
};

static inline bool *btf_begin(struct btf_begins *begins, const char *name)
{
	return &begins->with[((u8)name[0] & 63) << 6 | (name[0] ? (u8)name[1] & 63 : 0)];
}

#endif
