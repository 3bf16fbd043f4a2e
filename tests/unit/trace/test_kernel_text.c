// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines as the kernel's tracepoints print them, spelled out from trace.c and trace.h of Linux 7.2.
 */
#include "lib/base/str.h"
#include "cmd/trace/kernel_text.h"
#include "tests/unit/test.h"

/* A command and the text behind `cmd=(`; qid 0 is an admin command. */
struct command_case {
	int qid;
	u8 opcode, fctype;
	u32 cdw[6];
	const char *want;
};

/* clang-format off */
static const struct command_case cases[] = {
	{ 1, 0x02, 0, { 8, 1, 0x40000007, 5, 0xffffffff, 0 },
	  "nvme_cmd_read slba=4294967304, len=7, ctrl=0x4000, dsmgmt=5, reftag=4294967295" },
	{ 1, 0x01, 0, { 0, 0, 0, 0, 0, 0 },
	  "nvme_cmd_write slba=0, len=0, ctrl=0x0, dsmgmt=0, reftag=0" },
	{ 1, 0x08, 0, { 1, 0, 0x0200ffff, 0, 0, 0 },
	  "nvme_cmd_write_zeroes slba=1, len=65535, ctrl=0x200, dsmgmt=0, reftag=0" },
	{ 1, 0x7d, 0, { 0x8000, 0, 7, 0, 0, 0 },
	  "nvme_cmd_zone_append slba=32768, len=7, ctrl=0x0, dsmgmt=0, reftag=0" },
	{ 1, 0x09, 0, { 3, 4, 0, 0, 0, 0 }, "nvme_cmd_dsm nr=3, attributes=4" },
	{ 1, 0x00, 0, { 0, 0, 0, 0, 0, 0 },
	  "nvme_cmd_flush cdw10=00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
	{ 1, 0x05, 0, { 0x04030201, 0, 0, 0, 0, 0xaabbccdd },
	  "nvme_cmd_compare cdw10=01 02 03 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 dd cc bb aa" },
	{ 1, 0x0c, 0, { 0, 0, 0, 0, 0, 0 },
	  "nvme_cmd_verify cdw10=00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
	{ 1, 0x12, 0, { 1, 0, 0, 0, 0, 0 }, "nvme_cmd_io_mgmt_recv "
	  "cdw10=01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
	{ 1, 0xc5, 0, { 0, 0, 0, 0, 0, 1 },
	  "0xc5 cdw10=00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00" },
	{ 2, 0x79, 0, { 0x8000, 0, 0, 0x0104, 0, 0 },
	  "nvme_cmd_zone_mgmt_send slba=32768, zsa=4:reset zone, all=1" },
	{ 2, 0x79, 0, { 0, 0, 0, 0x0010, 0, 0 },
	  "nvme_cmd_zone_mgmt_send slba=0, zsa=16:set zone descriptor extension, all=0" },
	{ 2, 0x79, 0, { 0, 0, 0, 0x0011, 0, 0 },
	  "nvme_cmd_zone_mgmt_send slba=0, zsa=17:reserved, all=0" },
	{ 2, 0x7a, 0, { 0, 0, 1023, 0x00010300, 0, 0 }, "nvme_cmd_zone_mgmt_recv "
	  "slba=0, numd=1023, zra=0, zrasf=3:list the zones in the ZSEO: Explicitly Opened state, pr=1" },
	{ 2, 0x7a, 0, { 0, 0, 0, 0x00000800, 0, 0 },
	  "nvme_cmd_zone_mgmt_recv slba=0, numd=0, zra=0, zrasf=8:reserved, pr=0" },
	{ 1, 0x0d, 0, { 0xc000000a, 0, 0, 0, 0, 0 },
	  "nvme_cmd_resv_register rrega=2:replace, iekey=1, ptpl=3" },
	{ 1, 0x11, 0, { 0x0102, 0, 0, 0, 0, 0 },
	  "nvme_cmd_resv_acquire racqa=2:preempt and abort, iekey=0, rtype=1:write exclusive" },
	{ 1, 0x11, 0, { 0x0003, 0, 0, 0, 0, 0 },
	  "nvme_cmd_resv_acquire racqa=3:reserved, iekey=0, rtype=0:reserved" },
	{ 1, 0x15, 0, { 0x0709, 0, 0, 0, 0, 0 },
	  "nvme_cmd_resv_release rrela=1:clear, iekey=1, rtype=7:reserved" },
	{ 1, 0x0e, 0, { 1023, 1, 0, 0, 0, 0 }, "nvme_cmd_resv_report numd=1023, eds=1" },

	{ 0, 0x00, 0, { 3, 0, 0, 0, 0, 0 }, "nvme_admin_delete_sq sqid=3" },
	{ 0, 0x01, 0, { 0x03ff0002, 0x00020001, 0, 0, 0, 0 },
	  "nvme_admin_create_sq sqid=2, qsize=1023, sq_flags=0x1, cqid=2" },
	{ 0, 0x04, 0, { 3, 0, 0, 0, 0, 0 }, "nvme_admin_delete_cq cqid=3" },
	{ 0, 0x05, 0, { 0x03ff0002, 0x00020003, 0, 0, 0, 0 },
	  "nvme_admin_create_cq cqid=2, qsize=1023, cq_flags=0x3, irq_vector=2" },
	{ 0, 0x06, 0, { 0x00050001, 0, 0, 0, 0, 0 }, "nvme_admin_identify cns=1, ctrlid=5" },
	{ 0, 0x09, 0, { 0x88000007, 0x00030003, 0, 0, 0, 0 },
	  "nvme_admin_set_features fid=0x7, sv=0x8, cdw11=0x30003" },
	{ 0, 0x0a, 0, { 0x00000b0b, 0x11, 0, 0, 0, 0 },
	  "nvme_admin_get_features fid=0xb, sel=0x3, cdw11=0x11" },
	{ 0, 0x86, 0, { 16, 0, 255, 0x11000008, 0, 0 },
	  "nvme_admin_get_lba_status slba=0x10, mndw=0xff, rl=0x8, atype=17" },
	{ 0, 0x80, 0, { 0x3535, 0, 0, 0, 0, 0 },
	  "nvme_admin_format_nvm lbaf=53, mset=1, pi=1, pil=1, ses=2" },
	{ 0, 0x02, 0, { 0x007f0002, 0, 0, 0, 0, 0 }, "nvme_admin_get_log_page "
	  "cdw10=02 00 7f 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
	{ 0, 0x14, 0, { 1, 0, 0, 0, 0, 0 }, "nvme_admin_dev_self_test "
	  "cdw10=01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },

	{ 0, 0x7f, 0x00, { 0, 0x14, 0x00460001, 0, 0, 0 },
	  "nvme_fabrics_type_property_set attrib=0, ofst=0x14, value=0x460001" },
	{ 0, 0x7f, 0x01, { 0x00010000, 0x0004007f, 120000, 0, 0, 0 },
	  "nvme_fabrics_type_connect recfmt=0, qid=1, sqsize=127, cattr=4, kato=120000" },
	{ 1, 0x7f, 0x04, { 1, 0x1c, 0, 0, 0, 0 },
	  "nvme_fabrics_type_property_get attrib=1, ofst=0x1c" },
	{ 0, 0x7f, 0x05, { 0xe9020100, 64, 0, 0, 0, 0 },
	  "nvme_fabrics_type_auth_send spsp0=01, spsp1=02, secp=e9, tl=64" },
	{ 0, 0x7f, 0x06, { 0xe9010100, 4096, 0, 0, 0, 0 },
	  "nvme_fabrics_type_auth_receive spsp0=01, spsp1=01, secp=e9, al=4096" },
	{ 0, 0x7f, 0x08, { 1, 0, 0, 0, 0, 0 },
	  "0x8 specific=01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
};
/* clang-format on */

TEST(commands)
{
	char buf[KERNEL_TEXT_MAX], want[KERNEL_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct command_case *c = &cases[i];
		struct kernel_text_setup ev = { .qid = c->qid };

		ev.cmd.opcode = c->opcode;
		ev.cmd.fctype = c->fctype;
		memcpy(ev.cmd.cdw, c->cdw, sizeof(c->cdw));
		snprintf(want, sizeof(want),
			 "nvme0: qid=%d, cmdid=0, nsid=0, flags=0x0, meta=0x0, cmd=(%s)", c->qid,
			 c->want);
		assert_int_equal(kernel_text_setup(buf, sizeof(buf), &ev), strlen(want));
		assert_string_equal(buf, want);
	}
}

TEST(aen_line)
{
	char buf[KERNEL_TEXT_MAX];

	kernel_text_aen(buf, sizeof(buf), 0, 0x20101);
	assert_string_equal(buf, "nvme0: NVME_AEN=0x020101 [NVME_AER_SMART]");
	kernel_text_aen(buf, sizeof(buf), 1, 0);
	assert_string_equal(buf, "nvme1: NVME_AEN=0x000000 [NVME_AER_ERROR]");
	kernel_text_aen(buf, sizeof(buf), 0, 0xff70f002);
	assert_string_equal(buf, "nvme0: NVME_AEN=0xff70f002 [NVME_AER_NOTICE]");
	kernel_text_aen(buf, sizeof(buf), 0, 3);
	assert_string_equal(buf, "nvme0: NVME_AEN=0x000003 [0x3]");
	kernel_text_aen(buf, sizeof(buf), 0, 6);
	assert_string_equal(buf, "nvme0: NVME_AEN=0x000006 [NVME_AER_CSS]");
	kernel_text_aen(buf, sizeof(buf), 0, 7);
	assert_string_equal(buf, "nvme0: NVME_AEN=0x000007 [NVME_AER_VS]");
}

/* The longest line of any command fits KERNEL_TEXT_MAX, and a short buffer is never overrun. */
TEST(bounds)
{
	struct kernel_text_setup ev = { .disk = "0123456789012345678901234567890",
					.ctrl = -2147483647 - 1,
					.cid = 0xffff,
					.meta = true };
	char buf[2 * KERNEL_TEXT_MAX];

	memset(ev.cmd.cdw, 0xff, sizeof(ev.cmd.cdw));
	ev.cmd.cdw[3] = 0xffff03ff;
	ev.cmd.nsid = 0xffffffff;
	ev.cmd.flags = 0xff;
	for (unsigned int i = 0; i < 768; i++) {
		ev.qid = i < 256 ? 2147483647 : 0;
		ev.cmd.opcode = i < 512 ? i & 0xff : NVME_OPCODE_FABRICS;
		ev.cmd.fctype = i & 0xff;
		assert_in_range(kernel_text_setup(buf, sizeof(buf), &ev), 1, KERNEL_TEXT_MAX - 1);
	}
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(kernel_text_setup(buf, 10, &ev), 9);
	assert_string_equal(buf, "nvme-2147");
	assert_int_equal(buf[10], 'x');
}

TEST(names)
{
	const struct nvme_opcode *o;
	unsigned int known = 0;

	for (unsigned int i = 0; (o = nvme_opcode_at(i)); i++) {
		struct kernel_text_setup ev = { .qid = o->set == NVME_SET_IO };
		char buf[512], name[64];

		ev.cmd.opcode = o->set == NVME_SET_FABRICS ? NVME_OPCODE_FABRICS : o->code;
		ev.cmd.fctype = o->code;
		kernel_text_setup(buf, sizeof(buf), &ev);
		snprintf(name, sizeof(name), "cmd=(%s ", o->id);
		known += !!strstr(buf, name);
		assert_true(strstr(buf, name) || strstr(buf, "cmd=(0x"));
	}
	/* counted in the print formats of the module: I/O, admin and Fabrics */
	assert_int_equal(known, 16 + 27 + 5);
}
