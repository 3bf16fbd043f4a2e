// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame of SVG documents, and text in them. */
#include "lib/out/svg.h"

#include "lib/base/escape.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

#define COLUMN_WIDTH 6.65 /* pixels, of the widest of the fonts below */
#define TITLE_WIDTH  12.5 /* of a letter of the title, about */

/* Dark grey on white and light grey on nearly black have a contrast of at least 7 to 1. */
static const char common_style[] =
	"text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1a1a1a}\n"
	".title{font:600 20px system-ui,'DejaVu Sans',sans-serif}\n"
	".about{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#4a4a4a}\n"
	".where{text-anchor:end;fill:#4a4a4a}\n"
	".page{fill:#fff}\n"
	"@media (prefers-color-scheme:dark){.page{fill:#16181c}.title{fill:#eee}.about,.where{fill:#b8bcc4}"
	"}\n";

u32 svg_columns(double pixels)
{
	return pixels > 0 ? (u32)(pixels / COLUMN_WIDTH) : 0;
}

void svg_text(struct out *o, const char *s)
{
	out_xml(o, s, strlen(s), "&<>");
}

/* The bytes of @s that take at most @columns. */
static size_t bytes_within(const char *s, u32 columns)
{
	char one[8];
	size_t at = 0, len;

	for (; s[at]; at += len) {
		len = escape_utf8(s + at);
		len = len ? len : 1;
		snprintf(one, sizeof(one), "%.*s", (int)len, s + at);
		if (escape_width(one) > columns)
			break;
		columns -= escape_width(one);
	}
	return at;
}

void svg_text_cut(struct out *o, const char *s, u32 columns)
{
	bool fits = escape_width(s) <= columns;

	out_xml(o, s, bytes_within(s, fits ? columns : columns - 2), "&<>");
	out_text(o, fits ? "" : "..");
}

/* Writes @where flush right beside the title, as much of it as there is room for. */
static void put_where(struct out *o, const struct svg_head *head)
{
	double room = SVG_WIDTH - 3 * SVG_MARGIN - TITLE_WIDTH * (double)strlen(head->title);

	out_text(o, "<text class=\"where\" x=\"%d\" y=\"34\">", SVG_WIDTH - SVG_MARGIN);
	svg_text_cut(o, head->where, svg_columns(room));
	out_text(o, "</text>\n");
}

void svg_begin(struct out *o, u32 height, const struct svg_head *head)
{
	out_text(o,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" role=\"img\" "
		 "aria-labelledby=\"title about\" style=\"width:100%%;max-width:%dpx\">\n",
		 SVG_WIDTH, height, SVG_WIDTH);
	out_text(o, "<title id=\"title\">%s</title>\n<desc id=\"about\">", head->title);
	svg_text(o, head->where);
	out_text(o, ". ");
	svg_text(o, head->about);
	out_text(o, "</desc>\n<style>\n%s", common_style);
	out_text(o, "%s</style>\n", head->style);
	out_text(o, "<rect class=\"page\" width=\"%d\" height=\"%u\"/>\n", SVG_WIDTH, height);
	out_text(o, "<text class=\"title\" x=\"%d\" y=\"34\">%s</text>\n", SVG_MARGIN, head->title);
	put_where(o, head);
	out_text(o, "<text class=\"about\" x=\"%d\" y=\"58\">", SVG_MARGIN);
	svg_text(o, head->about);
	out_text(o, "</text>\n");
}

void svg_end(struct out *o)
{
	out_text(o, "</svg>\n");
}
