#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# help --man: mdoc that mandoc reads without a complaint that matters, with every option in it.

bats_require_minimum_version 1.5.0

commands()
{
	"$NVMETOOL" __complete "" | cut -f1
}

@test "mandoc finds no error in any page" {
	for cmd in "" $(commands); do
		# shellcheck disable=SC2086 # no command is no word
		"$NVMETOOL" help --man $cmd >"$BATS_TEST_TMPDIR/page.1"
		mandoc -T lint -W error "$BATS_TEST_TMPDIR/page.1"
	done
}

@test "man reads each page without a warning" {
	for cmd in "" $(commands); do
		# shellcheck disable=SC2086 # no command is no word
		"$NVMETOOL" help --man $cmd >"$BATS_TEST_TMPDIR/page.1"
		groff -ww -mdoc -Tutf8 -Z "$BATS_TEST_TMPDIR/page.1" 2>"$BATS_TEST_TMPDIR/warnings" >"$BATS_TEST_TMPDIR/set" # as man --warnings
		[ -s "$BATS_TEST_TMPDIR/set" ]
		cat "$BATS_TEST_TMPDIR/warnings"
		[ ! -s "$BATS_TEST_TMPDIR/warnings" ]
	done
}

@test "a page has the sections of a manual" {
	"$NVMETOOL" help --man trace >"$BATS_TEST_TMPDIR/page.1"
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS OUTPUT "EXIT STATUS" EXAMPLES "SEE ALSO"; do
		grep -qx ".Sh $section" "$BATS_TEST_TMPDIR/page.1"
	done
}

@test "a page shows every option that the command completes" {
	for cmd in $(commands); do
		"$NVMETOOL" help --man "$cmd" | mandoc -T utf8 | col -bx >"$BATS_TEST_TMPDIR/text"
		"$NVMETOOL" __complete "$cmd" -- | cut -f1 | sort -u >"$BATS_TEST_TMPDIR/options"
		[ -s "$BATS_TEST_TMPDIR/options" ]
		# grep finds the longer one of words that begin alike, so each has to stand there by itself.
		grep -oFf "$BATS_TEST_TMPDIR/options" "$BATS_TEST_TMPDIR/text" | sort -u | diff "$BATS_TEST_TMPDIR/options" -
	done
}

@test "examples come out as they are typed" {
	"$NVMETOOL" help completion | sed -n 's/^    \(nvmetool completion .*\)/\1/p' >"$BATS_TEST_TMPDIR/want"
	[ -s "$BATS_TEST_TMPDIR/want" ]
	"$NVMETOOL" help --man completion | mandoc -T ascii | col -bx | sed -n '/^EXAMPLES/,$s/^ *\(nvmetool completion .*\)/\1/p' |
		diff "$BATS_TEST_TMPDIR/want" -
}
