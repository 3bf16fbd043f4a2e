# SPDX-License-Identifier: GPL-2.0-or-later
# metrics: counters equal the drive's log after a load, under which a scrape each second takes less than 1 % of a CPU;
# a file is replaced while it runs; a command that the drive holds back is in flight and grows older; with -Q the wait
# for a tag is in a second histogram, which is that of latency -Q. From scrape to scrape no counter goes back, and each is of one
# reading; after a restart they begin anew, which nvmetool_start_time_seconds tells.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=errors
kernels='6.1 6.18 sid'
plan=23
seconds=58

# scrape NAME ARG...
scrape()
{
	curl -sS --max-time 20 "${@:2}" http://127.0.0.1:9966/metrics >"$OUT/$1"
}

# Nanoseconds of CPU time that a process has used.
cpu_ns()
{
	cut -d ' ' -f 1 "/proc/$1/schedstat"
}

# gauges FILE: commands in flight, and whole milliseconds of the oldest one's age
gauges()
{
	awk '/^nvmetool_commands_inflight/ { n = $2 } /^nvmetool_oldest_command_age_seconds/ { printf "%d %d\n", n, $2 * 1000 }' "$OUT/$1"
}

milliseconds()
{
	date +%s%3N
}

# A read that the drive holds back: its age lies within the time that passed.
held()
{
	local reader after start

	quiet_monitor 'qemu-io lab0n1 "break read_aio A"'
	start=$(milliseconds)
	dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct &
	reader=$!
	until grep -q '^ *[1-9]' "/sys/block/$disk/inflight"; do
		sleep 0.02
	done
	scrape held
	sleep 0.2
	scrape older
	after=$(milliseconds)
	until quiet_monitor 'qemu-io lab0n1 "resume A"'; do
		sleep 0.02
	done
	wait "$reader"
	scrape gone
	check_eq "one is in flight" "$(gauges held | cut -d ' ' -f 1) $(gauges older | cut -d ' ' -f 1)" '1 1'
	check "it is no older than the time that passed" [ "$(gauges older | cut -d ' ' -f 2)" -le $((after - start)) ]
	check "it has grown older" [ "$(gauges older | cut -d ' ' -f 2)" -ge $(($(gauges held | cut -d ' ' -f 2) + 200)) ]
	check_eq "then none is" "$(gauges gone)" '0 0'
}

# A second run at the same address: it counts from nothing, and tells since when.
restarted()
{
	local before=$EPOCHREALTIME after

	attached again "$NVMETOOL" metrics --listen 127.0.0.1:9966
	after=$EPOCHREALTIME
	dd if="/dev/$disk" of=/dev/null bs=4k count=3 iflag=direct
	drained
	scrape again
	detach again
	check "it tells when it was started again" awk -v at="$(value again start_time_seconds)" -v before="$before" -v after="$after" \
		'BEGIN { print before, at, after; exit !(before <= at && at <= after) }'
	check_eq "and counts anew" "$(counts again)" "bytes_total read 12288
duration_seconds_count read 3
nvmetool_complete 1"
}

# value FILE NAME: of the only series of nvmetool_NAME
value()
{
	sed -n "s/^nvmetool_$2 //p" "$OUT/$1"
}

# Time of this CPU for a work that is always the same, in milliseconds: the least of some runs, since what else
# the host does makes the time of an emulated CPU longer.
work()
{
	local TIMEFORMAT=%U run i

	for run in 1 2 3 4 5; do
		{ time for ((i = 0; i < 30000; i++)); do :; done; } 2>&1
	done | sort -n | awk 'NR == 1 { print $1 * 1000 }'
}

guest()
{
	local disk depth pid before i

	disk=$(disk_of lab0 1)
	depth=$(cat "/sys/block/$disk/queue/nr_requests")
	ip link set lo up
	attached served "$NVMETOOL" metrics --listen 127.0.0.1:9966
	attached file "$NVMETOOL" metrics -Q -w "$OUT/nvme.prom" 0.2
	attached queued "$NVMETOOL" latency -Q --by none -O read,write --json
	echo 4 >"/sys/block/$disk/queue/nr_requests"
	mark "$disk" 191
	fio_load load --filename="/dev/$disk" --rw=randrw --offset=1M --size=32M --ioengine=libaio --iodepth=8 --number_ios=400 \
		--bssplit=4k/50:64k/50 --numjobs=4 --cpus_allowed=0
	drained
	detach queued
	until [ "$OUT/nvme.prom" -nt "$OUT/queued.out" ]; do
		sleep 0.02
	done
	cat "$OUT/nvme.prom" >"$OUT/loaded"
	echo "$depth" >"/sys/block/$disk/queue/nr_requests"
	fio_load paced --filename="/dev/$disk" --rw=randread --offset=1M --size=32M --rate_iops=200 --number_ios=2000 &
	pid=$(pid_of served)
	for ((i = 0; i < 10; i++)); do
		before=$(cpu_ns "$pid")
		scrape "live.$i"
		sleep 1
		echo $(($(cpu_ns "$pid") - before))
	done | sort -n >"$OUT/cpu"
	wait $!
	drained
	mark "$disk" 192
	scrape all
	scrape open -H 'Accept: application/openmetrics-text' --compressed
	scrape last
	work >"$OUT/work"
	check_eq "without a load nothing changes" "$(counts last)" "$(counts all)"
	check_eq "OpenMetrics says the same" "$(counts open)" "$(counts all)"
	held
	detach file
	check_eq "exit status with a file" "$status" 0
	check_eq "the file says the same" "$(counts nvme.prom)" "$(counts gone)"
	check_eq "nothing is beside the file" "$(find "$OUT" -name '.*.new')" ""
	detach served
	check_eq "exit status" "$status" 0
	restarted
	check "nothing is left attached" detached_all
}

# counts FILE: of operations, without the marks, and what is complete
counts()
{
	sed -nE 's/^nvmetool_command_(duration_seconds_count|bytes_total)\{.*operation="(read|write)"\}/\1 \2/p; /^nvmetool_complete /p' \
		"$OUT/$1" | sort
}

# loaded NAME: number and mean, in nanoseconds, of the reads and writes of the load, by the histogram nvmetool_NAME
loaded()
{
	sed -nE "s/^nvmetool_$1_seconds_(sum|count)\\{.*operation=\"(read|write)\"\\}/\\1/p" "$OUT/loaded" |
		awk '{ n[$1] += $2 } END { printf "%d %d\n", n["count"], n["sum"] * 1e9 / n["count"] }'
}

# bytes_each FROM TO: of the reads between two scrapes, if there are any
bytes_each()
{
	counts "$1" | cat - <(counts "$2") | awk '$2 == "read" { now[$1] = $3 - was[$1]; was[$1] = $3 }
		END { n = now["duration_seconds_count"]; if (n || now["bytes_total"]) print n ? now["bytes_total"] / n : "no reads" }'
}

# The metrics that the dashboard and the alert rules name.
named()
{
	{
		jq -r '.. | .expr? // empty, .query? // empty' "$VM/../../cmd/metrics/dashboard.json"
		cat "$VM/../../cmd/metrics/nvmetool.rules.yml"
	} | grep -oE '\bnvmetool_[a-z_]+' | sort -u
}

host()
{
	local block command queued i

	check_eq "no counter goes back from scrape to scrape, buckets add up to the count in each" "$(cd "$OUT" &&
		python3 "$VM/../cli/lib/scrapes.py" live.? all last held older gone 2>&1 | head -n 20)" ""
	for i in {0..8}; do
		bytes_each "live.$i" "live.$((i + 1))"
	done >"$OUT/each"
	check "under load each scrape is of one reading: reads have 4 KiB in $(xargs <"$OUT/each")" \
		awk '$1 != 4096 { bad = 1 } END { exit bad || NR < 3 }' "$OUT/each"
	check "the second run tells a later start" awk -v first="$(value gone start_time_seconds)" \
		-v second="$(value again start_time_seconds)" 'BEGIN { print first, second; exit !(first > 0 && second > first) }'
	read -r -a block <<<"$(loaded block_duration)"
	read -r -a command <<<"$(loaded command_duration)"
	read -r -a queued <<<"$(jq -r 'select(.type == "latency") | "\(.count) \(.mean_ns)"' "$OUT/queued.out")"
	check_eq "the dashboard and the rules name no metric that there is not" \
		"$(named | { grep -vxFf <(grep -ohE '^nvmetool_[a-z_]+' "$OUT/gone" "$OUT/loaded") || true; })" ""
	# An emulated CPU is slower than this one by as much as that work took it longer.
	check "under load a scrape takes less than 1 % of a second" awk -v scrape="$(head -n 1 "$OUT/cpu")" -v guest="$(cat "$OUT/work")" \
		-v host="$(work)" 'BEGIN { print scrape, guest, host, scrape * host / guest; exit !(guest > 0 && scrape * host / guest < 1e7) }'
	check_eq "-Q: each command is in both histograms" "$(sed -n 's/^nvmetool_block_duration_seconds_count//p' "$OUT/nvme.prom")" \
		"$(sed -n 's/^nvmetool_command_duration_seconds_count//p' "$OUT/nvme.prom")"
	check_eq "-Q: as many as latency -Q has" "${block[0]}" "${queued[0]}"
	check_near "-Q: the mean is that of latency -Q" "${block[1]}" "${queued[1]}" 5
	# Four jobs wait for four tags, with one command each.
	check "-Q: the wait for a tag is in it" [ "${block[1]}" -gt $((command[1] * 11 / 10)) ]
	drive_log 191 192
	check_eq "counts and bytes equal the drive's log" "$(counts all)" "$({
		jq -rs 'map(select(.op == "read" or .op == "write")) | group_by(.op)[] |
			"duration_seconds_count \(.[0].op) \(length)", "bytes_total \(.[0].op) \(map(.nlb * 512) | add)"' "$OUT/drive.ndjson"
		echo "nvmetool_complete 1"
	} | sort)"
}
