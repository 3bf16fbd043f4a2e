# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: what tests declare, and which boots follow from it.
# shellcheck shell=bash disable=SC2153,SC2154,SC2034 # NAMES, KERNELS, TIER and BOOTS of run.sh

# Declarations of each test by name, from its file (README.md); FOLDER is its subject.
declare -A FILE_OF=() FOLDER=() TOPOLOGY_OF=() PLAN=() SECONDS_OF=() RUNS_ON=() TESTED_ON=()

# Reads all tests; fails, with all faults named, where one declares what is not there.
read_tests()
{
	local file name faults labels

	labels=" $("$VM/kernel.sh" --list | xargs) "
	for file in "$VM"/t/*/*.sh; do
		name=${file##*/} name=${name%.sh}
		FOLDER[$name]=${file%/*} FOLDER[$name]=${FOLDER[$name]##*/}
		FILE_OF[$name]=$file
		IFS='|' read -r "TOPOLOGY_OF[$name]" "PLAN[$name]" "SECONDS_OF[$name]" "RUNS_ON[$name]" "TESTED_ON[$name]" \
			< <(declared "$file")
	done
	faults=$(for name in "${!FILE_OF[@]}"; do faults_of "$name"; done)
	[ -z "$faults" ] || { sort >&2 <<<"$faults" && return 1; }
}

# declared FILE: prints "TOPOLOGY|PLAN|SECONDS|KERNELS|TEST"
declared()
{
	local topology=one plan=0 seconds=20 kernels='*' test=''

	. "$1" || return
	printf '%s|%s|%s|%s|%s\n' "$topology" "$plan" "$seconds" "$kernels" "$test"
}

# faults_of NAME: a line for each word that names nothing, and for a plan without checks. Of read_tests(): labels.
faults_of()
{
	local label

	[ -e "$VM/topo/${TOPOLOGY_OF[$1]}" ] || echo "error: $1: no topology '${TOPOLOGY_OF[$1]}' in tests/vm/topo"
	[ "${PLAN[$1]}" -gt 0 ] || echo "error: $1: plan=${PLAN[$1]}; it makes no check"
	set -f
	for label in ${RUNS_ON[$1]} ${TESTED_ON[$1]}; do
		[[ $label == '*' || $labels == *" ${label#!} "* ]] || echo "error: $1: no kernel '$label' in tests/vm/kernels.list"
	done
	for label in ${TESTED_ON[$1]}; do
		runs_on "$1" "$label" || echo "error: $1: test='$label', which kernels='${RUNS_ON[$1]}' leaves out"
	done
	set +f
}

# runs_on NAME LABEL: whether it can. `*` stands for all kernels but those of another architecture, or taken for another.
runs_on()
{
	local list=" ${RUNS_ON[$1]} "

	[[ $list != *" !$2 "* ]] || return
	[[ $list == *" $2 "* ]] || { [[ $list == *' * '* ]] && [[ $2 != *-* ]]; }
}

# chosen NAME LABEL: whether this run has it. A name given runs wherever it can, else the tier decides.
chosen()
{
	runs_on "$1" "$2" && { [ "$TIER" != test ] || [[ " ${TESTED_ON[$1]} " == *" $2 "* ]]; }
}

# names_of WORD: the test of that name, or all of that subject
names_of()
{
	local name found=''

	for name in $(printf '%s\n' "${!FILE_OF[@]}" | sort); do
		if [ "$name" = "$1" ] || [ "${FOLDER[$name]}/" = "$1" ]; then
			echo "$name"
			found=1
		fi
	done
	[ -n "$found" ] || { echo "error: no test or subject '$1'; run.sh -l lists them" >&2 && return 2; }
}

# Sets BOOTS to "KERNEL TOPOLOGY TEST:LIMIT:PLAN...", the longest first, and TOTAL, the number of checks: those of the
# tests, one of each boot, and one of how many boots were repeated.
plan_boots()
{
	local kernel name key
	local -A tests=() seconds=()

	TOTAL=1
	for kernel in "${KERNELS[@]}"; do
		for name in "${NAMES[@]}"; do
			chosen "$name" "$kernel" || continue
			key="$kernel ${TOPOLOGY_OF[$name]}"
			[ -n "${tests[$key]:-}" ] || TOTAL=$((TOTAL + 1))
			tests[$key]+=" $name:$((60 + 6 * SECONDS_OF[$name])):${PLAN[$name]}"
			seconds[$key]=$((${seconds[$key]:-0} + SECONDS_OF[$name]))
			TOTAL=$((TOTAL + PLAN[$name]))
		done
	done
	mapfile -t BOOTS < <(for key in "${!tests[@]}"; do
		echo "${seconds[$key]} $key${tests[$key]}"
	done | sort -rn | cut -d ' ' -f 2-)
}

# list_tests [WORD]: a line for each test: subject, name, kernels (those of `make test` in brackets), seconds, what it
# shows. WORD: those of a subject, or those that run this subcommand of nvmetool.
list_tests()
{
	local name

	for name in "${!FILE_OF[@]}"; do
		if [ -z "${1:-}" ] || [ "${FOLDER[$name]}" = "$1" ] || grep -qE "nvmetool\"? $1\b|NVMETOOL\"? $1\b" "${FILE_OF[$name]}"; then
			printf '%-9s %-18s %4d s  %-14s %-20s %s\n' "${FOLDER[$name]}" "$name" "${SECONDS_OF[$name]}" \
				"${RUNS_ON[$name]}" "[${TESTED_ON[$name]}]" "$(shows "${FILE_OF[$name]}")"
		fi
	done | sort
}

# shows FILE: prints the first sentence of its leading comment
shows()
{
	sed -n '2,/^# shellcheck/s/^# //p' "$1" | grep -v '^shellcheck' | tr '\n' ' ' | sed -E 's/([.]) .*/\1/'
}
