// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A record that `trace` sends through its ring beside struct event: it has room for most commands,
 * in three quarters of the bytes.
 */
#ifndef NVT_SHARED_TRACE_H
#define NVT_SHARED_TRACE_H

#include "bpf/shared/wire.h"

/*
 * A read or write that succeeded at its first attempt: with what its queue tells all of an
 * EVENT_IO. It begins at `sector`, of which the driver makes the SLBA: blocks are as many bytes as
 * the NLB in dword 12 says of `bytes` (nvme_setup_rw()).
 */
struct trace_fast_record {
	u64 ts_ns; /* completion */
	u64 submit_ns;
	u64 sector; /* of 512 bytes, as the request has it */
	u64 result; /* NEED_RESULT */
	u64 cgroup_id; /* NEED_CGROUP */
	u32 cdw12_15[4];
	u32 cmd_flags; /* the opcode, too */
	u16 cid, submit_cpu; /* the CPUs: NEED_CPU */
	u32 pid, tid;
	char comm[WIRE_COMM];
	u32 bytes;
	u16 queue; /* index of struct queue_info */
	u16 tag;
	u16 complete_cpu;
	u8 worker;
	u8 pad[5];
};
WIRE_SIZE(struct trace_fast_record, 104);

#endif
