// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of an HTTP request, in two pieces as a connection may bring it. Where a head ends does
 * not depend on the pieces.
 */
#include <stdlib.h>

#include "cmd/metrics/request.h"
#include "lib/base/str.h"
#include "tests/fuzz/feed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *head = malloc(size + 1);
	struct request r;
	size_t len, part;

	if (!head)
		abort();
	memcpy(head, data, size);
	len = request_length(head, size);
	part = request_length(head, size / 2);
	if (len > size || (part && part != len))
		__builtin_trap();
	head = realloc(head, len + !len); /* as long as the head: a read behind it is found */
	if (!head)
		abort();
	if (len && request_parse(&r, head, len) == HTTP_OK && !memmem(head, len, "/metrics", 8))
		__builtin_trap();
	free(head);
	return 0;
}
