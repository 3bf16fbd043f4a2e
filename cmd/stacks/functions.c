// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks names of kernel functions, so that no other text reaches the kernel. Names of local
 * functions may have dots (.part.0).
 */
#include "cmd/stacks/functions.h"

#include "lib/base/err.h"
#include "lib/base/str.h"

static bool is_function(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_.$")];
}

static int add(struct stacks_functions *f, const char *word, size_t len)
{
	char *name;

	if (f->n == STACKS_PROBES)
		return fail_usage("there are too many functions", "name at most 32", "--probe");
	name = f->name[f->n];
	snprintf(name, STACKS_FUNCTION_NAME, "%.*s", (int)len, word);
	if (len >= STACKS_FUNCTION_NAME || !is_function(name))
		return fail_usage("expected names of kernel functions",
				  "write it like nvme_queue_rq", "--probe '%.*s'", (int)len, word);
	f->list[f->n++] = name;
	return 0;
}

int stacks_functions_parse(struct stacks_functions *f, const struct opt_list *words)
{
	const char *word;
	size_t len;
	int err;

	for (u32 i = 0; i < words->n; i++) {
		for (word = words->word[i];; word += len + 1) {
			len = strcspn(word, ",");
			err = add(f, word, len);
			if (err)
				return err;
			if (!word[len])
				break;
		}
	}
	return 0;
}
