#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Output that cannot be written, readers that are slow, stop or go, signals: on recordings, so without a kernel.

# shellcheck disable=SC2030,SC2031,SC2154 # each test runs in a shell of its own; run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/pipe.bash

DATA=$BATS_TEST_DIRNAME/../data

setup()
{
	set -o pipefail
	out=$BATS_TEST_TMPDIR/out
	fifo=$BATS_TEST_TMPDIR/fifo
	mkfifo "$fifo"
}

# until_has TEXT FILE [TRIES]
until_has()
{
	for _ in $(seq "${3:-500}"); do
		! grep -qs "$1" "$2" || return 0
		sleep 0.02
	done
	return 1
}

# start ARG...: nvmetool in the background, $pid; its output goes to the fifo, which is open and not read.
start()
{
	exec {both}<>"$fifo"
	"$NVMETOOL" "$@" >"$fifo" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
}

# taken: what the fifo took, into the file $out, and the end of it.
taken()
{
	exec {reader}<"$fifo" {both}>&-
	cat <&"$reader" >"$out"
	exec {reader}<&-
}

# ended: waits for it; its exit status in $status.
ended()
{
	status=0
	wait "$pid" || status=$?
}

# enlarged FILE: a copy of stream.nvt with blocks of no kind that is known, which make it 20 MiB
enlarged()
{
	python3 - "$DATA/stream.nvt" "$1" <<-'END'
		import struct, sys, zlib
		data = open(sys.argv[1], 'rb').read()
		payload = bytes(4 << 20)
		head = struct.pack('<5I', 0x42564e9e, 99, len(payload), 0, zlib.crc32(payload))
		block = head + struct.pack('<I', zlib.crc32(head)) + payload
		at = 16 + 24 + struct.unpack_from('<I', data, 16 + 8)[0] # behind HEAD
		open(sys.argv[2], 'wb').write(data[:at] + 5 * block + data[at:])
	END
}

# messages ARG...: what nvmetool writes to stderr, which is a terminal, with \r as a caret
messages()
{
	# shellcheck disable=SC2016 # expanded by that shell
	python3 "$BATS_TEST_DIRNAME/lib/tty.py" 24 80 sh -c 'exec "$@" 2>&1 >"$0"' "$BATS_TEST_TMPDIR/data" "$NVMETOOL" "$@" | tr '\r' '^'
}

@test "the replay of a large file says how far it is, on a terminal only, and takes the line away" {
	large=$BATS_TEST_TMPDIR/large.nvt
	enlarged "$large"
	"$NVMETOOL" latency -i "$DATA/stream.nvt" >"$BATS_TEST_TMPDIR/want"
	for args in latency trace "record -w $BATS_TEST_TMPDIR/copy.nvt"; do
		# shellcheck disable=SC2086 # words are wanted
		[[ "$(messages $args -i "$large")" =~ ^\^read:\ [0-9]+\ %\ of\ 20.0M\^\ +\^ ]]
		# shellcheck disable=SC2086 # words are wanted
		[[ "$(messages $args -i "$large" --quiet)" != *read:* ]]
		# shellcheck disable=SC2086 # words are wanted
		[[ "$(messages $args -i "$DATA/stream.nvt")" != *read:* ]]
	done
	run -0 --separate-stderr "$NVMETOOL" latency -i "$large"
	[[ $stderr != *read:* ]]
	messages latency -i "$large"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/data"
	# Where rows of events go to the terminal, nothing stands between them.
	[[ "$(python3 "$BATS_TEST_DIRNAME/lib/tty.py" 24 80 sh -c 'exec "$0" trace -i "$1" 2>&1' "$NVMETOOL" "$large")" != *read:* ]]
}

@test "a full disk ends every command with 1, and with how many events were written" {
	for args in trace "trace --csv" "trace --json" errors; do
		# shellcheck disable=SC2086 # words are wanted
		run -1 --separate-stderr bash -c '"$NVMETOOL" "$@" >/dev/full' - $args -i "$DATA/mixed.nvt"
		[[ $stderr == *"error: cannot write output ("*" events written): No space left on device; "* ]]
	done
	for args in latency "latency --json" pattern "pattern --json" "errors --json -s"; do
		# shellcheck disable=SC2086 # words are wanted
		run -1 --separate-stderr bash -c '"$NVMETOOL" "$@" >/dev/full' - $args -i "$DATA/mixed.nvt"
		[[ $stderr == *"error: cannot write output: No space left on device; "* ]]
	done
}

@test "what cannot begin leaves the file as it was, what begins replaces it" {
	kept=$BATS_TEST_TMPDIR/kept
	head -c 100000 /dev/zero >"$kept"
	cp "$kept" "$BATS_TEST_TMPDIR/before"
	for args in "trace -i /no/such" "trace -i $DATA/made.h" "latency -i $DATA/mixed.nvt --fail-if x" "record -i /no/such" \
		"trace -i $DATA/mixed.nvt --columns x" "trace --btf /no/such" "latency --btf /no/such" "record --btf /no/such" \
		"list --columns x" "list --sysfs /no/such" "doctor --columns x" "errors --decode x"; do
		# shellcheck disable=SC2086 # words are wanted
		run ! "$NVMETOOL" $args -w "$kept"
		cmp "$kept" "$BATS_TEST_TMPDIR/before"
	done
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/nvme"
	for args in "trace -i $DATA/mixed.nvt -p 1 --no-header" "record -i $DATA/mixed.nvt" "latency -i $DATA/mixed.nvt" \
		"list --sysfs $BATS_TEST_TMPDIR/sys" "doctor --functions vfs_read" "errors --decode 2/81"; do
		cp "$BATS_TEST_TMPDIR/before" "$kept"
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" $args -w "$kept"
		[ "$(stat -c %s "$kept")" -lt 10000 ]
		run ! grep -aqP '\x00{100}' "$kept"
	done
}

@test "the umask says who may read what is made to be shown; recordings and what is for tools only their owner" {
	local file=$BATS_TEST_TMPDIR/new

	# MODE under umask 022, 027 and 077, ARGS
	while read -r wide group own args; do
		for each in "022 $wide" "027 $group" "077 $own"; do
			rm -f "$file"
			# shellcheck disable=SC2086 # words are wanted
			(umask "${each% *}" && "$NVMETOOL" $args -w "$file" 2>"$out")
			[ "$(stat -c %a "$file")" = "${each#* }" ]
			said=0
			[ "$wide" = 644 ] || [ "${each% *}" = 077 ] || said=1
			[ "$(grep -c "only its owner may read '$file' (mode 0600)" "$out")" = $said ]
		done
	done <<-END
		644 640 600 trace -i $DATA/mixed.nvt
		644 640 600 trace --csv -i $DATA/mixed.nvt
		644 640 600 stacks --json -i $DATA/stacks.nvt
		644 640 600 stacks -f svg -i $DATA/stacks.nvt
		644 640 600 latency -f svg -i $DATA/mixed.nvt
		644 640 600 report -i $DATA/mixed.nvt
		644 640 600 errors --decode 2/81
		600 600 600 stacks -f folded -i $DATA/stacks.nvt
		600 600 600 record -i $DATA/mixed.nvt
		600 600 600 export -f fio -i $DATA/mixed.nvt
	END
	# What is replaced keeps its mode, but for what only its owner may read.
	echo >"$file"
	chmod 640 "$file"
	"$NVMETOOL" trace -i "$DATA/mixed.nvt" -w "$file"
	[ "$(stat -c %a "$file")" = 640 ]
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -w "$file"
	[ "$(stat -c %a "$file")" = 600 ]
	# A flight recorder says so of its first file.
	run -0 --separate-stderr "$NVMETOOL" record -i "$DATA/load.nvt" --ring 4m --trigger 'errors>0' --after 100ms \
		-w "$BATS_TEST_TMPDIR/r-%t.nvt"
	[ "$(grep -c "writing '.*/r-" <<<"$stderr")" -gt 1 ]
	[ "$(grep -c ', which only its owner may read (mode 0600)$' <<<"$stderr")" = 1 ]
}

@test "nothing is written to a block device" {
	# The number of none: what is opened all the same comes to no harm.
	mknod "$out" b 259 1048575 2>/dev/null || skip "devices cannot be made here"
	for args in trace "latency --json" record; do
		# shellcheck disable=SC2086 # words are wanted
		run -2 --separate-stderr "$NVMETOOL" $args -i "$DATA/mixed.nvt" -w "$out"
		[ "$stderr" = "error: $out: it is a block device, and nvmetool never writes to a drive; write to a file" ]
	done
	run -2 "$NVMETOOL" errors --decode 2/81 -w "$out"
	run -2 "$NVMETOOL" list -w "$out"
}

@test "a file that may not grow: what was written is whole lines but for the last" {
	run -1 --separate-stderr bash -c 'ulimit -f 16; "$NVMETOOL" trace -i "$1" --json -w "$2"' - "$DATA/stream.nvt" "$out"
	[[ $stderr == *"error: cannot write output ("*" events written): File too large; "* ]]
	written=$(sed 's/.*(\([0-9]*\) events written.*/\1/' <<<"${stderr##*$'\n'}")
	[ "$(stat -c %s "$out")" -le 16384 ]
	[ "$(grep '}$' "$out" | jq -c 'select(.type == "io")' | wc -l)" = "$written" ]
	[ "$written" -gt 5 ]
}

@test "a reader that stops is left at SIGTERM, and what it did not get is counted" {
	"$NVMETOOL" record -i "$DATA/stream.nvt" --max-events 200 -w "$out.few" # are read at once
	start trace -i "$out.few" --json --strict
	until_full "$fifo"
	kill -TERM "$pid"
	ended # while nobody reads: a run that waited for the reader would not end
	taken
	[ "$status" = 7 ]
	# The last line that the pipe took is cut and counts as lost.
	lost=$(sed -n 's/.*lost: \([0-9]*\) lines\?, because the reader.*/\1/p' "$BATS_TEST_TMPDIR/err")
	got=$(grep -c '"type":"io".*}$' "$out")
	[ "$got" -gt 50 ]
	[ "$((got + lost))" = 200 ]
}

@test "rows of aggregates that nobody took are lost too" {
	for args in "latency --json -b ctrl,opcode,comm" "latency --csv -b ctrl,opcode,comm" "pattern --json -a"; do
		# shellcheck disable=SC2086 # words are wanted
		start $args -i "$DATA/stream.nvt" --strict 1ms
		until_full "$fifo"
		kill -INT "$pid"
		ended
		[ "$status" = 7 ]
		grep -q 'lost: [0-9]* lines\?, because the reader' "$BATS_TEST_TMPDIR/err"
		run ! grep 'add up' "$BATS_TEST_TMPDIR/err"
		exec {both}>&-
	done
}

@test "a slow reader of a replay gets everything" {
	"$NVMETOOL" trace -i "$DATA/stream.nvt" --json --no-meta >"$out"
	"$NVMETOOL" trace -i "$DATA/stream.nvt" --json --no-meta |
		python3 -c 'import os, time
while data := os.read(0, 65536):
    os.write(1, data)
    time.sleep(0.005)' | cmp - "$out"
}

@test "a pipe that does not block is waited for, without spinning" {
	"$NVMETOOL" trace -i "$DATA/stream.nvt" --json --no-meta >"$out"
	python3 - "$NVMETOOL" "$DATA/stream.nvt" >"$out.2" <<-'END'
		import os, subprocess, sys, time
		r, w = os.pipe()
		os.set_blocking(w, False)
		p = subprocess.Popen([sys.argv[1], 'trace', '--json', '--no-meta', '-i', sys.argv[2]], stdout=w)
		os.close(w)
		time.sleep(1)
		while data := os.read(r, 65536):
		    os.write(1, data)
		_, status, usage = os.wait4(p.pid, 0)
		assert status == 0 and usage.ru_utime + usage.ru_stime < 0.25, usage
	END
	cmp "$out" "$out.2"
}

@test "signals while standard input has nothing: a report, then the end of the account" {
	exec {both}<>"$fifo"
	exec {input}>"$fifo"
	"$NVMETOOL" latency --json -i - <"$fifo" >"$out" 3>&- {both}>&- {input}>&- &
	pid=$!
	head -c 20000 "$DATA/stream.nvt" >&"$input"
	exec {both}>&-
	until_has '"type":"meta"' "$out"
	# The report may be asked for before the first block is read: then it is empty.
	for _ in $(seq 50); do
		kill -USR2 "$pid"
		until_has '"type":"latency"' "$out" 5 && break
	done
	kill -TERM "$pid"
	ended
	exec {input}>&-
	[ "$status" = 0 ]
	[ "$(jq -r .type "$out" | uniq | xargs)" = "meta latency summary" ]
	# The end of the recording says what it lost, and what was in flight.
	jq -se 'last | .complete == false and .inflight_at_exit == null and .emitted > 0 and .emitted == .paired - .filtered' "$out"
	# The time of a report is that of the recording.
	jq -se 'last.duration_ns as $all | map(select(.type == "latency").interval_ns) | length > 0 and all(. <= $all)' "$out"
}

@test "a signal that is ignored at the start stays ignored, as with nohup" {
	for name in HUP TERM; do
		rm -f "$out" # of the one before
		exec {both}<>"$fifo"
		(trap '' $name && exec "$NVMETOOL" latency --json -i - <"$fifo" >"$out" 3>&- {both}>&-) &
		pid=$!
		head -c 20000 "$DATA/stream.nvt" >&"$both"
		until_has '"type":"meta"' "$out"
		kill -$name "$pid"
		for _ in $(seq 50); do
			kill -USR2 "$pid"
			until_has '"type":"latency"' "$out" 5 && break
		done
		[ "$(jq -r .type "$out" | uniq | xargs)" = "meta latency" ]
		kill -INT "$pid"
		ended
		exec {both}>&-
		[ "$status" = 0 ]
		jq -se 'last.type == "summary"' "$out"
	done
}

@test "killed: every line but the last is whole, and the summary that lacks says so" {
	start trace -i "$DATA/stream.nvt" --json
	until_full "$fifo"
	kill -KILL "$pid"
	ended
	[ "$status" = 137 ]
	taken
	sed '$d' "$out" | jq -se 'all(.type | IN("meta", "io")) and length > 50'
}

@test "no byte of a name reaches a terminal raw, in any format, and each stays on its line" {
	while read -r command file formats options; do
		for format in ${formats//,/ }; do
			# shellcheck disable=SC2086 # words are wanted
			"$NVMETOOL" $command -i "$DATA/$file.nvt" -f "$format" $options >"$out"
			[ "$(LC_ALL=C tr -d '\n\r -\176\200-\377' <"$out" | wc -c)" = 0 ]
			iconv -f UTF-8 -t UTF-8 "$out" >/dev/null
		done
	done <<-'END'
		trace mixed text,csv,json,kernel,perf -E -k -u --aer
		errors mixed text,csv,json -k
		latency latency text,csv,json --by comm,cgroup
		pattern latency text,csv,json --by comm
		top latency text,csv,json --by comm
		stacks stacks text,csv,json,folded,svg -u -b comm,cgroup
	END
	[ "$("$NVMETOOL" trace --json -i "$DATA/latency.nvt" | jq -r 'select(.type == "io").comm' | sort -u | xargs -d '\n')" = \
		'\x1b[2Jx\x0a \xff\xc3(\\ a,"b" fio' ]
	# shellcheck disable=SC1003 # the backslash is doubled by the escape
	[ "$("$NVMETOOL" trace --json -i "$DATA/mixed.nvt" | jq -r 'select(.opcode | IN(5, 125, 197)).comm' | xargs -d '\n')" = \
		'cmp\x1b[31m"q",\x0a café \xff\xfe\x80zoned\\' ]
	[ "$("$NVMETOOL" latency --json -i "$DATA/latency.nvt" --by comm | jq -r 'select(.type == "latency").comm' | wc -l)" = 4 ]
}

@test "intervals are numbered, and add up to the whole" {
	for args in "latency latency" "pattern latency" "errors mixed -s" "stacks stacks" "top latency"; do
		read -r command file options <<<"$args"
		# shellcheck disable=SC2086 # words are wanted
		whole() { "$NVMETOOL" $command -i "$DATA/$file.nvt" --json --no-meta $options "$@" | jq -c 'select(.count)'; }
		whole 5ms >"$out"
		jq -es '(map(.seq) | unique | length) > 1 and (map(.seq) | . == sort)' "$out"
		[ "$(jq -s 'map(.count) | add' "$out")" = "$(whole 24h | jq -s 'map(.count) | add')" ]
	done
}

@test "an interval of a replay ends when it ends, though the next event comes after --duration" {
	# In mixed.nvt nothing completes between 1.1 and 8.7 ms.
	for args in latency stacks pattern "errors -s"; do
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" $args -i "$DATA/mixed.nvt" --json --no-meta 3ms --duration 8ms >"$out"
		jq -es 'map(select(.interval_ns)) | length > 0 and all(.seq == 0 and .interval_ns == 3000000)' "$out"
		jq -es '.[-1].duration_ns == 8000000' "$out"
		# The last one ends with the run, not before it.
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" $args -i "$DATA/mixed.nvt" --json --no-meta 4ms --duration 4ms >"$out"
		jq -es 'map(select(.interval_ns)) | length > 0 and all(.seq == 0 and .interval_ns == 4000000)' "$out"
	done
}

# aligned ARG...: the table that it prints has each value below its heading.
aligned()
{
	"$NVMETOOL" "$@" --quiet | python3 "$BATS_TEST_DIRNAME/lib/aligned.py"
}

@test "values stand below their heading, however wide they are" {
	aligned trace -i "$DATA/stream.nvt"
	aligned trace -i "$DATA/mixed.nvt" -E --aer --sq
	aligned errors -i "$DATA/mixed.nvt"
	aligned errors -i "$DATA/mixed.nvt" -s -a
	aligned errors --decode 0x4281 2/81 1/80 7/12
	aligned latency -i "$DATA/mixed.nvt" --by comm,opcode --table
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/nvme/nvme10"
	for pair in "transport loop" "state connecting" "serial 12345678901234567890" "firmware_rev 12345678" "model A B"; do
		echo "${pair#* }" >"$BATS_TEST_TMPDIR/sys/class/nvme/nvme10/${pair%% *}"
	done
	aligned list --sysfs "$BATS_TEST_TMPDIR/sys"
}

# on_tty LINES COLUMNS ARG...: what a terminal of that size gets to see.
on_tty()
{
	TERM=xterm python3 "$BATS_TEST_DIRNAME/lib/tty.py" "$1" "$2" "$NVMETOOL" "${@:3}" --quiet
}

# plain: drops the escape sequences of colour.
plain()
{
	sed 's/\x1b\[[0-9;]*m//g'
}

@test "colour is for terminals and for who asks for it, and changes nothing else" {
	unset NO_COLOR
	for args in "trace -i $DATA/mixed.nvt" "errors -i $DATA/mixed.nvt" "latency -i $DATA/stream.nvt" \
		"latency -i $DATA/stream.nvt --table"; do
		# shellcheck disable=SC2086 # words are wanted
		"$NVMETOOL" $args --quiet >"$out"
		# shellcheck disable=SC2086 # as above
		"$NVMETOOL" $args --quiet --color always >"$out.color"
		run ! grep -q $'\x1b' "$out"
		grep -q $'\x1b\[1;31m' "$out.color"
		cmp "$out" <(plain <"$out.color")
	done
	latency=(latency -i "$DATA/stream.nvt" --table)
	on_tty 100 80 "${latency[@]}" >"$out"
	cmp "$out" <("$NVMETOOL" "${latency[@]}" --quiet --color always)
	cmp <(NO_COLOR=1 on_tty 100 80 "${latency[@]}") <(plain <"$out")
	cmp <(on_tty 100 80 "${latency[@]}" --color never) <(plain <"$out")
	run -2 "$NVMETOOL" "${latency[@]}" --color red
	for format in json csv; do
		run ! grep -q $'\x1b' <("$NVMETOOL" "${latency[@]}" -f "$format" --quiet --color always)
	done
}

@test "on a terminal the width is used, and the heading stays in sight" {
	on_tty 24 80 latency -i "$DATA/stream.nvt" --color never >"$out"
	[ "$(awk 'length($0) > 80' "$out")" = "" ]
	on_tty 24 200 latency -i "$DATA/stream.nvt" --color never >"$out"
	[ "$(awk 'length($0) > 190' "$out" | wc -l)" -gt 10 ]
	[ "$(grep -c '^count.* max ' "$out")" = 4 ]
	[[ $(on_tty 24 200 latency -i "$DATA/stream.nvt" --table | head -n 1) == *" P90(us) P95(us) P99(us) P99.9(us) P99.99(us) MAX(us) ERR" ]]
	on_tty 24 80 trace -i "$DATA/stream.nvt" --color never >"$out"
	[ "$(grep -c '^TIME' "$out")" -ge $((3000 / 24)) ]
	[ "$(awk '/^TIME/ { since = NR } NR - since >= 24 { print NR }' "$out")" = "" ]
	diff <(grep -v '^TIME' "$out") <("$NVMETOOL" trace -i "$DATA/stream.nvt" --no-header --quiet)
}

# names COMMAND TYPE OPTION...: each name of a record of that type is a column in text, CSV and JSON, or JSON alone has it.
names()
{
	local names columns format only

	names=$("$NVMETOOL" "$1" "${@:3}" --json 2>/dev/null |
		jq -r --arg type "$2" 'select(.type == $type) | keys[] | select(. != "type")' | sort -u)
	[ -n "$names" ]
	for format in json text csv; do
		columns=$names
		until "$NVMETOOL" "$1" "${@:3}" -f "$format" --columns "$(paste -sd , <<<"$columns")" >/dev/null 2>"$out"; do
			[ "$format" != json ]
			only=$(sed -n "s/^error: --columns '\(.*\)': only JSON has it; add --json$/\1/p" "$out")
			[ -n "$only" ]
			columns=$(grep -vxF "$only" <<<"$columns")
		done
		[ -n "$columns" ]
	done
}

@test "names of JSON are columns in each format; what only JSON has is said to be there" {
	names trace io -i "$DATA/mixed.nvt"
	names latency latency --table -i "$DATA/load.nvt"
	names errors error -i "$DATA/mixed.nvt"
	names pattern pattern -i "$DATA/load.nvt"
	names top top -b -i "$DATA/load.nvt"
	names inflight inflight --at 0.0005 -i "$DATA/mixed.nvt"
	names diff diff "$DATA/before.nvt" "$DATA/after.nvt"
	for format in "text --table" csv; do
		# shellcheck disable=SC2086 # two words
		run -0 "$NVMETOOL" latency -i "$DATA/load.nvt" -f $format --columns p99_ns,P50
	done
	# JSON has it in pct_ns, and under its own name where it is asked for.
	"$NVMETOOL" latency -i "$DATA/load.nvt" --json >"$out"
	jq -c 'select(.type == "latency").pct_ns.p99' "$out" >"$out.want"
	"$NVMETOOL" latency -i "$DATA/load.nvt" --json --columns p99_ns | jq -c 'select(.type == "latency").p99_ns' | diff "$out.want" -
	[ "$(grep -c p99_ns "$out")" = 0 ]
}
