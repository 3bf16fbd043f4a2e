// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of filters: numbers, times, sizes, ranges, opcodes, patterns. What is printed of a time or
 * a size reads back as the same, and a pattern says what fnmatch(3) says.
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/nvme/spec.h"
#include "tests/fuzz/feed.h"

static void numbers(const char *word)
{
	static units_parser *const parsers[] = { units_count, units_time, units_size };
	char text[UNITS_TEXT];
	u64 value, again;

	for (u32 i = 0; i < ARRAY_SIZE(parsers); i++) {
		if (!units_range(word, parsers[i], &value, &again) && again < value)
			__builtin_trap();
	}
	if (!units_time(word, &value) &&
	    (units_time(units_time_text(value, text), &again) || again != value))
		__builtin_trap();
	if (!units_size(word, &value) &&
	    (units_size(units_size_text(value, text), &again) || again != value))
		__builtin_trap();
}

/* The first line is a pattern, the second the name of a process. */
static void pattern(const char *glob, const char *name)
{
	struct filter *f = calloc(1, sizeof(*f));
	char comm[WIRE_COMM] = "";

	if (!f)
		abort();
	/* Collating symbols and classes of equivalence are glibc's; --comm goes by bytes. */
	if (strstr(glob, "[.") || strstr(glob, "[=")) {
		free(f);
		return;
	}
	snprintf(comm, sizeof(comm), "%s", name);
	if (!glob_add(f, glob, false) && filter_comm(f, comm) != !fnmatch(glob, comm, 0))
		__builtin_trap();
	free(f);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct nvme_opcode_match match;
	struct feed_words w;

	feed_words(&w, NULL, data, size);
	numbers(w.word[0]);
	nvme_opcode_parse(w.word[0], &match);
	pattern(w.word[0], w.n > 1 ? w.word[1] : "");
	feed_free(&w);
	return 0;
}
