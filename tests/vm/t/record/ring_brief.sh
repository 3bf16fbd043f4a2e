# SPDX-License-Identifier: GPL-2.0-or-later
# The flight recorder in brief, on the kernels that ring is not for: an error under load is in a file with all that the
# drive's log has before it, and is judged at once; a signal makes another file, and there are no more than allowed.
# On a terminal record says how it gets on.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"
. "$VM/lib/flight.sh"

ERRORS=6
topology=errors
kernels='5.10 6.12 sid'
plan=12

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

# trigger NUMBER: an error, which makes this file; when that was there is put into $OUT/seen. Nothing is started while
# it waits, since in a guest that takes longer than what is measured.
trigger()
{
	local found=()

	shopt -s nullglob
	fail_read &
	until [ ${#found[@]} = "$1" ]; do
		read -r -t 0.002 -u "$never" || true
		found=("$OUT"/files/*.nvt)
	done
	echo "${EPOCHREALTIME/./}" >>"$OUT/seen"
	shopt -u nullglob
	wait $!
	said ring "$1" recorded
}

guest()
{
	local disk reads never number load

	disk=$(disk_of lab0 1)
	reads=$(reads_of "$disk")
	mkdir "$OUT/files"
	exec {never}<> <(:)
	attached ring "$NVMETOOL" record --ring 4M --trigger 'errors>0' --before 10s --after 100ms --max-files $((ERRORS + 1)) \
		-w "$OUT/files/%t.nvt"
	# shellcheck disable=SC2016 # expanded by that shell
	attached plain python3 "$VM/../cli/lib/tty.py" 24 80 sh -c 'exec "$0" record -w "$1" 2>&1' "$NVMETOOL" "$OUT/plain.nvt"
	mark "$disk" 181
	load &
	load=$!
	until [ "$(reads_of "$disk")" -gt $((reads + 300)) ]; do
		sleep 0.02
	done
	mark "$disk" 182
	for ((number = 1; number <= ERRORS; number++)); do
		trigger "$number"
	done
	kill -USR1 "$(pid_of ring)"
	said ring $((ERRORS + 1)) recorded
	fail_read
	said ring 1 'move one away'
	wait "$load"
	detach plain
	check "on a terminal record says how it gets on" grep -qE 'recording: [1-9][0-9]* events/s, [1-9][0-9]* in all, .*, 0 lost' "$OUT/plain.out"
	check "elsewhere it does not" [ -z "$(sed -n '/events\/s/p' "$OUT/ring.err")" ]
	detach ring
	check_eq "it ends well" "$status" 0
	check_eq "no more than --max-files" "$(find "$OUT/files" -type f | wc -l)" $((ERRORS + 1))
	check "nothing is left attached" detached_all
}

host()
{
	local files

	readarray -t files < <(find "$OUT/files" -name '*.nvt' | sort)
	rows "${files[0]}"
	check_eq "all before the error is in the first file" "$(missing 181 182 "${files[0]}")" ""
	check "and so is the error" grep -q ',1000,1,641\]' <(keys "${files[0]}.rows")
	check_eq "triggers" "$(for file in "${files[@]}"; do about "$file" | jq -c '[.trigger[:6], .whole, .complete]'; done | uniq -c | xargs)" \
		"$ERRORS [errors,true,true] 1 [SIGUSR,true,true]"
	judged "${files[@]:0:ERRORS}" | sort -n >"$OUT/judged"
	# At most 90 ms, as lib/session/run_live.c asserts, and then what the host takes from an emulated CPU.
	check "judged within 100 ms: $(xargs <"$OUT/judged")" [ "$(head -n 1 "$OUT/judged")" -lt 100000 ]
	check "none is judged much later" [ "$(tail -n 1 "$OUT/judged")" -lt 400000 ]
	check "nothing is lost" nothing_lost "${files[0]}.rows"
	check "it adds up" adds_up "${files[0]}.rows"
}

# judged FILE...: how many microseconds after its trigger each was there
judged()
{
	local at file

	for file; do
		read -r at
		echo $((at - $(date -d "$(about "$file" | jq -r .trigger_ts)" +%s%6N)))
	done <"$OUT/seen"
}
