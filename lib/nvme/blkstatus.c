// SPDX-License-Identifier: GPL-2.0-or-later
/* Block layer statuses by number. */
#include "lib/nvme/blkstatus.h"

#include <errno.h>

#include "lib/base/str.h"

#define BLKSTATUS(name, err, old, now) { { "BLK_STS_" #name, #err, err }, { err, old, now } },
static const struct {
	struct blkstatus status;
	u8 number[3]; /* by enum blkstatus_form */
} table[] = {
#include "lib/nvme/blkstatus.def"
};
#undef BLKSTATUS

const struct blkstatus *blkstatus_find(enum blkstatus_form form, u8 error)
{
	for (u32 i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].number[form] == error && error != 0xff)
			return &table[i].status;
	return NULL;
}
