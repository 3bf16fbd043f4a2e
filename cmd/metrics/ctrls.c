// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of controllers. */
#include "cmd/metrics/ctrls.h"

#include <string.h>

#include "bpf/shared/filter.h"
#include "lib/base/clock.h"
#include "lib/base/units.h"
#include "lib/session/about.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"

#define LABELS_MAX 1024
#define LOST_NAME  "(other)" /* of commands and resets whose controller could not be read */

/* clang-format off */
static const struct family info = { "nvmetool_controller", NULL, FAMILY_INFO,
	"A controller, by its number and by what Identify says of it." };
static const struct family inflight = { "nvmetool_commands_inflight", NULL, FAMILY_GAUGE,
	"Commands that the driver has set up and that have not completed." };
static const struct family oldest = { "nvmetool_oldest_command_age_seconds", "seconds", FAMILY_GAUGE,
	"Time since the set-up of the oldest command in flight, 0 if there is none." };
static const struct family timeouts = { "nvmetool_timeouts", NULL, FAMILY_COUNTER,
	"Calls of the driver's timeout handler; it may be called again for a command." };
static const struct family resets = { "nvmetool_resets", NULL, FAMILY_COUNTER,
	"Resets of a controller that the driver began." };
/* clang-format on */

void metrics_ctrls_ask(struct session_request *ask)
{
	ask->quiet |= NEED_TIMEOUT | NEED_RESET;
}

void metrics_ctrls_event(struct metrics_ctrls *c, const struct view *v)
{
	struct latency_trouble *t = &c->trouble[latency_trouble_index(v->queue->ctrl_id)];

	t->timeouts += v->ev->kind == EVENT_TIMEOUT;
	t->resets += v->ev->kind == EVENT_RESET;
}

static void add_flight(void *ctx, const struct command_slot *slot, u32 queue, u32 tag)
{
	struct metrics_ctrls *c = ctx;
	u32 at = latency_trouble_index(session_queue(c->s, queue)->ctrl_id);
	u64 age_ns = c->now_ns > slot->submit_ns ? c->now_ns - slot->submit_ns : 0;

	(void)tag;
	c->flight[at].count++;
	if (age_ns > c->flight[at].oldest_ns)
		c->flight[at].oldest_ns = age_ns;
}

void metrics_ctrls_read(struct metrics_ctrls *c)
{
	size_t size = 0;
	const void *troubles = session_map_memory(c->s, ".bss.troubles", &size);

	if (session_is_replay(c->s))
		return;
	if (troubles && size >= sizeof(c->trouble))
		memcpy(c->trouble, troubles, sizeof(c->trouble));
	memset(c->flight, 0, sizeof(c->flight));
	c->now_ns = clock_ns(CLOCK_MONOTONIC);
	session_inflight(c->s, add_flight, c);
}

/* One of the families that have a number for each selected controller. */
enum number { IN_FLIGHT, OLDEST, TIMEOUTS, RESETS };

static void put_number(const struct metrics_ctrls *c, struct expo *e, const struct family *f,
		       enum number number, u32 at, const char *name)
{
	const u64 values[] = { c->flight[at].count, c->flight[at].oldest_ns,
			       c->trouble[at].timeouts, c->trouble[at].resets };
	char labels[LABELS_MAX] = "";

	expo_label(labels, sizeof(labels), "controller", name);
	(number == OLDEST ? expo_seconds : expo_number)(e, f, labels, values[number]);
}

/* Controllers beyond those that have a place of their own share one. */
static void put_numbers(const struct metrics_ctrls *c, struct expo *e, const struct family *f,
			enum number number)
{
	const u32 last = LATENCY_CTRLS - 1;
	const char *text = session_ctrls_now(c->s);
	char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD];
	u64 id;

	expo_family(e, f);
	while ((text = about_ctrl_fields(text, fields)))
		if (!units_count(fields[0], &id) && id < last &&
		    filter_ctrl(session_filter(c->s), (s32)id))
			put_number(c, e, f, number, (u32)id, fields[1]);
	if (c->flight[last].count || c->trouble[last].timeouts || c->trouble[last].resets)
		put_number(c, e, f, number, last, LOST_NAME);
}

static void put_info(const struct metrics_ctrls *c, struct expo *e)
{
	static const char *const names[ABOUT_CTRL_FIELDS] = { NULL,    "controller", "transport",
							      "model", "serial",     "firmware" };
	const char *text = session_ctrls_now(c->s);
	char fields[ABOUT_CTRL_FIELDS][ABOUT_FIELD], labels[LABELS_MAX];

	expo_family(e, &info);
	while ((text = about_ctrl_fields(text, fields))) {
		if (!fields[1][0])
			continue; /* a damaged recording */
		labels[0] = '\0';
		for (u32 i = 1; i < ABOUT_CTRL_FIELDS; i++)
			expo_label(labels, sizeof(labels), names[i], fields[i]);
		expo_number(e, &info, labels, 1);
	}
}

void metrics_ctrls_put(const struct metrics_ctrls *c, struct expo *e)
{
	u32 lacks = session_lacks(c->s);

	if (session_common(c->s)->run.input.n > 1)
		return;
	put_info(c, e);
	if (!session_is_replay(c->s)) { /* a recording does not tell what was in flight */
		put_numbers(c, e, &inflight, IN_FLIGHT);
		put_numbers(c, e, &oldest, OLDEST);
	}
	if (!(lacks & NEED_TIMEOUT))
		put_numbers(c, e, &timeouts, TIMEOUTS);
	if (!(lacks & NEED_RESET))
		put_numbers(c, e, &resets, RESETS);
}
