# SPDX-License-Identifier: GPL-2.0-or-later
# metrics: counters equal the drive's log after a load, a scrape each second takes less than
# 1 % of a CPU, a file is replaced while it runs.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=one
kernels='6.1 sid'
plan=9

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

guest()
{
	local disk pid before i

	disk=$(disk_of lab0 1)
	ip link set lo up
	attached served "$NVMETOOL" metrics --listen 127.0.0.1:9966
	attached file "$NVMETOOL" metrics -w "$OUT/nvme.prom" 0.2
	mark "$disk" 1
	fio_load load --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=16 --number_ios=2000 \
		--bssplit=4k/50:64k/50
	drained
	mark "$disk" 2
	scrape all
	scrape open -H 'Accept: application/openmetrics-text' --compressed
	pid=$(pid_of served)
	for ((i = 0; i < 10; i++)); do
		before=$(cpu_ns "$pid")
		scrape last
		sleep 1
		echo $(($(cpu_ns "$pid") - before))
	done | sort -n >"$OUT/cpu"
	# The cheapest second: what else this host does makes the time of an emulated CPU longer.
	check "a scrape takes less than 1 % of a second" [ "$(head -n 1 "$OUT/cpu")" -lt 10000000 ]
	check_eq "without a load nothing changes" "$(counts last)" "$(counts all)"
	check_eq "OpenMetrics says the same" "$(counts open)" "$(counts all)"
	detach file
	check_eq "exit status with a file" "$status" 0
	check_eq "the file says the same" "$(counts nvme.prom)" "$(counts all)"
	check_eq "nothing is beside the file" "$(find "$OUT" -name '.*.new')" ""
	detach served
	check_eq "exit status" "$status" 0
	check "nothing is left attached" detached_all
}

# counts FILE: of operations, without the marks, and what is complete
counts()
{
	sed -nE 's/^nvmetool_command_(duration_seconds_count|bytes_total)\{.*operation="(read|write)"\}/\1 \2/p; /^nvmetool_complete /p' \
		"$OUT/$1" | sort
}

host()
{
	drive_log 1 2
	check_eq "counts and bytes equal the drive's log" "$(counts all)" "$({
		jq -rs 'map(select(.op == "read" or .op == "write")) | group_by(.op)[] |
			"duration_seconds_count \(.[0].op) \(length)", "bytes_total \(.[0].op) \(map(.nlb * 512) | add)"' "$OUT/drive.ndjson"
		echo "nvmetool_complete 1"
	} | sort)"
}
