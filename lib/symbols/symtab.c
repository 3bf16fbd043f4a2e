// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by address. */
#include "lib/symbols/symtab.h"

#include <errno.h>

#include "lib/base/array.h"
#include "lib/base/str.h"

/* No function is longer: an address further behind a symbol than this belongs to none. */
#define REACH (1U << 20)
/*
 * The same for the last function of a module: behind it another module may have been loaded, which
 * begins on a page of its own.
 */
#define REACH_LAST 4096
/*
 * Bound on the bytes of all names. The buffer, at most four times as large, still fits in 32 bits.
 */
#define TEXT_MAX (256U << 20)

u32 symtab_text(struct symtab *t, const char *s, size_t len)
{
	u32 at;

	if (len > TEXT_MAX || t->text_len > TEXT_MAX)
		return 0;
	if (!t->text || t->text_len + len + 1 > t->text_room) {
		u32 room = 2 * (t->text_len + (u32)len) + 4096;
		char *bigger = realloc(t->text, room);

		if (!bigger)
			return 0;
		if (!t->text)
			bigger[t->text_len++] = '\0'; /* offset 0 is no name */
		t->text = bigger;
		t->text_room = room;
	}
	at = t->text_len;
	memcpy(t->text + at, s, len);
	t->text[at + len] = '\0';
	t->text_len += (u32)len + 1;
	return at;
}

int symtab_add(struct symtab *t, const struct symtab_entry *entry)
{
	if (!array_grow((void **)&t->entry, t->n, &t->room, sizeof(*entry)))
		return -ENOMEM;
	t->entry[t->n++] = *entry;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

void symtab_sort(struct symtab *t)
{
	if (t->n)
		qsort(t->entry, t->n, sizeof(*t->entry), compare);
}

/* Returns the index of the first entry that begins above @addr. */
static u32 above(const struct symtab *t, u64 addr)
{
	u32 lo = 0, hi = t->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->entry[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Returns how far the function @e reaches; @next is the index of the entry behind it. */
static u32 reach(const struct symtab *t, const struct symtab_entry *e, u32 next)
{
	if (e->size)
		return e->size;
	return e->module && (next == t->n || t->entry[next].module != e->module) ? REACH_LAST
										 : REACH;
}

bool symtab_find(const struct symtab *t, u64 addr, struct sym *sym)
{
	u32 next = above(t, addr), at = next;
	const struct symtab_entry *e;

	if (!at)
		return false;
	at--;
	while (at && t->entry[at - 1].addr == t->entry[at].addr)
		at--;
	e = &t->entry[at];
	if (addr - e->addr >= reach(t, e, next))
		return false;
	sym->name = t->text + e->name;
	sym->module = e->module ? t->text + e->module : NULL;
	sym->offset = addr - e->addr;
	return true;
}

void symtab_free(struct symtab *t)
{
	free(t->entry);
	free(t->text);
	memset(t, 0, sizeof(*t));
}

/* Shortens a name that is too long: its begin, '~', and FNV-1a of all of it. */
static const char *name_within(const char *name, char buf[SYM_NAME_MAX + 1])
{
	u64 hash = 0xcbf29ce484222325ULL;

	if (strnlen(name, SYM_NAME_MAX + 1) <= SYM_NAME_MAX)
		return name;
	for (const char *c = name; *c; c++)
		hash = (hash ^ (u8)*c) * 0x100000001b3ULL;
	snprintf(buf, SYM_NAME_MAX + 1, "%.*s~%016llx", SYM_NAME_MAX - 17, name,
		 (unsigned long long)hash);
	return buf;
}

const char *symtab_format(char *buf, size_t size, u64 addr, const struct sym *sym, bool offsets)
{
	char name[24] = "", offset[24] = "", within[SYM_NAME_MAX + 1];

	if (!sym->name)
		snprintf(name, sizeof(name), "0x%llx", (unsigned long long)addr);
	else if (offsets)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)sym->offset);
	snprintf(buf, size, "%s%s%s%s%s", sym->name ? name_within(sym->name, within) : name, offset,
		 sym->module ? " [" : "", sym->module ? sym->module : "", sym->module ? "]" : "");
	return buf;
}
