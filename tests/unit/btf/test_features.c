// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/btf: facts from BTF files made up for the test, as each kind of kernel has them. */
#include <errno.h>

#include <bpf/btf.h>

#include "lib/base/str.h"
#include "lib/btf/features.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

struct world {
	char *dir;
	struct btf *vmlinux, *nvme_core;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->dir = scratch_make();
	w->vmlinux = btf__new_empty();
	btf__add_int(w->vmlinux, "int", 4, BTF_INT_SIGNED);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	int err = scratch_remove(w->dir);

	btf__free(w->nvme_core);
	btf__free(w->vmlinux);
	free(w);
	return err;
}

static void save(struct world *w, const struct btf *btf, const char *name)
{
	scratch_put_btf(w->dir, name, btf);
}

/* typedef void (*btf_trace_NAME)(void *, ARGS...) */
static void add_trace(struct btf *btf, const char *name, int args)
{
	char type[64];
	int proto = btf__add_func_proto(btf, 0);

	btf__add_func_param(btf, "__data", 1);
	for (int i = 0; i < args; i++)
		btf__add_func_param(btf, "arg", 1);
	snprintf(type, sizeof(type), "btf_trace_%s", name);
	assert_true(btf__add_typedef(btf, type, btf__add_ptr(btf, proto)) > 0);
}

/* nvme_setup_cmd() takes @n arguments. */
static void add_setup(struct btf *btf, int n)
{
	int proto = btf__add_func_proto(btf, 1);

	for (int i = 0; i < n; i++)
		btf__add_func_param(btf, "", 1);
	btf__add_func(btf, "nvme_setup_cmd", BTF_FUNC_STATIC, proto);
}

static void add_nvme_types(struct btf *btf)
{
	btf__add_struct(btf, "nvme_request", 40);
	btf__add_field(btf, "cmd", 1, 0, 0);
	btf__add_field(btf, "result", 1, 8 * 8, 0);
	btf__add_field(btf, "retries", 1, 17 * 8, 0);
	btf__add_field(btf, "flags", 1, 18 * 8, 0);
	btf__add_field(btf, "status", 1, 20 * 8, 0);
	btf__add_field(btf, "ctrl", 1, 32 * 8, 0);
	btf__add_struct(btf, "nvme_ctrl", 4096);
	btf__add_field(btf, "instance", 1, 2500 * 8, 0);
	btf__add_field(btf, "admin_tagset", 1, 2600 * 8, 0);
	btf__add_field(btf, "opts", 1, 2700 * 8, 0);
	add_trace(btf, "nvme_setup_cmd", 2);
	add_trace(btf, "nvme_complete_rq", 1);
	add_trace(btf, "nvme_sq", 3);
	add_trace(btf, "nvme_async_event", 2);
}

/* @behind: bytes of struct request. */
static void check_nvme(const struct kernel_features *features, int behind)
{
	assert_int_equal(features->off.known, 1);
	assert_int_equal(features->off.req_cmd, behind + 0);
	assert_int_equal(features->off.req_result, behind + 8);
	assert_int_equal(features->off.req_retries, behind + 17);
	assert_int_equal(features->off.req_status, behind + 20);
	assert_int_equal(features->off.req_ctrl, behind + 32);
	assert_int_equal(features->off.ctrl_instance, 2500);
	assert_int_equal(features->off.ctrl_admin_tagset, 2600);
	assert_int_equal(features->off.ctrl_opts, 2700);
	assert_int_equal(features->args[BTF_TRACE_SETUP_CMD], 2);
	assert_int_equal(features->args[BTF_TRACE_COMPLETE_RQ], 1);
	assert_int_equal(features->args[BTF_TRACE_SQ], 3);
	assert_int_equal(features->args[BTF_TRACE_ASYNC_EVENT], 2);
}

TEST_WITH(module, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	add_trace(w->vmlinux, "block_rq_insert", 1);
	btf__add_struct(w->vmlinux, "request", 248);
	save(w, w->vmlinux, "vmlinux");
	w->nvme_core = btf__new_empty_split(w->vmlinux);
	add_nvme_types(w->nvme_core);
	add_setup(w->nvme_core, 2);
	save(w, w->nvme_core, "nvme_core");

	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	check_nvme(&features, 248);
	assert_true(features.sqe_in_request);
	assert_false(features.nvme_built_in);
	assert_string_equal(features.module[BTF_TRACE_SQ], "nvme_core");
	assert_int_equal(
		features.id[BTF_TRACE_SQ],
		btf__find_by_name_kind(w->nvme_core, "btf_trace_nvme_sq", BTF_KIND_TYPEDEF));
	assert_null(features.module[BTF_TRACE_RQ_INSERT]);
	assert_int_equal(
		features.id[BTF_TRACE_RQ_INSERT],
		btf__find_by_name_kind(w->vmlinux, "btf_trace_block_rq_insert", BTF_KIND_TYPEDEF));
	assert_int_equal(features.id[BTF_TRACE_BIO_QUEUE], 0);
	assert_int_equal(features.args[BTF_TRACE_RQ_INSERT], 1);
	assert_string_equal(features.types[BTF_TRACE_RQ_INSERT], "int");
	assert_int_equal(features.args[BTF_TRACE_BIO_QUEUE], -1);
}

TEST_WITH(built_in, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	add_nvme_types(w->vmlinux);
	add_setup(w->vmlinux, 3); /* 5.12 */
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	check_nvme(&features, 0);
	assert_false(features.sqe_in_request);
	assert_true(features.nvme_built_in);
	assert_null(features.module[BTF_TRACE_SETUP_CMD]);
}

/* 5.10: modules have no BTF; block_rq_insert there takes the queue as well. */
TEST_WITH(no_module_btf, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	add_trace(w->vmlinux, "block_rq_insert", 2);
	btf__add_struct(w->vmlinux, "bio", 128);
	btf__add_field(w->vmlinux, "bi_issue", 1, 8 * 40, 0);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.off.known, 0);
	assert_int_equal(features.off.req_status, 20);
	assert_int_equal(features.off.req_ctrl, 24);
	assert_int_equal(features.args[BTF_TRACE_SETUP_CMD], -1);
	assert_int_equal(features.args[BTF_TRACE_RQ_INSERT], 2);
	assert_true(features.bio_issue);
	assert_false(features.rdonly_cast);
	assert_false(features.sqe_in_request);
}

TEST_WITH(kfunc, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;
	int proto = btf__add_func_proto(w->vmlinux, 1);

	btf__add_func(w->vmlinux, "bpf_rdonly_cast", BTF_FUNC_STATIC, proto);
	btf__add_struct(w->vmlinux, "bio", 128);
	btf__add_field(w->vmlinux, "issue_time_ns", 1, 8 * 40, 0);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.rdonly_cast);
	assert_false(features.bio_issue);
	assert_false(features.stack_area);
	assert_false(features.zone_plugs);
	assert_false(features.recursion_guard);
	assert_false(features.cmpxchg);
	assert_false(features.comm_padded);
	btf__add_struct(w->vmlinux, "gendisk", 1024);
	btf__add_field(w->vmlinux, "zone_wplugs_hash", 1, 8 * 512, 0);
	btf__add_struct(w->vmlinux, "task_struct", 4096);
	btf__add_field(w->vmlinux, "stack_vm_area", 1, 8 * 2048, 0);
	btf__add_struct(w->vmlinux, "kthread", 112);
	btf__add_field(w->vmlinux, "full_name", 1, 8 * 104, 0);
	btf__add_func(w->vmlinux, "bpf_for_each_map_elem", BTF_FUNC_STATIC, proto);
	btf__add_func(w->vmlinux, "bpf_prog_inc_misses_counter", BTF_FUNC_STATIC, proto);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.recursion_guard);
	assert_true(features.cmpxchg);
	assert_true(features.zone_plugs);
	assert_true(features.comm_padded);
}

/* md in a module, as before 6.12, or as since. */
static void add_md(struct world *w, bool flush_bio)
{
	w->nvme_core = btf__new_empty_split(w->vmlinux);
	btf__add_struct(w->nvme_core, "md_rdev", 200);
	btf__add_field(w->nvme_core, "mddev", 1, 8 * 24, 0);
	btf__add_struct(w->nvme_core, "mddev", 2048);
	btf__add_field(w->nvme_core, "gendisk", 1, 8 * 80, 0);
	if (flush_bio)
		btf__add_field(w->nvme_core, "flush_bio", 1, 8 * 1736, 0);
	save(w, w->nvme_core, "md_mod");
}

TEST_WITH(md, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_false(features.md_read);
	assert_false(features.md.known);
	add_md(w, true);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.md_read);
	assert_true(features.md.known);
	assert_int_equal(features.md.rdev_mddev, 24);
	assert_int_equal(features.md.flush_bio, 1736);
	assert_int_equal(features.md.gendisk, 80);
	btf__free(w->nvme_core);
	add_md(w, false);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.md_read);
	assert_false(features.md.known);
}

/* Adds structure @name, with members at those bytes. */
static void add_pointers(struct world *w, const char *name, const char *first, u32 at,
			 const char *second, u32 second_at)
{
	btf__add_struct(w->nvme_core, name, 512);
	btf__add_field(w->nvme_core, first, 1, 8 * at, 0);
	if (second)
		btf__add_field(w->nvme_core, second, 1, 8 * second_at, 0);
}

TEST_WITH(ways_to_the_bio, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	save(w, w->vmlinux, "vmlinux");
	w->nvme_core = btf__new_empty_split(w->vmlinux);
	add_pointers(w, "dm_target_io", "io", 16, "clone", 48);
	save(w, w->nvme_core, "dm_mod");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.step[BIO_SPLIT].known);
	assert_false(features.step[BIO_DM].known); /* without dm_io */
	add_pointers(w, "dm_io", "orig_bio", 32, NULL, 0);
	save(w, w->nvme_core, "dm_mod");
	btf__free(w->nvme_core);
	w->nvme_core = btf__new_empty_split(w->vmlinux);
	add_pointers(w, "r1bio", "master_bio", 40, "behind_master_bio", 72);
	save(w, w->nvme_core, "raid1");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.step[BIO_DM].known);
	assert_int_equal(features.step[BIO_DM].inside, 48);
	assert_int_equal(features.step[BIO_DM].hops, 2);
	assert_int_equal(features.step[BIO_DM].at[0], 16);
	assert_int_equal(features.step[BIO_DM].at[1], 32);
	assert_true(features.step[BIO_RAID1].known);
	assert_int_equal(features.step[BIO_RAID1].inside, 0);
	assert_int_equal(features.step[BIO_RAID1].hops, 1);
	assert_int_equal(features.step[BIO_RAID1].at[0], 40);
	assert_int_equal(features.step[BIO_RAID1].unless, 72);
	assert_false(features.step[BIO_RAID10].known);
}

TEST_WITH(request_flags, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;
	u32 sync = 1U << REQ_FLAG_SYNC, polled = 1U << REQ_FLAG_POLLED;

	btf__add_enum(w->vmlinux, "req_flag_bits", 4);
	btf__add_enum_value(w->vmlinux, "__REQ_FAILFAST_DEV", 8);
	btf__add_enum_value(w->vmlinux, "__REQ_SYNC", 11);
	btf__add_enum_value(w->vmlinux, "__REQ_HIPRI", 25);
	btf__add_enum_value(w->vmlinux, "__REQ_NR_BITS", 40);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(reqflags_mask(&features.flags), 1U << 11 | 1U << 25);
	assert_int_equal(reqflags_map(&features.flags, 1U << 11 | 1U << 8 | 1), sync);
	assert_int_equal(reqflags_map(&features.flags, 1U << 11 | 1U << 25), sync | polled);
	assert_int_equal(features.flags.bit[REQ_FLAG_FUA], -1);
}

/*
 * Flags that decide about retries, and how statuses are numbered; 6.10 and newer name both flags in
 * enums without a name.
 */
TEST_WITH(retry, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	btf__add_enum(w->vmlinux, "req_flag_bits", 4);
	btf__add_enum_value(w->vmlinux, "__REQ_FAILFAST_DEV", 8);
	btf__add_enum_value(w->vmlinux, "__REQ_FAILFAST_DRIVER", 10);
	btf__add_enum_value(w->vmlinux, "__REQ_SYNC", 11);
	btf__add_enum_value(w->vmlinux, "__REQ_DRV", 26);
	btf__add_enum(w->vmlinux, "other_bits", 4);
	btf__add_enum_value(w->vmlinux, "__REQ_FAILFAST_OTHER", 2);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.retry.failfast_mask, 1U << 8 | 1U << 10);
	assert_int_equal(features.retry.multipath_mask, 1U << 26);
	assert_int_equal(features.retry.dying_bit, 1);
	assert_false(features.block_6_10);
	btf__add_enum(w->vmlinux, NULL, 4);
	btf__add_enum_value(w->vmlinux, "QUEUE_FLAG_DYING", 0);
	btf__add_enum(w->vmlinux, NULL, 4);
	btf__add_enum_value(w->vmlinux, "BIO_ZONE_WRITE_PLUGGING", 12);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.retry.dying_bit, 0);
	assert_true(features.block_6_10);
}

static void add_func(struct btf *btf, const char *name)
{
	int proto = btf__add_func_proto(btf, 1);

	btf__add_func_param(btf, "req", 1);
	btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
}

static void save_nvme(struct world *w)
{
	struct btf *nvme;

	save(w, w->vmlinux, "vmlinux");
	nvme = btf__new_empty_split(w->vmlinux);
	add_func(nvme, "nvme_timeout");
	save(w, nvme, "nvme");
	btf__free(nvme);
}

/*
 * The handlers of timeouts lie in the modules of the transports. arm64 cannot trace functions
 * before 6.4.
 */
TEST_WITH(functions, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.args[BTF_FUNC_TIMEOUT_PCI], 1);
	assert_int_equal(features.args[BTF_FUNC_TIMEOUT_TCP], -1);
	assert_int_equal(features.args[BTF_FUNC_CHANGE_STATE], -1);
	assert_false(features_trace_there(&features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_string_equal(features_trace_name(BTF_FUNC_TIMEOUT_PCI), "nvme_timeout");
	assert_string_equal(features_trace_name(BTF_TRACE_SQ), "nvme_sq");

	btf__add_func(w->vmlinux, "register_ftrace_direct", BTF_FUNC_STATIC,
		      btf__add_func_proto(w->vmlinux, 1));
	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features_trace_there(&features, BTF_FUNC_TIMEOUT_PCI, true));
	assert_false(features_trace_there(&features, BTF_FUNC_TIMEOUT_PCI, false));
	assert_false(features_trace_there(&features, BTF_FUNC_TIMEOUT_TCP, true));
}

/*
 * A function of the kernel itself can be attached to whatever the tracepoints' way is, where
 * functions can.
 */
TEST_WITH(own_function, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	add_func(w->vmlinux, "blk_insert_flush");
	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_null(features.module[BTF_FUNC_INSERT_FLUSH]);
#ifndef __x86_64__
	assert_false(features_trace_there(&features, BTF_FUNC_INSERT_FLUSH, true));
#endif
	add_func(w->vmlinux, "register_ftrace_direct");
	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features_trace_there(&features, BTF_FUNC_INSERT_FLUSH, true));
	assert_true(features_trace_there(&features, BTF_FUNC_INSERT_FLUSH, false));
}

/* Programs can be attached to a function without arguments, and to one with many only on newer kernels. */
TEST_WITH(arguments_of_functions, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;
	int word = btf__add_int(w->vmlinux, "size_t", 8, 0), proto;

	btf__add_func(w->vmlinux, "ksys_sync", BTF_FUNC_STATIC, btf__add_func_proto(w->vmlinux, 0));
	proto = btf__add_func_proto(w->vmlinux, 0);
	for (u32 i = 0; i < 7; i++)
		btf__add_func_param(w->vmlinux, "arg", word);
	btf__add_func(w->vmlinux, "iomap_dio_rw", BTF_FUNC_STATIC, proto);
	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.args[BTF_FUNC_SYNC], 0);
	assert_true(features_trace_applies(&features, BTF_FUNC_SYNC));
	assert_int_equal(features.args[BTF_FUNC_DIRECT], 7);
	assert_false(features_trace_applies(&features, BTF_FUNC_DIRECT));

	btf__add_struct(w->vmlinux, "bpf_uprobe_multi_link", 8);
	save_nvme(w);
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features_trace_applies(&features, BTF_FUNC_DIRECT));
}

/* 5.10 gives an errno, newer kernels a blk_status_t. */
TEST_WITH(block_errno, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;
	int byte, proto;

	add_trace(w->vmlinux, "block_rq_complete", 3);
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_true(features.block_errno);

	btf__free(w->vmlinux);
	w->vmlinux = btf__new_empty();
	byte = btf__add_int(w->vmlinux, "u8", 1, 0);
	proto = btf__add_func_proto(w->vmlinux, 0);
	btf__add_func_param(w->vmlinux, "__data", byte);
	btf__add_func_param(w->vmlinux, "rq", byte);
	btf__add_func_param(w->vmlinux, "error", byte);
	btf__add_typedef(w->vmlinux, "btf_trace_block_rq_complete",
			 btf__add_ptr(w->vmlinux, proto));
	save(w, w->vmlinux, "vmlinux");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_false(features.block_errno);
}

TEST_WITH(absent, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	assert_int_equal(features_read(&features, w->dir, NULL), -ENOENT);
	assert_int_equal(features.args[BTF_TRACE_SETUP_CMD], -1);
	scratch_put(w->dir, ".", "vmlinux", "this is no BTF");
	assert_true(features_read(&features, w->dir, NULL) < 0);
}

/* A driver that lacks one of the members counts as unknown. */
TEST_WITH(incomplete_module, setup, teardown)
{
	struct world *w = *state;
	struct kernel_features features;

	save(w, w->vmlinux, "vmlinux");
	w->nvme_core = btf__new_empty_split(w->vmlinux);
	btf__add_struct(w->nvme_core, "nvme_request", 40);
	btf__add_field(w->nvme_core, "status", 1, 20 * 8, 0);
	save(w, w->nvme_core, "nvme_core");
	assert_int_equal(features_read(&features, w->dir, NULL), 0);
	assert_int_equal(features.off.known, 0);
	assert_int_equal(features.off.req_result, 8);
}

TEST(names)
{
	assert_string_equal(features_trace_name(BTF_TRACE_SETUP_CMD), "nvme_setup_cmd");
	assert_string_equal(features_trace_name(BTF_TRACE_RQ_COMPLETE), "block_rq_complete");
	for (u32 i = 0; i < REQ_FLAG_MAX; i++)
		assert_non_null(reqflags_name(i));
	assert_null(reqflags_name(REQ_FLAG_MAX));
}
