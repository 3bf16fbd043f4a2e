// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/glob: patterns of names that are longer than a command's. */
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

TEST(match)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "nvme_queue_rq", true },
		{ "nvme_queue_rq", "nvme_queue_rq", true },
		{ "nvme_queue_rq", "nvme_queue_rqs", false },
		{ "nvme_queue_rq?", "nvme_queue_rqs", true },
		{ "nvme_queue_rq?", "nvme_queue_rq", false },
		{ "nvme_*_rq", "nvme_complete_rq", true },
		{ "nvme_*_rq", "nvme_complete_batch_req", false },
		{ "*rq*rq", "rq_rq_r", false },
		{ "*rq*rq", "a_rq_r_rq", true },
		{ "a**?", "ab", true },
		{ "a**?", "a", false },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].match)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}
