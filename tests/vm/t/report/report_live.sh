# SPDX-License-Identifier: GPL-2.0-or-later
# report without a recording: what it says of the running drives is what it says of a recording of the same time, in
# sentences, records and a page; and it ends after its duration. Two tracers measure the same command a little differently,
# so what is compared is far from every limit: reads that take a hundred times as long.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test='6.1'
plan=11
seconds=38

# A second of reads, and three more while the drive answers 20 in each
load()
{
	fio_load reads --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=psync --rate_iops=200 --time_based \
		--runtime=4 &
	until [ "$(awk '{ print $1 }' "/sys/block/$disk/stat")" -ge "$((reads + 200))" ]; do
		sleep 0.05
	done
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 20 0 0"
	wait $!
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
	drained
}

# findings FILE: what is said of the reads, without times and figures
findings()
{
	jq -cS 'select(.type == "finding" and .op == "read") | [.severity, .kind, .dev, .op, .comm, [.with[] | .comm]]' "$1"
}

guest()
{
	local disk name reads

	disk=$(disk_of lab0 1)
	reads=$(awk '{ print $1 }' "/sys/block/$disk/stat")
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
	check_eq "live says of the reads what it says of the recording" "$(findings "$OUT/live.out")" "$(findings "$OUT/replayed")"
	check_eq "they became slow, by nobody" "$(findings "$OUT/replayed")" "$(jq -cn --arg dev "$disk" \
		'["high", "slow", $dev, "read", "fio", []]')"
	check "the text says it" grep -q "^high *$disk: 4K reads of fio" "$OUT/text.out"
	check "the page says it" grep -q "$disk: 4K reads of fio" "$OUT/page.html"
	fio_load short --filename="/dev/$disk" --rw=randread --bs=4k --size=64M --ioengine=psync --rate_iops=200 --time_based \
		--runtime=3 &
	check "it ends by itself" "$NVMETOOL" report --duration 1s
	finished ten
	check "that is after ten seconds, where none are given" jq -ne '[inputs | select(.type == "summary")][0].duration_ns / 1e9 |
		. >= 10 and . < 12' "$OUT/ten.out"
	check "it lasts as long as a program" [ "$("$NVMETOOL" report -- sleep 0.5 | grep -c '^checked')" = 1 ]
	wait
}
