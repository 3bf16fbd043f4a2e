# SPDX-License-Identifier: GPL-2.0-or-later
# report finds what is brief: a neighbour for two of ten seconds, and a read that the drive holds for eight.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/causes.sh"

topology=causes
kernels='6.1 6.18 sid'
plan=10
seconds=40

CAUSES='neighbour_brief hung'

stage_neighbour_brief()
{
	limit 1 40000000 0
	begins "$one" reads postgres "$one" 10
	at 4
	load backup "$one" --rw=read --bs=128k --ioengine=libaio --iodepth=16 --runtime=2
	wait $!
	limit 1 0 0
}

stage_hung()
{
	local readers

	begins "$one" reads postgres "$one" 14
	readers=$!
	reads other "$two" 14 &
	readers+=" $!"
	at 4
	marked from
	limit 1 1 0
	at 12
	limit 1 0 0
	marked to
	# shellcheck disable=SC2086 # process IDs
	wait $readers
}
