#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The binary that is shipped: one static, small, stripped binary without state or paths of the machine that built it.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
}

@test "the binary is a static PIE with RELRO, a guarded stack, and one that is not executable" {
	hardened "$NVMETOOL"
}

@test "what was relocated is read-only once the binary runs" {
	sleep 5 | "$NVMETOOL" trace -i - 2>/dev/null 3>&- &
	pid=$!
	for ((tries = 0; tries < 100; tries++)); do
		writable=$(writable_bytes "$pid")
		[ "$writable" != 4096 ] || break
		sleep 0.02
	done
	kill "$pid"
	[ "$writable" = 4096 ]
}

# writable_bytes PID: of the file it runs; more than a page would be what is relocated, too
writable_bytes()
{
	local range mode file sum=0

	while read -r range mode _ _ _ file; do
		[[ $mode == ?w* && $file == *nvmetool ]] || continue
		sum=$((sum + 0x${range#*-} - 0x${range%-*}))
	done <"/proc/$1/maps"
	echo "$sum"
}

@test "the binary has at most 1.6 MiB" {
	size=$(stat -L -c %s "$NVMETOOL")
	echo "$size bytes"
	[ "$size" -le $((1638 * 1024)) ]
}

@test "the binary is stripped" {
	readelf -SW "$NVMETOOL" >"$BATS_TEST_TMPDIR/sections"
	grep -q ' \.text ' "$BATS_TEST_TMPDIR/sections"
	run ! grep -E '\.symtab|\.debug' "$BATS_TEST_TMPDIR/sections"
}

@test "the binary names no directory of the machine that built it" {
	run ! grep -aF -e "$PWD" -e "$HOME/" "$NVMETOOL"
}

# Those of libc are TZ and the locale's; systemd's name sockets. Nothing else of the environment counts.
@test "no variable of the environment is a switch for tests" {
	strings -a "$NVMETOOL" >"$BATS_TEST_TMPDIR/strings"
	grep -qx 'PAGER' "$BATS_TEST_TMPDIR/strings"
	[ "$(grep -oE 'NVMETOOL_[A-Z_]+' "$BATS_TEST_TMPDIR/strings" | sort -u | xargs)" = NVMETOOL_READY_FD ]
}

# But for --quiet, the command's name and the line of progress, which belong to the process as stderr does, and its time
# namespace.
@test "lib and cmd have no mutable globals" {
	mapfile -t objects < <(find "$O/obj/lib" "$O/obj/cmd" -name '*.o')
	[ "${#objects[@]}" -gt 0 ]
	# Notes once dropped stay dropped; what stands in for a function of libbpf gets no argument of ours.
	run ! sh -c 'objdump -t "$@" | grep -E " O \.(data|bss)" | grep -vE "\.data\.rel\.ro| (muted|notes_dropped|progress_len|command|btf_source|namespace_ahead_ns)$"' \
		sh "${objects[@]}"
}

@test "what is dropped from a BPF object is neither code nor types nor CO-RE records" {
	cd "$BATS_TEST_TMPDIR" || return
	for slim in "$OLDPWD/$O"/bpf/*.slim.o; do
		cp "$slim" slim.o
		cp "${slim%.slim.o}.bpf.o" full.o
		[ "$(stat -c %s slim.o)" -lt "$(stat -c %s full.o)" ]
		llvm-readelf -SW full.o | grep -oE ' (tp_btf|raw_tp|walk|fentry|fexit|\.text|\.maps|\.rodata|\.BTF|iter)[^ ]* +PROGBITS' |
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
		[ "$length" -gt 0 ] || [[ $slim == */spdk.slim.o ]] # which reads nothing of the kernel
		cmp <(tail -c "$length" full.ext) <(tail -c "$length" slim.ext)
	done
}
