// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Shared by the programs of `errors` and its user side. */
#ifndef NVT_SHARED_ERRORS_H
#define NVT_SHARED_ERRORS_H

#include "bpf/shared/wire.h"

enum errors_flag {
	ERRORS_COUNT_OK = 1 << 0, /* successes without an event are counted in map `successes` */
	ERRORS_SHOW_OK = 1 << 1, /* successes have an event as well */
};

/* Set before load. */
struct errors_cfg {
	u64 notable_mask; /* of rq_status_word(): a failure, or a success after a retry where that was asked for */
	u32 flags; /* enum errors_flag */
	u32 failfast_mask; /* REQ_FAILFAST_* of the running kernel */
	u32 multipath_mask; /* REQ_NVME_MPATH */
	u8 max_retries; /* nvme_core.max_retries */
	u8 dying_bit; /* QUEUE_FLAG_DYING */
	u16 pad;
};
WIRE_SIZE(struct errors_cfg, 24);

/* Value of map `successes`, by queue: commands by opcode, then fabrics commands by type. */
struct errors_successes {
	u64 opcode[256], fctype[256];
};
WIRE_SIZE(struct errors_successes, 4096);

#endif
