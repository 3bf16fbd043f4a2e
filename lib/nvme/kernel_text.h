// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the text that the kernel's own nvme tracepoints print, so that tools that read trace_pipe
 * keep working.
 */
#ifndef NVT_NVME_KERNEL_TEXT_H
#define NVT_NVME_KERNEL_TEXT_H

#include "lib/nvme/decode.h"

/*
 * Forms of the text, named after the kernel that each was compared with: Debian's 6.1.192, 6.12.117
 * and 7.2.13 (drivers/nvme/host/trace.c and trace.h). 6_12 names more opcodes and zone actions and
 * decodes reservations; 7_2 puts reservation actions and types in words.
 */
enum kernel_text_form {
	KERNEL_TEXT_6_1,
	KERNEL_TEXT_6_12,
	KERNEL_TEXT_7_2,
};

/*
 * Returns the form for a kernel release as uname gives it ("6.1.0-31-amd64"): below 6.12 the first,
 * below 6.16 the second, else the last. A text that is no release gets the last form, too.
 */
enum kernel_text_form kernel_text_form_of(const char *release);

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
size_t kernel_text_setup(char *buf, size_t size, enum kernel_text_form form,
			 const struct kernel_text_setup *ev);
size_t kernel_text_complete(char *buf, size_t size, const struct kernel_text_complete *ev);
size_t kernel_text_aen(char *buf, size_t size, int ctrl, u32 result);

struct kernel_text_sq {
	const char *disk;
	int ctrl, qid;
	u16 head, tail;
};

size_t kernel_text_sq(char *buf, size_t size, const struct kernel_text_sq *ev);

/* The kernel's name of a command ("nvme_cmd_read"), or NULL where it prints a number. */
const char *kernel_text_opcode(enum kernel_text_form form, enum nvme_set set, u8 code);

#endif
