// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long at least one selected command was outstanding on a device, a controller or a queue,
 * NEED_BUSY. Which of the three is said by control.busy. A command counts until it ends where it
 * began to: its slot keeps that.
 *
 * Only the first command that comes and the last one that goes look at the time, and only atomic
 * operations that return the value before tell which these are (BPF_FETCH, 5.12). BTF programs
 * alone have them: 5.10 refuses a program that contains one, and 5.11 runs raw programs.
 */
#ifndef NVT_BUSY_H
#define NVT_BUSY_H

#include "bpf/maps.h"

#if PROG_BUSY
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct busy);
} busy SEC(".maps");

#define BUSY_LEVEL_SHIFT 48 /* what is busy has no larger number */
#define BUSY_NO_DISK	 (1ULL << 40) /* tags of an admin queue, which has no disk */
#define BUSY_MINOR_BITS	 20

static __always_inline u64 busy_number(const struct queue_info *info, u32 level)
{
	if (level == BUSY_CTRL)
		return (u32)info->ctrl_id;
	if (level == BUSY_DEVICE && info->major)
		return (u64)info->major << BUSY_MINOR_BITS | info->minor;
	return BUSY_NO_DISK | info->slot_base;
}

/* The entry where the queue counts: that of the first queue of the same thing. */
static __always_inline u32 busy_entry(const struct queue_info *info, u32 level)
{
	struct claim_key key = { CLAIM_BUSY,
				 (u64)level << BUSY_LEVEL_SHIFT | busy_number(info, level) };
	u64 mine = info->index, *noted;

	bpf_map_update_elem(&claims, &key, &mine, BPF_NOEXIST);
	noted = bpf_map_lookup_elem(&claims, &key);
	return noted ? *noted : 0;
}

/* Called when the entry of a queue is found. It says the same each time. */
static __always_inline void busy_place(const struct queue_info *info)
{
	u32 index = info->index;
	struct busy *b = bpf_map_lookup_elem(&busy, &index);

	if (!b)
		return;
	b->at[BUSY_DEVICE] = busy_entry(info, BUSY_DEVICE);
	b->at[BUSY_CTRL] = busy_entry(info, BUSY_CTRL);
	b->at[BUSY_QUEUE] = busy_entry(info, BUSY_QUEUE);
}

static __always_inline struct busy_count *busy_count_of(const struct queue_info *info, u32 level)
{
	u32 index = info->index;
	struct busy *b = bpf_map_lookup_elem(&busy, &index);

	level &= BUSY_LEVELS - 1;
	if (!b)
		return NULL;
	index = b->at[level];
	b = index ? bpf_map_lookup_elem(&busy, &index) : NULL;
	return b ? &b->count[level] : NULL;
}

/* A command is sent. Returns the bits that its slot keeps for busy_end(). */
static __always_inline u8 busy_begin(const struct queue_info *info, u64 now_ns)
{
	u32 level = control.busy & (BUSY_LEVELS - 1);
	struct busy_count *count = level ? busy_count_of(info, level) : NULL;

	if (!count)
		return 0;
	if (!__sync_fetch_and_add(&count->outstanding, 1))
		__sync_fetch_and_add(&count->sum, -(2 * now_ns + 1));
	return level << BUSY_SHIFT;
}

/* The command whose slot has the bits @state is not outstanding any more. */
static __always_inline void busy_end(const struct queue_info *info, u8 state, u64 now_ns)
{
	struct busy_count *count = busy_count_of(info, state >> BUSY_SHIFT);

	if (count && __sync_fetch_and_add(&count->outstanding, -1) == 1)
		__sync_fetch_and_add(&count->sum, 2 * now_ns + 1);
}
#else
static __always_inline void busy_place(const struct queue_info *info)
{
}

static __always_inline u8 busy_begin(const struct queue_info *info, u64 now_ns)
{
	return 0;
}

static __always_inline void busy_end(const struct queue_info *info, u8 state, u64 now_ns)
{
}
#endif

#endif
