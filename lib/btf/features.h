// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's own type information (BTF) says: where fields of nvme_core lie, which
 * tracepoints and functions exist. Read from files, which need no privilege, so nothing here
 * depends on kernel versions.
 *
 * The files are searched in one pass. Programs are relocated by vmlinux's types too, see
 * lib/loader/btf.h.
 */
#ifndef NVT_BTF_FEATURES_H
#define NVT_BTF_FEATURES_H

#include "bpf/shared/wire.h"
#include "lib/nvme/reqflags.h"

struct btf_types;

#define BTF_DIR "/sys/kernel/btf"

/* Tracepoints and functions that programs attach to. */
enum btf_trace {
	BTF_TRACE_SETUP_CMD,
	BTF_TRACE_COMPLETE_RQ,
	BTF_TRACE_SQ,
	BTF_TRACE_ASYNC_EVENT,
	BTF_TRACE_RQ_INSERT,
	BTF_TRACE_BIO_QUEUE,
	BTF_TRACE_BIO_REMAP,
	BTF_TRACE_BIO_COMPLETE,
	BTF_TRACE_GETRQ,
	BTF_TRACE_RQ_COMPLETE,
	BTF_TRACE_RQ_REQUEUE,
	BTF_TRACE_RQ_ERROR, /* 5.18: d5869fdc189f */
	BTF_FUNC_INSERT_FLUSH,
	BTF_FUNC_TIMEOUT_PCI, /* each transport's handler, in its own module */
	BTF_FUNC_TIMEOUT_TCP,
	BTF_FUNC_TIMEOUT_RDMA,
	BTF_FUNC_TIMEOUT_FC,
	BTF_FUNC_CHANGE_STATE, /* of a controller */
	BTF_TRACE_MAX,
};

#define BTF_TYPES 72 /* longer ones are cut */

/* What decides whether a failed command is tried again. */
struct btf_retry {
	u32 failfast_mask; /* the REQ_FAILFAST_* of request->cmd_flags */
	u32 multipath_mask; /* REQ_NVME_MPATH there */
	u8 dying_bit; /* QUEUE_FLAG_DYING of request_queue->queue_flags */
};

struct kernel_features {
	struct nvme_offsets off; /* known = 0: no BTF of nvme_core, the layout of Debian's 5.10 */
	struct req_flags flags;
	struct btf_retry retry;
	s8 args[BTF_TRACE_MAX]; /* arguments (of a function less one), -1: not in BTF */
	u32 id[BTF_TRACE_MAX]; /* of its type, as the kernel counts them; 0: not in BTF */
	const char *module[BTF_TRACE_MAX]; /* where that is ("nvme_core"), NULL: vmlinux */
	char types[BTF_TRACE_MAX][BTF_TYPES]; /* of its arguments: "struct request *, bool" */
	bool block_errno; /* block_rq_complete gives an errno, not a blk_status_t (before 5.16) */
	bool comm_padded; /* struct kthread has a full_name (d6986ce24fc0): see probe_pads_comm() */
	bool block_6_10; /* statuses of the block layer are numbered as since 6.10, see lib/nvme/blkstatus.def */
	bool nvme_built_in; /* the driver's types are in vmlinux */
	bool late_identify; /* struct nvme_ns_info is there: a namespace is identified once it has a queue (6.0) */
	u32 rdonly_cast; /* id of kfunc bpf_rdonly_cast, 6.2 and newer; 0: not there */
	bool ftrace_direct; /* functions can be attached to by BTF; on arm64 6.4 and newer */
	bool recursion_guard; /* a program of a tracepoint does not run inside itself (6.1, and where that was backported) */
	bool bio_issue; /* bio.bi_issue, when the bio entered the block layer; 7.2 has none */
};

/*
 * Reads DIR/vmlinux and, where they are there, DIR/nvme_core and those of the transports; @dir NULL
 * is BTF_DIR. @types gets the types of vmlinux, the caller's to free by btf_types_free(), unless it
 * is NULL. 0, or the -errno of reading vmlinux (-ENOENT: no such file), nothing printed, @types as
 * it was. A missing or unreadable nvme_core is not an error: see off.known.
 */
int features_read(struct kernel_features *features, const char *dir, struct btf_types *types);

/*
 * The same for the running kernel: -ESTALE when @dir is of another one, as far as that can be told:
 * by /sys/kernel/btf, or by the kernel itself since 5.11, with CAP_SYS_ADMIN. In a process with
 * NVMETOOL_BTF=any (tests) every one will do.
 */
int features_read_own(struct kernel_features *features, const char *dir, struct btf_types *types);

/* The tracepoint's or function's name: "nvme_setup_cmd". */
const char *features_trace_name(enum btf_trace trace);

/*
 * The module that a function belongs to ("nvme_tcp"); NULL: a tracepoint, or a function of the
 * kernel itself.
 */
const char *features_trace_module(enum btf_trace trace);

/* False for the function of a transport that is not in use: neither loaded nor in BTF. */
bool features_trace_applies(const struct kernel_features *features, enum btf_trace trace);

/*
 * True when programs can be put there. @tp_btf: by BTF, as functions ask for. Where nothing of the
 * driver is in BTF its tracepoints are taken to be there: attaching will tell.
 */
bool features_trace_there(const struct kernel_features *features, enum btf_trace trace,
			  bool tp_btf);

#endif
