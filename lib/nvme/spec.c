// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lookups expanded from the .def tables. Each is a switch, so a value given twice does not compile.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/nvme/spec.h"

static const char vendor_specific[] = "Vendor Specific";

#define OPCODE(set, value, id, name, title) { name, #id, title, NVME_SET_##set, value },
static const struct nvme_opcode opcodes[] = {
#include "lib/nvme/opcode.def"
};
#undef OPCODE

#define ALIAS(word, id) { word, #id },
static const struct {
	const char *word, *id;
} aliases[] = {
#include "lib/nvme/alias.def"
};
#undef ALIAS

/* Has the compiler check that alias.def names opcodes that exist. */
#define ALIAS(word, id) _Static_assert((id) >= 0, word);
#include "lib/nvme/alias.def"
#undef ALIAS

const struct nvme_opcode *nvme_opcode_at(unsigned int i)
{
	return i < ARRAY_SIZE(opcodes) ? &opcodes[i] : NULL;
}

const struct nvme_opcode *nvme_opcode_of(enum nvme_set set, u8 code)
{
	for (u32 i = 0; i < ARRAY_SIZE(opcodes); i++)
		if (opcodes[i].set == set && opcodes[i].code == code)
			return &opcodes[i];
	return NULL;
}

const char *nvme_opcode_name(enum nvme_set set, u8 code)
{
	switch ((unsigned int)set << 8 | code) {
#define OPCODE(s, value, id, name, title)                                                          \
	case NVME_SET_##s << 8 | (value):                                                          \
		return name;
#include "lib/nvme/opcode.def"
#undef OPCODE
	default:
		return NULL;
	}
}

const char *nvme_opcode_format(char *buf, size_t size, enum nvme_set set, u8 code)
{
	const char *name = nvme_opcode_name(set, code);

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "0x%02x", code);
	return buf;
}

static const char *const set_names[] = {
	[NVME_SET_IO] = "io",
	[NVME_SET_ADMIN] = "admin",
	[NVME_SET_FABRICS] = "fabrics",
};

const char *nvme_set_name(enum nvme_set set)
{
	return set_names[set];
}

/* The beginning of the kernel's names in each set; a user may leave it out. */
static const char *const id_prefixes[] = {
	[NVME_SET_IO] = "nvme-cmd-",
	[NVME_SET_ADMIN] = "nvme-admin-",
	[NVME_SET_FABRICS] = "nvme-fabrics-type-",
};

/* Lower case, and "-" for "_". */
static int fold(int c)
{
	if (c == '_')
		return '-';
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool word_equal(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

static bool opcode_has_name(const struct nvme_opcode *o, const char *word)
{
	if (word_equal(word, o->name) || word_equal(word, o->id) ||
	    word_equal(word, o->id + strlen(id_prefixes[o->set])))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (word_equal(word, aliases[i].word) && streq(aliases[i].id, o->id))
			return true;
	return false;
}

/*
 * Moves *word behind a leading `admin:` and the like, and returns the set; -1 when there is none.
 */
static int parse_set(const char **word)
{
	for (size_t i = 0; i < ARRAY_SIZE(set_names); i++) {
		size_t len = strlen(set_names[i]);

		if (!strncasecmp(*word, set_names[i], len) && (*word)[len] == ':') {
			*word += len + 1;
			return (int)i;
		}
	}
	return -1;
}

/* Reads a number as units_count() does. -ERANGE as well if it is above @max. */
static int parse_number(const char *word, u64 max, u64 *n)
{
	int err = units_count(word, n);

	return err || *n <= max ? err : -ERANGE;
}

int nvme_opcode_parse(const char *word, struct nvme_opcode_match *m)
{
	int set = parse_set(&word), err;
	u64 n;

	*m = (struct nvme_opcode_match){ .set = set < 0 ? NVME_SET_IO : (enum nvme_set)set };
	err = parse_number(word, 0xff, &n);
	if (!err)
		m->code = (u8)n;
	if (err != -EINVAL)
		goto out;
	for (size_t i = 0; i < ARRAY_SIZE(opcodes) && err; i++) {
		const struct nvme_opcode *o = &opcodes[i];

		if ((set >= 0 && o->set != set) || !opcode_has_name(o, word))
			continue;
		m->set = o->set;
		m->code = o->code;
		err = 0;
	}
out:
	m->admin_explicit = m->set != NVME_SET_IO;
	return err;
}

/* Classes of status.def; ANY is searched last. */
enum status_class { CLASS_IO, CLASS_FABRICS, CLASS_ANY };

struct status_text {
	const char *name, *remedy;
};

static struct status_text status_in(enum status_class cls, u16 status)
{
	switch ((unsigned int)cls << 11 | status) {
#define STATUS(set, sct, sc, id, name, remedy)                                                     \
	case CLASS_##set << 11 | (sct) << 8 | (sc):                                                \
		return (struct status_text){ name, remedy };
#include "lib/nvme/status.def"
#undef STATUS
	default:
		return (struct status_text){ NULL, NULL };
	}
}

static struct status_text status_find(u16 status, enum nvme_set set)
{
	struct status_text t;

	status &= 0x7ff;
	t = status_in(set == NVME_SET_FABRICS ? CLASS_FABRICS : CLASS_IO, status);
	return t.name ? t : status_in(CLASS_ANY, status);
}

const char *nvme_status_name(u16 status, enum nvme_set set)
{
	const char *name = status_find(status, set).name;
	u8 sct = nvme_sct(status);

	if (!name && (sct == 7 || (sct <= 3 && nvme_sc(status) >= 0xc0)))
		return vendor_specific;
	return name;
}

const char *nvme_status_remedy(u16 status, enum nvme_set set)
{
	const char *remedy = status_find(status, set).remedy;

	return remedy && *remedy ? remedy : NULL;
}

const char *nvme_sct_sc(char *buf, u16 status)
{
	static const char digits[] = "0123456789abcdef";

	buf[0] = digits[nvme_sct(status)];
	buf[1] = '/';
	buf[2] = digits[nvme_sc(status) >> 4];
	buf[3] = digits[nvme_sc(status) & 15];
	buf[4] = '\0';
	return buf;
}

const char *nvme_status_format(char *buf, size_t size, u16 status)
{
	if (status)
		snprintf(buf, size, "%x/%02x", nvme_sct(status), nvme_sc(status));
	else
		snprintf(buf, size, "ok");
	return buf;
}

int nvme_status_parse(const char *word, u16 *status)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	size_t sct_len = strspn(word, hex), sc_len;
	unsigned long sct, sc;
	u64 n;
	int err;

	if (word[sct_len] != '/') {
		err = parse_number(word, NVME_STATUS_MASK, &n);
		if (!err)
			*status = (u16)n;
		return err;
	}
	sc_len = strspn(word + sct_len + 1, hex);
	if (!sct_len || !sc_len || word[sct_len + 1 + sc_len])
		return -EINVAL;
	sct = strtoul(word, NULL, 16);
	sc = strtoul(word + sct_len + 1, NULL, 16);
	if (sct > 7 || sc > 0xff)
		return -ERANGE;
	*status = sct << 8 | sc;
	return 0;
}

/* True when both names are equal, without regard to case and to all but letters and digits. */
static bool same_name(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

int nvme_status_find(const char *name, struct nvme_status_match *m)
{
	static const struct {
		const char *name;
		u16 status;
		u8 class;
	} rows[] = {
#define STATUS(set, sct, sc, id, name, remedy) { name, (sct) << 8 | (sc), CLASS_##set },
#include "lib/nvme/status.def"
#undef STATUS
#define STATUS(set, sct, sc, id, name, remedy) { #id, (sct) << 8 | (sc), CLASS_##set },
#include "lib/nvme/status.def"
#undef STATUS
#define KERNEL_STATUS(id, text) { text, NVME_SC_##id, CLASS_ANY },
#include "lib/nvme/kernel_status.def"
#undef KERNEL_STATUS
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!same_name(name, rows[i].name))
			continue;
		m->status = rows[i].status;
		m->named = rows[i].class != CLASS_ANY;
		m->set = rows[i].class == CLASS_FABRICS ? NVME_SET_FABRICS : NVME_SET_IO;
		return 0;
	}
	return -EINVAL;
}

static const char *aen_type_name(u8 type)
{
	switch (type) {
#define AEN(type, info, id, text)
#define AEN_TYPE(value, id, name)                                                                  \
	case value:                                                                                \
		return name;
#include "lib/nvme/aen.def"
#undef AEN
#undef AEN_TYPE
	default:
		return NULL;
	}
}

static const char *aen_text(u8 type, u8 info)
{
	switch (type << 8 | info) {
#define AEN_TYPE(type, id, name)
#define AEN(t, i, id, text)                                                                        \
	case (t) << 8 | (i):                                                                       \
		return text;
#include "lib/nvme/aen.def"
#undef AEN
#undef AEN_TYPE
	default:
		return type == NVME_AEN_TYPE_VS ? vendor_specific : NULL;
	}
}

void nvme_aen_decode(u32 result, struct nvme_aen *aen)
{
	aen->type = result & 7;
	aen->info = result >> 8 & 0xff;
	aen->lid = result >> 16 & 0xff;
	aen->type_name = aen_type_name(aen->type);
	aen->text = aen_text(aen->type, aen->info);
}
