// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of the NVMe specifications: opcodes, status codes, log pages, features, events. */
#ifndef NVT_NVME_SPEC_H
#define NVT_NVME_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/types.h"

/* All tables are the .def files beside this header; each names its specification. Every string
 * returned is constant and lives as long as the program. */

/* The table that an opcode belongs to. FABRICS codes are FCTYPE values of opcode 0x7f. */
enum nvme_set {
	NVME_SET_IO,
	NVME_SET_ADMIN,
	NVME_SET_FABRICS,
};

#define NVME_OPCODE_FABRICS		    0x7f

#define OPCODE(set, value, id, name, title) id = (value),
enum nvme_opcode_id {
#include "lib/nvme/opcode.def"
};
#undef OPCODE

/* SCT << 8 | SC, as bits 10:0 of a status. */
#define STATUS(set, sct, sc, id, name, remedy) NVME_SC_##id = (sct) << 8 | (sc),
enum nvme_status {
#include "lib/nvme/status.def"
};
#undef STATUS

#define AEN_TYPE(type, id, name) NVME_AEN_TYPE_##id = (type),
#define AEN(type, info, id, text)
enum nvme_aen_type {
#include "lib/nvme/aen.def"
};
#undef AEN_TYPE
#undef AEN

/* One row of opcode.def. */
struct nvme_opcode {
	const char *name; /* "get-log" */
	const char *id; /* "nvme_admin_get_log_page", the kernel's name where it has one */
	const char
		*title; /* "Get Log Page", the driver's text; "": none, NULL: nor has it the ID */
	u8 set; /* enum nvme_set */
	u8 code; /* opcode, or FCTYPE */
};

/* The commands that one word of --opcode selects. */
struct nvme_opcode_match {
	enum nvme_set set;
	u8 code;
	bool admin_explicit; /* not an I/O opcode, so it implies --admin */
};

/* An asynchronous event: Dword 0 of its completion, split into its fields. */
struct nvme_aen {
	const char *type_name; /* NULL when the type is reserved */
	const char *text; /* NULL when type and info are unknown */
	u8 type, info, lid; /* lid: log page to read for more */
};

/* The set of a command from its queue (0 is the admin queue) and its opcode. */
static inline enum nvme_set nvme_set_of(u32 qid, u8 opcode)
{
	if (opcode == NVME_OPCODE_FABRICS)
		return NVME_SET_FABRICS;
	return qid ? NVME_SET_IO : NVME_SET_ADMIN;
}

/* The code to look up in @set: FCTYPE of a Fabrics command, else the opcode. */
static inline u8 nvme_code_of(enum nvme_set set, u8 opcode, u8 fctype)
{
	return set == NVME_SET_FABRICS ? fctype : opcode;
}

/*
 * Returns row i of opcode.def, or NULL past the end, for a loop `for (i = 0; (o =
 * nvme_opcode_at(i)); i++)`.
 */
const struct nvme_opcode *nvme_opcode_at(unsigned int i);

/* The row of an opcode, or NULL. */
const struct nvme_opcode *nvme_opcode_of(enum nvme_set set, u8 code);

/* Name of an opcode, or NULL if the specifications have none. */
const char *nvme_opcode_name(enum nvme_set set, u8 code);

/*
 * Write the name, or `0xc5` when there is none, to buf; returns buf. 16 bytes hold every result but
 * a longer name, which is cut; NVME_OPCODE_NAME_MAX holds all.
 */
#define NVME_OPCODE_NAME_MAX 24
const char *nvme_opcode_format(char *buf, size_t size, enum nvme_set set, u8 code);

/* Word of `io:`, `admin:`, `fabrics:` for a set: "io", "admin", "fabrics". */
const char *nvme_set_name(enum nvme_set set);

/*
 * Read one word of --opcode: a name, alias or kernel name (`read`, `get-log-page`, `nvme_cmd_dsm`),
 * a number up to 255 (an I/O opcode), either after `io:`, `admin:` or `fabrics:`. A name without a
 * prefix is looked up in that order of sets. 0, -EINVAL (no such name), -ERANGE (number too large).
 */
int nvme_opcode_parse(const char *word, struct nvme_opcode_match *m);

/* A status has 15 bits: the upper half of a completion's Dword 3 without the phase tag. */
#define NVME_STATUS_MASK 0x7fff

static inline u8 nvme_sc(u16 status)
{
	return status & 0xff;
}

static inline u8 nvme_sct(u16 status)
{
	return status >> 8 & 7;
}

/* Command Retry Delay: 0 none, 1..3 the delays CRDT1..3 of Identify Controller. */
static inline u8 nvme_crd(u16 status)
{
	return status >> 11 & 3;
}

/* More: the error log has more about this command. */
static inline bool nvme_more(u16 status)
{
	return status >> 13 & 1;
}

/* Do Not Retry. */
static inline bool nvme_dnr(u16 status)
{
	return status >> 14 & 1;
}

/*
 * Name of a status, DNR, MORE and CRD ignored; NULL if the specifications have none. The set
 * decides between the meanings of 1/80 to 1/bf. Vendor ranges give "Vendor Specific".
 */
const char *nvme_status_name(u16 status, enum nvme_set set);

/* Returns what a user may do about a status, or NULL when no advice holds in general. */
const char *nvme_status_remedy(u16 status, enum nvme_set set);

/*
 * Write `ok` for success, else SCT/SC in hexadecimal (`2/81`; `0/00` with DNR, MORE or CRD alone),
 * to buf of NVME_STATUS_MAX bytes; returns buf.
 */
#define NVME_STATUS_MAX 8
const char *nvme_status_format(char *buf, size_t size, u16 status);

/*
 * Writes SCT and SC in hexadecimal (`2/81`), `0/00` for success, to @buf of NVME_SCT_SC_MAX bytes;
 * returns @buf.
 */
#define NVME_SCT_SC_MAX 8
const char *nvme_sct_sc(char *buf, u16 status);

/* Read `2/81` (SCT/SC, hexadecimal) or a number of up to 15 bits (`0x4281`, also decimal).
 * 0, -EINVAL (not of that form), -ERANGE (a part is too large). */
int nvme_status_parse(const char *word, u16 *status);

/* A status that was found by its name. */
struct nvme_status_match {
	u16 status;
	bool named; /* the name holds in `set` only */
	enum nvme_set set;
};

/*
 * Finds a status by its name as the specification, the kernel or nvme-cli writes it, without regard
 * to case, blanks and punctuation. 0, -EINVAL.
 */
int nvme_status_find(const char *name, struct nvme_status_match *m);

/* Splits Dword 0 of an Asynchronous Event Request's completion into its fields. */
void nvme_aen_decode(u32 result, struct nvme_aen *aen);

#endif
