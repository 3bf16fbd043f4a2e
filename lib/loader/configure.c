// SPDX-License-Identifier: GPL-2.0-or-later
/* Configures programs before they load: their struct prog_cfg, and the sizes of their maps. */
#include "lib/loader/loader_impl.h"

#include <errno.h>

#include "lib/base/err.h"
#include "lib/loader/file_functions.h"
#include "lib/loader/section.h"

#define SPARE_STACKS 4096 /* that the number of 12 000 stacks leaves without a place */
#define ENTRIES	     16384 /* bios on their way to a driver */
#define STAMPS_MAX   131072 /* 10 MiB */
#define FLUSHES	     8192 /* bios with a flush under way, those below devices included */
#define FLUSHING     4096 /* threads that flush */

/* Whether a setup, or a completion, has more to do than programs that meet @needs alone. */
static bool more_at_setup(const struct loader_setup *setup, u32 needs)
{
	return setup->needs & ~needs & NEED_AT_SETUP || setup->filter->any;
}

static bool more_at_complete(const struct loader_setup *setup, u32 needs)
{
	return setup->needs & ~needs & NEED_AT_COMPLETE || setup->filter->any_complete;
}

/*
 * Whether the command is content with the fast path, and this kernel and this way in allow it:
 * bpf/fast.h.
 */
static bool takes_fast_path(const struct loader *l, const struct loader_setup *setup,
			    const struct prog_cfg *cfg)
{
	u32 met = cfg->always | cfg->fast_needs;

	return setup->fast && l->tp_btf && (l->backup || !cfg->xadd) && cfg->late_identify &&
	       (cfg->comm_padded || !(cfg->always & NEED_COMM)) &&
	       (cfg->rdonly_cast || cfg->probe_read) && !more_at_setup(setup, met) &&
	       !more_at_complete(setup, met);
}

static void fill_cfg(const struct loader *l, const struct loader_setup *setup, struct prog_cfg *cfg)
{
	cfg->off = setup->btf->off;
	cfg->needs = setup->needs;
	cfg->more_at_setup = more_at_setup(setup, cfg->always);
	cfg->more_at_complete = more_at_complete(setup, cfg->always);
	cfg->status_at = cfg->off.req_status & ~7;
	cfg->status_shift = nvme_word_shift(cfg->off.req_status);
	cfg->status_mask = nvme_status_mask(&cfg->off);
	cfg->told_mask = cfg->status_mask | nvme_retries_mask(&cfg->off);
	cfg->retries_shift = nvme_word_shift(cfg->off.req_retries);
	cfg->max_inflight = setup->max_inflight;
	cfg->rdonly_cast = l->tp_btf && setup->btf->rdonly_cast;
	cfg->io_css = setup->btf->io_css;
	cfg->late_identify = setup->btf->late_identify;
	cfg->raw_finds = setup->btf->cmpxchg && cfg->off.known;
	cfg->comm_padded = probe_pads_comm(setup->probe, setup->btf);
	cfg->probe_read = setup->probe->lockdown != LOCKDOWN_CONFIDENTIALITY;
	cfg->backup = l->backup ? BACKUP_FIRST : BACKUP_NO;
	cfg->xadd = !l->recursion_known || l->backup || setup->cpus > WIRE_CPUS;
	cfg->cmd_flags_mask = reqflags_mask(&setup->btf->flags);
	cfg->only_ctrl = -1;
	if (setup->sysfs->n_ctrls == 1)
		cfg->only_ctrl = (s16)setup->sysfs->ctrls[0].ctrl_id;
	cfg->bio_second = setup->btf->args[BTF_TRACE_BIO_QUEUE] > 1;
	cfg->rq_second = setup->btf->args[BTF_TRACE_RQ_INSERT] > 1;
	if (setup->btf->flags.bit[REQ_FLAG_PREFLUSH] >= 0)
		cfg->preflush = 1U << setup->btf->flags.bit[REQ_FLAG_PREFLUSH];
}

/* Bios that wait or are under way: some for each tag, and for each of many tasks. */
static u32 count_stamps(const struct prog_cfg *cfg)
{
	if (cfg->command_slots > STAMPS_MAX / 2)
		return STAMPS_MAX;
	return cfg->command_slots > ENTRIES / 2 ? 2 * cfg->command_slots : ENTRIES;
}

/*
 * Sizes the maps for stacks of @frames each: 16 MiB, and a quarter of that for those that have no
 * place there, with kernel.perf_event_max_stack as it usually is.
 */
static int size_stack_maps(struct loader *l, struct prog_cfg *cfg, u32 frames)
{
	u32 bytes = frames * sizeof(u64);
	int err = loader_size_map(l, "stacks", bytes, WIRE_STACKS);

	cfg->stack_bytes = (u16)bytes;
	cfg->spare_stacks = SPARE_STACKS;
	if (!err)
		err = loader_size_map(l, "spare_stacks", bytes, SPARE_STACKS);
	return err ? err : loader_size_map(l, "stack_hashes", 0, SPARE_STACKS);
}

/* The kernel makes no map for deeper stacks than kernel.perf_event_max_stack. */
static int size_stacks(struct loader *l, const struct loader_setup *setup, struct prog_cfg *cfg)
{
	const struct bpf_map *map = loader_find_map(l, "stacks");
	u32 wanted = map ? bpf_map__value_size(map) : 0, most = setup->probe->max_stack;

	if (!most)
		return fail(EXIT_AS(EXIT_KERNEL), "kernel.perf_event_max_stack is 0",
			    "allow them: sysctl kernel.perf_event_max_stack=127", "stacks");
	if (most > wanted / sizeof(u64))
		most = wanted / sizeof(u64);
	else if (most < wanted / sizeof(u64))
		note("stacks are cut at %u frames: kernel.perf_event_max_stack", most);
	return size_stack_maps(l, cfg, most);
}

/*
 * Without stacks no map of them is made. It would be of 127 frames, and fail to load where fewer are
 * allowed.
 */
static int leave_stacks(struct loader *l)
{
	struct bpf_map *map = loader_find_map(l, "stacks");

	return map ? bpf_map__set_autocreate(map, false) : 0;
}

/* Tells programs the functions by which they know files. */
static int tell_functions(struct loader *l, const struct loader_setup *setup)
{
	int err = file_functions_configure(l->object, setup->btf);

	if (err > 0)
		note("the kernel hides the addresses of its functions, so no file is known; %s",
		     probe_kptr_remedy(setup->probe));
	return err < 0 ? err : 0;
}

static struct prog_cfg *cfg_of(const struct loader *l)
{
	return section_of_object(l->object, ".rodata.cfg", sizeof(struct prog_cfg));
}

u32 loader_never(const struct loader *l)
{
	const struct prog_cfg *cfg = cfg_of(l);

	return cfg ? cfg->never : 0;
}

int loader_configure(struct loader *l, const struct loader_setup *setup)
{
	struct prog_cfg *cfg = cfg_of(l);
	u32 ring_bytes;
	int err;

	if (!cfg)
		return -EINVAL;
	if (setup->needs & cfg->never || cfg->always & ~setup->needs)
		return fail(-EINVAL, NULL, NULL,
			    "needs 0x%x: the program in this binary was built for other ones",
			    setup->needs);
	fill_cfg(l, setup, cfg);
	l->fast = takes_fast_path(l, setup, cfg);
	cfg->flat = l->fast;
	err = loader_rodata(l, ".rodata.filter", setup->filter, sizeof(*setup->filter));
	if (!err)
		err = setup->needs & (NEED_KSTACK | NEED_USTACK) ? size_stacks(l, setup, cfg)
								 : leave_stacks(l);
	if (!err)
		err = loader_size_tables(l, setup, cfg);
	if (!err)
		err = loader_ring(l, setup->no_events ? 0 : setup->opts->buffer_bytes, &ring_bytes);
	if (!err)
		cfg->wakeup_bytes = ring_bytes / 4;
	if (!err && setup->needs & (NEED_ENTRY | NEED_PLUG))
		err = loader_size_map(l, "entries", 0, ENTRIES);
	if (!err && setup->needs & NEED_STAMP)
		err = loader_size_map(l, "stamps", 0, count_stamps(cfg));
	if (!err && setup->needs & NEED_FILE)
		err = tell_functions(l, setup);
	if (!err && setup->needs & NEED_FLUSHES)
		err = loader_size_map(l, "flushes", 0, FLUSHES);
	if (!err && setup->needs & NEED_FLUSHES)
		err = loader_size_map(l, "flushing", 0, FLUSHING);
	if (!err && setup->needs & NEED_FLUSHES)
		err = loader_rodata(l, ".rodata.md", &setup->btf->md, sizeof(setup->btf->md));
	return err;
}
