// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Numbers of stacks. bpf_get_stackid() has one place for each, by a hash of its frames, and refuses
 * a stack whose place another one has: of 2 300 stacks some 150. Such a stack is read again into a
 * free entry of `spare_stacks`. It keeps the entry if none has the same frames, by a hash of 64
 * bits.
 */
#ifndef NVT_STACK_H
#define NVT_STACK_H

#include "bpf/queue.h"
#include "bpf/shared/keys.h"

/* -EFAULT: a task without such a stack (a kernel thread has no user stack). */
#define STACK_ABSENT (-14)
#define STACK_TAKEN  (-17) /* -EEXIST: another one has its place */
#define STACK_FULL   (-12) /* -ENOMEM */

#define STACK_TRIES  64 /* entries that are tried for a free one */

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(key_size, sizeof(u32));
	__uint(value_size, WIRE_STACK_FRAMES * sizeof(u64));
	__uint(max_entries, 1);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct spare_stack);
} spare_stacks SEC(".maps");

/* By the hash of the frames: the entry of `spare_stacks`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u32);
} stack_hashes SEC(".maps");

/* The last entry of `spare_stacks` that was kept, as queues_taken. */
u32 spare_stacks_kept SEC(".bss.kept");

/* Takes an entry of `spare_stacks`. 1: it is taken. */
__noinline int stack_try(u64 index)
{
	return claim_take(CLAIM_STACK, index);
}

/* An entry that nobody has; -1: there is none. */
__noinline int stack_take(void)
{
	u32 at = spare_stacks_kept;

	if (!cfg.spare_stacks)
		return -1;
	for (u32 i = 0; i < STACK_TRIES; i++) {
		at = (at + 1) % cfg.spare_stacks;
		if (stack_try(at))
			return at;
	}
	return -1;
}

/* A hash of the frames in entry @at. */
__noinline u64 stack_hash(u32 at)
{
	struct spare_stack *stack = bpf_map_lookup_elem(&spare_stacks, &at);
	u64 hash = 0;

	for (u32 i = 0; stack && i < WIRE_STACK_FRAMES; i++) {
		if (i >= cfg.stack_bytes / sizeof(u64) || !stack->frames[i])
			break;
		hash = key_mix(hash, stack->frames[i]);
	}
	return key_mix(hash, 0);
}

/*
 * The number of the stack in entry @at, which the caller took: that of the entry, or of the one that
 * has the same stack. In that case @at is free again.
 */
__noinline int stack_keep(u32 at)
{
	u64 hash = stack_hash(at);
	u32 *same = bpf_map_lookup_elem(&stack_hashes, &hash);

	if (!same && !bpf_map_update_elem(&stack_hashes, &hash, &at, BPF_NOEXIST)) {
		spare_stacks_kept = at;
		return WIRE_STACKS + at;
	}
	claim_drop(CLAIM_STACK, at);
	if (!same)
		same = bpf_map_lookup_elem(&stack_hashes, &hash);
	return same ? WIRE_STACKS + *same : STACK_FULL;
}

/*
 * The number of a stack that has no place in `stacks`. In a function of its own the helper would see
 * one frame more.
 */
static __always_inline s32 stack_spare(void *ctx, u64 flags)
{
	u32 at = stack_take();
	struct spare_stack *stack = bpf_map_lookup_elem(&spare_stacks, &at);
	long bytes;

	if (!stack)
		return STACK_FULL;
	bytes = bpf_get_stack(ctx, stack->frames, cfg.stack_bytes, flags);
	if (bytes > 0)
		return stack_keep(at);
	claim_drop(CLAIM_STACK, at);
	return STACK_ABSENT;
}

/* The number of the current stack, @flags as of bpf_get_stackid(); negative: there is none. */
static __always_inline s32 stack_number_of(void *ctx, u64 flags)
{
	s32 id = bpf_get_stackid(ctx, &stacks, flags | BPF_F_FAST_STACK_CMP);

	if (id == STACK_TAKEN)
		id = stack_spare(ctx, flags);
	if (id < 0 && id != STACK_ABSENT)
		stat_inc(STAT_STACKS_FULL);
	return id;
}

#endif
