// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Embedded files: each is found, BPF objects unpack to what libbpf opens, scripts are those of the
 * tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "embed/embed.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

TEST(every_blob_is_found)
{
	int n = 0;

	for (const struct blob *b = embed_blobs; b->kind; b++, n++) {
		assert_ptr_equal(embed_find(b->kind, b->name), b);
		assert_true(b->size > 0);
	}
	assert_true(n > 0);
}

TEST(unknown_is_not_found)
{
	void *object = NULL;
	size_t size;

	assert_null(embed_find("bpf", "nothing"));
	assert_null(embed_find("nothing", "bash"));
	assert_int_equal(embed_bpf("nothing", &object, &size), -ENOENT);
	assert_null(object);
}

TEST(bpf_objects_open)
{
	int n = 0;

	for (const struct blob *b = embed_blobs; b->kind; b++) {
		void *object;
		size_t size;
		if (!streq(b->kind, "bpf"))
			continue;
		n++;
		assert_int_equal(embed_bpf(b->name, &object, &size), 0);
		struct bpf_object *opened = bpf_object__open_mem(object, size, NULL);
		assert_int_equal(libbpf_get_error(opened), 0);
		assert_non_null(bpf_object__next_program(opened, NULL));
		assert_non_null(bpf_object__btf(opened));
		bpf_object__close(opened);
		free(object);
	}
	assert_true(n > 0);
}

/* Tests run from the top of the tree. */
TEST(scripts_are_those_of_the_tree)
{
	static const char *const shells[] = { "bash", "fish", "zsh" };

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		const struct blob *b = embed_find("completion", shells[i]);
		assert_non_null(b);

		char path[64], text[8192];
		snprintf(path, sizeof(path), "completion/nvmetool.%s", shells[i]);
		FILE *f = fopen(path, "re");
		assert_non_null(f);
		size_t size = fread(text, 1, sizeof(text), f);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(b->size, size);
		assert_memory_equal(b->data, text, size);
	}
}
