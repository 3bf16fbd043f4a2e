#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs test suites, shows what failed or was skipped, once more what failed, and ends with: N passed, N failed, N skipped.
#
# usage: run.sh [-a] PART...     lint, unit, san, native, cli, build, mutants, vm, torture, soak; make builds what they need
#
#   -a  all of a part; else what is only in `make test-all` is left out: bats tests with the tag `all`, and guests (see
#       README.md here)
#
# SEED=N makes the same calls fail as a run that printed N.
#
# A suite prints TAP. Its whole output is kept in build/test/SUITE.tap, its messages in SUITE.err. A suite that prints
# no test, stops before its plan is done, or ends with a status its tests do not explain, has failed, and so has a part
# without a suite. Suites run side by side, one more than there are processors, since they wait now and then; but guests
# need the time that they have alone, and wait for all suites before them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

export O=${O:-build}
export NVMETOOL=${NVMETOOL:-$O/nvmetool}
UNIT_DIR=${UNIT_DIR:-$O/unit}
SAN_DIR=$O/san
SEED=${SEED:-$RANDOM}
LOGS=$O/test

# Reads the TAP of one suite: prints failures with their diagnostics, skips with their reason, and what took how many
# seconds to the terminal, failures to the file FAILURES too, and the counts "passed failed skipped seen planned" to the
# file COUNTS.
DIGEST='
function fail(line) { print line; print line >>FAILURES }
/^(not )?ok / { seen++; show = 0 }
# cmocka has "not ok" for what is skipped.
/^(not )?ok / && tolower($0) ~ /# *skip/ { skipped++; print "  " suite ": " $0; next }
/^ok / { passed++ }
/^not ok / { failed++; show = 1; fail("  " suite ": " $0); next }
/^Bail out!/ { failed++; fail("  " suite ": " $0) }
/^1\.\.0/ { skipped++; seen++; planned = 1; print "  " suite ": " $0; next }
/^1\.\.[0-9]+/ { planned = substr($1, 4); next }
/^# seconds of / { print "  " suite ": " substr($0, 3); next }
show && /^ *#/ { fail("    " $0) }
{ fflush() }
END { print passed + 0, failed + 0, skipped + 0, seen + 0, planned + 0 >COUNTS }
'

# complain SUITE WHY: a failure that the suite itself could not report.
complain()
{
	{
		echo "  $1: $2; its last messages:"
		tail -n 10 "$LOGS/$1.err" | sed 's/^/    /'
	} | tee -a "$LOGS/$1.failures"
}

# suite NAME SECONDS COMMAND...: runs it for at most that long, and leaves "part, passed, failed, skipped, when it began, when
# it ended, seconds of CPU" in NAME.sum.
suite()
{
	local name=$1 limit=$2 tap=$LOGS/$1.tap began=$SECONDS status pass fail skip seen planned cpu

	shift 2
	timeout -k 10 "$limit" "$@" 2>"$LOGS/$name.err" | tee "$tap" |
		awk -v suite="$name" -v FAILURES="$LOGS/$name.failures" -v COUNTS="$LOGS/$name.counts" "$DIGEST"
	status=${PIPESTATUS[0]}
	read -r pass fail skip seen planned <"$LOGS/$name.counts"
	if [ "$seen" = 0 ]; then
		complain "$name" "printed no test (status $status)"
		fail=$((fail + 1))
	elif [ "$seen" != "$planned" ]; then
		complain "$name" "planned $planned tests and did $seen (status $status)"
		fail=$((fail + 1))
	elif [ "$status" != 0 ] && [ "$fail" = 0 ]; then
		complain "$name" "status $status although no test failed"
		fail=$((fail + 1))
	fi
	printf '%-20s %4d passed %4d failed %4d skipped %5d s\n' \
		"$name" "$pass" "$fail" "$skip" $((SECONDS - began))
	read_cpu "$LOGS/$name.counts"
	echo "$part $pass $fail $skip $began $SECONDS $cpu" >"$LOGS/$name.sum"
}

# first_of FILE: the failures in it that came first; the others often follow from them, and hide them in a log that is cut.
first_of()
{
	local lines

	[ -s "$1" ] || return
	mapfile -t lines < <(grep -v ' was not reached$' "$1")
	printf '%s\n' "${lines[@]:0:30}"
	[ ${#lines[@]} -le 30 ] || echo "    and $((${#lines[@]} - 30)) lines more, see above"
}

# read_cpu FILE: sets cpu to the seconds of CPU that ended processes of this shell have taken; the file is for its use.
read_cpu()
{
	local user sys

	times >"$1"
	{ read -r && read -r user sys; } <"$1"
	user=${user%.*} sys=${sys%.*}
	cpu=$((60 * ${user%m*} + ${user#*m} + 60 * ${sys%m*} + ${sys#*m}))
}

# beside NAME SECONDS COMMAND...: the same beside others; what it says comes when it is done.
beside()
{
	local text

	[ "$(jobs -rp | wc -l)" -le "$(nproc)" ] || wait -n
	{
		text=$(suite "$@")
		printf '%s\n' "$text"
	} &
}

# run_unit PREFIX DIR: the test programs in DIR.
run_unit()
{
	local source name

	for source in tests/unit/*/test_*.c; do
		name=${source#tests/unit/} name=${name%.c}
		CMOCKA_MESSAGE_OUTPUT=TAP beside "$1${name/\/test_/-}" 300 "$2/$name"
	done
}

# run_bats PREFIX DIR [TAG]: the files there that have tests of this tier, and of that tag; the large ones, which take long,
# first, so that none is left to run alone.
run_bats()
{
	local file tags=${3:-} filter=() files=("$2"/*.bats)

	[ -n "$all" ] || tags+=${tags:+,}'!all'
	[ -z "$tags" ] || filter=(--filter-tags "$tags")
	[ ${#files[@]} = 0 ] || mapfile -t files < <(ls -S "${files[@]}")
	for file in "${files[@]}"; do
		[ "$(bats --count "${filter[@]}" "$file")" = 0 ] ||
			beside "$1$(basename "$2")-$(basename "$file" .bats)" 900 bats --tap "${filter[@]}" "$file"
	done
}

# Units, command line, the corpus of each fuzz target and some failing calls, with sanitizers. To look for leaks doubles
# what a start of the command line costs, so only -a does; the others look for them always.
run_san()
{
	local target leaks=0

	[ -z "$all" ] || leaks=1
	run_unit san- "$SAN_DIR"
	NVMETOOL=$SAN_DIR/nvmetool ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=$leaks run_bats san- tests/cli
	for target in tests/fuzz/fuzz_*.c; do
		target=$(basename "$target" .c)
		beside "san-$target" 300 "$SAN_DIR/$target" "tests/fuzz/corpus/${target#fuzz_}"/*
	done
	beside san-torture 600 "$SAN_DIR/torture" 20 "$SEED"
}

run_part()
{
	case $part in
	lint) beside lint 1200 tests/lint/run.sh ;;
	unit) run_unit '' "$UNIT_DIR" ;;
	san) run_san ;;
	native) run_bats '' tests/cli native ;;
	cli) run_bats '' tests/cli ;;
	build) run_bats '' tests/build ;;
	mutants) beside mutants 3600 tests/mutants/run.sh ;;
	torture) beside torture 1800 "$SAN_DIR/torture" 0 ;;
	vm) wait && (suite vm "$([ -n "$all" ] && echo 0 || echo 3600)" tests/vm/run.sh -j 2 ${all:+-a}) ;;
	soak) wait && (suite soak $((${SOAK_MINUTES:-60} * 60 + 5400)) tests/vm/run.sh -k 6.12 soak million killed) ;;
	*)
		echo "error: no part '$part'; choose from lint unit san native cli build mutants vm torture soak" >&2
		exit 2
		;;
	esac
}

# Prints what each part took, from its first suite's begin to its last one's end: parts overlap.
table()
{
	local part

	for part; do
		cat /dev/null "$LOGS"/*.sum | awk -v part="$part" '$1 == part {
			if (!n++ || $5 < from) from = $5
			if ($6 > to) to = $6
			cpu += $7
		}
		END { printf "part %-20s %5d s, %5d s of CPU\n", part, to - from, cpu }'
	done
}

mkdir -p "$LOGS"
rm -f "$LOGS"/*.{failures,sum}
shopt -s nullglob
all=''
[ "${1:-}" != -a ] || { all=yes && shift; }
for part; do
	run_part
done
wait
for part; do
	grep -q "^$part " /dev/null "$LOGS"/*.sum || {
		echo "  $part: no suite" | tee "$LOGS/$part.failures"
		echo "$part 0 1 0 0 0 0" >"$LOGS/$part.sum"
	}
done
table "$@"
# Last, where it is found, and is left by what keeps only the end of a log.
failures=$(for file in "$LOGS"/*.failures; do first_of "$file"; done)
[ -z "$failures" ] || printf 'failed:\n%s\n' "$failures"
read -r passed failed skipped < <(cat /dev/null "$LOGS"/*.sum | awk '{ p += $2; f += $3; s += $4 } END { print p + 0, f + 0, s + 0 }')
echo "$passed passed, $failed failed, $skipped skipped"
[ $((passed + failed + skipped)) -gt 0 ] && [ "$failed" = 0 ]
