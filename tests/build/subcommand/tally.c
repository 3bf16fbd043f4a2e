// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tally: how many commands moved data to the drive, from it, or none. The subcommand that
 * tests/build adds.
 */
#include "lib/cli/cmd.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/session.h"

struct tally_cfg {
	bool zero;
};

/* Replay counts here, a live run in the BPF map. */
struct tally_state {
	u64 n[4];
};

struct tally_row {
	const char *direction;
	u64 commands;
};

/* NVM Base 2.1, figure 28: opcode bits 1:0. */
static const char *const directions[] = { "none", "write", "read", "both" };

static const struct opt tally_opts[] = {
	OPT_FLAG(struct tally_cfg, zero, .name = "zero", .letter = 'z',
		 .help = "rows without commands too"),
	OPT_DONE,
};

static const struct field tally_fields[] = {
	FIELD_OF(FIELD_STR, struct tally_row, direction, "direction", .width = -10,
		 .help = "of the data"),
	FIELD_OF(FIELD_U64, struct tally_row, commands, "commands", .width = 10,
		 .help = "completed"),
	FIELD_DONE,
};

static const struct schema tally_schema = { .type = "tally", .fields = tally_fields };

static int tally_event(struct session *s, const struct view *v)
{
	struct tally_state *state = session_state(s);

	if (v->ev->kind == EVENT_IO)
		state->n[v->ev->opcode & 3]++;
	return 0;
}

static int tally_tick(struct session *s, const struct tick *t)
{
	const struct tally_state *state = session_state(s);
	const struct tally_cfg *cfg = session_cfg(s);
	size_t size;
	const u64 *live = session_map_memory(s, "tally", &size);

	for (u32 i = 0; i < 4; i++) {
		struct tally_row row = { directions[i], live ? live[i] : state->n[i] };

		if (t->last)
			session_account(s, row.commands, 0);
		if (row.commands || cfg->zero)
			out_row(session_out(s), &tally_schema, &row);
	}
	return 0;
}

const struct cmd cmd_tally = {
	.name = "tally",
	.summary = "count commands by the direction of their data",
	.about = "One row for each direction at the end of each interval.",
	.examples = (const struct example[]){ { "each second, ten times", "nvmetool tally 1 10" },
					      { NULL } },
	.takes = TAKES_TRACING,
	.opts = tally_opts,
	.cfg_size = sizeof(struct tally_cfg),
	.schemas = (const struct schema *const[]){ &tally_schema, NULL },
	.bpf = "tally",
	.state_size = sizeof(struct tally_state),
	.event = tally_event,
	.tick = tally_tick,
};
