// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands in flight, read from their slots while programs run. */
#include <bpf/bpf.h>
#include <string.h>

#include "lib/loader/loader_impl.h"

#define READ_TRIES 8
#define TAKEN_MORE 64 /* entries of queue info that CPUs may have taken at the same moment */

/* The slots of the hardware queues, and who has which. */
struct slots {
	struct loader *l;
	const char *memory;
	size_t stride;
	int freed; /* the program of bpf/freed.h; negative: it is not run */
	bool setups; /* programs may set up commands meanwhile */
	u32 queues; /* entries of queue info, from 1 on */
};

/* Whether both entries describe hardware queues with the same tags, as namespaces share them. */
static bool same_tags(const struct queue_info *a, const struct queue_info *b)
{
	return a->depth && b->depth && a->slot_base == b->slot_base;
}

/* True if queue @i is the last one with its tags. */
static bool last_of_tags(const struct slots *s, u32 i)
{
	const struct queue_info *info = loader_queue(s->l, i);

	for (u32 k = i + 1; k < s->queues; k++)
		if (same_tags(info, loader_queue(s->l, k)))
			return false;
	return info->depth;
}

/*
 * The queue of the command of namespace @nsid in a slot in the region of @info: that of its
 * namespace, and of several entries for this one that is in use. Without a namespace it is the only
 * one.
 */
static u32 queue_of(const struct slots *s, const struct queue_info *info, u32 nsid)
{
	u32 found = info->index;
	bool used = false;

	for (u32 k = s->queues - 1; k && !used; k--) {
		const struct queue_info *other = loader_queue(s->l, k);

		if (!same_tags(info, other) || other->admin || other->nsid != nsid)
			continue;
		used = other->q;
		if (used || loader_queue(s->l, found)->nsid != nsid)
			found = k;
	}
	return found;
}

static const volatile struct command_slot *slot_at(const struct slots *s, u32 at)
{
	return (const void *)(s->memory + at * s->stride);
}

/*
 * Copies slot @at if it holds a selected command in flight. Another CPU may write it at that
 * moment: then it is read again, until nothing has changed meanwhile.
 */
static bool read_slot(const struct slots *s, u32 at, struct command_slot *copy)
{
	const volatile struct command_slot *slot = slot_at(s, at);
	const u8 wanted = SLOT_BUSY | SLOT_SELECTED;
	u64 completes, submit_ns;

	for (u32 i = 0; i < READ_TRIES; i++) {
		if ((slot->state & wanted) != wanted)
			return false;
		completes = slot->completes;
		submit_ns = slot->submit_ns;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(copy, (const void *)slot, s->stride);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if ((slot->state & wanted) == wanted && slot->completes == completes &&
		    slot->submit_ns == submit_ns)
			return true;
	}
	return false;
}

/* The program of bpf/freed.h; -1 if no hook would tell of an end. */
static int freed_program(const struct loader *l)
{
	const struct bpf_program *prog = l->n_links ? loader_freed(l) : NULL;

	return prog ? bpf_program__fd(prog) : -1;
}

/*
 * Has the program of bpf/freed.h look at the command with @tag. True: the command is over, although
 * its slot says that it is in flight.
 */
static bool is_over(const struct slots *s, const struct queue_info *info, u32 tag)
{
	const volatile struct command_slot *slot = slot_at(s, info->slot_base + tag);
	u64 args[] = { 0, tag, s->setups }, submit_ns = slot->submit_ns;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (s->freed < 0 || !(slot->state & SLOT_BUSY))
		return false;
	args[0] = queue_of(s, info, slot->nsid);
	if (bpf_prog_test_run_opts(s->freed, &opts) || !opts.retval)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return slot->submit_ns == submit_ns;
}

/* One more than the largest index of queue info that is in use. */
static u32 queues_end(struct loader *l)
{
	size_t size = 0;
	const volatile u32 *taken = loader_memory(l, ".bss.taken", &size);
	u32 end = taken ? *taken + TAKEN_MORE : WIRE_QUEUES;

	return end < WIRE_QUEUES ? end : WIRE_QUEUES;
}

void loader_inflight(struct loader *l,
		     void (*take)(void *ctx, const struct command_slot *slot, u32 queue, u32 tag),
		     void *ctx)
{
	size_t size = 0;
	struct slots s = {
		.l = l,
		.memory = loader_memory(l, "command_slots", &size),
		.stride = bpf_map__value_size(loader_find_map(l, "command_slots")),
		.freed = freed_program(l),
		.setups = take != NULL,
		.queues = queues_end(l),
	};
	struct command_slot copy = { 0 };

	for (u32 i = 1; s.memory && i < s.queues; i++) {
		const struct queue_info *info = loader_queue(l, i);

		if (!last_of_tags(&s, i) || (u64)info->slot_base + info->depth > l->command_slots)
			continue;
		for (u32 tag = 0; tag < info->depth; tag++) {
			if (!is_over(&s, info, tag) && take &&
			    read_slot(&s, info->slot_base + tag, &copy))
				take(ctx, &copy, queue_of(&s, info, copy.nsid), tag);
		}
	}
}
