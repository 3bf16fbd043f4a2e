#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Static checks as TAP, one test per check; `make lint` runs it and sets LINT_CFLAGS, BPF_CFLAGS and O.
#
# usage: run.sh [CHECK]...       all when none is named; also: CHECK=tidy make lint
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

check_format()
{
	sources c h | xargs -P "$(nproc)" -n 32 clang-format --dry-run --Werror
}

# One process per file and two at a time; $1 says which files, the other words are the compiler's flags. Half of the time
# would be clang's analyser, which `make analyze` runs in its deep mode.
tidy()
{
	local files=$1

	shift
	$files | xargs -P "$(nproc)" -I FILE sh -c \
		'out=$(clang-tidy --quiet --checks=-clang-analyzer-* FILE -- "$@" 2>&1) || { echo "$out"; exit 1; }' sh "$@"
}

check_tidy()
{
	local user

	read -ra user <<<"$LINT_CFLAGS"
	tidy user_sources "${user[@]}"
}

check_tidy_bpf()
{
	local bpf

	read -ra bpf <<<"$BPF_CFLAGS"
	tidy bpf_sources "${bpf[@]}"
}

check_cppcheck()
{
	user_sources | xargs cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,performance,portability \
		--inline-suppr --error-exitcode=1 --suppress=missingInclude -I . -I "$O" -D_GNU_SOURCE \
		'-DLIBBPF_OPTS(type,name,...)=struct type name = { __VA_ARGS__ }' \
		'-Dbpf_object__for_each_program(pos,obj)=while ((pos = next(pos)))'
}

check_shellcheck()
{
	shells | xargs -P "$(nproc)" -n 16 shellcheck -x -P SCRIPTDIR
}

check_headers()
{
	tests/lint/check-headers.sh
}

check_spdx()
{
	tests/lint/spdx.sh
}

check_guards()
{
	tests/lint/guards.sh
}

check_rooms()
{
	tests/lint/rooms.sh
}

check_duplicates()
{
	sources c h | xargs python3 tests/lint/duplicates.py 3 && shells | xargs python3 tests/lint/duplicates.py 3
}

check_cli_tests()
{
	local name status=0

	for name in $CMDS; do
		[ -e "tests/cli/$name.bats" ] || { echo "tests/cli/$name.bats is missing"; status=1; }
	done
	return "$status"
}

# Findings of fuzzers are input, whatever they look like.
check_generated()
{
	local found

	found=$(files | grep -E '(^|/)vmlinux[^/]*\.h$|\.(o|a|so|1|html|skel\.h)$|^build/'
		files | grep -v '^tests/fuzz/corpus/' | LC_ALL=C xargs -d '\n' grep -laP '\A\x7fELF')
	echo "$found"
	[ -z "$found" ]
}

check_names()
{
	files | xargs -d '\n' python3 tests/lint/names.py
}

# Each fault that `make mutants` puts in changes a line that is in its file, once.
check_mutants()
{
	local file='' line status=0

	while IFS= read -r line; do
		case $line in
		'in '*) file=${line#in } ;;
		'- '*) [ "$(grep -cF -- "${line#- }" "$file")" = 1 ] || { echo "$file: not there once: ${line#- }" && status=1; } ;;
		esac
	done < <(cat tests/mutants/*.list 2>/dev/null)
	return "$status"
}

ALL='format tidy tidy_bpf cppcheck shellcheck headers spdx guards rooms duplicates cli_tests generated names mutants'
number=0 bad=0
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- ${CHECK:-$ALL}
for name; do
	number=$((number + 1))
	if output=$("check_$name" 2>&1); then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' <<<"$output"
		bad=1
	fi
done
echo "1..$number"
exit "$bad"
