// SPDX-License-Identifier: GPL-2.0-or-later
/* The line that the kernel's driver logs for a command that failed for good (nvme_log_error). */
#ifndef NVT_NVME_KERNEL_ERROR_H
#define NVT_NVME_KERNEL_ERROR_H

#include "lib/nvme/decode.h"

struct kernel_error {
	struct nvme_cmd_view cmd;
	const char *disk; /* of the namespace's queue; an admin command's is not read */
	const char *ctrl; /* "nvme0" */
	u16 status;
};

/*
 * Writes the line to @buf as a kernel with CONFIG_NVME_VERBOSE_ERRORS logs it, names included,
 * whether or not the running kernel has that option.
 */
#define KERNEL_ERROR_MAX 320
void kernel_error_text(char *buf, size_t size, const struct kernel_error *e);

#endif
