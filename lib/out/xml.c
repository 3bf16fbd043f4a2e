// SPDX-License-Identifier: GPL-2.0-or-later
/* Characters that SVG and HTML need as entities. */
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	default:
		return "&quot;";
	}
}

void out_xml(struct out *o, const char *s, size_t len, const char *special)
{
	const char *end = s + len;
	size_t plain;

	while (s < end && o->format->free_text) {
		plain = strcspn(s, special);
		if (plain > (size_t)(end - s))
			plain = (size_t)(end - s);
		if (plain)
			out_text_piece(o, s, plain);
		s += plain;
		if (s < end)
			out_text(o, "%s", entity(*s++));
	}
}
