// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/complete_value: values from sysfs, in lists, and behind `--opt=`. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lib/base/str.h"
#include "lib/cli/complete.h"
#include "tests/unit/test.h"

/* Files of two controllers that share a namespace number; directories are made on the way. */
static const char *const files[] = {
	"class/nvme/nvme0/model",	 "class/nvme/nvme0/state",
	"class/nvme/nvme0/nvme0n1/nsid", "class/nvme/nvme0/nvme0n2/nsid",
	"class/nvme/nvme3/model",	 "class/nvme/nvme3/state",
	"class/nvme/nvme3/nvme3n1/nsid", "class/nvme/nvme0/nvme0n1/size",
	"class/nvme/nvme0/nvme0n2/size", "class/nvme/nvme3/nvme3n1/size",
};

/* The content of a file follows from its name. */
static const char *content(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (streq(name, "nsid"))
		return strstr(path, "n2/") ? "2\n" : "1\n";
	return streq(name, "size") ? "2048\n" : streq(name, "model") ? "A\033[31mB\n" : "live\n";
}

static int setup(void **state)
{
	char *root = strdup("/tmp/test_complete.XXXXXX");

	*state = root;
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[256];
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
			*slash = '\0';
			mkdir(path, 0700);
			*slash = '/';
		}
		FILE *f = fopen(path, "w");
		if (!f || fputs(content(path), f) < 0 || fclose(f))
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, files[i]);
		unlink(path);
	}
	/* Deepest first; a directory that is shared goes with its last file. */
	for (int deep = 0; deep < 5; deep++) {
		for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
			snprintf(path, sizeof(path), "%s/%s", (char *)*state, files[i]);
			for (int k = 0; k <= deep && strlen(path) > strlen(*state); k++)
				*strrchr(path, '/') = '\0';
			rmdir(path);
		}
	}
	free(*state);
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

TEST_GROUP(setup, teardown);
