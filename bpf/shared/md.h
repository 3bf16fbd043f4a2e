// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Where md keeps the bio that it flushes its members for (.rodata.md, see bpf/flushes.h). */
#ifndef NVT_SHARED_MD_H
#define NVT_SHARED_MD_H

#include "bpf/shared/wire.h"

/* Before 6.12, where a flush of md has one bio for all members; read from the BTF of md_mod. */
struct md_offsets {
	u16 rdev_mddev; /* md_rdev.mddev */
	u16 flush_bio; /* mddev.flush_bio */
	u16 gendisk; /* mddev.gendisk */
	u16 known; /* 0: not known, or there is no such member */
};
WIRE_SIZE(struct md_offsets, 8);

#endif
