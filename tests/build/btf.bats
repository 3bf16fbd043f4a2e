#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every member that our programs read is there, in the size that they read, in kernels between those that guests boot, and in
# the oldest; and no program reads unasked what a kernel may lack. tests/data/btf holds what was read of their BTF
# (tests/vm/btfs.sh), and what they are known not to have.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	data=$BATS_TEST_DIRNAME/../data/btf vm=$BATS_TEST_DIRNAME/../vm
	kernels=("$data"/[0-9]*)
}

@test "kernels that no guest boots have what our programs read" {
	while read -r version absent; do
		echo "$version: without $absent"
		"$vm/btfcheck" --absent "$absent" "$data/$version" "$O"/bpf/*.bpf.o
	done <"$data/absent"
	[ "${#kernels[@]}" = "$(wc -l <"$data/absent")" ]
}

# Each member is dropped by itself: what is needed then is listed, with the reason why every kernel has it.
@test "what programs read unasked is what every kernel has" {
	"$vm/btfdrop" "${kernels[@]}" "$O"/bpf/*.bpf.o >"$BATS_TEST_TMPDIR/needed"
	diff <(sort "$BATS_TEST_TMPDIR/needed") <(sed '/^#/d; /^$/d' "$data/needed" | sort)
}

@test "kernels without an option load all programs" {
	while read -r option without; do
		echo "$option"
		"$vm/btfdrop" --without "$without" "${kernels[@]}" "$O"/bpf/*.bpf.o
	done < <(sed '/^#/d' "$data/options")
}
