// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks decode.def: finds the rows of a command and cuts its fields out of the dwords. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/base/str.h"
#include "lib/nvme/decode.h"

/* The KIND column. */
enum kind { KIND_DEC, KIND_HEX, KIND_FLAG, KIND_PLUS1 };

struct row {
	const char *name;
	u8 set, code, dword, shift, bits, kind;
};

#define DECODE(set, id, name, dword, shift, bits, kind)                                            \
	{ name, NVME_SET_##set, id, dword, shift, bits, KIND_##kind },
static const struct row rows[] = {
#include "lib/nvme/decode.def"
};
#undef DECODE

/* Fields lie in dwords 10 to 15, also those that reach into the next dword. */
/* clang-format off */
#define DECODE(set, id, name, dword, shift, bits, kind)				\
	_Static_assert((dword) >= 10 && (dword) * 32 + (shift) + (bits) <= 16 * 32 && \
		       (shift) + (bits) <= 64 && (bits) > 0, name);
#include "lib/nvme/decode.def"
#undef DECODE
/* clang-format on */

static unsigned int row_key(const struct row *r)
{
	return (unsigned int)r->set << 8 | r->code;
}

/* First row of a command, or NULL; the rows are sorted by key. */
static const struct row *find_rows(const struct nvme_cmd_view *cmd)
{
	unsigned int key = (unsigned int)cmd->set << 8 | nvme_cmd_code(cmd);
	size_t lo = 0, hi = ARRAY_SIZE(rows);

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (row_key(&rows[mid]) < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ARRAY_SIZE(rows) && row_key(&rows[lo]) == key ? &rows[lo] : NULL;
}

static u64 cut(const struct nvme_cmd_view *cmd, const struct row *r)
{
	unsigned int i = r->dword - 10;
	u64 pair = cmd->cdw[i];

	if (r->shift + r->bits > 32)
		pair |= (u64)cmd->cdw[i + 1] << 32;
	pair >>= r->shift;
	return r->bits == 64 ? pair : pair & (((u64)1 << r->bits) - 1);
}

static void field_fill(struct nvme_field *f, const struct row *r, u64 value)
{
	*f = (struct nvme_field){ .name = r->name, .value = value, .kind = NVME_FIELD_HEX };
	if (r->kind == KIND_PLUS1)
		f->value++;
	if (r->kind == KIND_PLUS1 || r->kind == KIND_DEC)
		f->kind = NVME_FIELD_DEC;
	else if (r->kind == KIND_FLAG)
		f->kind = NVME_FIELD_FLAG;
}

/*
 * Read the field that begins at *r, upper parts in following rows included; returns the row after
 * it.
 */
static const struct row *next_field(const struct nvme_cmd_view *cmd, const struct row *r,
				    struct nvme_field *f)
{
	const struct row *first = r;
	u64 value = cut(cmd, r);
	unsigned int bits = r->bits;

	for (r++; r < rows + ARRAY_SIZE(rows) && row_key(r) == row_key(first) &&
		  streq(r->name, first->name);
	     r++) {
		value |= cut(cmd, r) << bits;
		bits += r->bits;
	}
	field_fill(f, first, value);
	return r;
}

unsigned int nvme_decode(const struct nvme_cmd_view *cmd, struct nvme_field fields[NVME_FIELDS_MAX])
{
	const struct row *first = find_rows(cmd), *r = first;
	unsigned int n = 0;

	while (r && r < rows + ARRAY_SIZE(rows) && row_key(r) == row_key(first) &&
	       n < NVME_FIELDS_MAX)
		r = next_field(cmd, r, &fields[n++]);
	return n;
}

const char *nvme_field_format(char *buf, size_t size, const struct nvme_field *field)
{
	if (field->kind == NVME_FIELD_HEX)
		snprintf(buf, size, "%s=%02" PRIx64, field->name, field->value);
	else
		snprintf(buf, size, "%s=%" PRIu64, field->name, field->value);
	return buf;
}

/* How much a command itself says of its logical blocks: nothing, the first, or first and number. */
enum lba_use { LBA_NONE, LBA_START, LBA_RANGE };

static enum lba_use lba_use(const struct nvme_cmd_view *cmd)
{
	if (cmd->set != NVME_SET_IO)
		return LBA_NONE;
	switch (cmd->opcode) {
	case nvme_cmd_write_zeroes: /* NSZ, bit 23: all of the namespace */
		return cmd->cdw[2] & 1u << 23 ? LBA_START : LBA_RANGE;
	case nvme_cmd_write:
	case nvme_cmd_read:
	case nvme_cmd_write_uncor:
	case nvme_cmd_compare:
	case nvme_cmd_verify:
	case nvme_cmd_zone_append:
		return LBA_RANGE;
	case nvme_cmd_zone_mgmt_send: /* Select All, bit 8: SLBA is ignored */
		return cmd->cdw[3] & 1u << 8 ? LBA_NONE : LBA_START;
	case nvme_cmd_copy:
	case nvme_cmd_zone_mgmt_recv:
		return LBA_START;
	default:
		return LBA_NONE;
	}
}

bool nvme_cmd_has_lba(const struct nvme_cmd_view *cmd)
{
	return lba_use(cmd) != LBA_NONE;
}

u64 nvme_cmd_slba(const struct nvme_cmd_view *cmd)
{
	return nvme_cmd_has_lba(cmd) ? cmd->cdw[0] | (u64)cmd->cdw[1] << 32 : 0;
}

u32 nvme_cmd_nlb(const struct nvme_cmd_view *cmd)
{
	return lba_use(cmd) == LBA_RANGE ? (cmd->cdw[2] & 0xffff) + 1 : 0;
}

const char *nvme_cmd_brief(char *buf, size_t size, const struct nvme_cmd_view *cmd)
{
	const struct row *r = find_rows(cmd);
	struct nvme_field f;

	if (!r) {
		snprintf(buf, size, "-");
		return buf;
	}
	next_field(cmd, r, &f);
	return nvme_field_format(buf, size, &f);
}
