# SPDX-License-Identifier: GPL-2.0-or-later
# Events that no drive sent (tests/bench/flood.c). A burst of 300 000, sixteen at a time, into buffers of three sizes:
# what is printed and what is called lost add up to what was sent. More than can be read, without end: times, signals and
# losses are not kept waiting. A steady stream: rates are those of the time that an interval took, the last one's too.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.12'
plan=25
seconds=40

. "$VM/lib/account.sh"

FOREVER=1000000000
STEADY=20000 # a second

# burst BUFFER: the sum into $sum, and whether its account adds up
burst()
{
	local lost printed

	"$bench/nvmetool-flood" trace --attach raw_tp --json --columns cid --buffer "$1" -w "$OUT/burst" -- "$bench/flood_load" 300000 0 16 \
		2>"$OUT/burst.err"
	lost=$(summary_of "$OUT/burst" | jq .lost.ring_full)
	printed=$(grep -c '"type":"io"' "$OUT/burst")
	sum=$((printed + lost))
	check "a buffer of $1: the account" adds_up "$OUT/burst"
	diag "$printed printed, $lost lost"
}

# overloaded OPTION...: trace of a load that would go on for 40 s; its exit status in $status
overloaded()
{
	status=0
	timeout -k 1 40 "$bench/nvmetool-flood" trace --attach raw_tp --json "$@" -- "$bench/flood_load" $FOREVER 0 16 \
		>"$OUT/over" 2>"$OUT/over.err" || status=$?
	check "overload, $*: the account" adds_up "$OUT/over"
}

# in_time: a run of one second ended long before its load would have, or before its reader came
in_time()
{
	summary_of "$OUT/over" | jq -e '.duration_ns < 6e9'
}

times()
{
	overloaded --duration 1s
	check_eq "--duration ends it" "$status" 0
	check "it is kept" in_time
	overloaded 300ms 3
	check_eq "INTERVAL and COUNT end it" "$status" 0
	check "they are kept" in_time
}

# Checks, under a load that goes on, when the first loss is told, and how long SIGINT takes.
signals()
{
	local tries=0 load start_us ms

	attached over "$bench/nvmetool-flood" trace --attach raw_tp --json
	timeout 20 "$bench/flood_load" $FOREVER 0 16 2>/dev/null &
	load=$!
	until grep -q 'lost so far' "$OUT/over.err" || [ $((tries++)) -gt 200 ]; do
		sleep 0.05
	done
	check "a loss is told while it goes on" grep -q 'lost so far' "$OUT/over.err"
	start_us=${EPOCHREALTIME/./}
	detach over
	ms=$(((${EPOCHREALTIME/./} - start_us) / 1000))
	kill "$load" || true
	wait "$load" || true
	check "SIGINT ends it under load: $ms ms" test "$status" = 0 -a "$ms" -lt 5000 # else when the load ends
}

# lengths CONDITION: of the lengths of the intervals of latency, in ns; each rate is that of its interval
lengths()
{
	jq -se "map(select(.type == \"latency\")) | all(.[]; (.iops - .count * 1e9 / .interval_ns) | . > -1 and . < 1) and
		(map(.interval_ns) | debug | length > 2 and ($1))" "$OUT/rates.out"
}

# until_seq N: until a report with this number has begun
until_seq()
{
	until grep -q "\"seq\":$1," "$OUT/rates.out"; do
		sleep 0.05
	done
}

# One that ends late: nvmetool is stopped for ten times as long. The load makes up for what it was late itself.
late_interval()
{
	attached rates "$bench/nvmetool-flood" latency --attach raw_tp --by comm --json 200ms -- "$bench/flood_load" $FOREVER $STEADY
	until_seq 1
	kill -STOP "$(pid_of rates)"
	sleep 2
	kill -CONT "$(pid_of rates)"
	until_seq 3
	detach rates
}

# Together they are as long as the run, whatever the machine did meanwhile. A run whose last interval was as long as the
# others, or an interval that ends late, would have lengths of their own.
intervals()
{
	"$bench/nvmetool-flood" latency --attach raw_tp --by comm --json 100ms --duration 550ms -- \
		"$bench/flood_load" $FOREVER $STEADY >"$OUT/rates.out" 2>/dev/null
	check "intervals are as long as the run" lengths "(add - $(summary_of "$OUT/rates.out" | jq .duration_ns)) | . > -1e6 and . < 1e6"
	late_interval
	check "an interval that ends late is as long as it was" lengths 'max > 19e8'
}

# stuck BYTES: a pipe that nobody reads, $OUT/pipe, with so much in it of 65536
stuck()
{
	mkfifo "$OUT/pipe"
	exec {both}<>"$OUT/pipe"
	head -c "$1" /dev/zero >&"$both"
}

# read_late BYTES FILE: its reader comes, and puts what lies behind these in FILE
read_late()
{
	local reader

	exec {reader}<"$OUT/pipe"
	exec {both}>&-
	tail -c "+$(($1 + 1))" <&"$reader" >"$2"
	exec {reader}<&-
	rm "$OUT/pipe"
}

# The reader of the pipe comes late, when the run has ended: it gets all, but of no more than the run.
unread()
{
	local both status

	stuck 60000
	attached unread sh -c 'exec "$@" >"$0"' "$OUT/pipe" "$bench/nvmetool-flood" latency --attach raw_tp --by comm --json \
		--duration 1s 20ms -- "$bench/flood_load" $FOREVER $STEADY
	sleep 6
	read_late 60000 "$OUT/over"
	finished unread
	check "a reader that stops does not hold up --duration" in_time
	check_eq "it gets all" "$status $(summary_of "$OUT/over" | jq .lost.output)" "0 0"
}

# The reader of the messages about losses comes late: the run does not wait for him.
unheard()
{
	local both status

	stuck 65536
	# shellcheck disable=SC2016 # for sh
	attached over sh -c 'exec "$@" 2>"$0"' "$OUT/pipe" "$bench/nvmetool-flood" trace --attach raw_tp --json --buffer 64K \
		--duration 1s -- "$bench/flood_load" $FOREVER 0 16
	sleep 6
	read_late 65536 "$OUT/unheard"
	finished over
	mv "$OUT/over.out" "$OUT/over"
	check "a reader of stderr that stops does not hold up --duration" in_time
	check "he is told what was lost" grep -q 'lost: [1-9][0-9]* commands\?, because' "$OUT/unheard"
}

# As Ctrl-C does: a signal for nvmetool and PROGRAM.
told_together()
{
	local status

	attached group setsid "$bench/nvmetool-flood" trace --attach raw_tp --json -- sleep 60
	kill -TERM -- "-$(pid_of group)"
	finished group
	check_eq "PROGRAM that is told to end as well does not fail" "$status $(summary_of "$OUT/group.out" | jq .program.signal)" "0 15"
}

# PROGRAM would not get far: it stays where it is.
tried()
{
	check "--probe-only attaches" "$bench/nvmetool-flood" trace --attach raw_tp --probe-only -- touch "$OUT/ran"
	check "PROGRAM is not run" test ! -e "$OUT/ran"
}

# said TEXT: the number before it in what record said
said()
{
	sed -n "s/.* \([0-9]*\) $1.*/\1/p" "$OUT/unread.err" | tail -n 1
}

# A recording that nobody reads.
recorded()
{
	local both status start_us ms

	mkfifo "$OUT/pipe"
	exec {both}<>"$OUT/pipe"
	attached unread "$bench/nvmetool-flood" record --attach raw_tp --strict -w "$OUT/pipe"
	"$bench/flood_load" 1000000 0 16 2>/dev/null
	start_us=${EPOCHREALTIME/./}
	detach unread
	ms=$(((${EPOCHREALTIME/./} - start_us) / 1000))
	exec {both}>&-
	rm "$OUT/pipe"
	check "a reader of a recording that stops does not hold it: $ms ms" test "$status" = 7 -a "$ms" -lt 10000
	check_eq "recorded and lost are what was sent" \
		"$(($(said "events\\? (") + $(said 'commands\?, because') + $(said 'lines\?, because')))" 1000000
}

guest()
{
	local bench sum buffer

	bench=$(dirname "$NVMETOOL")/bench
	for buffer in 64K 1M 64M; do
		burst "$buffer"
		check_eq "a buffer of $buffer: printed and lost are what was sent" "$sum" 300000
	done
	times
	signals
	intervals
	unread
	unheard
	told_together
	tried
	recorded
}
