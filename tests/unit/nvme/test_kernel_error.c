// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines that the kernel's driver logs for failed commands, spelled out. */
#include "lib/nvme/kernel_error.h"
#include "tests/unit/test.h"

static void check(const struct kernel_error *e, const char *want)
{
	char text[KERNEL_ERROR_MAX];

	kernel_error_text(text, sizeof(text), e);
	assert_string_equal(text, want);
}

TEST(io)
{
	struct kernel_error e = {
		.cmd = { .opcode = nvme_cmd_read,
			 .nsid = 1,
			 .cdw = { 1000, 1, 7 },
			 .set = NVME_SET_IO },
		.disk = "nvme0c1n1",
		.ctrl = "nvme1",
		.status = 0x281,
	};

	check(&e,
	      "nvme0c1n1: Read(0x2) @ LBA 4294968296, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) ");
	e.status = 0x6080;
	e.cmd.opcode = nvme_cmd_write_zeroes;
	check(&e, "nvme0c1n1: Write Zeros(0x8) @ LBA 4294968296, 8 blocks, LBA Out of Range "
		  "(sct 0x0 / sc 0x80) MORE DNR ");
	e.status = 0x7ff;
	e.cmd.opcode = nvme_cmd_flush;
	check(&e, "nvme0c1n1: Flush(0x0) @ LBA 0, 0 blocks, Vendor Specific (sct 0x7 / sc 0xff) ");
	e.status = 0x4001;
	e.cmd.opcode = 0xc5;
	check(&e,
	      "nvme0c1n1: Unknown(0xc5) @ LBA 0, 0 blocks, Invalid Command Opcode (sct 0x0 / sc 0x1) DNR ");
}

TEST(admin)
{
	struct kernel_error e = {
		.cmd = { .opcode = nvme_admin_get_log_page, .set = NVME_SET_ADMIN },
		.disk = "",
		.ctrl = "nvme3",
		.status = 0x4109,
	};

	check(&e, "nvme3: Get Log Page(0x2), Invalid Log Page (sct 0x1 / sc 0x9) DNR ");
	e.status = NVME_SC_FW_NEEDS_RESET;
	check(&e,
	      "nvme3: Get Log Page(0x2), Firmware Activation Requires Reset (sct 0x1 / sc 0x11) ");
}
