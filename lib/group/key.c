// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of keys: how each is read from a command of a recording, and shown in a row. */
#include "lib/group/key.h"

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/expr.h"
#include "lib/group/fields.h"
#include "lib/session/lookup.h"

/* A key that is one number: its member of struct group_key and struct group_row, that of the event. */
#define NUMBER(m, from)                                                                            \
	static void fill_##m(struct group_key *key, const struct group *g, const struct view *v)   \
	{                                                                                          \
		(void)g;                                                                           \
		key->m = v->ev->from;                                                              \
	}                                                                                          \
	static void show_##m(struct group_row *row, const struct group *g,                         \
			     const struct group_key *key)                                          \
	{                                                                                          \
		(void)g;                                                                           \
		row->m = key->m;                                                                   \
	}
NUMBER(qid, qid)
NUMBER(cpu, submit_cpu)
NUMBER(pid, pid)
#undef NUMBER

static void fill_host(struct group_key *key, const struct group *g, const struct view *v)
{
	key->host = session_host(g->s, v->ev->queue);
}

static void show_host(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->host = session_host_name(g->s, key->host);
}

static void fill_ctrl(struct group_key *key, const struct group *g, const struct view *v)
{
	key->ctrl_id = v->queue->ctrl_id;
	fill_host(key, g, v);
}

static void show_ctrl(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->ctrl_id = key->ctrl_id; /* -1, which means unknown, is null in the row too */
	if (key->ctrl_id >= 0)
		row->ctrl = session_ctrl_name(g->s, key->ctrl_id, key->host, row->ctrl_text);
}

static void fill_ns(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->fabrics = v->ev->opcode == OPCODE_FABRICS;
	key->nsid = key->fabrics ? 0 : v->ev->nsid; /* a fabrics command has its type there */
}

static void show_ns(struct group_row *row, const struct group *g, const struct group_key *key)
{
	(void)g;
	row->nsid = key->fabrics ? GROUP_NO_NUMBER : (s64)key->nsid;
}

static void fill_dev(struct group_key *key, const struct group *g, const struct view *v)
{
	key->device = session_device(g->s, v->ev->queue);
}

static void show_dev(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->dev = session_dev_name(g->s, key->device);
}

static void fill_opcode(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->opcode = v->ev->opcode;
	key->admin = (v->ev->flags & EVENT_ADMIN) != 0;
	key->fctype = v->ev->opcode == OPCODE_FABRICS ? v->ev->fctype : 0;
}

static void show_opcode(struct group_row *row, const struct group *g, const struct group_key *key)
{
	enum nvme_set set = nvme_set_of(!key->admin, key->opcode);

	(void)g;
	row->op = nvme_opcode_format(row->op_text, sizeof(row->op_text), set,
				     nvme_code_of(set, key->opcode, key->fctype));
	row->opcode = key->opcode;
	row->admin = key->admin;
}

static void fill_size(struct group_key *key, const struct group *g, const struct view *v)
{
	key->size_class = key_size_class(g->size_edge, v->ev->bytes);
}

/* Shows a size class as "<=16k", the last one as ">64k". */
static void show_size(struct group_row *row, const struct group *g, const struct group_key *key)
{
	u32 class = key->size_class;
	bool last = class == KEY_SIZES || g->size_edge[class] == ~0ULL;
	char edge[UNITS_TEXT];

	units_size_text(g->size_edge[last && class ? class - 1 : class], edge);
	snprintf(row->size_text, sizeof(row->size_text), "%s%s", last ? ">" : "<=", edge);
	row->size = row->size_text;
}

static void fill_flags(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->flags = v->flags;
}

static void show_flags(struct group_row *row, const struct group *g, const struct group_key *key)
{
	(void)g;
	row->flags = key->flags;
}

static void fill_comm(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	memcpy(key->comm, v->ev->comm, WIRE_COMM);
}

static void show_comm(struct group_row *row, const struct group *g, const struct group_key *key)
{
	(void)g;
	memcpy(row->comm_text, key->comm, WIRE_COMM);
	row->comm_text[WIRE_COMM] = '\0';
	row->comm = row->comm_text;
}

static void fill_cgroup(struct group_key *key, const struct group *g, const struct view *v)
{
	bool owner = !g->apart && v->ev->owner_id && !(session_lacks(g->s) & NEED_OWNER);

	key->cgroup_id = owner ? v->ev->owner_id : v->ev->cgroup_id;
}

static void show_cgroup(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->cgroup_id = key->cgroup_id ? (s64)key->cgroup_id : GROUP_NO_NUMBER;
	row->cgroup = session_cgroup_path(g->s, key->cgroup_id);
}

static void fill_owner(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->owner_id = v->ev->owner_id;
}

static void show_owner(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->owner_id = key->owner_id ? (s64)key->owner_id : GROUP_NO_NUMBER;
	row->owner = session_cgroup_path(g->s, key->owner_id);
}

static void fill_sched(struct group_key *key, const struct group *g, const struct view *v)
{
	key->sched = session_sched(g->s, v->ev->sched);
}

static void show_sched(struct group_row *row, const struct group *g, const struct group_key *key)
{
	row->sched = key->sched == SCHED_NONE ? "none" : session_sched_name(g->s, key->sched);
}

static void fill_during(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->during = v->ev->during;
}

static void show_during(struct group_row *row, const struct group *g, const struct group_key *key)
{
	u16 code = key->during - 1; /* the opcode, and above it the type of a fabrics command */
	enum nvme_set set = nvme_set_of(0, code);

	(void)g;
	if (key->during == DURING_NONE)
		row->during = "-";
	else if (key->during != DURING_UNKNOWN)
		row->during = nvme_opcode_format(row->during_text, sizeof(row->during_text), set,
						 nvme_code_of(set, code, code >> 8));
}

static void fill_file(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->file = event_file(v->ev);
}

static void show_file(struct group_row *row, const struct group *g, const struct group_key *key)
{
	const struct file_id *id = &key->file;

	if (!id->ino_dev)
		return;
	if (id->ino)
		row->ino = (s64)id->ino;
	if (id->ino_gen)
		row->ino_gen = id->ino_gen;
	row->ino_dev = session_dev_number(id->ino_dev, row->ino_dev_text);
	row->file = session_file_path(g->s, id);
	session_file_text(g->s, id, row->file_text, sizeof(row->file_text));
}

static void fill_syncer(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->syncer_pid = v->ev->syncer_pid;
	memcpy(key->syncer_comm, v->ev->syncer_comm, WIRE_COMM);
}

static void show_syncer(struct group_row *row, const struct group *g, const struct group_key *key)
{
	(void)g;
	if (!key->syncer_pid)
		return;
	row->syncer_pid = key->syncer_pid;
	memcpy(row->syncer_text, key->syncer_comm, WIRE_COMM);
	row->syncer_text[WIRE_COMM] = '\0';
	row->syncer = row->syncer_text;
}

static void fill_status(struct group_key *key, const struct group *g, const struct view *v)
{
	(void)g;
	key->status = key_status(event_status(v->ev));
	if (key_status_is_shared(key->status))
		key->fabrics = v->ev->opcode == OPCODE_FABRICS;
}

static void show_status(struct group_row *row, const struct group *g, const struct group_key *key)
{
	u8 opcode = key->fabrics ? OPCODE_FABRICS : key->opcode; /* the key may lack the opcode */

	(void)g;
	if (key->status == WIRE_UNKNOWN_STATUS)
		return;
	row->status = key->status & ~KEY_STATUS_FLAGS;
	row->failed = key->status != 0;
	row->sct_sc = nvme_sct_sc(row->sct_sc_text, key->status);
	row->status_name = nvme_status_name(key->status, nvme_set_of(!key->admin, opcode));
}

#define AT(m) offsetof(struct group_row, m)
#define FIELDS(key)                                                                                \
	.fields = (const struct field[])                                                           \
	{                                                                                          \
		GROUP_FIELDS_##key FIELD_DONE                                                      \
	}
#define FOR(key, fn) KEY_##key, .fill = fill_##fn, .show = show_##fn, FIELDS(key)

/* clang-format off */
const struct key_info key_infos[] = {
	{ FOR(HOST, host), .mask = { .host = ~0U }, .label = "host", .text_at = AT(host), .bare = true },
	{ FOR(CTRL, ctrl), .mask = { .ctrl_id = -1, .host = ~0U }, .label = "ctrl", .text_at = AT(ctrl), .bare = true },
	{ FOR(NS, ns), .mask = { .nsid = ~0U, .fabrics = 1 }, .label = "nsid", .number_at = AT(nsid), .needs = NEED_NSID },
	{ FOR(DEV, dev), .mask = { .device = ~0U }, .label = "dev", .text_at = AT(dev), .bare = true },
	{ FOR(QID, qid), .mask = { .qid = 0xffff }, .label = "qid", .number_at = AT(qid) },
	{ FOR(CPU, cpu), .mask = { .cpu = 0xffff }, .label = "cpu", .number_at = AT(cpu), .needs = NEED_CPU },
	{ FOR(OPCODE, opcode), .mask = { .opcode = 0xff, .admin = 1, .fctype = 0xff }, .label = "op", .text_at = AT(op) },
	{ FOR(SIZE, size), .mask = { .size_class = 0xff }, .label = "size", .text_at = AT(size) },
	{ FOR(FLAGS, flags), .mask = { .flags = ~0U }, .label = "flags", .text = group_text_flags, .needs = NEED_CMD_FLAGS },
	{ FOR(PID, pid), .mask = { .pid = ~0U }, .label = "pid", .number_at = AT(pid), .needs = NEED_PID },
	{ FOR(COMM, comm), .mask = { .comm = { [0 ... WIRE_COMM - 1] = '\xff' } }, .label = "comm", .text_at = AT(comm), .needs = NEED_COMM },
	{ FOR(CGROUP, cgroup), .mask = { .cgroup_id = ~0ULL }, .label = "cgroup", .text_at = AT(cgroup), .number_at = AT(cgroup_id), .needs = NEED_CGROUP },
	{ FOR(OWNER, owner), .mask = { .owner_id = ~0ULL }, .label = "owner", .text_at = AT(owner), .number_at = AT(owner_id), .needs = NEED_OWNER },
	{ FOR(SCHED, sched), .mask = { .sched = 0xff }, .label = "sched", .text_at = AT(sched), .needs = NEED_SCHED },
	{ FOR(DURING, during), .mask = { .during = 0xffff }, .label = "during", .text_at = AT(during), .needs = NEED_DURING },
	{ FOR(FILE, file), .mask = { .file = { .ino = ~0ULL, .dev_gen = ~0ULL } }, .label = "file", .text = group_text_file, .number_at = AT(ino), .needs = NEED_FILE | NEED_PID },
	{ FOR(SYNCER, syncer), .mask = { .syncer_pid = ~0U, .syncer_comm = { [0 ... WIRE_COMM - 1] = '\xff' } }, .label = "syncer", .text_at = AT(syncer), .number_at = AT(syncer_pid), .needs = NEED_SYNCER },
	{ FOR(STATUS, status), .mask = { .status = 0xffff, .fabrics = 1 }, .label = "status", .text = group_text_status, .brief_at = AT(sct_sc), .needs = NEED_STATUS },
	{ KEY_NONE },
};
/* clang-format on */

void group_show(const struct group *g, bool visible)
{
	for (u32 i = 0; g->keys[i]; i++)
		for (const struct field *f = g->keys[i]->fields; session_out(g->s) && f->type; f++)
			out_show(session_out(g->s), f->name, visible);
}

void group_init(struct group *g, struct session *s, u64 by, const char *other)
{
	u32 n = 0;

	memset(g->size_edge, 0xff, sizeof(g->size_edge));
	g->size_edge[0] = 16 << 10;
	g->size_edge[1] = 64 << 10;
	g->s = s;
	g->by = (u32)by & ~(1U << KEY_NONE);
	g->other = other;
	g->apart = group_has(g, KEY_CGROUP) && group_has(g, KEY_OWNER);
	for (const struct key_info *k = key_infos; k->key; k++)
		if (group_has(g, k->key))
			g->keys[n++] = k;
	g->keys[n] = NULL;
	group_show(g, true);
}

int group_check_condition(const struct group *g)
{
	if (expr_names_op(session_condition(g->s)) && !group_has(g, KEY_OPCODE))
		return fail_missing("the rows have no opcode", "add opcode to --by",
				    "--fail-if '%s'", session_common(g->s)->run.fail_if);
	return 0;
}

/* Whether KEY_CGROUP is the owner, where that can be seen. */
static bool is_by_owner(const struct group *g)
{
	return group_has(g, KEY_CGROUP) && !g->apart;
}

void group_ask_owners(const struct group *g, struct session_request *ask)
{
	if (is_by_owner(g) && session_is_replay(g->s))
		ask->optional |= NEED_OWNER;
}

u32 group_kernel_by(const struct group *g)
{
	u32 by = g->by & ~(1U << KEY_HOST); /* of programs there is one */

	return is_by_owner(g) ? (by & ~(1U << KEY_CGROUP)) | 1U << KEY_OWNER : by;
}

u32 group_needs_of(u64 by)
{
	u32 needs = 0;

	for (const struct key_info *k = key_infos; k->key; k++)
		needs |= by >> k->key & 1 ? k->needs : 0;
	return needs;
}

u32 group_needs(const struct group *g)
{
	return group_needs_of(session_is_replay(g->s) ? g->by : group_kernel_by(g));
}

void group_interval(struct group *g, const struct tick *t)
{
	g->start_ns = t->start_ns;
	g->end_ns = t->end_ns;
	g->wall_ns = t->wall_ns;
	g->seq = t->seq;
}

/* The keys that an event does not tell, as row->command of trace_row_fill() has it. */
static u32 untold(const struct event *ev)
{
	if (event_is_of_ctrl(ev))
		return ~(1U << KEY_HOST | 1U << KEY_CTRL);
	if (ev->flags & (EVENT_NO_SUBMIT | EVENT_UNSENT))
		return ~(1U << KEY_HOST | 1U << KEY_CTRL | 1U << KEY_DEV | 1U << KEY_QID |
			 (ev->kind == EVENT_TIMEOUT ? 0 : 1U << KEY_STATUS));
	return ev->kind == EVENT_SUBMIT || ev->kind == EVENT_TIMEOUT ? 1U << KEY_STATUS : 0;
}

void group_key_fill(struct group_key *key, const struct group *g, const struct view *v)
{
	memset(key, 0, sizeof(*key));
	key->unknown = g->by & untold(v->ev);
	for (u32 i = 0; g->keys[i]; i++) {
		if (!(key->unknown >> g->keys[i]->key & 1))
			g->keys[i]->fill(key, g, v);
	}
}

void group_event_of(struct event *ev, const struct kernel_key *from)
{
	ev->queue = from->queue;
	ev->qid = from->qid;
	ev->nsid = from->nsid;
	ev->opcode = from->fabrics ? OPCODE_FABRICS : from->opcode;
	ev->fctype = from->fctype;
	ev->flags |= from->admin ? EVENT_ADMIN : 0;
	ev->status = from->status;
	ev->cmd_flags = from->cmd_flags;
	ev->submit_cpu = from->cpu;
	ev->pid = from->who.pid;
	memcpy(ev->comm, from->who.comm, WIRE_COMM);
	ev->cgroup_id = from->who.cgroup_id;
	ev->owner_id = from->who.owner_id;
	ev->ino = from->who.file.ino;
	ev->ino_dev = from->who.file.ino_dev;
	ev->ino_gen = from->who.file.ino_gen;
	ev->syncer_pid = (u32)from->who.syncer_pid;
	memcpy(ev->syncer_comm, from->who.syncer_comm, WIRE_COMM);
	ev->sched = from->sched;
	ev->during = from->during;
}

void group_key_of(struct group_key *key, const struct group *g, const struct kernel_key *from)
{
	const struct queue_info queue = { .ctrl_id = from->ctrl_id };
	struct event ev = { 0 };
	const struct view_source source = session_view_source(g->s, 0);
	struct view v;

	group_event_of(&ev, from);
	if (session_no_status(g->s))
		ev.flags |= EVENT_NO_STATUS;
	if (from->size_class) /* the smallest one of its class */
		ev.bytes = (u32)g->size_edge[from->size_class - 1] + 1;
	view_make(&v, &ev, &(struct view_queue){ .info = &queue }, &source);
	group_key_fill(key, g, &v);
}

static void mask_add(struct group_key *mask, const struct group_key *more)
{
	const u8 *from = (const u8 *)more;
	u8 *to = (u8 *)mask;

	for (u32 i = 0; i < sizeof(*mask); i++)
		to[i] |= from[i];
}

void group_key_narrow(struct group_key *key, u32 by)
{
	struct group_key mask;
	u8 *left = (u8 *)key;

	memset(&mask, 0, sizeof(mask)); /* padding, too */
	mask.other = 1;
	mask.unknown = by;
	for (const struct key_info *k = key_infos; k->key; k++)
		if (by >> k->key & 1)
			mask_add(&mask, &k->mask);
	for (u32 i = 0; i < sizeof(mask); i++)
		left[i] &= ((const u8 *)&mask)[i];
	if (!(by & ~key->unknown & 1U << KEY_NS) && !key_status_is_shared(key->status))
		key->fabrics = 0;
}

static const char *host_name(const struct group *g, u32 host)
{
	const char *name = session_host_name(g->s, host);

	return name ? name : "";
}

int group_compare(const void *x, const void *y, void *group)
{
	const struct group_key *a = x, *b = y;
	const struct group *g = group;
	int order = 0;

#define BY(member) (order = order ? order : (a->member > b->member) - (a->member < b->member))
	BY(other);
	BY(ctrl_id);
	BY(nsid);
	if (!order && a->device != b->device)
		order = strverscmp(session_dev_name(g->s, a->device),
				   session_dev_name(g->s, b->device));
	if (!order && a->host != b->host)
		order = strverscmp(host_name(g, a->host), host_name(g, b->host));
	BY(host);
	BY(qid);
	BY(cpu);
	BY(admin);
	BY(opcode);
	BY(fctype);
	BY(size_class);
	BY(flags);
	if (!order)
		order = memcmp(a->comm, b->comm, sizeof(a->comm));
	BY(pid);
	BY(cgroup_id);
	BY(owner_id);
	BY(sched);
	BY(during);
	BY(file.ino_dev);
	BY(file.ino);
	BY(file.ino_gen);
	if (!order)
		order = memcmp(a->syncer_comm, b->syncer_comm, sizeof(a->syncer_comm));
	BY(syncer_pid);
	BY(status);
	BY(fabrics);
	BY(unknown);
#undef BY
	return order;
}

void group_row_fill(struct group_row *row, const struct group *g, const struct group_key *key)
{
	const char *none = key->other ? g->other : NULL;

	*row = (struct group_row){
		.wall_ns = g->wall_ns,
		.interval_ns = g->end_ns - g->start_ns,
		.seq = g->seq,
		.other = key->other,
		.host = none,
		.ctrl = none,
		.dev = none,
		.op = none,
		.size = none,
		.comm = none,
		.cgroup = none,
		.owner = none,
		.sched = none,
		.during = none,
		.ino_dev = none,
		.file = none,
		.syncer = none,
		.sct_sc = none,
		.status_name = none,
	};
	/* All ones: GROUP_NO_NUMBER, GROUP_NO_FLAGS, admin. */
	memset(&row->ctrl_id, 0xff, AT(other) - AT(ctrl_id));
	for (u32 i = 0; !key->other && g->keys[i]; i++) {
		if (!(key->unknown >> g->keys[i]->key & 1))
			g->keys[i]->show(row, g, key);
	}
}
