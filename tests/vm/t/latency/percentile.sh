# SPDX-License-Identifier: GPL-2.0-or-later
# Figures of latency: within a bucket of fio's own where the drive takes milliseconds, and equal to what is computed
# from the single latencies of a recording.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=slow
test='6.1'
plan=10
seconds=14

. "$VM/lib/account.sh"

# throttle BYTES IOPS: of namespace 1, per second; 0: none
throttle()
{
	quiet_monitor "block_set_io_throttle lab0n1 $1 0 0 $2 0 0"
}

# First one at a time, with a bandwidth at which the three sizes take 26, 51 and 205 ms; what the guest itself takes,
# and fio sees as well, is less than a bucket. Then many, on a drive that takes anything up to 100 ms.
guest()
{
	local slow uneven

	slow=$(disk_of lab0 1) uneven=$(disk_of lab0 2)
	throttle 160000 0
	attached latency "$NVMETOOL" latency --json --by dev -P 50,80,95
	attached record "$NVMETOOL" record -w "$OUT/load.nvt"
	fio_load slow --filename="/dev/$slow" --rw=randread --bssplit=4k/60:8k/30:32k/10 --size=64M --ioengine=psync \
		--number_ios=80 --percentile_list=50:80:95
	fio_load uneven --filename="/dev/$uneven" --rw=randrw --bs=4k --size=64M --ioengine=libaio --iodepth=16 \
		--number_ios=500
	drained
	throttle 0 500
	detach latency
	check_eq "latency ends well" "$status" 0
	detach record
	check_eq "record ends well" "$status" 0
	echo "$slow" >"$OUT/slow"
}

# of_fio NAME: percentile of fio in ns; its buckets have 1/64 of their power of two
of_fio()
{
	jq ".jobs[0].read.clat_ns.percentile[\"$1.000000\"]" "$OUT/slow.json"
}

# within_bucket P: our figure is the upper edge of a bucket of 1/8
within_bucket()
{
	jq -se --arg disk "$(cat "$OUT/slow")" --arg p "p$1" --argjson fio "$(of_fio "$1")" '
		.[] | select(.type == "latency" and .dev == $disk) | .pct_ns[$p] as $ours |
		([.hist.buckets[] | select(.[0] < $ours and $ours <= .[1])][0] // error("no bucket")) as $bucket |
		($bucket[1] - $bucket[0]) as $wide |
		$fio >= $bucket[0] - $wide and $fio <= $bucket[1] + $wide' "$OUT/latency.out"
}

# replayed OPTION...: what latency makes of the recording, a line per row
replayed()
{
	"$NVMETOOL" latency -i "$OUT/load.nvt" --json --by dev,opcode -P 0,25,50,90,95,99,99.9,100 "$@" |
		jq -c 'select(.type == "latency") | [.dev, .op, .count, .sum_ns, .min_ns, .max_ns, .bytes, .pct_ns]' | sort
}

# computed BITS: the same out of single latencies: the nearest rank, the upper edge of its bucket, not past the maximum
computed()
{
	"$NVMETOOL" trace -i "$OUT/load.nvt" -q io --json | jq -sc --argjson bits "$1" '
		def edge: . as $ns | pow(2; ($ns | log2 | floor) - $bits) as $wide | (($ns / $wide | floor) + 1) * $wide;
		map(select(.type == "io")) | group_by(.dev, .op)[] | . as $rows | map(.lat_ns) | sort | . as $lat |
		[$rows[0].dev, $rows[0].op, length, add, first, last, ($rows | map(.bytes) | add),
		 ([0, 25, 50, 90, 95, 99, 99.9, 100] | map({key: "p\(.)", value:
			([(. / 100 * ($lat | length) | ceil), 1] | max | $lat[. - 1] | edge | [., ($lat | last)] | min)})
			| from_entries)]' | sort
}

host()
{
	local p bits

	check_eq "fio and latency count the same" "$(jq -r --arg disk "$(cat "$OUT/slow")" \
		'select(.type == "latency" and .dev == $disk).count' "$OUT/latency.out")" \
		"$(jq '.jobs[0].read.total_ios' "$OUT/slow.json")"
	for p in 50 80 95; do
		check "p$p is within a bucket of fio's" within_bucket "$p"
	done
	for bits in 0 3 6; do
		check_eq "figures of a recording, $bits bits" "$(replayed --hist-bits "$bits")" "$(computed "$bits")"
	done
	check "the account" nothing_lost "$OUT/latency.out"
}
