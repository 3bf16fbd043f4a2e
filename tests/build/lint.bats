#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Each check of tests/lint finds what it is there for.

bats_require_minimum_version 1.5.0

SPDX='// SPDX-License-Identifier: GPL-2.0-or-later'

setup()
{
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE"/{cmd,lib/base,bpf,tests/cli}
	cp -r tests/lint "$TREE/tests"
	cp .clang-format .clang-tidy .shellcheckrc "$TREE"
	export O=build CMDS=x LINT_CFLAGS='-std=gnu11 -iquote .' BPF_CFLAGS='-target bpf -iquote .'
	git -C "$TREE" init -q
	echo "$SPDX" >"$TREE/lib/good.c"
	echo '# SPDX-License-Identifier: GPL-2.0-or-later' >"$TREE/tests/cli/x.bats"
	for file in Makefile .clang-format .clang-tidy .shellcheckrc; do
		[ -s "$TREE/$file" ] || echo '# SPDX-License-Identifier: GPL-2.0-or-later' >"$TREE/$file"
	done
}

# finds CHECK PATH TEXT: with TEXT in PATH the check fails and names PATH; without, it passes.
finds()
{
	local check=$1 path=$2

	"$TREE/tests/lint/run.sh" "$check"
	printf '%s\n' "$SPDX" "$3" >"$TREE/$path"
	run -1 "$TREE/tests/lint/run.sh" "$check"
	echo "$output"
	[[ ${lines[0]} == "not ok 1 - $check" && $output == *"${4:-$path}"* ]]
	rm "$TREE/$path"
}

@test "format: code that clang-format changes" {
	finds format lib/bad.c 'int  a;'
}

@test "tidy: a function of more than 60 lines, nesting, parameters" {
	finds tidy lib/long.c "int f(int a);
int f(int a)
{
$(for n in $(seq 61); do echo "a += $n;"; done)
return a;
}" long.c
	finds tidy lib/many.c 'int f(int a, int b, int c, int d, int e, int g, int h);
int f(int a, int b, int c, int d, int e, int g, int h) { return a + b + c + d + e + g + h; }' many.c
}

@test "cppcheck: an index behind the end" {
	finds cppcheck lib/bad.c 'int f(void); int f(void) { int a[2] = {0}; return a[2]; }'
}

@test "shellcheck: a variable without quotes" {
	finds shellcheck lib/bad.sh '#!/bin/sh
rm $1'
}

@test "headers: one that does not compile alone" {
	finds headers lib/bad.h 'struct a { u32 b; };'
}

@test "spdx: no licence, or the wrong one in bpf/" {
	"$TREE/tests/lint/run.sh" spdx
	echo 'int a;' >"$TREE/lib/bad.c"
	run -1 "$TREE/tests/lint/run.sh" spdx
	rm "$TREE/lib/bad.c"
	finds spdx bpf/bad.h 'struct a;'
}

@test "guards: every forbidden thing" {
	finds guards cmd/bad.c '#include <bpf/libbpf.h>'
	finds guards cmd/bad.c 'void f(void) { printf("a"); }'
	finds guards cmd/bad.c 'void f(void) { fwrite(a, 1, 1, stdout); }'
	finds guards lib/bad.c 'void f(char *a) { strcpy(a, "b"); }'
	finds guards lib/bad.c 'int f(char *a) { return atoi(a); }'
	finds guards lib/bad.c '#include <argp.h>'
	finds guards lib/bad.c 'typedef struct a a_t;'
	finds guards lib/bad.c '/* TO''DO */'
	finds guards lib/bad.c 'int a; // NOLINT'
	finds guards lib/bad.c 'int a; // NOLINT(bugprone-x)'
	finds guards lib/bad.sh '# shellcheck disable=SC2086'
	finds guards lib/bad.c '/* see /ho''me/joe/x */'
	finds guards lib/bad.c 'int a; '
	finds guards bpf/bad.bpf.c 'int a;
SEC("kprobe/x") int f(void);'
	finds guards bpf/bad.bpf.c 'int a;
SEC("tp/block/x") int f(void);'
}

@test "guards: a hook with its reason on the line before, a NOLINT with one" {
	printf '%s\n' '/* 5.10 has no raw tracepoint for it */' 'SEC("kprobe/x") int f(void);' >"$TREE/bpf/a.bpf.c"
	printf '%s\n' 'int a; // NOLINT(bugprone-x): because' >"$TREE/lib/b.c"
	"$TREE/tests/lint/run.sh" guards
}

@test "rooms: a room that includes one above it, and one that is not in the list" {
	echo '#include "lib/base/err.h"' >"$TREE/lib/base/a.c"
	finds rooms lib/base/bad.c '#include "lib/session/session.h"'
	mkdir "$TREE/lib/attic"
	finds rooms lib/attic/bad.c '#include "lib/base/str.h"'
}

@test "rooms: a room that calls one above it" {
	mkdir -p "$TREE/lib/out" "$TREE/build/obj/lib/base" "$TREE/build/obj/lib/out"
	echo 'int out_a(void); int out_a(void) { return 0; }' >"$TREE/lib/out/a.c"
	echo 'int base_b(void); int base_b(void) { return 0; }' >"$TREE/lib/base/b.c"
	gcc -c -o "$TREE/build/obj/lib/out/a.o" "$TREE/lib/out/a.c"
	gcc -c -o "$TREE/build/obj/lib/base/b.o" "$TREE/lib/base/b.c"
	echo '#include "lib/base/err.h"' >"$TREE/lib/base/a.c"
	"$TREE/tests/lint/run.sh" rooms
	echo 'int out_a(void); int base_b(void); int base_b(void) { return out_a(); }' >"$TREE/lib/base/b.c"
	gcc -c -o "$TREE/build/obj/lib/base/b.o" "$TREE/lib/base/b.c"
	run -1 "$TREE/tests/lint/run.sh" rooms
	[[ $output == *'base/b.o: out_a: base is below out'* ]]
}

@test "duplicates: six lines in two files" {
	for n in 1 2 3 4 5 6; do
		echo "	call_number_$n(a, b);"
	done | tee "$TREE/lib/one.c" "$TREE/lib/two.c" >/dev/null
	run -1 "$TREE/tests/lint/run.sh" duplicates
	[[ $output == *'lib/one.c:1 and lib/two.c:1'* ]]
	echo 'other();' >"$TREE/lib/two.c"
	"$TREE/tests/lint/run.sh" duplicates
}

@test "cli_tests: a command without its tests" {
	"$TREE/tests/lint/run.sh" cli_tests
	CMDS='x y' run -1 "$TREE/tests/lint/run.sh" cli_tests
	[[ $output == *'tests/cli/y.bats is missing'* ]]
}

@test "generated: an object, a kernel header dump, a binary" {
	finds generated lib/bad.o ''
	finds generated bpf/vmlinux.h ''
	"$TREE/tests/lint/run.sh" generated
	cp "$(type -P true)" "$TREE/lib/bad"
	run -1 "$TREE/tests/lint/run.sh" generated
}
