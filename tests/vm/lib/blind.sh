# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: nvmetool with programs that were built to fail in one way (tests/vm/rules.mk).
# shellcheck shell=bash disable=SC2154 # variables of the lab

# blind NAME OBJECT HOW: attaches a trace with that object
blind()
{
	local dir=$VM/../../build/blind

	attached "$1" env "NVMETOOL_OBJECT=$dir/$2.bpf.o" "$dir/nvmetool" trace --json --strict --attach "$3"
}
