// SPDX-License-Identifier: GPL-2.0-or-later
/* Status values explained. A value has two rows where fabrics commands give it another meaning. */
#include "lib/errors_decode.h"

#include "lib/err.h"
#include "lib/nvme/spec.h"
#include "lib/str.h"

struct decode_row {
	u32 status, sct, sc, crd;
	bool more, dnr;
	const char *type, *set, *name, *remedy;
};

/* NVM Base 2.1, figure 101. */
static const char *const types[8] = {
	[0] = "Generic Command Status",
	[1] = "Command Specific Status",
	[2] = "Media and Data Integrity Errors",
	[3] = "Path Related Status",
	[7] = "Vendor Specific",
};

static void text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct decode_row *row = p;

	(void)o;
	nvme_status_format(buf, size, (u16)row->status);
}

static void text_value(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct decode_row *row = p;

	(void)o;
	snprintf(buf, size, "0x%04x", row->status);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct decode_row, m, #m, __VA_ARGS__)
/* clang-format off */
static const struct field fields[] = {
	ROW(U32, status, .head = "VALUE", .width = -6, .text = text_value, .help = "the 15 bits"),
	{ .type = FIELD_CALL, .name = "sct_sc", .head = "SCT/SC", .width = -6, .flags = FIELD_ONLY_TEXT,
	  .text = text_status, .help = "status code type and status code, hexadecimal" },
	ROW(U32, sct, .flags = FIELD_NO_TEXT, .help = "status code type"),
	ROW(U32, sc, .flags = FIELD_NO_TEXT, .help = "status code"),
	ROW(BOOL, dnr, .width = 3, .help = "do not retry"),
	ROW(BOOL, more, .width = 4, .help = "the error log has more"),
	ROW(U32, crd, .width = 3, .help = "command retry delay index"),
	ROW(STR, set, .width = -8, .help = "commands it is for, where that makes a difference"),
	ROW(STR, type, .head = "TYPE", .width = -23, .flags = FIELD_ONLY_TEXT, .help = "the status code type's name"),
	FIELD_OF(FIELD_STR, struct decode_row, type, "sct_name", .flags = FIELD_NO_TEXT,
		 .help = "the status code type's name"),
	FIELD_OF(FIELD_STR, struct decode_row, name, "status_name", .head = "NAME", .width = -28,
		 .help = "name of the status"),
	ROW(STR, remedy, .flags = FIELD_LAST, .help = "what to do"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_decode_schema = { "decode", fields, "what a value means (--decode)" };

static void put(struct out *o, u16 status, enum nvme_set set, const char *set_name)
{
	struct decode_row row = {
		.status = status,
		.sct = nvme_sct(status),
		.sc = nvme_sc(status),
		.crd = nvme_crd(status),
		.more = nvme_more(status),
		.dnr = nvme_dnr(status),
		.type = types[nvme_sct(status)] ? types[nvme_sct(status)] : "Reserved",
		.set = set_name,
		.name = nvme_status_name(status, set),
		.remedy = nvme_status_remedy(status, set),
	};

	out_row(o, &errors_decode_schema, &row);
}

static void explain(struct out *o, u16 status)
{
	const char *io = nvme_status_name(status, NVME_SET_IO);
	const char *fabrics = nvme_status_name(status, NVME_SET_FABRICS);
	bool differ = io && fabrics ? !streq(io, fabrics) : io != fabrics;

	if (!differ)
		put(o, status, NVME_SET_IO, NULL);
	if (differ && io)
		put(o, status, NVME_SET_IO, "io");
	if (differ && fabrics)
		put(o, status, NVME_SET_FABRICS, "fabrics");
}

static int check_words(const char *const *words, u32 n)
{
	u16 status;

	for (u32 i = 0; i < n; i++) {
		int err = nvme_status_parse(words[i], &status);

		if (err)
			return fail_usage(
				err == -ERANGE ? "too large: a status has 15 bits, SCT 3 and SC 8"
					       : "want SCT/SC as 2/81, or a number as 0x4281",
				"", "--decode '%s'", words[i]);
	}
	return 0;
}

int errors_decode(const struct invocation *inv, const char *const *words, u32 n)
{
	static const struct schema *const schemas[] = { &errors_decode_schema, NULL };
	int err = check_words(words, n), closed;
	struct out *o = NULL;
	u16 status;

	if (!err)
		err = out_open(&o, &inv->common.output, schemas);
	if (err)
		return err;
	out_patient(o, -1);
	err = out_begin(o);
	for (u32 i = 0; !err && i < n; i++) {
		nvme_status_parse(words[i], &status);
		explain(o, status);
	}
	closed = out_close(o);
	if (!err && closed && closed != -EPIPE)
		err = fail(closed, NULL, NULL, "cannot write output");
	return err;
}
