// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts of stacks, in two search trees. One finds the number of a stack by its id, the other by its
 * text.
 */
#include "lib/view/stacks_texts.h"

#include <errno.h>
#include <search.h>

#include "bpf/shared/stacks.h"
#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/symbols/frames.h"

#define TEXTS_MAX (1U << 17) /* holds for damaged recordings as well */

struct known {
	struct stacks_ref ref;
	s32 number;
};

struct text {
	char *text;
	s32 number;
};

struct stacks_texts {
	struct frames *frames;
	struct stacks_style style;
	void *known; /* tree of struct known */
	void *texts; /* tree of struct text */
	struct text **by_number;
	u32 n, room;
};

static int compare_known(const void *a, const void *b)
{
	const struct stacks_ref *x = &((const struct known *)a)->ref;
	const struct stacks_ref *y = &((const struct known *)b)->ref;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->user - y->user;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(((const struct text *)a)->text, ((const struct text *)b)->text);
}

static void free_text(void *node)
{
	free(((struct text *)node)->text);
	free(node);
}

static bool make_room(struct stacks_texts *t)
{
	return t->n < TEXTS_MAX &&
	       array_grow((void **)&t->by_number, t->n, &t->room, sizeof(struct text *));
}

/* The number of @text, of which it takes ownership; STACKS_TEXT_LOST when there is no memory. */
static s32 number_of(struct stacks_texts *t, char *text)
{
	struct text *new = calloc(1, sizeof(*new)), **found = NULL;
	s32 number = STACKS_TEXT_LOST;

	if (new &&text && make_room(t)) {
		*new = (struct text){ .text = text, .number = (s32)t->n };
		found = tsearch(new, &t->texts, compare_text);
	}
	if (found)
		number = (*found)->number;
	if (found && *found == new) {
		t->by_number[t->n++] = new;
		return number;
	}
	free(text);
	free(new);
	return number;
}

int stacks_texts_open(struct stacks_texts **texts, struct frames *frames,
		      const struct stacks_style *style)
{
	struct stacks_texts *t = calloc(1, sizeof(*t));

	*texts = t;
	if (t) {
		t->frames = frames;
		t->style = *style;
		if (number_of(t, strdup("[lost]")) == STACKS_TEXT_LOST &&
		    number_of(t, strdup("[no user stack]")) == STACKS_TEXT_ABSENT)
			return 0;
	}
	return fail(-ENOMEM, NULL, NULL, "cannot keep stacks");
}

void stacks_texts_close(struct stacks_texts *t)
{
	if (!t)
		return;
	tdestroy(t->known, free);
	tdestroy(t->texts, free_text);
	free(t->by_number);
	free(t);
}

s32 stacks_texts_known(const struct stacks_texts *t, const struct stacks_ref *ref)
{
	const struct known key = { .ref = *ref };
	struct known *const *found;

	if (ref->id < 0)
		return ref->id == STACKS_LOST || !ref->user ? STACKS_TEXT_LOST : STACKS_TEXT_ABSENT;
	found = tfind(&key, &t->known, compare_known);
	return found ? (*found)->number : -1;
}

/*
 * The length of a recorded frame up to "+0x12", 0 if it has no offset. *behind is the text after
 * the offset: empty or " [nvme]".
 */
static size_t before_offset(const char *frame, const char **behind)
{
	const char *plus = strstr(frame, "+0x");
	size_t digits = plus ? strspn(plus + 3, "0123456789abcdef") : 0;

	if (!digits)
		return 0;
	*behind = plus + 3 + digits;
	if (**behind && !has_prefix(*behind, " ["))
		return 0;
	return (size_t)(plus - frame);
}

static void put_frame(FILE *to, const char *frame, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fputc(frame[i] == ';' ? ',' : frame[i], to);
}

/*
 * True for a function of tracing itself. The kernel calls several listeners of a tracepoint through
 * a function of its own, a single one directly: that frame says nothing about the submission.
 */
static bool is_of_tracing(const char *frame)
{
	return has_prefix(frame, "__traceiter_") || has_prefix(frame, "__bpf_trace_") ||
	       has_prefix(frame, "bpf_trace_run");
}

/*
 * True for an address without code. The register was no frame pointer there, and the frames that
 * the kernel found from there on are chance.
 */
static bool is_nowhere(const char *frame)
{
	return has_prefix(frame, "0x") && !strchr(frame, ' ');
}

static void put_recorded(const struct stacks_texts *t, FILE *to, const char *frame)
{
	const char *behind;
	size_t len = t->style.offsets ? 0 : before_offset(frame, &behind);

	if (len) {
		put_frame(to, frame, len);
		frame = behind;
	}
	put_frame(to, frame, strlen(frame));
}

static const char *name_of(const struct stacks_texts *t, const struct stacks_ref *ref,
			   const struct stacks_frames *stack, u32 i)
{
	if (stack->recorded)
		return stack->recorded[i] ? stack->recorded[i] : "?";
	return frames_name(t->frames, ref->user, ref->pid, stack->addr[i], t->style.offsets);
}

static void put_frames(const struct stacks_texts *t, FILE *to, const struct stacks_ref *ref,
		       const struct stacks_frames *stack)
{
	const char *name;
	u32 shown = 0;

	for (u32 i = 0; i < stack->n && shown < t->style.depth; i++) {
		name = name_of(t, ref, stack, i);
		if (!ref->user && !shown && is_of_tracing(name))
			continue;
		if (shown && ref->user && is_nowhere(name))
			break;
		if (shown++)
			fputc(';', to);
		if (t->style.addresses)
			fprintf(to, "0x%llx ", (unsigned long long)stack->addr[i]);
		if (stack->recorded)
			put_recorded(t, to, name);
		else
			put_frame(to, name, strlen(name));
	}
	if (ref->user && shown < t->style.depth && (shown == 1 || shown < stack->n))
		fprintf(to, ";[no frame pointers]");
}

static char *text_of(const struct stacks_texts *t, const struct stacks_ref *ref,
		     const struct stacks_frames *stack)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	put_frames(t, to, ref, stack);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

s32 stacks_texts_take(struct stacks_texts *t, const struct stacks_ref *ref,
		      const struct stacks_frames *stack)
{
	s32 number = stacks_texts_known(t, ref);
	struct known *new;

	if (number >= 0)
		return number;
	if (!stack->n)
		return STACKS_TEXT_LOST;
	number = number_of(t, text_of(t, ref, stack));
	new = malloc(sizeof(*new));
	if (!new)
		return number;
	*new = (struct known){ *ref, number };
	if (!tsearch(new, &t->known, compare_known))
		free(new); /* the stack is named again the next time */
	return number;
}

const char *stacks_texts_at(const struct stacks_texts *t, s32 number)
{
	return t->by_number[number]->text;
}
