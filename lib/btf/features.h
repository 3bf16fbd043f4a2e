// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel features, read from the kernel's own type information (BTF): where fields of nvme_core
 * lie, which tracepoints and functions exist. Reading the files needs no privilege, and nothing
 * here depends on kernel versions.
 *
 * The files are searched in one pass. libbpf relocates programs by vmlinux's types too, see
 * lib/loader/btf.h.
 */
#ifndef NVT_BTF_FEATURES_H
#define NVT_BTF_FEATURES_H

#include "bpf/shared/file.h"
#include "bpf/shared/md.h"
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
	BTF_FUNC_FLUSH_END_IO,
	BTF_FUNC_FSYNC_RANGE,
	BTF_FUNC_FSYNC,
	BTF_FUNC_FDATASYNC,
	BTF_FUNC_SYNCFS,
	BTF_FUNC_SYNC,
	BTF_FUNC_DIRECT,
	BTF_FUNC_DISK_WRITE,
	BTF_FUNC_TIMEOUT_PCI, /* each transport's handler, in its own module */
	BTF_FUNC_TIMEOUT_TCP,
	BTF_FUNC_TIMEOUT_RDMA,
	BTF_FUNC_TIMEOUT_FC,
	BTF_FUNC_CHANGE_STATE, /* of a controller */
	BTF_TRACE_MAX,
};

/* Who makes bios for others. */
enum bio_maker {
	BIO_SPLIT, /* the block layer */
	BIO_DM,
	BIO_DM_CRYPT,
	BIO_MD, /* 6.5; its name before is BIO_MD_OLD */
	BIO_MD_OLD,
	BIO_RAID1,
	BIO_RAID10,
	BIO_MAKERS
};

#define BTF_TYPES 72 /* longer ones are cut */

/* Values by which the driver decides whether a failed command is tried again. */
struct btf_retry {
	u32 failfast_mask; /* the REQ_FAILFAST_* of request->cmd_flags */
	u32 multipath_mask; /* REQ_NVME_MPATH there */
	u8 dying_bit; /* QUEUE_FLAG_DYING of request_queue->queue_flags */
};

struct kernel_features {
	struct nvme_offsets off; /* known = 0: no BTF of nvme_core, the layout of Debian's 5.10 */
	struct md_offsets md;
	bool md_read; /* md has BTF: where md.known is 0, its flushes have no such bio */
	struct file_step step[BIO_MAKERS]; /* from a bio to what it was made for; without .end */
	struct req_flags flags;
	struct btf_retry retry;
	s8 args[BTF_TRACE_MAX]; /* number of arguments, -1: not in BTF */
	u32 id[BTF_TRACE_MAX]; /* BTF id of its type; 0: not in BTF */
	const char *module[BTF_TRACE_MAX]; /* whose BTF has it ("nvme_core"), NULL: vmlinux */
	char types[BTF_TRACE_MAX][BTF_TYPES]; /* types of its arguments: "struct request *, bool" */
	bool block_errno; /* block_rq_complete gives an errno, not a blk_status_t (before 5.16) */
	bool comm_padded; /* struct kthread has full_name (d6986ce24fc0), see probe_pads_comm() */
	bool block_6_10; /* block statuses are numbered as in 6.10: blkstatus.def */
	bool nvme_built_in; /* the driver's types are in vmlinux */
	bool sqe_in_request; /* 5.13: nvme_request.cmd leads to the SQE of every command */
	bool late_identify; /* 6.0: a namespace has its queue before it is identified */
	u8 io_css; /* index of the io controller in struct css_set, IO_CSS_NONE */
	u32 rdonly_cast; /* id of kfunc bpf_rdonly_cast, 6.2 and newer; 0: not there */
	bool cmpxchg; /* 5.13: programs may compare and swap; 5.12 has it, and does not tell */
	bool ftrace_direct; /* programs can attach to functions by BTF; on arm64 from 6.4 on */
	bool many_args; /* 6.6, which came with uprobe_multi: or functions have no more arguments than registers hold */
	bool recursion_guard; /* 6.1: a program on a tracepoint never runs inside itself */
	const char *refused; /* the file that features_read_own() did not take: "nvme_core" */
	bool stack_area; /* task_struct.stack_vm_area is there, which tells the size of the stack */
	bool zone_plugs; /* 6.10: writes to a zone wait in its plug: see bpf/plug.h */
	bool bio_issue; /* bio.bi_issue is there, the time at which the bio came; gone in 7.2 */
};

/*
 * Reads @dir/vmlinux and, where they exist, the files of nvme_core and the transports; @dir NULL is
 * BTF_DIR. @types, unless NULL, gets the types of vmlinux, for the caller to free with
 * btf_types_free(). 0, or the -errno of reading vmlinux (-ENOENT: no such file), with nothing
 * printed and @types untouched. A missing or unreadable nvme_core is no error, see off.known.
 */
int features_read(struct kernel_features *features, const char *dir, struct btf_types *types);

/*
 * The same, but -ESTALE when a file in @dir is of another kernel than the running one, see
 * features->refused. That is told by /sys/kernel/btf, or with CAP_SYS_ADMIN since 5.11 by the
 * kernel itself. Where it cannot be told, @dir is taken; but in a process with capabilities of its
 * file (env_raised()) a file of a module is left out then, and for vmlinux it is -EPERM.
 */
int features_read_own(struct kernel_features *features, const char *dir, struct btf_types *types);

/* Returns the name of a tracepoint or function: "nvme_setup_cmd". */
const char *features_trace_name(enum btf_trace trace);

/* True for a function, false for a tracepoint. */
bool features_trace_function(enum btf_trace trace);

/*
 * Returns the module that a function belongs to ("nvme_tcp"); NULL for a tracepoint and for a
 * function of vmlinux.
 */
const char *features_trace_module(enum btf_trace trace);

/*
 * False for a function of a transport that is not in use: its module is not loaded and has no BTF.
 */
bool features_trace_applies(const struct kernel_features *features, enum btf_trace trace);

/*
 * True when programs can attach there. @tp_btf: they attach by BTF, as those on functions must.
 * Where BTF has nothing of the driver, its tracepoints are taken to exist: attaching will tell.
 */
bool features_trace_there(const struct kernel_features *features, enum btf_trace trace,
			  bool tp_btf);

#endif
