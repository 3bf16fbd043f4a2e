// SPDX-License-Identifier: GPL-2.0-or-later
/* The hooks: which programs are loaded for a run, and how they are attached. */
#include "lib/loader/loader_impl.h"

#include "lib/base/err.h"
#include "lib/base/str.h"

/*
 * The hooks, in the order they attach: completions before submissions, so that none is seen half.
 */
static const struct hook {
	const char *name; /* of the programs, with _btf or _raw behind it */
	enum btf_trace trace;
	u32 needs; /* any of these; 0: always */
	bool closes; /* ends what the next setup of the tag, or use of the bio, ends, too: a run skipped is no loss */
} hooks[] = {
	{ "back", BTF_TRACE_RQ_REQUEUE, 0, true },
	{ "given_up", BTF_TRACE_RQ_ERROR, 0, true },
	{ "done", BTF_TRACE_RQ_COMPLETE, NEED_PHASES | NEED_BLOCK, false },
	{ "complete", BTF_TRACE_COMPLETE_RQ, 0, false },
	{ "insert", BTF_TRACE_RQ_INSERT, NEED_SUBMITTER, false },
	{ "flush", BTF_FUNC_INSERT_FLUSH, NEED_SUBMITTER & ~(NEED_PHASES | NEED_SCHED), false },
	{ "entry", BTF_TRACE_GETRQ, NEED_ENTRY, false },
	{ "left", BTF_TRACE_RQ_COMPLETE, NEED_STAMP, true },
	{ "ended", BTF_TRACE_BIO_COMPLETE, NEED_STAMP, false },
	{ "move", BTF_TRACE_BIO_REMAP, NEED_STAMP, false },
	{ "stamp", BTF_TRACE_BIO_QUEUE, NEED_STAMP, false },
	{ "plug", BTF_TRACE_BIO_QUEUE, NEED_PLUG, false },
	{ "synced", BTF_TRACE_BIO_COMPLETE, NEED_FLUSHES, false },
	{ "served", BTF_FUNC_FLUSH_END_IO, NEED_FLUSHES, false },
	{ "sync", BTF_TRACE_BIO_QUEUE, NEED_FLUSHES, false },
	{ "waited_range", BTF_FUNC_FSYNC_RANGE, NEED_SYNCER, false },
	{ "waited_fsync", BTF_FUNC_FSYNC, NEED_SYNCER, false },
	{ "waited_fdatasync", BTF_FUNC_FDATASYNC, NEED_SYNCER, false },
	{ "waited_syncfs", BTF_FUNC_SYNCFS, NEED_SYNCER, false },
	{ "waited_sync", BTF_FUNC_SYNC, NEED_SYNCER, false },
	{ "waited_direct", BTF_FUNC_DIRECT, NEED_SYNCER, false },
	{ "waited_disk", BTF_FUNC_DISK_WRITE, NEED_SYNCER, false },
	{ "waits_range", BTF_FUNC_FSYNC_RANGE, NEED_SYNCER, false },
	{ "waits_fsync", BTF_FUNC_FSYNC, NEED_SYNCER, false },
	{ "waits_fdatasync", BTF_FUNC_FDATASYNC, NEED_SYNCER, false },
	{ "waits_syncfs", BTF_FUNC_SYNCFS, NEED_SYNCER, false },
	{ "waits_sync", BTF_FUNC_SYNC, NEED_SYNCER, false },
	{ "waits_direct", BTF_FUNC_DIRECT, NEED_SYNCER, false },
	{ "waits_disk", BTF_FUNC_DISK_WRITE, NEED_SYNCER, false },
	{ "sq", BTF_TRACE_SQ, NEED_SQ, false },
	{ "aer", BTF_TRACE_ASYNC_EVENT, NEED_AER, false },
	{ "timeout_pci", BTF_FUNC_TIMEOUT_PCI, NEED_TIMEOUT, false },
	{ "timeout_tcp", BTF_FUNC_TIMEOUT_TCP, NEED_TIMEOUT, false },
	{ "timeout_rdma", BTF_FUNC_TIMEOUT_RDMA, NEED_TIMEOUT, false },
	{ "timeout_fc", BTF_FUNC_TIMEOUT_FC, NEED_TIMEOUT, false },
	{ "reset", BTF_FUNC_CHANGE_STATE, NEED_RESET, false },
	{ "setup", BTF_TRACE_SETUP_CMD, 0, false },
};
_Static_assert(ARRAY_SIZE(hooks) <= LOADER_HOOKS, "more hooks than links");

/* Needs that are kinds of events: who lacks the hook lacks them all. */
#define OWN_EVENTS (NEED_AER | NEED_SQ | NEED_TIMEOUT | NEED_RESET)

#define PROBE	   "probe_" /* names of programs of functions begin so */

static bool hook_wanted(const struct hook *hook, const struct loader_setup *setup)
{
	if (!features_trace_applies(setup->btf, hook->trace))
		return false;
	return !hook->needs || setup->needs & hook->needs;
}

static struct bpf_program *program_called(const struct bpf_object *object, const struct hook *hook,
					  const char *way)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", hook->name, way);
	return bpf_object__find_program_by_name(object, name);
}

/* The way that the fast path of @object takes. */
static const char *fast_way(const struct loader *l, const struct bpf_object *object)
{
	if (!l->backup)
		return "fast";
	return object == l->backups ? "backup" : "first";
}

/*
 * Returns the program of @hook for the way this run takes (bpf/prog.h), or the raw one where there is
 * no other. NULL: the object has none.
 */
static struct bpf_program *program_of(const struct loader *l, const struct bpf_object *object,
				      const struct hook *hook)
{
	const char *way = l->tp_btf || features_trace_module(hook->trace) ? "btf" : "raw";
	struct bpf_program *prog = NULL;

	if (l->fast)
		prog = program_called(object, hook, fast_way(l, object));
	if (!prog)
		prog = program_called(object, hook, way);
	return prog ? prog : program_called(object, hook, "raw");
}

static const struct hook *hook_of(const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);

	for (u32 i = 0; i < ARRAY_SIZE(hooks); i++) {
		size_t len = strlen(hooks[i].name);

		if (has_prefix(name, hooks[i].name) && name[len] == '_')
			return &hooks[i];
	}
	return NULL;
}

bool loader_stands_in(const struct loader *l, const struct bpf_program *prog)
{
	const struct hook *hook = hook_of(prog);
	const struct bpf_program *first = NULL;

	if (hook && program_of(l, l->backups, hook) == prog)
		first = program_of(l, l->object, hook);
	return first && bpf_program__autoload(first);
}

bool loader_closes(const struct bpf_program *prog)
{
	const struct hook *hook = hook_of(prog);

	return hook && hook->closes;
}

/* Adds @hook to those that this kernel lacks; the user is told of them. */
static void miss(struct loader *l, const struct hook *hook)
{
	const char *name = features_trace_name(hook->trace);

	l->lacks |= hook->needs & OWN_EVENTS;
	for (u32 i = 0; i < l->n_missing; i++) {
		if (streq(l->missing[i], name))
			return;
	}
	if (!hook->closes)
		l->missing[l->n_missing++] = name;
}

static bool was_refused(const struct loader *l, const struct hook *hook)
{
	return l->refused & 1ULL << (hook - hooks);
}

const struct bpf_program *loader_freed(const struct loader *l)
{
	return bpf_object__find_program_by_name(l->object, l->tp_btf ? "freed_btf" : "freed_raw");
}

void loader_choose_programs(struct loader *l, const struct loader_setup *setup)
{
	const struct bpf_program *freed = loader_freed(l);
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, l->object) {
		const struct hook *hook = hook_of(prog);
		bool load =
			hook && prog == program_of(l, l->object, hook) && hook_wanted(hook, setup);

		if (setup->n_probes)
			load = has_prefix(bpf_program__name(prog), PROBE);
		else if (load &&
			 (was_refused(l, hook) ||
			  !probe_trace_there(setup->probe, setup->btf, hook->trace, l->tp_btf))) {
			miss(l, hook);
			load = false;
		}
		load |= !setup->n_probes && prog == freed;
		bpf_program__set_autoload(prog, load);
	}
}

/*
 * Whether the run goes on without it. The kernel may not let a function be traced: it refuses
 * programs of this type, the function is patched live (EBUSY), inlined, or nothing compiles
 * programs.
 */
static bool is_optional(const struct hook *hook)
{
	return features_trace_function(hook->trace);
}

static int attach_hook(struct loader *l, const struct bpf_object *object, const struct hook *hook,
		       const struct loader_setup *setup)
{
	struct bpf_program *prog = program_of(l, object, hook);
	char name[64];

	if (!prog || !bpf_program__autoload(prog))
		return 0;
	snprintf(name, sizeof(name), "attach to %s", features_trace_name(hook->trace));
	struct bpf_link *link = bpf_program__attach(prog);
	if (!link && is_optional(hook)) {
		miss(l, hook);
		return 0;
	}
	if (!link)
		return probe_failed(setup->probe, -errno, name);
	l->hook[l->n_links] = hook->name;
	l->links[l->n_links++] = link;
	return 0;
}

static int no_probe(const struct probe *p, const char *function)
{
	if ((errno == EACCES || errno == EPERM) && probe_no_perf(p))
		return fail(EXIT_AS(EXIT_PERMISSION),
			    "kernel.perf_event_paranoid allows it to CAP_SYS_ADMIN only",
			    PROBE_PERF_REMEDY, "--probe '%s'", function);
	return fail(
		EXIT_AS(EXIT_KERNEL), "this kernel has no function of this name that can be probed",
		"list those it has: nvmetool doctor --functions GLOB", "--probe '%s'", function);
}

/* One program on all functions. */
static int attach_probes(struct loader *l, const struct loader_setup *setup)
{
	struct bpf_program *prog;
	struct bpf_link *link;

	if (setup->probe->kprobes_off)
		return fail(EXIT_AS(EXIT_KERNEL), "probes on functions are switched off",
			    "switch them on: echo 1 >/sys/kernel/debug/kprobes/enabled", "--probe");
	bpf_object__for_each_program(prog, l->object) {
		if (!bpf_program__autoload(prog))
			continue;
		for (u32 i = 0; i < setup->n_probes; i++) {
			link = bpf_program__attach_kprobe(prog, false, setup->probes[i]);
			if (!link)
				return no_probe(setup->probe, setup->probes[i]);
			l->hook[l->n_links] = PROBE;
			l->links[l->n_links++] = link;
		}
	}
	return 0;
}

static int attach_hooks(struct loader *l, const struct loader_setup *setup)
{
	int err = 0;

	/* The kernel runs the programs of a hook in the order in which they came. */
	for (u32 i = 0; !err && i < ARRAY_SIZE(hooks); i++) {
		err = attach_hook(l, l->object, &hooks[i], setup);
		if (!err && l->backups)
			err = attach_hook(l, l->backups, &hooks[i], setup);
	}
	return err;
}

bool loader_does_without(struct loader *l, const struct bpf_program *prog)
{
	const struct hook *hook = hook_of(prog);

	if (!hook || !is_optional(hook))
		return false;
	l->refused |= 1ULL << (hook - hooks);
	return true;
}

int loader_attach_programs(struct loader *l, const struct loader_setup *setup)
{
	return l->probing ? attach_probes(l, setup) : attach_hooks(l, setup);
}
