# SPDX-License-Identifier: GPL-2.0-or-later
# Checks of a test, the same in the guest and on the host: each writes one TAP line, without number, to $TAP.
# shellcheck shell=bash

# diag TEXT...: lines for the reader, under the check they belong to.
diag()
{
	printf '%s\n' "$@" | cut -c1-300 | sed 's/^/# /' >>"$TAP"
}

# check NAME COMMAND...: holds when the command succeeds; its output is shown when it does not.
check()
{
	local name=$1 said

	shift
	if said=$("$@" 2>&1); then
		echo "ok - $name" >>"$TAP"
	else
		echo "not ok - $name" >>"$TAP"
		diag "failed: $*"
		[ -z "$said" ] || diag "$(tail -n 20 <<<"$said")"
	fi
}

# fails COMMAND...: for `check NAME fails COMMAND`
fails()
{
	! "$@"
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
