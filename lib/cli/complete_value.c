// SPDX-License-Identifier: GPL-2.0-or-later
/* Offers values of options: words of the table, opcodes, columns, and what this machine has. */
#include <dirent.h>
#include <inttypes.h>

#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/complete.h"
#include "lib/host/comm.h"
#include "lib/host/sysfs.h"
#include "lib/nvme/spec.h"
#include "lib/out/out.h"

/* True when @word is one of the items before the last comma. */
static bool in_list(const struct completion *c, const char *word)
{
	const char *p = memrchr(c->fixed, '=', (size_t)c->fixed_len);
	size_t word_len = strlen(word);

	for (p = p ? p + 1 : c->fixed; p < c->fixed + c->fixed_len;) {
		size_t len = strcspn(p, ",");
		if (len == word_len && !memcmp(p, word, len))
			return true;
		p += len + 1;
	}
	return false;
}

/* Moves the items up to the last comma from c->begun to c->fixed. */
static void keep_list(struct completion *c)
{
	const char *comma = strrchr(c->begun, ',');

	if (!comma)
		return;
	if (!c->fixed_len)
		c->fixed = c->begun;
	c->fixed_len = (int)(comma + 1 - c->fixed);
	c->begun = comma + 1;
}

static void offer_item(const struct completion *c, const char *word, const char *help)
{
	if (!in_list(c, word))
		complete_offer(c, word, help);
}

static void offer_words(const struct completion *c, const struct opt_word *words)
{
	for (; words && words->word; words++)
		offer_item(c, words->word, words->help);
}

static void offer_opcodes(const struct completion *c)
{
	const struct nvme_opcode *o;
	char word[64];

	for (unsigned int i = 0; (o = nvme_opcode_at(i)); i++) {
		snprintf(word, sizeof(word), "%s%s%s",
			 o->set == NVME_SET_IO ? "" : nvme_set_name(o->set),
			 o->set == NVME_SET_IO ? "" : ":", o->name);
		offer_item(c, word, o->id);
	}
}

static void offer_ctrls(const struct completion *c, const struct sysfs *s, bool names)
{
	char number[16];

	for (u32 i = 0; i < s->n_ctrls; i++) {
		snprintf(number, sizeof(number), "%" PRId32, s->ctrls[i].ctrl_id);
		offer_item(c, names ? s->ctrls[i].name : number, s->ctrls[i].model);
	}
}

static void offer_nsids(const struct completion *c, const struct sysfs *s)
{
	char number[16];

	for (u32 i = 0; i < s->n_ns; i++) {
		u32 first = 0;
		while (s->ns[first].nsid != s->ns[i].nsid)
			first++;
		snprintf(number, sizeof(number), "%" PRIu32, s->ns[i].nsid);
		if (first == i && s->ns[i].nsid)
			offer_item(c, number, s->ns[i].head);
	}
}

static void offer_devices(const struct completion *c, const struct sysfs *s)
{
	char size[UNITS_TEXT];

	offer_ctrls(c, s, true);
	for (u32 i = 0; i < s->n_ns; i++) {
		u32 first = 0;
		while (!streq(s->ns[first].head, s->ns[i].head))
			first++;
		if (first == i)
			offer_item(c, s->ns[i].head,
				   s->ns[i].size_bytes == UINT64_MAX
					   ? ""
					   : units_size_text(s->ns[i].size_bytes, size));
	}
	for (u32 i = 0; i < s->n_parts; i++)
		offer_item(c, s->parts[i].name, units_size_text(s->parts[i].size_bytes, size));
}

static void offer_present(const struct completion *c, enum opt_hint hint)
{
	struct sysfs s;

	if (!sysfs_read(&s, c->sys)) {
		if (hint == HINT_CTRL)
			offer_ctrls(c, &s, false);
		else if (hint == HINT_NSID)
			offer_nsids(c, &s);
		else
			offer_devices(c, &s);
	}
	sysfs_free(&s);
}

static void offer_pids(const struct completion *c)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char comm[32];
		if (entry->d_name[strspn(entry->d_name, "0123456789")])
			continue;
		if (comm_read((u32)strtoul(entry->d_name, NULL, 10), comm, sizeof(comm)))
			offer_item(c, entry->d_name, comm);
	}
	if (dir)
		closedir(dir);
}

/* True when a record before number @n has a field of that name, too. */
static bool in_earlier(const struct schema *const *schemas, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		for (const struct field *f = schemas[i]->fields; f->type; f++)
			if (streq(f->name, name))
				return true;
	return false;
}

/* Moves a sign in front of an item from c->begun to c->fixed. */
static void keep_sign(struct completion *c, const char *signs)
{
	if (!c->begun[0] || !strchr(signs, c->begun[0]))
		return;
	if (!c->fixed_len)
		c->fixed = c->begun;
	c->fixed_len++;
	c->begun++;
}

/*
 * Offers names of fields that text can print, as a list or an object is no column; `+` and `-` in
 * front of one add and drop it.
 */
static void offer_columns(struct completion *c, const struct cmd *cmd)
{
	keep_sign(c, "+-");
	for (u32 i = 0; cmd->schemas && cmd->schemas[i]; i++)
		for (const struct field *f = cmd->schemas[i]->fields; f->type; f++)
			if (!(f->flags & FIELD_NO_TEXT) && (f->type != FIELD_CALL || f->text) &&
			    !in_earlier(cmd->schemas, i, f->name))
				offer_item(c, f->name, f->help);
}

void complete_value(struct completion *c, const struct cmd *cmd, const struct opt *opt)
{
	if (opt->type != OPT_TYPE_ENUM)
		keep_list(c);
	if (opt->type == OPT_TYPE_LIST)
		keep_sign(c, "!");
	offer_words(c, opt->words);
	switch (opt->hint) {
	case HINT_NONE:
	case HINT_CONDITION:
		break;
	case HINT_FILE:
		fputs(":files\n", c->f);
		break;
	case HINT_DIR:
	case HINT_CGROUP:
		fputs(":dirs\n", c->f);
		break;
	case HINT_CTRL:
	case HINT_NSID:
	case HINT_DEVICE:
		offer_present(c, opt->hint);
		break;
	case HINT_OPCODE:
		offer_opcodes(c);
		break;
	case HINT_PID:
		offer_pids(c);
		break;
	case HINT_COLUMN:
		offer_columns(c, cmd);
		break;
	case HINT_FORMAT:
		offer_words(c, cmd->formats);
		break;
	}
}
