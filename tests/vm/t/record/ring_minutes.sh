# SPDX-License-Identifier: GPL-2.0-or-later
# The flight recorder for ten minutes under load, with an error and a stall of 200 ms in each: every one is in a file, with
# all that the drive's log has from 6 s before it on; memory and files stay within bounds, also once the ring is full, which it
# is after some five minutes. A busy host makes further stalls.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"
. "$VM/lib/flight.sh"

RING_MINUTES=10
FIRST_MARK=1000 # each event has two: from 6 s before it to behind it

topology=errors
kernels='6.1'
plan=$((RING_MINUTES * 2 + 8))
seconds=$((RING_MINUTES * 60 + 60))

# event NUMBER COMMAND: half a minute, in whose middle COMMAND makes something happen
event()
{
	local until=$((SECONDS + 30))

	sleep 15
	mark "$disk" $((FIRST_MARK + $1 * 2))
	sleep 6
	"$2"
	mark "$disk" $((FIRST_MARK + $1 * 2 + 1))
	said ring $(($1 + 1)) recorded
	awk '/^VmRSS/ { print $2 }' "/proc/$(pid_of ring)/status" >>"$OUT/rss"
	sleep $((until > SECONDS ? until - SECONDS : 0))
}

guest()
{
	local disk i

	disk=$(disk_of lab0 1)
	mkdir "$OUT/files"
	attached ring "$NVMETOOL" record -Q --ring 4M --trigger 'errors>0 or read.lat>150ms' --before 10s --after 3s \
		--max-files 100 -w "$OUT/files/%t.nvt"
	fio_load load --filename="/dev/$disk" --rw=randread --offset=1M --size=60M --ioengine=libaio --iodepth=4 \
		--rate_iops=1000 --time_based --runtime=$((RING_MINUTES * 60 + 30)) &
	SECONDS=0
	for ((i = 0; i < RING_MINUTES * 2; i += 2)); do
		event "$i" fail_read
		event "$((i + 1))" stall
	done
	wait %fio_load
	detach ring
	check_eq "it ends well" "$status" 0
	# musl's malloc rounds a block up by at most a quarter.
	check "memory at each event, in KB, grows by no more than --ring and a quarter: $(xargs <"$OUT/rss")" awk 'NR == 1 { bound = $1 + 4096 * 5 / 4 }
		$1 > bound { bad = 1 } END { exit bad || NR < 3 }' "$OUT/rss"
	check "and the ring gets full: then it grows no more" awk '{ kb[NR] = $1 }
		END { exit !(kb[17] - kb[1] > 2800 && kb[NR] - kb[17] < 150) }' "$OUT/rss"
	check "files have $(du -sk "$OUT/files" | cut -f1) KB" test "$(du -sk "$OUT/files" | cut -f1)" -lt $((RING_MINUTES * 2 * 300))
	check "nothing is left attached" detached_all
}

# covered FILE: the kind and time of each event in FILE.rows that has 5 s before it there; retries are of the same event
covered()
{
	jq -rs 'map(select(.type == "io")) | (map(.mono_ns) | min) as $first | .[] | select(.mono_ns - $first >= 5e9) |
		if .status > 0 and .retries == 0 then "error \(.mono_ns)" elif .lat_ns > 150e6 then "stall \(.mono_ns)" else empty end' "$1.rows"
}

host()
{
	local files file i

	readarray -t files < <(find "$OUT/files" -name '*.nvt' | sort)
	for file in "${files[@]}"; do
		rows "$file"
		covered "$file" >>"$OUT/covered"
		cat "$file.rows" >>"$OUT/all.rows"
		nothing_lost "$file.rows" || echo "$file" >>"$OUT/lossy"
	done
	for ((i = 0; i < RING_MINUTES * 2; i++)); do
		check_eq "event $i: all that the drive's log has around it" \
			"$(missing $((FIRST_MARK + i * 2)) $((FIRST_MARK + i * 2 + 1)) "$OUT/all")" ""
	done
	check_eq "errors with 5 s before them" "$(sort -u "$OUT/covered" | grep -c error)" "$RING_MINUTES"
	check "so many stalls" test "$(sort -u "$OUT/covered" | grep -c stall)" -ge "$RING_MINUTES"
	check "nothing is lost in any" test ! -e "$OUT/lossy"
}
