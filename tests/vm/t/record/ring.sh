# SPDX-License-Identifier: GPL-2.0-or-later
# The flight recorder: an error and a stall of 200 ms under load are each in a file with all that the drive's log has
# for more than 5 s before; a storm of errors makes no more files than allowed; a full disk is survived, and said.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
kernels='6.1'
test='6.1'
plan=23
seconds=34

. "$VM/lib/account.sh"
. "$VM/lib/flight.sh"

# load NAME COMMANDS: 300 a second, beside the bad block
load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randread --offset=1M --size=60M --ioengine=libaio --iodepth=4 \
		--rate_iops=300 --number_ios="$2"
}

events_recorded()
{
	attached ring "$NVMETOOL" record --ring 4M --trigger 'errors>0 or read.lat>150ms' --before 20s --after 2s \
		--max-files 3 -w "$OUT/files/%t.nvt"
	mark "$disk" 171
	load before 1650
	load beside 1800 &
	fail_read
	mark "$disk" 172
	said ring 1 recorded
	mark "$disk" 173
	stall
	mark "$disk" 174
	said ring 2 recorded
	wait $!
}

storm()
{
	until grep -q 'move one away' "$OUT/ring.err"; do
		fail_read
	done
	check_eq "a storm makes no more than --max-files" "$(find "$OUT/files" -type f | wc -l)" 3
	# A file that was taken away makes room for one more.
	mv "$(find "$OUT/files" -type f | sort | tail -n 1)" "$OUT/third.nvt"
	fail_read
	said ring 4 recorded
	check_eq "a file that is gone makes room" "$(find "$OUT/files" -type f | wc -l)" 3
	check "memory is bounded: $(grep VmHWM "/proc/$(pid_of ring)/status" | xargs)" \
		test "$(awk '/VmHWM/ { print $2 }' "/proc/$(pid_of ring)/status")" -lt 65536
	detach ring
	check_eq "it ends well" "$status" 0
}

full_disk()
{
	mkdir "$OUT/full"
	mount -t tmpfs -o size=64k none "$OUT/full"
	attached full "$NVMETOOL" record --ring 4M --trigger 'errors>0' --after 100ms -w "$OUT/full/%t.nvt"
	head -c 1M /dev/zero >"$OUT/full/filler" || true
	fail_read
	said full 1 'No space left on device'
	rm "$OUT/full"/*
	load freed 30
	fail_read
	said full 1 recorded
	kill -USR1 "$(pid_of full)"
	said full 2 recorded
	detach full
	check_eq "a file was missing, so it ends with 1" "$status" 1
	cp "$OUT/full"/*.nvt "$OUT/saved"
	umount "$OUT/full"
}

# A directory of somebody else: the capability that it takes is kept, and said.
foreign()
{
	install -d -o 65534 -m 755 "$OUT/foreign"
	attached foreign "$NVMETOOL" record --ring 4M --after 100ms -w "$OUT/foreign/%t.nvt"
	load foreign 30
	kill -USR1 "$(pid_of foreign)"
	said foreign 1 recorded
	detach foreign
	check_eq "in a directory of another user" "$status" 0
	check "what it keeps for that is said" grep -q 'keeps CAP_DAC_OVERRIDE' "$OUT/foreign.err"
}

guest()
{
	local disk

	disk=$(disk_of lab0 1)
	mkdir "$OUT/files" "$OUT/saved"
	events_recorded
	storm
	full_disk
	foreign
	check "nothing is left attached" detached_all
}

host()
{
	local files file

	readarray -t files < <(find "$OUT/files" -name '*.nvt' | sort)
	for file in "${files[@]}" "$OUT"/saved/*.nvt; do
		rows "$file"
	done
	check_eq "the error is in the first file, with all before and behind it" "$(missing 171 172 "${files[0]}")" ""
	check "the log has the error there" grep -q ',1000,1,641\]' "$OUT/log.171"
	check "more than 5 s before it" jq -se 'map(select(.type == "io")) | map(select(.status > 0))[0].mono_ns as $at |
		map(select(.opcode == 9))[0].mono_ns < $at - 5e9' "${files[0]}.rows"
	check_eq "the stall is in the second file, with all before and behind it" "$(missing 173 174 "${files[1]}")" ""
	check "it took 150 ms and more" jq -se 'any(.[]; .type == "io" and .lat_ns > 150e6)' "${files[1]}.rows"
	check_eq "triggers" "$(for file in "${files[@]:0:2}"; do about "$file" | jq -r '.trigger | .[:3]'; done | xargs)" "err rea"
	check "a file begins 5 s and more before its trigger" begins "${files[@]:0:2}"
	check "the second begins in the middle of the run" jq -se 'map(select(.opcode == 9)) | length < 5' "${files[1]}.rows"
	for file in "${files[0]}" "${files[1]}"; do
		check "the account of $(basename "$file")" nothing_lost "$file.rows"
		check "it adds up" adds_up "$file.rows"
	done
	check_eq "after the full disk: files" "$(find "$OUT/saved" -name '*.nvt' | wc -l)" 2
	check_eq "and these have all" "$(for file in "$OUT"/saved/*.nvt; do about "$file" | jq -c '[.whole, .complete]'; done | xargs)" \
		"[true,true] [true,true]"
	check_eq "one is by SIGUSR1" "$(for file in "$OUT"/saved/*.nvt; do about "$file" | jq -r .trigger; done | grep -c SIGUSR1)" 1
}

# begins FILE...: each has more than 5 s before the trigger
begins()
{
	local file

	for file; do
		about "$file" | jq -es 'map(def ns: .[:19] + "Z" | fromdate; (.trigger_ts | ns) - (.ts | ns) >= 5) | all' || return
	done
}
