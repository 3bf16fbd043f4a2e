// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NVMe tables: every row is found again, nothing else is, and words and numbers parse both
 * ways.
 */
#include <errno.h>
#include <stdio.h>

#include "lib/base/str.h"
#include "lib/nvme/spec.h"
#include "tests/unit/test.h"

struct status_row {
	enum nvme_set set;
	bool any;
	u16 status;
	const char *name, *remedy;
};

#define SET_ANY	       NVME_SET_IO
#define SET_IO	       NVME_SET_IO
#define SET_FABRICS    NVME_SET_FABRICS
#define IS_ANY_ANY     true
#define IS_ANY_IO      false
#define IS_ANY_FABRICS false
#define STATUS(set, sct, sc, id, name, remedy)                                                     \
	{ SET_##set, IS_ANY_##set, NVME_SC_##id, name, remedy },
static const struct status_row statuses[] = {
#include "lib/nvme/status.def"
};
#undef STATUS

#define ALIAS(word, id) { word, #id },
static const struct {
	const char *word, *id;
} aliases[] = {
#include "lib/nvme/alias.def"
};
#undef ALIAS

static void assert_printable(const char *s)
{
	assert_true(*s);
	for (; *s; s++)
		assert_in_range(*s, ' ', '~');
}

static void assert_word(const char *s)
{
	assert_in_range(strlen(s), 2, 22);
	assert_int_equal(strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(s));
}

TEST(opcode_names)
{
	const struct nvme_opcode *o, *p;

	for (unsigned int i = 0; (o = nvme_opcode_at(i)); i++) {
		assert_word(o->name);
		assert_in_range(strlen(o->name), 2, 16);
		assert_string_equal(nvme_opcode_name(o->set, o->code), o->name);
		for (unsigned int j = 0; j < i && (p = nvme_opcode_at(j)); j++)
			assert_string_not_equal(o->name, p->name);
	}
	assert_null(nvme_opcode_at(100000));
}

TEST(opcode_unknown)
{
	char buf[NVME_OPCODE_NAME_MAX], want[8];

	for (unsigned int set = NVME_SET_IO; set <= NVME_SET_FABRICS; set++) {
		unsigned int known = 0, rows = 0;
		const struct nvme_opcode *o;

		for (unsigned int i = 0; (o = nvme_opcode_at(i)); i++)
			rows += o->set == set;
		for (unsigned int code = 0; code < 256; code++) {
			known += !!nvme_opcode_name(set, code);
			if (nvme_opcode_name(set, code))
				continue;
			snprintf(want, sizeof(want), "0x%02x", code);
			assert_string_equal(nvme_opcode_format(buf, sizeof(buf), set, code), want);
		}
		assert_int_equal(known, rows);
	}
	assert_string_equal(nvme_opcode_format(buf, sizeof(buf), NVME_SET_IO, 2), "read");
	assert_string_equal(nvme_opcode_format(buf, 4, NVME_SET_ADMIN, 6), "ide");
}

static void assert_parses(const char *word, enum nvme_set set, u8 code)
{
	struct nvme_opcode_match m;

	if (nvme_opcode_parse(word, &m))
		fail_msg("'%s' does not parse", word);
	assert_int_equal(m.set, set);
	assert_int_equal(m.code, code);
	assert_int_equal(m.admin_explicit, set != NVME_SET_IO);
}

TEST(opcode_parse_table)
{
	const struct nvme_opcode *o;
	char word[64];

	for (unsigned int i = 0; (o = nvme_opcode_at(i)); i++) {
		assert_parses(o->name, o->set, o->code);
		assert_parses(o->id, o->set, o->code);
		snprintf(word, sizeof(word), "%s:%s", nvme_set_name(o->set), o->name);
		assert_parses(word, o->set, o->code);
		snprintf(word, sizeof(word), "%s:0x%x", nvme_set_name(o->set), o->code);
		assert_parses(word, o->set, o->code);
	}
}

TEST(aliases)
{
	const struct nvme_opcode *o;

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		struct nvme_opcode_match m;

		assert_int_equal(nvme_opcode_parse(aliases[i].word, &m), 0);
		for (unsigned int j = 0; (o = nvme_opcode_at(j)); j++) {
			assert_string_not_equal(o->name, aliases[i].word);
			assert_int_equal(streq(o->id, aliases[i].id),
					 o->set == m.set && o->code == m.code);
		}
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(aliases[i].word, aliases[j].word);
	}
}

TEST(opcode_parse_errors)
{
	static const char *const bad[] = {
		"",   "rea", "reads", "io:", ":read",  "io:identify", "admin", "0x",	"-1",
		" 2", "+2",  "2x",    "0xg", "admin:", "io:io:2",     "read,", "x:read"
	};
	static const char *const large[] = { "256", "0x100", "admin:999",
					     "99999999999999999999999" };
	struct nvme_opcode_match m;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (nvme_opcode_parse(bad[i], &m) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		assert_int_equal(nvme_opcode_parse(large[i], &m), -ERANGE);
}

TEST(status_rows)
{
	char buf[NVME_STATUS_MAX];
	u16 back;

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		const struct status_row *s = &statuses[i];
		const char *remedy = nvme_status_remedy(s->status, s->set);

		assert_printable(s->name);
		assert_string_equal(nvme_status_name(s->status, s->set), s->name);
		assert_string_equal(nvme_status_name(s->status | 0x7800, s->set), s->name);
		assert_string_equal(remedy ? remedy : "", s->remedy);
		if (remedy)
			assert_printable(remedy);
		if (s->any)
			assert_string_equal(nvme_status_name(s->status, NVME_SET_FABRICS), s->name);
		assert_string_equal(nvme_status_name(s->status, NVME_SET_ADMIN),
				    nvme_status_name(s->status, NVME_SET_IO));
		if (!s->status)
			continue;
		nvme_status_format(buf, sizeof(buf), s->status);
		assert_int_equal(nvme_status_parse(buf, &back), 0);
		assert_int_equal(back, s->status);
	}
}

static bool in_table(u16 status, enum nvme_set set)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == status && (statuses[i].any || statuses[i].set == set))
			return true;
	return false;
}

TEST(status_unknown)
{
	static const enum nvme_set sets[] = { NVME_SET_IO, NVME_SET_FABRICS };

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		for (unsigned int s = 0; s < 0x800; s++) {
			const char *name = nvme_status_name(s, sets[i]);
			bool vendor = s >> 8 == 7 || (s >> 8 <= 3 && (s & 0xff) >= 0xc0);

			if (vendor)
				assert_string_equal(name, "Vendor Specific");
			else
				assert_int_equal(!!name, in_table(s, sets[i]));
		}
	}
}

TEST(status_bits)
{
	assert_int_equal(nvme_sc(0x7fff), 0xff);
	assert_int_equal(nvme_sct(0x7fff), 7);
	assert_int_equal(nvme_crd(0x7fff), 3);
	assert_true(nvme_more(0x2000) && !nvme_more(0x5fff));
	assert_true(nvme_dnr(0x4000) && !nvme_dnr(0x3fff));
	assert_int_equal(nvme_crd(0x0800), 1);
	assert_int_equal(nvme_crd(0x1000), 2);
	assert_int_equal(nvme_sct(0x0281), 2);
	assert_int_equal(nvme_sc(0x4281), 0x81);
}

TEST(status_parse)
{
	static const struct {
		const char *word;
		int err;
		u16 status;
	} cases[] = {
		{ "2/81", 0, 0x281 },	 { "0/07", 0, 0x07 },	  { "0/7", 0, 0x07 },
		{ "7/FF", 0, 0x7ff },	 { "0x4281", 0, 0x4281 }, { "641", 0, 0x281 },
		{ "0x7fff", 0, 0x7fff }, { "0", 0, 0 },		  { "0x8000", -ERANGE, 0 },
		{ "8/00", -ERANGE, 0 },	 { "2/100", -ERANGE, 0 }, { "2/", -EINVAL, 0 },
		{ "/81", -EINVAL, 0 },	 { "2/81/", -EINVAL, 0 }, { "", -EINVAL, 0 },
		{ "media", -EINVAL, 0 }, { "-1", -EINVAL, 0 },	  { "2/8g", -EINVAL, 0 },
		{ "2/ 81", -EINVAL, 0 }, { "281", 0, 281 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u16 status = 0;

		if (nvme_status_parse(cases[i].word, &status) != cases[i].err)
			fail_msg("'%s'", cases[i].word);
		assert_int_equal(status, cases[i].status);
	}
}

TEST(aen)
{
	struct nvme_aen a;

	nvme_aen_decode(0x00020101, &a); /* the temperature event an emulated drive sends */
	assert_string_equal(a.type_name, "smart");
	assert_string_equal(a.text, "Temperature Threshold");
	assert_int_equal(a.lid, 2);
	nvme_aen_decode(0x00040002, &a);
	assert_string_equal(a.type_name, "notice");
	assert_string_equal(a.text, "Attached Namespace Attribute Changed");
	nvme_aen_decode(0xff70f002, &a);
	assert_string_equal(a.text, "Discovery Log Page Change");
	assert_int_equal(a.lid, 0x70);
	nvme_aen_decode(0x00c08007, &a);
	assert_string_equal(a.text, "Vendor Specific");
	nvme_aen_decode(0x0000ff05, &a);
	assert_null(a.type_name);
	assert_null(a.text);
	assert_int_equal(a.type, 5);
	assert_int_equal(a.info, 0xff);
}

TEST(set_of)
{
	assert_int_equal(nvme_set_of(0, 0x06), NVME_SET_ADMIN);
	assert_int_equal(nvme_set_of(1, 0x02), NVME_SET_IO);
	assert_int_equal(nvme_set_of(0, 0x7f), NVME_SET_FABRICS);
	assert_int_equal(nvme_set_of(65535, 0x7f), NVME_SET_FABRICS);
}
