// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/usyms: functions of this very program, of files that are gone, and of maps made up for the
 * test.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/symbols/frames.h"
#include "lib/symbols/usyms.h"
#include "tests/unit/scratch.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

/* Looked for by name. */
__attribute__((noinline)) static void usyms_landmark(void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

static int setup(void **state)
{
	return usyms_open((struct usyms **)state, NULL);
}

static int teardown(void **state)
{
	usyms_close(*state);
	return 0;
}

static u64 address(void (*function)(void))
{
	return (u64)(uintptr_t)function;
}

TEST_WITH(own_function, setup, teardown)
{
	struct sym sym;

	usyms_find(*state, (u32)getpid(), address(usyms_landmark) + 2, &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	assert_string_equal(sym.module, "test_usyms");
	assert_int_equal(sym.offset, 2);
}

TEST_WITH(shared_library, setup, teardown)
{
	void *libc = dlsym(RTLD_NEXT, "getppid");
	struct sym sym;

	assert_non_null(libc);
	usyms_find(*state, (u32)getpid(), (u64)(uintptr_t)libc, &sym);
	assert_string_equal(sym.name, "getppid");
	assert_true(has_prefix(sym.module, "libc"));
}

TEST_WITH(nothing_there, setup, teardown)
{
	struct sym sym;
	char buf[64];

	usyms_find(*state, (u32)getpid(), 16, &sym);
	assert_null(sym.name);
	assert_null(sym.module);
	assert_string_equal(symtab_format(buf, sizeof(buf), 16, &sym, true), "0x10");
}

/* Mapped after the map was read. */
TEST_WITH(anonymous, setup, teardown)
{
	struct sym sym;
	void *code;

	usyms_find(*state, (u32)getpid(), address(usyms_landmark), &sym);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED);
	usyms_find(*state, (u32)getpid(), (u64)(uintptr_t)code, &sym);
	assert_null(sym.name);
	assert_string_equal(sym.module, "anonymous");
	munmap(code, 4096);
}

TEST_WITH(exited, setup, teardown)
{
	struct sym sym;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	usyms_find(*state, (u32)pid, address(usyms_landmark), &sym);
	assert_null(sym.name);
	assert_string_equal(sym.module, "exited");
}

/* A process that ended after it was asked for keeps its names. */
TEST_WITH(exited_later, setup, teardown)
{
	struct sym sym;
	int hold[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) < 0);
	}
	usyms_find(*state, (u32)pid, address(usyms_landmark), &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	close(hold[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(hold[0]);
	usyms_find(*state, (u32)pid, address(usyms_landmark), &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	/*
	 * Neither an address that nobody can look up any more takes them away, nor was a file left
	 * unopened.
	 */
	usyms_find(*state, (u32)pid, 16, &sym);
	assert_string_equal(sym.module, "exited");
	usyms_find(*state, (u32)pid, address(usyms_landmark), &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	usyms_find(*state, (u32)pid, (u64)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"), &sym);
	assert_string_equal(sym.name, "getppid");
}

/* Copies this program to @path and maps it executable. */
static void *map_copy(const char *path, size_t *size)
{
	int in = open("/proc/self/exe", O_RDONLY),
	    out = open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
	struct stat st;
	void *map;

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &st), 0);
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, in, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(write(out, map, *size), *size);
	munmap(map, *size);
	map = mmap(NULL, *size, PROT_READ | PROT_EXEC, MAP_PRIVATE, out, 0);
	assert_true(map != MAP_FAILED);
	close(in);
	close(out);
	return map;
}

TEST_WITH(deleted_file, setup, teardown)
{
	char path[64], deleted[64];
	struct sym sym;
	size_t size;
	void *map;

	snprintf(path, sizeof(path), "/tmp/usyms_copy.%d", (int)getpid());
	snprintf(deleted, sizeof(deleted), "usyms_copy.%d (deleted)", (int)getpid());
	map = map_copy(path, &size);
	unlink(path);
	usyms_find(*state, (u32)getpid(), (u64)(uintptr_t)map + 64, &sym);
	assert_string_equal(sym.module, deleted);
	munmap(map, size);
}

/* The mounts of made-up processes: 8:1 is a disk, 0:77 a FUSE mount of the host's. */
static void put_mounts(const char *proc)
{
	scratch_put(
		proc, "1", "mountinfo",
		"26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		"27 26 0:77 / /mnt/a\\040b rw shared:2 master:1 - fuse.sshfs host:/ rw,allow_other\n"
		"28 26\nrubbish - \n");
}

/* Has region @region of process @pid be file @to. */
static void put_mapped(const char *proc, u32 pid, const char *region, const char *to)
{
	char dir[64], link[256];

	snprintf(dir, sizeof(dir), "%u/map_files", pid);
	scratch_put(proc, dir, NULL, NULL);
	snprintf(link, sizeof(link), "%s/%s/%s", proc, dir, region);
	assert_int_equal(symlink(to, link), 0);
}

/*
 * Files that are no ELF, paths with blanks, lines that are rubbish: a name of the file, nothing
 * worse.
 */
TEST(hostile_maps)
{
	char *proc = scratch_make();
	struct usyms *u;
	struct sym sym;

	scratch_put(proc, "7/root", "a b", "this is no ELF file");
	scratch_put(proc, "7/root", "head", "\177ELF\2\1\1");
	put_mounts(proc);
	put_mapped(proc, 7, "1000-2000", "../root/a b");
	put_mapped(proc, 7, "2000-3000", "../root/head");
	scratch_put(proc, "7", "maps",
		    "1000-2000 r-xp 00000000 08:01 5                          /a b\n"
		    "2000-3000 r-xp 00000000 08:01 6                          /head\n"
		    "rubbish\n\n3000 4000 r-xp\n1000-\n1000-2000 r-xp 0 8\n"
		    "4000-5000 rw-p 00000000 08:01 5                          /a b\n"
		    "5000-6000 r-xp 00000000 00:00 0\n"
		    "6000-7000 r-xp 00000000 08:01 9                          /gone\n");
	assert_int_equal(usyms_open(&u, proc), 0);
	usyms_find(u, 7, 0x1800, &sym);
	assert_null(sym.name);
	assert_string_equal(sym.module, "a b");
	usyms_find(u, 7, 0x2800, &sym);
	assert_null(sym.name);
	assert_string_equal(sym.module, "head");
	usyms_find(u, 7, 0x4800, &sym); /* not executable */
	assert_null(sym.module);
	usyms_find(u, 7, 0x5800, &sym);
	assert_string_equal(sym.module, "anonymous");
	usyms_find(u, 7, 0x6800, &sym);
	assert_string_equal(sym.module, "gone");
	for (u32 pid = 100; pid < 300; pid++) { /* more processes than are kept */
		usyms_find(u, pid, 0x1800, &sym);
		assert_string_equal(sym.module, "exited");
	}
	usyms_find(u, 7, 0x1800, &sym);
	assert_string_equal(sym.module, "a b");
	usyms_close(u);
	assert_int_equal(scratch_remove(proc), 0);
}

/* Puts a copy of this program at ROOT/PATH, with the functions of @from called @to. */
static void put_program(const char *proc, const char *path, const char *from, const char *to)
{
	char file[256];
	size_t size, len = strlen(from);
	char *map;
	int fd;

	snprintf(file, sizeof(file), "%s/%s", proc, path);
	map = map_copy(file, &size);
	munmap(map, size);
	fd = open(file, O_RDWR);
	assert_true(fd >= 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	for (char *at = map; (at = memmem(at, size - (size_t)(at - map), from, len + 1)); at++)
		memcpy(at, to, len);
	munmap(map, size);
	close(fd);
}

/* The offset in the file of usyms_landmark(), by this process' own map. */
static u64 landmark_offset(void)
{
	u64 at = address(usyms_landmark), found = 0;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *next;
		u64 start = strtoull(line, &next, 16), end = strtoull(next + 1, &next, 16);

		if (at >= start && at < end)
			found = at - start + strtoull(next + strlen(" r-xp "), NULL, 16);
	}
	fclose(f);
	return found;
}

/*
 * A file that got the number of one removed before is another file, as after each run of a
 * compiler.
 */
TEST(number_again)
{
	static const char map[] = "100000-900000 r-xp 00000000 08:01 5                     /a\n";
	u64 at = 0x100000 + landmark_offset();
	char *proc = scratch_make();
	struct usyms *u;
	struct sym sym;

	scratch_put(proc, "7", "maps", map);
	scratch_put(proc, "8", "maps", map);
	scratch_put(proc, "9", "maps", map);
	scratch_put(proc, "7/root", NULL, NULL);
	scratch_put(proc, "8/root", NULL, NULL);
	put_mounts(proc);
	put_mapped(proc, 7, "100000-900000", "../root/a");
	put_mapped(proc, 8, "100000-900000", "../root/a");
	put_program(proc, "7/root/a", "usyms_landmark", "usyms_landmark");
	usleep(50000); /* a file's time of change is as coarse as the kernel's tick */
	put_program(proc, "8/root/a", "usyms_landmark", "other_function");
	assert_int_equal(usyms_open(&u, proc), 0);
	usyms_find(u, 7, at, &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	usyms_find(u, 8, at, &sym);
	assert_string_equal(sym.name, "other_function");
	usyms_find(u, 7, at, &sym);
	assert_string_equal(sym.name, "usyms_landmark");
	usyms_find(u, 9, at, &sym); /* what cannot be opened is taken for the last of that number */
	assert_string_equal(sym.name, "other_function");
	usyms_close(u);
	assert_int_equal(scratch_remove(proc), 0);
}

/*
 * Nothing is read of a file on FUSE, whose daemon may never answer: neither where the map says so,
 * nor where that has changed meanwhile; nor of one on what is mounted nowhere in the host's sight,
 * which the process may have mounted itself.
 */
TEST(fuse)
{
	static const struct {
		const char *device;
		bool named;
	} cases[] = { { "08:01", true }, { "00:4d", false }, { "00:63", false } };
	u64 at = 0x100000 + landmark_offset();
	char *proc = scratch_make(), map[128], mounts[128];
	struct usyms *u;
	struct sym sym;
	struct stat st;

	put_mounts(proc);
	scratch_put(proc, "7/root", NULL, NULL);
	put_program(proc, "7/root/a", "usyms_landmark", "usyms_landmark");
	put_mapped(proc, 7, "100000-900000", "../root/a");
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(map, sizeof(map), "100000-900000 r-xp 00000000 %s 5 /a\n",
			 cases[i].device);
		scratch_put(proc, "7", "maps", map);
		assert_int_equal(usyms_open(&u, proc), 0);
		usyms_find(u, 7, at, &sym);
		assert_string_equal(sym.module, "a");
		assert_int_equal(sym.name != NULL, cases[i].named);
		usyms_close(u);
	}
	assert_int_equal(stat(proc, &st), 0);
	snprintf(mounts, sizeof(mounts), "29 26 %u:%u / /f rw - fuse daemon rw\n", major(st.st_dev),
		 minor(st.st_dev));
	scratch_put(proc, "self", "mountinfo", mounts);
	scratch_put(proc, "7", "maps", "100000-900000 r-xp 00000000 08:01 5 /a\n");
	assert_int_equal(usyms_open(&u, proc), 0);
	usyms_find(u, 7, at, &sym);
	assert_null(sym.name);
	usyms_close(u);
	assert_int_equal(scratch_remove(proc), 0);
}

/*
 * Where a path leads to a device it is not even opened: that starts a watchdog, or rewinds a tape.
 */
TEST(device)
{
	char *proc = scratch_make(), name[64], byte;
	struct usyms *u;
	struct sym sym;
	int master;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	put_mounts(proc);
	put_mapped(proc, 7, "1000-2000", name);
	scratch_put(proc, "7", "maps", "1000-2000 r-xp 00000000 08:01 5                    /a\n");
	assert_int_equal(usyms_open(&u, proc), 0);
	usyms_find(u, 7, 0x1800, &sym);
	assert_string_equal(sym.module, "a");
	usyms_close(u);
	/*
	 * Once a terminal has been open and closed its other side reads an error, before that it
	 * waits.
	 */
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(master, &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
	close(master);
	assert_int_equal(scratch_remove(proc), 0);
}

/*
 * A long map is not read again for each of the addresses that nothing is at, nor taken without a
 * bound.
 */
TEST(long_map)
{
	char *proc = scratch_make(), *maps = NULL;
	struct usyms *u;
	struct sym sym;
	size_t size;
	FILE *f = open_memstream(&maps, &size);

	for (u32 i = 1; f && i <= 40000; i++)
		fprintf(f, "%x-%x r-xp 00000000 00:00 0\n", i << 13, (2 * i + 1) << 12);
	assert_true(f && !fclose(f));
	scratch_put(proc, "7", "maps", maps);
	maps[size / 4] = '\0';
	scratch_put(proc, "8", "maps", maps);
	free(maps);
	assert_int_equal(usyms_open(&u, proc), 0);
	usyms_find(u, 7, 1U << 13, &sym);
	assert_string_equal(sym.module, "anonymous");
	usyms_find(u, 7, 40000U << 13, &sym);
	assert_null(sym.module);
	alarm(20);
	for (u32 i = 1; i < 1U << 13; i++) {
		usyms_find(u, 8, i, &sym);
		assert_null(sym.module);
	}
	alarm(0);
	usyms_close(u);
	assert_int_equal(scratch_remove(proc), 0);
}

/* In a container the number of a process of the host is that of another, or of none. */
static int in_pid_namespace(void)
{
	struct stderr_capture c = stderr_begin();
	char said[200], address_only[32];
	struct frames *f;
	int err = frames_open(&f, false, true);
	u64 addr = address(usyms_landmark);

	stderr_end(&c, said, sizeof(said));
	snprintf(address_only, sizeof(address_only), "0x%llx", (unsigned long long)addr);
	if (err || !strstr(said, "user functions have no names"))
		return 1;
	if (!streq(frames_name(f, true, (u32)getpid(), addr, false), address_only))
		return 2;
	frames_close(f);
	return 0;
}

TEST(pid_namespace)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (unshare(CLONE_NEWPID))
			_exit(99); /* not root */
		pid = fork();
		if (pid == 0)
			_exit(in_pid_namespace());
		_exit(waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 98);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == 99)
		skip();
	assert_int_equal(status, 0);
}
