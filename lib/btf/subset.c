// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts a BTF out of another one: first all wanted types are found by name, then each is copied, and
 * the types it consists of become wanted. The file is written here and not by libbpf, which would
 * look up each name in a table of those that it has.
 */
#include "lib/btf/subset.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/btf/btf_types.h"

#define NAMES	   256 /* bound for names of structures in a program; ours have less than 100 */
#define IDS_ENUM   "kernel_type"
#define IDS_PREFIX "KERNEL_TYPE_"

/* The kinds of types that a structure may consist of. */
#define KIND(name) BTF_KIND_BIT(name)
#define INSIDE                                                                                     \
	(KIND(INT) | KIND(PTR) | KIND(ARRAY) | KIND(STRUCT) | KIND(UNION) | KIND(ENUM) |           \
	 KIND(FWD) | KIND(TYPEDEF) | KIND(VOLATILE) | KIND(CONST) | KIND(RESTRICT) | KIND(FLOAT) | \
	 KIND(TYPE_TAG) | KIND(ENUM64))

/* A section of the new file. */
struct part {
	FILE *to;
	char *bytes;
	size_t n_bytes;
};

struct cut {
	const struct btf_types *kernel;
	struct part types, names;
	u32 names_end; /* bytes written to names, flushed or not */
	u32 *in_copy; /* by id in the kernel: id in the copy, 0: not wanted */
	u32 *wanted; /* by id in the copy: id in the kernel; 0 is void in both */
	u32 n_wanted;
	u32 n_names;
	struct {
		const char *text;
		size_t len;
		bool by_number; /* enum kernel_type asks for its id only; it is not copied */
		u32 id; /* with by_number: id of the first structure of that name */
	} name[NAMES];
	struct btf_begins begins; /* beginnings of all names */
	int err; /* the first error */
};

static void set_err(struct cut *c, int err)
{
	if (!c->err)
		c->err = err;
}

/* Returns the length of @name without a flavour, as libbpf marks them: "request___old". */
static size_t essential_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

static void take_name(struct cut *c, const char *text, size_t len, bool by_number)
{
	if (c->n_names == NAMES) {
		set_err(c, -E2BIG);
		return;
	}
	c->name[c->n_names].text = text;
	c->name[c->n_names].len = len;
	c->name[c->n_names++].by_number = by_number;
	*btf_begin(&c->begins, text) = true;
}

/* Returns the programs' enum kernel_type, or NULL. */
static const struct btf_type *numbers_of(const struct btf *local)
{
	int id = btf__find_by_name_kind(local, IDS_ENUM, BTF_KIND_ENUM);

	return id < 0 ? NULL : btf__type_by_id(local, (u32)id);
}

/* Returns the name of the structure that value @i of @numbers asks for. */
static const char *number_name(const struct btf *local, const struct btf_type *numbers, u32 i)
{
	return btf__name_by_offset(local, btf_enum(numbers)[i].name_off) + strlen(IDS_PREFIX);
}

/* Takes all names that are asked for, those of @numbers first. */
static void take_names(struct cut *c, const struct btf *local, const struct btf_type *numbers)
{
	for (u32 i = 0; numbers && i < btf_vlen(numbers); i++) {
		const char *name = number_name(local, numbers, i);

		take_name(c, name, strlen(name), true);
	}
	for (u32 id = 1; id < btf__type_cnt(local); id++) {
		const struct btf_type *t = btf__type_by_id(local, id);
		const char *name = btf__name_by_offset(local, t->name_off);

		if (btf_is_composite(t) && name && *name)
			take_name(c, name, essential_len(name), false);
	}
}

/* Returns the id that the kernel's type @id will have in the copy, and marks it as wanted. */
static u32 want(struct cut *c, u32 id)
{
	const struct btf_type *t = btf_types_at(c->kernel, id);

	if (!t || !(INSIDE & 1U << btf_kind(t)))
		return 0;
	if (!c->in_copy[id]) {
		c->wanted[++c->n_wanted] = id;
		c->in_copy[id] = c->n_wanted;
	}
	return c->in_copy[id];
}

/* Marks the kernel's type @id, named @name, as wanted if a name asks for it. */
static void want_if_named(struct cut *c, u32 id, const struct btf_type *t, const char *name)
{
	for (u32 i = 0; i < c->n_names; i++) {
		size_t len = c->name[i].len;

		if (strncmp(name, c->name[i].text, len) != 0 || name[len])
			continue;
		if (!c->name[i].by_number)
			want(c, id);
		else if (btf_is_struct(t) && !c->name[i].id)
			c->name[i].id = id;
	}
}

static void want_named(struct cut *c)
{
	for (u32 id = c->kernel->first; id < c->kernel->end; id++) {
		const struct btf_type *t = btf_types_own(c->kernel, id);
		const char *name;

		if (!btf_is_composite(t) || !t->name_off)
			continue;
		name = btf_types_name(c->kernel, t->name_off);
		if (name && *btf_begin(&c->begins, name))
			want_if_named(c, id, t, name);
	}
}

/* Replaces the ids in a copied type by ids of the copy. */
static void renumber(struct cut *c, struct btf_type *t)
{
	if (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))
		t->type = want(c, t->type);
	else if (btf_is_ptr(t))
		t->type = 0;
	else if (btf_is_array(t)) {
		btf_array(t)->type = want(c, btf_array(t)->type);
		btf_array(t)->index_type = want(c, btf_array(t)->index_type);
	}
	for (u32 i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
		btf_members(t)[i].type = want(c, btf_members(t)[i].type);
}

/* Writes @name and returns its offset in the copy. */
static u32 put_name(struct cut *c, const char *name)
{
	u32 at = c->names_end;
	size_t bytes = strlen(name) + 1;

	if (!*name && at)
		return 0;
	if (fwrite(name, bytes, 1, c->names.to) != 1)
		set_err(c, -ENOMEM);
	c->names_end += (u32)bytes;
	return at;
}

static void rename_at(struct cut *c, u32 *offset)
{
	const char *name = btf_types_name(c->kernel, *offset);

	if (!name)
		set_err(c, -EINVAL);
	*offset = put_name(c, name ? name : "");
}

/* Replaces the names' offsets in a copied type. */
static void rename_all(struct cut *c, struct btf_type *t)
{
	rename_at(c, &t->name_off);
	for (u32 i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
		rename_at(c, &btf_members(t)[i].name_off);
	for (u32 i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
		rename_at(c, &btf_enum(t)[i].name_off);
	for (u32 i = 0; btf_is_enum64(t) && i < btf_vlen(t); i++)
		rename_at(c, &btf_enum64(t)[i].name_off);
}

/* Writes @bytes of types. Returns where they lie until the next call, or NULL. */
static void *put_types(struct cut *c, const void *types, size_t bytes)
{
	size_t at = c->types.n_bytes;

	if (fwrite(types, bytes, 1, c->types.to) == 1 && !fflush(c->types.to))
		return c->types.bytes + at;
	set_err(c, -ENOMEM);
	return NULL;
}

static void copy_wanted(struct cut *c)
{
	for (u32 i = 1; !c->err && i <= c->n_wanted; i++) {
		const struct btf_type *t = btf_types_at(c->kernel, c->wanted[i]);
		struct btf_type *copy = put_types(c, t, btf_types_bytes(t));

		if (!copy)
			return;
		renumber(c, copy);
		rename_all(c, copy);
	}
}

/* Writes an enumeration like @numbers whose values are ids in the kernel. */
static void put_numbers(struct cut *c, const struct btf *local, const struct btf_type *numbers)
{
	struct btf_type t = *numbers;

	t.name_off = put_name(c, IDS_ENUM);
	put_types(c, &t, sizeof(t));
	for (u32 i = 0; i < btf_vlen(numbers); i++) {
		struct btf_enum value = {
			.name_off = put_name(
				c, btf__name_by_offset(local, btf_enum(numbers)[i].name_off)),
			.val = (s32)c->name[i].id,
		};

		put_types(c, &value, sizeof(value));
	}
}

static int open_part(struct part *part)
{
	part->to = open_memstream(&part->bytes, &part->n_bytes);
	return part->to ? 0 : -ENOMEM;
}

static int close_part(struct part *part)
{
	return part->to && fclose(part->to) ? -ENOMEM : 0;
}

static int fill(struct cut *c, const struct btf *local)
{
	const struct btf_type *numbers = numbers_of(local);

	c->in_copy = calloc(c->kernel->end, sizeof(*c->in_copy));
	c->wanted = calloc(c->kernel->end + 1UL, sizeof(*c->wanted));
	if (!c->in_copy || !c->wanted || open_part(&c->types) || open_part(&c->names))
		return -ENOMEM;
	put_name(c, "");
	take_names(c, local, numbers);
	if (c->err)
		return c->err;
	want_named(c);
	copy_wanted(c);
	if (numbers)
		put_numbers(c, local, numbers);
	return c->err;
}

/* Joins header, types and names to one BTF. */
static struct btf *join(const struct part *types, const struct part *names)
{
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (u32)types->n_bytes,
		.str_off = (u32)types->n_bytes,
		.str_len = (u32)names->n_bytes,
	};
	size_t bytes = sizeof(h) + types->n_bytes + names->n_bytes;
	u8 *file = malloc(bytes);
	struct btf *btf = NULL;

	if (file) {
		memcpy(file, &h, sizeof(h));
		memcpy(file + sizeof(h), types->bytes, types->n_bytes);
		memcpy(file + sizeof(h) + types->n_bytes, names->bytes, names->n_bytes);
		btf = btf__new(file, (u32)bytes);
	}
	free(file);
	return btf;
}

struct btf *btf_subset(const struct btf_types *kernel, const struct btf *local)
{
	struct cut c = { .kernel = kernel };
	int err = fill(&c, local), types_err = close_part(&c.types),
	    names_err = close_part(&c.names);
	struct btf *btf = NULL;

	if (!err)
		err = types_err ? types_err : names_err;
	if (!err)
		btf = join(&c.types, &c.names);
	free(c.in_copy);
	free(c.wanted);
	free(c.types.bytes);
	free(c.names.bytes);
	if (!btf)
		errno = err ? -err : ENOMEM;
	return btf;
}
