// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/key_sample.h"

#include "lib/base/str.h"
#include "lib/group/key.h"
#include "lib/session/impl.h"
#include "lib/session/lookup.h"

enum { Q_NONE, Q_ADMIN, Q_FIRST, Q_SECOND, Q_CONNECT, Q_UNKNOWN, QUEUES };

#define BIT_SYNC 11
#define BIT_FUA	 17
#define BIT_SWAP 24
#define SYNC	 (1U << BIT_SYNC)
#define FUA	 (1U << BIT_FUA)
#define SWAP	 (1U << BIT_SWAP)
#define NO_NAME	 (1U << 31)

static const struct queue_info queues[QUEUES] = {
	[Q_NONE] = { .ctrl_id = -1 },
	[Q_ADMIN] = { .ctrl_id = 3, .admin = 1 },
	[Q_FIRST] = { .ctrl_id = 3, .nsid = 1, .qid = 1 },
	[Q_SECOND] = { .ctrl_id = 3, .nsid = 1, .qid = 65535 },
	[Q_CONNECT] = { .ctrl_id = 70000, .admin = 1, .connect = 1 },
	[Q_UNKNOWN] = { .ctrl_id = -1, .nsid = 9, .qid = 2 },
};

#define IO(at)	  .kind = EVENT_IO, .queue = (at)
#define ADMIN(at) IO(at), .flags = EVENT_ADMIN

/* clang-format off */
const struct event key_commands[] = {
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_READ, .bytes = 4096, .cmd_flags = SYNC,
	  .submit_cpu = 1, .pid = 100, .comm = "fio", .cgroup_id = 7, .owner_id = 7, .sched = 2,
	  .during = 3, .ino = 12, .ino_dev = 259 << 20 | 1, .ino_gen = 7 },
	{ IO(Q_SECOND), .qid = 65535, .nsid = ~0U, .opcode = OPCODE_WRITE, .bytes = 16384,
	  .cmd_flags = SYNC | FUA | NO_NAME, .submit_cpu = 1023, .pid = 4194304,
	  .comm = "fifteen bytes..", .cgroup_id = ~0ULL, .owner_id = 8, .sched = SCHED_UNKNOWN,
	  .during = DURING_UNKNOWN, .ino_dev = ~0U, .ino_gen = ~0U },
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_READ, .bytes = 16385 },
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_READ, .bytes = 65536, .cmd_flags = SWAP },
	{ IO(Q_FIRST), .qid = 1, .nsid = 2, .opcode = OPCODE_READ, .bytes = 65537, .cmd_flags = NO_NAME },
	{ IO(Q_FIRST), .qid = 1, .nsid = 2, .opcode = OPCODE_WRITE, .bytes = ~0U, .fctype = 4 },
	{ IO(Q_UNKNOWN), .qid = 2, .nsid = 9, .opcode = 0x00, .pid = 1, .comm = "\377\200\1",
	  .cgroup_id = 1 }, /* Flush */
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = 0x09, .bytes = 4096,
	  .flags = EVENT_PASSTHROUGH }, /* Dataset Management */
	/* 1/80 to 1/8f have other names for fabrics; with More and Do Not Retry as well. */
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = 0x09, .bytes = 16, .status = 0x180 },
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_WRITE, .bytes = 512, .status = 0x6182 },
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_READ, .bytes = 512, .status = 0x281 },
	{ IO(Q_FIRST), .qid = 1, .nsid = 1, .opcode = OPCODE_READ, .bytes = 512, .status = 0x7fff },
	{ ADMIN(Q_ADMIN), .nsid = 1, .opcode = 0x06, .bytes = 4096, .pid = 33,
	  .comm = "nvme" }, /* Identify */
	{ ADMIN(Q_ADMIN), .opcode = 0x09, .status = 0x4182 }, /* Set Features */
	{ ADMIN(Q_ADMIN), .nsid = ~0U, .opcode = 0x02, .bytes = 512, .status = 0x18f }, /* Get Log Page */
	/* A fabrics command has its type where others have a namespace. */
	{ ADMIN(Q_CONNECT), .nsid = 0x01, .opcode = OPCODE_FABRICS, .fctype = 0x01,
	  .bytes = 1024 },
	{ ADMIN(Q_CONNECT), .nsid = 0x01, .opcode = OPCODE_FABRICS, .fctype = 0x01,
	  .status = 0x4180 },
	{ ADMIN(Q_ADMIN), .nsid = 0x04, .opcode = OPCODE_FABRICS, .fctype = 0x04, .status = 0x190 },
	{ IO(Q_SECOND), .qid = 65535, .nsid = 0x08, .opcode = OPCODE_FABRICS, .fctype = 0x08,
	  .status = 0x18f },
	{ 0 },
};
/* clang-format on */

struct session *key_session(void *state, bool no_status)
{
	static u16 device[WIRE_QUEUES] = {
		/* 1 + what session_device() says */
		[Q_NONE] = 1 + Q_NONE,	  [Q_ADMIN] = 1 + Q_ADMIN,     [Q_FIRST] = 1 + Q_FIRST,
		[Q_SECOND] = 1 + Q_FIRST, [Q_CONNECT] = 1 + Q_CONNECT, [Q_UNKNOWN] = 1 + Q_UNKNOWN,
	};
	static struct session session;
	struct req_flags *flags = &session.kernel.btf.flags;

	session =
		(struct session){ .state = state, .names.device = device, .no_status = no_status };
	reqflags_init(flags);
	reqflags_learn(flags, "__REQ_SYNC", BIT_SYNC);
	reqflags_learn(flags, "__REQ_FUA", BIT_FUA);
	reqflags_learn(flags, "__REQ_SWAP", BIT_SWAP);
	return &session;
}

u32 key_cmd_flags_mask(const struct session *s)
{
	return reqflags_mask(&s->kernel.btf.flags);
}

void key_group(struct group *g, struct session *s, u32 by)
{
	u32 n = 0;

	memset(g, 0, sizeof(*g));
	g->s = s;
	g->by = by;
	g->apart = group_has(g, KEY_CGROUP) && group_has(g, KEY_OWNER);
	memset(g->size_edge, 0xff, sizeof(g->size_edge));
	g->size_edge[0] = 16384;
	g->size_edge[1] = 65536;
	for (const struct key_info *k = key_infos; k->key; k++)
		if (group_has(g, k->key))
			g->keys[n++] = k;
}

struct view key_view(struct session *s, const struct event *ev)
{
	return (struct view){
		.ev = ev,
		.queue = &queues[ev->queue],
		.flags = session_req_flags(s, ev->cmd_flags),
	};
}
