// SPDX-License-Identifier: GPL-2.0-or-later
/* The data that a run needs: what the filter adds, and what a recording lacks of it. */
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/impl.h"

#define ANEW	  "record again with it, or drop the option"
#define AGAIN	  "record again with this version"
#define ONLY_LIVE "drop the option"

/*
 * Names of data that a recording may lack; messages name the first of several. `how` is the option
 * that records it.
 */
static const struct {
	u32 need;
	const char *name, *how, *remedy;
} in_recordings[] = {
	{ NEED_QUEUED, "times of block layer entry", " (record -Q)", ANEW },
	{ NEED_KSTACK, "kernel stacks", " (record -k)", "record them: nvmetool record -k -w FILE" },
	{ NEED_USTACK, "user stacks", " (record -u)", "record them: nvmetool record -u -w FILE" },
	{ NEED_RESULT, "results and retries", "", AGAIN },
	{ NEED_CMD_FLAGS, "request flags", "", AGAIN },
	{ NEED_CGROUP, "cgroups", "", AGAIN },
	{ NEED_OWNER, "owners", " (record --keys owner)", ANEW },
	{ NEED_SCHED, "I/O schedulers", "", AGAIN },
	{ NEED_DURING, "admin commands meanwhile", " (record --keys during)", ANEW },
	{ NEED_FILE, "files", " (record --keys file)", ANEW },
	{ NEED_SYNCER, "who waits for flushes", " (record --keys syncer)", ANEW },
	{ NEED_COMPLETE, "completions without a submission", "", AGAIN },
	{ NEED_AER, "asynchronous events", "", AGAIN },
	{ NEED_SQ, "submission queue updates", " (record --sq)", ANEW },
	{ NEED_FLUSHES, "flushes of devices above", " (record --flushes)", ANEW },
	{ NEED_TIMEOUT, "timeouts", "", AGAIN },
	{ NEED_RESET, "controller resets", "", AGAIN },
	{ NEED_BLOCK, "block layer status", "", AGAIN },
	{ NEED_PHASES, "the phases queue, scheduler, completion and total", " (record --phases)",
	  ANEW },
	{ NEED_ENTRY, "stacks of block layer entry, which only a live run takes", "", ONLY_LIVE },
	{ NEED_PID | NEED_COMM, "the processes that submitted", "", AGAIN },
	{ NEED_STATUS, "the status of commands", "", AGAIN },
	{ ~0U, "the commands themselves", "", AGAIN },
};

const char *session_lacking(u32 *lacks, const char **how)
{
	for (u32 i = 0; i + 1 < ARRAY_SIZE(in_recordings); i++) {
		if (!(*lacks & in_recordings[i].need))
			continue;
		*lacks &= ~in_recordings[i].need;
		*how = in_recordings[i].how;
		return in_recordings[i].name;
	}
	return NULL;
}

u32 session_filter_needs(const struct filter *f)
{
	u32 needs = 0;

	if (f->n_pid)
		needs |= NEED_PID;
	if (f->has_comm)
		needs |= NEED_COMM;
	if (f->n_cgroups)
		needs |= NEED_CGROUP;
	if (filter_asks_status(f))
		needs |= NEED_STATUS;
	return needs;
}

int session_check_needs(const struct session *s)
{
	/* The CPU of the submission and the NSID are part of every event; outstanding.c counts. */
	u32 missing = s->needs & ~(replay_needs(s->replay) | NEED_CPU | NEED_NSID | NEED_INFLIGHT);

	for (u32 i = 0; missing && i < ARRAY_SIZE(in_recordings); i++) {
		if (missing & in_recordings[i].need)
			return fail(EXIT_AS(EXIT_NOTHING), "not in the recording",
				    in_recordings[i].remedy, "%s%s", in_recordings[i].name,
				    in_recordings[i].how);
	}
	return 0;
}

u32 session_missing(const struct session *s)
{
	return s->replay ? s->request.optional & session_lacks(s) : 0;
}

const char *session_need_name(u32 *missing)
{
	for (u32 i = 0; *missing && i < ARRAY_SIZE(in_recordings); i++) {
		if (*missing & in_recordings[i].need) {
			*missing &= ~in_recordings[i].need;
			return in_recordings[i].name;
		}
	}
	return NULL;
}

void session_tell_missing(const struct session *s)
{
	u32 missing = session_missing(s);
	const char *name;
	char text[256] = "";
	size_t n = 0;

	while (n < sizeof(text) && (name = session_need_name(&missing)))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", name);
	if (n)
		note("not in the recording: %s", text);
	if (session_missing(s) & NEED_OWNER)
		note("so writeback counts for the cgroup of the kernel's worker: record --keys "
		     "owner tells the one that caused it");
}
