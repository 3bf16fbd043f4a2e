// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/symbols/perfmap: files of a process made up for the test, whose mounts are ours. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/host/mounts.h"
#include "lib/symbols/perfmap.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

#define SOMEBODY 4711

struct world {
	char *proc;
	struct mounts mounts;
	struct perfmap map;
};

/* Reads /proc/self/mountinfo; @type NULL leaves it as it is, else all are of this type. */
static void put_mounts(struct world *w, const char *type)
{
	char text[65536], line[1024], device[32];
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t len = 0;
	u32 id;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) && len < sizeof(text) - sizeof(line)) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
		assert_int_equal(sscanf(line, "%u %*u %31s", &id, device), 2);
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%u 1 %s / / rw - %s x rw\n", id, device,
					type ? type : "ext4");
	}
	fclose(f);
	scratch_put(w->proc, "1", "mountinfo", text);
	scratch_put(w->proc, "7", "mountinfo", text);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->proc = scratch_make();
	put_mounts(w, NULL);
	scratch_put(w->proc, "7/root/tmp", NULL, NULL);
	scratch_put(w->proc, "7", "status", "Name:\tjava\nNSpid:\t7\t3\nVmPeak:\t1 kB\n");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	assert_int_equal(scratch_remove(w->proc), 0);
	mounts_free(&w->mounts);
	perfmap_free(&w->map);
	free(w);
	return 0;
}

/* Puts the file, and has it read at once. */
static void put_map(struct world *w, const char *text)
{
	scratch_put(w->proc, "7/root/tmp", "perf-3.map", text);
	w->map.again_ns = 0;
}

/* The name at @addr, or "none". */
static const char *name_at(struct world *w, u64 addr)
{
	struct sym sym = { 0 };

	if (!perfmap_find(&w->map, w->proc, 7, &w->mounts, addr, &sym))
		return "none";
	assert_string_equal(sym.module, "perf-3.map");
	return sym.name;
}

TEST_WITH(names, setup, teardown)
{
	struct world *w = *state;
	struct sym sym = { 0 };

	assert_string_equal(name_at(w, 0x1000), "none");
	put_map(w, "1000 20 LazyCompile:*read fs.js:1\n0x2000 0x10 Interpreter\nrubbish\n3000\n"
		   "4000 0 empty\n5000 10 half a li");
	assert_string_equal(name_at(w, 0x1000), "LazyCompile:*read fs.js:1");
	assert_true(perfmap_find(&w->map, w->proc, 7, &w->mounts, 0x101f, &sym));
	assert_int_equal(sym.offset, 0x1f);
	assert_string_equal(name_at(w, 0x1020), "none");
	assert_string_equal(name_at(w, 0x2008), "Interpreter");
	assert_string_equal(name_at(w, 0x4000), "none");
	assert_string_equal(name_at(w, 0x5000), "none");
}

/* Functions are compiled again, and others take their memory. */
TEST_WITH(last_line_is_right, setup, teardown)
{
	struct world *w = *state;

	put_map(w, "1000 100 old\n1040 10 inner\n1000 100 new\n"
		   "2000 100 whole\n2050 10 hole\n"
		   "3000 100 left\n3080 100 right\n4000 10 kept\n");
	assert_string_equal(name_at(w, 0x1000), "new");
	assert_string_equal(name_at(w, 0x1044), "new");
	assert_string_equal(name_at(w, 0x2055), "hole");
	assert_string_equal(name_at(w, 0x2000), "none"); /* half of it is gone */
	assert_string_equal(name_at(w, 0x3000), "none");
	assert_string_equal(name_at(w, 0x3080), "right");
	assert_string_equal(name_at(w, 0x4000), "kept");
}

/* A file that grew is read again, but not for each address. */
TEST_WITH(grows, setup, teardown)
{
	struct world *w = *state;

	put_map(w, "1000 10 a\n");
	assert_string_equal(name_at(w, 0x1000), "a");
	usleep(50000); /* a file's time of change is as coarse as the kernel's tick */
	put_map(w, "1000 10 a\n2000 10 b\n");
	w->map.again_ns = UINT64_MAX;
	assert_string_equal(name_at(w, 0x2000), "none");
	w->map.again_ns = 0;
	assert_string_equal(name_at(w, 0x2000), "b");
}

/* Anyone can put a file into /tmp. */
TEST_WITH(owner, setup, teardown)
{
	struct world *w = *state;
	char file[256], dir[256];

	if (geteuid())
		skip();
	put_map(w, "1000 10 a\n");
	snprintf(file, sizeof(file), "%s/7/root/tmp/perf-3.map", w->proc);
	snprintf(dir, sizeof(dir), "%s/7", w->proc);
	assert_int_equal(chown(file, SOMEBODY, 0), 0);
	assert_string_equal(name_at(w, 0x1000), "none");
	assert_int_equal(chown(dir, SOMEBODY, 0), 0);
	w->map.again_ns = 0;
	assert_string_equal(name_at(w, 0x1000), "a");
}

/* The process may have put there whatever it likes. */
TEST_WITH(no_link_no_device, setup, teardown)
{
	struct world *w = *state;
	char file[256], tmp[256], other[256];

	put_map(w, "1000 10 a\n");
	snprintf(file, sizeof(file), "%s/7/root/tmp/perf-3.map", w->proc);
	snprintf(tmp, sizeof(tmp), "%s/7/root/tmp", w->proc);
	snprintf(other, sizeof(other), "%s/7/root/other", w->proc);
	assert_int_equal(rename(tmp, other), 0);
	assert_int_equal(symlink("other", tmp), 0);
	assert_string_equal(name_at(w, 0x1000), "none");
	assert_int_equal(unlink(tmp), 0);
	assert_int_equal(rename(other, tmp), 0);
	assert_int_equal(rename(file, other), 0);
	assert_int_equal(symlink("../other", file), 0);
	w->map.again_ns = 0;
	assert_string_equal(name_at(w, 0x1000), "none");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	w->map.again_ns = 0;
	assert_string_equal(name_at(w, 0x1000), "none");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rename(other, file), 0);
	w->map.again_ns = 0;
	assert_string_equal(name_at(w, 0x1000), "a");
}

/* A daemon of FUSE may never answer. */
TEST_WITH(fuse, setup, teardown)
{
	struct world *w = *state;

	put_mounts(w, "fuse.daemon");
	put_map(w, "1000 10 a\n");
	assert_string_equal(name_at(w, 0x1000), "none");
}
