#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# BPF objects one behind the other, as xz shrinks them best: of what relocates them, mostly numbers that grow by little,
# each is replaced by what it is more than the one 16 bytes before. add_up() of embed/embed.c undoes that.
#
# usage: pack.sh OBJECTS_DEF OBJECT.slim.o... >PACKED
#
# OBJECTS_DEF gets a line for each: OBJECT(name, bytes, where such numbers begin, where they end).
set -eu

def=$1
shift

# differences FILE FROM TO: of the words there.
differences()
{
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(tail -c +$(($2 + 1)) "$1" | head -c $(($3 - $2)) | od -An -v -tu4 -w16 | awk '{
		for (i = 1; i <= NF; i++) {
			d = $i - before[i] + ($i < before[i] ? 4294967296 : 0)
			before[i] = $i
			printf "\\%03o\\%03o\\%03o\\%03o", d % 256, int(d / 256) % 256, int(d / 65536) % 256, int(d / 16777216)
		}
	}')"
}

: >"$def"
for object; do
	# From .BTF.ext to the end of the last relocations lie these, symbols between them.
	sections=$(llvm-readelf -SW "$object" | sed -n 's/.*\] *\(\.BTF\.ext\|\.rel[^ ]*\) *[A-Z]* *0* *\([0-9a-f]* [0-9a-f]*\) .*/\1 \2/p')
	from=$((0x$(echo "$sections" | sed -n 's/^\.BTF\.ext \([^ ]*\) .*/\1/p')))
	to=$from
	for rel in $(echo "$sections" | sed -n 's/^\.rel[^ ]* \(.*\) \(.*\)/0x\1+0x\2/p'); do
		# shellcheck disable=SC2004 # dash takes no sum from a variable
		end=$(($rel))
		[ "$end" -le "$to" ] || to=$end
	done
	bytes=$(wc -c <"$object")
	name=${object##*/}
	echo "OBJECT(${name%.slim.o}, $bytes, $from, $to)" >>"$def"
	head -c "$from" "$object"
	differences "$object" "$from" "$to"
	tail -c +$((to + 1)) "$object"
done
