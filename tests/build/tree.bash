# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Scratch copies of the work tree for the tests of the build; bats runs them from the top of the tree.

# copy_tree DIR: the files git tracks or would add, as a fresh clone would have them.
copy_tree()
{
	mkdir -p "$1"
	bash -c '. tests/lint/files.sh; files' | tar -c -T - | tar -x -C "$1"
	git -C "$1" init -q -b main
	git -C "$1" add -A
	git -C "$1" -c user.name=test -c user.email=test@localhost commit -q -m copy
}

# clean_make DIR ARGUMENTS...: make there, with nothing of the make that runs the tests in its environment.
clean_make()
{
	local dir=$1

	shift
	env -i PATH="$PATH" HOME="$HOME" ${NVMETOOL_CACHE:+NVMETOOL_CACHE="$NVMETOOL_CACHE"} \
		${DEPS_SRC:+DEPS_SRC="$DEPS_SRC"} make -C "$dir" "$@"
}

# hardened FILE: a static PIE whose relocated data becomes read-only, and whose stack is guarded and not executable
hardened()
{
	local elf=$BATS_TEST_TMPDIR/elf

	readelf -hldW "$1" >"$elf"
	grep -q 'Type: *DYN ' "$elf"
	grep -q ' LOAD ' "$elf"
	run ! grep -E 'INTERP|NEEDED|TEXTREL' "$elf"
	grep -q ' GNU_RELRO ' "$elf"
	grep -q ' BIND_NOW' "$elf"
	grep -qE ' GNU_STACK .* RW ' "$elf"
	llvm-nm "$1.debug" | grep -q ' __stack_chk_fail$'
}

# Only the real binary is looked at; with SAN=1 the tests run another one.
need_release_binary()
{
	[ "$NVMETOOL" = "$O/nvmetool" ] || skip "the binary under test is $NVMETOOL, not the one to ship"
}

# make_recording FILE FLAG...: the recording that tests/data/report.c makes, compiled with these
make_recording()
{
	local san=(-fno-pie -no-pie -fsanitize=address -fsanitize=undefined)

	make --no-print-directory SAN=1 "$O/san/lib.a" >"$1.log" 2>&1
	"${HOSTCC:-gcc}" -O1 -std=gnu11 -D_GNU_SOURCE -iquote . "${san[@]}" "${@:2}" tests/data/report.c "$O/san/lib.a" -lbpf -lelf -lz -lm \
		-o "$1.make"
	"$1.make" "$1"
}
