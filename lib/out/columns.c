// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the columns of a run, their order and headings, by format, out_show() and --columns. */
#include <ctype.h>
#include <strings.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

/* The visibility that out_show() set, else @otherwise. */
static bool shown(const struct out *o, const char *name, bool otherwise)
{
	unsigned int i = o->n_shows;

	while (i--) {
		if (streq(o->shows[i].name, name))
			return o->shows[i].visible;
	}
	return otherwise;
}

/* True if no format has the field in this run. */
static bool absent(const struct out *o, const struct field *f)
{
	return f->flags & FIELD_ABSENT && !shown(o, f->name, false);
}

/* True if the format can print this field at all. */
static bool printable(const struct out *o, const struct field *f)
{
	return !absent(o, f) && o->format->prints(f);
}

/* True if the field is printed unless --columns says otherwise. */
static bool by_default(const struct out *o, const struct field *f)
{
	bool hidden = f->flags & FIELD_HIDDEN;

	if (!printable(o, f))
		return false;
	if (o->format->all_fields)
		return true;
	if (f->flags & FIELD_NO_TEXT)
		return false;
	if (f->type == FIELD_TIME && hidden && o->opts->timestamp)
		return true;
	return shown(o, f->name, !hidden);
}

static bool same_word(const char *name, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (tolower((unsigned char)name[i]) != tolower((unsigned char)word[i]) &&
		    !(name[i] == '_' && word[i] == '-'))
			return false;
	}
	return !name[len];
}

/* True if @word of @len bytes is the name or heading of the field, whatever its case. */
static bool named(const struct field *f, const char *word, size_t len)
{
	return same_word(f->name, word, len) || (f->head && same_word(f->head, word, len));
}

/* True if JSON prints the field when it is named, though it has the value elsewhere (p99_ns). */
static bool by_name(const struct out *o, const struct field *f)
{
	return o->opts->format == OUT_JSON && f->flags & FIELD_NO_JSON && f->type != FIELD_CALL &&
	       !(f->flags & FIELD_ONLY_TEXT) && !absent(o, f);
}

static const struct field *find(const struct out *o, const struct plan *p, const char *word,
				size_t len)
{
	const struct field *f, *other = NULL;

	for (f = p->fields; f->type; f++) {
		if (!named(f, word, len))
			continue;
		if (printable(o, f))
			return f;
		if (by_name(o, f))
			other = f;
	}
	return other;
}

static void drop(struct plan *p, const struct field *f)
{
	unsigned int i, kept = 0;

	for (i = 0; i < p->n; i++) {
		if (p->columns[i].field != f)
			p->columns[kept++].field = p->columns[i].field;
	}
	p->n = kept;
}

/* Adds @f at the end unless it is there. */
static void add(struct plan *p, const struct field *f)
{
	unsigned int i;

	for (i = 0; i < p->n; i++) {
		if (p->columns[i].field == f)
			return;
	}
	if (p->n < OUT_COLUMNS)
		p->columns[p->n++].field = f;
}

/* Applies one item of --columns. True if some record has the column. */
static bool choose(struct out *o, const char *item, size_t len)
{
	char sign = *item;
	bool known = false;
	const struct field *f;
	unsigned int i;

	if (sign == '+' || sign == '-') {
		item++;
		len--;
	}
	for (i = 0; i < o->n_plans; i++) {
		f = find(o, &o->plans[i], item, len);
		if (!f)
			continue;
		known = true;
		if (sign == '-')
			drop(&o->plans[i], f);
		else
			add(&o->plans[i], f);
	}
	return known;
}

/* True if JSON has a value of that name which is no column: a list or an object. */
static bool only_json(const struct out *o, const char *item, size_t len)
{
	u32 sign = *item == '+' || *item == '-';

	for (unsigned int i = 0; i < o->n_plans; i++) {
		for (const struct field *f = o->plans[i].fields; f->type; f++) {
			if (f->emit && !absent(o, f) && named(f, item + sign, len - sign))
				return true;
		}
	}
	return false;
}

/* Reports a usage error that lists the columns that exist. */
static int unknown_column(const struct out *o, const char *item, size_t len)
{
	char names[2048] = "choose from ";
	size_t n = strlen(names);
	const struct field *f;
	unsigned int i, k;

	if (o->opts->format != OUT_JSON && only_json(o, item, len))
		return fail_usage("only JSON has it", "add --json", "--columns '%.*s'", (int)len,
				  item);
	for (i = 0; i < o->n_plans; i++) {
		for (f = o->plans[i].fields; f->type; f++) {
			for (k = 0; k < i && !find(o, &o->plans[k], f->name, strlen(f->name)); k++)
				;
			if (k == i && printable(o, f) && n < sizeof(names) - 1)
				n += (size_t)snprintf(names + n, sizeof(names) - n, "%s ", f->name);
		}
	}
	if (n > sizeof(names) - 1)
		n = sizeof(names) - 1;
	names[n - 1] = '\0';
	return fail_usage("no such column", names, "--columns '%.*s'", (int)len, item);
}

/* Applies --columns; a list that names a column without a sign replaces the default columns. */
static int choose_all(struct out *o)
{
	const char *item = o->opts->columns;
	bool plain = false;
	unsigned int i;
	size_t len;

	for (; *item; item += len + (item[len] == ',')) {
		len = strcspn(item, ",");
		plain |= len && *item != '+' && *item != '-';
	}
	for (i = 0; plain && i < o->n_plans; i++)
		o->plans[i].n = 0;
	for (item = o->opts->columns; *item; item += len + (item[len] == ',')) {
		len = strcspn(item, ",");
		if (!choose(o, item, len))
			return unknown_column(o, item, len);
	}
	return 0;
}

/* What --columns says of @f: 1: to print it, -1: not to, 0: nothing. */
static int listed(const struct out *o, const struct field *f)
{
	const char *item = o->opts->columns;
	int is = 0;
	size_t len;

	for (; item && *item; item += len + (item[len] == ',')) {
		bool sign = *item == '+' || *item == '-';

		len = strcspn(item, ",");
		if (named(f, item + sign, len - sign))
			is = *item == '-' ? -1 : 1;
		else if (len && !sign && !is)
			is = -1;
	}
	return is;
}

u32 out_needs(const struct out *o)
{
	u32 needs = 0;

	for (u32 i = 0; i < o->n_plans; i++) {
		for (const struct field *f = o->plans[i].fields; f->type; f++) {
			int is = listed(o, f);

			if (!is && (!(f->flags & FIELD_COSTLY) || shown(o, f->name, false)))
				is = by_default(o, f);
			if (is > 0 && printable(o, f))
				needs |= f->needs;
		}
	}
	return needs;
}

static void headings(const struct out *o, struct plan *p)
{
	unsigned int i;

	for (i = 0; i < p->n; i++) {
		o->format->heading(o, &p->columns[i]);
		p->columns[i].key_len = (unsigned int)strlen(p->columns[i].key);
	}
	snprintf(p->type_text, sizeof(p->type_text), "%s%s%s", o->format->type_begin,
		 p->schema->type, o->format->type_end);
	p->type_len = (unsigned int)strlen(p->type_text);
}

int out_plan(struct out *o)
{
	const struct field *f;
	unsigned int i;
	int err;

	for (i = 0; i < o->n_plans; i++) {
		o->plans[i].n = 0;
		o->plans[i].columns = calloc(OUT_COLUMNS, sizeof(*o->plans[i].columns));
		if (!o->plans[i].columns)
			return fail(-ENOMEM, NULL, NULL, "cannot write output");
		for (f = o->plans[i].fields; f->type; f++) {
			if (by_default(o, f))
				add(&o->plans[i], f);
		}
	}
	if (o->opts->columns) {
		err = choose_all(o);
		if (err)
			return err;
	}
	for (i = 0; i < o->n_plans; i++)
		headings(o, &o->plans[i]);
	if (o->format->open && o->format->open(o))
		return fail(-ENOMEM, NULL, NULL, "cannot write output");
	return 0;
}

int out_share_heading(struct out *o)
{
	unsigned int i, c, k;

	for (i = 0; i < o->n_plans; i++)
		memset(o->plans[i].place, 0xff, sizeof(o->plans[i].place));
	for (i = 0; i < o->n_plans; i++) {
		for (c = 0; c < o->plans[i].n; c++) {
			for (k = 0; k < o->n_heads; k++) {
				if (streq(o->heads[k], o->plans[i].columns[c].field->name))
					break;
			}
			if (k == OUT_COLUMNS)
				break;
			if (k == o->n_heads)
				o->heads[o->n_heads++] = o->plans[i].columns[c].field->name;
			o->plans[i].place[k] = (s16)c;
		}
	}
	return 0;
}
