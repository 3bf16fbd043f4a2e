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

/* True when @word is an item of @list (@len bytes), whatever sign stands before the item. */
static bool among(const char *list, size_t list_len, const char *word)
{
	size_t word_len = strlen(word);

	for (const char *end = list + list_len; list < end;) {
		size_t sign = strchr("+-!", *list) != NULL, len = 0;

		while (list + len < end && list[len] != ',')
			len++;
		if (len == sign + word_len && !memcmp(list + sign, word, word_len))
			return true;
		list += len + 1;
	}
	return false;
}

/* True when @word is one of the items before the last comma, or of the same option before. */
static bool in_list(const struct completion *c, const char *word)
{
	const char *p = memrchr(c->fixed, '=', (size_t)c->fixed_len);

	p = p ? p + 1 : c->fixed;
	if (among(p, (size_t)(c->fixed + c->fixed_len - p), word))
		return true;
	for (u32 i = 0; i < c->n_typed; i++)
		if (c->typed[i].opt == c->opt && c->typed[i].value &&
		    among(c->typed[i].value, strlen(c->typed[i].value), word))
			return true;
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
	char whole[1024];

	if (!has_prefix(word, c->begun) || in_list(c, word))
		return;
	snprintf(whole, sizeof(whole), "%.*s%s", c->fixed_len, c->fixed, word);
	if (complete_accepted(c, whole, NULL))
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

/* True if text can print field @f of record number @n: a list or an object is no column. */
static bool is_column(const struct cmd *cmd, u32 n, const struct field *f)
{
	return !(f->flags & FIELD_NO_TEXT) && (f->type != FIELD_CALL || f->text) &&
	       !in_earlier(cmd->schemas, n, f->name);
}

/* Offers columns; `+` and `-` in front of one add and drop it. */
static void offer_columns(struct completion *c, const struct cmd *cmd)
{
	keep_sign(c, "+-");
	for (u32 i = 0; cmd->schemas && cmd->schemas[i]; i++)
		for (const struct field *f = cmd->schemas[i]->fields; f->type; f++)
			if (is_column(cmd, i, f))
				offer_item(c, f->name, f->help);
}

static bool any_word(const struct completion *c, const char *name, const struct opt_word *words)
{
	for (; words && words->word; words++)
		if (complete_accepted(c, name, words->word))
			return true;
	return false;
}

static bool any_column(const struct completion *c, const char *name)
{
	const struct cmd *cmd = c->cmd;

	for (u32 i = 0; cmd->schemas && cmd->schemas[i]; i++)
		for (const struct field *f = cmd->schemas[i]->fields; f->type; f++)
			if (is_column(cmd, i, f) && complete_accepted(c, name, f->name))
				return true;
	return false;
}

/* Writes a value that @opt takes, if its type or hint tells one, else "1". */
static void example_value(const struct cmd *cmd, const struct opt *opt, char *buf, size_t size)
{
	char text[UNITS_TEXT];
	u64 least = opt->min ? opt->min : 1;

	snprintf(buf, size, "%s", opt->def ? opt->def : "1");
	if (opt->hint == HINT_CONDITION)
		expr_example(cmd->rows, buf, size);
	else if (opt->hint == HINT_FILE)
		snprintf(buf, size, "nvme-%%t.nvt");
	else if (opt->hint == HINT_DIR || opt->hint == HINT_CGROUP)
		snprintf(buf, size, "/");
	else if (opt->hint == HINT_DEVICE)
		snprintf(buf, size, "nvme1");
	else if (opt->hint == HINT_OPCODE)
		snprintf(buf, size, "read");
	else if (opt->hint == HINT_TIMES)
		snprintf(buf, size, "0-1");
	else if (opt->type == OPT_TYPE_TIME)
		snprintf(buf, size, "%s", units_time_text(least, text));
	else if (opt->type == OPT_TYPE_SIZE)
		snprintf(buf, size, "%s", units_size_text(least, text));
}

bool complete_any_value(const struct completion *c, const struct opt *opt, const char *name)
{
	char value[100];

	if (opt->hint == HINT_COLUMN)
		return any_column(c, name);
	if (any_word(c, name, opt->words))
		return true;
	if (opt->words && opt->type != OPT_TYPE_LIST)
		return opt->hint == HINT_FORMAT && any_word(c, name, c->cmd->formats);
	example_value(c->cmd, opt, value, sizeof(value));
	/* The name of the value is one where it shows the form: DEV=FILE. */
	return complete_accepted(c, name, value) || complete_accepted(c, name, opt->arg);
}

void complete_value(struct completion *c, const struct cmd *cmd, const struct opt *opt)
{
	c->opt = opt;
	if (opt->type != OPT_TYPE_ENUM)
		keep_list(c);
	if (opt->type == OPT_TYPE_LIST)
		keep_sign(c, "!");
	offer_words(c, opt->words);
	switch (opt->hint) {
	case HINT_NONE:
	case HINT_CONDITION:
	case HINT_TIMES:
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
