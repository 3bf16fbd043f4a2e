#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# make dist: a tarball for each architecture, the same bytes each time, with what a user needs and its checksums.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
	DIST=$BATS_TEST_TMPDIR/dist
}

# machine FILE: for which the ELF file is
machine()
{
	readelf -h "$1" | sed -n 's/^ *Machine: *//p'
}

@test "make dist: binary, man pages, completions and checksums, for two architectures, twice the same" {
	clean_make . O="$O" DIST="$DIST" dist
	(cd "$DIST" && sha256sum -c SHA256SUMS)
	mkdir "$BATS_TEST_TMPDIR/x"
	for tarball in "$DIST"/*.tar.gz; do
		tar -C "$BATS_TEST_TMPDIR/x" -xf "$tarball"
	done
	cd "$BATS_TEST_TMPDIR/x" || return
	[ "$(machine nvmetool-*-x86_64/bin/nvmetool)" = "Advanced Micro Devices X86-64" ]
	[ "$(machine nvmetool-*-aarch64/bin/nvmetool)" = AArch64 ]
	"$(echo nvmetool-*-"$(uname -m)")/bin/nvmetool" --version
	for dir in *; do
		cd "$dir" || return
		find . -type f | LC_ALL=C sort >"$BATS_TEST_TMPDIR/there"
		{
			printf './%s\n' SHA256SUMS bin/nvmetool lib/systemd/system/nvmetool-metrics.{service,socket} \
				share/nvmetool/{dashboard.json,nvmetool.rules.yml} share/bash-completion/completions/nvmetool \
				share/doc/nvmetool/{LICENSE,README.md} share/fish/vendor_completions.d/nvmetool.fish \
				share/man/man1/nvmetool.1 share/zsh/site-functions/_nvmetool
			for name in $CMDS; do
				echo "./share/man/man1/nvmetool-$name.1"
			done
		} | LC_ALL=C sort | diff - "$BATS_TEST_TMPDIR/there"
		sha256sum -c SHA256SUMS
		[ "$(wc -l <SHA256SUMS)" = "$(($(wc -l <"$BATS_TEST_TMPDIR/there") - 1))" ]
		cd ..
	done
	cd "$BATS_TEST_DIRNAME/../.." || return
	(umask 077 && clean_make . O="$O" DIST="$DIST-again" dist)
	diff -r "$DIST" "$DIST-again"
}
