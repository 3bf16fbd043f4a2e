// SPDX-License-Identifier: GPL-2.0-or-later
/* The BPF side of a live session: opening, configuring, loading, attaching, detaching. */
#include "lib/loader/loader.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "embed/embed.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/loader/btf.h"
#include "lib/loader/loader_impl.h"
#include "lib/loader/log.h"

#define NAME_CUT 15 /* BPF_OBJ_NAME_LEN - 1: names of sections are cut there */

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

struct bpf_map *loader_find_map(const struct loader *l, const char *name)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, l->object) {
		const char *whole = bpf_map__name(map);

		if (streq(whole, name) || (strlen(whole) == NAME_CUT && has_prefix(name, whole)))
			return map;
	}
	return NULL;
}

void *loader_section(const struct loader *l, const char *name, size_t *size)
{
	struct bpf_map *map = loader_find_map(l, name);

	return map ? (void *)bpf_map__initial_value(map, size) : NULL;
}

int loader_open(struct loader **loader, const char *object, const struct internal_opts *opts)
{
	LIBBPF_OPTS(bpf_object_open_opts, open, .object_name = "nvmetool",
		    .btf_custom_path = LOADER_BTF_CUT);
	struct loader *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return fail(-ENOMEM, NULL, NULL, "session");
	*loader = l;
	l->stats_fd = l->wait.inner = l->wait.outer = -1;
	loader_log_set(opts->verbose);
	err = embed_bpf(object, &l->bytes, &l->n_bytes);
	if (err)
		return fail(err, NULL, NULL, "program '%s' of this binary", object);
	if (opts->verbose > 2)
		open.kernel_log_level = 1;
	l->object = bpf_object__open_mem(l->bytes, l->n_bytes, &open);
	if (!l->object)
		return fail(-errno, NULL, NULL, "program '%s' of this binary", object);
	return 0;
}

/* Copies what a map was given before load: its size, and its value if that is constant. */
static int copy_map(struct bpf_map *to, const struct bpf_map *from)
{
	size_t size;
	const void *value = bpf_map__initial_value((struct bpf_map *)from, &size);
	int err;

	if (value && has_prefix(bpf_map__name(from), ".rodata."))
		return bpf_map__set_initial_value(to, value, size);
	if (value)
		return 0;
	err = bpf_map__set_value_size(to, bpf_map__value_size(from));
	return err ? err : bpf_map__set_max_entries(to, bpf_map__max_entries(from));
}

int loader_reopen(struct loader *l)
{
	LIBBPF_OPTS(bpf_object_open_opts, open, .object_name = "nvmetool",
		    .btf_custom_path = LOADER_BTF_CUT);
	struct bpf_object *again = bpf_object__open_mem(l->bytes, l->n_bytes, &open);
	struct bpf_map *to = NULL, *from = NULL;
	int err = again ? 0 : -errno;

	loader_btf_object(NULL);
	/* Both are of the same bytes, so their maps come in the same order. */
	while (!err && (from = bpf_object__next_map(l->object, from))) {
		to = bpf_object__next_map(again, to);
		err = copy_map(to, from);
	}
	bpf_object__close(l->backups);
	l->backups = NULL;
	loader_flat_close(l);
	l->n_missing = l->lacks = 0;
	if (err) {
		bpf_object__close(again);
		return err;
	}
	bpf_object__close(l->object);
	l->object = again;
	return 0;
}

int loader_rodata(struct loader *l, const char *name, const void *data, size_t size)
{
	size_t there = 0;
	void *to = loader_section(l, name, &there);

	if (!to || there != size)
		return fail(
			-EINVAL,
			"its size differs from that in this binary; this is a fault of the build",
			NULL, "section %s of the program", name);
	memcpy(to, data, size);
	return 0;
}

int loader_size_map(struct loader *l, const char *name, u32 value_size, u32 entries)
{
	struct bpf_map *map = loader_find_map(l, name);
	int err = map ? 0 : -ENOENT;

	if (!err && value_size)
		err = bpf_map__set_value_size(map, value_size);
	if (!err)
		err = bpf_map__set_max_entries(map, entries);
	return err ? fail(err, NULL, NULL, "size of map '%s'", name) : 0;
}

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

/* Notes that @hook cannot be had, so that the user is told what will be missing. */
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
	return l->refused & 1U << (hook - hooks);
}

static void choose_programs(struct loader *l, const struct loader_setup *setup)
{
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
		bpf_program__set_autoload(prog, load);
	}
}

static int choose_method(struct loader *l, const struct loader_setup *setup)
{
	bool can = probe_tp_btf(setup->probe, setup->btf);

	l->tp_btf = setup->opts->attach == ATTACH_AUTO ? can : setup->opts->attach == ATTACH_TP_BTF;
	if (l->tp_btf && !can)
		return fail(EXIT_AS(EXIT_KERNEL), "the BTF of nvme_core cannot be used here",
			    "drop --attach, or use --attach raw_tp", "--attach tp_btf");
	return 0;
}

static int fill_cgroups(struct loader *l, const struct loader_setup *setup)
{
	int map = loader_map_fd(l, "cgroups");

	for (u32 i = 0; i < setup->filter->n_cgroups; i++) {
		if (bpf_map_update_elem(map, &i, &setup->cgroup_fds[i], BPF_ANY))
			return fail(-errno, NULL, NULL, "-g: cgroup");
	}
	return 0;
}

static void *map_array(struct loader *l, struct bpf_map *map, size_t *size)
{
	size_t bytes = loader_map_bytes(map);
	size_t page = sysconf(_SC_PAGESIZE);
	void *memory;

	*size = bytes;
	bytes = (bytes + page - 1) & ~(page - 1);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, loader_memory_fd(l, map), 0);
	if (memory == MAP_FAILED)
		return NULL;
	l->mapping[l->n_mappings++] = (struct loader_mapping){ map, memory, *size };
	return memory;
}

void *loader_memory(struct loader *l, const char *name, size_t *size)
{
	struct bpf_map *map = loader_find_map(l, name);

	for (u32 i = 0; i < l->n_mappings; i++) {
		if (l->mapping[i].map == map) {
			*size = l->mapping[i].size;
			return l->mapping[i].memory;
		}
	}
	if (!map || l->n_mappings == ARRAY_SIZE(l->mapping))
		return NULL;
	return map_array(l, map, size);
}

/*
 * Maps the memory that is read while programs run and after. libbpf's own copy holds no more than
 * the values before load.
 */
static int map_counters(struct loader *l, const struct loader_setup *setup)
{
	static const char *const sections[] = { ".bss.stats", ".bss.queues", ".bss.control",
						".bss.reached", "command_slots" };
	size_t size;

	for (u32 i = 0; i < ARRAY_SIZE(sections); i++) {
		if (!loader_memory(l, sections[i], &size))
			return fail(-errno, NULL, NULL, "the counters of the programs");
	}
	l->queues = loader_memory(l, ".bss.queues", &size);
	loader_control(l)->busy = setup->busy;
	return 0;
}

/* Programs of functions read no request. */
static int map_layout(struct loader *l, const struct loader_setup *setup)
{
	size_t size;

	if (setup->btf->off.known || setup->n_probes)
		return 0;
	l->layout = loader_memory(l, ".bss.layout", &size);
	return l->layout ? 0 : fail(-errno, NULL, NULL, "memory of the programs' counters");
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

/* Loads the chosen programs of an object that is configured. 0 or -errno of the kernel. */
static int load_object(struct loader *l, const struct loader_setup *setup)
{
	int err;

	choose_programs(l, setup);
	loader_btf_object(l->object);
	loader_btf_plain(!(setup->needs & NEED_BUSY));
	err = loader_make_bss(l);
	if (!err && l->fast)
		err = loader_flatten(l);
	if (!err)
		err = bpf_object__load(l->object);
	if (!err && l->backup)
		err = loader_load_again(l);
	return err;
}

/*
 * The program at which a load failed with @err. NULL: no other choice of programs would load.
 * Capabilities were checked before (probe_before()).
 */
static const struct bpf_program *refused_program(int err)
{
	if (!err || err == -ENOMEM || err == -EMFILE)
		return NULL;
	return loader_btf_loading();
}

/* Loads, without the optional programs that the kernel refuses. 0 or -errno of the kernel. */
static int load_what_it_takes(struct loader *l, const struct loader_setup *setup)
{
	const struct bpf_program *refused;
	const struct hook *hook;
	int err = load_object(l, setup);

	while ((refused = refused_program(err))) {
		hook = hook_of(refused);
		if (!hook || !is_optional(hook))
			break;
		l->refused |= 1U << (hook - hooks);
		err = loader_reopen(l);
		if (!err)
			err = load_object(l, setup);
	}
	return err;
}

/* 0, -errno of the kernel, or EXIT_AS(...) after a message. */
static int load(struct loader *l, const struct loader_setup *setup)
{
	int err = loader_configure(l, setup);

	if (err)
		return err <= EXIT_AS(0) ? err : EXIT_AS(EXIT_RUNTIME);
	return load_what_it_takes(l, setup);
}

/*
 * Loads programs for typed tracepoints where they can be had, else for raw ones. A kernel that
 * refuses the first is told of.
 */
static int load_somehow(struct loader *l, const struct loader_setup *setup)
{
	int err = load(l, setup);

	if (!l->tp_btf || setup->n_probes || setup->opts->attach != ATTACH_AUTO ||
	    !refused_program(err))
		return err;
	note("the kernel refuses typed tracepoints (%s): raw tracepoints are used, as with --attach raw_tp",
	     probe_why(setup->probe, err));
	l->tp_btf = false;
	l->refused = 0;
	err = loader_reopen(l);
	return err ? err : load(l, setup);
}

int loader_attach(struct loader *l, const struct loader_setup *setup)
{
	int err = choose_method(l, setup);

	l->recursion_known = probe_guards_recursion(setup->probe, setup->btf);
	l->backup = !setup->n_probes && probe_skips(setup->probe, setup->btf, setup->sysfs);
	if (err)
		return err;
	err = load_somehow(l, setup);
	loader_btf_close();
	if (err <= EXIT_AS(0))
		return err;
	if (err)
		return probe_failed(setup->probe, err, "load the programs");
	err = loader_wait_open(l);
	if (err)
		return fail(err, NULL, NULL, "map to wait with");
	err = map_counters(l, setup);
	if (!err)
		err = map_layout(l, setup);
	if (!err)
		err = fill_cgroups(l, setup);
	if (setup->opts->self_stats)
		l->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (setup->opts->self_stats && l->stats_fd < 0)
		note("--self-stats: the kernel does not tell how long programs run: %s; add CAP_SYS_ADMIN",
		     err_text(errno));
	l->probing = setup->n_probes > 0;
	l->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (!err)
		err = l->probing ? attach_probes(l, setup) : attach_hooks(l, setup);
	return err;
}

u32 loader_layout(const struct loader *l)
{
	return l->layout ? *l->layout : LAYOUT_RIGHT;
}

u64 loader_start_ns(const struct loader *l)
{
	return l->start_ns;
}

const char *loader_method(const struct loader *l)
{
	if (l->probing)
		return "kprobe";
	return l->tp_btf ? "tp_btf" : "raw_tp";
}

u32 loader_lacks(const struct loader *l)
{
	return l->lacks;
}

const char *loader_missing(const struct loader *l, u32 i)
{
	return i < l->n_missing ? l->missing[i] : NULL;
}

int loader_map_fd(const struct loader *l, const char *name)
{
	struct bpf_map *map = loader_find_map(l, name);

	return map ? bpf_map__fd(map) : -1;
}

const struct queue_info *loader_queue(struct loader *l, u32 index)
{
	return l->queues && index < WIRE_QUEUES ? &l->queues[index] : NULL;
}

volatile struct control_view *loader_control(struct loader *l)
{
	size_t size;

	return loader_memory(l, ".bss.control", &size);
}

/* Setup goes first: a command that completes later was submitted before, or is none of ours. */
void loader_detach(struct loader *l)
{
	if (l->n_links)
		loader_control(l)->stopping = 1;
	while (l->n_links) {
		bpf_link__destroy(l->links[--l->n_links]);
		/* The hooks that are left see commands that complete meanwhile to their end. */
		if (streq(l->hook[l->n_links], "setup") || streq(l->hook[l->n_links], "complete"))
			loader_quiesce(l);
	}
	loader_quiesce(l);
}

void loader_close(struct loader *l)
{
	if (!l)
		return;
	loader_detach(l);
	for (u32 i = 0; i < l->n_mappings; i++)
		munmap(l->mapping[i].memory, l->mapping[i].size);
	if (l->stats_fd >= 0)
		close(l->stats_fd);
	bpf_object__close(l->backups);
	bpf_object__close(l->object);
	loader_flat_close(l);
	loader_wait_close(l);
	free(l->bytes);
	free(l);
}
