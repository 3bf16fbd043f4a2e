// SPDX-License-Identifier: GPL-2.0-or-later
/* Keeps commands one by one for the findings. */
#include "cmd/report/find_log.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/host/cgroup.h"
#include "lib/nvme/reqflags.h"
#include "lib/view/latency_sum.h"

int log_open(struct log *l)
{
	*l = (struct log){ .every = 1 };
	l->at = malloc(LOG_MOST * sizeof(*l->at));
	l->kinds = group_table_open(sizeof(struct group_key), sizeof(struct log_kind), LOG_KINDS);
	l->senders =
		group_table_open(sizeof(struct group_key), sizeof(struct log_sender), LOG_SENDERS);
	return l->at && l->kinds && l->senders ? 0 : -ENOMEM;
}

static void unsettle(struct log *l)
{
	free(l->by_submit);
	free(l->own);
	free(l->all);
	free(l->apart);
	free(l->excess);
	l->by_submit = NULL;
	l->apart = NULL;
	l->excess = NULL;
	l->own = l->all = NULL;
}

void log_close(struct log *l)
{
	unsettle(l);
	free(l->at);
	group_table_close(l->kinds);
	group_table_close(l->senders);
	*l = (struct log){ 0 };
}

/* Numbers the controllers as they come. LOG_CTRLS: there are too many. */
static u32 ctrl_of(struct log *l, u32 host, s32 id)
{
	u32 i = 0;

	while (i < l->n_ctrls && (l->ctrl[i].host != host || l->ctrl[i].id != id))
		i++;
	if (i == l->n_ctrls && i < LOG_CTRLS) {
		l->ctrl[i].host = host;
		l->ctrl[i].id = id;
		l->n_ctrls++;
	}
	return i;
}

/* Nobody waits for what is written back from the page cache; a sync or FUA write is waited for. */
static bool is_waited(const struct view *v, u32 lacks)
{
	bool sync = v->flags & (1U << REQ_FLAG_SYNC | 1U << REQ_FLAG_FUA | 1U << REQ_FLAG_PREFLUSH);

	if (v->ev->opcode != OPCODE_WRITE || v->ev->flags & EVENT_PASSTHROUGH)
		return true;
	return lacks & NEED_CMD_FLAGS ? !(v->ev->flags & EVENT_WORKER) : sync;
}

static struct log_kind *kind_of(struct log *l, struct session *s, const struct view *v, u32 lacks)
{
	const struct event *ev = v->ev;
	struct group_key key = { .opcode = ev->opcode, .fctype = ev->fctype };
	struct log_kind *kind;
	bool waited = is_waited(v, lacks);

	key.admin = (ev->flags & EVENT_ADMIN) != 0;
	key.device = session_device(s, ev->queue);
	key.host = session_host(s, ev->queue);
	key.ctrl_id = v->queue->ctrl_id;
	key.size_class = ev->bytes && !key.admin ? (u8)(64 - __builtin_clzll(ev->bytes)) : 0;
	key.flags = (waited ? LOG_WAITED : 0) | (v->flags >> REQ_FLAG_FUA & 1 ? LOG_FUA : 0) |
		    (ev->flags & EVENT_WORKER ? LOG_WORKER : 0);
	kind = group_table_row(l->kinds, &key);
	if (!kind->known) {
		kind->known = true;
		kind->index = l->n_kinds++;
		kind->ctrl = ctrl_of(l, key.host, key.ctrl_id);
		kind->waited = waited;
		kind->least_bytes = ~0ULL;
		l->kind[kind->index] = kind;
	}
	kind->least_bytes = ev->bytes < kind->least_bytes ? ev->bytes : kind->least_bytes;
	kind->most_bytes = ev->bytes > kind->most_bytes ? ev->bytes : kind->most_bytes;
	return kind;
}

static bool is_resync(const char *comm)
{
	size_t n = strlen(comm);

	return has_prefix(comm, "md") && n > 7 && streq(comm + n - 7, "_resync");
}

static enum log_work work_of(const struct view *v, u32 lacks)
{
	const struct event *ev = v->ev;

	if (v->flags >> REQ_FLAG_SWAP & 1)
		return WORK_SWAP;
	if (is_resync(ev->comm))
		return WORK_RESYNC;
	return ev->opcode == OPCODE_WRITE && !is_waited(v, lacks) &&
			       (ev->flags & EVENT_WORKER || has_prefix(ev->comm, "kworker/"))
		       ? WORK_WRITEBACK
		       : WORK_OWN;
}

static struct log_sender *sender_row(struct log *l, const struct group_key *key,
				     const struct event *ev)
{
	struct log_sender *sender = group_table_row(l->senders, key);

	if (sender->count++)
		return sender;
	sender->index = l->n_senders++;
	sender->pid = ev->pid;
	sender->work = (enum log_work)key->size_class;
	memcpy(sender->comm, ev->comm, sizeof(ev->comm));
	l->sender[sender->index] = sender;
	return sender;
}

/* Whether process @pid is a sender of its own: one of the first of its name. */
static bool is_own(struct log_sender *name, u32 pid)
{
	u32 i = 0;

	while (i < name->n_pids && name->pids[i] != pid)
		i++;
	if (i < name->n_pids)
		return true;
	if (i == LOG_PIDS) {
		name->several = true;
		return false;
	}
	name->pids[name->n_pids++] = pid;
	return true;
}

static struct log_sender *sender_of(struct log *l, const struct view *v, u32 lacks)
{
	const struct event *ev = v->ev;
	struct group_key key = { .size_class = (u8)work_of(v, lacks) };
	struct log_sender *sender;

	if (key.size_class == WORK_WRITEBACK)
		key.owner_id = lacks & NEED_OWNER ? 0 : ev->owner_id;
	else if (key.size_class != WORK_SWAP)
		memcpy(key.comm, ev->comm, has_prefix(ev->comm, "kworker/") ? 7 : sizeof(key.comm));
	sender = sender_row(l, &key, ev);
	if (key.size_class == WORK_OWN && ev->pid && !sender->key.other &&
	    is_own(sender, ev->pid)) {
		u32 name = sender->index;

		key.pid = ev->pid;
		sender = sender_row(l, &key, ev);
		sender->name = name;
		return sender;
	}
	sender->name = sender->index;
	sender->several |= sender->pid != ev->pid;
	return sender;
}

/* Who waits for the command, as a sender; LOG_NOBODY: none is known. */
static u16 waiter_of(struct log *l, const struct view *v, u32 lacks)
{
	struct event by = *v->ev;
	struct view view = { .ev = &by };

	if (lacks & NEED_SYNCER || !by.syncer_pid)
		return LOG_NOBODY;
	by.pid = by.syncer_pid;
	by.flags &= ~EVENT_WORKER;
	memcpy(by.comm, by.syncer_comm, sizeof(by.comm));
	return (u16)sender_of(l, &view, lacks)->index;
}

/* Where a name has more processes than are senders of their own, all of them are one. */
static void join_senders(struct log *l)
{
	u16 *to = malloc((l->n_senders + 1) * sizeof(*to));

	for (u32 i = 0; to && i < l->n_senders; i++) {
		struct group_key key = l->sender[i]->key;
		const struct log_sender *name;

		key.pid = 0;
		name = l->sender[i]->key.other ? NULL : group_table_find(l->senders, &key);
		to[i] = name && name->several ? (u16)name->index : (u16)i;
	}
	for (u32 i = 0; to && i < l->n; i++) {
		l->at[i].sender = to[l->at[i].sender];
		if (l->at[i].waiter != LOG_NOBODY)
			l->at[i].waiter = to[l->at[i].waiter];
	}
	free(to);
}

void log_class(struct log *l, struct session *s, const struct view *v, u32 lacks, u32 *kind,
	       u32 *sender)
{
	struct log_sender *is = sender_of(l, v, lacks);
	struct group_key name = is->key;

	*kind = kind_of(l, s, v, lacks)->index;
	name.pid = 0;
	if (is->key.pid &&
	    ((const struct log_sender *)group_table_find(l->senders, &name))->several)
		is = group_table_row(l->senders, &name);
	*sender = is->index;
}

/* Whether command @seen is of the sample of one in @every: by chance, but each time the same. */
static bool is_sampled(u64 seen, u32 every)
{
	return !((seen * 0x9e3779b97f4a7c15ULL) >> 40 & (every - 1));
}

/* Forgets every second command, by chance. */
static void thin(struct log *l)
{
	u32 n = 0;

	for (u32 i = 0; i < l->n; i++)
		if (is_sampled(i + 1, 2))
			l->at[n++] = l->at[i];
	l->n = n;
	l->every *= 2;
}

static float wait_of(const struct event *ev, u32 lacks)
{
	/* One that is tried again waits for its failure, not for a tag. */
	if (lacks & NEED_QUEUED || !ev->queued_ns || ev->queued_ns > ev->submit_ns || ev->retries)
		return -1;
	return (float)(ev->submit_ns - ev->queued_ns);
}

/* Counts a command, whether it is kept or forgotten. */
static void count(struct log_kind *kind, const struct event *ev)
{
	if (!kind->count++)
		kind->first_ns = ev->ts_ns;
	kind->last_ns = ev->ts_ns;
	kind->retried += ev->retries && !event_failed(ev);
}

struct log_sched log_sched(const struct log *l, u32 device)
{
	struct log_sched is = { 0 };

	for (u32 i = 0; i < l->n; i++) {
		const struct log_command *c = &l->at[l->by_submit[i]];

		if (c->sched == LOG_NO_SCHED || l->kind[c->kind]->key.device != device)
			continue;
		if (is.known && c->sched != is.now) {
			is.was = is.now;
			is.changed_ns = c->submit_ns;
		}
		is.known = true;
		is.now = c->sched;
	}
	return is;
}

void log_add(struct log *l, struct session *s, const struct view *v, u32 lacks)
{
	const struct event *ev = v->ev;
	bool moves = ev->opcode == OPCODE_READ || ev->opcode == OPCODE_WRITE;
	struct log_kind *kind = kind_of(l, s, v, lacks);
	struct log_sender *sender = sender_of(l, v, lacks);

	count(kind, ev);
	if (!is_sampled(l->seen++, l->every))
		return;
	if (kind->key.other || kind->ctrl == LOG_CTRLS) {
		l->unlogged++;
		return;
	}
	if (l->n == LOG_MOST)
		thin(l);
	l->at[l->n++] = (struct log_command){
		.submit_ns = ev->submit_ns,
		.lat_ns = (float)latency_of(ev, false),
		.wait_ns = wait_of(ev, lacks),
		.lba = moves && !(lacks & NEED_SQE) ? (float)(ev->cdw[0] | (u64)ev->cdw[1] << 32)
						    : -1,
		.bytes = ev->bytes,
		.kind = (u16)kind->index,
		.sender = (u16)sender->index,
		.waiter = waiter_of(l, v, lacks),
		.qid = ev->qid,
		.cpu = ev->submit_cpu,
		.sched = moves && !(lacks & NEED_SCHED) && !kind->key.admin ? ev->sched
									    : LOG_NO_SCHED,
	};
}

/*
 * Orders by_submit, which begins in the order of completion: merges runs that are in order already,
 * of which there are few, since most commands complete in the order in which they were sent.
 */
static bool merge_runs(const struct log *l, u32 *from, u32 *to)
{
	u32 n = 0, a = 0, runs = 0;

	while (a < l->n) {
		u32 b = a + 1, end, i, k;

		while (b < l->n && l->at[from[b]].submit_ns >= l->at[from[b - 1]].submit_ns)
			b++;
		for (end = b; end < l->n && (end == b || l->at[from[end]].submit_ns >=
								 l->at[from[end - 1]].submit_ns);)
			end++;
		for (i = a, k = b; i < b || k < end;)
			to[n++] = k == end || (i < b &&
					       l->at[from[i]].submit_ns <= l->at[from[k]].submit_ns)
					  ? from[i++]
					  : from[k++];
		a = end;
		runs++;
	}
	return runs > 1;
}

static int order(struct log *l)
{
	u32 *a = malloc((l->n + 1) * sizeof(*a)), *b = malloc((l->n + 1) * sizeof(*b)), *t;
	bool more = true;

	if (!a || !b) {
		free(a);
		free(b);
		return -ENOMEM;
	}
	for (u32 i = 0; i < l->n; i++)
		a[i] = i;
	while (more) {
		more = merge_runs(l, a, b);
		t = a;
		a = b;
		b = t;
	}
	free(b);
	l->by_submit = a;
	return 0;
}

static u16 counted(u32 n, u32 every)
{
	u64 all = (u64)n * every;

	return all < 0xffff ? (u16)all : 0xffff;
}

/* Counts, at each submission, what is outstanding of the sender and in all on its controller. */
static int count_outstanding(struct log *l)
{
	u32 *own = calloc((size_t)(LOG_SENDERS + 1) * LOG_CTRLS, sizeof(*own)),
	    all[LOG_CTRLS] = { 0 };
	u32 ended = 0;

	l->own = malloc((l->n + 1) * sizeof(*l->own));
	l->all = malloc((l->n + 1) * sizeof(*l->all));
	for (u32 i = 0; own && l->own && l->all && i < l->n; i++) {
		const struct log_command *c = &l->at[l->by_submit[i]];
		u32 ctrl = l->kind[c->kind]->ctrl, *mine = &own[c->sender * LOG_CTRLS + ctrl];

		for (; ended < l->n && log_end_ns(&l->at[ended]) <= c->submit_ns; ended++) {
			const struct log_command *e = &l->at[ended];
			u32 of = l->kind[e->kind]->ctrl;

			own[e->sender * LOG_CTRLS + of] -= own[e->sender * LOG_CTRLS + of] > 0;
			all[of] -= all[of] > 0;
		}
		l->own[l->by_submit[i]] = counted((*mine)++, l->every);
		l->all[l->by_submit[i]] = counted(all[ctrl]++, l->every);
	}
	free(own);
	return own && l->own && l->all ? 0 : -ENOMEM;
}

int log_settle(struct log *l)
{
	int err;

	unsettle(l);
	join_senders(l);
	err = order(l);
	l->apart = calloc(l->n + 1, sizeof(*l->apart));
	l->excess = malloc((l->n + 1) * sizeof(*l->excess));
	if (!err && (!l->apart || !l->excess))
		err = -ENOMEM;
	return err ? err : count_outstanding(l);
}

void log_set_apart(struct log *l, u32 ctrl, double from_ns, double to_ns)
{
	for (u32 i = 0; i < l->n; i++) {
		const struct log_command *c = &l->at[i];
		double from = (double)c->submit_ns;

		if (l->kind[c->kind]->ctrl == ctrl && from < to_ns &&
		    from + (double)c->lat_ns > from_ns)
			l->apart[i] = 1;
	}
}

const char *log_sender_name(const struct log *l, struct session *s, u32 sender, char buf[LOG_NAME])
{
	const struct log_sender *is = l->sender[sender];
	const char *owner = is->key.owner_id ? session_cgroup_path(s, is->key.owner_id) : NULL;
	char label[CGROUP_LABEL];
	int disk = (int)strcspn(is->comm, "_");

	if (is->key.other)
		snprintf(buf, LOG_NAME, "others");
	else if (is->work == WORK_WRITEBACK && owner)
		snprintf(buf, LOG_NAME, "writeback of %s", cgroup_label(owner, label));
	else if (is->work == WORK_WRITEBACK)
		snprintf(buf, LOG_NAME, "writeback (%s)", is->comm);
	else if (is->work == WORK_RESYNC)
		snprintf(buf, LOG_NAME, "resync of %.*s", disk, is->comm);
	else if (is->work == WORK_SWAP)
		snprintf(buf, LOG_NAME, "swapping (%s)", is->comm);
	else if (!is->comm[0])
		snprintf(buf, LOG_NAME, "a process that is not known");
	else if (log_sender_pid(is) < 0)
		snprintf(buf, LOG_NAME, "%s", is->comm);
	else
		snprintf(buf, LOG_NAME, "%s (%u)", is->comm, is->pid);
	return buf;
}
