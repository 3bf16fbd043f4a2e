#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Claims of diff, about 200 pairs of recordings of each kind; the unit test alone judges 20 pairs of each.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# bats test_tags=all
@test "diff claims no change where there is none in at most 5 % of pairs, and finds one where there is" {
	make --no-print-directory "$O/unit/view/test_wander" >"$BATS_TEST_TMPDIR/make.log" 2>&1
	PAIRS=200 "$O/unit/view/test_wander" >&3
}
