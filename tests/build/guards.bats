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
	finds guards tests/cli/bad.bats $'\t[ -z a ] && [ -s b ]\n\techo'
	finds guards tests/cli/bad.bats $'\t! grep a b\n\techo'
	echo '#include "lib/base/err.h"' >"$TREE/lib/base/good.c"
	finds rooms lib/base/bad.c '#include "lib/session/session.h"'
	finds generated lib/bad.o ''
	finds names lib/base/README.md 'Read `gone.c`.'
	finds names lib/base/README.md 'Read `gone()`.'
	finds names lib/base/bad.h '/* See f() of lib/good.c. */'
	mkdir "$TREE/tests/mutants"
	finds mutants tests/mutants/bad.list $'in lib/good.c\n- int b;' 'lib/good.c: not there once: int b;'
	for n in 1 2 3 4 5 6; do
		echo "	call_number_$n(a, b);"
	done >"$TREE/lib/one.c"
	finds duplicates lib/two.c "$(cat "$TREE/lib/one.c")" 'lib/one.c:1 and lib/two.c:1'
	CMDS='x y' run -1 "$TREE/tests/lint/run.sh" cli_tests
	[[ $output == *'tests/cli/y.bats is missing'* ]]
}

# A test of the guest lab, run here as it would be in a guest: what it writes as TAP into $TAP.
lab()
{
	export TAP=$BATS_TEST_TMPDIR/tap OUT=$BATS_TEST_TMPDIR VM=$PWD/tests/vm
	: >"$TAP"
	bash -c 'set -Eeuo pipefail; . "$VM/lib/tap.sh"; trap "echo broken >>$TAP" ERR; eval "$1"' - "$1"
}

@test "lab: each command of a check counts, not its last alone" {
	lab 'f() { false; true; }; g() { f | cat; true; }; check one f; check two g; check three fails f; check four true'
	[ "$(grep -E '^(not )?ok' "$TAP" | xargs -d '\n')" = "not ok - one not ok - two ok - three ok - four" ]
}

@test "lab: a tool that is missing is no proof that something fails" {
	lab 'check one fails no-such-tool; check two without x /no/such/file; check three none /dev/null true; check four within /dev/null /dev/null'
	[ "$(grep -c '^not ok' "$TAP")" = 4 ]
}

@test "lab: without, none and within hold where there is something to look at" {
	printf '%s\n' '{"a":1}' '{"a":2}' >"$BATS_TEST_TMPDIR/in"
	lab 'check one without 3 "$OUT/in"; check two none "$OUT/in" ".a == 3"; check three within "$OUT/in" "$OUT/in"
		check four without 2 "$OUT/in"; check five none "$OUT/in" ".a == 2"; check six within <(echo) "$OUT/in"'
	[ "$(grep -E '^(not )?ok' "$TAP" | cut -d ' ' -f 1 | xargs)" = "ok ok ok not not not" ]
}

@test "lab: nothing is left attached only where a program was seen before" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	lab '. "$VM/lib/account.sh"; PATH=$OUT/bin:$PATH SEEN=$OUT/seen NVMETOOL=nvmetool
		attached() { :; }; detach() { :; }
		printf "#!/bin/sh\nexit 1\n" >"$OUT/bin/bpftool"; chmod +x "$OUT/bin/bpftool"; check broken detached_all
		printf "#!/bin/sh\necho []\n" >"$OUT/bin/bpftool"; check sees-none detached_all
		: >"$SEEN"; check seen detached_all'
	[ "$(grep -E '^(not )?ok' "$TAP" | cut -d ' ' -f 1 | xargs)" = "not not ok" ]
	grep -q 'bpftool lists no program while one is loaded' "$TAP"
}

# declares TEXT: what the lab says of a test with these lines
declares()
{
	rm -rf "$BATS_TEST_TMPDIR/tree"
	mkdir -p "$BATS_TEST_TMPDIR/tree/tests" "$BATS_TEST_TMPDIR/tree/lib"
	cp -r lib/deps "$BATS_TEST_TMPDIR/tree/lib"
	cp -r tests/vm "$BATS_TEST_TMPDIR/tree/tests"
	printf '# A test.\n%s\n' "$1" >"$BATS_TEST_TMPDIR/tree/tests/vm/t/host/wrong.sh"
	run ! "$BATS_TEST_TMPDIR/tree/tests/vm/run.sh" -l
}

@test "lab: a name that is misspelt is refused" {
	declares $'plan=1\ntest=6.l'
	[ "$output" = "error: wrong: no kernel '6.l' in tests/vm/kernels.list" ]
	declares $'topology=noe\nplan=0'
	[ "$output" = "error: wrong: no topology 'noe' in tests/vm/topo"$'\n'"error: wrong: plan=0; it makes no check" ]
	run -2 tests/vm/run.sh -k 6.1 errors_odl
	[[ $output == *"error: no test or subject 'errors_odl'"* ]]
}

@test "lab: one boot may be repeated, two are a failure" {
	. tests/vm/lib/report.sh
	local boot='sid one: QEMU ended by signal 6; again: exact'
	: >"$BATS_TEST_TMPDIR/none"
	echo "$boot" >"$BATS_TEST_TMPDIR/one"
	printf '%s\n' "$boot" "$boot" >"$BATS_TEST_TMPDIR/two"
	[ "$(report_repeated "$BATS_TEST_TMPDIR/none")" = "ok - at most one boot had to be repeated" ]
	[[ $(report_repeated "$BATS_TEST_TMPDIR/one") == "ok - "*"# repeated: $boot" ]]
	[[ $(report_repeated "$BATS_TEST_TMPDIR/two") == "not ok - "* ]]
}

@test "lab: a kernel log that does not tell of the last test is no clean one" {
	local LABEL=6.1 dir=$BATS_TEST_TMPDIR/6.1-one
	. tests/vm/lib/report.sh
	mkdir -p "$dir/t/exact"
	: >"$dir/console"
	echo 'ok - it holds' >"$dir/t/exact/tap"
	: >"$dir/dmesg"
	[[ $(report_boot "$dir" 0 exact:60:1) == *"not ok - 6.1 one: the guest shut down"* ]]
	echo '[ 1.0] lab: exact' >"$dir/dmesg"
	[[ $(report_boot "$dir" 0 exact:60:1) != *"not ok"* ]]
	[[ $(report_boot "$dir" 0 exact:60:2) == *"not ok - 6.1 exact: check 2 of 2 was not reached"* ]]
}
