// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The programs at the functions that a task is inside of while it waits for what it wrote to last. */
#ifndef NVT_SYNC_H
#define NVT_SYNC_H

#include "bpf/file_kern.h"
#include "bpf/file_walk.h"
#include "bpf/syncer.h"

/* The device of the file system of @inode or, of a block device, its own. */
static __always_inline u32 sync_dev(const struct inode *inode)
{
	return (inode->i_mode & MODE_FMT) == MODE_BLOCK ? inode->i_rdev : inode->i_sb->s_dev;
}

SEC("fentry/vfs_fsync_range")
int BPF_PROG(fsync_raw, struct file *file)
{
	sync_begin(sync_dev(file->f_inode));
	return 0;
}

SEC("fentry/sync_filesystem")
int BPF_PROG(syncfs_raw, struct super_block *sb)
{
	sync_begin(sb->s_dev);
	return 0;
}

SEC("fentry/ksys_sync")
int BPF_PROG(syncall_raw)
{
	sync_begin(0);
	return 0;
}

SEC("fexit/vfs_fsync_range")
int BPF_PROG(unfsync_raw)
{
	sync_end();
	return 0;
}

SEC("fexit/sync_filesystem")
int BPF_PROG(unsyncfs_raw)
{
	sync_end();
	return 0;
}

SEC("fexit/ksys_sync")
int BPF_PROG(unsyncall_raw)
{
	sync_end();
	return 0;
}

#endif
