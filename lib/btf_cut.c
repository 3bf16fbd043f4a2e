// SPDX-License-Identifier: GPL-2.0-or-later
/* First all types of the kernel that are wanted by name; then each is copied, and what it consists of becomes wanted. */
#include "lib/btf_cut.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/str.h"

#define NAMES	   256 /* of structures in a program: ours have less than 100 */
#define IDS_ENUM   "kernel_type"
#define IDS_PREFIX "KERNEL_TYPE_"

struct cut {
	const struct btf *kernel;
	struct btf *copy;
	u32 *in_copy; /* by type of the kernel: its number in the copy, 0: not wanted */
	u32 *wanted; /* the other way round: 0 is void in both */
	u32 n_wanted;
	u32 n_names;
	struct {
		const char *text;
		size_t len;
	} name[NAMES];
	bool begins[4096]; /* by begin_of() of the names: nearly all others are told by it */
};

/* A number from the first two bytes of a name. */
static u32 begin_of(const char *name)
{
	return ((u8)name[0] & 63) << 6 | ((u8)name[1] & 63);
}

/* Without what libbpf takes for the mark of a flavour: "request___old". */
static size_t essential_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

static int take_names(struct cut *c, const struct btf *local)
{
	for (u32 id = 1; id < btf__type_cnt(local); id++) {
		const struct btf_type *t = btf__type_by_id(local, id);
		const char *name = btf__name_by_offset(local, t->name_off);

		if (!btf_is_composite(t) || !name || !*name)
			continue;
		if (c->n_names == NAMES)
			return -E2BIG;
		c->name[c->n_names].text = name;
		c->name[c->n_names++].len = essential_len(name);
		c->begins[begin_of(name)] = true;
	}
	return 0;
}

static bool is_named(const struct cut *c, const char *name)
{
	for (u32 i = 0; c->begins[begin_of(name)] && i < c->n_names; i++) {
		size_t len = c->name[i].len;

		if (strncmp(name, c->name[i].text, len) == 0 && !name[len])
			return true;
	}
	return false;
}

/* The number in the copy of type @id of the kernel, which is wanted from now on. */
static u32 want(struct cut *c, u32 id)
{
	if (id && id < btf__type_cnt(c->kernel) && !c->in_copy[id]) {
		c->wanted[++c->n_wanted] = id;
		c->in_copy[id] = c->n_wanted;
	}
	return id < btf__type_cnt(c->kernel) ? c->in_copy[id] : 0;
}

static void want_named(struct cut *c)
{
	u32 end = btf__type_cnt(c->kernel);

	for (u32 id = 1; id < end; id++) {
		const struct btf_type *t = btf__type_by_id(c->kernel, id);
		const char *name;

		if (!btf_is_composite(t) || !t->name_off)
			continue;
		name = btf__name_by_offset(c->kernel, t->name_off);
		if (name && is_named(c, name))
			want(c, id);
	}
}

/* Turns the numbers in a copied type into those of the copy. */
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

/* Whether the names in @t are in the file at all, which libbpf takes for granted. */
static bool has_names(const struct btf *btf, const struct btf_type *t)
{
	bool there = btf__name_by_offset(btf, t->name_off);

	for (u32 i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
		there = there && btf__name_by_offset(btf, btf_members(t)[i].name_off);
	for (u32 i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
		there = there && btf__name_by_offset(btf, btf_enum(t)[i].name_off);
	for (u32 i = 0; btf_is_enum64(t) && i < btf_vlen(t); i++)
		there = there && btf__name_by_offset(btf, btf_enum64(t)[i].name_off);
	return there;
}

static int copy_wanted(struct cut *c)
{
	for (u32 i = 1; i <= c->n_wanted; i++) {
		const struct btf_type *t = btf__type_by_id(c->kernel, c->wanted[i]);
		int id = has_names(c->kernel, t) ? btf__add_type(c->copy, c->kernel, t) : -EINVAL;

		if (id < 0)
			return id;
		/* Libbpf has no other way to change a type that it has added. */
		renumber(c, (struct btf_type *)btf__type_by_id(c->copy, id));
	}
	return 0;
}

static int add_ids(struct cut *c, const struct btf *local)
{
	int id = btf__find_by_name_kind(local, IDS_ENUM, BTF_KIND_ENUM), err;
	const struct btf_type *t = btf__type_by_id(local, id < 0 ? 0 : id);

	if (id < 0)
		return 0;
	err = btf__add_enum(c->copy, IDS_ENUM, sizeof(u32));
	for (u32 i = 0; err >= 0 && i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(local, btf_enum(t)[i].name_off);
		s32 there = btf__find_by_name_kind(c->kernel, name + strlen(IDS_PREFIX),
						   BTF_KIND_STRUCT);

		err = btf__add_enum_value(c->copy, name, there < 0 ? 0 : there);
	}
	return err < 0 ? err : 0;
}

static int fill(struct cut *c, const struct btf *local)
{
	size_t types = btf__type_cnt(c->kernel) + 1UL;
	int err;

	c->in_copy = calloc(types, sizeof(*c->in_copy));
	c->wanted = calloc(types, sizeof(*c->wanted));
	c->copy = btf__new_empty();
	if (!c->in_copy || !c->wanted || !c->copy)
		return -ENOMEM;
	err = take_names(c, local);
	if (err)
		return err;
	want_named(c);
	err = copy_wanted(c);
	return err ? err : add_ids(c, local);
}

struct btf *btf_cut(const struct btf *kernel, const struct btf *local)
{
	struct cut c = { .kernel = kernel };
	int err = fill(&c, local);

	free(c.in_copy);
	free(c.wanted);
	if (!err)
		return c.copy;
	btf__free(c.copy);
	errno = -err;
	return NULL;
}
