#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The guards of the tests themselves, each firing: what makes a run bad that nobody could otherwise tell from a good one.

# shellcheck disable=SC2030,SC2031 # each test is a subshell
bats_require_minimum_version 1.5.0

SPDX='SPDX-License-Identifier: GPL-2.0-or-later'

# A tree with nothing but the guards.
setup()
{
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE"/{cmd,lib/base,bpf,tests/cli,tests/unit/room,build/unit/room}
	cp -r tests/run.sh tests/lint "$TREE/tests"
	cp .clang-format .clang-tidy .shellcheckrc "$TREE"
	git -C "$TREE" init -q
	export O=build CMDS=x LINT_CFLAGS='-std=gnu11 -iquote .' BPF_CFLAGS='-target bpf -iquote .'
	unset UNIT_DIR
}

# says SHELL: tests/run.sh with a suite that runs this is a bad run, and its last line has one failure.
says()
{
	: >"$TREE/tests/unit/room/test_a.c"
	printf '#!/bin/bash\n%s\n' "$1" >"$TREE/build/unit/room/test_a"
	chmod +x "$TREE/build/unit/room/test_a"
	run -1 "$TREE/tests/run.sh" unit
	echo "$output"
	[[ ${lines[-1]} == *' passed, 1 failed, 0 skipped' ]]
}

@test "run.sh: a test that fails is shown with what it said" {
	says 'echo "not ok 1 - x"; echo "# 3 != 4"; echo "ok 2 - y"; echo 1..2; exit 1'
	[[ $output == *'room-a: not ok 1 - x'*'# 3 != 4'* ]]
}

@test "run.sh: a suite that prints no test" {
	says 'echo broken >&2'
	[[ $output == *'printed no test'*broken* ]]
}

@test "run.sh: a suite that stops before its plan is done, or has none" {
	says 'echo 1..3; echo "ok 1 - x"; kill -SEGV $$'
	[[ $output == *'planned 3 tests and did 1'* ]]
	says 'echo "ok 1 - x"'
}

@test "run.sh: a bad exit status that no failed test explains" {
	says 'echo 1..1; echo "ok 1 - x"; exit 7'
	[[ $output == *'status 7'* ]]
}

@test "run.sh: a suite that is not built, and a part without a suite" {
	says ''
	rm "$TREE/build/unit/room/test_a"
	run -1 "$TREE/tests/run.sh" unit
	[ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
	rm "$TREE/tests/unit/room/test_a.c"
	run -1 "$TREE/tests/run.sh" unit
	[ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
	[[ $output == *'unit: no suite'* ]]
}

@test "tools.sh: a tool that is missing and cannot be installed" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	for name in bash env sort cut xargs echo id grep awk flock; do
		ln -s "$(type -P "$name")" "$BATS_TEST_TMPDIR/bin"
	done
	ln -s /bin/true "$BATS_TEST_TMPDIR/bin/apt-get"
	ln -s /bin/true "$BATS_TEST_TMPDIR/bin/apt-cache"
	ln -s /bin/true "$BATS_TEST_TMPDIR/bin/sudo"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$BATS_TEST_TMPDIR/debian"
	run -1 env PATH="$BATS_TEST_TMPDIR/bin" OS_RELEASE="$BATS_TEST_TMPDIR/debian" lib/deps/tools.sh test
	[[ $output == *'error: still missing after apt-get install: '*'clang-tidy'*'jq'* ]]
}

# finds CHECK PATH TEXT [MESSAGE]: with TEXT in PATH the check of lint fails and names PATH, or says MESSAGE.
finds()
{
	printf '%s\n' "$3" >"$TREE/$2"
	run -1 "$TREE/tests/lint/run.sh" "$1"
	echo "$output"
	[[ ${lines[0]} == "not ok 1 - $1" && $output == *"${4:-$2}"* ]]
	rm "$TREE/$2"
	"$TREE/tests/lint/run.sh" "$1"
}

@test "lint: each check" {
	printf '%s\n' "// $SPDX" 'int a;' >"$TREE/lib/good.c"
	echo "# $SPDX" >"$TREE/tests/cli/x.bats"
	printf '%s\n' '#!/bin/sh' "# $SPDX" 'echo a' >"$TREE/lib/good.sh"
	finds format lib/bad.c 'int  a;'
	finds tidy lib/many.c 'int f(int a, int b, int c, int d, int e, int g, int h);
int f(int a, int b, int c, int d, int e, int g, int h) { return a + b + c + d + e + g + h; }'
	finds cppcheck lib/bad.c 'int f(void); int f(void) { int a[2] = {0}; return a[2]; }'
	finds shellcheck lib/bad.sh '#!/bin/sh
rm $1'
	finds spdx lib/bad.c 'int a;'
	finds headers lib/bad.h 'struct a { u32 b; };'
	finds guards lib/bad.c 'int f(char *a) { return atoi(a); }'
	finds guards tests/cli/bad.bats '# bats test_tags=al'
	echo '#include "lib/base/err.h"' >"$TREE/lib/base/good.c"
	finds rooms lib/base/bad.c '#include "lib/session/session.h"'
	finds generated lib/bad.o ''
	for n in 1 2 3 4 5 6; do
		echo "	call_number_$n(a, b);"
	done >"$TREE/lib/one.c"
	finds duplicates lib/two.c "$(cat "$TREE/lib/one.c")" 'lib/one.c:1 and lib/two.c:1'
	CMDS='x y' run -1 "$TREE/tests/lint/run.sh" cli_tests
	[[ $output == *'tests/cli/y.bats is missing'* ]]
}
