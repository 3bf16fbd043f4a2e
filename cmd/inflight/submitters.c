// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Joins a snapshot with the command slots of programs that are attached. The programs are those of
 * `errors` without an error to tell: they fill the slots and send no event.
 */
#include "cmd/inflight/submitters.h"

#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/loader/loader.h"
#include "lib/session/source.h"

#define NEEDS                                                                                      \
	(NEED_IO | NEED_COMPLETE | NEED_STATUS | NEED_SQE | NEED_RESULT | NEED_PID | NEED_COMM |   \
	 NEED_CGROUP)

struct submitters {
	struct loader *loader;
	struct sysfs sysfs;
	struct filter filter;
};

int submitters_open(struct submitters **submitters, const struct session *session)
{
	const struct internal_opts *opts = &session_common(session)->internal;
	const struct selection all = { .admin = true };
	struct submitters *s = calloc(1, sizeof(*s));
	struct loader_setup setup = {
		.opts = opts,
		.btf = session_features(session),
		.probe = session_probe(session),
		.needs = NEEDS,
		.fast = true,
		.no_events = true,
		.cpus = session_probe(session)->cpus,
	};
	int err;

	if (!s)
		return fail(-ENOMEM, NULL, NULL, "session");
	*submitters = s;
	setup.sysfs = &s->sysfs;
	setup.filter = &s->filter;
	err = sysfs_read(&s->sysfs, NULL);
	if (err && err != -ENOENT)
		return fail(err, NULL, NULL, SYSFS_DIR "/class/nvme");
	err = select_filter(&s->filter, &all, NULL);
	if (!err)
		err = loader_open(&s->loader, "errors", opts);
	return err ? err : loader_attach(s->loader, &setup);
}

const char *submitters_method(const struct submitters *s)
{
	return loader_method(s->loader);
}

u32 submitters_needs(const struct submitters *s)
{
	return s ? LOADER_STILL_NEEDS : 0;
}

/* The tag of a hardware queue, which one command has at a time. */
struct place {
	s32 ctrl_id;
	u32 qid, tag;
};

static struct place place_of(const struct snapshot_cmd *c)
{
	return (struct place){ c->ctrl->ctrl->ctrl_id, c->qid, c->rq.tag };
}

static int compare(const struct place *a, const struct place *b)
{
	if (a->ctrl_id != b->ctrl_id)
		return a->ctrl_id < b->ctrl_id ? -1 : 1;
	if (a->qid != b->qid)
		return a->qid < b->qid ? -1 : 1;
	return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_cmds(const void *a, const void *b)
{
	const struct place x = place_of(a), y = place_of(b);

	return compare(&x, &y);
}

static int compare_place(const void *place, const void *cmd)
{
	const struct place at = place_of(cmd);

	return compare(place, &at);
}

/*
 * Fills in who submitted the command, unless the kernel's own objects have proven it. A kernel
 * worker submits on behalf of others: then the cgroup that the kernel charges says more.
 */
static void fill(struct snapshot_cmd *c, const struct command_slot *slot)
{
	struct inflight_request *r = &c->rq;

	if (c->age_source == AGE_DEADLINE) {
		c->age_source = AGE_TRACE;
		c->age_ns = c->now_ns - slot->submit_ns;
	}
	if (r->pid)
		return;
	r->pid = slot->sub.pid;
	memcpy(r->comm, slot->sub.comm, sizeof(r->comm));
	r->worker = slot->sub.worker;
	if (!r->worker || !r->cgroup_id)
		r->cgroup_id = slot->sub.cgroup_id;
}

struct join {
	struct loader *loader;
	struct snapshot *s;
};

/*
 * A slot is read after the walk. If its command was set up before that and is still in flight, then
 * the walk found this command at its place.
 */
static void take_slot(void *ctx, const struct command_slot *slot, u32 queue, u32 tag)
{
	const struct join *j = ctx;
	const struct queue_info *info = loader_queue(j->loader, queue);
	const struct place at = { info->ctrl_id, info->qid, tag };
	struct snapshot_cmd *c =
		bsearch(&at, j->s->cmds, j->s->n_cmds, sizeof(*j->s->cmds), compare_place);

	if (c && slot->submit_ns <= c->now_ns)
		fill(c, slot);
}

void submitters_fill(struct submitters *s, struct snapshot *snapshot)
{
	struct join j = { s->loader, snapshot };

	if (!snapshot->n_cmds)
		return;
	qsort(snapshot->cmds, snapshot->n_cmds, sizeof(*snapshot->cmds), compare_cmds);
	loader_inflight(s->loader, take_slot, &j);
}

void submitters_close(struct submitters *s)
{
	if (!s)
		return;
	loader_close(s->loader);
	sysfs_free(&s->sysfs);
	free(s);
}
