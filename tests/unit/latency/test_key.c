// SPDX-License-Identifier: GPL-2.0-or-later
/* The key of a command is the same, whether the kernel kept it or a recording has the command. */
#include <setjmp.h>
#include <stdarg.h>

// NOLINTNEXTLINE(bugprone-suspicious-include): the translation of the kernel's key is static there
#include "cmd/latency/latency.c"
#include "tests/unit/key_sample.h"

#include <cmocka.h> /* last: its fail() is a macro */

#define BIT(key) | 1U << KEY_##key
#define ALL_KEYS (0 LATENCY_KEYS(BIT))

/* As row_input() of bpf/latency.bpf.c. */
static struct latency_in input(const struct view *v)
{
	const struct event *ev = v->ev;

	return (struct latency_in){
		.cgroup_id = ev->cgroup_id,
		.comm = ev->comm,
		.pid = ev->pid,
		.cmd_flags = ev->cmd_flags,
		.nsid = ev->nsid,
		.queue = ev->queue,
		.bytes = ev->bytes,
		.ctrl_id = v->queue->ctrl_id,
		.qid = ev->qid,
		.cpu = ev->submit_cpu,
		.status = ev->status,
		.opcode = ev->opcode,
		.admin = v->queue->admin,
		.fctype = ev->fctype,
	};
}

/* The kernel's key of @ev under @by, translated, and that of the same command in replay. */
static void check_key(struct session *s, const struct event *ev, u32 by)
{
	struct latency_cfg cfg = { .by = by };
	struct latency_sum live, replayed = { 0 };
	struct view v = key_view(s, ev);
	struct latency_in in = input(&v);
	struct latency_key kept;
	struct group g;

	key_group(&g, s, by);
	memcpy(cfg.size_edge, g.size_edge, sizeof(cfg.size_edge));
	in.cmd_flags &= key_cmd_flags_mask(s);
	latency_key_fill(&kept, &cfg, &in);
	memset(&live, 0xaa, sizeof(live));
	portable_key(&live, &g, &kept);
	group_key_fill(&replayed.key, &g, &v);
	replayed.phase = LATENCY_PHASE_NONE;
	assert_memory_equal(&live, &replayed, LATENCY_KEY_BYTES);
}

/* By no key, by each one, by each two, and by all. */
static void test_same_key(void **state)
{
	struct session *s = key_session(NULL, false);

	(void)state;
	for (const struct event *ev = key_commands; ev->kind; ev++) {
		check_key(s, ev, 0);
		check_key(s, ev, ALL_KEYS);
		for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++)
			for (u32 b = a; b < KEY_MAX; b++)
				check_key(s, ev, 1U << a | 1U << b);
	}
}

/* Lockdown hides the status: the kernel keeps 0, and rows by status say that it is not known. */
static void test_no_status(void **state)
{
	struct session *s = key_session(NULL, true);

	(void)state;
	for (const struct event *ev = key_commands; ev->kind; ev++) {
		struct event hidden = *ev;

		hidden.status = 0;
		hidden.flags |= EVENT_NO_STATUS;
		check_key(s, &hidden, 0);
		check_key(s, &hidden, ALL_KEYS);
		for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++)
			check_key(s, &hidden, 1U << a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_no_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
