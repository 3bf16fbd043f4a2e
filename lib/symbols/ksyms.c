// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads kallsyms once, keeping functions only. */
#include "lib/symbols/ksyms.h"

#include <errno.h>

#include "lib/base/str.h"

struct ksyms {
	FILE *file; /* open until it was read */
	struct symtab table;
	char module_name[64]; /* module of the last line: its functions come in a row */
	u32 module;
	bool hidden;
};

int ksyms_open(struct ksyms **k, const char *path)
{
	*k = calloc(1, sizeof(**k));
	if (!*k)
		return -ENOMEM;
	(*k)->file = fopen(path ? path : "/proc/kallsyms", "re");
	if (!(*k)->file) {
		int err = -errno;

		free(*k);
		*k = NULL;
		return err;
	}
	return 0;
}

static u32 module_text(struct ksyms *k, const char *name, size_t len)
{
	if (len >= sizeof(k->module_name))
		len = sizeof(k->module_name) - 1;
	if (strlen(k->module_name) != len || memcmp(k->module_name, name, len) != 0) {
		memcpy(k->module_name, name, len);
		k->module_name[len] = '\0';
		k->module = symtab_text(&k->table, name, len);
	}
	return k->module;
}

/* "ffffffffc0561230 t nvme_setup_cmd\t[nvme_core]" */
static void read_line(struct ksyms *k, const char *line)
{
	struct symtab_entry entry = { 0 };
	const char *name, *module;
	char *end, type;
	size_t len;

	entry.addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	type = end[1];
	if (!strchr("tTwW", type))
		return;
	k->hidden &= entry.addr == 0;
	name = end + 3;
	len = strcspn(name, "\t\n");
	if (!entry.addr || !len)
		return;
	module = name + len;
	if (has_prefix(module, "\t["))
		entry.module = module_text(k, module + 2, strcspn(module + 2, "]\n"));
	entry.weight = type != 'T'; /* global names before local ones */
	entry.name = symtab_text(&k->table, name, len);
	if (entry.name)
		symtab_add(&k->table, &entry);
}

static void load(struct ksyms *k)
{
	char *line = NULL;
	size_t size = 0;

	if (!k->file)
		return;
	k->hidden = true;
	while (getline(&line, &size, k->file) > 0)
		read_line(k, line);
	free(line);
	fclose(k->file);
	k->file = NULL;
	symtab_sort(&k->table);
}

void ksyms_find(struct ksyms *k, u64 addr, struct sym *sym)
{
	memset(sym, 0, sizeof(*sym));
	load(k);
	symtab_find(&k->table, addr, sym);
}

bool ksyms_hidden(struct ksyms *k)
{
	load(k);
	return k->hidden;
}

void ksyms_close(struct ksyms *k)
{
	if (!k)
		return;
	if (k->file)
		fclose(k->file);
	symtab_free(&k->table);
	free(k);
}
