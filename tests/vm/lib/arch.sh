# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: all that differs between guests of one architecture and of another (Debian's names, as in kernels.list).
# shellcheck shell=bash disable=SC2034 # variables of boot.sh and run.sh

# arch_set ARCH: sets
#   QEMU, MACHINE   the emulator and its first arguments
#   CONSOLE         words for the kernel
#   USERLAND        where the guest's root lies; empty: it is the machine's own
#   BINARY          the nvmetool that runs there
#   COMPILER        for programs that run there
arch_set()
{
	USERLAND=$("$VM/userland.sh" "$1") || return
	BINARY=$NVMETOOL COMPILER=gcc
	case $1 in
	amd64)
		# QEMU emulates string instructions byte by byte; without erms and fsrm Linux clears and copies by words, and
		# attaching takes a third less.
		QEMU=qemu-system-x86_64 MACHINE=(-M q35 -cpu "max,erms=off,fsrm=off")
		CONSOLE='console=ttyS0 tsc=reliable clocksource=tsc no_timer_check'
		[ -z "$USERLAND" ] || BINARY=$BUILD-x86_64/nvmetool COMPILER=x86_64-linux-gnu-gcc
		;;
	arm64)
		# The CPU has atomic instructions, which QEMU is quick at, and no pointer authentication, which it is not.
		QEMU=qemu-system-aarch64 MACHINE=(-M 'virt,gic-version=3' -cpu neoverse-n1)
		CONSOLE='console=ttyAMA0'
		[ -z "$USERLAND" ] || BINARY=$BUILD-aarch64/nvmetool COMPILER=aarch64-linux-gnu-gcc
		;;
	*)
		echo "error: no guest for architecture $1; one of: amd64 arm64" >&2
		return 1
		;;
	esac
}
