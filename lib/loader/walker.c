// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads and runs bpf/inflight.bpf.c. */
#include "lib/loader/walker.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/loader/btf.h"
#include "lib/loader/file_functions.h"
#include "lib/loader/log.h"
#include "lib/loader/section.h"
#include "lib/symbols/ksyms.h"

#define CTRL_ADMIN_Q_5_10 56 /* offset of nvme_ctrl.admin_q, as it was measured on 5.10.223 */

struct walker {
	struct bpf_object *object;
	void *bytes; /* of the object */
	size_t n_bytes;
	struct inflight_chunk *chunk; /* mapped; NULL: not yet */
	int program; /* descriptor of the program that is run; the object's */
	bool blind;
};

/* By enum inflight_function. */
static const char *const functions[INFLIGHT_FUNCTIONS] = {
	[INFLIGHT_SYNC] = "blk_end_sync_rq",
	[INFLIGHT_URING_CMD] = "nvme_uring_cmd_end_io",
	[INFLIGHT_URING_META] = "nvme_uring_cmd_end_io_meta",
	[INFLIGHT_BDEV_SIMPLE] = "blkdev_bio_end_io_simple",
	[INFLIGHT_AIO] = "aio_complete_rw",
	[INFLIGHT_URING_RW] = "io_complete_rw",
	[INFLIGHT_URING_POLL] = "io_complete_rw_iopoll",
};

static void fill_cfg(struct walker *w, struct inflight_cfg *cfg, const struct kernel_features *btf)
{
	cfg->req_cmd = btf->off.req_cmd;
	cfg->has_sqe = btf->sqe_in_request;
	cfg->ctrl_tagset = btf->off.ctrl_admin_tagset;
	cfg->ctrl_admin_q = CTRL_ADMIN_Q_5_10;
	cfg->page_bytes = (u32)sysconf(_SC_PAGESIZE);
	w->blind = ksyms_addresses(NULL, functions, INFLIGHT_FUNCTIONS, cfg->function) != 0;
}

static int configure(struct walker *w, const struct kernel_features *btf)
{
	struct inflight_cfg *cfg = section_of_object(w->object, ".rodata.cfg", sizeof(*cfg));

	if (!cfg)
		return -EINVAL;
	fill_cfg(w, cfg, btf);
	return file_functions_configure(w->object, btf) < 0 ? -EINVAL : 0;
}

/* Lockdown forbids reading by a helper; a kernel that it forbids so has the other way from 6.2 on. */
static struct bpf_program *choose_program(struct walker *w, const struct kernel_features *btf,
					  const struct probe *probe)
{
	bool cast = probe->lockdown == LOCKDOWN_CONFIDENTIALITY && btf->rdonly_cast;
	const char *name = cast ? "walk_cast" : "walk_probe";
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, w->object)
		bpf_program__set_autoload(prog, streq(bpf_program__name(prog), name));
	return bpf_object__find_program_by_name(w->object, name);
}

static int map_chunk(struct walker *w)
{
	struct bpf_map *map = bpf_object__find_map_by_name(w->object, ".bss.chunk");
	void *memory = mmap(NULL, sizeof(*w->chunk), PROT_READ, MAP_SHARED,
			    map ? bpf_map__fd(map) : -1, 0);

	if (memory == MAP_FAILED)
		return fail(-errno, NULL, NULL, "memory of the program");
	w->chunk = memory;
	return 0;
}

static int load(struct walker *w, const struct kernel_features *btf, const struct probe *probe)
{
	struct bpf_program *prog = choose_program(w, btf, probe);
	int err;

	loader_btf_object(w->object);
	err = bpf_object__load(w->object);
	if (err)
		return probe_failed(probe, err, "load the program");
	w->program = bpf_program__fd(prog);
	return map_chunk(w);
}

int walker_open(struct walker **walker, const struct kernel_features *btf,
		const struct probe *probe, u32 verbose)
{
	LIBBPF_OPTS(bpf_object_open_opts, open, .object_name = "nvmetool",
		    .btf_custom_path = LOADER_BTF_CUT);
	struct walker *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return fail(-ENOMEM, NULL, NULL, "session");
	*walker = w;
	loader_log_set(verbose);
	err = embed_bpf("inflight", &w->bytes, &w->n_bytes);
	if (err)
		return fail(err, NULL, NULL, "program 'inflight' of this binary");
	if (verbose > 2)
		open.kernel_log_level = 1;
	w->object = bpf_object__open_mem(w->bytes, w->n_bytes, &open);
	if (!w->object)
		return fail(-errno, NULL, NULL, "program 'inflight' of this binary");
	err = configure(w, btf);
	return err ? err : load(w, btf, probe);
}

bool walker_blind(const struct walker *w)
{
	return w->blind;
}

int walker_map_fd(const struct walker *w)
{
	return w ? bpf_object__find_map_fd_by_name(w->object, ".bss.chunk") : -1;
}

const struct inflight_chunk *walker_look(struct walker *w, int fd, bool ctrl, u32 hctx, u32 tag)
{
	const u64 args[INFLIGHT_ARGS] = {
		[INFLIGHT_ARG_FD] = (u64)fd,
		[INFLIGHT_ARG_CTRL] = ctrl,
		[INFLIGHT_ARG_HCTX] = hctx,
		[INFLIGHT_ARG_TAG] = tag,
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	return bpf_prog_test_run_opts(w->program, &opts) ? NULL : w->chunk;
}

void walker_close(struct walker *w)
{
	if (!w)
		return;
	if (w->chunk)
		munmap(w->chunk, sizeof(*w->chunk));
	bpf_object__close(w->object);
	free(w->bytes);
	free(w);
}
