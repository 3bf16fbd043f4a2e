// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/btf_types: files as libbpf writes them, and such as nobody should. */
#include <errno.h>

#include <bpf/btf.h>

#include "lib/base/str.h"
#include "lib/btf/btf_types.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

struct world {
	char *dir;
	struct btf *vmlinux, *module;
	struct btf_types types, of_module;
};

/* One type of each kind, and a module that goes on from there. */
static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);

	btf__add_ptr(btf, number);
	btf__add_array(btf, number, number, 3);
	btf__add_struct(btf, "pair", 8);
	btf__add_field(btf, "a", number, 0, 0);
	btf__add_field(btf, "b", number, 32, 0);
	btf__add_union(btf, "either", 4);
	btf__add_field(btf, "c", number, 0, 0);
	btf__add_enum(btf, "colour", 4);
	btf__add_enum_value(btf, "RED", 1);
	btf__add_enum64(btf, "wide", 8, false);
	btf__add_enum64_value(btf, "WIDE", 1ULL << 40);
	btf__add_fwd(btf, "later", BTF_FWD_STRUCT);
	btf__add_typedef(btf, "number_t", number);
	btf__add_volatile(btf, number);
	btf__add_const(btf, number);
	btf__add_restrict(btf, number);
	btf__add_float(btf, "double", 8);
	btf__add_func(btf, "call", BTF_FUNC_STATIC, btf__add_func_proto(btf, number));
	btf__add_var(btf, "counter", BTF_VAR_STATIC, number);
	btf__add_datasec(btf, ".data", 4);
	btf__add_datasec_var_info(btf, number, 0, 4);
	btf__add_decl_tag(btf, "mark", number, -1);
	btf__add_type_tag(btf, "user", number);
	btf__add_struct(btf, "last", 4);
	btf__add_field(btf, "a", number, 0, 0);
	w->vmlinux = btf;
	w->module = btf__new_empty_split(btf);
	btf__add_struct(w->module, "driver", 4);
	btf__add_field(w->module, "at", number, 0, 0);
	w->dir = scratch_make();
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	int err = scratch_remove(w->dir);

	btf_types_free(&w->of_module);
	btf_types_free(&w->types);
	btf__free(w->module);
	btf__free(w->vmlinux);
	free(w);
	return err;
}

/* Compares them with what libbpf says of each type of @btf. */
static void assert_same(const struct btf_types *types, const struct btf *btf)
{
	assert_int_equal(types->end, btf__type_cnt(btf));
	for (u32 id = 1; id < types->end; id++) {
		const struct btf_type *want = btf__type_by_id(btf, id),
				      *t = btf_types_at(types, id);

		assert_non_null(t);
		assert_memory_equal(t, want, btf_types_bytes(t));
		assert_string_equal(btf_types_name(types, t->name_off),
				    btf__name_by_offset(btf, want->name_off));
	}
	assert_null(btf_types_at(types, 0));
	assert_null(btf_types_at(types, types->end));
	assert_null(btf_types_name(types, types->names_end));
}

TEST_WITH(kinds, setup, teardown)
{
	struct world *w = *state;

	scratch_put_btf(w->dir, "vmlinux", w->vmlinux);
	assert_int_equal(scratch_read_types(w->dir, "vmlinux", &w->types, NULL), 0);
	assert_same(&w->types, w->vmlinux);
}

/* Numbers of types and names go on from those of vmlinux. */
TEST_WITH(module, setup, teardown)
{
	struct world *w = *state;
	u32 first = btf__type_cnt(w->vmlinux);
	const struct btf_type *t;

	scratch_put_btf(w->dir, "vmlinux", w->vmlinux);
	scratch_put_btf(w->dir, "driver", w->module);
	assert_int_equal(scratch_read_types(w->dir, "vmlinux", &w->types, NULL), 0);
	assert_int_equal(scratch_read_types(w->dir, "driver", &w->of_module, &w->types), 0);
	assert_int_equal(w->of_module.first, first);
	assert_same(&w->of_module, w->module);
	t = btf_types_at(&w->of_module, first);
	assert_string_equal(btf_types_name(&w->of_module, t->name_off), "driver");
	t = btf_types_at(&w->of_module, btf_members(t)->type);
	assert_ptr_equal(t, btf_types_at(&w->types, 1));
	assert_string_equal(btf_types_name(&w->of_module, t->name_off), "int");
}

/* A file with @change made to its header, or with bytes less: refused, and nothing is held. */
static void assert_refused(struct world *w, size_t at, u32 value, size_t less)
{
	u32 size;
	const void *data = btf__raw_data(w->vmlinux, &size);
	u8 *copy = malloc(size);

	memcpy(copy, data, size);
	if (at < size)
		memcpy(copy + at, &value, sizeof(value));
	scratch_put_bytes(w->dir, "vmlinux", copy, size - less);
	free(copy);
	assert_int_equal(scratch_read_types(w->dir, "vmlinux", &w->types, NULL), -EINVAL);
	assert_null(w->types.data);
	assert_null(w->types.at);
}

TEST_WITH(broken, setup, teardown)
{
	struct world *w = *state;
	const size_t whole = (size_t)-1, first = sizeof(struct btf_header);
	const struct btf_header *h;
	u32 size;

	h = btf__raw_data(w->vmlinux, &size);
	assert_refused(w, offsetof(struct btf_header, magic), 0x9feb, 0); /* of other byte order */
	assert_refused(w, offsetof(struct btf_header, hdr_len), 8, 0);
	assert_refused(w, offsetof(struct btf_header, hdr_len), ~3U, 0);
	assert_refused(w, offsetof(struct btf_header, type_off), ~3U, 0);
	assert_refused(w, offsetof(struct btf_header, type_off), 2, 0);
	assert_refused(w, offsetof(struct btf_header, type_len), size, 0);
	assert_refused(w, offsetof(struct btf_header, type_len), h->type_len - 4, 0);
	assert_refused(w, offsetof(struct btf_header, type_len), h->type_len - 20, 0);
	assert_refused(w, offsetof(struct btf_header, str_off), size, 0);
	assert_refused(w, offsetof(struct btf_header, str_len), h->str_len - 1, 0);
	assert_refused(w, first + offsetof(struct btf_type, info), 0, 0);
	assert_refused(w, first + offsetof(struct btf_type, info), 31U << 24, 0);
	assert_refused(w, first + offsetof(struct btf_type, info),
		       (u32)BTF_KIND_STRUCT << 24 | 0xffff, 0);
	assert_refused(w, whole, 0, 1);
	assert_refused(w, whole, 0, size - first);
	assert_refused(w, whole, 0, size - 1);
	assert_refused(w, whole, 0, size);
}

TEST_WITH(absent, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(scratch_read_types(w->dir, "vmlinux", &w->types, NULL), -ENOENT);
	scratch_put(w->dir, "vmlinux", NULL, NULL);
	assert_true(scratch_read_types(w->dir, "vmlinux", &w->types, NULL) < 0);
}
