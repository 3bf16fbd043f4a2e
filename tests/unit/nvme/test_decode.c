// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoding of hand-built commands: every opcode that has fields, boundary bits, LBA helpers. */
#include <stdio.h>

#include "lib/base/str.h"
#include "lib/nvme/decode.h"
#include "tests/unit/test.h"

struct decode_case {
	enum nvme_set set;
	u8 code;
	u32 cdw[6];
	const char *want; /* fields as name=value */
};

#define IO	NVME_SET_IO
#define ADMIN	NVME_SET_ADMIN
#define FABRICS NVME_SET_FABRICS

/* clang-format off */
static const struct decode_case cases[] = {
	{ IO, nvme_cmd_write, { 2, 1, 0xd5200007, 0x123400e9, 0xdeadbeef, 0xffff0abc },
	  "slba=4294967298 nlb=8 lr=1 fua=1 prinfo=05 stc=1 dtype=02 dspec=4660 af=9 al=2 "
	  "sr=1 incprs=1 ilbrt=deadbeef lbat=abc lbatm=ffff" },
	{ IO, nvme_cmd_read, { 0xffffffff, 0xffffffff, 0x4000ffff, 0x00000046, 1, 0x00020003 },
	  "slba=18446744073709551615 nlb=65536 lr=0 fua=1 prinfo=00 stc=0 af=6 al=0 sr=1 incprs=0 eilbrt=01 "
	  "elbat=03 elbatm=02" },
	{ IO, nvme_cmd_write_uncor, { 16, 0, 0x00100000, 0x00070000, 0, 0 },
	  "slba=16 nlb=1 dtype=01 dspec=7" },
	{ IO, nvme_cmd_compare, { 5, 0, 0x81000001, 0, 9, 0x000a000b },
	  "slba=5 nlb=2 lr=1 fua=0 prinfo=00 stc=1 eilbrt=09 elbat=0b elbatm=0a" },
	{ IO, nvme_cmd_write_zeroes, { 8, 0, 0x02800003, 0, 1, 0x00030002 },
	  "slba=8 nlb=4 lr=0 fua=0 prinfo=00 deac=1 stc=0 nsz=1 ilbrt=01 lbat=02 lbatm=03" },
	{ IO, nvme_cmd_dsm, { 0xffffff03, 4, 0, 0, 0, 0 }, "nr=4 idr=0 idw=0 ad=1" },
	{ IO, nvme_cmd_verify, { 1, 0, 0x3c00000f, 0, 0, 0 },
	  "slba=1 nlb=16 lr=0 fua=0 prinfo=0f stc=0 eilbrt=00 elbat=00 elbatm=00" },
	{ IO, nvme_cmd_resv_register, { 0xc000000a, 0, 0, 0, 0, 0 },
	  "rrega=02 iekey=1 cptpl=03" },
	{ IO, nvme_cmd_resv_report, { 1023, 1, 0, 0, 0, 0 }, "numd=1024 eds=1" },
	{ IO, nvme_cmd_resv_acquire, { 0x0301, 0, 0, 0, 0, 0 },
	  "racqa=01 iekey=0 rtype=03" },
	{ IO, nvme_cmd_io_mgmt_recv, { 0x00050001, 0xffffffff, 0, 0, 0, 0 },
	  "mo=01 mos=05 numd=4294967296" },
	{ IO, nvme_cmd_resv_release, { 0x0709, 0, 0, 0, 0, 0 }, "rrela=01 iekey=1 rtype=07" },
	{ IO, nvme_cmd_cancel, { 0xffff0003, 1, 0, 0, 0, 0 }, "acode=1 sqid=3 cid=65535" },
	{ IO, nvme_cmd_copy, { 0x1000, 0, 0xea001305, 0x00090000, 2, 0x00040003 },
	  "sdlba=4096 nr=6 desfmt=3 prinfor=01 dtype=00 stcw=0 stcr=1 prinfow=0a fua=1 lr=1 dspec=9 "
	  "ilbrt=02 lbat=03 lbatm=04" },
	{ IO, nvme_cmd_io_mgmt_send, { 0x00020001, 0, 0, 0, 0, 0 }, "mo=01 mos=02" },
	{ IO, nvme_cmd_zone_mgmt_send, { 0x8000, 0, 0, 0x204, 0, 0 },
	  "zsa=04 slba=32768 sall=0 zsaso=1" },
	{ IO, nvme_cmd_zone_mgmt_recv, { 0, 1, 1023, 0x00010300, 0, 0 },
	  "zra=00 slba=4294967296 numd=1024 zrasf=03 zrasp=1" },
	{ IO, nvme_cmd_zone_append, { 0x10000, 0, 0x02000000, 0, 0x10000, 0 },
	  "zslba=65536 nlb=1 lr=0 fua=0 prinfo=00 piremap=1 stc=0 dtype=00 dspec=0 ilbrt=10000 lbat=00 "
	  "lbatm=00" },

	{ ADMIN, nvme_admin_delete_sq, { 4, 0, 0, 0, 0, 0 }, "qid=4" },
	{ ADMIN, nvme_admin_create_sq, { 0x03ff0002, 0x00020005, 6, 0, 0, 0 },
	  "qid=2 qsize=1024 pc=1 qprio=02 cqid=2 nvmsetid=6" },
	{ ADMIN, nvme_admin_get_log_page, { 0x007f8302, 0x00050001, 0x1000, 2, 0x02800011, 0 },
	  "lid=02 lsp=03 rae=1 numd=65664 lsi=5 lpo=8589938688 uidx=17 ot=1 "
	  "csi=02" },
	{ ADMIN, nvme_admin_delete_cq, { 0xffff, 0, 0, 0, 0, 0 }, "qid=65535" },
	{ ADMIN, nvme_admin_create_cq, { 0x00ff0001, 0x00070003, 0, 0, 0, 0 },
	  "qid=1 qsize=256 pc=1 ien=1 iv=7" },
	{ ADMIN, nvme_admin_identify, { 0x00090006, 0x02000003, 0, 0, 0x7f, 0 },
	  "cns=06 cntid=9 cnssid=3 csi=02 uidx=127" },
	{ ADMIN, nvme_admin_abort_cmd, { 0x10230001, 0, 0, 0, 0, 0 }, "sqid=1 cid=4131" },
	{ ADMIN, nvme_admin_set_features, { 0x80000007, 0x00030003, 1, 2, 3, 4 },
	  "fid=07 sv=1 cdw11=30003 cdw12=01 cdw13=02 cdw14=03 cdw15=04" },
	{ ADMIN, nvme_admin_get_features, { 0x0000030b, 0x11, 0, 0, 1, 0 },
	  "fid=0b sel=03 cdw11=11 uidx=1" },
	{ ADMIN, nvme_admin_ns_mgmt, { 1, 0x02000000, 0, 0, 0, 0 }, "sel=01 csi=02" },
	{ ADMIN, nvme_admin_activate_fw, { 0x8000001a, 0, 0, 0, 0, 0 }, "ca=03 fs=2 bpid=1" },
	{ ADMIN, nvme_admin_download_fw, { 1023, 0x400, 0, 0, 0, 0 }, "ofst=1024 numd=1024" },
	{ ADMIN, nvme_admin_dev_self_test, { 0xf, 0, 0, 0, 0, 0 }, "stc=0f" },
	{ ADMIN, nvme_admin_ns_attach, { 1, 0, 0, 0, 0, 0 }, "sel=01" },
	{ ADMIN, nvme_admin_directive_send, { 7, 0x00050102, 0x10, 0, 0, 0 },
	  "doper=02 dtype=01 dspec=5 numd=8 cdw12=10" },
	{ ADMIN, nvme_admin_directive_recv, { 0, 0x01, 0, 0, 0, 0 },
	  "doper=01 dtype=00 dspec=0 numd=1 cdw12=00" },
	{ ADMIN, nvme_admin_virtual_mgmt, { 0x00020108, 3, 0, 0, 0, 0 },
	  "act=08 rt=1 cntlid=2 nr=3" },
	{ ADMIN, nvme_admin_capacity_mgmt, { 0x00020001, 5, 1, 0, 0, 0 }, "oper=1 elid=2 cap=4294967301" },
	{ ADMIN, nvme_admin_discovery_info_mgmt, { 2, 0, 0, 0, 0, 0 }, "tas=2" },
	{ ADMIN, nvme_admin_lockdown, { 0x8552, 0, 0, 0, 4, 0 }, "ofi=85 scp=2 prhbt=1 ifc=2 uidx=4" },
	{ ADMIN, nvme_admin_track_send, { 0x00010002, 0, 0, 0, 0, 0 }, "sel=02 mos=01" },
	{ ADMIN, nvme_admin_track_receive, { 0x00010000, 0, 0, 0, 0, 0 }, "sel=00 mos=01" },
	{ ADMIN, nvme_admin_migration_send, { 0x00020001, 0, 0, 0, 0, 0 }, "sel=01 mos=02" },
	{ ADMIN, nvme_admin_migration_receive, { 0x00030000, 0, 0, 0, 0, 0 }, "sel=00 mos=03" },
	{ ADMIN, nvme_admin_ctrl_data_queue, { 0x00040001, 0, 0, 0, 0, 0 }, "sel=01 mos=04" },
	{ ADMIN, nvme_admin_format_nvm, { 0x3535, 0, 0, 0, 0, 0 },
	  "lbaf=53 mset=1 pi=1 pil=1 ses=02" },
	{ ADMIN, nvme_admin_security_send, { 0x01020304, 512, 0, 0, 0, 0 }, "secp=01 spsp=203 nssf=04 tl=512" },
	{ ADMIN, nvme_admin_security_recv, { 0x01000100, 2048, 0, 0, 0, 0 }, "secp=01 spsp=01 nssf=00 al=2048" },
	{ ADMIN, nvme_admin_sanitize_nvm, { 0x073b, 0x5a5a5a5a, 0, 0, 0, 0 },
	  "sanact=03 ause=1 owpass=3 oipbp=1 ndas=1 emvs=1 ovrpat=5a5a5a5a" },
	{ ADMIN, nvme_admin_get_lba_status, { 1, 1, 255, 0x11000008, 0, 0 },
	  "slba=4294967297 mndw=256 rl=8 atype=11" },

	{ FABRICS, nvme_fabrics_type_property_set, { 0, 0x14, 0x00460001, 1, 0, 0 },
	  "ofst=14 attrib=0 value=100460001" },
	{ FABRICS, nvme_fabrics_type_connect, { 0x00010000, 0x0004007f, 120000, 0, 0, 0 },
	  "qid=1 recfmt=0 sqsize=128 cattr=04 kato=120000" },
	{ FABRICS, nvme_fabrics_type_property_get, { 1, 0, 0, 0, 0, 0 }, "ofst=00 attrib=1" },
	{ FABRICS, nvme_fabrics_type_auth_send, { 0xe9020100, 64, 0, 0, 0, 0 },
	  "secp=e9 spsp0=01 spsp1=02 tl=64" },
	{ FABRICS, nvme_fabrics_type_auth_receive, { 0xe9010100, 4096, 0, 0, 0, 0 },
	  "secp=e9 spsp0=01 spsp1=01 al=4096" },
	{ FABRICS, nvme_fabrics_type_disconnect, { 1, 0, 0, 0, 0, 0 }, "recfmt=1" },
};
/* clang-format on */

static struct nvme_cmd_view view_of(enum nvme_set set, u8 code, const u32 cdw[6])
{
	struct nvme_cmd_view v = { .opcode = code, .set = set };

	if (set == NVME_SET_FABRICS) {
		v.opcode = NVME_OPCODE_FABRICS;
		v.fctype = code;
	}
	memcpy(v.cdw, cdw, sizeof(v.cdw));
	return v;
}

static void join(char *buf, size_t size, const struct nvme_field *f, unsigned int n)
{
	size_t len = 0;
	char one[64];

	buf[0] = '\0';
	for (unsigned int i = 0; i < n; i++) {
		nvme_field_format(one, sizeof(one), &f[i]);
		len += snprintf(buf + len, size - len, "%s%s", i ? " " : "", one);
		assert_true(len < size);
	}
}

TEST(cases)
{
	struct nvme_field f[NVME_FIELDS_MAX];
	char got[512];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nvme_cmd_view v = view_of(cases[i].set, cases[i].code, cases[i].cdw);

		join(got, sizeof(got), f, nvme_decode(&v, f));
		assert_string_equal(got, cases[i].want);
	}
}

/*
 * Each opcode with fields has a case above, and rows that are not sorted would not be found there.
 */
TEST(every_opcode_has_a_case)
{
	static const u32 zero[6];
	struct nvme_field f[NVME_FIELDS_MAX];

	for (unsigned int set = NVME_SET_IO; set <= NVME_SET_FABRICS; set++) {
		for (unsigned int code = 0; code < 256; code++) {
			struct nvme_cmd_view v = view_of(set, code, zero);
			unsigned int n = nvme_decode(&v, f);
			bool found = false;

			for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
				found |= cases[i].set == set && cases[i].code == code;
			assert_int_equal(n != 0, found);
			assert_in_range(n, 0, NVME_FIELDS_MAX - 1);
			if (n)
				assert_non_null(nvme_opcode_name(set, code));
		}
	}
}

#define DECODE(set, id, name, dword, shift, bits, kind)                                            \
	{ NVME_SET_##set << 8 | (id), name, dword, shift, bits },
static const struct {
	unsigned int key;
	const char *name;
	unsigned int dword, shift, bits;
} layout[] = {
#include "lib/nvme/decode.def"
};
#undef DECODE

/* Commands come in order, and no bit belongs to two fields. */
TEST(layout)
{
	u32 used[6] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(layout); i++) {
		assert_int_equal(strspn(layout[i].name, "abcdefghijklmnopqrstuvwxyz0123456789"),
				 strlen(layout[i].name));
		if (!i || layout[i].key != layout[i - 1].key) {
			assert_true(!i || layout[i].key > layout[i - 1].key);
			memset(used, 0, sizeof(used));
		}
		for (unsigned int b = 0; b < layout[i].bits; b++) {
			unsigned int bit = (layout[i].dword - 10) * 32 + layout[i].shift + b;

			if (used[bit / 32] >> bit % 32 & 1)
				fail_msg("bit %u of '%s' is taken", b, layout[i].name);
			used[bit / 32] |= 1u << bit % 32;
		}
	}
}

TEST(lba)
{
	static const u8 range[] = { nvme_cmd_write,	 nvme_cmd_read,	  nvme_cmd_write_uncor,
				    nvme_cmd_compare,	 nvme_cmd_verify, nvme_cmd_write_zeroes,
				    nvme_cmd_zone_append };
	static const u8 start[] = { nvme_cmd_copy, nvme_cmd_zone_mgmt_send,
				    nvme_cmd_zone_mgmt_recv };
	static const u32 cdw[6] = { 8, 2, 7, 0, 0, 0 };
	unsigned int with_lba = 0;

	for (unsigned int code = 0; code < 256; code++) {
		struct nvme_cmd_view v = view_of(IO, code, cdw);
		bool is_range = memchr(range, (int)code, sizeof(range)) != NULL;
		bool is_start = memchr(start, (int)code, sizeof(start)) != NULL;

		with_lba += nvme_cmd_has_lba(&v);
		assert_int_equal(nvme_cmd_has_lba(&v), is_range || is_start);
		assert_int_equal(nvme_cmd_nlb(&v), is_range ? 8 : 0);
		assert_int_equal(nvme_cmd_slba(&v), is_range || is_start ? 0x200000008ull : 0);
		v.set = ADMIN;
		assert_false(nvme_cmd_has_lba(&v));
	}
	assert_int_equal(with_lba, 10);
}

TEST(lba_whole)
{
	static const u32 all_zones[6] = { 8, 0, 0, 0x104, 0, 0 };
	static const u32 whole[6] = { 0, 0, 1u << 23, 0, 0, 0 };
	static const u32 most[6] = { 0, 0, 0xffff, 0, 0, 0 };
	struct nvme_cmd_view v = view_of(IO, nvme_cmd_zone_mgmt_send, all_zones);
	char buf[NVME_BRIEF_MAX];

	assert_false(nvme_cmd_has_lba(&v));
	assert_int_equal(nvme_cmd_slba(&v), 0);
	assert_string_equal(nvme_cmd_brief(buf, sizeof(buf), &v), "zsa=04");
	v = view_of(IO, nvme_cmd_write_zeroes, whole);
	assert_true(nvme_cmd_has_lba(&v));
	assert_int_equal(nvme_cmd_nlb(&v), 0);
	v = view_of(IO, nvme_cmd_write, most);
	assert_int_equal(nvme_cmd_nlb(&v), 65536);
}

TEST(brief)
{
	static const struct {
		enum nvme_set set;
		u8 code;
		u32 cdw[6];
		const char *want;
	} briefs[] = {
		{ ADMIN, nvme_admin_get_log_page, { 0x007f0002 }, "lid=02" },
		{ ADMIN, nvme_admin_identify, { 1 }, "cns=01" },
		{ ADMIN, nvme_admin_set_features, { 7 }, "fid=07" },
		{ ADMIN, nvme_admin_keep_alive, { 0 }, "-" },
		{ ADMIN, 0xc1, { 1 }, "-" },
		{ IO, nvme_cmd_flush, { 0 }, "-" },
		{ IO, nvme_cmd_dsm, { 3 }, "nr=4" },
		{ FABRICS, nvme_fabrics_type_connect, { 0x00010000 }, "qid=1" },
		{ FABRICS, nvme_fabrics_type_property_get, { 0, 0x1c }, "ofst=1c" },
	};
	char buf[NVME_BRIEF_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(briefs); i++) {
		struct nvme_cmd_view v = view_of(briefs[i].set, briefs[i].code, briefs[i].cdw);

		assert_string_equal(nvme_cmd_brief(buf, sizeof(buf), &v), briefs[i].want);
	}
}

/* A brief of any command with all bits set fits its buffer. */
TEST(brief_fits)
{
	static const u32 ones[6] = { ~0u, ~0u, ~0u, ~0u, ~0u, ~0u };
	char buf[64];

	for (unsigned int set = NVME_SET_IO; set <= NVME_SET_FABRICS; set++) {
		for (unsigned int code = 0; code < 256; code++) {
			struct nvme_cmd_view v = view_of(set, code, ones);

			assert_in_range(strlen(nvme_cmd_brief(buf, sizeof(buf), &v)), 1,
					NVME_BRIEF_MAX - 1);
		}
	}
}
