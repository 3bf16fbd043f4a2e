// SPDX-License-Identifier: GPL-2.0-or-later
/* Records as tables of HTML. */
#include "lib/out/html.h"

#include <inttypes.h>
#include <stdarg.h>

#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

void html_escaped(struct out *o, const char *s)
{
	out_xml(o, s, strlen(s), "&<>\"");
}

void html_text(struct out *o, const char *s)
{
	char text[OUT_VALUE_TEXT];

	escape_text(s ? s : "-", text, sizeof(text));
	html_escaped(o, text);
}

/* Writes the value of a conversion, whose name is at @format; returns what comes behind that. */
static const char *put_value(struct out *o, const char *format, va_list *args)
{
	char number[FMT_NUMBER];

	switch (*format) {
	case 's':
		html_text(o, va_arg(*args, const char *));
		return format + 1;
	case 'u':
		out_text(o, "%u", va_arg(*args, unsigned int));
		return format + 1;
	case 'l':
		out_text(o, "%" PRIu64, va_arg(*args, u64));
		return format + strlen(PRIu64);
	case '.':
		fmt_number(number, va_arg(*args, double), (u32)(format[1] - '0'));
		out_text(o, "%s", number);
		return format + strlen(".2f");
	default:
		out_text(o, "%c", *format == 'c' ? va_arg(*args, int) : '%');
		return format + 1;
	}
}

void html_print(struct out *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	while (*format) {
		size_t n = strcspn(format, "%");

		out_text_piece(o, format, n);
		format += n;
		if (*format)
			format = put_value(o, format + 1, &args);
	}
	va_end(args);
}

static const struct field *find(const struct field *fields, const char *name)
{
	for (; fields->type; fields++)
		if (streq(fields->name, name))
			return fields;
	return NULL;
}

/* Columns of words read from the left, those of numbers to the right. */
static bool is_number(const struct field *f)
{
	return f->width >= 0 && f->type != FIELD_STR && f->type != FIELD_CHARS;
}

static void put_heading(struct out *o, const struct field *f)
{
	struct column c = { .field = f };

	o->format->heading(o, &c);
	out_text(o, "<th scope=\"col\"%s", is_number(f) ? " class=\"n\"" : "");
	html_print(o, " title=\"%s\">%s</th>", f->help ? f->help : c.key, c.key);
}

void html_table_begin(struct html_table *t, struct out *o, const char *caption,
		      const struct field *fields, const char *names)
{
	char name[OUT_NAME_MAX];

	*t = (struct html_table){ .o = o };
	html_print(o,
		   "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
		   "<table><caption>%s</caption><thead><tr>",
		   caption, caption);
	while (t->n < HTML_COLUMNS && str_word(&names, ',', name, sizeof(name))) {
		t->columns[t->n] = find(fields, name);
		if (!t->columns[t->n])
			continue;
		put_heading(o, t->columns[t->n++]);
	}
	out_text(o, "</tr></thead><tbody>\n");
}

static const char *class_of(const struct field *f, const void *row)
{
	bool number = is_number(f);

	if (f->bad && f->bad(row))
		return number ? " class=\"n bad\"" : " class=\"bad\"";
	return number ? " class=\"n\"" : "";
}

void html_table_row(const struct html_table *t, const void *row)
{
	char text[OUT_VALUE_TEXT];
	unsigned int width;

	out_text(t->o, "<tr>");
	for (u32 i = 0; i < t->n; i++) {
		out_text(t->o, "<td%s>", class_of(t->columns[i], row));
		*out_value_text(t->o, t->columns[i], row, text, &width) = '\0';
		html_escaped(t->o, text);
		out_text(t->o, "</td>");
	}
	out_text(t->o, "</tr>\n");
}

void html_table_end(const struct html_table *t)
{
	out_text(t->o, "</tbody></table></div>\n");
}
