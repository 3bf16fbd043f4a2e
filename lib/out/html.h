// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text and tables in pages of HTML that are well-formed XML, too. A value reads as it does in text:
 * the same unit, heading and escapes.
 */
#ifndef NVT_OUT_HTML_H
#define NVT_OUT_HTML_H

#include "lib/out/out.h"

/*
 * Writes @s, escaped as out_text_safe() does, as character data or between the quotes of an
 * attribute; at most about a thousand bytes of it. NULL is a name that is not known: "-", as in text.
 */
void html_text(struct out *o, const char *s);
/*
 * Writes markup, printf-like: text by html_text() (%s), whole numbers (%u, and PRIu64), others with so
 * many decimals (%.2f), characters (%c), and %%.
 */
__attribute__((format(printf, 2, 3))) void html_print(struct out *o, const char *format, ...);
/* Writes text that escape_text() made, whole: html_text() would escape it again. */
void html_escaped(struct out *o, const char *s);

#define HTML_COLUMNS 24

/* A table of records. */
struct html_table {
	struct out *o;
	const struct field *columns[HTML_COLUMNS];
	u32 n;
};

/*
 * Begins a table that @caption names. @names, a comma list, chooses and orders the columns among
 * @fields; names that are not there are left out.
 */
void html_table_begin(struct html_table *t, struct out *o, const char *caption,
		      const struct field *fields, const char *names);
void html_table_row(const struct html_table *t, const void *row);
void html_table_end(const struct html_table *t);

#endif
