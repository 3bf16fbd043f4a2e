// SPDX-License-Identifier: GPL-2.0-or-later
/* Flame graphs: frames that stacks share are one, light ones are counted, names are only text. */
#include "lib/view/flame.h"
#include "lib/base/str.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

struct picture {
	char *root, path[256], *text;
	struct flame *flame;
	struct stacks_view view;
};

static int setup(void **state)
{
	struct picture *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->root = scratch_make();
	snprintf(p->path, sizeof(p->path), "%s/flame.svg", p->root);
	p->flame = flame_open();
	assert_non_null(p->flame);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct picture *p = *state;
	int err = scratch_remove(p->root);

	flame_close(p->flame);
	free(p->text);
	free(p);
	return err;
}

static void add(struct picture *p, const char *kstack, u64 weight)
{
	const struct stacks_row row = { .kstack = kstack, .weight = weight };

	assert_int_equal(flame_add(p->flame, &p->view, &row), 0);
}

static void draw(struct picture *p)
{
	const struct output_opts opts = { .format = STACKS_SVG, .file = p->path, .header = true };
	struct out *o;

	assert_int_equal(out_open(&o, &opts, NULL), 0);
	assert_int_equal(out_begin(o), 0);
	out_patient(o, -1);
	flame_draw(p->flame, o, &p->view, (struct svg_head){ .title = "Title", .where = "db1" });
	assert_int_equal(out_close(o), 0);
	p->text = scratch_read(p->path, NULL);
}

static u32 times(const struct picture *p, const char *what)
{
	u32 n = 0;

	/* With sanitizers strstr() looks for the end of the text each time. */
	for (const char *at = p->text; *at; at++)
		n += *at == *what && !strncmp(at, what, strlen(what));
	return n;
}

TEST_WITH(shared_frames_are_one, setup, teardown)
{
	struct picture *p = *state;

	/* "a b" sorts between "a" and what "a" calls, where words are not told apart. */
	add(p, "leaf;a", 1);
	add(p, "x;a b", 4);
	add(p, "a", 3);
	add(p, "other [nvme];a", 2);
	draw(p);
	assert_int_equal(times(p, "<title>"), 5);
	assert_int_equal(times(p, "<title>a: 6 commands, 60.0 %</title>"), 1);
	assert_int_equal(times(p, "<title>a b: 4 commands, 40.0 %</title>"), 1);
	assert_int_equal(times(p, "<g class=\"k3\"><title>other [nvme]: 2 commands, 20.0 %"), 1);
	assert_int_equal(times(p, "left out"), 0);
}

TEST_WITH(light_frames_are_counted, setup, teardown)
{
	struct picture *p = *state;
	char name[32];

	add(p, "heavy", 1000000);
	for (u32 i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "light%u;caller", i);
		add(p, name, 100);
	}
	draw(p);
	assert_int_equal(times(p, "<title>"), 2);
	assert_int_equal(times(p, "<title>caller: 700 commands, 0.1 %"), 1);
	assert_int_equal(times(p, "7 narrower ones are left out."), 2);
}

TEST_WITH(bound_of_frames, setup, teardown)
{
	struct picture *p = *state;
	char stack[4096];
	size_t n;

	/* 1 100 stacks of 20 frames of their own. */
	for (u32 i = 0; i < 1100; i++) {
		n = 0;
		for (u32 frame = 0; frame < 20; frame++)
			n += (size_t)snprintf(stack + n, sizeof(stack) - n, "%sf%u_%u",
					      frame ? ";" : "", i, frame);
		add(p, stack, i < 900 ? 10 : 9);
	}
	draw(p);
	assert_int_equal(times(p, "<title>"), 900 * 20);
	assert_int_equal(times(p, "4000 narrower ones are left out."), 2);
}

/* Written, a name of 500 control characters has 2000. */
TEST_WITH(long_names_have_a_box_each, setup, teardown)
{
	struct picture *p = *state;
	char name[501];

	memset(name, '\x01', sizeof(name));
	name[500] = '\0';
	for (const char *last = "abc"; *last; last++) {
		name[499] = *last;
		add(p, name, (u64)*last);
	}
	draw(p);
	assert_int_equal(times(p, "\\x01a: 97 commands"), 1);
	assert_int_equal(times(p, "\\x01b: 98 commands"), 1);
	assert_int_equal(times(p, "\\x01c: 99 commands"), 1);
}
