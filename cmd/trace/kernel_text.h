// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the text that the kernel's own nvme tracepoints print, so that tools that read trace_pipe
 * keep working: that of Linux 7.2 (drivers/nvme/host/trace.c and trace.h), whatever kernel the
 * events come from. Older ones write some of it otherwise: before 6.12 they name fewer opcodes, put
 * zone actions as numbers and do not decode reservations; before 6.16 these have no words.
 */
#ifndef NVT_TRACE_KERNEL_TEXT_H
#define NVT_TRACE_KERNEL_TEXT_H

#include "lib/nvme/decode.h"

/* Members of the events; disk is NULL or "" for a queue without a disk. */
struct kernel_text_setup {
	struct nvme_cmd_view cmd; /* set is not used: the kernel goes by qid and opcode */
	const char *disk;
	int ctrl, qid;
	u16 cid;
	bool meta; /* the request carries integrity metadata */
};

struct kernel_text_complete {
	const char *disk;
	u64 result;
	int ctrl, qid;
	u32 cid;
	u16 status;
	u8 retries, flags; /* of struct nvme_request */
};

/*
 * Each writes what follows `nvme_setup_cmd: ` and so on in trace_pipe, without a newline, to buf
 * and returns the length, at most size - 1. KERNEL_TEXT_MAX bytes hold any line.
 */
#define KERNEL_TEXT_MAX 384
size_t kernel_text_setup(char *buf, size_t size, const struct kernel_text_setup *ev);
size_t kernel_text_complete(char *buf, size_t size, const struct kernel_text_complete *ev);
size_t kernel_text_aen(char *buf, size_t size, int ctrl, u32 result);

struct kernel_text_sq {
	const char *disk;
	int ctrl, qid;
	u16 head, tail;
};

size_t kernel_text_sq(char *buf, size_t size, const struct kernel_text_sq *ev);

#endif
