// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of `stacks` as a line of words: keys, then frames from the outermost on. */
#ifndef NVT_VIEW_FOLD_H
#define NVT_VIEW_FOLD_H

#include "lib/view/stacks_row.h"

enum stacks_word {
	STACKS_WORD_MARK, /* a key of --by, or [worker], [lost], [no user stack] */
	STACKS_WORD_USER,
	STACKS_WORD_KERNEL,
	STACKS_WORD_MODULE, /* a kernel function of a module */
	STACKS_WORDS
};

/* Gets a word of @len bytes, which no NUL ends. */
typedef void stacks_word_fn(void *ctx, enum stacks_word kind, const char *text, size_t len);

/* Hands each word of the line to @word, in order. */
void stacks_words(const struct stacks_view *view, const struct stacks_row *row,
		  stacks_word_fn *word, void *ctx);

/* Prints the line as flame graph tools read it: words with ';' between, then the weight. */
void stacks_fold(struct out *o, const struct stacks_view *view, const struct stacks_row *row);

#endif
