# SPDX-License-Identifier: GPL-2.0-or-later
# report is silent above low of programs that do their work on a drive that does its own: git, tar and sync, a compiler, cp.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/causes.sh"

topology=causes
kernels='6.1 6.18 sid'
plan=20
seconds=90

CAUSES='git tar compile copy'

# A repository of some of our own files
before()
{
	git init -q "$OUT/source"
	cp -r "$VM/../../lib" "$VM/../../cmd" "$VM/../../bpf" "$OUT/source/"
	git -C "$OUT/source" add .
	git -C "$OUT/source" -c user.name=lab -c user.email=lab@localhost commit -qm all
}

# All of it is copied once, before the first of them
prepare_git()
{
	cp -r "$LAB/t/healthy/source" "$FILES/source"
}

stage_git()
{
	git clone -q --no-local "$FILES/source" "$FILES/clone"
	sync -f "$FILES"
}

stage_tar()
{
	tar -C "$FILES" -cf "$FILES/source.tar" source
	sync
	tar -C "$FILES" -czf "$FILES/source.tgz" source
	sync
}

stage_compile()
{
	local file

	mkdir -p "$FILES/objects"
	for file in "$FILES"/source/lib/base/{glob,fmt,hist,units}.c; do
		gcc -O1 -I"$FILES/source" -D_GNU_SOURCE -c -o "$FILES/objects/${file##*/}.o" "$file"
	done
	sync -f "$FILES"
}

stage_copy()
{
	cp -r "$FILES/source" "$FILES/copy"
	sync -f "$FILES"
	rm -r "$FILES/copy"
	sync -f "$FILES"
}
