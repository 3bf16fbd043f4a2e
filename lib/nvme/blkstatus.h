// SPDX-License-Identifier: GPL-2.0-or-later
/* The block layer's view of a failed command: BLK_STS_* and the errno that system calls return. */
#ifndef NVT_NVME_BLKSTATUS_H
#define NVT_NVME_BLKSTATUS_H

#include "lib/base/types.h"

/* How the traced kernel numbers its statuses. */
enum blkstatus_form {
	BLKSTATUS_ERRNO, /* before 5.16: the tracepoint gives an errno */
	BLKSTATUS_OLD,
	BLKSTATUS_6_10,
};

struct blkstatus {
	const char *name; /* "BLK_STS_MEDIUM" */
	const char *errno_name; /* "ENODATA" */
	u32 errno_nr; /* positive; 0 for BLK_STS_OK */
};

/* Returns the status that block_rq_complete gave as @error, or NULL when it is not a known one. */
const struct blkstatus *blkstatus_find(enum blkstatus_form form, u8 error);

#endif
