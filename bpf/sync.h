// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The programs at the functions that a task is inside of while it waits for what it wrote to last:
 *
 *   the system calls   fsync(), fdatasync(), syncfs(): compilers put what they call into them
 *   vfs_fsync_range    msync(), io_uring, the end of a write with O_SYNC, NFS
 *   ksys_sync          sync()
 *   iomap_dio_rw       direct writes with O_SYNC: XFS and ext4 send them with FUA, and no flush. From
 *                      5.14 on it has seven arguments, for which kernels before 6.6 run no program
 *   blkdev_write_iter  the same of a block device
 *
 * A program at a return finds its call by the frame on the stack, which a backup program has as well.
 * So neither needs a mark (bpf/backup.h), and calls may lie within each other: overlayfs asks the file
 * system below.
 */
#ifndef NVT_SYNC_H
#define NVT_SYNC_H

#include "bpf/file_kern.h"
#include "bpf/file_walk.h"
#include "bpf/syncer.h"

#if PROG_SYNCERS

#define KIOCB_DSYNC 2 /* IOCB_DSYNC, RWF_DSYNC of uapi/linux/fs.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct iov_iter {
	_Bool data_source; /* of a write; 5.14 */
};

struct iov_iter___old {
	unsigned int type; /* the lowest bit: of a write */
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct___files {
	struct files_struct *files;
};

#if defined(__TARGET_ARCH_arm64)
#define SYSCALL_ARG(regs) (regs)->regs[0]
struct pt_regs {
	u64 regs[31];
};
#else
#define SYSCALL_ARG(regs) (regs)->di
struct pt_regs {
	u64 di;
};
#endif

#pragma clang attribute pop

/* The device of the file system of @file or, of a block device, its own. */
static __always_inline u32 sync_dev(const struct file *file)
{
	const struct inode *inode = file->f_inode;

	return (inode->i_mode & MODE_FMT) == MODE_BLOCK ? inode->i_rdev : inode->i_sb->s_dev;
}

static __always_inline bool sync_writes(const struct iov_iter *iter)
{
	if (bpf_core_field_exists(struct iov_iter, data_source))
		return iter->data_source;
	if (bpf_core_field_exists(struct iov_iter___old, type))
		return ((const struct iov_iter___old *)iter)->type & 1;
	return false;
}

static __always_inline void sync_write(const void *ctx, const struct kiocb *iocb)
{
	if (iocb->ki_flags & KIOCB_DSYNC)
		sync_begin(sync_frame(ctx), sync_dev(iocb->ki_filp));
}

SEC("fentry/vfs_fsync_range")
int BPF_PROG(waits_range_raw, struct file *file)
{
	sync_begin(sync_frame(ctx), sync_dev(file));
	return 0;
}

/* sync_dev() of an open file of the current task; SYNC_NO_DEVICE: it is none. */
static __always_inline u32 sync_dev_of(u32 fd)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;
	struct inode *inode;

	if (fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	if (!file)
		return SYNC_NO_DEVICE;
	inode = BPF_CORE_READ(file, f_inode);
	return (BPF_CORE_READ(inode, i_mode) & MODE_FMT) == MODE_BLOCK
		       ? BPF_CORE_READ(inode, i_rdev)
		       : BPF_CORE_READ(inode, i_sb, s_dev);
}

#define SYNC_CALL(name, call)                                                                      \
	SEC("fentry/" SYSCALL(call))                                                               \
	int BPF_PROG(name, struct pt_regs *regs)                                                   \
	{                                                                                          \
		sync_begin(sync_frame(ctx), sync_dev_of(SYSCALL_ARG(regs)));                       \
		return 0;                                                                          \
	}

SYNC_CALL(waits_fsync_raw, "fsync")
SYNC_CALL(waits_fdatasync_raw, "fdatasync")
SYNC_CALL(waits_syncfs_raw, "syncfs")

SEC("fentry/ksys_sync")
int BPF_PROG(waits_sync_raw)
{
	sync_begin(sync_frame(ctx), 0);
	return 0;
}

SEC("fentry/iomap_dio_rw")
int BPF_PROG(waits_direct_raw, struct kiocb *iocb, struct iov_iter *iter)
{
	if (sync_writes(iter))
		sync_write(ctx, iocb);
	return 0;
}

SEC("fentry/blkdev_write_iter")
int BPF_PROG(waits_disk_raw, struct kiocb *iocb)
{
	sync_write(ctx, iocb);
	return 0;
}

#define SYNC_RETURN(name, function)                                                                \
	SEC("fexit/" function)                                                                     \
	int BPF_PROG(name)                                                                         \
	{                                                                                          \
		sync_end(sync_frame(ctx));                                                         \
		return 0;                                                                          \
	}

SYNC_RETURN(waited_range_raw, "vfs_fsync_range")
SYNC_RETURN(waited_fsync_raw, SYSCALL("fsync"))
SYNC_RETURN(waited_fdatasync_raw, SYSCALL("fdatasync"))
SYNC_RETURN(waited_syncfs_raw, SYSCALL("syncfs"))
SYNC_RETURN(waited_sync_raw, "ksys_sync")
SYNC_RETURN(waited_direct_raw, "iomap_dio_rw")
SYNC_RETURN(waited_disk_raw, "blkdev_write_iter")

#endif
#endif
