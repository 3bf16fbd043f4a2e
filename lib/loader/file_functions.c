// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/loader/file_functions.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/btf/features.h"
#include "lib/loader/section.h"
#include "lib/symbols/ksyms.h"

/*
 * By enum file_function. Those of the page cache have changed their names: mpage_end_io() is split
 * since 6.3, ext4 has one of that name, too; iomap_writepage_end_bio() became
 * ioend_writeback_end_bio() in 6.17; in 7.2 each user of a buffer head has its own in place of
 * end_bio_bh_io_sync().
 */
static const char *const functions[FILE_FUNCTIONS] = {
	[FILE_IOMAP] = "iomap_dio_bio_end_io",
	[FILE_BDEV] = "blkdev_bio_end_io",
	[FILE_BDEV_ASYNC] = "blkdev_bio_end_io_async",
	[FILE_BDEV_SIMPLE] = "blkdev_bio_end_io_simple",
	[FILE_WAITED] = "submit_bio_wait_endio",
	[FILE_WAITED_NEW] = "bio_wait_end_io",
	[FILE_CACHED] = "ext4_end_bio",
	"iomap_read_end_io",
	"mpage_end_io",
	"mpage_end_io",
	"mpage_read_end_io",
	"mpage_write_end_io",
	"xfs_end_bio",
	"iomap_writepage_end_bio",
	"ioend_writeback_end_bio",
	"end_bio_bh_io_sync",
	"bh_end_async_read",
	"bh_end_async_write",
	"bh_end_read",
	"bh_end_write",
	"ext4_end_buffer_io_sync",
	"journal_end_buffer_io_sync",
};

/* The functions at the ends of bios that were made for others, and by whom. */
static const struct {
	const char *end;
	enum bio_maker maker;
} made[FILE_STEPS] = {
	{ "bio_chain_endio", BIO_SPLIT },
	{ "clone_endio", BIO_DM },
	{ "crypt_endio", BIO_DM_CRYPT },
	{ "md_end_clone_io", BIO_MD },
	{ "md_end_io_acct", BIO_MD_OLD },
	{ "raid1_end_read_request", BIO_RAID1 },
	{ "raid1_end_write_request", BIO_RAID1 },
	{ "raid10_end_read_request", BIO_RAID10 },
	{ "raid10_end_write_request", BIO_RAID10 },
};

/* Fills in the functions that this kernel has, without gaps: a program compares with one after the other. */
static void fill_functions(struct file_cfg *cfg, const u64 *addr)
{
	u32 n = FILE_CACHED;

	memcpy(cfg->function, addr, FILE_CACHED * sizeof(*addr));
	for (u32 i = FILE_CACHED; i < FILE_FUNCTIONS; i++) {
		if (addr[i])
			cfg->function[n++] = addr[i];
	}
}

/* Fills in the steps that this kernel has, likewise. */
static void fill_steps(struct file_cfg *cfg, const struct kernel_features *btf, const u64 *ends)
{
	u32 n = 0;

	for (u32 i = 0; i < FILE_STEPS; i++) {
		struct file_step step = btf->step[made[i].maker];

		step.end = ends[i];
		if (step.known && step.end)
			cfg->step[n++] = step;
	}
	cfg->steps = n;
}

int file_functions_configure(struct bpf_object *object, const struct kernel_features *btf)
{
	struct file_cfg *cfg = section_of_object(object, ".rodata.files", sizeof(*cfg));
	const char *names[FILE_FUNCTIONS + FILE_STEPS];
	u64 addr[FILE_FUNCTIONS + FILE_STEPS];
	int err;

	if (!cfg)
		return -EINVAL;
	memcpy(names, functions, sizeof(functions));
	for (u32 i = 0; i < FILE_STEPS; i++)
		names[FILE_FUNCTIONS + i] = made[i].end;
	err = ksyms_addresses(NULL, names, FILE_FUNCTIONS + FILE_STEPS, addr);
	fill_functions(cfg, addr);
	fill_steps(cfg, btf, addr + FILE_FUNCTIONS);
	return err != 0;
}
