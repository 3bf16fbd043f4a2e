// SPDX-License-Identifier: GPL-2.0-or-later
/* The views, each by its keys and by the members of a group key that these fill. */
#include "cmd/top/view.h"

#include "lib/base/str.h"

/* clang-format off */
const struct opt_word top_view_words[] = {
	{ "proc", TOP_PROC, "a row per process, device and operation" },
	{ "cgroup", TOP_CGROUP, "per cgroup, device and operation" },
	{ "dev", TOP_DEV, "per namespace's device and operation" },
	{ "ctrl", TOP_CTRL, "per controller and operation" },
	{ "queue", TOP_QUEUE, "per queue and operation" },
	{ NULL },
};

#define OPERATION .opcode = 0xff, .admin = 0xff, .fctype = 0xff, .other = 0xff
#define BY_OPERATION (1 << KEY_OPCODE)

static const struct {
	u32 keys;
	u32 busy; /* enum busy_level */
	struct group_key mask; /* the bits of a key that count */
} views[TOP_VIEWS] = {
	[TOP_PROC] = { 1 << KEY_PID | 1 << KEY_COMM | 1 << KEY_DEV | BY_OPERATION, BUSY_NONE,
		       { OPERATION, .pid = ~0U, .device = ~0U,
			 .comm = { [0 ... WIRE_COMM - 1] = '\xff' } } },
	[TOP_CGROUP] = { 1 << KEY_CGROUP | 1 << KEY_DEV | BY_OPERATION, BUSY_NONE,
			 { OPERATION, .cgroup_id = ~0ULL, .device = ~0U } },
	[TOP_DEV] = { 1 << KEY_DEV | BY_OPERATION, BUSY_DEVICE, { OPERATION, .device = ~0U } },
	[TOP_CTRL] = { 1 << KEY_CTRL | BY_OPERATION, BUSY_CTRL, { OPERATION, .ctrl_id = -1, .host = ~0U } },
	[TOP_QUEUE] = { 1 << KEY_CTRL | 1 << KEY_QID | BY_OPERATION, BUSY_QUEUE,
			{ OPERATION, .ctrl_id = -1, .host = ~0U, .qid = 0xffff } },
};
/* clang-format on */

u32 top_view_keys(u32 view)
{
	return views[view].keys;
}

u32 top_view_all(void)
{
	u32 keys = 0;

	for (u32 i = 0; i < TOP_VIEWS; i++)
		keys |= views[i].keys;
	return keys;
}

void top_view_narrow(struct group_key *key, u32 view)
{
	const u64 *mask = (const u64 *)&views[view].mask;
	u64 *words = (u64 *)key;

	for (u32 i = 0; i < sizeof(*key) / sizeof(u64); i++)
		words[i] &= mask[i];
}

u32 top_view_busy(u32 view)
{
	return views[view].busy;
}

void top_view_place(struct group_key *key, u32 view)
{
	top_view_narrow(key, view);
	key->opcode = key->admin = key->fctype = 0;
}
