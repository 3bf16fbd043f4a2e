// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks as text, and folded for flame graphs. */
#include <errno.h>

#include "cmd/stacks/row.h"
#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define FRAME_MAX 1024

static void draw_key(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	struct group_word w = { 0 };

	out_text(o, "stack:");
	while (group_word_next(&w, &view->group, &row->keys)) {
		out_text(o, " %s=", w.label);
		out_text_safe(o, w.value);
	}
	out_text(o, "%s%s\n", row->worker ? " [worker]" : "", row->lost ? " [lost]" : "");
}

static void draw_frames(struct out *o, const char *text)
{
	char frame[FRAME_MAX];
	size_t len;

	for (; text && *text; text += len + (text[len] == ';')) {
		len = strcspn(text, ";");
		snprintf(frame, sizeof(frame), "%.*s", (int)len, text);
		out_text(o, "    ");
		out_text_safe(o, frame);
		out_text(o, "\n");
	}
}

static void draw_figures(struct out *o, const struct stacks_view *view,
			 const struct stacks_row *row)
{
	char text[64], share[FMT_NUMBER];

	out_text(o, "count %llu", (unsigned long long)row->count);
	if (!view->functions) {
		if (row->errors != ~0ULL)
			out_text(o, ", errors %llu", (unsigned long long)row->errors);
		out_text(o, ", bytes %llu, total(%s) %s", (unsigned long long)row->bytes,
			 hist_unit(o), hist_text(o, row->lat_ns, false, text));
		out_text(o, ", avg(%s) %s", hist_unit(o),
			 hist_text(o, row->count ? row->lat_ns / row->count : 0, false, text));
	}
	if (view->total)
		out_text(o, ", %s %%",
			 fmt_number(share, (double)row->weight * 100 / (double)view->total, 1));
	out_text(o, "\n\n");
}

void stacks_draw(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	draw_key(o, view, row);
	draw_frames(o, row->kstack);
	if (row->kstack && row->ustack)
		out_text(o, "    --\n");
	draw_frames(o, row->ustack);
	if (view->cfg->flags & STACKS_HIST)
		hist_draw(o, view->columns, 0, &row->hist);
	draw_figures(o, view, row);
}

/* A folded line in the making. */
struct fold {
	FILE *to;
	bool begun;
};

/* Writes @word with ',' for each ';', because ';' separates the words. */
static void fold_text(struct fold *fold, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fputc(word[i] == ';' ? ',' : word[i], fold->to);
}

/* Adds a word to the line, with ';' in front of all but the first. */
static void fold_word(struct fold *fold, const char *word, size_t len)
{
	if (fold->begun)
		fputc(';', fold->to);
	fold->begun = true;
	fold_text(fold, word, len);
}

/* Adds the frames of @text in reverse order: the outermost, which is the last, comes first. */
static void fold_frames(struct fold *fold, const char *text)
{
	size_t end = text ? strlen(text) : 0, at;

	while (end) {
		for (at = end; at && text[at - 1] != ';'; at--)
			;
		fold_word(fold, text + at, end - at);
		end = at ? at - 1 : 0;
	}
}

static void fold_row(struct fold *fold, const struct stacks_view *view,
		     const struct stacks_row *row)
{
	struct group_word w = { 0 };

	while (group_word_next(&w, &view->group, &row->keys)) {
		fold_word(fold, w.label, strlen(w.label));
		fputc('=', fold->to);
		fold_text(fold, w.value, strlen(w.value));
	}
	if (row->worker)
		fold_word(fold, "[worker]", strlen("[worker]"));
	if (!row->lost || !row->kstack)
		fold_frames(fold, row->ustack);
	fold_frames(fold, row->kstack);
	fprintf(fold->to, " %llu", (unsigned long long)row->weight);
}

void stacks_fold(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	char *line = NULL;
	size_t size = 0;
	struct fold fold = { .to = open_memstream(&line, &size) };

	if (fold.to)
		fold_row(&fold, view, row);
	if (fold.to && !fclose(fold.to))
		out_line(o, line);
	else
		fail(-ENOMEM, NULL, NULL, "cannot print a row");
	free(line);
}
