// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches to processes, holds the records of hits, and sees processes end. */
#include "cmd/spdk/hits.h"

#include <poll.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/event/counters.h"
#include "lib/host/confine.h"
#include "lib/loader/uprobes.h"
#include "lib/out/out.h"

#define WATCH_NS (500 * NSEC_PER_MSEC) /* how often processes are looked at */

/* Attaches to each place. Two probes at one instruction cannot be told apart. */
static int attach_all(struct spdk *state)
{
	struct spdk_targets *t = &state->t;
	const char *before = "";
	int err = 0;

	for (u32 i = 0; !err && i < t->n_places; i++) {
		struct spdk_place *place = &t->place[i];
		struct spdk_target *target = &t->target[place->target];
		const struct uprobe_place at = {
			.target = place->target,
			.pid = place->site.pid,
			.fd = target->process.mapped[place->at->file].file.fd,
			.offset = place->at->probe->offset,
			.semaphore = place->at->probe->semaphore,
			.address = place->at->address,
		};

		place->spec.id = i;
		err = uprobes_add(state->uprobes, &at, &place->spec);
		if (err == -EEXIST) {
			note("%s is at the same instruction as another probe: it is left out",
			     place->at->probe->name);
			err = 0;
			continue;
		}
		target->probes += !target->places || !streq(before, place->at->probe->name);
		target->places++;
		before = place->at->probe->name;
	}
	return err;
}

static int attach(struct session *s)
{
	struct spdk *state = session_state(s);
	const struct internal_opts *opts = &session_common(s)->internal;
	const struct uprobes_setup setup = {
		.probe = session_probe(s),
		.targets = state->t.n,
		.places = state->t.n_places,
		.buffer_bytes = opts->buffer_bytes,
		.verbose = opts->verbose,
	};
	int err = uprobes_open(&state->uprobes, &setup);

	state->slot_bytes = sizeof(struct usdt_hit) + (size_t)USDT_TEXTS * USDT_TEXT;
	return err ? err : attach_all(state);
}

static int ring(struct session *s)
{
	return uprobes_ring_fd(((struct spdk *)session_state(s))->uprobes);
}

static u32 still(struct session *s, int *map)
{
	*map = ring(s);
	return CONFINE_ALWAYS;
}

static const char *method(struct session *s)
{
	(void)s;
	return "uprobe";
}

/* Says what is traced, and which arguments cannot be. */
static void tell(struct session *s)
{
	const struct spdk_targets *t = &((struct spdk *)session_state(s))->t;

	for (u32 i = 0; i < t->n; i++) {
		const struct spdk_target *target = &t->target[i];

		note("tracing process %u (%s%s%s): %u probe%s at %u place%s%s", target->process.pid,
		     target->process.comm, target->version[0] ? ", SPDK " : "", target->version,
		     target->probes, plural(target->probes), target->places, plural(target->places),
		     isatty(STDERR_FILENO) ? "; Ctrl-C to end" : "");
	}
	for (u32 i = 0; i < t->n_places; i++) {
		const struct spdk_place *place = &t->place[i];

		if (place->why)
			note("an argument of %s cannot be read: %s: '%s'", place->at->probe->name,
			     place->why, place->at->probe->args);
	}
}

/* The number of a free slot. False: there is no memory. */
static bool take_slot(struct spdk *state, u32 *slot)
{
	if (state->n_free) {
		*slot = state->free[--state->n_free];
		return true;
	}
	/* `free` grows with `slots`, so that giving a slot back never asks for memory. */
	if (!array_grow((void **)&state->slots, state->n_slots, &state->slots_room,
			state->slot_bytes) ||
	    !array_grow((void **)&state->free, state->n_slots, &state->free_room,
			sizeof(*state->free)))
		return false;
	*slot = state->n_slots++;
	return true;
}

/* The hit of a record, whose strings lie behind it in the order of its arguments. */
static struct spdk_hit read_hit(const struct spdk *state, const struct usdt_hit *from)
{
	const struct spdk_place *place = &state->t.place[from->id];
	const char *text = (const char *)(from + 1);
	struct spdk_hit hit = {
		.ts_ns = from->ts_ns,
		.site = from->id,
		.tid = from->pid == place->site.pid ? from->tid : UINT32_MAX,
		.unread = from->unread,
		.cut = from->cut,
	};

	memcpy(hit.arg, from->arg, sizeof(hit.arg));
	for (u32 i = 0; i < place->spec.n_args; i++) {
		if (!place->spec.arg[i].is_text)
			continue;
		if (hit.arg[i] && !(hit.unread & 1U << i))
			hit.text[i] = text;
		text += USDT_TEXT;
	}
	return hit;
}

bool spdk_unpack(struct session *s, struct event *ev, const void *record, size_t size)
{
	struct spdk *state = session_state(s);
	const struct usdt_hit *from = record;
	struct spdk_hit hit;
	u32 slot;

	if (size < sizeof(*from) || size > state->slot_bytes || from->id >= state->t.n_places)
		return false;
	state->taken++;
	if (!take_slot(state, &slot)) {
		session_fail(s, fail(-ENOMEM, NULL, NULL, "hits"));
		return false;
	}
	memcpy(state->slots + (size_t)slot * state->slot_bytes, from, size);
	hit = read_hit(state, from);
	*ev = (struct event){
		.kind = EVENT_HIT,
		.ts_ns = from->ts_ns,
		.cdw[0] = slot,
		.status = spdk_failed(&state->t.place[from->id].site, &hit),
	};
	return true;
}

struct spdk_hit spdk_hit_of(struct spdk *state, const struct event *ev)
{
	u32 slot = ev->cdw[0];

	state->free[state->n_free++] = slot;
	return read_hit(state, (const void *)(state->slots + (size_t)slot * state->slot_bytes));
}

/*
 * Whether the process runs another program: the map it had is empty, and it has memory. One that is
 * about to end has given up both.
 */
static bool runs_another(const struct spdk_target *target)
{
	char size[16] = "", byte;

	return target->map >= 0 && pread(target->map, &byte, 1, 0) == 0 && target->memory >= 0 &&
	       pread(target->memory, size, sizeof(size) - 1, 0) > 0 && strtoull(size, NULL, 10);
}

static void end_target(struct spdk_target *target, const char *how, const char *text)
{
	target->ended = how;
	note("process %u (%s) %s", target->process.pid, target->process.comm, text);
}

/* Looks whether processes have ended or, if @all is to be asked, run another program. */
static void watch_targets(struct session *s, bool all)
{
	struct spdk_targets *t = &((struct spdk *)session_state(s))->t;
	u32 ended = 0;

	for (u32 i = 0; i < t->n; i++) {
		struct spdk_target *target = &t->target[i];
		struct pollfd fd = { .fd = target->pidfd, .events = POLLIN };

		if (!target->ended && ppoll(&fd, 1, &(struct timespec){ 0 }, NULL) == 1)
			end_target(target, "exit", "has ended");
		else if (!target->ended && all && runs_another(target))
			end_target(target, "exec",
				   "runs another program now: start again to trace that");
		ended += target->ended != NULL;
	}
	if (ended == t->n)
		session_end(s);
}

u32 spdk_poll(struct session *s, struct pollfd *fds)
{
	const struct spdk_targets *t = &((struct spdk *)session_state(s))->t;

	for (u32 i = 0; i < t->n; i++)
		fds[i] = (struct pollfd){ .fd = t->target[i].ended ? -1 : t->target[i].pidfd,
					  .events = POLLIN };
	return t->n;
}

int spdk_idle(struct session *s, u64 now_ns)
{
	struct spdk *state = session_state(s);
	bool due = now_ns >= state->look_ns;

	watch_targets(s, due);
	if (due)
		state->look_ns = now_ns + WATCH_NS;
	return 0;
}

static void lost(struct session *s, struct counters *c)
{
	struct usdt_counts counts;

	uprobes_counts(((struct spdk *)session_state(s))->uprobes, &counts);
	c->lost.ring_full = counts.ring_full;
	c->lost.unplaced = counts.unknown;
}

static void detach(struct session *s)
{
	uprobes_detach(((struct spdk *)session_state(s))->uprobes);
}

/* All hits have been taken: this also finds the losses that no counter explains. */
static void account(struct session *s, struct counters *c)
{
	const struct spdk *state = session_state(s);
	struct usdt_counts counts;
	u64 known;

	watch_targets(s, true);
	uprobes_counts(state->uprobes, &counts);
	known = counts.ring_full + counts.unknown + state->taken;
	c->lost.miscounted = counts.hits > known ? counts.hits - known : known - counts.hits;
	c->submitted = c->completed = c->paired = counts.ring_full + state->taken;
}

static void put_process(struct json *j, const struct spdk_target *target)
{
	json_object(j, NULL);
	json_u64(j, "pid", target->process.pid);
	json_str(j, "comm", target->process.comm);
	json_str(j, "version", target->version[0] ? target->version : NULL);
	json_u64(j, "probes", target->probes);
	json_u64(j, "places", target->places);
	json_str(j, "ended", target->ended);
	json_end(j);
}

static void summary(struct session *s, struct json *j)
{
	const struct spdk *state = session_state(s);
	const struct counters *c = session_counters(s);
	struct usdt_counts counts;

	uprobes_counts(state->uprobes, &counts);
	json_u64(j, "hits", counts.hits - c->filtered);
	json_u64(j, "emitted", c->emitted);
	json_u64(j, "errors", c->errors);
	json_array(j, "processes");
	for (u32 i = 0; i < state->t.n; i++)
		put_process(j, &state->t.target[i]);
	json_end(j);
}

static void close_all(struct session *s)
{
	struct spdk *state = session_state(s);

	uprobes_close(state->uprobes);
	spdk_targets_free(&state->t);
	free(state->slots);
	free(state->free);
}

const struct source spdk_source = {
	.look = session_look_host,
	.attach = attach,
	.ring = ring,
	.still = still,
	.method = method,
	.tell = tell,
	.lost = lost,
	.detach = detach,
	.account = account,
	.summary = summary,
	.close = close_all,
};
