// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draws flame graphs. Stacks are kept as lines of words and sorted, so that stacks with a frame in
 * common stand together; a frame then begins with the first of its lines and ends behind the last.
 */
#include "lib/view/flame.h"

#include <errno.h>

#include "lib/view/fold.h"
#include "lib/base/array.h"
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/out/svg.h"

#define DEPTH_MAX  (2 * VIEW_FRAMES + 16) /* both stacks, keys and marks */
#define FRAMES_MAX 20000
#define HEAD	   96 /* pixels above the frames: title, legend */
#define FOOT	   16
#define ROW	   17 /* height of a frame and the gap to the next */
#define PLOT	   ((double)(SVG_WIDTH - 2 * SVG_MARGIN))

/* Ends a word. It sorts before all that is left in escaped text, so a stack precedes its callees. */
#define SEPARATOR '\x01'

struct line {
	char *words; /* each begins with the digit of its enum stacks_word */
	u64 weight;
};

struct flame {
	struct line *lines;
	u32 n, room;
	u64 total;
};

/* A frame with its place: weights add up from the left. */
struct frame {
	char *word; /* its kind, then its name up to the separator */
	u32 depth;
	u64 from, weight;
};

typedef void frame_fn(void *ctx, const struct frame *frame);

struct flame *flame_open(void)
{
	return calloc(1, sizeof(struct flame));
}

void flame_close(struct flame *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		free(f->lines[i].words);
	if (f)
		free(f->lines);
	free(f);
}

/* The words of a line in the making. */
struct writing {
	FILE *to;
	bool no_memory;
};

/* Writes a word whole: frames that are cut could become equal, and share a box. */
static void put_word(void *ctx, enum stacks_word kind, const char *text, size_t len)
{
	struct writing *w = ctx;
	char *word = strndup(text, len), safe[256];
	const char *left = word;

	fprintf(w->to, "%d", kind);
	while (left && *left) {
		size_t n = escape_name(&left, "", safe, sizeof(safe));

		fwrite(safe, 1, n, w->to);
	}
	fputc(SEPARATOR, w->to);
	w->no_memory |= !word;
	free(word);
}

static char *words_of(const struct stacks_view *view, const struct stacks_row *row)
{
	char *words = NULL;
	size_t size = 0;
	struct writing w = { .to = open_memstream(&words, &size) };

	if (!w.to)
		return NULL;
	stacks_words(view, row, put_word, &w);
	if (!fclose(w.to) && !w.no_memory)
		return words;
	free(words);
	return NULL;
}

int flame_add(struct flame *f, const struct stacks_view *view, const struct stacks_row *row)
{
	char *words = NULL;

	if (array_grow((void **)&f->lines, f->n, &f->room, sizeof(*f->lines)))
		words = words_of(view, row);
	if (!words)
		return -ENOMEM;
	f->lines[f->n++] = (struct line){ words, row->weight };
	f->total += row->weight;
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->words, ((const struct line *)b)->words);
}

/* The length of a word with its separator. */
static size_t word_len(const char *word)
{
	return strcspn(word, (char[]){ SEPARATOR, '\0' }) + 1;
}

/* How many of the @depth open frames @words begins with; *rest is what comes behind them. */
static u32 words_shared(const struct frame *open, u32 depth, char *words, char **rest)
{
	u32 shared = 0;
	size_t len;

	for (; shared < depth; shared++, words += len) {
		len = word_len(open[shared].word);
		if (strncmp(words, open[shared].word, len) != 0)
			break;
	}
	*rest = words;
	return shared;
}

/* Calls @each for every frame, when its last line is over. The lines are sorted. */
static void flame_walk(const struct flame *f, frame_fn *each, void *ctx)
{
	struct frame open[DEPTH_MAX];
	char *rest = NULL;
	u32 depth = 0, shared;
	u64 at = 0;

	for (size_t i = 0; i <= f->n; i++) {
		shared = i < f->n ? words_shared(open, depth, f->lines[i].words, &rest) : 0;
		while (depth > shared) {
			depth--;
			open[depth].weight = at - open[depth].from;
			each(ctx, &open[depth]);
		}
		for (; i < f->n && *rest && depth < DEPTH_MAX; rest += word_len(rest), depth++)
			open[depth] = (struct frame){ rest, depth, at, 0 };
		at += i < f->n ? f->lines[i].weight : 0;
	}
}

/* The part of the stacks that the picture has room for. */
struct plan {
	u64 least; /* weight of the lightest frame that is drawn */
	u32 drawn, left_out, depth;
};

static void plan_frame(void *ctx, const struct frame *frame)
{
	struct plan *plan = ctx;

	if (frame->weight < plan->least || !frame->weight) {
		plan->left_out++;
		return;
	}
	plan->drawn++;
	if (plan->depth < frame->depth + 1)
		plan->depth = frame->depth + 1;
}

static struct plan plan_of(struct flame *f, u32 most)
{
	u64 least = f->total / (u64)(2 * PLOT);
	struct plan plan;

	if (f->n) /* qsort() takes no NULL */
		qsort(f->lines, f->n, sizeof(*f->lines), compare_lines);
	for (;; least += least / 8 + 1) {
		plan = (struct plan){ .least = least };
		flame_walk(f, plan_frame, &plan);
		if (plan.drawn <= most)
			return plan;
	}
}

typedef void box_fn(void *ctx, const struct flame_box *box);

/* The argument of hand_out(). */
struct handing {
	box_fn *each;
	void *ctx;
	u64 least;
};

static void hand_out(void *ctx, const struct frame *frame)
{
	const struct handing *h = ctx;
	char *end = frame->word + word_len(frame->word) - 1;

	if (frame->weight < h->least || !frame->weight)
		return;
	*end = '\0'; /* for now, the line is a string up to here */
	h->each(h->ctx, &(struct flame_box){ .name = frame->word + 1,
					     .kind = (u32)(*frame->word - '0'),
					     .depth = frame->depth,
					     .from = frame->from,
					     .weight = frame->weight });
	*end = SEPARATOR;
}

static void hand_all(const struct flame *f, const struct plan *plan, box_fn *each, void *ctx)
{
	struct handing h = { each, ctx, plan->least };

	if (f->total)
		flame_walk(f, hand_out, &h);
}

struct flame_size flame_boxes(struct flame *f, u32 most,
			      void (*each)(void *ctx, const struct flame_box *box), void *ctx)
{
	struct plan plan = plan_of(f, most);

	if (each)
		hand_all(f, &plan, each, ctx);
	return (struct flame_size){ f->total, plan.drawn, plan.left_out, plan.depth };
}

/* The argument of draw_box(). */
struct drawing {
	struct out *o;
	const struct flame *flame;
	const struct stacks_view *view;
	const struct plan *plan;
};

/* Writes a weight with its unit: "30 commands", "12.5K", "81.3 ms". */
static const char *weight_text(const struct stacks_view *view, u64 weight, char *buf, size_t size)
{
	char text[64];

	if (view->weight == STACKS_LAT)
		snprintf(buf, size, "%.3f ms", (double)weight / 1e6);
	else if (view->weight == STACKS_BYTES)
		snprintf(buf, size, "%s bytes", units_size_brief(weight, text));
	else
		snprintf(buf, size, "%llu %s%s", (unsigned long long)weight,
			 view->functions ? "call" : "command", weight == 1 ? "" : "s");
	return buf;
}

static void draw_box(void *ctx, const struct flame_box *box)
{
	const struct drawing *d = ctx;
	double scale = PLOT / (double)d->flame->total, width = (double)box->weight * scale;
	u32 y = HEAD + (d->plan->depth - 1 - box->depth) * ROW;
	double x = SVG_MARGIN + (double)box->from * scale;
	char weight[80], share[FMT_NUMBER];

	out_text(d->o, "<g class=\"k%u\"><title>", box->kind);
	svg_text(d->o, box->name);
	out_text(d->o, ": %s, %s %%</title>",
		 weight_text(d->view, box->weight, weight, sizeof(weight)),
		 fmt_number(share, (double)box->weight * 100 / (double)d->flame->total, 1));
	out_text(d->o, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>", x, y,
		 width > 1 ? width - 0.5 : width, ROW - 1);
	if (svg_columns(width - 6) >= 3) {
		out_text(d->o, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
		svg_text_cut(d->o, box->name, svg_columns(width - 6));
		out_text(d->o, "</text>");
	}
	out_text(d->o, "</g>\n");
}

/* Light enough for dark text, and told apart in grey and by the colour-blind, too. */
const char flame_style[] =
	".k0{fill:#cfd4dc;background:#cfd4dc}.k1{fill:#86bce8;background:#86bce8}\n"
	".k2{fill:#f6d38f;background:#f6d38f}.k3{fill:#e2925f;background:#e2925f}\n"
	".legend{fill:#4a4a4a}g:hover rect{stroke:#1a1a1a}\n"
	"@media (prefers-color-scheme:dark){.legend{fill:#b8bcc4}g:hover rect{stroke:#fff}}\n";

const char *const flame_kinds[] = {
	[STACKS_WORD_MARK] = "keys and marks",
	[STACKS_WORD_USER] = "user",
	[STACKS_WORD_KERNEL] = "kernel",
	[STACKS_WORD_MODULE] = "kernel module",
	NULL,
};

static void draw_legend(struct out *o)
{
	u32 x = SVG_MARGIN;

	for (u32 i = 0; flame_kinds[i]; i++) {
		out_text(o,
			 "<g class=\"k%u\"><rect x=\"%u\" y=\"70\" width=\"12\" height=\"12\"/>"
			 "<text class=\"legend\" x=\"%u\" y=\"80\">%s</text></g>\n",
			 i, x, x + 18, flame_kinds[i]);
		x += 18 + 16 + 7 * (u32)strlen(flame_kinds[i]);
	}
}

static void begin(const struct drawing *d, struct svg_head head)
{
	char about[400], weight[80];

	if (d->flame->total)
		snprintf(about, sizeof(about),
			 "%s. A box is a function, as wide as its share; the box on top of it is "
			 "what it called.",
			 weight_text(d->view, d->flame->total, weight, sizeof(weight)));
	else
		snprintf(about, sizeof(about), "Nothing was seen.");
	if (d->plan->left_out)
		snprintf(about + strlen(about), sizeof(about) - strlen(about),
			 " %u narrower ones are left out.", d->plan->left_out);
	head.about = about;
	head.style = flame_style;
	svg_begin(d->o, HEAD + d->plan->depth * ROW + FOOT, &head);
}

void flame_draw(struct flame *f, struct out *o, const struct stacks_view *view,
		struct svg_head head)
{
	struct plan plan;
	const struct drawing d = { o, f, view, &plan };

	plan = plan_of(f, FRAMES_MAX);
	begin(&d, head);
	draw_legend(o);
	hand_all(f, &plan, draw_box, (void *)&d);
	svg_end(o);
}
