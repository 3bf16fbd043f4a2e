#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh must not call a run good that was not: suites that crash, stop short, say nothing or skip.

bats_require_minimum_version 1.5.0

setup()
{
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE"/tests/{unit/room,lint,vm} "$TREE/build/unit/room"
	cp tests/run.sh "$TREE/tests"
	unset O UNIT_DIR
}

# program NAME SHELL: a unit test program that runs this.
program()
{
	: >"$TREE/tests/unit/room/$1.c"
	printf '#!/bin/bash\n%s\n' "$2" >"$TREE/build/unit/room/$1"
	chmod +x "$TREE/build/unit/room/$1"
}

# The last line of the output must be this.
ends_with()
{
	echo "$output"
	[ "${lines[-1]}" = "$1" ]
}

@test "counts of several suites are added up" {
	program test_a 'echo "ok 1 - x"; echo "ok 2 - y # SKIP no drive"; echo "1..2"'
	program test_b 'echo "1..1"; echo "ok 1 - z"'
	run -0 "$TREE/tests/run.sh" unit
	ends_with '2 passed, 0 failed, 1 skipped'
	[[ $output == *'room-a: ok 2 - y # SKIP no drive'* ]]
	[[ $output != *'ok 1 - x'* ]]
}

@test "a failing test is shown with what it said" {
	program test_a 'echo "not ok 1 - x"; echo "# 3 != 4"; echo "ok 2 - y"; echo "# quiet"; echo "1..2"; exit 1'
	run -1 "$TREE/tests/run.sh" unit
	ends_with '1 passed, 1 failed, 0 skipped'
	[[ $output == *'room-a: not ok 1 - x'*'# 3 != 4'* ]]
	[[ $output != *quiet* ]]
}

@test "a suite that says nothing has failed" {
	program test_a 'echo broken >&2'
	run -1 "$TREE/tests/run.sh" unit
	ends_with '0 passed, 1 failed, 0 skipped'
	[[ $output == *'printed no test'*broken* ]]
}

@test "a suite that is not there has failed" {
	: >"$TREE/tests/unit/room/test_a.c"
	run -1 "$TREE/tests/run.sh" unit
	ends_with '0 passed, 1 failed, 0 skipped'
}

@test "a suite that crashes halfway has failed" {
	program test_a 'echo 1..3; echo "ok 1 - x"; kill -SEGV $$'
	run -1 "$TREE/tests/run.sh" unit
	ends_with '1 passed, 1 failed, 0 skipped'
	[[ $output == *'planned 3 tests and did 1'* ]]
}

@test "a suite without a plan has failed" {
	program test_a 'echo "ok 1 - x"'
	run -1 "$TREE/tests/run.sh" unit
	ends_with '1 passed, 1 failed, 0 skipped'
}

@test "a bad exit status without a failing test is a failure" {
	program test_a 'echo 1..1; echo "ok 1 - x"; exit 7'
	run -1 "$TREE/tests/run.sh" unit
	ends_with '1 passed, 1 failed, 0 skipped'
	[[ $output == *'status 7'* ]]
}

@test "a suite that skips itself counts as one skip" {
	program test_a 'echo "1..0 # SKIP no qemu"'
	run -0 "$TREE/tests/run.sh" unit
	ends_with '0 passed, 0 failed, 1 skipped'
}

@test "no suite at all is a failure, an unknown one a usage error" {
	run -1 "$TREE/tests/run.sh" unit
	ends_with '0 passed, 1 failed, 0 skipped'
	run -2 "$TREE/tests/run.sh" unti
}
