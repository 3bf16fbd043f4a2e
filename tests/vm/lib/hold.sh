# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of commands in flight: namespace 1 of lab0 is throttled so far that it holds what it is sent.
# shellcheck shell=bash disable=SC2034,SC2154 # $CID is for tests, $disk theirs

# The command identifier in a row, or in the drive's log, for jq: on 5.10 rows of inflight have none.
CID=.cid
[ "${KERNEL:-}" != 5.10 ] || CID=null

# throttle BYTES: a second, which the drive may move; 0: any
throttle()
{
	quiet_monitor "block_set_io_throttle lab0n1 $1 0 0 0 0 0"
}

# holding: from now on each command is held, however slow the guest is; the first one is not, so that is one of ours
holding()
{
	echo 3600000 >"/sys/block/$disk/queue/io_timeout"
	throttle 1
	dd if="/dev/$disk" of=/dev/null bs=4k count=1 skip=4000 iflag=direct status=none
}

# held_by COUNT: waits until the drive has at least so many
held_by()
{
	until awk -v n="$1" '{ exit $1 + $2 < n }' "/sys/block/$disk/inflight"; do
		read -rt 0.02 _ <><(:) || true
	done
}

# hold_read: the read of one process is held, whose id is in $reader
hold_read()
{
	holding
	dd if="/dev/$disk" of=/dev/null bs=4k count=1 skip=300 iflag=direct status=none &
	reader=$!
	held_by 1
}

# let_go: no longer; waits for $reader and all others
let_go()
{
	throttle 0
	wait "$reader"
	drained
	echo 30000 >"/sys/block/$disk/queue/io_timeout"
}

# in_flight FILE: "OP SLBA PID" of each row
in_flight()
{
	jq -r 'select(.type == "inflight") | "\(.op) \(.slba) \(.pid)"' "$1"
}
