#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A BPF object as the binary carries it: what the kernel and libbpf read, and no more.
#
# usage: slim.sh OBJECT OUTPUT
#
# Dropped are line numbers (the verifier's log then lacks the source), the labels of basic blocks, and relocations that
# serve linkers only: 286 of the 454 KB that all objects have deflated, a quarter of the binary. OBJECT itself keeps all.
set -eu

object=$1 output=$2
ext=$output.ext
trap 'rm -f "$ext" "$ext.new"' EXIT

# A 32-bit number as four bytes, little-endian like every BPF object here.
u32()
{
	# shellcheck disable=SC2059 # the format is the number
	printf "$(printf '\\%03o\\%03o\\%03o\\%03o' \
		$(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}

# bytes FROM COUNT: a part of .BTF.ext.
bytes()
{
	tail -c +$(($1 + 1)) "$ext" | head -c "$2"
}

llvm-objcopy --dump-section .BTF.ext="$ext" "$object" "$output"
# struct btf_ext_header of libbpf's btf.h: offset and length of function, line and relocation records, which
# begin behind the header.
# shellcheck disable=SC2046 # words
set -- $(od -An -tu4 -N32 "$ext" | xargs)
header=$2 func_off=$3 func_len=$4 line_off=$5 line_len=$6 core_off=$7 core_len=$8
if [ "$func_off" != 0 ] || [ "$line_off" != "$func_len" ] || [ "$core_off" != $((line_off + line_len)) ]; then
	echo "error: $object: .BTF.ext is laid out in another way; teach embed/slim.sh about it" >&2
	exit 1
fi
{
	bytes 0 20
	u32 0
	u32 "$line_off"
	u32 "$core_len"
	bytes 32 $((header - 32))
	bytes "$header" "$func_len"
	bytes $((header + core_off)) "$core_len"
} >"$ext.new"
llvm-objcopy --wildcard --strip-symbol='LBB*' --remove-section=.rel.BTF.ext --remove-section=.rel.BTF \
	--remove-section=.llvm_addrsig --update-section=.BTF.ext="$ext.new" "$object" "$output"
