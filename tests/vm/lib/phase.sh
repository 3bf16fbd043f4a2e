#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs one part of a test: phase.sh before|guest|host NAME, in the guest or on the host. Wants VM, KERNEL, TAP, OUT and
# NVMETOOL in the environment, before(), which is for the host, COMPILER as well. A command of the test that fails ends it, and its other checks fail.
set -Eeuo pipefail

phase=$1
name=$2

broken()
{
	diag "$phase: line $2: '$3' ended with status $1"
	exit 1
}

. "$VM/lib/tap.sh"
. "$VM/lib/${phase/before/host}.sh"
. "$VM"/t/*/"$name.sh"
trap 'broken $? $LINENO "$BASH_COMMAND"' ERR
if declare -F "$phase" >/dev/null; then
	"$phase"
fi
