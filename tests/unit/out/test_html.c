// SPDX-License-Identifier: GPL-2.0-or-later
/* Markup is printed as it is, values in it as text that cannot be markup. */
#include <inttypes.h>

#include "lib/base/str.h"
#include "lib/out/html.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

TEST(values_are_text)
{
	char *root = scratch_make(), path[256], *text;
	const struct output_opts opts = { .format = OUT_FORMAT_OWN, .file = path, .header = true };
	struct out *o;

	snprintf(path, sizeof(path), "%s/page.html", root);
	assert_int_equal(out_open(&o, &opts, NULL), 0);
	assert_int_equal(out_begin(o), 0);
	html_print(o, "<b title=\"%s\">%s</b>", "\"x\"", "<a> & \x1b");
	html_print(o, "%c, %u of %" PRIu64 ", %.1f %%, %.0f\n", 'A', ~0U, ~(u64)0, 99.95, 0.5);
	html_print(o, "%u%%", 7);
	assert_int_equal(out_close(o), 0);
	text = scratch_read(path, NULL);
	assert_string_equal(text, "<b title=\"&quot;x&quot;\">&lt;a&gt; &amp; \\x1b</b>"
				  "A, 4294967295 of 18446744073709551615, 100.0 %, 1\n7%");
	free(text);
	assert_int_equal(scratch_remove(root), 0);
}
