#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# export: what fio, blkparse, btt, iowatcher and HdrHistogram's own log processor read in our files is what trace and
# latency say of the same recording.
# bats file_tags=native

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

setup()
{
	PROGRAM=$(realpath "$NVMETOOL")
	cd "$BATS_TEST_TMPDIR" || return
}

# export FORMAT RECORDING OPTION...
export_to()
{
	"$PROGRAM" export -f "$1" -i "$DATA/$2.nvt" "${@:3}"
}

# commands RECORDING FILTER: the I/O commands that trace shows, as jq's FILTER has them
commands()
{
	"$PROGRAM" trace --json -i "$DATA/$1.nvt" | jq -r "select(.type == \"io\" and .admin == false) | $2"
}

@test "what fio is to replay is what trace shows, at its times" {
	export_to fio load -w job.log 2>err
	grep -q 'not in the export: admin and fabrics commands: [1-9]' err
	grep -E ' (read|write) ' job.log | cut -d ' ' -f 1,3- >ours
	commands load 'select(.op == "read" or .op == "write") | [.mono_ns - .lat_ns, .op, .slba * (.bytes / .nlb), .bytes] | @json' |
		jq -rs 'sort | .[0][0] as $first | .[] | "\((.[0] - $first) / 1000 + 1 | floor) \(.[1]) \(.[2]) \(.[3])"' >theirs
	[ "$(wc -l <ours)" -gt 800 ]
	cmp ours theirs
}

@test "fio replays it on another disk" {
	export_to fio readme --map nvme0n1="$PWD/disk" -w job.log 2>err
	grep -q "fio --read_iolog will write to '$PWD/disk' 199 times: what is there is lost" err
	truncate -s 1T disk
	fio --name=replay --read_iolog=job.log --ioengine=psync --output-format=json --output=fio.json
	[ "$(jq -c '.jobs[0] | [.error, .read.total_ios, .write.total_ios, .sync.total_ios]' fio.json)" = "[0,979,199,21]" ]
}

# ends: where the last byte of a replay is, from a trace for fio
ends()
{
	awk '$3 ~ /^(read|write|trim)$/ && $4 + $5 > 0 + most { most = $4 + $5 } END { printf "%.0f\n", most }' "$1"
}

@test "fio: how large a disk has to be is told, for fio fails or leaves out what lies behind its end" {
	export_to fio readme --map nvme0n1="$PWD/disk" -w job.log 2>err
	grep -q "'$PWD/disk' must have $(ends job.log) bytes (202.0G) or more, else fio fails or leaves out .*; --wrap SIZE makes it fit" err
	truncate -s 64M disk
	run fio --name=replay --read_iolog=job.log --ioengine=psync --output-format=json --output=fio.json
	[ "$(jq '.jobs[0] | .read.total_ios + .write.total_ios' fio.json)" -lt 1178 ]
}

@test "--wrap makes it fit: all is replayed, in sequences as before, and the change is told" {
	export_to fio readme --map nvme0n1="$PWD/disk" -w as-is.log
	export_to fio readme --map nvme0n1="$PWD/disk" --wrap 64m -w job.log 2>err
	[ "$(ends job.log)" -le $((64 << 20)) ]
	grep -q "'$PWD/disk' must have $(ends job.log) bytes (63.9M) or more, else fio fails or leaves out what lies behind its end\$" err
	# Times, files, actions and lengths stay; all but what would reach over the end is at the remainder.
	cut -d ' ' -f 1-3,5 as-is.log | cmp - <(cut -d ' ' -f 1-3,5 job.log)
	paste -d ' ' as-is.log job.log | awk 'NF == 10 && ($9 - $4) % (64 * 1048576) && $9 + $10 != 64 * 1048576' >astray
	[ ! -s astray ]
	moved=$(paste -d ' ' as-is.log job.log | awk 'NF == 10 && $9 != $4' | wc -l)
	grep -q "^nvmetool: --wrap 64m: $moved commands of '$PWD/disk' are at another place than recorded" err
	truncate -s 64M disk
	fio --name=replay --read_iolog=job.log --ioengine=psync --output-format=json --output=fio.json
	[ "$(jq -c '.jobs[0] | [.error, .read.total_ios, .write.total_ios, .sync.total_ios]' fio.json)" = "[0,979,199,21]" ]
	run -2 export_to fio readme --wrap 1000000
	run -2 export_to fio readme --wrap 1k
	run -2 export_to hdr readme --wrap 64m
	export_to fio load --wrap 1m >job.log 2>err
	[ "$(ends job.log)" -le $((1 << 20)) ]
}

@test "without --map the device itself is named, and each disk has its file" {
	run --separate-stderr -0 export_to fio readme
	[ "$(sed -n 2p <<<"$output")" = "1 /dev/nvme0n1 add" ]
	[[ $stderr == *"will write to '/dev/nvme0n1'"*"--map names another disk"* ]]
	[ "$(grep -c ' sync 0 0$' <<<"$output")" = "$(commands readme 'select(.op == "flush") | .op' | wc -l)" ]
}

@test "fio: writes and trims of each disk are told, for a replay loses what is there" {
	export_to fio alike -w job.log 2>err
	for disk in nvme0n2 nvme0n3; do
		times=$(grep -cE "^[0-9]+ /dev/$disk (write|trim) " job.log)
		grep -qE "will write to '/dev/$disk' $times times?: " err
	done
	[ "$times" = 3 ]
	[ "$(grep -c "write to '/dev/nvme0n1'" err)" = 0 ]
}

@test "blkparse and btt count what trace counts, and D2C is our mean" {
	export_to blktrace load -w load.blktrace.0 2>/dev/null
	blkparse -i load -d load.bin >text 2>err
	[ ! -s err ]
	[ "$(awk '$6 == "C"' text | wc -l)" = "$(commands load .op | wc -l)" ]
	awk '$6 == "D" && $7 ~ /^[RW]/ { print $5, substr($7, 1, 1), $8, $10 }' text | sort >theirs
	commands load 'select(.op == "read" or .op == "write") | "\(.tid) \(.op[:1] | ascii_upcase) \(.slba * (.bytes / .nlb) / 512) \(.bytes / 512)"' | sort >ours
	cmp ours theirs
	btt -i load.bin >btt.out 2>&1
	"$PROGRAM" latency --by none -O read,write --json -i "$DATA/load.nvt" | jq -r 'select(.type == "latency") | "\(.count) \(.mean_ns)"' >mean
	awk 'NR == FNR { count = $1; mean = $2; next } $1 == "D2C" { found = 1; d = $3 * 1e9 - mean; if (d > 1000 || d < -1000 || $5 != count) bad = 1 }
		END { exit bad || !found }' mean btt.out
	iowatcher -t load.blktrace.0 -o load.svg >/dev/null 2>&1
	grep -q '</svg>' load.svg
}

@test "a failed command has an error in blktrace, and one without a fault has none" {
	export_to blktrace readme -w readme.blktrace.0 2>/dev/null
	blkparse -q -i readme | awk '$6 == "C" { print $NF }' | sort | uniq -c | awk '{ print $1, $2 }' | xargs >errors
	[ "$(cat errors)" = "1193 [0] 6 [65531]" ] # -EIO in 16 bits
}

# No compare and no zone management command; write-zeroes and zone append are writes.
@test "blktrace has what a file system asks for, and counts the rest" {
	export_to blktrace mixed -w mixed.blktrace.0 2>err
	[ "$(blkparse -q -i mixed | awk '$6 == "D" { print $7 }' | sort | uniq -c | xargs)" = "1 FN 6 RS 2 W 1 WFS" ]
	grep -q 'not in the export: commands that it has no word for: 3$' err
	grep -q 'not in the export: trims with more than one range, or from user space: 1$' err
}

@test "HdrHistogram's processor gives the percentiles of the exact latencies" {
	export_to hdr load --by opcode -w load.hlog 2>/dev/null
	java -cp /usr/share/java/hdrhistogram.jar org.HdrHistogram.HistogramLogProcessor -i load.hlog -tag op=read \
		-outputValueUnitRatio 1000 >theirs
	commands load 'select(.op == "read") | .lat_ns' | sort -n >exact
	awk 'NR == FNR { ns[NR] = $1; next } $2 ~ /^[01]\.[0-9]+$/ { rows++; us = ns[$3] / 1000; if ($1 < us * 0.999 || $1 > us * 1.001 + 0.001) { bad = 1; print } }
		/Total count/ { split($0, part, "="); total = part[3] + 0 }
		END { exit bad || rows < 20 || total != FNR_exact }' FNR_exact="$(wc -l <exact)" exact theirs
}

@test "a process called - has another tag than one whose name is not known" {
	[ "$(export_to hdr corners --by comm 2>/dev/null | grep -o '^Tag=[^,]*' | sort | xargs -d '\n')" = \
		'Tag=comm=- Tag=comm=\x2d Tag=comm=fio' ]
}

@test "the lines of all intervals have all commands" {
	export_to hdr stream --by none 1 >stream.hlog 2>/dev/null
	[ "$(grep -c '^[0-9]' stream.hlog)" -ge 2 ]
	java -cp /usr/share/java/hdrhistogram.jar org.HdrHistogram.HistogramLogProcessor -i stream.hlog >theirs
	grep -q "Total count *= *$("$PROGRAM" latency --by none -A --json -i "$DATA/stream.nvt" | jq 'select(.type == "latency").count')\]" theirs
}

@test "slices of Chrome's trace do not overlap, and last as long as their commands" {
	export_to chrome load -w load.json 2>/dev/null
	jq -e '.traceEvents | map(select(.ph == "X")) | group_by([.pid, .tid]) |
		all(.[]; . as $lane | all(range(1; length); $lane[.].ts >= $lane[. - 1].ts + $lane[. - 1].dur - 0.0005))' load.json
	jq -c '.traceEvents[] | select(.ph == "X" and .cat == "io") | [.name, .args.cid, (.dur * 1000 | round), .args.slba, .args.bytes, .args.comm]' \
		load.json | sort >ours
	"$PROGRAM" trace --json -i "$DATA/load.nvt" |
		jq -c 'select(.type == "io" and .admin == false) | [.op, .cid, .lat_ns, .slba, .bytes, .comm]' | sort >theirs
	cmp ours theirs
	[ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' load.json)" = \
		"$("$PROGRAM" trace --json -i "$DATA/load.nvt" | jq -c 'select(.type == "io")' | wc -l)" ]
	for file in "$DATA"/*.nvt; do
		"$PROGRAM" export -f chrome -i "$file" 2>/dev/null | jq -c '.traceEvents[] | select(.ph == "X").args.comm // empty' | sort >ours
		"$PROGRAM" trace --json -i "$file" 2>/dev/null | jq -c 'select(.type == "io").comm // empty' | sort >theirs
		cmp ours theirs
	done
}

@test "options that make no sense are refused" {
	for args in "" "-f fio --map nvme0n1" "-f fio --map =/dev/sdx" "-f chrome --map a=b" "-f fio -L 1ms" "-f blktrace --status error" \
		"-f json"; do
		# shellcheck disable=SC2086 # words are wanted
		run -2 "$PROGRAM" export $args -i "$DATA/load.nvt"
	done
	name=/$(printf '%0256d' 0)
	run -2 export_to fio load --map "nvme0n1=$name"
	[[ $output == *'fio reads 256 characters of a name'* ]]
	export_to fio load --map "nvme0n1=${name%0}" 2>/dev/null | grep -q " ${name%0} add$"
}
