# SPDX-License-Identifier: GPL-2.0-or-later
# report names nobody where the drive slows by itself: its limit is lowered; and while sqlite3 commits.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/causes.sh"

topology=causes
kernels='6.1 6.18 sid'
plan=10
seconds=70

CAUSES='limit sqlite'

# An innocent begins five seconds later
stage_limit()
{
	begins "$one" reads postgres "$one" 15
	at 5
	marked from
	limit 1 0 40
	at 10
	load logger "$two" --rw=randwrite --bs=4k --ioengine=psync --rate_iops=20 --runtime=5
	wait $!
	marked to
	limit 1 0 0
}

stage_sqlite()
{
	commits 10
}
