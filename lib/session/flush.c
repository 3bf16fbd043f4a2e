// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the device of a flush request in sysfs, and decides whether it is selected. */
#include "lib/session/flush.h"

#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/host/above.h"
#include "lib/session/impl.h"

#define FIRST	 (WIRE_QUEUES - WIRE_STACKED) /* index of the first device */
#define FRESH_NS (500 * NSEC_PER_MSEC) /* how long sysfs is taken to stay as it was */
#define PATHS	 16 /* of a member */

struct flush_device {
	u32 major, minor;
	u64 read_ns; /* when it was last looked for in sysfs; 0: the place is free */
	struct queue_info queue;
	struct stack stack;
};

struct flush_devices {
	struct flush_device dev[WIRE_STACKED];
	u32 next; /* the place that the next one takes, the oldest's if all are taken */
	bool told; /* tell_no_md() */
	u64 changes; /* so far: queue_info.diskseq of the last change */
};

/* The place of a device, NULL: it has none yet. */
static struct flush_device *find(struct flush_devices *all, u32 major, u32 minor)
{
	for (u32 i = 0; i < WIRE_STACKED; i++) {
		struct flush_device *d = &all->dev[i];

		if (d->read_ns && d->major == major && d->minor == minor)
			return d;
	}
	return NULL;
}

static void change(struct flush_devices *all, struct flush_device *d, const struct stack *st)
{
	d->stack = *st;
	d->queue = (struct queue_info){
		.index = FIRST + (u32)(d - all->dev),
		.ctrl_id = -1,
		.major = d->major,
		.minor = d->minor,
		.diskseq = ++all->changes, /* recordings say the members again */
	};
	snprintf(d->queue.disk, sizeof(d->queue.disk), "%s", st->name);
}

/*
 * The device with these numbers, as it was at most FRESH_NS ago; one that has gone, as it last was.
 * NULL: it was never there.
 */
static struct flush_device *look_up(struct flush_devices *all, u32 major, u32 minor)
{
	struct flush_device *d = find(all, major, minor);
	u64 now_ns = clock_ns(CLOCK_MONOTONIC);
	struct stack st;

	if (d && now_ns - d->read_ns < FRESH_NS)
		return d;
	if (stack_read(&st, NULL, major, minor))
		return d;
	if (!d) {
		d = &all->dev[all->next++ % WIRE_STACKED];
		*d = (struct flush_device){ .major = major, .minor = minor };
	}
	d->read_ns = now_ns;
	if (!d->queue.index || !streq(st.name, d->stack.name) ||
	    !streq(st.members, d->stack.members))
		change(all, d, &st);
	d->stack = st;
	return d;
}

/*
 * Marks counts that are not known. A request that became no command is certain only where there is
 * no cache. Elsewhere its commands were not seen, because it waited for the flush of another request
 * (md before 6.12), or went through a thread of the device. Where a device sends flushes to several
 * others side by side, the programs cannot tell which of these a command was for.
 */
static void judge(struct event *ev, const struct stack *st)
{
	if ((!ev->cdw[0] && st->cached) || (ev->cdw[2] && st->beside))
		ev->cdw[0] = ev->cdw[1] = UNKNOWN32;
	if (!ev->cdw[1])
		ev->cdw[1] = UNKNOWN32;
	ev->cdw[2] = 0;
}

/* Before 6.12 it takes BTF of md to find the flush that commands were sent for. */
static void tell_no_md(struct session *s, const struct event *ev, const struct stack *st)
{
	if (s->flushes->told || s->kernel.btf.md_read || ev->cdw[0] != UNKNOWN32 ||
	    !has_prefix(st->name, "md"))
		return;
	s->flushes->told = true;
	note("how many commands a flush of %s became is not known: md had no BTF when tracing began (" BTF_DIR
	     "/md_mod)",
	     st->name);
}

bool session_flush_resolve(struct session *s, struct event *ev)
{
	const struct flush_device *d;

	if (!s->flushes)
		s->flushes = calloc(1, sizeof(*s->flushes));
	d = s->flushes ? look_up(s->flushes, (u32)(ev->result >> 32), (u32)ev->result) : NULL;
	if (!d) {
		s->account.own.flushes_unmatched++;
		return false;
	}
	ev->queue = d->queue.index;
	ev->result = 0;
	judge(ev, &d->stack);
	tell_no_md(s, ev, &d->stack);
	return d->stack.members[0];
}

static const struct flush_device *device_at(const struct session *s, u32 index)
{
	if (!s->flushes || index < FIRST || index >= WIRE_QUEUES)
		return NULL;
	return &s->flushes->dev[index - FIRST];
}

const struct queue_info *session_flush_queue(const struct session *s, u32 index)
{
	const struct flush_device *d = device_at(s, index);

	return d ? &d->queue : NULL;
}

void session_flush_names(const struct session *s, u32 index, struct view_queue *queue)
{
	const struct flush_device *d = device_at(s, index);

	if (!d)
		return;
	queue->ctrl = "-";
	queue->dev = d->stack.name;
	queue->path = d->stack.members;
}

/* True if the selection takes a flush of namespace @in->nsid of controller @in->ctrl_id. */
static bool takes(const struct filter *f, const struct filter_input *in)
{
	return filter_ctrl(f, in->ctrl_id) && filter_submit(f, in);
}

/* The same, of the namespace of that name on @host. */
static bool takes_member(const struct session *s, const struct filter *f, struct filter_input *in,
			 u32 host, const char *name)
{
	u32 found[PATHS], n = device_find(&s->subject.dir, host, name, found, PATHS);

	for (u32 i = 0; i < n && i < PATHS; i++) {
		const struct device *dev = &s->subject.dir.dev[found[i]];

		in->ctrl_id = dev->ctrl_id;
		in->nsid = dev->nsid;
		if (takes(f, in))
			return true;
	}
	return false;
}

/* True if one of the members is selected, or nothing but the members is asked for. */
static bool takes_members(const struct session *s, const struct filter *f, struct filter_input *in,
			  const struct view *v)
{
	const char *members = v->members;
	u32 host = session_host_place(s, v->host);
	char name[SYSFS_NAME];

	in->ctrl_id = -1;
	if (!f->n_ctrl && !f->n_nsid && !f->n_dev && !f->n_dev_out)
		return filter_submit(f, in);
	while (members && str_word(&members, ' ', name, sizeof(name)))
		if (takes_member(s, f, in, host, name))
			return true;
	return false;
}

bool session_takes_flush(const struct session *s, const struct filter *f, const struct view *v)
{
	const struct event *ev = v->ev;
	struct filter_input in = {
		.size_bytes = ev->bytes,
		.pid = ev->pid,
		.opcode = ev->opcode,
		.comm = ev->comm,
	};

	if (!f->io || f->n_qid || !filter_complete(f, event_lat_ns(ev), WIRE_UNKNOWN_STATUS, 0))
		return false;
	return takes_members(s, f, &in, v) && select_cgroups(&s->inv->common.selection.cgroup, v);
}
