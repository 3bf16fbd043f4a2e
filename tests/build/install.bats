#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# make install PREFIX= DESTDIR=: the binary, a man page for each command, completions, what systemd, Prometheus and Grafana read.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
}

@test "make install puts everything below DESTDIR" {
	clean_make . O="$O" install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr
	cd "$BATS_TEST_TMPDIR/root" || return
	find . -type f | LC_ALL=C sort >"$BATS_TEST_TMPDIR/installed"
	{
		echo ./usr/bin/nvmetool
		printf './usr/lib/systemd/system/nvmetool-metrics.%s\n' service socket
		printf './usr/share/nvmetool/%s\n' dashboard.json nvmetool.rules.yml
		echo ./usr/share/bash-completion/completions/nvmetool
		echo ./usr/share/fish/vendor_completions.d/nvmetool.fish
		echo ./usr/share/man/man1/nvmetool.1
		for name in $CMDS; do
			echo "./usr/share/man/man1/nvmetool-$name.1"
		done
		echo ./usr/share/zsh/site-functions/_nvmetool
	} | LC_ALL=C sort | diff - "$BATS_TEST_TMPDIR/installed"
	[ -x usr/bin/nvmetool ]
	usr/bin/nvmetool --version
	grep -q '^ExecStart=/usr/bin/nvmetool ' usr/lib/systemd/system/nvmetool-metrics.service
	for page in usr/share/man/man1/*.1; do
		mandoc -T lint -W error "$page"
		grep -q '^\.Sh NAME' "$page"
	done
}
