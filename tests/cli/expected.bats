#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Expected output: what was reviewed and stored is what the commands print, byte for byte. `make goldens` makes it anew.
# bats file_tags=native

# shellcheck disable=SC2154 # data.bash sets out
load lib/data.bash

ROOT=$BATS_TEST_DIRNAME/../..

# same PATTERN: those whose names it matches; at least one
same()
{
	local name names

	names=$("$DATA/goldens.sh" --list | grep -E "$1")
	for name in $names; do
		diff -u "$DATA/$name" <("$DATA/goldens.sh" --print "$name")
	done
}

@test "the rows of trace are those reviewed, in every format" {
	same '^expected/trace'
}

@test "the rows of errors are those reviewed, in every format" {
	same '^expected/errors'
}

@test "the rows of latency are those reviewed, in every format" {
	same '^expected/latency'
}

@test "the pictures are those reviewed, and README shows them" {
	same '^pictures/'
	[ "$(grep -cE '^!\[.*\]\(tests/data/pictures/(latency|stacks)\.svg\)$' "$ROOT/README.md")" = 2 ]
}

@test "the outputs of README are what the commands print" {
	"$DATA/goldens.sh" --print README.md | diff -u "$ROOT/README.md" -
	[ "$(grep -c '^\$ nvmetool ' "$ROOT/README.md")" -gt 5 ]
}

@test "each stored file is one of those that make goldens makes" {
	(cd "$DATA" && find expected pictures -type f) | LC_ALL=C sort |
		diff <("$DATA/goldens.sh" --list | grep / | LC_ALL=C sort) -
}
