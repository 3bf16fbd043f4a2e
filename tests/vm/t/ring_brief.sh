# SPDX-License-Identifier: GPL-2.0-or-later
# The flight recorder in brief, on the kernels that ring is not for: an error under load is in a file with all that the
# drive's log has before it, a signal makes another file, and there are no more than allowed.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"
. "$VM/lib/flight.sh"

topology=errors
kernels='5.10 6.12 sid'
plan=8

load()
{
	fio_load load --filename="/dev/$disk" --rw=randread --offset=1M --size=60M --ioengine=libaio --iodepth=4 \
		--rate_iops=300 --number_ios=600
}

# reads_of DISK: that have completed
reads_of()
{
	awk '{ print $1 }' "/sys/block/$1/stat"
}

guest()
{
	local disk reads

	disk=$(disk_of lab0 1)
	reads=$(reads_of "$disk")
	mkdir "$OUT/files"
	attached ring "$NVMETOOL" record --ring 4M --trigger 'errors>0' --before 10s --after 200ms --max-files 2 \
		-w "$OUT/files/%t.nvt"
	mark "$disk" 181
	load &
	until [ "$(reads_of "$disk")" -gt $((reads + 300)) ]; do
		sleep 0.02
	done
	mark "$disk" 182
	fail_read
	said ring 1 recorded
	kill -USR1 "$(pid_of ring)"
	said ring 2 recorded
	fail_read
	said ring 1 'move one away'
	wait $!
	detach ring
	check_eq "it ends well" "$status" 0
	check_eq "no more than --max-files" "$(find "$OUT/files" -type f | wc -l)" 2
	check "nothing is left attached" detached_all
}

host()
{
	local files

	readarray -t files < <(find "$OUT/files" -name '*.nvt' | sort)
	rows "${files[0]}"
	check_eq "all before the error is in the first file" "$(missing 181 182 "${files[0]}")" ""
	check "and so is the error" grep -q ',1000,1,641\]' <(keys "${files[0]}.rows")
	check_eq "triggers" "$(for file in "${files[@]}"; do about "$file" | jq -c '[.trigger[:10], .whole, .complete]'; done | xargs)" \
		"[errors = 1,true,true] [SIGUSR1,true,true]"
	check "nothing is lost" nothing_lost "${files[0]}.rows"
	check "it adds up" adds_up "${files[0]}.rows"
}
