# SPDX-License-Identifier: GPL-2.0-or-later
# report without a recording: what it says of the running drives is what it says of a recording of the same time, in
# sentences, records and a page; and it ends after its duration.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test='6.1'
plan=10
seconds=16

# Two seconds of reads, with writes in the second one of which each is flushed
load()
{
	fio_load reads --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=psync --rate_iops=200 --time_based \
		--runtime=2 &
	fio_load flushes --filename="/dev/$disk" --rw=randwrite --bs=4k --size=64M --ioengine=psync --fsync=1 --startdelay=1 \
		--number_ios=300
	wait $!
	drained
}

# findings FILE: kind, severity, keys and numbers of each, without times
findings()
{
	jq -cS 'select(.type == "finding") | [.kind, .severity, .dev, .op, .comm, .count]' "$1"
}

guest()
{
	local disk name

	disk=$(disk_of lab0 1)
	attached recorder "$NVMETOOL" record -Q --keys owner -w "$OUT/drive.nvt"
	attached live "$NVMETOOL" report --json 1h
	attached text "$NVMETOOL" report 1h
	attached page "$NVMETOOL" report -w "$OUT/page.html" --duration 1h
	attached ten "$NVMETOOL" report --json
	load
	for name in page text live recorder; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	"$NVMETOOL" report --json -i "$OUT/drive.nvt" >"$OUT/replayed"
	check_eq "the findings are those of the recording" "$(findings "$OUT/live.out")" "$(findings "$OUT/replayed")"
	check "the flushes are among them" grep -q '^[a-z?]* *nvme[0-9n]*: 299 flushes' "$OUT/text.out"
	check "the page has the same sentence" grep -q ': 299 flushes' "$OUT/page.html"
	fio_load short --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=psync --rate_iops=200 --time_based \
		--runtime=3 &
	check "it ends by itself" "$NVMETOOL" report --duration 1s
	finished ten
	check "that is after ten seconds, where none are given" jq -ne '[inputs | select(.type == "summary")][0].duration_ns / 1e9 |
		. >= 10 and . < 12' "$OUT/ten.out"
	check "it lasts as long as a program" [ "$("$NVMETOOL" report -- sleep 0.5 | grep -c '^checked')" = 1 ]
	wait
}
