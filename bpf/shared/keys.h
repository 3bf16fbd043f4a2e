// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Keys of --by, with one number each in every program; lib/group/ says what they mean. */
#ifndef NVT_SHARED_KEYS_H
#define NVT_SHARED_KEYS_H

#include "bpf/shared/hist.h"
#include "bpf/shared/wire.h"

/* A set of keys, such as latency_cfg.by, has the bits 1 << enum key. */
enum key {
	KEY_NONE,
	KEY_CTRL,
	KEY_NS,
	KEY_DEV,
	KEY_QID,
	KEY_CPU, /* the one that submitted */
	KEY_OPCODE,
	KEY_SIZE,
	KEY_FLAGS,
	KEY_PID,
	KEY_COMM,
	KEY_CGROUP,
	KEY_STATUS,
	KEY_HOST, /* user space alone */
	KEY_MAX,
};

#define KEY_SIZES 7 /* edges of size classes */

/*
 * Size class of @bytes: the first edge that is not smaller. Edges that are not in use are ~0, so
 * that they never count.
 */
NVT_INLINE u8 key_size_class(const u64 edge[KEY_SIZES], u32 bytes)
{
	u8 class = 0;

	class += bytes > edge[0];
	class += bytes > edge[1];
	class += bytes > edge[2];
	class += bytes > edge[3];
	class += bytes > edge[4];
	class += bytes > edge[5];
	class += bytes > edge[6];
	return class;
}

/* Fabrics commands have other names than I/O for the statuses 1/80 to 1/8f. */
NVT_INLINE int key_status_is_shared(u16 status)
{
	return (status & 0x7f0) == 0x180;
}

#endif
