// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/loader/file_functions.h"

#include <errno.h>

#include "bpf/shared/file.h"
#include "lib/loader/section.h"
#include "lib/symbols/ksyms.h"

/*
 * By enum file_function. Those of the page cache have changed their names: mpage_end_io() is split
 * since 6.3, ext4 has one of that name, too; iomap_writepage_end_bio() became
 * ioend_writeback_end_bio() in 6.17.
 */
static const char *const functions[FILE_FUNCTIONS] = {
	[FILE_CHAIN] = "bio_chain_endio",
	[FILE_IOMAP] = "iomap_dio_bio_end_io",
	[FILE_BDEV] = "blkdev_bio_end_io",
	[FILE_BDEV_ASYNC] = "blkdev_bio_end_io_async",
	[FILE_CACHED] = "ext4_end_bio",
	"mpage_end_io",
	"mpage_end_io",
	"mpage_read_end_io",
	"mpage_write_end_io",
	"xfs_end_bio",
	"iomap_read_end_io",
	"iomap_writepage_end_bio",
	"ioend_writeback_end_bio",
	"end_bio_bh_io_sync",
};

int file_functions_configure(struct bpf_object *object)
{
	struct file_cfg *cfg = section_of_object(object, ".rodata.files", sizeof(*cfg));

	if (!cfg)
		return -EINVAL;
	return ksyms_addresses(NULL, functions, FILE_FUNCTIONS, cfg->function) != 0;
}
