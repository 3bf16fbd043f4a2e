// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths of files that this process has open. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/host/mounts.h"
#include "lib/host/open_files.h"
#include "tests/unit/test.h"

#define PATH "/var/tmp/nvmetool-test-XXXXXX" /* tmpfs, as /tmp may be, has no generations */

/*
 * The file at @fd, as the kernel counts devices. False: the file system does not tell generations, or
 * not by the handles that are known.
 */
static bool id_of(int fd, struct file_id *id)
{
	struct stat st;
	int gen;

	assert_int_equal(fstat(fd, &st), 0);
	if (ioctl(fd, FS_IOC_GETVERSION, &gen))
		return false;
	*id = (struct file_id){ .ino = st.st_ino,
				.ino_dev = major(st.st_dev) << 20 | minor(st.st_dev),
				.ino_gen = (u32)gen };
	return true;
}

/* Whether the file system is mounted as a whole here, so that it can be asked. */
static bool is_mounted(const struct file_id *id)
{
	char mount[64];

	return mounts_point("/proc", id->ino_dev >> 20, id->ino_dev & 0xfffff, mount,
			    sizeof(mount));
}

/* Looks for the file anew, on which this process has I/O, and returns its path. */
static const char *path_now(struct open_files *f, const struct file_id *id)
{
	open_files_renew(f);
	open_files_learn(f, id, (u32)getpid());
	return open_files_path(f, id);
}

TEST(path_of_an_open_file)
{
	char path[] = PATH, renamed[sizeof(path) + 4], deleted[sizeof(renamed) + 16];
	struct open_files files = { 0 };
	struct file_id id, other;
	int fd = mkstemp(path);

	if (!id_of(fd, &id)) {
		unlink(path);
		skip();
	}
	other = (struct file_id){ .ino = id.ino,
				  .ino_dev = id.ino_dev,
				  .ino_gen = id.ino_gen + 1 }; /* the number alone is none */
	assert_null(path_now(&files, &other));
	assert_string_equal(path_now(&files, &id), path);
	snprintf(renamed, sizeof(renamed), "%s.1", path);
	rename(path, renamed);
	assert_string_equal(open_files_path(&files, &id), path); /* until it is looked at anew */
	assert_string_equal(path_now(&files, &id), renamed);
	unlink(renamed);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", renamed);
	assert_string_equal(path_now(&files, &id), deleted);
	close(fd);
	assert_string_equal(path_now(&files, &id), deleted);
	open_files_free(&files);
}

/* A report asks for the path, though no command came meanwhile. */
TEST(path_of_a_file_that_is_asked_for)
{
	char path[] = PATH, renamed[sizeof(path) + 4];
	struct open_files files = { 0 };
	int fd = mkstemp(path);
	struct file_id id;

	if (!id_of(fd, &id) || !is_mounted(&id)) {
		unlink(path);
		skip();
	}
	assert_string_equal(path_now(&files, &id), path);
	snprintf(renamed, sizeof(renamed), "%s.1", path);
	rename(path, renamed);
	open_files_renew(&files);
	assert_string_equal(open_files_path(&files, &id), renamed);
	close(fd);
	unlink(renamed);
	open_files_free(&files);
}

/* Nobody has it open: only its handle finds it, which needs the whole file system to be mounted here. */
TEST(path_of_a_closed_file)
{
	char path[] = PATH, renamed[sizeof(path) + 4], deleted[sizeof(renamed) + 16];
	struct open_files files = { 0 };
	int fd = mkstemp(path);
	struct file_id id;

	if (!id_of(fd, &id) || !is_mounted(&id)) {
		unlink(path);
		skip();
	}
	close(fd);
	assert_string_equal(path_now(&files, &id), path);
	snprintf(renamed, sizeof(renamed), "%s.1", path);
	rename(path, renamed);
	assert_string_equal(path_now(&files, &id), renamed);
	unlink(renamed);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", renamed);
	assert_string_equal(path_now(&files, &id), deleted);
	open_files_free(&files);
}

/* Without it the files that processes have open are looked through. Needs nothing where we lack it. */
static void set_search(bool allowed)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	assert_int_equal(syscall(SYS_capget, &head, data), 0);
	data[0].effective &= ~(1U << CAP_DAC_READ_SEARCH);
	data[0].effective |= allowed ? data[0].permitted & 1U << CAP_DAC_READ_SEARCH : 0;
	assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

TEST(path_of_a_process)
{
	char path[] = PATH, renamed[sizeof(path) + 4];
	struct open_files files = { 0 };
	struct file_id id, other;
	int fd = mkstemp(path);

	if (!id_of(fd, &id)) {
		unlink(path);
		skip();
	}
	set_search(false);
	other = (struct file_id){ .ino = id.ino, .ino_dev = id.ino_dev, .ino_gen = id.ino_gen + 1 };
	assert_null(path_now(&files, &other));
	assert_string_equal(path_now(&files, &id), path);
	snprintf(renamed, sizeof(renamed), "%s.1", path);
	rename(path, renamed);
	assert_string_equal(path_now(&files, &id), renamed);
	close(fd);
	assert_string_equal(path_now(&files, &id), renamed); /* the last that was known */
	set_search(true);
	unlink(renamed);
	open_files_free(&files);
}

TEST(path_of_none)
{
	struct open_files files = { 0 };
	struct file_id id = { .ino = 1ULL << 60, .ino_dev = 1 };

	assert_null(open_files_path(&files, &(struct file_id){ 0 }));
	assert_null(path_now(&files, &id));
	open_files_renew(&files);
	open_files_learn(&files, &id, 0x7fffffff); /* no such process */
	assert_null(open_files_path(&files, &id));
	open_files_free(&files);
}

TEST(mount_of_a_device)
{
	char mount[64], proc[] = "/tmp/nvmetool-proc-XXXXXX", path[64];
	FILE *f;

	assert_non_null(mkdtemp(proc));
	snprintf(path, sizeof(path), "%s/self", proc);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/self/mountinfo", proc);
	f = fopen(path, "we");
	fputs("20 1 8:1 /var /part\\040of rw - ext4 /dev/sda1 rw\n"
	      "21 1 8:1 / /mnt\\040all rw - ext4 /dev/sda1 rw\n"
	      "22 1 8:2 /srv /srv rw - ext4 /dev/sda2 rw\n",
	      f);
	fclose(f);
	mounts_point(proc, 8, 1, mount, sizeof(mount));
	assert_string_equal(mount, "/mnt all");
	mounts_point(proc, 8, 2, mount, sizeof(mount));
	assert_string_equal(mount, "/srv");
	mounts_point(proc, 8, 3, mount, sizeof(mount));
	assert_string_equal(mount, "");
	unlink(path);
	snprintf(path, sizeof(path), "%s/self", proc);
	rmdir(path);
	rmdir(proc);
}
