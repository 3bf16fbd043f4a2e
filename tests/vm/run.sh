#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots guests with emulated NVMe drives and runs the tests of tests/vm/t in them; prints TAP.
#
# usage: run.sh [-k KERNEL]... [-j N] [-a] [TEST...]     default: those of `make test`; -a: all; TEST is a name, or SUBJECT/
#        run.sh [-k KERNEL] [-t TOPOLOGY] -c COMMAND     one command (or `-c bash`) in a guest
#        run.sh -l [SUBJECT|SUBCOMMAND]                  lists tests: all, of a subject, or of a subcommand of nvmetool
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
. "$VM/lib/plan.sh"

usage()
{
	sed -n 's/^# \?//; /^usage/,/^$/p' "$0" >&2
	exit 2
}

# prepare LABEL: sets KERNEL, which tests see, KERNEL_DIR and what arch_set sets. Of another architecture LABEL is
# ARCH-KERNEL, and of a kernel that is taken for an older one asRELEASE-KERNEL.
prepare()
{
	local arch

	KERNEL=${1#*-}
	arch=$("$VM/kernel.sh" --arch "$1") || return
	KERNEL_DIR=$("$VM/kernel.sh" "$1") || return
	arch_set "$arch"
}

# run_boot LABEL TOPOLOGY TEST:LIMIT:PLAN...: boots, runs host() of each test, writes all TAP lines of this boot to
# DIR/tap. Where QEMU is to blame, tests that did not finish get one boot more; the file `repeated` says so.
run_boot()
{
	local LABEL=$1 topology=$2 dir=$VM_OUT/$1-$2 status=0 why rest
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
	rest=$(unfinished "$dir" "$@")
	if [ -n "$rest" ] && why=$(qemu_broke "$dir" "$status"); then
		echo "$LABEL $topology: $why; again: $(sed 's/:[^ ]*//g' <<<"$rest")" >"$dir/repeated"
		mkdir "$dir/first"
		find "$dir" -maxdepth 1 -type f ! -name repeated -exec mv -t "$dir/first" {} +
		# shellcheck disable=SC2086 # words
		boot_tests "$dir" "$topology" $rest
	fi
	report_boot "$dir" "$status" "$@" >"$dir/tap"
}

# unfinished DIR TEST:LIMIT:PLAN...: those whose guest() did not end, on one line
unfinished()
{
	local dir=$1 entry

	shift
	for entry; do
		[ -e "$dir/t/${entry%%:*}/guest.status" ] || echo "$entry"
	done | xargs
}

# host_part before|host DIR TEST
host_part()
{
	TAP=$2/t/$3/tap OUT=$2/t/$3 LAB=$2 bash "$VM/lib/phase.sh" "$1" "$3" >"$2/t/$3/$1.log" 2>&1 </dev/null || true
}

# boot_tests DIR TOPOLOGY TEST:LIMIT:PLAN...: boots once, and runs host() of those that ended; sets status
boot_tests()
{
	local dir=$1 topology=$2 entry name TESTS='' COMMAND=''

	shift 2
	for entry; do
		name=${entry%%:*}
		TESTS+=" ${entry%:*}"
		rm -rf "$dir/t/$name"
		mkdir -p "$dir/t/$name"
		: >"$dir/t/$name/tap"
		host_part before "$dir" "$name"
	done
	status=0
	(boot "$dir" "$VM/topo/$topology" </dev/null) >"$dir/qemu.out" 2>"$dir/boot.err" || status=$?
	for entry; do
		name=${entry%%:*}
		[ ! -e "$dir/t/$name/guest.status" ] || host_part host "$dir" "$name"
	done
}

# qemu_broke DIR STATUS: whether QEMU is to blame for how the guest ended, and prints why. STATUS is what boot() returned.
# A CPU of QEMU before 8.1 may translate a page while another patches a jump label in it (QEMU commit deba78709ae8). It then
# meets the label's breakpoint after the kernel has removed the handler. Or it hangs behind the label's first byte, which is
# that of a NOP (0f 1f, 66 90) or of a jump (e9, eb).
qemu_broke()
{
	if [ "$2" -gt 128 ]; then
		echo "QEMU ended by signal $(($2 - 128))"
	elif [ ! -e "$1/drives" ]; then
		echo "the guest did not come up"
	elif grep -q 'int3: 0000 \[#' "$1/console"; then
		echo "the guest met a breakpoint that nobody set"
	elif [ "$2" = 124 ] && grep -Eq 'Code: .* (0f <1f>|66 <90>|e[9b] <..>) ' "$1/console"; then
		echo "a CPU hung behind the first byte of a jump label"
	else
		return 1
	fi
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
	for boot in "${BOOTS[@]}"; do
		cat "$(boot_dir "$boot")/repeated" 2>/dev/null || true
	done >"$VM_TMP/repeated"
	report_repeated "$VM_TMP/repeated" >"$VM_TMP/last"
	report_number "$VM_TMP/last"
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

KERNELS=() JOBS=1 TIER='' LIST='' TOPOLOGY=one COMMAND=''
while getopts k:j:alt:c: option; do
	case $option in
	k) KERNELS+=("$OPTARG") ;;
	j) JOBS=$OPTARG ;;
	a) TIER=all ;;
	l) LIST=1 ;;
	t) TOPOLOGY=$OPTARG ;;
	c) COMMAND=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ -n "$TIER" ] || TIER=$([ $# = 0 ] && echo test || echo named)
VM_TMP=$(mktemp -d "${TMPDIR:-/tmp}/nvmetool-vm.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT TERM
if [ -n "$COMMAND" ]; then
	KERNELS=("${KERNELS[0]:-6.1}")
	run_one
	exit
fi

read_tests
if [ -n "$LIST" ]; then
	list_tests "$@"
	exit
fi
case ${KERNELS[*]:-} in
'' | all) mapfile -t KERNELS < <("$VM/kernel.sh" --list) ;;
esac
[ $# -gt 0 ] || set -- "${!FILE_OF[@]}"
mapfile -t NAMES < <(for word; do names_of "$word"; done | sort -u)
plan_boots
[ "$TOTAL" -gt 1 ] || { echo "error: none of these tests is for these kernels" >&2 && exit 2; }
mkdir -p "$VM_OUT"
exec 8>"$VM_OUT/lock"
flock -n 8 || { echo "error: $VM_OUT is used by another run; give this one its own: VM_OUT=DIR" >&2 && exit 1; }
run_all
