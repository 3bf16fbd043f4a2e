#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is shipped: one static, small, stripped binary without state or paths of the machine that built it.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
}

@test "the binary is static: no interpreter, no library" {
	readelf -lW "$NVMETOOL" >"$BATS_TEST_TMPDIR/elf"
	readelf -dW "$NVMETOOL" >>"$BATS_TEST_TMPDIR/elf"
	grep -q ' LOAD ' "$BATS_TEST_TMPDIR/elf"
	run ! grep -E 'INTERP|NEEDED' "$BATS_TEST_TMPDIR/elf"
}

@test "the binary has at most 1 MiB" {
	size=$(stat -L -c %s "$NVMETOOL")
	echo "$size bytes"
	[ "$size" -le $((1024 * 1024)) ]
}

@test "the binary is stripped" {
	readelf -SW "$NVMETOOL" >"$BATS_TEST_TMPDIR/sections"
	grep -q ' \.text ' "$BATS_TEST_TMPDIR/sections"
	run ! grep -E '\.symtab|\.debug' "$BATS_TEST_TMPDIR/sections"
}

@test "the binary names no directory of the machine that built it" {
	run ! grep -aF -e "$PWD" -e "$HOME/" "$NVMETOOL"
}

# But for --quiet and the command's name, which belong to the process as stderr does.
@test "lib and cmd have no mutable globals" {
	mapfile -t objects < <(find "$O/obj/lib" "$O/obj/cmd" -name '*.o')
	[ "${#objects[@]}" -gt 0 ]
	# Notes once dropped stay dropped; what stands in for a function of libbpf gets no argument of ours.
	run ! sh -c 'nm -A "$@" | grep " [bBdDC] " | grep -v -e "/err.o:.* notes_dropped" -e "/err.o:.* command$" -e "/loader/btf.o:.* btf_source"' sh "${objects[@]}"
}

@test "what is dropped from a BPF object is neither code nor types nor CO-RE records" {
	cd "$BATS_TEST_TMPDIR" || return
	for slim in "$OLDPWD/$O"/bpf/*.slim.o; do
		cp "$slim" slim.o
		cp "${slim%.slim.o}.bpf.o" full.o
		[ "$(stat -c %s slim.o)" -lt "$(stat -c %s full.o)" ]
		llvm-readelf -SW full.o | grep -oE '(tp_btf|raw_tp|\.text|\.maps|\.rodata|\.BTF|iter)[^ ]* +PROGBITS' |
			awk '$1 != ".BTF.ext" { print $1 }' >sections
		grep -qx '.BTF' sections
		while read -r section; do
			llvm-objcopy --dump-section "$section=full.part" full.o discard.o
			llvm-objcopy --dump-section "$section=slim.part" slim.o discard.o
			cmp full.part slim.part
		done <sections
		# Records of CO-RE are the last of .BTF.ext: their length is the last word of its header.
		llvm-objcopy --dump-section .BTF.ext=full.ext full.o discard.o
		llvm-objcopy --dump-section .BTF.ext=slim.ext slim.o discard.o
		length=$(od -An -tu4 -j28 -N4 full.ext)
		[ "$length" -gt 0 ]
		cmp <(tail -c "$length" full.ext) <(tail -c "$length" slim.ext)
	done
}
