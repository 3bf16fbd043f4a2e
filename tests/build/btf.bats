#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every member that our programs read is there, in the size that they read, in kernels between those that guests boot.
# tests/data/btf holds what was read of their BTF (tests/vm/btfs.sh), and what they are known not to have.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
}

@test "kernels that no guest boots have what our programs read" {
	data=$BATS_TEST_DIRNAME/../data/btf
	while read -r version absent; do
		echo "$version: without $absent"
		"$BATS_TEST_DIRNAME/../vm/btfcheck" --absent "$absent" "$data/$version" "$O"/bpf/*.bpf.o
	done <"$data/absent"
	[ "$(find "$data" -name '[0-9]*' | wc -l)" = "$(wc -l <"$data/absent")" ]
}
