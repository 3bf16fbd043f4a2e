#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# make ARCH=aarch64: the same static binary for the other architecture, run here by qemu-aarch64.

bats_require_minimum_version 1.5.0

setup_file()
{
	load tree.bash
	export ARM=$O-aarch64
	clean_make . -j2 ARCH=aarch64 O="$ARM" >"$BATS_FILE_TMPDIR/log" 2>&1 ||
		{ cat "$BATS_FILE_TMPDIR/log"; return 1; }
}

setup()
{
	load tree.bash
	need_release_binary
	DATA=$BATS_TEST_DIRNAME/../data
}

# both ARGUMENTS...: the two binaries, called by the same name, print the same and end alike.
both()
{
	local here=0 there=0

	ln -sf "$(realpath "$NVMETOOL")" "$BATS_TEST_TMPDIR/nvmetool"
	(cd "$BATS_TEST_TMPDIR" && ./nvmetool "$@") >"$BATS_TEST_TMPDIR/here" 2>&1 || here=$?
	ln -sf "$(realpath "$ARM/nvmetool")" "$BATS_TEST_TMPDIR/nvmetool"
	(cd "$BATS_TEST_TMPDIR" && qemu-aarch64 ./nvmetool "$@") >"$BATS_TEST_TMPDIR/there" 2>&1 || there=$?
	[ -s "$BATS_TEST_TMPDIR/here" ]
	diff -u "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/there"
	[ "$here" = "$there" ]
}

@test "it is for aarch64, stripped and as hardened as the native one" {
	readelf -hSW "$ARM/nvmetool" >"$BATS_TEST_TMPDIR/elf"
	grep -q 'Machine: *AArch64' "$BATS_TEST_TMPDIR/elf"
	run ! grep -E '\.symtab|\.debug' "$BATS_TEST_TMPDIR/elf"
	hardened "$ARM/nvmetool"
}

# The file may have more: RELRO ends with a page of 64 KiB, for which the linker fills up to one with zeroes.
@test "it has at most 1.65 MiB to load" {
	bytes=0
	while read -r size; do
		bytes=$((bytes + size))
	done < <(readelf -lW "$ARM/nvmetool" | awk '$1 == "LOAD" { print $5 }')
	echo "$bytes bytes"
	[ "$bytes" -gt 0 ]
	[ "$bytes" -le $((1690 * 1024)) ]
}

@test "it loads on kernels with pages of 64 KiB" {
	readelf -lW "$ARM/nvmetool" | awk '$1 == "LOAD" { n++; bad += $NF != "0x10000" } END { exit !n || bad }'
}

@test "it names no directory of the machine that built it" {
	run ! grep -aF -e "$PWD" -e "$HOME/" "$ARM/nvmetool"
}

# bats test_tags=all
@test "it says and helps as the native one" {
	both --version
	both help
	both trace --help
	both latency --nonsense
}

# bats test_tags=all
@test "it prints a recording as was reviewed" {
	diff -u "$DATA/expected/trace.txt" <(qemu-aarch64 "$ARM/nvmetool" trace -i "$DATA/mixed.nvt")
	diff -u "$DATA/expected/trace.csv" <(qemu-aarch64 "$ARM/nvmetool" trace -i "$DATA/mixed.nvt" --csv -E --aer --sq -Q)
}

# bats test_tags=all
@test "every command replays as the native one, in every format" {
	for format in '' --json --csv; do
		both trace -i "$DATA/mixed.nvt" $format
		both errors -i "$DATA/mixed.nvt" $format
		both latency -i "$DATA/latency.nvt" $format
		both pattern -i "$DATA/stream.nvt" $format
		both stacks -i "$DATA/stacks.nvt" $format
	done
}

# bats test_tags=all
@test "a recording it writes is that of the native one" {
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -w "$BATS_TEST_TMPDIR/here.nvt"
	qemu-aarch64 "$ARM/nvmetool" record -i "$DATA/mixed.nvt" -w "$BATS_TEST_TMPDIR/there.nvt"
	both trace -i "$BATS_TEST_TMPDIR/there.nvt" --json
	cmp "$BATS_TEST_TMPDIR/here.nvt" "$BATS_TEST_TMPDIR/there.nvt"
}

@test "make install takes the man pages from the native one" {
	clean_make . ARCH=aarch64 O="$ARM" HOST_NVMETOOL="$NVMETOOL" install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr
	cmp "$ARM/nvmetool" "$BATS_TEST_TMPDIR/root/usr/bin/nvmetool"
	"$NVMETOOL" help --man trace | cmp - "$BATS_TEST_TMPDIR/root/usr/share/man/man1/nvmetool-trace.1"
}

@test "make man says what it lacks without a native one" {
	run -2 clean_make . ARCH=aarch64 O="$ARM" HOST_NVMETOOL="$BATS_TEST_TMPDIR/none" man
	[[ $output == *"error: no $BATS_TEST_TMPDIR/none to write the man pages: run "*"HOST_NVMETOOL=FILE"* ]]
}
