// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk as a source: loads its program and, with INTERVAL, attaches those that note submitters. */
#include "cmd/inflight/inflight.h"
#include "cmd/inflight/submitters.h"
#include "lib/base/err.h"
#include "lib/host/confine.h"
#include "lib/loader/walker.h"

/* Before Linux 6.2 lockdown hides all, and no program needs to be loaded to tell how many there are. */
static bool sees_nothing(const struct session *s)
{
	return probe_no_status(session_probe(s), session_features(s));
}

static int look(struct session *s)
{
	struct inflight *state = session_state(s);
	int err = session_look(s, sees_nothing);

	state->hidden = sees_nothing(s);
	return err;
}

/*
 * Has programs note who submits from now on. Without them fewer commands have a submitter: what
 * hangs is shown all the same, and the exit status tells.
 */
static void open_submitters(struct session *s)
{
	struct inflight *state = session_state(s);
	int err = submitters_open(&state->submitters, s);

	if (!err)
		return;
	submitters_close(state->submitters);
	state->submitters = NULL;
	session_verdict(s, err);
	note("goes on without tracing: PID and COMM are known of fewer commands");
}

static int attach(struct session *s)
{
	struct inflight *state = session_state(s);
	const struct common *common = session_common(s);
	int err;

	if (state->hidden)
		return 0;
	err = walker_open(&state->walker, session_features(s), session_probe(s),
			  common->internal.verbose);
	if (!err && common->run.interval_ns)
		open_submitters(s);
	return err;
}

static u32 still(struct session *s, int *map)
{
	const struct inflight *state = session_state(s);

	*map = walker_map_fd(state->walker);
	if (!state->walker)
		return CONFINE_ALWAYS;
	return CONFINE_WALK | CONFINE_USERS |
	       (submitters_wait_by_map(state->submitters) ? CONFINE_WAIT : 0);
}

static const char *method(struct session *s)
{
	const struct inflight *state = session_state(s);

	return state->submitters ? submitters_method(state->submitters) : "none";
}

static void tell(struct session *s)
{
	const struct inflight *state = session_state(s);
	const struct kernel_features *btf = session_features(s);

	if (!state->walker)
		return;
	if (!btf->sqe_in_request)
		note("this kernel does not keep what was sent: CID is unknown, and only reads, writes and flushes have an opcode");
	if (walker_blind(state->walker))
		note("the kernel hides the addresses of its functions, so PID and COMM are known of few commands; %s",
		     probe_kptr_remedy(session_probe(s)));
	if (!btf->stack_area)
		note("this kernel does not tell how large its stacks are (CONFIG_VMAP_STACK), so PID and COMM are unknown where a process waits on its stack");
}

static void close_all(struct session *s)
{
	struct inflight *state = session_state(s);

	submitters_close(state->submitters);
	walker_close(state->walker);
}

const struct source inflight_walk = {
	.look = look,
	.attach = attach,
	.still = still,
	.method = method,
	.tell = tell,
	.empty = inflight_empty,
	.close = close_all,
};
