// SPDX-License-Identifier: GPL-2.0-or-later
/* The driver's error line, byte for byte, the blank at its end included. */
#include "lib/nvme/kernel_error.h"

#include <inttypes.h>
#include <stdio.h>

static const char *title_of(enum nvme_set set, u8 opcode)
{
	const struct nvme_opcode *o = nvme_opcode_of(set, opcode);

	return o && o->title && *o->title ? o->title : "Unknown";
}

/* The driver looks up bits 10:0 alone, and has one meaning for each value, whatever the command. */
static const char *status_of(u16 status)
{
	const char *name;

	switch (status & 0x7ff) {
#define KERNEL_STATUS(id, text)                                                                    \
	case NVME_SC_##id:                                                                         \
		return text;
#include "lib/nvme/kernel_status.def"
#undef KERNEL_STATUS
	default:
		name = nvme_status_name(status, NVME_SET_IO);
		return name ? name : "Unknown";
	}
}

void kernel_error_text(char *buf, size_t size, const struct kernel_error *e)
{
	const struct nvme_cmd_view *cmd = &e->cmd;
	bool io = cmd->set == NVME_SET_IO, lba = io && nvme_cmd_has_lba(cmd);
	char where[80] = "";

	if (io)
		snprintf(where, sizeof(where), " @ LBA %" PRIu64 ", %u blocks",
			 lba ? nvme_cmd_slba(cmd) : 0, lba ? nvme_cmd_nlb(cmd) : 0);
	snprintf(buf, size, "%s: %s(0x%x)%s, %s (sct 0x%x / sc 0x%x) %s%s", io ? e->disk : e->ctrl,
		 title_of(io ? NVME_SET_IO : NVME_SET_ADMIN, cmd->opcode), cmd->opcode, where,
		 status_of(e->status), nvme_sct(e->status), nvme_sc(e->status),
		 nvme_more(e->status) ? "MORE " : "", nvme_dnr(e->status) ? "DNR " : "");
}
