// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows and texts of stacks: keys of the kernel, adding up, merging, weights; frames, marks,
 * recorded offsets.
 */
#include "cmd/stacks/functions.h"
#include "lib/view/stacks_sum.h"
#include "lib/view/stacks_texts.h"
#include "lib/base/str.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

/* Addresses mean nothing without their process. */
TEST(key_holds_what_was_asked)
{
	const struct submitter sub = { .kstack_id = 5, .ustack_id = 6, .pid = 7, .worker = 1 };
	struct stacks_key key;

	memset(&key, 0xaa, sizeof(key));
	stacks_key_fill(&key, STACKS_KERNEL, &sub);
	assert_int_equal(key.kstack_id, 5);
	assert_int_equal(key.ustack_id, STACKS_NONE);
	assert_int_equal(key.pid, 0);
	assert_int_equal(key.worker, 1);
	stacks_key_fill(&key, STACKS_USER, &sub);
	assert_int_equal(key.kstack_id, STACKS_NONE);
	assert_int_equal(key.ustack_id, 6);
	assert_int_equal(key.pid, 7);
}

/* Rows of one weight have an order, and the lost ones are last of these. */
TEST(order)
{
	const struct stacks_sum a = { .kstack = 2 }, b = { .kstack = 2, .ustack = 1 },
				c = { .kstack = 3, .worker = 0 },
				d = { .kstack = 3, .key = { .pid = 1 } },
				lost = { .key = { .other = 1 } };
	const struct stacks_sum *const rows[] = { &a, &b, &c, &d, &lost };
	const struct group g = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		for (u32 k = 0; k < ARRAY_SIZE(rows); k++)
			assert_int_equal(stacks_sum_compare(&g, rows[i], rows[k]) < 0, i < k);
}

static const u64 addr[4] = { 0x10, 0x20, 0x30, 0x40 };

static const char *take(struct stacks_texts *t, s32 id, bool user, const char *const *text, u32 n)
{
	const struct stacks_ref ref = { .id = id, .user = user };
	const struct stacks_frames stack = { .addr = addr, .recorded = text, .n = n };

	return stacks_texts_at(t, stacks_texts_take(t, &ref, &stack));
}

TEST(texts)
{
	static const char *const a[] = { "f+0x1 [m]", "g+0x2", "h+x;y" }, *const b[] = {
		"f+0x9 [m]", "g+0x2", "h+x;y"
	};
	static const char *const traced[] = { "__traceiter_block_rq_insert+0x4", "f+0x1" };
	static const char *const broken[] = { "f+0x1", "0x300000001", "g+0x2" };
	const struct stacks_style style = { .depth = 127 };
	const struct stacks_ref known = { .id = 1 }, unknown = { .id = 99 };
	struct stacks_texts *t;

	assert_int_equal(stacks_texts_open(&t, NULL, &style), 0);
	assert_string_equal(take(t, 1, false, a, 3), "f [m];g;h+x,y");
	assert_ptr_equal(take(t, 2, false, b, 3), take(t, 1, false, a, 3));
	assert_string_equal(take(t, 3, false, traced, 2), "f");
	assert_string_equal(take(t, 4, true, traced, 2), "__traceiter_block_rq_insert;f");
	assert_string_equal(take(t, 5, true, b, 1), "f [m];[no frame pointers]");
	assert_string_equal(take(t, 6, false, b, 1), "f [m]");
	assert_string_equal(take(t, 7, true, NULL, 0), "[lost]");
	assert_string_equal(take(t, 8, true, broken, 3), "f;[no frame pointers]");
	assert_string_equal(take(t, 9, false, broken, 3), "f;0x300000001;g");
	assert_true(stacks_texts_known(t, &known) > STACKS_TEXT_ABSENT);
	assert_int_equal(stacks_texts_known(t, &unknown), -1);
	assert_string_equal(stacks_texts_at(t, STACKS_TEXT_ABSENT), "[no user stack]");
	stacks_texts_close(t);
}

TEST(styles)
{
	static const char *const a[] = { "f+0x1 [m]", "g+0x2", "0x7f12 [libc]" };
	const struct stacks_style style = { .depth = 2, .offsets = true, .addresses = true },
				  one = { .depth = 1 };
	struct stacks_texts *t;

	assert_int_equal(stacks_texts_open(&t, NULL, &style), 0);
	assert_string_equal(take(t, 1, false, a, 3), "0x10 f+0x1 [m];0x20 g+0x2");
	stacks_texts_close(t);
	/* One frame because no more were asked for. */
	assert_int_equal(stacks_texts_open(&t, NULL, &one), 0);
	assert_string_equal(take(t, 1, true, a, 1), "f [m]");
	stacks_texts_close(t);
}

static int parse(const char *word, struct stacks_functions *f)
{
	const struct opt_list words = { .word = { word }, .n = 1 };
	struct stderr_capture capture = stderr_begin();
	char said[500];
	int err;

	memset(f, 0, sizeof(*f));
	err = stacks_functions_parse(f, &words);
	stderr_end(&capture, said, sizeof(said));
	return err;
}

TEST(functions)
{
	struct stacks_functions f;
	char many[256] = "a";

	assert_int_equal(parse("nvme_queue_rq,blk_mq_flush_plug_list.part.0", &f), 0);
	assert_int_equal(f.n, 2);
	assert_string_equal(f.list[1], "blk_mq_flush_plug_list.part.0");
	assert_int_not_equal(parse("a,", &f), 0);
	assert_int_not_equal(parse("a,,b", &f), 0);
	assert_int_not_equal(parse("a+0x1", &f), 0);
	assert_int_not_equal(parse("", &f), 0);
	for (u32 i = 1; i < STACKS_PROBES; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",a");
	assert_int_equal(parse(many, &f), 0);
	snprintf(many + strlen(many), sizeof(many) - strlen(many), ",a");
	assert_int_not_equal(parse(many, &f), 0);
	memset(many, 'a', STACKS_FUNCTION_NAME);
	many[STACKS_FUNCTION_NAME] = '\0';
	assert_int_not_equal(parse(many, &f), 0);
}
