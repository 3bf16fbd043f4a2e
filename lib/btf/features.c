// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads kernel features from BTF files: one pass over each file finds all types by name, then
 * members are looked up.
 */
#include "lib/btf/features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "bpf/shared/syncer.h"
#include "lib/base/env.h"
#include "lib/base/str.h"
#include "lib/btf/btf_types.h"

enum wanted {
	WANT_REQUEST = BTF_TRACE_MAX, /* values below are enum btf_trace */
	WANT_NVME_REQUEST,
	WANT_NS_INFO,
	WANT_NVME_CTRL,
	WANT_NVME_SETUP,
	WANT_BIO,
	WANT_GENDISK,
	WANT_TASK,
	WANT_MD_RDEV,
	WANT_MDDEV,
	WANT_DM_TARGET_IO,
	WANT_DM_IO,
	WANT_DM_CRYPT_IO,
	WANT_MD_IO_CLONE,
	WANT_MD_IO_ACCT,
	WANT_R1BIO,
	WANT_R10BIO,
	WANT_KTHREAD,
	WANT_REQ_FLAG_BITS,
	WANT_SUBSYS_ID,
	WANT_RDONLY_CAST,
	WANT_FOR_EACH_ELEM,
	WANT_FTRACE_DIRECT,
	WANT_UPROBE_MULTI,
	WANT_RECURSION_GUARD,
	WANT_MAX,
};

static const struct {
	u32 kind;
	const char *name;
	const char *module; /* the module that a function belongs to */
} wanted[WANT_MAX] = {
	[BTF_TRACE_SETUP_CMD] = { BTF_KIND_TYPEDEF, "btf_trace_nvme_setup_cmd" },
	[BTF_TRACE_COMPLETE_RQ] = { BTF_KIND_TYPEDEF, "btf_trace_nvme_complete_rq" },
	[BTF_TRACE_SQ] = { BTF_KIND_TYPEDEF, "btf_trace_nvme_sq" },
	[BTF_TRACE_ASYNC_EVENT] = { BTF_KIND_TYPEDEF, "btf_trace_nvme_async_event" },
	[BTF_TRACE_RQ_INSERT] = { BTF_KIND_TYPEDEF, "btf_trace_block_rq_insert" },
	[BTF_TRACE_BIO_QUEUE] = { BTF_KIND_TYPEDEF, "btf_trace_block_bio_queue" },
	[BTF_TRACE_BIO_REMAP] = { BTF_KIND_TYPEDEF, "btf_trace_block_bio_remap" },
	[BTF_TRACE_BIO_COMPLETE] = { BTF_KIND_TYPEDEF, "btf_trace_block_bio_complete" },
	[BTF_TRACE_GETRQ] = { BTF_KIND_TYPEDEF, "btf_trace_block_getrq" },
	[BTF_TRACE_RQ_COMPLETE] = { BTF_KIND_TYPEDEF, "btf_trace_block_rq_complete" },
	[BTF_TRACE_RQ_REQUEUE] = { BTF_KIND_TYPEDEF, "btf_trace_block_rq_requeue" },
	[BTF_TRACE_RQ_ERROR] = { BTF_KIND_TYPEDEF, "btf_trace_block_rq_error" },
	[BTF_FUNC_INSERT_FLUSH] = { BTF_KIND_FUNC, "blk_insert_flush" },
	[BTF_FUNC_FLUSH_END_IO] = { BTF_KIND_FUNC, "flush_end_io" },
	[BTF_FUNC_FSYNC_RANGE] = { BTF_KIND_FUNC, "vfs_fsync_range" },
	[BTF_FUNC_FSYNC] = { BTF_KIND_FUNC, SYSCALL("fsync") },
	[BTF_FUNC_FDATASYNC] = { BTF_KIND_FUNC, SYSCALL("fdatasync") },
	[BTF_FUNC_SYNCFS] = { BTF_KIND_FUNC, SYSCALL("syncfs") },
	[BTF_FUNC_SYNC] = { BTF_KIND_FUNC, "ksys_sync" },
	[BTF_FUNC_DIRECT] = { BTF_KIND_FUNC, "iomap_dio_rw" },
	[BTF_FUNC_DISK_WRITE] = { BTF_KIND_FUNC, "blkdev_write_iter" },
	[BTF_FUNC_TIMEOUT_PCI] = { BTF_KIND_FUNC, "nvme_timeout", "nvme" },
	[BTF_FUNC_TIMEOUT_TCP] = { BTF_KIND_FUNC, "nvme_tcp_timeout", "nvme_tcp" },
	[BTF_FUNC_TIMEOUT_RDMA] = { BTF_KIND_FUNC, "nvme_rdma_timeout", "nvme_rdma" },
	[BTF_FUNC_TIMEOUT_FC] = { BTF_KIND_FUNC, "nvme_fc_timeout", "nvme_fc" },
	[BTF_FUNC_CHANGE_STATE] = { BTF_KIND_FUNC, "nvme_change_ctrl_state", "nvme_core" },
	[WANT_REQUEST] = { BTF_KIND_STRUCT, "request" },
	[WANT_NVME_REQUEST] = { BTF_KIND_STRUCT, "nvme_request" },
	[WANT_NS_INFO] = { BTF_KIND_STRUCT, "nvme_ns_info" },
	[WANT_NVME_CTRL] = { BTF_KIND_STRUCT, "nvme_ctrl" },
	[WANT_NVME_SETUP] = { BTF_KIND_FUNC, "nvme_setup_cmd" },
	[WANT_BIO] = { BTF_KIND_STRUCT, "bio" },
	[WANT_GENDISK] = { BTF_KIND_STRUCT, "gendisk" },
	[WANT_TASK] = { BTF_KIND_STRUCT, "task_struct" },
	[WANT_MD_RDEV] = { BTF_KIND_STRUCT, "md_rdev" },
	[WANT_MDDEV] = { BTF_KIND_STRUCT, "mddev" },
	[WANT_DM_TARGET_IO] = { BTF_KIND_STRUCT, "dm_target_io" },
	[WANT_DM_IO] = { BTF_KIND_STRUCT, "dm_io" },
	[WANT_DM_CRYPT_IO] = { BTF_KIND_STRUCT, "dm_crypt_io" },
	[WANT_MD_IO_CLONE] = { BTF_KIND_STRUCT, "md_io_clone" },
	[WANT_MD_IO_ACCT] = { BTF_KIND_STRUCT, "md_io_acct" },
	[WANT_R1BIO] = { BTF_KIND_STRUCT, "r1bio" },
	[WANT_R10BIO] = { BTF_KIND_STRUCT, "r10bio" },
	[WANT_KTHREAD] = { BTF_KIND_STRUCT, "kthread" },
	[WANT_REQ_FLAG_BITS] = { BTF_KIND_ENUM, "req_flag_bits" },
	[WANT_SUBSYS_ID] = { BTF_KIND_ENUM, "cgroup_subsys_id" },
	[WANT_RDONLY_CAST] = { BTF_KIND_FUNC, "bpf_rdonly_cast" },
	/* BPF_CMPXCHG (5ffa25502b5a, 5.12) left no name in BTF; this came in 5.13: 69c087ba6225. */
	[WANT_FOR_EACH_ELEM] = { BTF_KIND_FUNC, "bpf_for_each_map_elem" },
	[WANT_FTRACE_DIRECT] = { BTF_KIND_FUNC, "register_ftrace_direct" },
	[WANT_UPROBE_MULTI] = { BTF_KIND_STRUCT, "bpf_uprobe_multi_link" },
	/* The recursion guard of tracepoints (05b24ff9b2cf) made the kernel give it this name. */
	[WANT_RECURSION_GUARD] = { BTF_KIND_FUNC, "bpf_prog_inc_misses_counter" },
};

/* The files of a kernel. */
struct files {
	const char *dir;
	bool check; /* they must be the running kernel's */
	struct btf_types vmlinux; /* once it is read */
};

/* The types found in one BTF file: id 0 means that it is not there. */
struct found {
	const struct btf_types *types;
	const char *module; /* NULL: vmlinux */
	u32 id[WANT_MAX];
	s32 dying_bit; /* QUEUE_FLAG_DYING */
	bool zone_plugs; /* BIO_ZONE_WRITE_PLUGGING is there */
};

/* True when files of @dir may be of another kernel: only BTF_DIR is sure to be the running one's. */
static bool is_copy(const char *dir)
{
	return !streq(dir, BTF_DIR);
}

/* Returns the name at @offset, "" when it lies outside the file: a file may be broken. */
static const char *name_at(const struct btf_types *types, u32 offset)
{
	const char *name = btf_types_name(types, offset);

	return name ? name : "";
}

#define TYPE_DEPTH 8 /* bound for pointers and qualifiers around a type */

/* Reads an enum without name: those of queue flags and of bio flags have none. */
static void learn_flags(struct found *found, const struct btf_type *t)
{
	for (u32 i = 0; i < btf_vlen(t); i++) {
		const char *name = name_at(found->types, btf_enum(t)[i].name_off);

		if (streq(name, "QUEUE_FLAG_DYING"))
			found->dying_bit = btf_enum(t)[i].val;
		found->zone_plugs |= streq(name, "BIO_ZONE_WRITE_PLUGGING");
	}
}

#define WANTED_KINDS                                                                               \
	(BTF_KIND_BIT(TYPEDEF) | BTF_KIND_BIT(STRUCT) | BTF_KIND_BIT(ENUM) | BTF_KIND_BIT(FUNC))

static void find_name(struct found *found, u32 id, u32 kind, const char *name)
{
	for (u32 i = 0; i < WANT_MAX; i++) {
		if (kind == wanted[i].kind && streq(name, wanted[i].name))
			found->id[i] = id;
	}
}

static void find_types(struct found *found, const struct btf_types *types)
{
	struct btf_begins begins = { 0 };

	for (u32 i = 0; i < WANT_MAX; i++)
		*btf_begin(&begins, wanted[i].name) = true;
	found->types = types;
	for (u32 id = types->first; id < types->end; id++) {
		const struct btf_type *t = btf_types_own(types, id);
		u32 kind = btf_kind(t);
		const char *name;

		if (!(WANTED_KINDS & 1U << kind))
			continue;
		if (kind == BTF_KIND_ENUM && !t->name_off)
			learn_flags(found, t);
		name = name_at(types, t->name_off);
		if (*btf_begin(&begins, name))
			find_name(found, id, kind, name);
	}
}

/* Returns the type found, or NULL. */
static const struct btf_type *type_found(const struct found *found, u32 type)
{
	return btf_types_at(found->types, found->id[type]);
}

/* Byte offset of a direct member, or -1. */
static int member_offset(const struct found *found, u32 type, const char *member)
{
	const struct btf_type *t = type_found(found, type);

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		if (streq(name_at(found->types, btf_members(t)[i].name_off), member))
			return (int)(btf_member_bit_offset(t, i) / 8);
	}
	return -1;
}

/*
 * Returns the prototype of a tracepoint or function, or NULL. A tracepoint's first argument is its
 * own data pointer.
 */
static const struct btf_type *trace_proto(const struct found *found, u32 trace)
{
	const struct btf_type *t = type_found(found, trace);

	if (t)
		t = btf_types_at(found->types, t->type);
	if (t && btf_is_ptr(t))
		t = btf_types_at(found->types, t->type);
	if (!t || !btf_is_func_proto(t))
		return NULL;
	return btf_vlen(t) || wanted[trace].kind == BTF_KIND_FUNC ? t : NULL;
}

/* Returns the number of arguments, of a tracepoint less one, or -1 when the prototype is not there. */
static s8 trace_args(const struct found *found, u32 trace)
{
	const struct btf_type *proto = trace_proto(found, trace);

	if (!proto)
		return -1;
	return (s8)(btf_vlen(proto) - (wanted[trace].kind == BTF_KIND_TYPEDEF));
}

#define QUALIFIERS                                                                                 \
	(BTF_KIND_BIT(VOLATILE) | BTF_KIND_BIT(CONST) | BTF_KIND_BIT(RESTRICT) |                   \
	 BTF_KIND_BIT(TYPE_TAG))

/* Follows type @id through all types of @kinds around it. NULL: it is void, or not there. */
static const struct btf_type *unwrap(const struct btf_types *types, u32 id, u32 kinds)
{
	const struct btf_type *t = btf_types_at(types, id);

	for (int i = 0; t && i < TYPE_DEPTH && kinds & 1U << btf_kind(t); i++)
		t = btf_types_at(types, t->type);
	return t;
}

/* Adds ", struct request *" to @text. */
static void put_type(char text[BTF_TYPES], const struct btf_types *types, u32 id)
{
	static const char *const words[] = {
		[BTF_KIND_STRUCT] = "struct ", [BTF_KIND_ENUM] = "enum "
	};
	const struct btf_type *t = btf_types_at(types, id);
	const char *word = NULL;
	bool pointer = t && btf_is_ptr(t);
	size_t len = strlen(text);

	t = unwrap(types, id, BTF_KIND_BIT(PTR) | QUALIFIERS);
	if (t && btf_kind(t) < ARRAY_SIZE(words))
		word = words[btf_kind(t)];
	snprintf(text + len, BTF_TYPES - len, "%s%s%s%s", len ? ", " : "", word ? word : "",
		 t && t->name_off ? name_at(types, t->name_off) : "void", pointer ? " *" : "");
}

static void read_trace(struct kernel_features *features, const struct found *found, u32 trace)
{
	const struct btf_type *t = trace_proto(found, trace);

	features->args[trace] = trace_args(found, trace);
	features->id[trace] = found->id[trace];
	features->module[trace] = found->module;
	for (u32 i = wanted[trace].kind == BTF_KIND_TYPEDEF; t && i < btf_vlen(t); i++)
		put_type(features->types[trace], found->types, btf_params(t)[i].type);
}

static void read_traces(struct kernel_features *features, const struct found *found)
{
	for (u32 i = 0; i < BTF_TRACE_MAX; i++) {
		if (features->args[i] < 0)
			read_trace(features, found, i);
	}
}

/*
 * True when nvme_setup_cmd() is given a namespace and a request, and takes the place of the SQE
 * from the request (5.13: f4b9e6c90c57); before, transports gave it as a third argument.
 */
static bool sqe_in_request(const struct found *found)
{
	return trace_args(found, WANT_NVME_SETUP) == 2;
}

/* Takes the offsets of the driver when @found has every one of them. */
static void read_offsets(struct nvme_offsets *off, const struct found *found)
{
	int cmd = member_offset(found, WANT_NVME_REQUEST, "cmd");
	int result = member_offset(found, WANT_NVME_REQUEST, "result");
	int retries = member_offset(found, WANT_NVME_REQUEST, "retries");
	int status = member_offset(found, WANT_NVME_REQUEST, "status");
	int ctrl = member_offset(found, WANT_NVME_REQUEST, "ctrl");
	int instance = member_offset(found, WANT_NVME_CTRL, "instance");
	int set = member_offset(found, WANT_NVME_CTRL, "admin_tagset");
	int opts = member_offset(found, WANT_NVME_CTRL, "opts");

	if (cmd < 0 || result < 0 || retries < 0 || status < 0 || ctrl < 0 || instance < 0 ||
	    set < 0)
		return;
	*off = (struct nvme_offsets){
		.req_cmd = (u16)cmd,
		.req_result = (u16)result,
		.req_retries = (u16)retries,
		.req_status = (u16)status,
		.req_ctrl = (u16)ctrl,
		.ctrl_instance = (u16)instance,
		.ctrl_admin_tagset = (u16)set,
		.ctrl_opts = opts < 0 ? 0 : (u16)opts,
		.known = 1,
	};
}

/* md may be a module or built in. From 6.12 on it has no flush_bio. */
static void read_md(struct kernel_features *features, const struct found *found)
{
	int rdev_mddev = member_offset(found, WANT_MD_RDEV, "mddev");
	int flush_bio = member_offset(found, WANT_MDDEV, "flush_bio");
	int gendisk = member_offset(found, WANT_MDDEV, "gendisk");

	if (rdev_mddev < 0 || gendisk < 0)
		return;
	features->md_read = true;
	if (flush_bio >= 0)
		features->md = (struct md_offsets){
			.rdev_mddev = (u16)rdev_mddev,
			.flush_bio = (u16)flush_bio,
			.gendisk = (u16)gendisk,
			.known = 1,
		};
}

/*
 * Members by which a bio leads to the one that it was made for: see struct file_step. bi_private of
 * md's clone is NULL in 7.2. A mirror may write behind: such a write outlives the bio that it was
 * made for.
 */
static const struct {
	u32 type; /* WANT_... */
	const char *inside; /* NULL: bi_private points to the structure */
	const char *pointer; /* to the bio, or to a structure of next_type */
	u32 next_type;
	const char *next; /* to the bio, then */
	const char *unless; /* the pointer that has to be NULL */
} makers[BIO_MAKERS] = {
	[BIO_DM] = { WANT_DM_TARGET_IO, "clone", "io", WANT_DM_IO, "orig_bio", NULL },
	[BIO_DM_CRYPT] = { WANT_DM_CRYPT_IO, NULL, "base_bio", 0, NULL, NULL },
	[BIO_MD] = { WANT_MD_IO_CLONE, "bio_clone", "orig_bio", 0, NULL, NULL },
	[BIO_MD_OLD] = { WANT_MD_IO_ACCT, "bio_clone", "orig_bio", 0, NULL, NULL },
	[BIO_RAID1] = { WANT_R1BIO, NULL, "master_bio", 0, NULL, "behind_master_bio" },
	[BIO_RAID10] = { WANT_R10BIO, NULL, "master_bio", 0, NULL, NULL },
};

/* Offset of a member, 0 without a name for it. */
static u16 step_offset(const struct found *found, u32 type, const char *member, bool *all)
{
	int at = member ? member_offset(found, type, member) : 0;

	*all &= at >= 0;
	return (u16)at;
}

static void read_step(struct kernel_features *features, const struct found *found, u32 maker)
{
	u32 type = makers[maker].type, next = makers[maker].next_type;
	bool all = true;
	struct file_step step = {
		.inside = step_offset(found, type, makers[maker].inside, &all),
		.hops = next ? 2 : 1,
		.at[0] = step_offset(found, type, makers[maker].pointer, &all),
		.at[1] = step_offset(found, next, makers[maker].next, &all),
		.unless = step_offset(found, type, makers[maker].unless, &all),
	};

	if (!all)
		return;
	step.known = 1;
	features->step[maker] = step;
}

static void read_steps(struct kernel_features *features, const struct found *found)
{
	features->step[BIO_SPLIT].known = 1; /* bi_private is the other bio */
	for (u32 i = BIO_DM; i < BIO_MAKERS; i++)
		read_step(features, found, i);
}

static void learn_retry(struct btf_retry *retry, const char *name, u32 bit)
{
	if (has_prefix(name, "__REQ_FAILFAST_"))
		retry->failfast_mask |= 1U << (bit & 31);
	else if (streq(name, "__REQ_DRV"))
		retry->multipath_mask = 1U << (bit & 31);
}

/* Reads enum req_flag_bits. */
static void read_flags(struct kernel_features *features, const struct found *found)
{
	const struct btf_type *t = type_found(found, WANT_REQ_FLAG_BITS);

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_enum *e = &btf_enum(t)[i];
		const char *name = name_at(found->types, e->name_off);

		reqflags_learn(&features->flags, name, (u32)e->val);
		learn_retry(&features->retry, name, (u32)e->val);
	}
}

/* The index of the io controller among those of cgroups; IO_CSS_NONE: the kernel has none. */
static u8 io_css(const struct found *found)
{
	const struct btf_type *t = type_found(found, WANT_SUBSYS_ID);

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		if (streq(name_at(found->types, btf_enum(t)[i].name_off), "io_cgrp_id"))
			return (u8)btf_enum(t)[i].val;
	}
	return IO_CSS_NONE;
}

/*
 * True when block_rq_complete gives an errno: then its second argument is an int; a blk_status_t is
 * a byte.
 */
static bool block_errno(const struct found *found)
{
	const struct btf_type *proto = trace_proto(found, BTF_TRACE_RQ_COMPLETE), *t = NULL;

	if (proto && btf_vlen(proto) > 2)
		t = unwrap(found->types, btf_params(proto)[2].type,
			   BTF_KIND_BIT(TYPEDEF) | QUALIFIERS);
	return t && btf_is_int(t) && t->size == sizeof(int);
}

/*
 * Takes the layout that was measured on 5.10.223, where modules have no BTF. The controller's
 * instance is out of reach there.
 */
static void assume_5_10(struct nvme_offsets *off)
{
	*off = (struct nvme_offsets){
		.req_cmd = 0,
		.req_result = 8,
		.req_retries = 17,
		.req_status = 20,
		.req_ctrl = 24,
	};
}

/* Returns the size of struct request, 0 when it is not there. */
static u32 read_vmlinux(struct kernel_features *features, const struct btf_types *vmlinux)
{
	struct found found = { .dying_bit = 1 }; /* before 6.10 the flags were macros */
	const struct btf_type *request;

	find_types(&found, vmlinux);
	request = type_found(&found, WANT_REQUEST);
	read_traces(features, &found);
	read_flags(features, &found);
	features->retry.dying_bit = (u8)found.dying_bit;
	read_offsets(&features->off, &found);
	features->nvme_built_in = features->off.known;
	read_md(features, &found);
	read_steps(features, &found);
	features->sqe_in_request = sqe_in_request(&found);
	features->late_identify = found.id[WANT_NS_INFO] != 0;
	features->rdonly_cast = found.id[WANT_RDONLY_CAST];
	features->cmpxchg = found.id[WANT_FOR_EACH_ELEM] != 0;
	features->ftrace_direct = found.id[WANT_FTRACE_DIRECT] != 0;
	features->many_args = found.id[WANT_UPROBE_MULTI] != 0;
	features->comm_padded = member_offset(&found, WANT_KTHREAD, "full_name") >= 0;
	features->recursion_guard = found.id[WANT_RECURSION_GUARD] != 0;
	features->block_errno = block_errno(&found);
	features->io_css = io_css(&found);
	/* The series dd291d77cc90 to 97abee507b4b both added the flag and renumbered statuses. */
	features->block_6_10 = found.zone_plugs;
	features->stack_area = member_offset(&found, WANT_TASK, "stack_vm_area") >= 0;
	features->bio_issue = member_offset(&found, WANT_BIO, "bi_issue") >= 0;
	features->zone_plugs = member_offset(&found, WANT_GENDISK, "zone_wplugs_hash") >= 0;
	return request ? request->size : 0;
}

/*
 * 0 when @types, of file @name, may be read as those of the running kernel. A user who lacks our
 * privileges could have us read any memory by a file that cannot be told to be the kernel's.
 */
static int admit(struct kernel_features *features, const struct btf_types *types, const char *name)
{
	enum btf_origin origin = btf_types_origin(types, name);

	if (origin == BTF_OWN || (origin == BTF_UNKNOWN && !env_raised()))
		return 0;
	features->refused = name;
	return origin == BTF_FOREIGN ? -ESTALE : -EPERM;
}

static void take_module(struct kernel_features *features, const char *name,
			const struct btf_types *types)
{
	struct found found = { .module = name };

	find_types(&found, types);
	read_traces(features, &found);
	if (!features->off.known)
		read_offsets(&features->off, &found);
	read_md(features, &found);
	read_steps(features, &found);
	features->late_identify |= found.id[WANT_NS_INFO] != 0;
	features->sqe_in_request |= sqe_in_request(&found);
}

/* A file that cannot be read, or that a raised process cannot check, is as none. 0 or -ESTALE. */
static int read_module(struct kernel_features *features, const char *name, const char *path,
		       const struct files *files)
{
	struct btf_types module;
	int err = 0;

	if (btf_types_read(&module, path, &files->vmlinux))
		return 0;
	if (files->check)
		err = admit(features, &module, name);
	if (!err)
		take_module(features, name, &module);
	btf_types_free(&module);
	return err == -ESTALE ? err : 0;
}

static int read_modules(struct kernel_features *features, const struct files *files)
{
	static const char *const modules[] = { "nvme_core", "nvme",    "nvme_tcp", "nvme_rdma",
					       "nvme_fc",   "md_mod",  "raid1",	   "raid10",
					       "dm_mod",    "dm_crypt" };
	char path[PATH_MAX];
	int err = 0;

	for (u32 i = 0; !err && i < ARRAY_SIZE(modules); i++) {
		snprintf(path, sizeof(path), "%s/%s", files->dir, modules[i]);
		if (access(path, R_OK) == 0)
			err = read_module(features, modules[i], path, files);
	}
	return err;
}

/*
 * Makes offsets in struct nvme_request count from the start of struct request, which lies in front
 * of it.
 */
static void count_from_request(struct nvme_offsets *off, u32 request_bytes)
{
	off->req_cmd += request_bytes;
	off->req_result += request_bytes;
	off->req_retries += request_bytes;
	off->req_status += request_bytes;
	off->req_ctrl += request_bytes;
}

/* Reads vmlinux, and checks it where @files says so. 0 or -errno; after an error nothing is held. */
static int open_vmlinux(struct kernel_features *features, struct files *files)
{
	struct btf_types *vmlinux = &files->vmlinux;
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/vmlinux", files->dir);
	err = is_copy(files->dir) ? btf_types_read(vmlinux, path, NULL)
				  : btf_types_read_kernel(vmlinux, path);
	if (err || !files->check)
		return err;
	err = admit(features, vmlinux, "vmlinux");
	if (err)
		btf_types_free(vmlinux);
	return err;
}

static int read_all(struct kernel_features *features, struct files *files, struct btf_types *types)
{
	u32 request_bytes;
	int err;

	memset(features, 0, sizeof(*features));
	memset(features->args, -1, sizeof(features->args));
	reqflags_init(&features->flags);
	assume_5_10(&features->off);

	err = open_vmlinux(features, files);
	if (err)
		return err;
	request_bytes = read_vmlinux(features, &files->vmlinux);
	err = read_modules(features, files);
	count_from_request(&features->off, request_bytes);
	if (!err && types)
		*types = files->vmlinux;
	else
		btf_types_free(&files->vmlinux);
	return err;
}

int features_read(struct kernel_features *features, const char *dir, struct btf_types *types)
{
	return read_all(features, &(struct files){ .dir = dir ? dir : BTF_DIR }, types);
}

int features_read_own(struct kernel_features *features, const char *dir, struct btf_types *types)
{
	dir = dir ? dir : BTF_DIR;
	return read_all(features, &(struct files){ .dir = dir, .check = is_copy(dir) }, types);
}

/*
 * Programs can always be attached to functions on x86-64. register_ftrace_direct() does not show
 * it: 5.10 has the function, but not in its BTF.
 */
#ifdef __x86_64__
#define FUNCTIONS_ALWAYS true
#else
#define FUNCTIONS_ALWAYS false
#endif

const char *features_trace_name(enum btf_trace trace)
{
	const char *name = wanted[trace].name;

	return name + (has_prefix(name, "btf_trace_") ? strlen("btf_trace_") : 0);
}

bool features_trace_function(enum btf_trace trace)
{
	return wanted[trace].kind == BTF_KIND_FUNC;
}

const char *features_trace_module(enum btf_trace trace)
{
	return wanted[trace].module;
}

#define FEW_ARGS 6 /* that registers hold on x86-64 */

bool features_trace_applies(const struct kernel_features *features, enum btf_trace trace)
{
	char path[64];

	if (features->args[trace] > FEW_ARGS && !features->many_args)
		return false;
	if (!wanted[trace].module || features->args[trace] >= 0)
		return true;
	snprintf(path, sizeof(path), "/sys/module/%s", wanted[trace].module);
	return access(path, F_OK) == 0;
}

bool features_trace_there(const struct kernel_features *features, enum btf_trace trace, bool tp_btf)
{
	if (wanted[trace].module)
		return tp_btf && features->ftrace_direct && features->args[trace] >= 0;
	if (wanted[trace].kind == BTF_KIND_FUNC)
		return (features->ftrace_direct || FUNCTIONS_ALWAYS) && features->args[trace] >= 0;
	if (!features->off.known && trace < BTF_TRACE_RQ_INSERT)
		return true;
	return features->args[trace] >= 0;
}
