// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges recordings by time, and derives submissions from joined commands. */
#include <errno.h>
#include <sys/stat.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/event/order.h"
#include "lib/event/view.h"
#include "lib/record/head.h"
#include "lib/record/reader.h"

/* Events read ahead to put derived submissions in their place: two for a command. */
#define AHEAD 131072
/* Wall-clock offsets of one boot may differ by so much. */
#define SAME_BOOT_NS 5000000000LL

/* The origin of events that were read ahead: their file, and the wall clock's offset there. */
struct origin {
	struct reader *rd;
	s64 wall_offset_ns;
};

struct replay {
	struct record_queues queues;
	struct reader *reader;
	u32 n, needs;
	bool hosts; /* files of several hosts */
	bool keeps_copies; /* see replay_keep_copies() */
	struct counters copied; /* by events that an earlier file has, too */
	u64 copies; /* all such events */
	struct reader *last; /* its event is the caller's until the next call */
	struct order *order; /* with NEED_SUBMIT */
	struct origin *origin; /* origins of the events in `order` */
	u32 n_origins, origins_room;
	int err; /* why a file could not be read to its end; was reported */
};

/*
 * Returns the shift of a file's clock to the first one's. Clocks of one boot of one host need none,
 * though their wall-clock offsets, taken at two times, differ a little. Others are compared by wall
 * clock.
 */
static s64 shift_of(const struct record_head *first, const struct record_head *h)
{
	s64 shift = sat_diff(h->wall_offset_ns, first->wall_offset_ns);
	bool same_host = h->host && first->host && streq(h->host, first->host);

	return same_host && shift > -SAME_BOOT_NS && shift < SAME_BOOT_NS ? 0 : shift;
}

/*
 * Moves all times to the clock that began first. On another one, times before its start would be
 * negative.
 */
static void align(struct replay *r)
{
	const struct record_head *first = &r->reader[0].head;

	for (u32 i = 1; i < r->n; i++)
		if (r->reader[i].head.wall_offset_ns < first->wall_offset_ns)
			first = &r->reader[i].head;
	for (u32 i = 0; i < r->n; i++) {
		struct reader *rd = &r->reader[i];

		rd->shift_ns = shift_of(first, &rd->head);
		rd->head.start_ns = sat_move(rd->head.start_ns, rd->shift_ns);
		if (rd->head.trigger_ns)
			rd->head.trigger_ns = sat_move(rd->head.trigger_ns, rd->shift_ns);
		rd->head.wall_offset_ns = sat_diff(rd->head.wall_offset_ns, rd->shift_ns);
	}
}

/* Puts the host in front of names, since devices of two hosts may have the same one. */
static void tell_hosts_apart(struct replay *r)
{
	for (u32 i = 0; i < r->n; i++)
		r->hosts |= r->reader[i].head.hosts ||
			    r->reader[i].names.host != r->reader[0].names.host;
	for (u32 i = 0; i < r->n; i++)
		r->reader[i].names.prefixed = r->hosts;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (streq(a, b))
		return true;
	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Refuses a file that is named twice: its events would count twice. */
static int refuse_same_file(const struct opt_list *files)
{
	for (u32 i = 1; i < files->n; i++)
		for (u32 k = 0; k < i; k++)
			if (same_file(files->word[i], files->word[k]))
				return fail_usage("it is named twice", "name each recording once",
						  "--input '%s'", files->word[i]);
	return 0;
}

static int open_files(struct replay *r, const struct opt_list *files,
		      const struct replay_wait *wait)
{
	int err = refuse_same_file(files);

	r->reader = calloc(files->n, sizeof(*r->reader));
	if (!r->reader || record_queues_open(&r->queues))
		return -ENOMEM;
	for (u32 i = 0; i < files->n && !err; i++) {
		struct reader *rd = &r->reader[r->n++];

		rd->file = files->word[i];
		rd->index = i;
		rd->needs = r->needs;
		rd->wait = wait;
		err = reader_open(rd, &r->queues);
	}
	if (!err) {
		align(r);
		tell_hosts_apart(r);
	}
	return err;
}

int replay_open(struct replay **replay, const struct opt_list *files, u32 needs,
		const struct replay_wait *wait)
{
	struct replay *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (r) {
		r->needs = needs;
		err = open_files(r, files, wait);
	}
	if (!err && (needs & NEED_SUBMIT)) {
		r->order = order_new(AHEAD, NULL, NULL);
		/* the first one belongs to no file */
		array_add((void **)&r->origin, &r->n_origins, &r->origins_room, sizeof(*r->origin));
		err = r->order && r->origin ? 0 : -ENOMEM;
	}
	if (err == -ENOMEM)
		fail(err, NULL, NULL, "cannot read recordings");
	if (err) {
		replay_close(r);
		r = NULL;
	}
	*replay = r;
	return err;
}

u32 replay_needs(const struct replay *r)
{
	u32 needs = ~0U;

	for (u32 i = 0; i < r->n; i++)
		needs &= r->reader[i].head.needs;
	return needs & NEED_IO ? needs | NEED_SUBMIT : needs;
}

const struct record_head *replay_head(const struct replay *r, u32 file)
{
	return file < r->n ? &r->reader[file].head : NULL;
}

bool replay_hosts(const struct replay *r)
{
	return r->hosts;
}

void replay_plain_names(struct replay *r)
{
	for (u32 i = 0; i < r->n; i++)
		r->reader[i].names.prefixed = false;
}

void replay_keep_copies(struct replay *r)
{
	r->keeps_copies = true;
}

u64 replay_inflight(const struct replay *r)
{
	u64 n = 0;

	for (u32 i = 0; i < r->n; i++)
		n += r->reader[i].inflight;
	return n;
}

u64 replay_copies(const struct replay *r)
{
	return r->copies;
}

u64 replay_start_ns(const struct replay *r)
{
	u64 start = ~0ULL;

	for (u32 i = 0; i < r->n; i++)
		if (r->reader[i].head.start_ns < start)
			start = r->reader[i].head.start_ns;
	return start;
}

u64 replay_last_ns(const struct replay *r, u32 file)
{
	return r->reader[file].last_ns;
}

u64 replay_end_ns(const struct replay *r, u32 file)
{
	const struct reader *rd = &r->reader[file];

	return rd->inflight_ns > rd->last_ns ? rd->inflight_ns : rd->last_ns;
}

const char *replay_sched(const struct replay *r, u8 number)
{
	return number < SCHED_UNKNOWN ? r->queues.scheds[number] : NULL;
}

static const char *cgroup_name(void *reader, u64 id)
{
	const struct reader *rd = reader;

	return record_names_cgroup(&rd->names, id);
}

static const char *sched_name(void *reader, u8 number)
{
	const struct reader *rd = reader;

	return number < SCHED_UNKNOWN ? rd->names.all->scheds[number] : NULL;
}

static const char *file_path(void *reader, const struct file_id *id)
{
	const struct reader *rd = reader;

	return record_names_file(&rd->names, id);
}

static void set_stacks(void *reader, struct view *v)
{
	const struct reader *rd = reader;
	const struct event *ev = v->ev;
	u32 first = rd->index * (RECORD_STACKS_MAX * 2);

	if (ev->kstack_id >= 0 || ev->ustack_id >= 0)
		record_names_stacks(&rd->names, ev->kstack_id < 0 ? 0 : ev->kstack_id - first,
				    ev->ustack_id < 0 ? 0 : ev->ustack_id - first, v);
}

static void fill_view(const struct replay *r, struct reader *rd, s64 wall_offset_ns,
		      const struct event *ev, struct view *v)
{
	const struct replay_queue *q = &r->queues.queue[ev->queue];
	const struct view_queue queue = { &q->info, q->ctrl, q->dev, q->path, q->host, &q->limits };
	const struct view_source source = {
		.file = rd->index,
		.lacks = ~rd->head.needs,
		.needs = ~0U, /* what the file does not hold has no number */
		.wall_offset_ns = sat_diff(wall_offset_ns, rd->shift_ns),
		.arg = rd,
		.cgroup = cgroup_name,
		.sched = sched_name,
		.file_path = file_path,
		.stacks = set_stacks,
	};

	view_make(v, ev, &queue, &source);
}

/* Goes on to the next event of a file. */
static void step(struct reader *rd)
{
	const struct event *ev = &rd->unpack.ev[rd->at++];

	if (ev->kind == EVENT_INFLIGHT) {
		rd->inflight++;
		rd->inflight_ns = ev->ts_ns;
	} else if (ev->ts_ns > rd->last_ns) {
		rd->last_ns = ev->ts_ns;
	}
}

/*
 * Whether two files have the same event next, as those of a flight recorder do whose windows overlap:
 * programs of two runs would not take the same nanoseconds.
 */
static bool same_next(const struct replay *r, const struct reader *a, const struct reader *b)
{
	const struct event *x = &a->unpack.ev[a->at], *y = &b->unpack.ev[b->at];
	const struct queue_info *p, *q;

	if (x->ts_ns != y->ts_ns || a->names.host != b->names.host)
		return false;
	p = &r->queues.queue[x->queue].info;
	q = &r->queues.queue[y->queue].info;
	return x->kind == y->kind && x->submit_ns == y->submit_ns && x->opcode == y->opcode &&
	       x->bytes == y->bytes && p->ctrl_id == q->ctrl_id && p->qid == q->qid &&
	       p->nsid == q->nsid;
}

/* Passes over the event that @first has next in the other files that have it, too. */
static void skip_copies(struct replay *r, const struct reader *first)
{
	for (u32 i = 0; i < r->n; i++) {
		struct reader *rd = &r->reader[i];

		if (rd == first || rd->at >= rd->batch || !same_next(r, first, rd))
			continue;
		record_count(&r->copied, &rd->unpack.ev[rd->at]);
		r->copies++;
		step(rd);
	}
}

/* Returns the file with the earliest event; NULL at the end of all. */
static struct reader *earliest(struct replay *r)
{
	struct reader *first = NULL;

	for (u32 i = 0; i < r->n; i++) {
		struct reader *rd = &r->reader[i];

		if (!reader_peek(rd)) {
			r->err = r->err ? r->err : reader_error(rd);
			continue;
		}
		if (!first || rd->unpack.ev[rd->at].ts_ns < first->unpack.ev[first->at].ts_ns)
			first = rd;
	}
	if (first && r->n > 1 && !r->keeps_copies)
		skip_copies(r, first);
	return first;
}

/* Makes the submission event that a joined command began with. */
static void derive(struct event *submit, const struct event *io)
{
	*submit = *io;
	submit->kind = EVENT_SUBMIT;
	submit->ts_ns = io->submit_ns;
	submit->status = 0;
	submit->result = 0;
	submit->complete_cpu = 0;
}

/* Sets rd->origin for the events at hand; false when there is no memory, which is reported. */
static bool note_origin(struct replay *r, struct reader *rd)
{
	const struct origin now = { rd, rd->unpack.wall_offset_ns };
	const struct origin *last = &r->origin[rd->origin];

	if (last->rd == rd && last->wall_offset_ns == now.wall_offset_ns)
		return true;
	if (!array_grow((void **)&r->origin, r->n_origins, &r->origins_room, sizeof(now))) {
		if (!r->err)
			r->err = fail(-ENOMEM, NULL, NULL, "cannot read '%s'", rd->file);
		return false;
	}
	r->origin[r->n_origins] = now;
	rd->origin = r->n_origins++;
	return true;
}

/* Reads ahead until there is no room for two more events, or no event. */
static void read_ahead(struct replay *r)
{
	struct reader *rd;

	while (order_reserve(r->order, 2) == 0 && (rd = earliest(r))) {
		struct event *ev = &rd->unpack.ev[rd->at], submit;

		if (!note_origin(r, rd))
			break;
		step(rd);
		ev->pad = rd->origin; /* tells the file when the event comes out again */
		if (ev->kind == EVENT_IO && !(rd->head.needs & NEED_SUBMIT)) {
			derive(&submit, ev);
			order_add(r->order, &submit);
		}
		order_add(r->order, ev);
	}
}

int replay_next(struct replay *r, struct view *v)
{
	const struct origin *from;
	const struct event *ev;

	if (r->order) {
		read_ahead(r);
		ev = order_pop(r->order);
		if (!ev)
			return r->err;
		from = &r->origin[ev->pad];
		fill_view(r, from->rd, from->wall_offset_ns, ev, v);
		return 1;
	}
	if (r->last)
		step(r->last);
	r->last = earliest(r);
	if (!r->last)
		return r->err;
	fill_view(r, r->last, r->last->unpack.wall_offset_ns, &r->last->unpack.ev[r->last->at], v);
	return 1;
}

void replay_progress(const struct replay *r, u64 *done, u64 *total)
{
	struct stat st;
	bool known = true;

	*done = *total = 0;
	for (u32 i = 0; i < r->n; i++) {
		known = known && !fstat(r->reader[i].fd, &st) && S_ISREG(st.st_mode);
		*done += r->reader[i].offset;
		*total += known ? (u64)st.st_size : 0;
	}
	*total = known ? *total : 0;
}

const struct replay_queue *replay_queue(const struct replay *r, u32 index)
{
	return index < r->queues.n ? &r->queues.queue[index] : NULL;
}

int replay_devices(const struct opt_list *files, struct device_dir *dir,
		   const struct replay_wait *wait)
{
	struct replay *r = NULL;
	struct view v = { 0 };
	int err;

	if (!files->n)
		return 0;
	for (u32 i = 0; i < files->n; i++) {
		if (streq(files->word[i], "-"))
			return fail_usage(
				"it cannot be combined with -c, -n or -d, since standard input is read only once",
				"save it to a file first", "-i -");
	}
	err = replay_open(&r, files, 0, wait);
	for (u32 i = 0; !err && i < r->n; i++) {
		const struct reader *rd = &r->reader[i];

		if (!rd->head.hosts) /* else they do not say of which host they are */
			err = device_host(dir, rd->names.host);
		err = err ? err : device_add_parts(dir, rd->head.hosts ? NULL : rd->head.parts);
		if (err)
			fail(err, NULL, NULL, "devices");
	}
	while (!err) {
		err = replay_next(r, &v);
		if (err <= 0)
			break;
		err = device_host(dir, v.host);
		err = err ? err : device_add_queue(dir, v.queue);
		if (err)
			fail(err, NULL, NULL, "devices");
	}
	replay_close(r);
	return err;
}

const char *replay_cgroup(const struct replay *r, u64 cgroup_id)
{
	const char *path = NULL;

	for (u32 i = 0; i < r->n && !path; i++)
		path = record_names_cgroup(&r->reader[i].names, cgroup_id);
	return path;
}

const char *replay_file_path(const struct replay *r, const struct file_id *id)
{
	const char *path = NULL;

	for (u32 i = 0; i < r->n && !path; i++)
		path = record_names_file(&r->reader[i].names, id);
	return path;
}

void replay_counters_of(const struct replay *r, u32 file, struct counters *c)
{
	reader_counters(&r->reader[file], c);
}

void replay_counters(const struct replay *r, struct counters *total)
{
	*total = (struct counters){ .recursion_known = true, .events = true };
	for (u32 i = 0; i < r->n; i++) {
		struct counters c;
		u64 oldest_ns;

		replay_counters_of(r, i, &c);
		oldest_ns = total->oldest_ns > c.oldest_ns ? total->oldest_ns : c.oldest_ns;
		record_counters_add(total, &c);
		total->oldest_ns = oldest_ns; /* an age, which is not summed up */
		total->inflight_unknown |= c.inflight_unknown;
		total->cut |= c.cut;
		total->contradicted |= c.contradicted;
		total->recursion_known &= c.recursion_known;
	}
	record_counters_take(total, &r->copied);
}

u64 replay_commands(const struct replay *r, u32 file)
{
	return r->reader[file].counted.emitted;
}

bool replay_damaged(const struct replay *r)
{
	for (u32 i = 0; i < r->n; i++)
		if (reader_is_damaged(&r->reader[i]))
			return true;
	return false;
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	for (u32 i = 0; i < r->n; i++)
		reader_close(&r->reader[i]);
	record_queues_close(&r->queues);
	order_free(r->order);
	free(r->origin);
	free(r->reader);
	free(r);
}
