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

/*
 * Takes "ffffffffc0561230 t nvme_setup_cmd\t[nvme_core]" apart: the function's name, of *@len
 * bytes. NULL: it is none.
 */
static const char *take_function(const char *line, u64 *addr, char *type, size_t *len)
{
	char *end;

	*addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]))
		return NULL;
	*type = end[1];
	*len = strcspn(end + 3, "\t\n");
	return end + 3;
}

static void read_line(struct ksyms *k, const char *line)
{
	struct symtab_entry entry = { 0 };
	const char *name, *module;
	size_t len;
	char type;

	name = take_function(line, &entry.addr, &type, &len);
	if (!name)
		return;
	k->hidden &= entry.addr == 0;
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

/* Reads up to the first function that has an address: where they are shown, a line or two. */
static bool shows_none(FILE *file)
{
	char *line = NULL, type;
	size_t size = 0, len;
	bool none = true;
	u64 addr;

	while (none && getline(&line, &size, file) > 0)
		none = !take_function(line, &addr, &type, &len) || !addr;
	free(line);
	rewind(file);
	return none;
}

bool ksyms_hidden(struct ksyms *k)
{
	return k->file ? shows_none(k->file) : k->hidden;
}

static void note_address(const char *name, size_t len, u64 addr, const char *const *names, u32 n,
			 u64 *found)
{
	u32 last = n;

	for (u32 i = 0; i < n; i++) {
		if (strlen(names[i]) != len || memcmp(names[i], name, len) != 0)
			continue;
		last = i;
		if (!found[i]) {
			found[i] = addr;
			return;
		}
	}
	if (last < n)
		found[last] = UINT64_MAX;
}

int ksyms_addresses(const char *path, const char *const *names, u32 n, u64 *addr)
{
	FILE *file = fopen(path ? path : "/proc/kallsyms", "re");
	char *line = NULL, type;
	size_t size = 0, len;
	bool hidden = true;
	u64 at;

	memset(addr, 0, n * sizeof(*addr));
	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0) {
		const char *name = take_function(line, &at, &type, &len);

		hidden &= !name || !at;
		if (name && at)
			note_address(name, len, at, names, n, addr);
	}
	for (u32 i = 0; i < n; i++)
		addr[i] = addr[i] == UINT64_MAX ? 0 : addr[i];
	free(line);
	fclose(file);
	return hidden ? -EPERM : 0;
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
