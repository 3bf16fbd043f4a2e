#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side, in the chroot: brings the drives up, then runs the tests (or the command) that /run/lab/job names.
set -uo pipefail

LAB=/run/lab
. "$LAB/job"
export VM KERNEL LABEL NVMETOOL CTRLS DISKS SEED SOAK_MINUTES OUT=/run/out
mkdir -p "$OUT"
. "$VM/lib/guest.sh"
# Tests run a stricter nvmetool (tests/vm/strict.c) than the one that is shipped.
export SHIPPED=$NVMETOOL
[ -z "$TESTS" ] || NVMETOOL=${SHIPPED%/*}/guest/nvmetool
[[ ! $LABEL =~ ^as([0-9.]+)- ]] || export NVMETOOL_KERNEL=${BASH_REMATCH[1]}

# run_test NAME SECONDS: what a test mounts and unmounts is its own affair. Where time goes by instructions the clock leaps
# whenever the guest waits for the host (ten minutes in less than a second): there only the host, which watches, ends a test.
run_test()
{
	local name=$1 limit=$2

	[ -z "$ICOUNT" ] || limit=0
	echo "lab: $name" >/dev/kmsg
	export LAB OUT=/run/out/$name TAP=$LAB/t/$name/tap
	mkdir -p "$OUT"
	timeout -k 5 "$limit" unshare --mount bash "$VM/lib/phase.sh" guest "$name" >"$LAB/t/$name/guest.log" 2>&1 </dev/null
	echo $? >"$LAB/t/$name/guest.status"
	pkill -KILL nvmetool # what a test that failed left behind must not disturb the next one
	cp -r "$OUT/." "$LAB/t/$name/"
}

# The command has a terminal of its own, so it may be a shell.
run_command()
{
	cd "$(dirname "$(dirname "$VM")")" || return
	setsid -c bash -c ". '$VM/lib/guest.sh'; $COMMAND" <>/dev/hvc0 >&0 2>&0
	echo $? >"$LAB/status"
	stty -F /dev/hvc0 sane
}

# On a host with much else to do Linux may believe that its clock runs at a tenth of its rate: all that a test waits for
# comes ten times too soon. Then this boot ends here, and run.sh boots again.
if grep -q 'tsc: Using PIT calibration value' <(dmesg); then
	exit
fi
for module in $MODPROBE; do
	modprobe "$module"
done
modprobe nvme
qmp qmp_capabilities >/dev/null
drives_up >"$LAB/drives" 2>"$LAB/drives.err"
if [ -n "$COMMAND" ]; then
	run_command
fi
for entry in $TESTS; do
	run_test "${entry%:*}" "${entry#*:}"
done
dmesg >"$LAB/dmesg"
