// SPDX-License-Identifier: GPL-2.0-or-later
/* spdk: the probes that processes of SPDK carry. */
#include "cmd/spdk/hits.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

/* clang-format off */
static const struct opt_word set_words[] = {
	{ "nvme", SPDK_NVME, "controllers of the bdev module" },
	{ "timeout", SPDK_TIMEOUT, "their resets and reconnects" },
	{ "nvmf", SPDK_NVMF, "the target: subsystems, controllers, queue pairs, poll groups" },
	{ "sched", SPDK_SCHED, "the dynamic scheduler" },
	{ "wakeups", SPDK_WAKEUPS, "interrupt mode, many a second: only if asked for" },
	{ "other", SPDK_OTHER, "probes that no script of SPDK has" },
	{ NULL },
};

static const struct opt spdk_opts[] = {
	OPT_LIST(struct spdk_opts, pid, .name = "pid", .letter = 'p', .main = true, .arg = "LIST", .hint = HINT_PID,
		 .help = "processes, by number"),
	OPT_LIST(struct spdk_opts, comm, .name = "comm", .main = true, .arg = "GLOB",
		 .help = "processes that have such a name now, a shell pattern"),
	OPT_SET_OF(struct spdk_opts, sets, .name = "set", .main = true, .arg = "LIST", .words = set_words,
		   .help = "probes of these sets; all but wakeups unless given"),
	OPT_LIST(struct spdk_opts, probe, .name = "probe", .main = true, .arg = "GLOB",
		 .brief = "probes of such names: nvmf_subsystem_*", .help = "probes of such names, of any set unless --set is given: nvmf_subsystem_*"),
	OPT_FLAG(struct spdk_opts, list, .name = "list", .main = true, .help = "list the probes there are, without tracing"),
	OPT_DONE,
};

static const struct example examples[] = {
	{ "what a target does", "nvmetool spdk --comm nvmf_tgt" },
	{ "the probes of a process", "nvmetool spdk -p 4711 --list" },
	{ "changes of states", "nvmetool spdk -p 4711 --probe '*state*'" },
	{ "hosts that connect", "nvmetool spdk -p 4711 --probe '*add_qpair' --json" },
	{ "why cores wake up in interrupt mode", "nvmetool spdk -p 4711 --set wakeups --duration 10" },
	{ "all of a minute, for later", "nvmetool spdk -p 4711 --duration 1m --json -w spdk.json" },
	{ "fail if a change of state did", "nvmetool spdk -p 4711 --duration 1m --fail-if 'errors>0' --allow-none" },
	{ NULL },
};
/* clang-format on */

const char *spdk_set_word(u8 set)
{
	for (u32 i = 0; set_words[i].word; i++) {
		if (set_words[i].value == set)
			return set_words[i].word;
	}
	return NULL;
}

static int spdk_check(struct session *s, struct session_request *ask)
{
	struct out *o = session_out(s);

	(void)ask;
	if (out_opts(o)->format != OUT_JSON)
		out_only(o, &spdk_schema);
	return 0;
}

static int spdk_start(struct session *s, struct session_request *ask)
{
	struct spdk *state = session_state(s);
	int err = spdk_targets_read(&state->t, session_cfg(s));

	(void)ask;
	if (!err && state->t.n > 1 && !session_common(s)->output.columns)
		out_show(session_out(s), "pid", true);
	return err;
}

static int spdk_event(struct session *s, const struct view *v)
{
	struct spdk *state = session_state(s);
	const struct spdk_hit hit = spdk_hit_of(state, v->ev);

	spdk_row_fill(&state->row, &state->t.place[hit.site].site, &hit, session_start_ns(s),
		      v->wall_ns);
	out_row(session_out(s), &spdk_schema, &state->row);
	return 0;
}

static bool only_lists(const void *cfg)
{
	return ((const struct spdk_opts *)cfg)->list;
}

static int list_check(const struct invocation *inv)
{
	return inv->rest.n ? fail_usage("nothing is traced", "drop it", "%s with --list",
					inv->rest.word[0])
			   : 0;
}

static int spdk_run(struct invocation *inv)
{
	struct spdk_targets t = { 0 };
	int err = spdk_targets_read(&t, inv->cfg);

	if (!err)
		err = spdk_list(inv, &t);
	spdk_targets_free(&t);
	return err;
}

const struct cmd cmd_spdk = {
	.name = "spdk",
	.summary = "print the probes of SPDK, which drives NVMe from user space",
	.about =
		"SPDK drives NVMe from user space, so the kernel sees none of its commands. Its "
		"programs carry probes (USDT) if they were built --with-usdt. This prints a line for "
		"each hit: when, in which thread, which probe, and its arguments by name, with "
		"states by their words. It takes neither the source tree of SPDK nor bpftrace. The "
		"program may be static or use shared libraries, may be stripped or deleted, and may "
		"run in a container.\n\n"
		"Probes are found in the files that the process has mapped when nvmetool attaches; "
		"those of a library that it loads later are not seen. While they are attached, "
		"a hit costs the process a trap, of one to three microseconds. At the end the process is "
		"as it was before. Numbers of a target's states differ between releases of SPDK: "
		"those that do are named if the files of the process tell the release. A probe that "
		"is not known, or has another number of arguments than it should, has them as arg0, "
		"arg1 and so on. arg0 is SPDK's own; of a known probe it is shown in JSON, as tsc, "
		"where it is one.\n\n"
		"--fail-if knows count (hits), errors (hits with a status that is not 0) and lost.",
	.examples = examples,
	.takes = TAKES_OUTPUT | TAKES_TIMES | TAKES_RUN | TAKES_INTERNALS | TRACES_USERS |
		 PRINTS_EVENTS,
	.rows = EXPR_EVENTS,
	.opts = spdk_opts,
	.cfg_size = sizeof(struct spdk_opts),
	.schemas = spdk_schemas,
	.untraced = only_lists,
	.check_run = list_check,
	.run = spdk_run,
	.state_size = sizeof(struct spdk),
	.source = &spdk_source,
	.check = spdk_check,
	.start = spdk_start,
	.unpack = spdk_unpack,
	.event = spdk_event,
	.idle = spdk_idle,
	.poll = spdk_poll,
};
