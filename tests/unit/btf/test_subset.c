// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/btf_subset: what a program is relocated by, from the BTF of a kernel made up for the test. */
#include <errno.h>

#include <bpf/btf.h>

#include "lib/base/str.h"
#include "lib/btf/subset.h"
#include "lib/btf/btf_types.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

struct world {
	char *dir;
	struct btf *kernel, *local, *cut;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->dir = scratch_make();
	w->kernel = btf__new_empty();
	w->local = btf__new_empty();
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	int err = scratch_remove(w->dir);

	btf__free(w->cut);
	btf__free(w->kernel);
	btf__free(w->local);
	free(w);
	return err;
}

static const struct btf_type *type_of(const struct btf *btf, const char *name, u32 kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id < 0 ? NULL : btf__type_by_id(btf, id);
}

/* Member @i of @t, with its type, and the name and offset that are expected. */
static const struct btf_type *member(const struct btf *btf, const struct btf_type *t, u32 i,
				     const char *name, u32 bytes)
{
	assert_true(i < btf_vlen(t));
	assert_string_equal(btf__name_by_offset(btf, btf_members(t)[i].name_off), name);
	assert_int_equal(btf_member_bit_offset(t, i), bytes * 8);
	return btf__type_by_id(btf, btf_members(t)[i].type);
}

/*
 * struct other { int a; }; struct inner { int at[4]; };
 * struct request { const word_t flags; struct inner in; struct other *link; union { int tag; }; };
 */
static void add_kernel(struct btf *kernel)
{
	int number = btf__add_int(kernel, "int", 4, BTF_INT_SIGNED);
	int other = btf__add_struct(kernel, "other", 4);
	int array, inner, word, pointer, either;

	btf__add_field(kernel, "a", number, 0, 0);
	array = btf__add_array(kernel, number, number, 4);
	inner = btf__add_struct(kernel, "inner", 16);
	btf__add_field(kernel, "at", array, 0, 0);
	word = btf__add_const(kernel, btf__add_typedef(kernel, "word_t", number));
	pointer = btf__add_ptr(kernel, other);
	either = btf__add_union(kernel, NULL, 4);
	btf__add_field(kernel, "tag", number, 0, 0);
	btf__add_struct(kernel, "request", 40);
	btf__add_field(kernel, "flags", word, 0, 0);
	btf__add_field(kernel, "in", inner, 32, 0);
	btf__add_field(kernel, "link", pointer, 192, 0);
	btf__add_field(kernel, NULL, either, 256, 0);
}

static void add_local(struct btf *local, const char *name)
{
	int number = btf__add_int(local, "int", 4, 0);

	btf__add_struct(local, name, 4);
	btf__add_field(local, "flags", number, 0, 0);
}

/* Returns the types that are cut out of the kernel's, once these are a file. */
static struct btf *cut_out(const struct world *w)
{
	struct btf_types types;
	struct btf *cut;

	scratch_put_btf(w->dir, "vmlinux", w->kernel);
	assert_int_equal(scratch_read_types(w->dir, "vmlinux", &types, NULL), 0);
	cut = btf_subset(&types, w->local);
	btf_types_free(&types);
	return cut;
}

/*
 * A flavour stands for the structure; all that lies in it comes along, what it points to does not.
 */
TEST_WITH(within, setup, teardown)
{
	struct world *w = *state;
	const struct btf_type *t, *m;

	add_kernel(w->kernel);
	add_local(w->local, "request___old");
	w->cut = cut_out(w);
	assert_non_null(w->cut);
	t = type_of(w->cut, "request", BTF_KIND_STRUCT);
	assert_non_null(t);
	assert_int_equal(t->size, 40);
	assert_int_equal(btf_vlen(t), 4);
	m = member(w->cut, t, 0, "flags", 0);
	assert_true(btf_is_const(m));
	m = btf__type_by_id(w->cut, m->type);
	assert_true(btf_is_typedef(m));
	assert_true(btf_is_int(btf__type_by_id(w->cut, m->type)));
	m = member(w->cut, t, 1, "in", 4);
	assert_string_equal(btf__name_by_offset(w->cut, m->name_off), "inner");
	m = member(w->cut, m, 0, "at", 0);
	assert_true(btf_is_array(m));
	assert_int_equal(btf_array(m)->nelems, 4);
	assert_true(btf_is_int(btf__type_by_id(w->cut, btf_array(m)->type)));
	m = member(w->cut, t, 2, "link", 24);
	assert_true(btf_is_ptr(m));
	assert_int_equal(m->type, 0);
	m = member(w->cut, t, 3, "", 32);
	assert_true(btf_is_union(m));
	member(w->cut, m, 0, "tag", 0);
	assert_null(type_of(w->cut, "other", BTF_KIND_STRUCT));
}

/* A name is taken whole: neither what begins with it, nor what it begins with. */
TEST_WITH(other_names, setup, teardown)
{
	struct world *w = *state;

	add_kernel(w->kernel);
	add_local(w->local, "request_queue");
	btf__add_struct(w->local, "req", 0);
	w->cut = cut_out(w);
	assert_non_null(w->cut);
	assert_int_equal(btf__type_cnt(w->cut), 1);
}

/* The numbers that types have in the kernel's BTF, not in the copy. */
TEST_WITH(numbers, setup, teardown)
{
	struct world *w = *state;
	const struct btf_type *t;

	add_kernel(w->kernel);
	add_local(w->local, "inner");
	btf__add_enum(w->local, "kernel_type", 4);
	btf__add_enum_value(w->local, "KERNEL_TYPE_request", 0);
	btf__add_enum_value(w->local, "KERNEL_TYPE_absent", 1);
	w->cut = cut_out(w);
	assert_non_null(w->cut);
	t = type_of(w->cut, "kernel_type", BTF_KIND_ENUM);
	assert_non_null(t);
	assert_int_equal(btf_vlen(t), 2);
	assert_string_equal(btf__name_by_offset(w->cut, btf_enum(t)[0].name_off),
			    "KERNEL_TYPE_request");
	assert_int_equal(btf_enum(t)[0].val,
			 btf__find_by_name_kind(w->kernel, "request", BTF_KIND_STRUCT));
	assert_int_equal(btf_enum(t)[1].val, 0);
	assert_null(type_of(w->cut, "request", BTF_KIND_STRUCT));
}

/* A file may say anything: members of a type that is not there, names outside of it. */
TEST_WITH(broken, setup, teardown)
{
	struct world *w = *state;
	struct btf_type *t;
	int id;

	id = btf__add_struct(w->kernel, "request", 8);
	btf__add_field(w->kernel, "lost", 4711, 0, 0);
	add_local(w->local, "request");
	w->cut = cut_out(w);
	assert_non_null(w->cut);
	assert_int_equal(btf_members(type_of(w->cut, "request", BTF_KIND_STRUCT))->type, 0);

	btf__add_int(w->kernel, "later", 4, 0); /* so that libbpf makes the file anew */
	t = (struct btf_type *)btf__type_by_id(w->kernel, id);
	btf_members(t)->name_off = 1U << 20;
	assert_null(cut_out(w));
	assert_int_equal(errno, EINVAL);
}
