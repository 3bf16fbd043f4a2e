// SPDX-License-Identifier: GPL-2.0-or-later
/* Has lines of text fit the terminal: narrows columns, leaves columns out, folds free text. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/escape.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

#define LAST_LEAST  8 /* of a last column that does not say */
#define BELOW_LEAST 24 /* of one that goes on below */

u32 terminal_columns(int fd)
{
	const char *said = env_look("COLUMNS");
	struct winsize size = { 0 };
	unsigned long columns;

	if (!isatty(fd))
		return 0;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	columns = said && *said >= '0' && *said <= '9' ? strtoul(said, NULL, 10) : 0;
	return columns > 0 && columns < 10000 ? (u32)columns : 80;
}

static unsigned int max_of(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* The least width of a column. */
static unsigned int least(const struct column *c)
{
	const struct field *f = c->field;

	if (f->flags & FIELD_LAST)
		return max_of(c->key_len, f->flags & FIELD_FOLD ? BELOW_LEAST
					  : f->least		? f->least
								: LAST_LEAST);
	if (f->least && max_of(f->least, c->key_len) < c->width)
		return max_of(f->least, c->key_len);
	return c->width;
}

/* The width of the line, if the columns that are in it have their least one. */
static unsigned int least_line(const struct plan *p)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < p->n; i++)
		sum += p->columns[i].fit ? least(&p->columns[i]) + (sum > 0) : 0;
	return sum;
}

/* The column to be left out next: of the highest rank, else the last one. @n: how many there are. */
static struct column *wanted_least(const struct out *o, struct plan *p, unsigned int *n)
{
	struct column *found = NULL;

	*n = 0;
	for (unsigned int i = 0; i < p->n; i++) {
		struct column *c = &p->columns[i];

		if (!c->fit)
			continue;
		++*n;
		if (out_is_marked(o, c->field))
			continue;
		if (!found || c->field->rank >= found->field->rank)
			found = c;
	}
	return found;
}

/* Leaves out the columns that are wanted least, but for one. False if no more can be. */
static bool leave_out(const struct out *o, struct plan *p)
{
	unsigned int left;
	struct column *c = wanted_least(o, p, &left);
	u8 rank = c ? c->field->rank : 0;

	if (left < 2 || !c)
		return false;
	c->fit = 0;
	for (unsigned int i = p->n; rank && left > 2 && i--;) {
		struct column *also = &p->columns[i];

		if (also->fit && also->field->rank == rank && !out_is_marked(o, also->field)) {
			also->fit = 0;
			left--;
		}
	}
	return true;
}

/* The column to be narrowed next: the last one, then the widest. NULL: each has its least width. */
static struct column *widest(struct plan *p)
{
	struct column *found = NULL;

	for (unsigned int i = 0; i < p->n; i++) {
		struct column *c = &p->columns[i];

		if (c->fit <= least(c))
			continue;
		if (c->field->flags & FIELD_LAST)
			return c;
		if (!found || c->fit > found->fit)
			found = c;
	}
	return found;
}

static void narrow(struct plan *p, unsigned int room)
{
	unsigned int sum = 0;
	struct column *c;

	for (unsigned int i = 0; i < p->n; i++)
		sum += p->columns[i].fit ? p->columns[i].fit + (sum > 0) : 0;
	while (sum > room && (c = widest(p))) {
		c->fit--;
		sum--;
	}
}

void fit_columns(const struct out *o, struct plan *p)
{
	unsigned int before[OUT_COLUMNS] = { 0 }, i;

	if (p->fitted == o->room && !p->grown && p->n && p->columns[0].fit)
		return;
	for (i = 0; i < p->n; i++) {
		before[i] = p->columns[i].fit;
		p->columns[i].fit = p->columns[i].width;
		if (o->room && p->columns[i].field->flags & FIELD_LAST)
			p->columns[i].fit = max_of(o->room, least(&p->columns[i]));
	}
	if (o->room) {
		while (least_line(p) > o->room && leave_out(o, p))
			;
		narrow(p, o->room);
	}
	for (i = 0; i < p->n; i++)
		p->grown |= before[i] != p->columns[i].fit;
	p->fitted = o->room;
}

/* The length of the escape sequence that @s begins with: ESC [ parameters, and a letter. */
static size_t sequence(const char *s)
{
	size_t n = 2;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	while (s[n] && (s[n] < 0x40 || s[n] > 0x7e))
		n++;
	return n + (s[n] != '\0');
}

size_t fit_line(const char *s, unsigned int columns, const char **rest)
{
	const char *at = s, *blank = NULL;
	unsigned int width = 0, len;
	bool begun = false; /* blanks in front are the line's indent */

	*rest = NULL;
	for (; *at; at += len) {
		len = (unsigned int)sequence(at);
		if (len)
			continue;
		if (*at == ' ' && begun && at[-1] != ' ')
			blank = at;
		begun |= *at != ' ';
		width += escape_char_width(at, &len);
		if (width > columns)
			break;
	}
	if (*at) {
		at = blank ? blank : at;
		*rest = at + strspn(at, " ");
	}
	return (size_t)(at - s);
}
