// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/select: every form of the selection options, and names that mean devices. */
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/shared/filter.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/host/probe.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

/*
 * nvme0: namespaces 1 and 2, a partition on the first; nvme1 and nvme3: two paths to nvme1n1. The
 * file takes what fail() prints.
 */
struct world {
	struct device_dir dir;
	struct selection sel;
	struct filter f;
	struct stderr_capture messages;
};

static struct sysfs_ctrl ctrls[] = {
	{ .name = "nvme0", .ctrl_id = 0 },
	{ .name = "nvme1", .ctrl_id = 1 },
	{ .name = "nvme3", .ctrl_id = 3 },
};

static struct sysfs_ns namespaces[] = {
	{ .name = "nvme0n1", .head = "nvme0n1", .nsid = 1, .major = 259, .lba_bytes = 4096 },
	{ .name = "nvme0n2", .head = "nvme0n2", .nsid = 2, .major = 259, .minor = 1 },
	{ .name = "nvme1c1n1",
	  .head = "nvme1n1",
	  .ctrl_id = 1,
	  .nsid = 7,
	  .major = 259,
	  .minor = 5,
	  .lba_bytes = 512,
	  .path = true },
	{ .name = "nvme1c3n1",
	  .head = "nvme1n1",
	  .ctrl_id = 3,
	  .nsid = 7,
	  .major = 259,
	  .minor = 5,
	  .lba_bytes = 512,
	  .path = true },
};

static struct sysfs_part parts[] = {
	{ .name = "nvme0n1p2",
	  .head = "nvme0n1",
	  .major = 259,
	  .minor = 3,
	  .start_bytes = 1 << 20,
	  .size_bytes = 1 << 20 },
	{ .name = "nvme1n1p1",
	  .head = "nvme1n1",
	  .major = 259,
	  .minor = 6,
	  .start_bytes = 4096,
	  .size_bytes = 512 },
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	const struct sysfs sysfs = { .ctrls = ctrls,
				     .ns = namespaces,
				     .parts = parts,
				     .n_ctrls = 3,
				     .n_ns = 4,
				     .n_parts = 2 };

	assert_int_equal(device_add_sysfs(&w->dir, &sysfs), 0);
	w->messages = stderr_begin();
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	char buf[2000];

	stderr_end(&w->messages, buf, sizeof(buf));
	device_dir_free(&w->dir);
	free(w);
	return 0;
}

/* Builds with one more word of an option, the only one of its kind. */
static int build(struct world *w, struct opt_list *list, const char *word)
{
	list->word[0] = word;
	list->n = 1;
	return select_filter(&w->f, &w->sel, &w->dir);
}

/* The messages since the last call hold @text. */
static void said(struct world *w, const char *text)
{
	char buf[2000];

	stderr_end(&w->messages, buf, sizeof(buf));
	w->messages = stderr_begin();
	if (!strstr(buf, text))
		fail_msg("'%s' is not in: %s", text, buf);
}

static void assert_range32(const struct range32 *r, u32 lo, u32 hi)
{
	assert_int_equal(r->lo, lo);
	assert_int_equal(r->hi, hi);
}

static void assert_range64(const struct range64 *r, u64 lo, u64 hi)
{
	assert_int_equal(r->lo, lo);
	assert_int_equal(r->hi, hi);
}

TEST_WITH(nothing, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(select_filter(&w->f, &w->sel, &w->dir), 0);
	assert_true(w->f.io);
	assert_false(w->f.admin);
	w->sel.admin = true;
	w->sel.min_lat_ns = 500000;
	assert_int_equal(select_filter(&w->f, &w->sel, &w->dir), 0);
	assert_true(w->f.admin);
	assert_int_equal(w->f.min_lat_ns, 500000);
}

TEST_WITH(ctrl, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.ctrl, "3,0-1"), 0);
	assert_int_equal(w->f.n_ctrl, 2);
	assert_range32(&w->f.ctrl[0], 3, 3);
	assert_range32(&w->f.ctrl[1], 0, 1);
	assert_int_equal(build(w, &w->sel.ctrl, "nvme3"), 0);
	assert_range32(&w->f.ctrl[0], 3, 3);
	assert_int_equal(build(w, &w->sel.ctrl, "1-"), 0);
	assert_range32(&w->f.ctrl[0], 1, INT32_MAX);
	assert_int_equal(build(w, &w->sel.ctrl, "-1"), 0);
	assert_int_equal(w->f.n_ctrl, 0);
	assert_int_equal(build(w, &w->sel.ctrl, "0,-1"), 0);
	assert_int_equal(w->f.n_ctrl, 0);
}

TEST_WITH(ctrl_absent, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.ctrl, "7"), EXIT_AS(EXIT_NOTHING));
	said(w, "error: -c 7: no such controller; known: nvme0 nvme1 nvme3 nvme0n1");
	assert_int_equal(build(w, &w->sel.ctrl, "4000000000"), EXIT_AS(EXIT_NOTHING));
	device_dir_free(&w->dir);
	assert_int_equal(build(w, &w->sel.ctrl, "0"), EXIT_AS(EXIT_NOTHING));
	said(w, "there is no controller");
}

TEST_WITH(nsid, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.nsid, "1-2,7"), 0);
	assert_int_equal(w->f.n_nsid, 2);
	assert_range32(&w->f.nsid[0], 1, 2);
	assert_int_equal(build(w, &w->sel.nsid, "0xffffffff"), 0);
	assert_range32(&w->f.nsid[0], UINT32_MAX, UINT32_MAX);
	assert_int_equal(build(w, &w->sel.nsid, "5"), EXIT_AS(EXIT_NOTHING));
	said(w, "error: -n 5: no such namespace");
	w->dir.live = false; /* a recording may hold commands to namespaces without a queue */
	assert_int_equal(build(w, &w->sel.nsid, "5"), 0);
}

static void assert_dev(const struct filter_dev *dev, s32 ctrl_id, u32 nsid, u64 lo, u64 hi)
{
	assert_int_equal(dev->ctrl_id, ctrl_id);
	assert_int_equal(dev->nsid, nsid);
	assert_range64(&dev->lba, lo, hi);
}

TEST_WITH(device, setup, teardown)
{
	static const char *const first[] = { "nvme0n1", "/dev/nvme0n1", "259:0", "ng0n1" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		assert_int_equal(build(w, &w->sel.device, first[i]), 0);
		assert_int_equal(w->f.n_dev, 1);
		assert_dev(&w->f.dev[0], 0, 1, 0, ~0ULL);
	}
	assert_int_equal(build(w, &w->sel.device, "nvme3,nvme0n2"), 0);
	assert_int_equal(w->f.n_dev, 2);
	assert_dev(&w->f.dev[0], 3, 0, 0, ~0ULL);
	assert_dev(&w->f.dev[1], 0, 2, 0, ~0ULL);
}

TEST_WITH(partition, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.device, "nvme0n1p2"), 0);
	assert_int_equal(w->f.n_dev, 1);
	assert_dev(&w->f.dev[0], 0, 1, 256, 511);
	assert_int_equal(build(w, &w->sel.device, "259:3"), 0);
	assert_dev(&w->f.dev[0], 0, 1, 256, 511);
	assert_int_equal(build(w, &w->sel.device, "nvme1n1p1"), 0);
	assert_int_equal(w->f.n_dev, 2); /* by either path */
	assert_dev(&w->f.dev[0], 1, 7, 8, 8);
	assert_dev(&w->f.dev[1], 3, 7, 8, 8);
}

TEST_WITH(multipath, setup, teardown)
{
	static const char *const heads[] = { "nvme1n1", "259:5" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		assert_int_equal(build(w, &w->sel.device, heads[i]), 0);
		assert_int_equal(w->f.n_dev, 2);
		assert_dev(&w->f.dev[0], 1, 7, 0, ~0ULL);
		assert_dev(&w->f.dev[1], 3, 7, 0, ~0ULL);
	}
	assert_int_equal(build(w, &w->sel.device, "nvme1c3n1"), 0);
	assert_int_equal(w->f.n_dev, 1);
	assert_dev(&w->f.dev[0], 3, 7, 0, ~0ULL);
}

/* A second path to nvme1n1 and a partition on it come later. */
TEST_WITH(device_comes, setup, teardown)
{
	const struct sysfs before = { .ctrls = ctrls,
				      .ns = namespaces,
				      .parts = parts,
				      .n_ctrls = 2,
				      .n_ns = 3,
				      .n_parts = 1 };
	struct world *w = *state;
	struct device_dir later = w->dir;

	memset(&w->dir, 0, sizeof(w->dir));
	assert_int_equal(device_add_sysfs(&w->dir, &before), 0);
	assert_int_equal(build(w, &w->sel.device, "nvme0n1p2,nvme1n1"), 0);
	assert_false(select_lacks(&w->f, &w->sel, &w->dir));
	assert_true(select_lacks(&w->f, &w->sel, &later));
	assert_int_equal(build(w, &w->sel.device, "nvme0,nvme1c1n1,nvme0n2"), 0);
	assert_false(select_lacks(&w->f, &w->sel, &later));
	device_dir_free(&w->dir); /* nothing is left of what was there */
	assert_false(select_lacks(&w->f, &w->sel, &w->dir));
	w->dir = later;
}

TEST_WITH(device_absent, setup, teardown)
{
	static const char *const absent[] = {
		"nvme9",     "sda",	     "259:77",		"0:0",
		"/dev/null", "/dev/nvme9n1", "nvme0n1p9",	"../../etc",
		"\033[31m",  "nvme0n1p22",   "/nonexistent/x/", "/"
	};
	struct world *w = *state;
	char longest[600];

	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_int_equal(build(w, &w->sel.device, absent[i]), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(build(w, &w->sel.device, "nvme9"), EXIT_AS(EXIT_NOTHING));
	said(w, "-d nvme9: no such controller or namespace; known: nvme0 nvme1 nvme3 nvme0n1");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(build(w, &w->sel.device, longest), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(kinds_exclude_each_other, setup, teardown)
{
	struct world *w = *state;

	w->sel.ctrl = (struct opt_list){ .word = { "0" }, .n = 1 };
	assert_int_equal(build(w, &w->sel.device, "nvme1n1"), EXIT_AS(EXIT_NOTHING));
	said(w, "no device matches all of -c, -n and -d");
	assert_int_equal(build(w, &w->sel.device, "nvme1n1,nvme0n2"), 0);
	w->sel.nsid = (struct opt_list){ .word = { "1" }, .n = 1 };
	assert_int_equal(build(w, &w->sel.device, "nvme1n1,nvme0n2"), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(build(w, &w->sel.device, "nvme0"), 0);
}

TEST_WITH(qid, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.qid, "admin"), 0);
	assert_range32(&w->f.qid[0], 0, 0);
	assert_true(w->f.admin);
	assert_false(w->f.io);
	assert_int_equal(build(w, &w->sel.qid, "io"), 0);
	assert_range32(&w->f.qid[0], 1, UINT32_MAX);
	assert_false(w->f.admin);
	assert_true(w->f.io);
	assert_int_equal(build(w, &w->sel.qid, "0-2,4"), 0);
	assert_int_equal(w->f.n_qid, 2);
	assert_true(w->f.admin);
	assert_true(w->f.io);
	assert_int_equal(build(w, &w->sel.qid, "all"), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(opcode, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.opcode, "read,0x09,1"), 0);
	assert_int_equal(w->f.opcodes_io[0], 1ULL << 2 | 1ULL << 9 | 1ULL << 1);
	assert_true(w->f.has_opcodes);
	assert_false(w->f.admin);
	assert_true(w->f.io);
	assert_int_equal(build(w, &w->sel.opcode, "admin:identify"), 0);
	assert_int_equal(w->f.opcodes_admin[0], 1ULL << 6);
	assert_true(w->f.admin);
	assert_false(w->f.io);
	assert_int_equal(build(w, &w->sel.opcode, "fabrics:0x01"), 0);
	assert_int_equal(w->f.opcodes_fabrics[0], 1ULL << 1);
	assert_true(w->f.admin);
	assert_int_equal(build(w, &w->sel.opcode, "0x7f"), 0);
	assert_int_equal(w->f.opcodes_fabrics[3], ~0ULL);
	assert_int_equal(build(w, &w->sel.opcode, "io:0xff"), 0);
	assert_int_equal(w->f.opcodes_io[3], 1ULL << 63);
	assert_int_equal(build(w, &w->sel.opcode, "nonsense"), EXIT_AS(EXIT_USAGE));
	said(w, "error: -O nonsense: ");
	assert_int_equal(build(w, &w->sel.opcode, "0x100"), EXIT_AS(EXIT_USAGE));
}

/* In a PID namespace each number but 0 is refused: see test_namespace.c. */
TEST_WITH(pid, setup, teardown)
{
	struct world *w = *state;
	char self[16];

	snprintf(self, sizeof(self), "0,%d", (int)getpid());
	if (probe_host_pids() != 0) {
		assert_int_equal(build(w, &w->sel.pid, self), 0);
		assert_int_equal(w->f.n_pid, 2);
		assert_int_equal(w->f.pid[1], getpid());
		assert_int_equal(build(w, &w->sel.pid, "2147483647"), EXIT_AS(EXIT_NOTHING));
		said(w, "error: -p 2147483647: no such process");
	}
	w->dir.live = false;
	assert_int_equal(build(w, &w->sel.pid, "2147483647"), 0);
	assert_int_equal(build(w, &w->sel.pid, "1-5"), EXIT_AS(EXIT_USAGE));
	assert_int_equal(build(w, &w->sel.pid, "2147483648"), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(status, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.status, "ok,retry"), 0);
	assert_int_equal(w->f.status_classes, STATUS_CLASS_OK | STATUS_CLASS_RETRY);
	assert_int_equal(w->f.n_status, 0);
	assert_int_equal(build(w, &w->sel.status, "error"), 0);
	assert_int_equal(w->f.status_classes, STATUS_CLASS_ERROR);
	assert_int_equal(build(w, &w->sel.status, "media,path,2/81,0x4281"), 0);
	assert_int_equal(w->f.n_status, 4);
	assert_int_equal(w->f.status[0].value, 0x200);
	assert_int_equal(w->f.status[0].mask, 0x700);
	assert_int_equal(w->f.status[1].value, 0x300);
	assert_int_equal(w->f.status[2].value, 0x281);
	assert_int_equal(w->f.status[2].mask, 0x7ff);
	assert_int_equal(w->f.status[3].value, 0x4281);
	assert_int_equal(w->f.status[3].mask, 0x47ff);
	assert_int_equal(build(w, &w->sel.status, "broken"), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(comm, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.comm, "fio*,[ab]"), 0); /* commas are part of a pattern */
	assert_true(w->f.has_comm);
	assert_int_equal(build(w, &w->sel.comm, ""), EXIT_AS(EXIT_USAGE));
	assert_int_equal(build(w, &w->sel.comm, "sixteen-bytes-ab"), EXIT_AS(EXIT_USAGE));
	said(w, "expected a name");
	w->sel.comm = (struct opt_list){ .n = 5 };
	for (u32 i = 0; i < 5; i++)
		w->sel.comm.word[i] = "fifteen-bytes-a";
	assert_int_equal(select_filter(&w->f, &w->sel, &w->dir), EXIT_AS(EXIT_USAGE));
	said(w, "64 characters");
}

TEST_WITH(left_out, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.qid, "!3"), 0);
	assert_int_equal(w->f.n_qid, 2);
	assert_range32(&w->f.qid[0], 0, 2);
	assert_range32(&w->f.qid[1], 4, UINT32_MAX);
	assert_false(w->f.admin); /* nobody asked for queue 0 by its name */
	assert_true(w->f.io);
	assert_int_equal(build(w, &w->sel.qid, "!2-3,1-4"), 0);
	assert_int_equal(w->f.n_qid, 2);
	assert_range32(&w->f.qid[0], 1, 1);
	assert_range32(&w->f.qid[1], 4, 4);
	assert_int_equal(build(w, &w->sel.qid, "3,!0-5"), EXIT_AS(EXIT_USAGE));
	said(w, "-q !0-5: nothing is left of the selection; leave out less\n");
	assert_int_equal(build(w, &w->sel.qid, "!"), EXIT_AS(EXIT_USAGE));
	w->sel.qid.n = 0;
	assert_int_equal(build(w, &w->sel.size, "!4k-8k"), 0);
	assert_int_equal(w->f.n_size, 2);
	assert_range64(&w->f.size[0], 0, 4095);
	assert_range64(&w->f.size[1], 8193, UINT64_MAX);
	assert_int_equal(build(w, &w->sel.lba, "!1"), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(ctrl_left_out, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.ctrl, "-1,!nvme1"), 0);
	assert_int_equal(w->f.n_ctrl, 2);
	assert_range32(&w->f.ctrl[0], 0, 0);
	assert_range32(&w->f.ctrl[1], 2, UINT32_MAX);
	assert_int_equal(build(w, &w->sel.ctrl, "!nvme7"), EXIT_AS(EXIT_NOTHING));
	said(w, "-c nvme7: no such controller");
	w->sel.ctrl.n = 0;
	assert_int_equal(build(w, &w->sel.device, "!nvme1n1,!nvme0"), 0);
	assert_int_equal(w->f.n_dev, 0);
	assert_int_equal(w->f.n_dev_out, 3); /* a head is left out with its paths */
	assert_true(w->f.any);
	assert_false(select_lacks(&w->f, &w->sel, &w->dir));
	w->f.n_dev_out = 1;
	assert_true(select_lacks(&w->f, &w->sel, &w->dir));
	assert_int_equal(build(w, &w->sel.device, "nvme0n1,!nvme0"), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(build(w, &w->sel.device, "!nvme0n1p2"), EXIT_AS(EXIT_USAGE));
	said(w, "-d !nvme0n1p2: a partition cannot be left out");
}

/* HOST/ is this host, where there are no recordings. */
TEST_WITH(host, setup, teardown)
{
	struct world *w = *state;
	struct utsname system;
	char here[160];

	assert_int_equal(uname(&system), 0);
	snprintf(here, sizeof(here), "%.60s/nvme1n1,%.60s/nvme0n1p2", system.nodename,
		 system.nodename);
	assert_int_equal(build(w, &w->sel.device, here), 0);
	assert_int_equal(w->f.n_dev, 3);
	w->sel.device.n = 0;
	snprintf(here, sizeof(here), "%.60s/0-1,!%.60s/nvme0", system.nodename, system.nodename);
	assert_int_equal(build(w, &w->sel.ctrl, here), 0);
	assert_int_equal(w->f.n_ctrl, 1);
	assert_range32(&w->f.ctrl[0], 1, 1);
	assert_int_equal(build(w, &w->sel.ctrl, "x.y.z/0"), EXIT_AS(EXIT_NOTHING));
	snprintf(here, sizeof(here), "-c x.y.z/0: no such host; known: %.60s\n", system.nodename);
	said(w, here);
	assert_true(select_misses(&w->sel, &w->dir));
	assert_int_equal(select_filter(&w->f, &w->sel, NULL), 0);
}

/* What --time @word says. */
static int times(struct world *w, struct time_ranges *t, const char *word)
{
	w->sel.time = (struct opt_list){ { word }, 1 };
	return select_times(t, &w->sel);
}

TEST_WITH(time, setup, teardown)
{
	struct world *w = *state;
	struct time_ranges t;
	char many[65 * sizeof("100-101,")] = "";

	assert_int_equal(select_times(&t, &w->sel), 0);
	assert_int_equal(t.n, 0);
	assert_int_equal(times(w, &t, "0-4,4-6.5,300s-301000ms,1h-"), 0);
	assert_int_equal(t.n, 4);
	assert_range64(&t.range[0], 0, 4000000000);
	assert_range64(&t.range[1], 4000000000, 6500000000);
	assert_range64(&t.range[2], 300000000000, 301000000000);
	assert_range64(&t.range[3], 3600000000000, UINT64_MAX);
	w->sel.time = (struct opt_list){ { "1-2", "2-3" }, 2 };
	assert_int_equal(select_times(&t, &w->sel), 0);
	assert_int_equal(t.n, 2);
	for (u32 i = 0; i < 65; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), "%s%u-%u", i ? "," : "",
			 i, i + 1);
	assert_int_equal(times(w, &t, many), EXIT_AS(EXIT_USAGE));
	said(w, "--time 64-65: more than 64 ranges; name fewer\n");
}

TEST_WITH(bad_time, setup, teardown)
{
	static const char *const words[] = { "",     "4",    "4-4",    "5-4", "-4",
					     "!1-2", "1-2,", "1ms-2x", "a-b" };
	struct world *w = *state;
	struct time_ranges t;

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(times(w, &t, words[i]), EXIT_AS(EXIT_USAGE));
		said(w, ": expected FROM-TO, since the start");
	}
	assert_int_equal(times(w, &t, "0-3,2-4"), EXIT_AS(EXIT_USAGE));
	said(w, "--time 2-4: it begins before the one in front of it ends");
	assert_int_equal(times(w, &t, "4-5,0-1"), EXIT_AS(EXIT_USAGE));
	assert_int_equal(times(w, &t, "4-,5-6"), EXIT_AS(EXIT_USAGE));
}

TEST_WITH(too_many, setup, teardown)
{
	struct world *w = *state;

	assert_int_equal(build(w, &w->sel.lba, "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"), 0);
	assert_int_equal(w->f.n_lba, 16);
	assert_int_equal(build(w, &w->sel.lba, "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
			 EXIT_AS(EXIT_USAGE));
	said(w, "--lba 16: more than 16 items; name fewer, or use ranges\n");
	w->sel.lba.n = 0;
	w->sel.device.n = 64;
	for (u32 i = 0; i < 64; i++)
		w->sel.device.word[i] = "nvme1n1";
	assert_int_equal(select_filter(&w->f, &w->sel, &w->dir), EXIT_AS(EXIT_USAGE));
	said(w, "more than 64 devices, counting each path; name fewer\n");
}

/* Without a directory what is named exists, but words are words. */
TEST_WITH(words_alone, setup, teardown)
{
	struct world *w = *state;
	struct opt_list *lists[] = { &w->sel.ctrl, &w->sel.nsid, &w->sel.qid,	&w->sel.pid,
				     &w->sel.size, &w->sel.lba,	 &w->sel.status };

	w->sel.ctrl = (struct opt_list){ { "99" }, 1 };
	w->sel.nsid = (struct opt_list){ { "99" }, 1 };
	w->sel.device = (struct opt_list){ { "sda" }, 1 };
	w->sel.pid = (struct opt_list){ { "4194304" }, 1 };
	assert_int_equal(select_filter(&w->f, &w->sel, NULL), 0);
	assert_int_equal(select_filter(&w->f, &w->sel, &w->dir), EXIT_AS(EXIT_NOTHING));
	for (u32 i = 0; i < ARRAY_SIZE(lists); i++) {
		w->sel = (struct selection){ 0 };
		*lists[i] = (struct opt_list){ { "5x" }, 1 };
		assert_int_equal(select_filter(&w->f, &w->sel, NULL), EXIT_AS(EXIT_USAGE));
	}
}
