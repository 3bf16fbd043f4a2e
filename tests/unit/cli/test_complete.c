// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/complete_value: values from sysfs, in lists, and behind `--opt=`. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lib/base/str.h"
#include "lib/cli/complete.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

/* Two controllers that share a namespace number. */
static int setup(void **state)
{
	static const char *const names[] = { "nvme0/nvme0n1", "nvme0/nvme0n2", "nvme3/nvme3n1" };
	char dir[64];

	scratch_setup(state);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(dir, sizeof(dir), "class/nvme/%s", names[i]);
		scratch_put(*state, dir, "nsid", i == 1 ? "2\n" : "1\n");
		scratch_put(*state, dir, "size", "2048\n");
		*strrchr(dir, '/') = '\0';
		scratch_put(*state, dir, "model", "A\033[31mB\n");
		scratch_put(*state, dir, "state", "live\n");
	}
	return 0;
}

/* Candidates for the value @typed of @option, one per line. */
static void complete(void **state, const char *option, const char *typed, char *text, size_t size)
{
	struct completion c = { .fixed = "", .begun = typed, .sys = *state };
	struct common common;
	struct opt_group groups[COMMON_GROUPS];

	c.f = fmemopen(text, size, "w");
	assert_non_null(c.f);
	common_groups(&cmd_trace, &common, NULL, groups);
	complete_value(&c, &cmd_trace, opt_find(groups, option, 0));
	fclose(c.f);
}

static void expect(void **state, const char *option, const char *typed, const char *want)
{
	char text[65536] = "";

	complete(state, option, typed, text, sizeof(text));
	assert_string_equal(text, want);
}

TEST(present)
{
	expect(state, "ctrl-id", "", "0\tA\\x1b[31mB\n3\tA\\x1b[31mB\n");
	expect(state, "ctrl-id", "0,", "0,3\tA\\x1b[31mB\n");
	expect(state, "nsid", "", "1\tnvme0n1\n2\tnvme0n2\n");
	expect(state, "device", "nvme0n", "nvme0n1\t1m\nnvme0n2\t1m\n");
	expect(state, "device", "nvme0n1,nvme3",
	       "nvme0n1,nvme3\tA\\x1b[31mB\nnvme0n1,nvme3n1\t1m\n");
}

TEST(words)
{
	expect(state, "unit", "n", "ns\tnanoseconds\n");
	expect(state, "qid", "", "admin\tqueue 0\nio\tall I/O queues\n");
	expect(state, "qid", "admin,", "admin,io\tall I/O queues\n");
	expect(state, "opcode", "write-u", "write-uncor\tnvme_cmd_write_uncor\n");
	expect(state, "write", "", ":files\n");
	expect(state, "btf", "", ":dirs\n");
	expect(state, "comm", "x", "");
}

TEST(processes)
{
	char self[16], want[20], text[65536] = "";

	snprintf(self, sizeof(self), "%d", (int)getpid());
	snprintf(want, sizeof(want), "%s\t", self);
	complete(state, "pid", self, text, sizeof(text));
	assert_memory_equal(text, want, strlen(want));
}

TEST_GROUP(setup, scratch_teardown);
