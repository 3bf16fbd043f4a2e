#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries and tools of a build: where one cannot be had the ways out are named; archives are verified.

bats_require_minimum_version 1.5.0

# A PATH with what the scripts use, and none of the tools they look for.
setup()
{
	local name

	TOOLS=$PWD/lib/deps/tools.sh FETCH=$PWD/lib/deps/fetch.sh
	BIN=$BATS_TEST_TMPDIR/bin
	mkdir "$BIN"
	for name in bash env sort cut xargs echo id grep awk install flock; do
		ln -s "$(type -P "$name")" "$BIN/$name"
	done
	echo 'ID=otherlinux' >"$BATS_TEST_TMPDIR/other"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$BATS_TEST_TMPDIR/debian"
}

# fake NAME TEXT: a program in that PATH.
fake()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$BIN/$1"
	chmod +x "$BIN/$1"
}

# Directory $1 gets the archives of the cache.
archives()
{
	"$FETCH" "$BATS_TEST_TMPDIR/unpacked"
	mkdir "$1"
	cp "${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}"/src/*.* "$1"
}

@test "a tool that is missing on another distribution: both ways out are named" {
	run -1 env PATH="$BIN" OS_RELEASE="$BATS_TEST_TMPDIR/other" "$TOOLS" build
	[[ $output == "error: missing: "*musl-gcc*"; "*"Debian 12 container"*DEPS_SRC=* ]]
	[ "${#lines[@]}" = 1 ]
}

@test "apt-get that fails: what it was for, and the ways out" {
	fake sudo 'exec "$@"'
	fake apt-cache 'exit 100'
	fake apt-get 'exit 100'
	run -1 env PATH="$BIN" OS_RELEASE="$BATS_TEST_TMPDIR/debian" "$TOOLS" build
	[[ ${lines[-1]} == "error: apt-get could not install: "*musl-tools*"; check the network, or "*DEPS_SRC=* ]]
}

@test "DEPS_SRC with the pinned archives needs no network and no cache" {
	archives "$BATS_TEST_TMPDIR/src"
	run -0 env HOME=/nonexistent DEPS_SRC="$BATS_TEST_TMPDIR/src" NVMETOOL_CACHE= "$FETCH" "$BATS_TEST_TMPDIR/out"
	[ -e "$BATS_TEST_TMPDIR/out/libbpf/src/libbpf.c" ]
	[ -e "$BATS_TEST_TMPDIR/out/elfutils/libelf/libelf.h" ]
	[ -e "$BATS_TEST_TMPDIR/out/zlib/zlib.h" ]
}

@test "an archive with another content stops the build" {
	archives "$BATS_TEST_TMPDIR/src"
	printf x >>"$BATS_TEST_TMPDIR/src/zlib_1.2.13.dfsg.orig.tar.bz2"
	run -1 env DEPS_SRC="$BATS_TEST_TMPDIR/src" "$FETCH" "$BATS_TEST_TMPDIR/out"
	[[ $output == *"zlib_1.2.13.dfsg.orig.tar.bz2: FAILED"*"differ from lib/deps/pins"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
}

@test "an archive that DEPS_SRC lacks stops the build" {
	archives "$BATS_TEST_TMPDIR/src"
	rm "$BATS_TEST_TMPDIR/src/libbpf_1.1.2.orig.tar.gz"
	run -1 env DEPS_SRC="$BATS_TEST_TMPDIR/src" "$FETCH" "$BATS_TEST_TMPDIR/out"
	[[ $output == *"lacks archives that lib/deps/pins names"* ]]
}

@test "musl of another architecture: fetched once, another distribution is told what to do" {
	run -0 lib/deps/musl.sh aarch64 "$BATS_TEST_TMPDIR/musl"
	grep -q "^-L$BATS_TEST_TMPDIR/musl/usr/lib/aarch64-linux-musl " "$BATS_TEST_TMPDIR/musl/musl-gcc.specs"
	[ -e "$BATS_TEST_TMPDIR/musl/usr/lib/aarch64-linux-musl/libc.a" ]
	run -1 env OS_RELEASE="$BATS_TEST_TMPDIR/other" NVMETOOL_CACHE="$BATS_TEST_TMPDIR/cache" \
		lib/deps/musl.sh aarch64 "$BATS_TEST_TMPDIR/musl"
	[[ $output == "error: musl for aarch64: not on Debian 12; "*musl-dev_*_arm64.deb*DEPS_SRC=* ]]
}
