// SPDX-License-Identifier: GPL-2.0-or-later
/* Folds rows into lines of words, and prints them for flame graph tools. */
#include "lib/view/fold.h"

#include <errno.h>
#include <limits.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

#define KEY_MAX (PATH_MAX + 32) /* "cgroup=" and the longest value, a path */

/* Where the words of a row go. */
struct words {
	stacks_word_fn *word;
	void *ctx;
};

static enum stacks_word kind_of(const char *frame, size_t len, bool user)
{
	if (*frame == '[')
		return STACKS_WORD_MARK;
	if (user)
		return STACKS_WORD_USER;
	return frame[len - 1] == ']' ? STACKS_WORD_MODULE : STACKS_WORD_KERNEL;
}

/* Hands on the frames of @text in reverse order: the outermost, which is the last, comes first. */
static void frame_words(const struct words *to, const char *text, bool user)
{
	size_t end = text ? strlen(text) : 0, at;

	while (end) {
		for (at = end; at && text[at - 1] != ';'; at--)
			;
		if (at < end)
			to->word(to->ctx, kind_of(text + at, end - at, user), text + at, end - at);
		end = at ? at - 1 : 0;
	}
}

static void key_words(const struct words *to, const struct stacks_view *view,
		      const struct stacks_row *row)
{
	struct group_word w = { 0 };
	char key[KEY_MAX];

	while (group_word_next(&w, &view->group, &row->keys)) {
		snprintf(key, sizeof(key), "%s=%s", w.label, w.value);
		to->word(to->ctx, STACKS_WORD_MARK, key, strlen(key));
	}
}

void stacks_words(const struct stacks_view *view, const struct stacks_row *row,
		  stacks_word_fn *word, void *ctx)
{
	const struct words to = { word, ctx };

	key_words(&to, view, row);
	if (row->worker)
		word(ctx, STACKS_WORD_MARK, "[worker]", strlen("[worker]"));
	if (!row->lost || !row->kstack)
		frame_words(&to, row->ustack, true);
	frame_words(&to, row->kstack, false);
}

/* A folded line in the making. */
struct fold {
	FILE *to;
	bool begun;
};

/* Adds a word, with ';' in front of all but the first, and ',' for each ';' in it. */
static void fold_word(void *ctx, enum stacks_word kind, const char *text, size_t len)
{
	struct fold *fold = ctx;

	(void)kind;
	if (fold->begun)
		fputc(';', fold->to);
	fold->begun = true;
	for (size_t i = 0; i < len; i++)
		fputc(text[i] == ';' ? ',' : text[i], fold->to);
}

void stacks_fold(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	char *line = NULL;
	size_t size = 0;
	struct fold fold = { .to = open_memstream(&line, &size) };

	if (fold.to) {
		stacks_words(view, row, fold_word, &fold);
		fprintf(fold.to, " %llu", (unsigned long long)row->weight);
	}
	if (fold.to && !fclose(fold.to))
		out_line(o, line);
	else
		fail(-ENOMEM, NULL, NULL, "cannot print a row");
	free(line);
}
