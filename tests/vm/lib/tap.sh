# SPDX-License-Identifier: GPL-2.0-or-later
# Checks of a test, the same in the guest and on the host: each writes one TAP line, without number, to $TAP.
# shellcheck shell=bash

# diag TEXT...: lines for the reader, under the check they belong to.
diag()
{
	printf '%s\n' "$@" | cut -c1-300 | sed 's/^/# /' >>"$TAP"
}

# attempt COMMAND...: runs it in a shell of its own, in which each command of a function counts: `if`, `!` and `||` would
# switch that off. Leaves its status in $result, and what it said in $said, with the command that failed last.
attempt()
{
	local on_error

	on_error=$(trap -p ERR)
	trap - ERR
	set +e
	said=$(
		exec 2>&1
		trap 'echo "status $?, line $LINENO: $BASH_COMMAND" >&2' ERR
		set -e
		"$@"
	)
	result=$?
	set -e
	eval "$on_error"
}

# check NAME COMMAND...: holds when the command succeeds; its output is shown when it does not.
check()
{
	local name=$1 said result

	shift
	attempt "$@"
	if [ "$result" = 0 ]; then
		echo "ok - $name" >>"$TAP"
	else
		echo "not ok - $name" >>"$TAP"
		diag "failed: $*"
		[ -z "$said" ] || diag "$(tail -n 20 <<<"$said")"
	fi
}

# fails COMMAND...: for `check NAME fails COMMAND`. A command that is not there (126, 127) is no failure of it.
fails()
{
	local said result

	attempt "$@"
	echo "status $result: $said"
	[ "$result" != 0 ] && [ "$result" != 126 ] && [ "$result" != 127 ]
}

# without PATTERN FILE: FILE has text, and no line of it matches; for `check`
without()
{
	[ -s "$2" ]
	fails grep -m 5 "$1" "$2"
}

# none FILE FILTER: FILE has records, and jq's FILTER holds for none of them; for `check`
none()
{
	[ "$(jq -s length "$1")" -gt 0 ]
	jq -c "select($2)" "$1" >"$OUT/none"
	head -n 5 "$OUT/none"
	[ ! -s "$OUT/none" ]
}

# within ALL FILE: FILE has lines, and each of them is a line of ALL; both are sorted; for `check`
within()
{
	[ -s "$2" ]
	comm -13 "$1" "$2" >"$OUT/strange"
	head -n 5 "$OUT/strange"
	[ ! -s "$OUT/strange" ]
}

# check_eq NAME GOT WANT
check_eq()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1" >>"$TAP"
	else
		echo "not ok - $1" >>"$TAP"
		diag "got  '$2'" "want '$3'"
	fi
}

# check_near NAME GOT WANT PERCENT: numbers, decimals allowed.
check_near()
{
	if awk -v g="$2" -v w="$3" -v p="$4" \
		'BEGIN { d = g - w; exit !(g != "" && w != "" && (d < 0 ? -d : d) <= w * p / 100) }'; then
		echo "ok - $1" >>"$TAP"
	else
		echo "not ok - $1" >>"$TAP"
		diag "got '$2', want '$3' within $4 %"
	fi
}

# skip NAME REASON: stands for one check of the plan.
skip()
{
	echo "ok - $1 # SKIP $2" >>"$TAP"
}
