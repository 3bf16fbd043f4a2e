#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Two builds in directories of other names and lengths give the same bits and leave nothing in the tree.
# bats file_tags=all

bats_require_minimum_version 1.5.0

setup_file()
{
	load tree.bash
	export ONE=$BATS_FILE_TMPDIR/a TWO=$BATS_FILE_TMPDIR/a-rather-longer-name/with/levels
	copy_tree "$ONE"
	copy_tree "$TWO"
	clean_make "$ONE" -j2 >"$BATS_FILE_TMPDIR/one.log" 2>&1 || { cat "$BATS_FILE_TMPDIR/one.log"; return 1; }
	clean_make "$TWO" -j2 O="$TWO/../elsewhere" WERROR= >"$BATS_FILE_TMPDIR/two.log" 2>&1 ||
		{ cat "$BATS_FILE_TMPDIR/two.log"; return 1; }
}

setup()
{
	load tree.bash
}

@test "two builds in two directories are bit-identical" {
	cmp "$ONE/build/nvmetool" "$TWO/../elsewhere/nvmetool"
}

@test "a build leaves git status clean" {
	[ -z "$(git -C "$ONE" status --porcelain)" ]
	[ -z "$(git -C "$TWO" status --porcelain)" ]
}

@test "a second make has nothing to do" {
	[ "$(stat -c %Y "$ONE/build/nvmetool")" -gt 0 ]
	run clean_make "$ONE" -j2
	[ "$status" = 0 ]
	run ! grep -E '^ +(CC|BPF|LIB|LINK|FETCH|HEADERS|STRIP) ' <<<"$output"
}

@test "a header of bpf/ that changes rebuilds the BPF object and the user side" {
	touch "$ONE/bpf/shared/wire.h"
	run clean_make "$ONE" -j2
	[ "$status" = 0 ]
	grep -qE '^ +BPF ' <<<"$output"
	grep -qE '^ +CC +obj/embed/embed.o' <<<"$output"
	grep -qE '^ +CC +obj/lib/' <<<"$output"
}

@test "make clean keeps the libraries, distclean nothing" {
	clean_make "$ONE" clean
	[ -e "$ONE/build/deps/libbpf.a" ]
	[ ! -e "$ONE/build/nvmetool" ]
	clean_make "$ONE" distclean
	[ ! -e "$ONE/build" ]
}
