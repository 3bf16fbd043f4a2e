// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * inflight: walks the tag table of a hardware queue, which has every request that the driver was
 * given, also those of before. It runs in our own task and follows a descriptor of that to the
 * drive, so nothing is attached and no drive is touched.
 *
 * Nothing is locked: requests come and go meanwhile. So each is read, then looked at again, and the
 * table as well. What changed is read anew; what kept changing is counted and left out.
 *
 * There are two programs of the same code. One reads by bpf_probe_read_kernel(), the other, where
 * lockdown forbids that, by bpf_rdonly_cast() (6.2 and newer).
 */
#include "bpf/address.h"
#include "bpf/shared/inflight.h"
#include "bpf/inflight_kern.h"

char _license[] SEC("license") = "Dual BSD/GPL";

const volatile struct inflight_cfg cfg SEC(".rodata.cfg");

struct inflight_chunk chunk SEC(".bss.chunk");

/* The table that is walked. */
struct table {
	u64 kn; /* node of sysfs */
	u64 set, hctxs, tags, rqs; /* pointers: the tag set, its table by hardware queue, a row */
	u64 hctx;
} table SEC(".bss.table");

#define READ_TRIES  4 /* of a request that changes while it is read */
#define STACK_MAX   65536 /* THREAD_SIZE with pages of 64 KiB or KASAN: the largest there is */
#define IN_FLIGHT   1 /* MQ_RQ_IN_FLIGHT, include/linux/blk-mq.h */
#define PASSTHROUGH 34 /* REQ_OP_DRV_IN and _OUT, see reqflags_passthrough() */
#define OP_MASK	    0xff

/* kernel_bit() of this run. */
u32 bit SEC(".bss.bit");

/* The word at @addr; 0 where there is no memory. @cast is constant in each program. */
static __always_inline u64 word(bool cast, u64 addr)
{
	u64 value = 0;

	addr = kernel_address(addr, bit);
	if (cast) {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): what is read is a number */
		const struct timespec64 *t = bpf_rdonly_cast((void *)addr, KERNEL_TYPE(timespec64));

		return t->tv_sec;
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): what is read is a number */
	bpf_probe_read_kernel(&value, sizeof(value), (void *)addr);
	return value;
}

#include "bpf/file_walk.h"

/* The tasks that wait. One is noted only where its own stack or a function proves that it does. */

static __always_inline u64 cgroup_number(bool cast, u64 cgroup)
{
	return cgroup ? READ(READ(cgroup, struct cgroup, kn), struct kernfs_node, id) : 0;
}

/* A kernel worker waits on behalf of others: then the cgroup that the kernel charges says more. */
static __always_inline bool note_task(bool cast, struct inflight_request *r, u64 task)
{
	u64 *comm = (u64 *)r->comm, set;

	if (!task)
		return false;
	r->pid = READ(task, struct task_struct, tgid);
	comm[0] = word(cast, task + OFFSET(struct task_struct, comm));
	comm[1] = word(cast, task + OFFSET(struct task_struct, comm) + 8);
	r->worker = !!(READ(task, struct task_struct, flags) & PF_WQ_WORKER);
	set = READ(task, struct task_struct, cgroups);
	if (!r->worker || !r->cgroup_id)
		r->cgroup_id = cgroup_number(cast, READ(set, struct css_set, dfl_cgrp));
	return true;
}

/*
 * The size of the stack of @task; 0: not known. Where @task is none, any number may lie there, but no
 * stack is larger than STACK_MAX.
 */
static __always_inline u64 stack_bytes(bool cast, u64 task)
{
	u64 area, bytes;

	if (!EXISTS(struct task_struct___walk, stack_vm_area))
		return 0;
	area = READ(task, struct task_struct___walk, stack_vm_area);
	bytes = READ(area, struct vm_struct, nr_pages) * cfg.page_bytes;
	return bytes <= STACK_MAX ? bytes : 0;
}

static __always_inline bool on_stack(bool cast, u64 task, u64 addr)
{
	return addr - READ(task, struct task_struct___walk, stack) < stack_bytes(cast, task);
}

/*
 * Whether @done is a completion on the stack of the task that sleeps on it, with its entry in the
 * list there as well: whatever else lies at @done does not look like that.
 */
static __always_inline bool note_completion(bool cast, struct inflight_request *r, u64 done)
{
	u64 head = done + OFFSET(struct completion, wait.task_list.next);
	u64 entry, task;

	if (!done)
		return false;
	entry = word(cast, head) - OFFSET(struct swait_queue, task_list.next);
	task = READ(entry, struct swait_queue, task);
	if (!task || !on_stack(cast, task, done) || !on_stack(cast, task, entry))
		return false;
	return note_task(cast, r, task);
}

/* The request of io_uring that begins at @io. */
static __always_inline bool note_uring(bool cast, struct inflight_request *r, u64 io)
{
	if (EXISTS(struct io_kiocb___old, task))
		return note_task(cast, r, READ(io, struct io_kiocb___old, task));
	if (!EXISTS(struct io_kiocb, tctx) || !EXISTS(struct io_uring_task, task))
		return false;
	return note_task(cast, r,
			 READ(READ(io, struct io_kiocb, tctx), struct io_uring_task, task));
}

/* Whoever has mapped the ring of the aio context, if that is one process. */
static __always_inline bool note_aio(bool cast, struct inflight_request *r, u64 kiocb)
{
	u64 file, inode, mapping, node, vma;

	if (!EXISTS(struct aio_kiocb, ki_ctx) || !EXISTS(struct kioctx, aio_ring_file) ||
	    !EXISTS(struct mm_struct, owner))
		return false;
	file = READ(READ(kiocb, struct aio_kiocb, ki_ctx), struct kioctx, aio_ring_file);
	inode = READ(file, struct file, f_inode);
	mapping = READ(inode, struct inode, i_mapping);
	node = READ(mapping, struct address_space, i_mmap.rb_root.rb_node);
	vma = node - OFFSET(struct vm_area_struct, shared.rb.__rb_parent_color);
	if (!node || READ(node, struct rb_node, rb_left) || READ(node, struct rb_node, rb_right))
		return false;
	return note_task(cast, r,
			 READ(READ(vma, struct vm_area_struct, vm_mm), struct mm_struct, owner));
}

static __always_inline bool note_kiocb(bool cast, struct inflight_request *r, u64 kiocb)
{
	u64 complete = READ(kiocb, struct kiocb, ki_complete);

	if (!complete)
		return false;
	if (complete == cfg.function[INFLIGHT_AIO])
		return note_aio(cast, r, kiocb);
	if (complete == cfg.function[INFLIGHT_URING_RW] ||
	    complete == cfg.function[INFLIGHT_URING_POLL])
		return note_uring(cast, r, kiocb);
	return false;
}

/* Direct I/O of a block device. */
static __always_inline void note_dio(bool cast, struct inflight_request *r, u64 dio, bool async)
{
	u64 iocb = READ(dio, struct blkdev_dio, iocb);

	if (!async && file_dio_waits(cast, dio))
		note_task(cast, r, iocb);
	else
		note_kiocb(cast, r, iocb);
}

/* Direct I/O of a file. */
static __always_inline void note_iomap(bool cast, struct inflight_request *r, u64 dio)
{
	if (!EXISTS(struct iomap_dio, wait_for_completion) || !EXISTS(struct iomap_dio, iocb) ||
	    !EXISTS(struct iomap_dio, submit.waiter))
		return;
	if (READ(dio, struct iomap_dio, wait_for_completion))
		note_task(cast, r, READ(dio, struct iomap_dio, submit.waiter));
	else
		note_kiocb(cast, r, READ(dio, struct iomap_dio, iocb));
}

static __always_inline void note_charged(bool cast, struct inflight_request *r, u64 bio)
{
	u64 blkg, blkcg;

	if (!EXISTS(struct bio, bi_blkg))
		return;
	blkg = READ(bio, struct bio, bi_blkg);
	if (!blkg)
		return;
	blkcg = READ(blkg, struct blkcg_gq, blkcg);
	r->cgroup_id = cgroup_number(cast, READ(blkcg, struct blkcg, css.cgroup));
}

/* The file whose data @bio moves, which ends by @end. */
static __always_inline void note_file(bool cast, struct inflight_request *r, u64 bio, u64 end,
				      u64 private)
{
	u64 inode = file_inode(cast, bio, end, private);

	if (inode)
		file_identify(cast, inode, &r->file);
}

static __always_inline void note_bio(bool cast, struct inflight_request *r, u64 bio)
{
	u64 end = READ(bio, struct bio___walk, bi_end_io),
	    private = READ(bio, struct bio, bi_private);
	u64 whole = file_whole_bio(cast, bio, &end, &private);

	note_charged(cast, r, bio);
	if (!end || note_completion(cast, r, private))
		return;
	note_file(cast, r, whole, end, private);
	if (end == cfg.function[INFLIGHT_BDEV_SIMPLE]) {
		if (on_stack(cast, private, whole))
			note_task(cast, r, private);
	} else if (file_ends(end, FILE_BDEV)) {
		note_dio(cast, r, private, false);
	} else if (file_ends(end, FILE_BDEV_ASYNC)) {
		note_dio(cast, r, whole - OFFSET(struct blkdev_dio, bio.bi_next), true);
	} else if (file_ends(end, FILE_IOMAP)) {
		note_iomap(cast, r, private);
	}
}

/* A function of its own, so that the verifier follows it once. */
static __always_inline int note_who(bool cast, u64 rq, u32 at)
{
	struct inflight_request *r = &chunk.request[at & (INFLIGHT_TAGS - 1)];
	u64 end = READ(rq, struct request___walk, end_io);
	u64 data = READ(rq, struct request___walk, end_io_data);
	u64 bio = READ(rq, struct request, bio);

	if (end &&
	    (end == cfg.function[INFLIGHT_URING_CMD] || end == cfg.function[INFLIGHT_URING_META]))
		note_uring(cast, r, data);
	else if (end && note_completion(cast, r, data))
		return 0;
	else if (bio)
		note_bio(cast, r, bio);
	return 0;
}

__noinline int note_who_probe(u64 rq, u32 at)
{
	return note_who(false, rq, at);
}

__noinline int note_who_cast(u64 rq, u32 at)
{
	return note_who(true, rq, at);
}

/* A request. */

/* A request is used again and again: these members tell its present command from the next. */
struct life {
	u64 state, tag, start_ns, deadline, bio, data, sqe;
};

static __always_inline u64 sqe_of(bool cast, u64 rq)
{
	return word(cast, rq + cfg.req_cmd);
}

static __always_inline void read_life(bool cast, u64 rq, struct life *l)
{
	l->state = READ(rq, struct request, state);
	l->tag = READ(rq, struct request, tag);
	l->start_ns = READ(rq, struct request___walk, start_time_ns);
	l->deadline = READ(rq, struct request___walk, deadline);
	l->bio = READ(rq, struct request, bio);
	l->data = READ(rq, struct request___walk, end_io_data);
	l->sqe = cfg.has_sqe ? word(cast, sqe_of(cast, rq)) : 0;
}

static __always_inline bool same_life(const struct life *a, const struct life *b)
{
	return a->state == b->state && a->tag == b->tag && a->start_ns == b->start_ns &&
	       a->deadline == b->deadline && a->bio == b->bio && a->data == b->data &&
	       a->sqe == b->sqe;
}

/* Whether the request is with the driver, by the table's tag set and hardware queue. */
static __always_inline bool is_ours(bool cast, u64 rq, const struct life *l, u32 tag)
{
	u64 q = READ(rq, struct request, q), hctx = READ(rq, struct request, mq_hctx);

	return l->state == IN_FLIGHT && l->tag == tag &&
	       READ(q, struct request_queue, tag_set) == table.set &&
	       READ(hctx, struct blk_mq_hw_ctx, queue_num) == table.hctx;
}

/* Its SQE, where the driver keeps it, or where somebody waits who has it. */
static __always_inline void read_sqe(bool cast, u64 rq, struct inflight_request *r)
{
	u64 sqe = sqe_of(cast, rq);
	bool waits = (r->cmd_flags & OP_MASK & ~1U) == PASSTHROUGH && cfg.function[INFLIGHT_SYNC] &&
		     READ(rq, struct request___walk, end_io) == cfg.function[INFLIGHT_SYNC];

	r->has_sqe = sqe && (cfg.has_sqe || waits);
	if (!r->has_sqe)
		return;
	for (u32 i = 0; i < INFLIGHT_SQE; i++)
		r->sqe[i] = word(cast, sqe + i * sizeof(u64));
}

static __always_inline void read_disk(bool cast, u64 rq, u64 q, struct inflight_request *r)
{
	u64 *name = (u64 *)r->disk, disk;

	if (EXISTS(struct request_queue, disk))
		disk = READ(q, struct request_queue, disk);
	else
		disk = READ(rq, struct request___old, rq_disk);
	for (u32 i = 0; i < sizeof(r->disk) / sizeof(u64); i++)
		name[i] = disk ? word(cast,
				      disk + OFFSET(struct gendisk, disk_name) + i * sizeof(u64))
			       : 0;
}

static __always_inline void read_request(bool cast, u64 rq, struct inflight_request *r,
					 const struct life *l)
{
	u64 q = READ(rq, struct request, q);

	r->start_ns = l->start_ns;
	r->deadline = l->deadline;
	r->tag = l->tag;
	r->sector = READ(rq, struct request, __sector);
	r->cmd_flags = READ(rq, struct request, cmd_flags);
	r->bytes = READ(rq, struct request, __data_len);
	r->timeout = READ(rq, struct request___walk, timeout);
	r->lba_bytes = READ(q, struct request_queue, limits.logical_block_size);
	r->scheduled = (s32)READ(rq, struct request, internal_tag) >= 0;
	r->cgroup_id = 0;
	r->file = (struct file_id){ 0 };
	r->pid = 0;
	r->worker = 0;
	read_sqe(cast, rq, r);
	read_disk(cast, rq, q, r);
}

enum outcome {
	OUTCOME_NONE, /* the driver does not have it */
	OUTCOME_TAKEN,
	OUTCOME_TORN, /* it changed meanwhile */
};

/*
 * Adds the request at @rq to the chunk if it is with the driver. A function of its own as above;
 * in a loop, the compiler would move the places of members that not every kernel has in front of
 * the question whether this one has them.
 */
static __always_inline int take(bool cast, u64 rq, u32 tag)
{
	u32 at = chunk.n & (INFLIGHT_TAGS - 1);
	struct inflight_request *r;
	struct life before, after;

	barrier_var(at);
	r = &chunk.request[at & (INFLIGHT_TAGS - 1)];
	if (READ(rq, struct request, state) != IN_FLIGHT) /* most are idle: look no further */
		return OUTCOME_NONE;
	read_life(cast, rq, &before);
	if (!is_ours(cast, rq, &before, tag))
		return OUTCOME_NONE;
	read_request(cast, rq, r, &before);
	if (cast)
		note_who_cast(rq, at);
	else
		note_who_probe(rq, at);
	read_life(cast, rq, &after);
	if (!same_life(&before, &after))
		return OUTCOME_TORN;
	chunk.n++;
	return OUTCOME_TAKEN;
}

__noinline int take_probe(u64 rq, u32 tag)
{
	return take(false, rq, tag);
}

__noinline int take_cast(u64 rq, u32 tag)
{
	return take(true, rq, tag);
}

static __always_inline void look(bool cast, u64 rq, u32 tag)
{
	for (u32 i = 0; i < READ_TRIES; i++) {
		if ((cast ? take_cast(rq, tag) : take_probe(rq, tag)) != OUTCOME_TORN)
			return;
	}
	chunk.torn++;
}

/* The way to the table. */

static __always_inline u64 node_of(bool cast, u64 fd)
{
	u64 files = READ(bpf_get_current_task(), struct task_struct___walk, files);
	u64 fdt = READ(files, struct files_struct, fdt);
	u64 file, inode;

	if (fd >= READ(fdt, struct fdtable, max_fds))
		return 0;
	file = word(cast, READ(fdt, struct fdtable, fd) + fd * sizeof(u64));
	inode = READ(file, struct file, f_inode);
	return READ(inode, struct inode, i_private);
}

static __always_inline bool removed(bool cast, u64 kn)
{
	return (s32)READ(kn, struct kernfs_node___walk, active.counter) < 0;
}

static __always_inline u64 tag_set_of_disk(bool cast, u64 dev)
{
	u64 disk;

	if (EXISTS(struct block_device___walk, bd_device.kobj.name))
		disk = READ(dev - OFFSET(struct block_device___walk, bd_device.kobj.name),
			    struct block_device, bd_disk);
	else
		disk = dev - OFFSET(struct gendisk___old, part0.__dev.kobj.name);
	return READ(READ(disk, struct gendisk, queue), struct request_queue, tag_set);
}

static __always_inline u64 tag_set_of_ctrl(bool cast, u64 dev)
{
	u64 ctrl = READ(dev, struct device___walk, driver_data), set, q;

	if (cfg.ctrl_tagset)
		return word(cast, ctrl + cfg.ctrl_tagset);
	q = word(cast, ctrl + cfg.ctrl_admin_q);
	set = READ(q, struct request_queue, tag_set);
	return READ(set, struct blk_mq_tag_set, nr_hw_queues) == 1 ? set : 0;
}

/* Finds the table; enum inflight_state, 0: it is there. */
static __always_inline u32 find_table(bool cast, const u64 *arg)
{
	u64 dev, hctx = arg[INFLIGHT_ARG_HCTX];

	table.kn = node_of(cast, arg[INFLIGHT_ARG_FD]);
	if (!table.kn || removed(cast, table.kn))
		return INFLIGHT_GONE;
	dev = READ(table.kn, struct kernfs_node___walk, priv) -
	      OFFSET(struct device___walk, kobj.name);
	table.set =
		arg[INFLIGHT_ARG_CTRL] ? tag_set_of_ctrl(cast, dev) : tag_set_of_disk(cast, dev);
	if (!table.set)
		return INFLIGHT_NO_TAGS;
	if (hctx >= READ(table.set, struct blk_mq_tag_set, nr_hw_queues))
		return INFLIGHT_NO_HCTX;
	table.hctx = hctx;
	table.hctxs = READ(table.set, struct blk_mq_tag_set___walk, tags);
	table.tags = word(cast, table.hctxs + hctx * sizeof(u64));
	table.rqs = READ(table.tags, struct blk_mq_tags, rqs);
	chunk.tags = READ(table.tags, struct blk_mq_tags, nr_tags);
	return 0; /* also where no CPU has the queue: then it has no tags (blk_mq_map_swqueue()) */
}

/* Whether the table is still the one that was walked. */
static __always_inline u32 check_table(bool cast)
{
	if (removed(cast, table.kn))
		return INFLIGHT_GONE;
	if (READ(table.set, struct blk_mq_tag_set___walk, tags) != table.hctxs ||
	    word(cast, table.hctxs + table.hctx * sizeof(u64)) != table.tags ||
	    READ(table.tags, struct blk_mq_tags, rqs) != table.rqs)
		return INFLIGHT_MOVED;
	return INFLIGHT_DONE;
}

static __always_inline int walk(bool cast, const u64 *arg)
{
	u64 first = arg[INFLIGHT_ARG_TAG], rqs;

	bit = kernel_bit();
	chunk.n = chunk.torn = chunk.tags = 0;
	chunk.now_ns = bpf_ktime_get_ns();
	chunk.jiffies = bpf_jiffies64();
	chunk.state = find_table(cast, arg);
	if (chunk.state)
		return 0;
	rqs = table.rqs;
	for (u32 i = 0; i < INFLIGHT_TAGS && first + i < chunk.tags; i++) {
		u64 rq = word(cast, rqs + (first + i) * sizeof(u64));

		if (rq)
			look(cast, rq, first + i);
	}
	chunk.state = check_table(cast);
	return 0;
}

SEC("raw_tp/walk")
int walk_probe(u64 *arg)
{
	return walk(false, arg);
}

SEC("walk/cast")
int walk_cast(u64 *arg)
{
	return walk(true, arg);
}
