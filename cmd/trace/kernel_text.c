// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints commands as drivers/nvme/host/trace.c does, oddities included: the aim is equal bytes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/* The kernel's name of a command ("nvme_cmd_read"), or NULL where it prints a number. */
static const char *opcode_name(enum nvme_set set, u8 code)
{
	const struct nvme_opcode *o = nvme_opcode_of(set, code);

	return o && o->title ? o->id : NULL;
}

/* clang-format off */
static const char *const rtypes[] = {
	[0x01] = "write exclusive",
	[0x02] = "exclusive access",
	[0x03] = "write exclusive registrants only",
	[0x04] = "exclusive access registrants only",
	[0x05] = "write exclusive all registrants",
	[0x06] = "exclusive access all registrants",
};
static const char *const zone_sends[] = {
	[0x01] = "close zone",
	[0x02] = "finish zone",
	[0x03] = "open zone",
	[0x04] = "reset zone",
	[0x05] = "offline zone",
	[0x10] = "set zone descriptor extension",
};
static const char *const zone_receives[] = {
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
static const char *const registers[] = { "register", "unregister", "replace" };
static const char *const acquires[] = { "acquire", "preempt", "preempt and abort" };
static const char *const releases[] = { "release", "clear" };

/*
 * The dwords of each command as the kernel prints them. %b1 is the number in byte 1, %w1 that in two
 * bytes from there on, %d1 in four, %q1 in eight; with a capital it is hexadecimal. %b0>3&1 is the
 * number shifted and masked. %t is followed by its word among `words`, %r by that among rtypes; %h has
 * two hexadecimal digits, %f is the LBA format, of bits apart. A command that is not here has bytes.
 */
#define WORDS(list) list, ARRAY_SIZE(list)
#define READ_WRITE "slba=%q0, len=%w8, ctrl=0x%W10, dsmgmt=%d12, reftag=%d16"
#define AUTH(length) "spsp0=%h1, spsp1=%h2, secp=%h3, " length "=%d4"
static const struct layout {
	enum nvme_set set;
	u8 code;
	const char *text;
	const char *const *words;
	size_t n_words;
} layouts[] = {
	{ NVME_SET_IO, nvme_cmd_read, READ_WRITE, NULL, 0 },
	{ NVME_SET_IO, nvme_cmd_write, READ_WRITE, NULL, 0 },
	{ NVME_SET_IO, nvme_cmd_write_zeroes, READ_WRITE, NULL, 0 },
	{ NVME_SET_IO, nvme_cmd_zone_append, READ_WRITE, NULL, 0 },
	{ NVME_SET_IO, nvme_cmd_dsm, "nr=%d0, attributes=%d4", NULL, 0 },
	{ NVME_SET_IO, nvme_cmd_zone_mgmt_send, "slba=%q0, zsa=%t12, all=%b13", WORDS(zone_sends) },
	{ NVME_SET_IO, nvme_cmd_zone_mgmt_recv, "slba=%q0, numd=%d8, zra=%b12, zrasf=%t13, pr=%b14", WORDS(zone_receives) },
	{ NVME_SET_IO, nvme_cmd_resv_register, "rrega=%t0&7, iekey=%b0>3&1, ptpl=%b3>6", WORDS(registers) },
	{ NVME_SET_IO, nvme_cmd_resv_acquire, "racqa=%t0&7, iekey=%b0>3&1, rtype=%r1", WORDS(acquires) },
	{ NVME_SET_IO, nvme_cmd_resv_release, "rrela=%t0&7, iekey=%b0>3&1, rtype=%r1", WORDS(releases) },
	{ NVME_SET_IO, nvme_cmd_resv_report, "numd=%d0, eds=%b4&1", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_delete_sq, "sqid=%w0", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_create_sq, "sqid=%w0, qsize=%w2, sq_flags=0x%W4, cqid=%w6", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_create_cq, "cqid=%w0, qsize=%w2, cq_flags=0x%W4, irq_vector=%w6", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_delete_cq, "cqid=%w0", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_identify, "cns=%b0, ctrlid=%w2", NULL, 0 },
	/* The kernel takes bit 27 for SV, which is bit 31. */
	{ NVME_SET_ADMIN, nvme_admin_set_features, "fid=0x%B0, sv=0x%B3&8, cdw11=0x%D4", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_get_features, "fid=0x%B0, sel=0x%B1&7, cdw11=0x%D4", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_get_lba_status, "slba=0x%Q0, mndw=0x%D8, rl=0x%W12, atype=%b15", NULL, 0 },
	{ NVME_SET_ADMIN, nvme_admin_format_nvm, "lbaf=%f0, mset=%b0>4&1, pi=%b0>5&7, pil=%b1&1, ses=%b1>1&7", NULL, 0 },
	{ NVME_SET_FABRICS, nvme_fabrics_type_property_set, "attrib=%b0, ofst=0x%D4, value=0x%Q8", NULL, 0 },
	{ NVME_SET_FABRICS, nvme_fabrics_type_connect, "recfmt=%w0, qid=%w2, sqsize=%w4, cattr=%b6, kato=%d8", NULL, 0 },
	{ NVME_SET_FABRICS, nvme_fabrics_type_property_get, "attrib=%b0, ofst=0x%D4", NULL, 0 },
	{ NVME_SET_FABRICS, nvme_fabrics_type_auth_send, AUTH("tl"), NULL, 0 },
	{ NVME_SET_FABRICS, nvme_fabrics_type_auth_receive, AUTH("al"), NULL, 0 },
};
/* clang-format on */

/* Writes `7:word`, or `7:reserved` when the list has no word for the value. */
static void put_word(struct text *t, u64 value, const char *const *words, size_t n)
{
	put(t, "%" PRIu64 ":%s", value, value < n && words[value] ? words[value] : "reserved");
}

/* Writes what the letter at @at and the numbers behind it stand for. Returns the end of these. */
static const char *put_value(struct text *t, const struct layout *l, const char *at)
{
	static const char sizes[] = "bwdq";
	char letter = *at, *end;
	const char *size = strchr(sizes, letter | 0x20);
	unsigned long byte = strtoul(at + 1, &end, 10);
	u64 v = 0;

	for (unsigned int i = 0; i < (size ? 1U << (size - sizes) : 1); i++)
		v |= (u64)byte_at(t, (unsigned int)byte + i) << 8 * i;
	if (*end == '>')
		v >>= strtoul(end + 1, &end, 10);
	if (*end == '&')
		v &= strtoul(end + 1, &end, 10);
	if (letter == 't')
		put_word(t, v, l->words, l->n_words);
	else if (letter == 'r')
		put_word(t, v, WORDS(rtypes));
	else if (letter == 'h')
		put(t, "%02x", (unsigned int)v);
	else if (letter == 'f')
		put(t, "%u", (byte_at(t, 0) & 0xf) | (byte_at(t, 1) & 0x30));
	else if (letter & 0x20)
		put(t, "%" PRIu64, v);
	else
		put(t, "%" PRIx64, v);
	return end;
}

static void put_command(struct text *t, enum nvme_set set, u8 code)
{
	const struct layout *l = layouts, *end = layouts + ARRAY_SIZE(layouts);

	while (l < end && (l->set != set || l->code != code))
		l++;
	if (l == end) {
		put(t, "%s=", set == NVME_SET_FABRICS ? "specific" : "cdw10");
		for (unsigned int i = 0; i < 24; i++)
			put(t, "%s%02x", i ? " " : "", byte_at(t, i));
		return;
	}
	for (const char *at = l->text; *at;) {
		size_t plain = strcspn(at, "%");

		put(t, "%.*s", (int)plain, at);
		at += plain;
		if (*at)
			at = put_value(t, l, at + 1);
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
	put_command(&t, set, code);
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
