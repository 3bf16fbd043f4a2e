// SPDX-License-Identifier: GPL-2.0-or-later
/* A command's dwords as named fields; the layouts are data in decode.def. */
#ifndef NVT_NVME_DECODE_H
#define NVT_NVME_DECODE_H

#include "lib/nvme/spec.h"

/*
 * The part of a submission queue entry that is decoded, all numbers in the host's byte order. In a
 * Fabrics command cdw[] holds bytes 40 to 63 as in any other command, and nsid holds bytes 4 to 7
 * (FCTYPE is byte 4).
 */
struct nvme_cmd_view {
	u32 cdw[6]; /* Command Dwords 10 to 15 */
	u32 nsid;
	u8 opcode;
	u8 flags; /* byte 1: PSDT, FUSE */
	u8 fctype; /* byte 4; used when the opcode is 0x7f */
	u8 set; /* enum nvme_set, see nvme_set_of() */
};

/* How a field is meant to be shown; in JSON every value is a plain number. */
enum nvme_field_kind {
	NVME_FIELD_DEC,
	NVME_FIELD_HEX,
	NVME_FIELD_FLAG, /* one bit: 0 or 1 */
};

struct nvme_field {
	const char *name; /* the specification's mnemonic in lower case: "slba" */
	u64 value; /* sizes and counts count from one, as nlb does */
	enum nvme_field_kind kind;
};

/* No command has more fields than this. */
#define NVME_FIELDS_MAX 16

/*
 * Fills fields[] with the command's fields in the order of decode.def, zero ones included. Returns
 * how many; 0 for a command without fields or of unknown layout.
 */
unsigned int nvme_decode(const struct nvme_cmd_view *cmd,
			 struct nvme_field fields[NVME_FIELDS_MAX]);

/* Write `nlb=8`, `lid=02` (hexadecimal, two digits at least) or `fua=1` to buf; returns buf. */
const char *nvme_field_format(char *buf, size_t size, const struct nvme_field *field);

/* As nvme_code_of(), of a command. */
static inline u8 nvme_cmd_code(const struct nvme_cmd_view *cmd)
{
	return nvme_code_of(cmd->set, cmd->opcode, cmd->fctype);
}

/*
 * True when the command addresses logical blocks and names the first one itself: reads, writes and
 * the like, Copy's destination, zone management. False for Dataset Management, whose ranges lie in
 * memory, and for Zone Management Send to all zones.
 */
bool nvme_cmd_has_lba(const struct nvme_cmd_view *cmd);

/* First logical block (SLBA, ZSLBA, SDLBA); 0 without one. */
u64 nvme_cmd_slba(const struct nvme_cmd_view *cmd);

/*
 * Number of logical blocks, counted from 1; 0 when the command does not carry it, as Copy, zone
 * management and Write Zeroes of a whole namespace (NSZ).
 */
u32 nvme_cmd_nlb(const struct nvme_cmd_view *cmd);

/*
 * Writes the most telling field of a command without LBA (`lid=02`, `cns=01`, `qid=1`), or `-`, for
 * the SLBA column. Writes at most NVME_BRIEF_MAX bytes to buf; returns buf.
 */
#define NVME_BRIEF_MAX 32
const char *nvme_cmd_brief(char *buf, size_t size, const struct nvme_cmd_view *cmd);

#endif
