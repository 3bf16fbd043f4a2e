// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints commands as drivers/nvme/host/trace.c does, oddities included: the aim is equal bytes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/str.h"
#include "cmd/trace/kernel_text.h"

/* A bounded string that is written, and the command that it describes. */
struct text {
	char *buf;
	size_t size, len;
	const u32 *cdw;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	t->len += (size_t)n < t->size - t->len ? (size_t)n : t->size - t->len - 1;
}

/* The kernel reads the dwords as 24 bytes; these do the same, little endian. */
static unsigned int byte_at(const struct text *t, unsigned int at)
{
	return t->cdw[at / 4] >> at % 4 * 8 & 0xff;
}

static unsigned int u16_at(const struct text *t, unsigned int at)
{
	return byte_at(t, at) | byte_at(t, at + 1) << 8;
}

static u64 u64_at(const struct text *t, unsigned int dword)
{
	return t->cdw[dword] | (u64)t->cdw[dword + 1] << 32;
}

/* The kernel's name of a command ("nvme_cmd_read"), or NULL where it prints a number. */
static const char *opcode_name(enum nvme_set set, u8 code)
{
	const struct nvme_opcode *o = nvme_opcode_of(set, code);

	return o && o->title ? o->id : NULL;
}

static void put_bytes(struct text *t, const char *name)
{
	put(t, "%s=", name);
	for (unsigned int i = 0; i < 24; i++)
		put(t, "%s%02x", i ? " " : "", byte_at(t, i));
}

/* Writes `7:word`, or `7:reserved` when the list has no word for the value. */
static void put_word(struct text *t, unsigned int value, const char *const *words, size_t n)
{
	put(t, "%u:%s", value, value < n && words[value] ? words[value] : "reserved");
}

static void put_queue(struct text *t, bool sq)
{
	put(t, "%s=%u, qsize=%u, %s=0x%x, %s=%u", sq ? "sqid" : "cqid", u16_at(t, 0), u16_at(t, 2),
	    sq ? "sq_flags" : "cq_flags", u16_at(t, 4), sq ? "cqid" : "irq_vector", u16_at(t, 6));
}

static void put_format(struct text *t)
{
	unsigned int low = byte_at(t, 0), high = byte_at(t, 1);

	put(t, "lbaf=%u, mset=%u, pi=%u, pil=%u, ses=%u", (low & 0xf) | (high & 0x30), low >> 4 & 1,
	    low >> 5 & 7, high & 1, high >> 1 & 7);
}

static void put_admin(struct text *t, u8 opcode)
{
	switch (opcode) {
	case nvme_admin_delete_sq:
		put(t, "sqid=%u", u16_at(t, 0));
		break;
	case nvme_admin_create_sq:
	case nvme_admin_create_cq:
		put_queue(t, opcode == nvme_admin_create_sq);
		break;
	case nvme_admin_delete_cq:
		put(t, "cqid=%u", u16_at(t, 0));
		break;
	case nvme_admin_identify:
		put(t, "cns=%u, ctrlid=%u", byte_at(t, 0), u16_at(t, 2));
		break;
	case nvme_admin_set_features: /* the kernel takes bit 27 for SV, which is bit 31 */
		put(t, "fid=0x%x, sv=0x%x, cdw11=0x%x", byte_at(t, 0), byte_at(t, 3) & 8,
		    t->cdw[1]);
		break;
	case nvme_admin_get_features:
		put(t, "fid=0x%x, sel=0x%x, cdw11=0x%x", byte_at(t, 0), byte_at(t, 1) & 7,
		    t->cdw[1]);
		break;
	case nvme_admin_get_lba_status:
		put(t, "slba=0x%" PRIx64 ", mndw=0x%x, rl=0x%x, atype=%u", u64_at(t, 0), t->cdw[2],
		    u16_at(t, 12), byte_at(t, 15));
		break;
	case nvme_admin_format_nvm:
		put_format(t);
		break;
	default:
		put_bytes(t, "cdw10");
		break;
	}
}

static void put_read_write(struct text *t)
{
	put(t, "slba=%" PRIu64 ", len=%u, ctrl=0x%x, dsmgmt=%u, reftag=%u", u64_at(t, 0),
	    u16_at(t, 8), u16_at(t, 10), t->cdw[3], t->cdw[4]);
}

static void put_zone_send(struct text *t)
{
	/* clang-format off */
	static const char *const words[] = {
		[0x01] = "close zone",
		[0x02] = "finish zone",
		[0x03] = "open zone",
		[0x04] = "reset zone",
		[0x05] = "offline zone",
		[0x10] = "set zone descriptor extension",
	};
	/* clang-format on */

	put(t, "slba=%" PRIu64 ", zsa=", u64_at(t, 0));
	put_word(t, byte_at(t, 12), words, ARRAY_SIZE(words));
	put(t, ", all=%u", byte_at(t, 13));
}

static void put_zone_recv(struct text *t)
{
	/* clang-format off */
	static const char *const words[] = {
		[0x00] = "list all zones",
		[0x01] = "list the zones in the ZSE: Empty state",
		[0x02] = "list the zones in the ZSIO: Implicitly Opened state",
		[0x03] = "list the zones in the ZSEO: Explicitly Opened state",
		[0x04] = "list the zones in the ZSC: Closed state",
		[0x05] = "list the zones in the ZSF: Full state",
		[0x06] = "list the zones in the ZSRO: Read Only state",
		[0x07] = "list the zones in the ZSO: Offline state",
		[0x09] = "list the zones that have the zone attribute",
	};
	/* clang-format on */

	put(t, "slba=%" PRIu64 ", numd=%u, zra=%u, zrasf=", u64_at(t, 0), t->cdw[2],
	    byte_at(t, 12));
	put_word(t, byte_at(t, 13), words, ARRAY_SIZE(words));
	put(t, ", pr=%u", byte_at(t, 14));
}

static void put_action(struct text *t, const char *name, const char *const *words, size_t n)
{
	put(t, "%s=", name);
	put_word(t, byte_at(t, 0) & 7, words, n);
	put(t, ", iekey=%u", byte_at(t, 0) >> 3 & 1);
}

static void put_rtype(struct text *t)
{
	/* clang-format off */
	static const char *const words[] = {
		[0x01] = "write exclusive",
		[0x02] = "exclusive access",
		[0x03] = "write exclusive registrants only",
		[0x04] = "exclusive access registrants only",
		[0x05] = "write exclusive all registrants",
		[0x06] = "exclusive access all registrants",
	};
	/* clang-format on */

	put(t, ", rtype=");
	put_word(t, byte_at(t, 1), words, ARRAY_SIZE(words));
}

static void put_reservation(struct text *t, u8 opcode)
{
	static const char *const reg[] = { "register", "unregister", "replace" };
	static const char *const acquire[] = { "acquire", "preempt", "preempt and abort" };
	static const char *const release[] = { "release", "clear" };

	switch (opcode) {
	case nvme_cmd_resv_register:
		put_action(t, "rrega", reg, ARRAY_SIZE(reg));
		put(t, ", ptpl=%u", byte_at(t, 3) >> 6);
		break;
	case nvme_cmd_resv_acquire:
		put_action(t, "racqa", acquire, ARRAY_SIZE(acquire));
		put_rtype(t);
		break;
	case nvme_cmd_resv_release:
		put_action(t, "rrela", release, ARRAY_SIZE(release));
		put_rtype(t);
		break;
	default:
		put(t, "numd=%u, eds=%u", t->cdw[0], byte_at(t, 4) & 1);
		break;
	}
}

static void put_io(struct text *t, u8 opcode)
{
	switch (opcode) {
	case nvme_cmd_read:
	case nvme_cmd_write:
	case nvme_cmd_write_zeroes:
	case nvme_cmd_zone_append:
		put_read_write(t);
		break;
	case nvme_cmd_dsm:
		put(t, "nr=%u, attributes=%u", t->cdw[0], t->cdw[1]);
		break;
	case nvme_cmd_zone_mgmt_send:
		put_zone_send(t);
		break;
	case nvme_cmd_zone_mgmt_recv:
		put_zone_recv(t);
		break;
	case nvme_cmd_resv_register:
	case nvme_cmd_resv_acquire:
	case nvme_cmd_resv_release:
	case nvme_cmd_resv_report:
		put_reservation(t, opcode);
		break;
	default:
		put_bytes(t, "cdw10");
		break;
	}
}

static void put_auth(struct text *t, const char *length)
{
	put(t, "spsp0=%02x, spsp1=%02x, secp=%02x, %s=%u", byte_at(t, 1), byte_at(t, 2),
	    byte_at(t, 3), length, t->cdw[1]);
}

static void put_fabrics(struct text *t, u8 fctype)
{
	switch (fctype) {
	case nvme_fabrics_type_property_set:
		put(t, "attrib=%u, ofst=0x%x, value=0x%" PRIx64, byte_at(t, 0), t->cdw[1],
		    u64_at(t, 2));
		break;
	case nvme_fabrics_type_connect:
		put(t, "recfmt=%u, qid=%u, sqsize=%u, cattr=%u, kato=%u", u16_at(t, 0),
		    u16_at(t, 2), u16_at(t, 4), byte_at(t, 6), t->cdw[2]);
		break;
	case nvme_fabrics_type_property_get:
		put(t, "attrib=%u, ofst=0x%x", byte_at(t, 0), t->cdw[1]);
		break;
	case nvme_fabrics_type_auth_send:
		put_auth(t, "tl");
		break;
	case nvme_fabrics_type_auth_receive:
		put_auth(t, "al");
		break;
	default:
		put_bytes(t, "specific");
		break;
	}
}

static void put_head(struct text *t, int ctrl, const char *disk, int qid)
{
	put(t, "nvme%d: ", ctrl);
	if (disk && *disk)
		put(t, "disk=%s, ", disk);
	put(t, "qid=%d, ", qid);
}

size_t kernel_text_setup(char *buf, size_t size, const struct kernel_text_setup *ev)
{
	struct text t = { .buf = buf, .size = size, .cdw = ev->cmd.cdw };
	enum nvme_set set = nvme_set_of(ev->qid, ev->cmd.opcode);
	u8 code = nvme_code_of(set, ev->cmd.opcode, ev->cmd.fctype);
	const char *name = opcode_name(set, code);

	put_head(&t, ev->ctrl, ev->disk, ev->qid);
	put(&t, "cmdid=%u, nsid=%u, flags=0x%x, meta=0x%x, cmd=(", ev->cid, ev->cmd.nsid,
	    ev->cmd.flags, ev->meta);
	if (name)
		put(&t, "%s ", name);
	else
		put(&t, "0x%x ", code);
	if (set == NVME_SET_FABRICS)
		put_fabrics(&t, code);
	else if (set == NVME_SET_IO)
		put_io(&t, code);
	else
		put_admin(&t, code);
	put(&t, ")");
	return t.len;
}

/* The kernel's %#x writes 0x0 for zero where C's writes 0. */
size_t kernel_text_complete(char *buf, size_t size, const struct kernel_text_complete *ev)
{
	struct text t = { .buf = buf, .size = size };

	put_head(&t, ev->ctrl, ev->disk, ev->qid);
	put(&t, "cmdid=%u, res=0x%" PRIx64 ", retries=%u, flags=0x%x, status=0x%x", ev->cid,
	    ev->result, ev->retries, ev->flags, ev->status);
	return t.len;
}

size_t kernel_text_aen(char *buf, size_t size, int ctrl, u32 result)
{
	/* clang-format off */
	static const char *const names[] = {
		[0] = "NVME_AER_ERROR",
		[1] = "NVME_AER_SMART",
		[2] = "NVME_AER_NOTICE",
		[6] = "NVME_AER_CSS",
		[7] = "NVME_AER_VS",
	};
	/* clang-format on */
	struct text t = { .buf = buf, .size = size };

	put(&t, "nvme%d: NVME_AEN=0x%06x [", ctrl, result);
	if (names[result & 7])
		put(&t, "%s]", names[result & 7]);
	else
		put(&t, "0x%x]", result & 7);
	return t.len;
}

size_t kernel_text_sq(char *buf, size_t size, const struct kernel_text_sq *ev)
{
	struct text t = { .buf = buf, .size = size };

	put_head(&t, ev->ctrl, ev->disk, ev->qid);
	put(&t, "head=%u, tail=%u", ev->head, ev->tail);
	return t.len;
}
