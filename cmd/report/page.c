// SPDX-License-Identifier: GPL-2.0-or-later
/* The page around the sections. */
#include "cmd/report/page.h"

#include "embed/embed.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

/* Writes the style, which lies in the binary. 0; -ENOMEM or -EBADMSG, as embed_unpack(). */
static int put_style(struct out *o)
{
	void *style;
	size_t size;
	int err = embed_unpack("style", "page", &style, &size);

	if (err)
		return err;
	out_bytes(o, style, size);
	free(style);
	out_text(o, "%s%s", heat_map_style, flame_style);
	return 0;
}

int page_begin(struct out *o, const char *title)
{
	int err;

	out_text(o, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		    "<head>\n<meta charset=\"utf-8\"/>\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		    "<title>");
	html_text(o, title);
	out_text(o, "</title>\n<style>\n");
	err = put_style(o);
	out_text(o, "</style>\n</head>\n<body>\n");
	return err;
}

void page_end(struct out *o)
{
	out_text(o, "</body>\n</html>\n");
}

void page_section(struct out *o, const char *id, const char *heading, const char *hint)
{
	out_text(o, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n", id,
		 id, id, heading);
	out_text(o, "<p class=\"hint\">%s</p>\n", hint);
}

void page_section_end(struct out *o)
{
	out_text(o, "</section>\n");
}

const char *page_file(const struct report *r, u32 side)
{
	const char *file = session_common(r->s)->run.input.word[side];
	const char *slash;

	if (!file)
		return "none, traced live";
	slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

void page_badge(const struct report *r, u32 side)
{
	if (r->sides > 1)
		out_text(r->o, "<span class=\"side\">%c</span>", PAGE_LETTER(side));
}

void page_side(const struct report *r, u32 side)
{
	if (r->sides < 2)
		return;
	out_text(r->o, "<h3>");
	page_badge(r, side);
	html_text(r->o, page_file(r, side));
	out_text(r->o, "</h3>\n");
}

void page_pair_begin(const struct report *r)
{
	out_text(r->o, "<div%s>\n", r->sides > 1 ? " class=\"pair\"" : "");
}

void page_pair_end(const struct report *r)
{
	out_text(r->o, "</div>\n");
}

void page_details(struct out *o, const char *summary)
{
	out_text(o, "<details><summary>%s</summary>\n", summary);
}

void page_details_end(struct out *o)
{
	out_text(o, "</details>\n");
}

void page_latencies(struct report *r, u32 side, enum report_table which, u32 n, const char *caption,
		    const char *columns)
{
	const struct group_table *table = r->side[side].table[which];
	struct latency_view *view = &r->view[which];
	struct latency_row row;
	struct html_table t;

	view->group.start_ns = r->side[side].start_ns; /* rates are of its own time */
	view->group.end_ns = r->side[side].end_ns;
	html_table_begin(&t, r->o, caption, view->fields, columns);
	for (u32 i = 0; i < n; i++) {
		latency_row_fill(&row, view, group_table_at(table, i));
		html_table_row(&t, &row);
	}
	html_table_end(&t);
}

void page_same(const struct report *r, u32 side, const char *command)
{
	if (!session_is_replay(r->s))
		return; /* what was live is over */
	out_text(r->o, "<p class=\"soft\">The same figures: <code>nvmetool %s -i ", command);
	html_text(r->o, page_file(r, side));
	out_text(r->o, "</code></p>\n");
}

void page_chart_begin(const struct page_chart *c)
{
	out_text(c->o, "<div class=\"chart\"><div class=\"y\" aria-hidden=\"true\">");
}

void page_chart_label(const struct page_chart *c, double y, const char *text)
{
	char at[FMT_NUMBER];

	out_text(c->o, "<span style=\"top:%s%%\">%s</span>", fmt_number(at, y * 100 / c->height, 2),
		 text);
}

void page_chart_picture(const struct page_chart *c)
{
	char width[FMT_NUMBER], height[FMT_NUMBER];

	out_text(c->o,
		 "</div>\n<svg class=\"%s\" viewBox=\"0 0 %s %s\" preserveAspectRatio=\"none\" "
		 "xmlns=\"http://www.w3.org/2000/svg\" shape-rendering=\"crispEdges\" role=\"img\" "
		 "aria-label=\"",
		 c->kind, fmt_number(width, c->width, 4), fmt_number(height, c->height, 0));
	html_text(c->o, c->name);
	out_text(c->o, "\">\n");
}

void page_chart_end(const struct page_chart *c)
{
	char text[PAGE_TIME];

	out_text(c->o, "</svg>\n");
	if (c->span_ns)
		out_text(c->o, "<div class=\"x\" aria-hidden=\"true\">");
	for (u32 i = 0; c->span_ns && i <= 4; i++)
		out_text(c->o, "<span%s>%s</span>", i % 2 ? " class=\"more\"" : "",
			 page_time(c->r, c->start_ns + c->span_ns / 4 * i, c->span_ns, text));
	out_text(c->o, "%s</div>\n", c->span_ns ? "</div>" : "");
}

void page_bars_begin(struct out *o, const char *name)
{
	out_text(o, "<div class=\"bars\" role=\"group\" aria-label=\"%s\">\n", name);
}

void page_bar(struct out *o, const char *name, const char *text, u64 count, u64 most, u64 total)
{
	char width[FMT_NUMBER], share[FMT_NUMBER];

	out_text(o, "<b>");
	html_text(o, name);
	out_text(o, "</b><em>%s, %s %%</em><span><i style=\"width:%s%%\"></i></span>\n", text,
		 fmt_number(share, (double)count * 100 / (double)total, 1),
		 fmt_number(width, (double)count * 100 / (double)most, 2));
}

void page_bars_end(struct out *o)
{
	out_text(o, "</div>\n");
}

const char *page_count(u64 count, char buf[PAGE_COUNT])
{
	snprintf(buf, PAGE_COUNT, "%llu", (unsigned long long)count);
	return buf;
}

const char *page_time(const struct report *r, u64 ns, u64 span_ns, char buf[PAGE_TIME])
{
	struct out_stamp stamp;

	out_stamp(&stamp, session_wall_ns(r->s, ns), out_opts(r->o)->utc,
		  span_ns < 20 * NSEC_PER_SEC ? 3 : 0);
	snprintf(buf, PAGE_TIME, "%s", stamp.time);
	return buf;
}
