# SPDX-License-Identifier: GPL-2.0-or-later
# Too small a buffer and a reader that has stopped: what is lost is counted to the command, told within a second,
# and does not keep nvmetool from ending.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=13
seconds=20

. "$VM/lib/account.sh"

load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=32 --numjobs=2 \
		--number_ios="$2"
}

# now_ms: into $ms
now_ms()
{
	ms=${EPOCHREALTIME/./}
	ms=${ms%???}
}

# The buffer fills while nvmetool itself does not run.
stopped()
{
	attached ring "$NVMETOOL" trace --json --strict --buffer 64K
	mark "$disk" 161
	kill -STOP "$(pid_of ring)"
	load ring 1000
	drained
	read -r continued _ </proc/uptime
	kill -CONT "$(pid_of ring)"
	until grep -q '"type":"lost"' "$OUT/ring.out"; do
		sleep 0.02
	done
	echo "$continued" >"$OUT/continued"
	mark "$disk" 162
	detach ring
	check_eq "--strict ends with 7" "$status" 7
	check "the loss is told, and what helps" grep -q 'use a larger --buffer' "$OUT/ring.err"
}

# The reader of the pipe does not read: what goes beyond the pipe and the backlog is lost.
blocked()
{
	mkfifo "$OUT/pipe"
	exec {both}<>"$OUT/pipe"
	exec {reader}<"$OUT/pipe"
	attached pipe sh -c 'exec "$@" >"$0"' "$OUT/pipe" "$NVMETOOL" trace --json --strict
	exec {both}>&-
	mark "$disk" 163
	load pipe 3500
	drained
	mark "$disk" 164
	until grep -q 'lines\?, because the reader' "$OUT/pipe.err"; do
		sleep 0.02
	done
	detach pipe
	check_eq "a blocked reader ends with 7 too" "$status" 7
	cat <&"$reader" >"$OUT/pipe.out"
	rm "$OUT/pipe"
}

# One that reads on: of lines that are no commands those are lost which the backlog had no room for.
paused()
{
	mkfifo "$OUT/pipe"
	exec {both}<>"$OUT/pipe"
	exec {reader}<"$OUT/pipe"
	attached paused sh -c 'exec "$@" >"$0"' "$OUT/pipe" "$NVMETOOL" trace --json --show submit
	exec {both}>&-
	load paused 3500
	drained
	until grep -q 'lines\? not about commands' "$OUT/paused.err"; do
		sleep 0.02
	done
	cat <&"$reader" >"$OUT/paused.out" &
	exec {reader}<&-
	until grep -q '"opcode":9,' "$OUT/paused.out"; do # then it has read all that there was
		mark "$disk" 165
		sleep 0.02
	done
	detach paused
	wait $!
	rm "$OUT/pipe"
}

# SIGINT ends it while nobody reads: a run that waited for the reader would wait for ever.
quick()
{
	local start_us

	mkfifo "$OUT/pipe"
	exec {both}<>"$OUT/pipe"
	attached quick sh -c 'exec "$@" >"$0"' "$OUT/pipe" "$NVMETOOL" trace --json
	load quick 60
	drained
	start_us=${EPOCHREALTIME/./}
	detach quick
	ms=$(((${EPOCHREALTIME/./} - start_us) / 1000))
	exec {both}>&-
	rm "$OUT/pipe"
}

guest()
{
	local disk reader both continued ms

	disk=$(disk_of lab0 1)
	stopped
	blocked
	paused
	quick
	check "a reader that has stopped does not hold it: $ms ms" test "$ms" -lt 5000
	check "nothing is left attached" detached_all
}

# keys FILE: the commands in it
keys()
{
	jq -c 'select(.opcode and .opcode != 9) | [.qid, .cid, .opcode, .slba, .nlb, .status]' "$1" | sort
}

host()
{
	local lost

	drive_log 161 162
	check "the account" adds_up "$OUT/ring.out"
	lost=$(summary_of "$OUT/ring.out" | jq .lost.ring_full)
	check "commands were lost" test "$lost" -gt 0
	check_eq "received and lost, with two marks" "$(($(grep -c '"type":"io"' "$OUT/ring.out") + lost))" \
		"$(($(wc -l <"$OUT/drive.ndjson") + 2))"
	keys "$OUT/ring.out" >"$OUT/received"
	keys "$OUT/drive.ndjson" >"$OUT/sent"
	check "nothing was received that the drive did not get" within "$OUT/sent" "$OUT/received"
	# And another second, for this machine may be busy.
	check "it is told within a second" jq -se --argjson at "$(cat "$OUT/continued")" \
		'map(select(.type == "lost"))[0] | .ring_full > 0 and .mono_ns < ($at + 2) * 1e9' "$OUT/ring.out"
	check "its record comes before the next command" jq -se 'map(.type) | index("lost") < rindex("io")' "$OUT/ring.out"
	check_pipe
	check "of submissions: received and lost" jq -se 'last.lost.output_extra as $lost | $lost > 0 and
		last.lost.output == 0 and $lost + (map(select(.type == "submit")) | length) == last.submitted' "$OUT/paused.out"
}

check_pipe()
{
	local lost

	drive_log 163 164
	lost=$(sed -n 's/.*lost: \([0-9]*\) lines\?, because the reader.*/\1/p' "$OUT/pipe.err" | tail -n 1)
	# The last line that the pipe took is cut and counts as lost.
	check_eq "of a pipe: received and lost" "$(($(grep -c '"type":"io".*}$' "$OUT/pipe.out") + lost))" \
		"$(($(wc -l <"$OUT/drive.ndjson") + 2))"
}
