# SPDX-License-Identifier: GPL-2.0-or-later
# A burst of 300 000 events that no drive sent (tests/bench/flood.c), sixteen at a time, into buffers of three sizes:
# what is printed and what is called lost add up to what was sent.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.12'
plan=6

. "$VM/lib/account.sh"

# burst BUFFER: the sum into $sum, and whether its account adds up
burst()
{
	local bench lost printed

	bench=$(dirname "$NVMETOOL")/bench
	"$bench/nvmetool-flood" trace --attach raw_tp --json --columns cid --buffer "$1" -w "$OUT/burst" -- "$bench/flood_load" 300000 0 16 \
		2>"$OUT/burst.err"
	lost=$(summary_of "$OUT/burst" | jq .lost.ring_full)
	printed=$(grep -c '"type":"io"' "$OUT/burst")
	sum=$((printed + lost))
	check "a buffer of $1: the account" adds_up "$OUT/burst"
	diag "$printed printed, $lost lost"
}

guest()
{
	local sum buffer

	for buffer in 64K 1M 64M; do
		burst "$buffer"
		check_eq "a buffer of $buffer: printed and lost are what was sent" "$sum" 300000
	done
}
