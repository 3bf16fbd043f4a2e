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

/*
 * After a load that the kernel refused: the object as it was before, with the sizes and constants
 * that it had been given. 0 or -errno.
 */
static int reopen(struct loader *l)
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

/* Loads the chosen programs of an object that is configured. 0 or -errno of the kernel. */
static int load_object(struct loader *l, const struct loader_setup *setup)
{
	int err;

	loader_choose_programs(l, setup);
	loader_btf_object(l->object);
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
	int err = load_object(l, setup);

	while ((refused = refused_program(err)) && loader_does_without(l, refused)) {
		err = reopen(l);
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
	err = reopen(l);
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
		err = loader_attach_programs(l, setup);
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

/*
 * Setup goes first: a command that completes later was submitted before, or is none of ours. The
 * hooks that are left see commands that complete meanwhile to their end. So what no hook told of is
 * ended while those are left, and no program sets up any more.
 */
void loader_detach(struct loader *l)
{
	const char *hook;

	if (!l->n_links)
		return;
	loader_control(l)->stopping = 1;
	while (l->n_links) {
		bpf_link__destroy(l->links[--l->n_links]);
		hook = l->hook[l->n_links];
		if (!streq(hook, "setup") && !streq(hook, "complete"))
			continue;
		loader_quiesce(l);
		if (streq(hook, "setup") && l->n_links && !streq(l->hook[l->n_links - 1], hook))
			loader_inflight(l, NULL, NULL);
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
