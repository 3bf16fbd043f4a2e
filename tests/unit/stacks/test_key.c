// SPDX-License-Identifier: GPL-2.0-or-later
/* The key of a command is the same, whether the kernel kept it or a recording has the command. */
#include <setjmp.h>
#include <stdarg.h>

// NOLINTNEXTLINE(bugprone-suspicious-include): the translation of the kernel's key is static there
#include "cmd/stacks/stacks.c"
#include "tests/unit/key_sample.h"

#include <cmocka.h> /* last: its fail() is a macro */

#define BIT(key) | 1U << KEY_##key
#define ALL_KEYS (0 STACKS_KEYS(BIT))

/* As on_complete() of bpf/stacks.bpf.c, of a command without stacks. */
static struct stacks_in input(const struct view *v)
{
	const struct event *ev = v->ev;

	return (struct stacks_in){
		.cgroup_id = ev->cgroup_id,
		.comm = ev->comm,
		.kstack_id = STACKS_NONE,
		.ustack_id = STACKS_NONE,
		.pid = ev->pid,
		.queue = ev->queue,
		.ctrl_id = v->queue->ctrl_id,
		.opcode = ev->opcode,
		.admin = v->queue->admin,
		.fctype = ev->fctype,
	};
}

/* The kernel's key of @ev under @by, translated, and that of the same command in replay. */
static void check_key(const struct event *ev, u32 by, u32 flags)
{
	static struct stacks_state run;
	struct session *s = key_session(&run, false);
	struct view v = key_view(s, ev);
	struct stacks_in in = input(&v);
	struct stacks_key kept;
	struct stacks_sum live;
	struct group_key replayed;

	run.cfg = (struct stacks_cfg){ .by = by, .flags = flags };
	key_group(&run.view.group, s, by);
	stacks_key_fill(&kept, &run.cfg, &in);
	memset(&live, 0xaa, sizeof(live));
	portable_key(&live, s, &kept);
	group_key_fill(&replayed, &run.view.group, &v);
	assert_memory_equal(&live.key, &replayed, sizeof(replayed));
}

/* By no key, by each one, by each two, and by all; user stacks have the kernel keep the process. */
static void test_same_key(void **state)
{
	static const u32 flags[] = { 0, STACKS_KERNEL, STACKS_USER, STACKS_KERNEL | STACKS_USER };

	(void)state;
	for (const struct event *ev = key_commands; ev->kind; ev++) {
		for (u32 i = 0; i < ARRAY_SIZE(flags); i++) {
			check_key(ev, 0, flags[i]);
			check_key(ev, ALL_KEYS, flags[i]);
			for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++)
				for (u32 b = a; b < KEY_MAX; b++)
					check_key(ev, (1U << a | 1U << b) & ALL_KEYS, flags[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
