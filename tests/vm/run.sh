#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots guests with emulated NVMe drives and runs the tests of tests/vm/t in them; prints TAP.
#
# usage: run.sh [-k KERNEL]... [-j N] [-a] [TEST...]     tests of t/, default: those of `make test`; -a: all
#        run.sh [-k KERNEL] [-t TOPOLOGY] -c COMMAND     one command (or `-c bash`) in a guest
#
# One boot serves all tests of a kernel and a topology. Results: build/vm/KERNEL-TOPOLOGY/, or under VM_OUT=DIR.
# shellcheck disable=SC2034 # what the files of lib read
set -euo pipefail

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$VM/../.." && pwd)
BUILD=$(realpath -m "${O:-$ROOT/build}")
VM_OUT=$(realpath -m "${VM_OUT:-$BUILD/vm}")
NVMETOOL=$(realpath -m "${NVMETOOL:-$BUILD/nvmetool}")
export NVMETOOL VM
. "$VM/lib/arch.sh"
. "$VM/lib/topology.sh"
. "$VM/lib/boot.sh"
. "$VM/lib/report.sh"

usage()
{
	sed -n 's/^# \?//; /^usage/,/^$/p' "$0" >&2
	exit 2
}

# Prints "TOPOLOGY PLAN LIMIT WHEN KERNELS..." of a test.
declared()
{
	local topology=one plan=0 limit=120 when=test kernels='*'

	[ -e "$VM/t/$1.sh" ] || { echo "error: no test '$1' in tests/vm/t" >&2 && return 2; }
	. "$VM/t/$1.sh"
	printf '%s ' "$topology" "$plan" "$limit" "$when"
	echo "$kernels"
}

# wanted NAME LABEL LABELS ONLY: whether a test that names LABELS (or !LABEL) runs on a kernel that is for the tests
# ONLY: NAME,NAME or all but !NAME,NAME
wanted()
{
	[[ $3 == '*' || " $3 " == *" ${2#*-} "* ]] && [[ " $3 " != *" !$2 "* ]] || return
	case $4 in
	'') ;;
	!*) [[ ,${4#!}, != *,$1,* ]] ;;
	*) [[ ,$4, == *,$1,* ]] ;;
	esac
}

# Fills BOOTS with "KERNEL TOPOLOGY TEST:LIMIT:PLAN..." and sets TOTAL, the number of checks.
plan_boots()
{
	local kernel name topology plan limit when labels only key
	local -A tests=()
	local -a order=()

	TOTAL=0 BOOTS=()
	for kernel in "${KERNELS[@]}"; do
		only=''
		[ -z "$CHOSEN" ] || only=$("$VM/kernel.sh" --tests "$kernel")
		for name in "${NAMES[@]}"; do
			read -r topology plan limit when labels <<<"${DECLARED[$name]}"
			wanted "$name" "$kernel" "$labels" "$only" || continue
			key="$kernel $topology"
			if [ -z "${tests[$key]:-}" ]; then
				order+=("$key")
				TOTAL=$((TOTAL + 1))
			fi
			tests[$key]+=" $name:$limit:$plan"
			TOTAL=$((TOTAL + plan))
		done
	done
	for key in "${order[@]}"; do
		BOOTS+=("$key${tests[$key]}")
	done
}

# prepare LABEL: sets KERNEL, which tests see, KERNEL_DIR and what arch_set sets. Of another architecture LABEL is
# ARCH-KERNEL.
prepare()
{
	local arch

	KERNEL=${1#*-}
	arch=$("$VM/kernel.sh" --arch "$1") || return
	KERNEL_DIR=$("$VM/kernel.sh" "$1") || return
	arch_set "$arch"
}

# run_boot LABEL TOPOLOGY TEST:LIMIT:PLAN...: boots, runs host() of each test, writes all TAP lines of this boot to
# DIR/tap.
run_boot()
{
	local LABEL=$1 topology=$2 dir=$VM_OUT/$1-$2 entry name status=0 again=''
	local KERNEL KERNEL_DIR QEMU MACHINE CONSOLE USERLAND BINARY COMPILER

	export KERNEL LABEL COMPILER
	shift 2
	rm -rf "$dir"
	mkdir -p "$dir"
	prepare "$LABEL" 2>"$dir/kernel.err" || status=$?
	if [ "$status" != 0 ]; then
		report_unfetched "$dir" "$status" "$@" >"$dir/tap"
		return
	fi
	boot_tests "$dir" "$topology" "$@"
	while [ ${#again} -lt 2 ] && qemu_broke "$dir" "$status"; do
		again+=.
		boot_tests "$dir" "$topology" "$@"
	done
	for entry; do
		name=${entry%%:*}
		[ ! -e "$dir/t/$name/guest.status" ] || host_part host "$dir" "$name"
	done
	{
		[ -z "$again" ] ||
			echo "# $LABEL $topology: boot $((${#again} + 1)): QEMU ran patched code, crashed, or took too long"
		report_boot "$dir" "$status" "$@"
	} >"$dir/tap"
}

# host_part before|host DIR TEST
host_part()
{
	TAP=$2/t/$3/tap OUT=$2/t/$3 LAB=$2 bash "$VM/lib/phase.sh" "$1" "$3" >"$2/t/$3/$1.log" 2>&1 </dev/null || true
}

# boot_tests DIR TOPOLOGY TEST:LIMIT:PLAN...: boots once, with nothing left of an earlier boot; sets status
boot_tests()
{
	local dir=$1 topology=$2 entry TESTS='' COMMAND=''

	shift 2
	rm -rf "$dir"
	mkdir -p "$dir"
	for entry; do
		TESTS+=" ${entry%:*}"
		mkdir -p "$dir/t/${entry%%:*}"
		: >"$dir/t/${entry%%:*}/tap"
		host_part before "$dir" "${entry%%:*}"
	done
	status=0
	(boot "$dir" "$VM/topo/$topology" </dev/null) >"$dir/qemu.out" 2>"$dir/boot.err" || status=$?
}

# qemu_broke DIR STATUS: whether QEMU is to blame for how the guest ended. STATUS is what boot() returned.
# - A signal: QEMU crashed, as 7.2 did when a drive was pulled.
# - A breakpoint that nobody set: before 8.1 a CPU may translate a page while another patches it (QEMU commit deba78709ae8),
#   and meets the breakpoint of a jump label after the kernel has removed its handler.
# - The guest hung (124), and a CPU stands behind the first byte of a NOP (0f 1f), where only such a breakpoint can put it.
# - No drives: the guest hung on its way, or saw that its clock was wrong.
qemu_broke()
{
	[ ! -e "$1/drives" ] || [ "$2" -gt 128 ] || grep -q 'int3: 0000 \[#' "$1/console" ||
		{ [ "$2" = 124 ] && grep -q 'Code: .* 0f <1f> ' "$1/console"; }
}

# Prints the boots that are done, in their order, from number $printed on.
print_done()
{
	local dir

	while [ "$printed" -lt ${#BOOTS[@]} ]; do
		dir=$(boot_dir "${BOOTS[$printed]}")
		[ -e "$dir/done" ] || return 0
		report_number "$dir/tap"
		printed=$((printed + 1))
	done
}

boot_dir()
{
	local kernel topology rest

	read -r kernel topology rest <<<"$1"
	echo "$VM_OUT/$kernel-$topology"
}

# Guests and their scratch files end with this script, however it ends.
clean_up()
{
	local file

	for file in "$VM_TMP"/*/pid; do
		[ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
	done
	rm -rf "$VM_TMP"
}

run_all()
{
	local boot dir printed=0

	printf 'TAP version 13\n1..%d\n' "$TOTAL"
	for boot in "${BOOTS[@]}"; do
		rm -rf "$(boot_dir "$boot")"
	done
	for boot in "${BOOTS[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
			wait -n || true
			print_done
		done
		dir=$(boot_dir "$boot")
		# shellcheck disable=SC2086 # words
		(trap 'touch "$dir/done"' EXIT && run_boot $boot) &
	done
	while [ -n "$(jobs -rp)" ]; do
		wait -n || true
		print_done
	done
	print_done
	[ "$FAILED" = 0 ] && [ "$NUMBER" = "$TOTAL" ]
}

run_one()
{
	local LABEL=${KERNELS[0]} KERNEL KERNEL_DIR QEMU MACHINE CONSOLE USERLAND BINARY COMPILER TESTS=''
	local dir=$VM_OUT/command.$$ status=0

	mkdir -p "$dir"
	prepare "$LABEL"
	[ ! -t 0 ] || stty raw -echo
	(boot "$dir" "$VM/topo/$TOPOLOGY") || status=$?
	if qemu_broke "$dir" "$status"; then
		status=0
		(boot "$dir" "$VM/topo/$TOPOLOGY") || status=$?
	fi
	[ ! -t 0 ] || stty sane
	if [ "$status" = 0 ] && [ -e "$dir/status" ]; then
		status=$(cat "$dir/status")
	else
		tail -n 10 "$dir/console" "$dir/drives.err" "$dir/qemu.err" 2>/dev/null >&2 || true
		status=1
	fi
	rm -rf "$dir"
	return "$status"
}

KERNELS=() JOBS=1 ALL='' TOPOLOGY=one COMMAND=''
while getopts k:j:at:c: option; do
	case $option in
	k) KERNELS+=("$OPTARG") ;;
	j) JOBS=$OPTARG ;;
	a) ALL=1 ;;
	t) TOPOLOGY=$OPTARG ;;
	c) COMMAND=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
case ${KERNELS[*]:-} in
'') mapfile -t KERNELS < <("$VM/kernel.sh" --list test) ;;
all) mapfile -t KERNELS < <("$VM/kernel.sh" --list) ;;
esac
VM_TMP=$(mktemp -d "${TMPDIR:-/tmp}/nvmetool-vm.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT TERM
if [ -n "$COMMAND" ]; then
	run_one
	exit
fi

declare -A DECLARED=()
NAMES=() CHOSEN=''
for name in "${@:-}"; do
	[ -n "$name" ] || continue
	DECLARED[$name]=$(declared "$name")
	NAMES+=("$name")
done
if [ $# = 0 ]; then
	[ -n "$ALL" ] || CHOSEN=1
	for file in "$VM"/t/*.sh; do
		name=$(basename "$file" .sh)
		DECLARED[$name]=$(declared "$name")
		read -r _ _ _ when _ <<<"${DECLARED[$name]}"
		if [ -n "$ALL" ] || [ "$when" = test ]; then
			NAMES+=("$name")
		fi
	done
fi
plan_boots
mkdir -p "$VM_OUT"
exec 8>"$VM_OUT/lock"
flock -n 8 || { echo "error: $VM_OUT is used by another run; give this one its own: VM_OUT=DIR" >&2 && exit 1; }
run_all
