// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The records that `pattern` sends through its ring, one for each command that passed the filter:
 * a third of struct event, or a tenth.
 *
 * User space puts them in time order and follows the streams: state that CPUs share would need
 * bpf_spin_lock(), which tracing programs may not take.
 */
#ifndef NVT_SHARED_PATTERN_H
#define NVT_SHARED_PATTERN_H

#include "bpf/shared/keys.h"
#include "bpf/shared/wire.h"

/* Set before load, section .rodata.pattern. */
struct pattern_cfg {
	u32 by; /* bits 1 << enum key */
};
WIRE_SIZE(struct pattern_cfg, 4);

/* Keys that struct pattern_record tells. For any other one its row's key is sent along. */
#define PATTERN_BY_RECORD                                                                          \
	(KEYS_QUEUE | 1 << KEY_NS | 1 << KEY_SIZE | 1 << KEY_STATUS | 1 << KEY_HOST)

struct pattern_record {
	u64 ts_ns; /* submission, or completion with --at complete */
	u64 lba; /* dwords 10 and 11 */
	u32 bytes; /* data transferred */
	u32 nsid; /* of the SQE */
	u16 queue; /* index of struct queue_info */
	u16 qid;
	u16 nlb; /* lower half of dword 12: blocks, less one */
	u16 status; /* 15 bits, NEED_STATUS */
	u8 kind; /* EVENT_SUBMIT or EVENT_IO */
	u8 flags; /* EVENT_ADMIN */
	u8 opcode, fctype;
	u32 pad;
};
WIRE_SIZE(struct pattern_record, 40);

/*
 * The record of a read or write at its submission, where only its place is asked for: the queue
 * tells the rest.
 */
struct pattern_fast_record {
	u64 ts_ns;
	u64 sector; /* of 512 bytes, as the request has it */
	u32 bytes;
	u16 queue;
	u8 opcode;
	u8 pad;
};
WIRE_SIZE(struct pattern_fast_record, 24);

/* The record where a key is asked for that is not in PATTERN_BY_RECORD. */
struct pattern_key_record {
	struct pattern_record io;
	struct kernel_key key; /* those keys alone */
};
WIRE_SIZE(struct pattern_key_record, 40 + sizeof(struct kernel_key));

#endif
