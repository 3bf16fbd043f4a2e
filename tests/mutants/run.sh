#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Puts each fault of mutants.list into a copy of the tree, and requires that the test named there fails, as TAP. A fault
# whose line is not found exactly once, that does not build or that no test sees is a failure; so is a test that fails
# without it, or is none. `make mutants` builds what is copied.
#
# usage: run.sh [-l LIST] [WORD]    WORD: only faults in whose file or test it occurs
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

O=$(realpath "$O")
TREE=$O/mutants
LIST=tests/mutants/mutants.list
[ "${1-}" != -l ] || { LIST=$2 && shift 2; }
unset MAKEFLAGS MAKELEVEL
LIST=$(realpath "$LIST")
WORD=${1-}
LOG=$TREE.log
number=0 failed=0
file='' old='' new=''
declare -A sound # 1: the test passes without a fault; 0: it does not

# Objects are copied, too, so that a fault costs an object and a link, twice. Times of files stay as they are.
copy_tree()
{
	rm -rf "$TREE" && mkdir -p "$TREE/build" &&
		files | tar -c -T - | tar -x -C "$TREE" &&
		tar -c -C "$O" bpf cmd embed.def nvmetool nvmetool.debug obj unit | tar -x -C "$TREE/build" &&
		ln -s "$O/deps" "$TREE/build/deps"
}

# But for guests, faults in headers that programs share are looked for in user space: objects for the kernel are taken
# as they are.
OLD=()
for object in "$O"/bpf/*; do
	OLD+=(-o "build/bpf/${object##*/}")
done

# build KIND NAME OPTION...: what the test needs
build()
{
	local goal taken=("${OLD[@]}")

	case $1 in
	unit) goal=build/unit/${2/\///test_} ;;
	cli) goal=build/nvmetool ;;
	guest)
		goal=build/guest/nvmetool
		taken=()
		;;
	esac
	make -C "$TREE" -j"$(nproc)" --no-print-directory -s O=build SAN= "${taken[@]}" "${@:3}" "$goal" >"$LOG" 2>&1
}

# boot NAME CHECK: runs a test of the lab on the first kernel of its `test=`; prints that check alone, and fails if it does
boot()
{
	local kernel

	kernel=$(sed -nE "s/^test='([^ ']+).*/\1/p" tests/vm/t/*/"$1.sh")
	O=build VM_OUT=vm timeout 500 tests/vm/run.sh -k "$kernel" "$1" 2>&1 |
		WANT="- $kernel $1: $2" awk '/^(not )?ok / && substr($0, index($0, "- ")) == ENVIRON["WANT"] {
				failed += /^not/
				print /^not/ ? "not ok 1" : "ok 1"
			}
			END { exit failed > 0 }'
}

# run_test KIND NAME TEST: prints TAP; a test that does not end counts as none
run_test()
{
	case $1 in
	unit)
		(cd "$TREE" && CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 "build/unit/${2/\///test_}" "$3" 2>&1)
		;;
	cli)
		(cd "$TREE" && NVMETOOL=build/nvmetool O=build timeout 300 \
			bats --tap -f "^$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<<"$3")\$" "tests/cli/$2.bats" 2>&1)
		;;
	guest) (cd "$TREE" && boot "$2" "$3") ;;
	esac
}

# passes KIND NAME TEST: 0 it passes, 1 it fails, 2 there is none or it does not end
passes()
{
	local tap status

	tap=$(run_test "$@")
	status=$?
	[ "$status" != 124 ] || return 2
	[ "$(grep -cE '^(not )?ok ' <<<"$tap")" -le 1 ] || return 2
	if [ "$status" = 0 ]; then
		grep -E '^ok 1\b' <<<"$tap" | grep -qvi '# *skip' || return 2
		return 0
	fi
	grep -q '^not ok 1\b' <<<"$tap" || [ "$status" -gt 128 ] || return 2
	return 1
}

# is_sound KIND NAME TEST: builds it, and runs it once without a fault
is_sound()
{
	local key="$*"

	build "$1" "$2" || return
	[ -n "${sound[$key]-}" ] || { passes "$@" && sound[$key]=1; } || sound[$key]=0
	[ "${sound[$key]}" = 1 ]
}

# Puts the fault in. Fails unless $2 is once in $1.
put_in()
{
	local text

	[ -n "$2" ] && [ "$2" != "$3" ] || return 1
	text=$(cat "$TREE/$1" && echo .) || return 1
	[ "$(grep -cF -- "$2" "$TREE/$1")" = 1 ] || return 1
	printf %s "${text/"$2"/"$3"}" | head -c -1 >"$TREE/$1"
}

# judge FILE OLD NEW KIND NAME TEST: prints why the fault was not caught, nothing if it was
judge()
{
	local status rest=()

	is_sound "$4" "$5" "$6" || { echo "without the fault the test does not pass, or there is none"; return; }
	# Much is built of a header. A unit test needs no more of it than itself.
	[[ $4 != unit || $1 != *.h ]] || rest=(-o build/unit/lib.a)
	cp -p "$TREE/$1" "$TREE.kept" || { echo "there is no such file"; return; }
	touch "$TREE.began"
	if ! put_in "$1" "$2" "$3"; then
		echo "the line is not in it exactly once"
	elif ! build "$4" "$5" "${rest[@]}"; then
		echo "does not build: $(grep -m 1 -E 'error|Error' "$LOG")"
	else
		passes "$4" "$5" "$6"
		status=$?
		[ "$status" != 0 ] || echo "it survived"
		[ "$status" != 2 ] || echo "the test did not end, or was not run"
	fi
	cp -p "$TREE.kept" "$TREE/$1"
	find "$TREE/build/" -newer "$TREE.began" -type f -delete
	[ "$4" != guest ] || build "$4" "$5" # objects for the kernel, which other faults take as they are
}

# try FILE OLD NEW KIND NAME TEST
try()
{
	local why began=$SECONDS

	[[ "$1 $5: $6" == *"$WORD"* ]] || return 0
	number=$((number + 1))
	judge "$@" >"$LOG.why"
	why=$(<"$LOG.why")
	if [ -z "$why" ]; then
		echo "ok $number - $1: $3 ($5: $6; $((SECONDS - began)) s)"
	else
		failed=$((failed + 1))
		printf 'not ok %d - %s: %s\n# %s: %s\n# %s\n' "$number" "$1" "$3" "$5" "$6" "$why"
	fi
}

copy_tree || { echo 'Bail out! the tree cannot be copied; build it first: make mutants'; exit 1; }
while read -r word rest <&3; do
	case $word in
	in) file=$rest ;;
	-) old=$rest ;;
	+) new=$rest ;;
	unit | cli | guest)
		try "$file" "$old" "$new" "$word" "${rest%%: *}" "${rest#*: }"
		file='' old='' new=''
		;;
	'' | '#'*) ;;
	*)
		number=$((number + 1)) failed=$((failed + 1))
		echo "not ok $number - $LIST: '$word' begins no line"
		;;
	esac
done 3<"$LIST"
echo "1..$number"
[ "$number" -gt 0 ] && [ "$failed" = 0 ]
