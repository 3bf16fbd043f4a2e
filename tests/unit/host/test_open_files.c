// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths of files that this process has open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/host/mounts.h"
#include "lib/host/open_files.h"
#include "tests/unit/test.h"

#define PATH "/tmp/nvmetool-test-XXXXXX"

/* The file at @fd, as the kernel counts devices. */
static struct file_id id_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (struct file_id){ .ino = st.st_ino,
				 .ino_dev = major(st.st_dev) << 20 | minor(st.st_dev),
				 .pid = (u32)getpid() };
}

TEST(path_of_an_open_file)
{
	char path[] = PATH, deleted[sizeof(path) + 16], other[] = PATH;
	struct open_files files = { 0 };
	int fd = mkstemp(path), second = mkstemp(other);
	struct file_id id = id_of(fd), gone = id_of(second);

	assert_null(open_files_path(&files, id.ino_dev, id.ino));
	open_files_learn(&files, &id);
	assert_string_equal(open_files_path(&files, id.ino_dev, id.ino), path);
	unlink(other);
	open_files_learn(&files, &gone);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", other);
	assert_string_equal(open_files_path(&files, gone.ino_dev, gone.ino), deleted);
	close(fd);
	close(second);
	unlink(path);
	open_files_learn(&files, &id); /* it is kept */
	assert_string_equal(open_files_path(&files, id.ino_dev, id.ino), path);
	open_files_free(&files);
}

TEST(path_of_none)
{
	struct open_files files = { 0 };
	struct file_id id = { .ino = 1ULL << 60, .ino_dev = 1, .pid = (u32)getpid() };

	open_files_learn(&files, &id);
	assert_null(open_files_path(&files, id.ino_dev, id.ino));
	assert_null(open_files_path(&files, 0, 0));
	id.pid = 0x7fffffff; /* no such process */
	open_files_learn(&files, &id);
	assert_null(open_files_path(&files, id.ino_dev, id.ino));
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
