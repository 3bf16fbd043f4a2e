// SPDX-License-Identifier: GPL-2.0-or-later
/* beat: a counter that ticks ten times a second. The source that tests/build adds. */
#include "lib/base/clock.h"
#include "lib/cli/cmd.h"
#include "lib/session/source.h"

#define BEAT_NS (100 * NSEC_PER_MSEC)

struct beat_state {
	u64 beats; /* since attaching */
};

struct beat_row {
	u64 beats;
};

static const struct field beat_fields[] = {
	FIELD_OF(FIELD_U64, struct beat_row, beats, "beats", .width = 8, .help = "so far"),
	FIELD_DONE,
};

static const struct schema beat_schema = { .type = "beat", .fields = beat_fields };

static int attach(struct session *s)
{
	(void)s;
	return 0;
}

static const char *method(struct session *s)
{
	(void)s;
	return "clock";
}

static void watch(struct session *s, u64 now_ns)
{
	struct beat_state *state = session_state(s);

	state->beats = (now_ns - session_start_ns(s)) / BEAT_NS;
}

static int beat_tick(struct session *s, const struct tick *t)
{
	const struct beat_state *state = session_state(s);
	const struct beat_row row = { state->beats };

	(void)t;
	out_row(session_out(s), &beat_schema, &row);
	return 0;
}

static const struct source beat_source = {
	.look = session_look_host,
	.attach = attach,
	.method = method,
	.watch = watch,
};

const struct cmd cmd_beat = {
	.name = "beat",
	.summary = "count tenths of a second",
	.about = "One row at the end of each interval.",
	.examples = (const struct example[]){ { "each second", "nvmetool beat 1" }, { NULL } },
	.takes = TAKES_OUTPUT | TAKES_RUN,
	.schemas = (const struct schema *const[]){ &beat_schema, NULL },
	.state_size = sizeof(struct beat_state),
	.source = &beat_source,
	.tick = beat_tick,
};
