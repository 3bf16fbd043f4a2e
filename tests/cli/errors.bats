#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# errors on a recording (tests/unit/record/test_data.c) and without one: rows (expected.bats has them whole), counts, --decode, contradictions.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

errors()
{
	"$NVMETOOL" errors -i "$DATA/mixed.nvt" "$@"
}

# traced FILE: the completions that trace prints, in $out.traced; sums compares with them.
traced()
{
	"$NVMETOOL" trace --json --no-meta --quiet -i "$1" --show complete |
		jq -c 'select(.type == "complete" and .status != null and (.status != 0 or .cid != null))' >"$out.traced"
}

# sums KEY JQ FILE: what errors counts by KEY, and what trace prints; JQ is the key of a record of either.
sums()
{
	"$NVMETOOL" errors --json --no-meta --quiet -i "$3" -s -a --by "$1" |
		jq -c "select(.type == \"errors\" and (.event | IN(\"error\", \"success\"))) | [.event, ($2), .count]" | sort >"$out"
	jq -sc "map([if .status == 0 then \"success\" else \"error\" end] + (.status %= 2048 | .cpu = .submit_cpu | [$2])) |
		group_by(.)[] | .[0] + [length]" "$out.traced" | sort | diff "$out" -
}

@test "counts by each key are what trace prints" {
	local size='.size // (if .bytes == null then null elif .bytes <= 16384 then "<=16k" elif .bytes <= 65536 then "<=64k" else ">64k" end)'
	for name in mixed corners bits report; do
		traced "$DATA/$name.nvt"
		for key in ctrl dev qid cpu pid comm; do
			sums "$key" ".$key" "$DATA/$name.nvt"
		done
		sums none 0 "$DATA/$name.nvt"
		sums status '[.status, .status_name]' "$DATA/$name.nvt"
		sums ns .nsid "$DATA/$name.nvt"
		sums opcode '[.op, .opcode, .admin and .op != null, .fctype]' "$DATA/$name.nvt"
		sums cgroup '[.cgroup_id, .cgroup]' "$DATA/$name.nvt"
		sums size "$size" "$DATA/$name.nvt"
		sums comm,dev,status '[.comm, .dev, .sct_sc, .sct, .sc, .status_name]' "$DATA/$name.nvt"
	done
	traced "$DATA/mixed.nvt"
	sums flags .flags "$DATA/mixed.nvt" # a recording that tells them
	# An asynchronous event is of a controller and no more.
	[ "$(errors --json --quiet --no-meta -s --by ctrl,dev,qid,comm,size,status -c 0 -q 0 | jq -c 'select(.event == "aer") |
		[.ctrl, .dev, .qid, .comm, .size, .status, .status_name]')" = '["nvme0",null,null,null,null,null,"Temperature Threshold"]' ]
}

@test "counts by what trace does not print are those of latency" {
	for key in owner sched during owner,opcode,sched; do
		figures='[.owner_id, .owner, .sched, .during, .op, .count]'
		"$NVMETOOL" latency -A -i "$DATA/keys.nvt" --json --by "$key" | jq -c "select(.type == \"latency\") | $figures" | sort >"$out"
		"$NVMETOOL" errors -s -a -i "$DATA/keys.nvt" --json --by "$key" | jq -c "select(.type == \"errors\") | $figures" | sort |
			diff "$out" -
		[ -s "$out" ]
	done
}

@test "keys that were not asked for are absent, in three formats" {
	[ "$(errors --json --quiet -s --by comm | jq -r 'select(.type == "errors") | keys[]' | sort -u | xargs)" = \
		"comm count event interval_ns seq time_ns ts type" ]
	[ "$(errors --csv --quiet -s --by comm | head -1 | tr -d '\r')" = type,ts,time_ns,interval_ns,seq,event,comm,count ]
	[ "$(errors --quiet -s --by comm | head -1 | xargs)" = "EVENT COMM COUNT" ]
	diff <(errors --json --quiet --no-meta -s -a) <(errors --json --quiet --no-meta -s -a -b ctrl,opcode,status)
}

@test "errors beyond the table are one row that says nothing of whose they are" {
	"$NVMETOOL" errors -i "$DATA/distinct.nvt" -s --by pid,dev --json --quiet >"$out"
	check_json errors "$out"
	jq -es 'map(select(.type == "errors")) as $rows | ($rows | length == 4096) and
		($rows[-1] | .count == 5 and .dev == "(other)" and .pid == null and .event == null) and
		(.[-1] | .lost.keys_full == 5 and .complete == false)' "$out"
	[ "$("$NVMETOOL" errors -i "$DATA/distinct.nvt" -s --by dev,status,pid --quiet | tail -1 | xargs)" = "(other) - - (other) 5 (other)" ]
}

@test "CSV is sound" {
	for options in "" "--block" "-s" "-s -a --block --by host,opcode,flags"; do
		# shellcheck disable=SC2086 # several options
		errors --csv $options >"$out"
		check_csv "$out"
	done
}

@test "each failed command of the recording once, all others filtered" {
	errors --json >"$out"
	"$NVMETOOL" trace -i "$DATA/mixed.nvt" --json --show complete >"$out.trace"
	diff <(jq -c 'select(.type == "error") | [.mono_ns, .dev, .cid, .status]' "$out") \
		<(jq -c 'select(.type == "complete" and .status != 0 and .status != null) | [.mono_ns, .dev, .cid, .status]' "$out.trace")
	# The status of one command on queue 4 is not known, nor then how many failed.
	[ "$(jq -c 'select(.type == "summary") | [.emitted, .errors]' "$out")" = '[5,null]' ]
	errors --json -q 0-3 >"$out"
	# The submission of one was not seen: it is in no pair, but it failed.
	jq -es '(map(select(.type == "error")) | length) as $all |
		(map(select(.type == "error" and .cid != null)) | length) as $n | .[-1] | $all == $n + 1 and
		.emitted == $n and .errors == $all and .paired == .emitted + .filtered and .complete' "$out"
}

# asked OPTION...: does a run with the options ask for the block layer's status? The recording lacks it.
asked()
{
	errors "$@" 2>&1 >/dev/null | grep -q 'not in the recording:.*, block layer status'
}

@test "what a column that shows needs is asked for, of counts, too" {
	asked --block
	asked -s --block
	asked -s --block --columns errno,count
	run ! asked -s
	run ! asked -s --block --columns event,count
	"$NVMETOOL" errors -i "$DATA/latency.nvt" --json --columns mono_ns,queue_ns >"$out"
	jq -es 'map(select(.type == "error").queue_ns > 0) | length == 7 and all' "$out"
	"$NVMETOOL" trace -i "$DATA/latency.nvt" --status error --json --columns mono_ns,queue_ns |
		diff <(jq -c 'select(.type == "error") | [.mono_ns, .queue_ns]' "$out") \
			<(jq -c 'select(.type == "io") | [.mono_ns, .queue_ns]')
}

@test "-a counts what trace prints" {
	errors --json -s -a >"$out"
	[ "$(jq -s 'map(select(.type == "errors" and (.event | IN("error", "success"))).count) | add' "$out")" = \
		"$("$NVMETOOL" trace -i "$DATA/mixed.nvt" --json --show complete |
			jq -s 'map(select(.type == "complete" and .status != null and (.status != 0 or .cid != null))) | length')" ]
	jq -es '.[-1] | .paired - .emitted == .filtered and .filtered == 1' "$out" # one has no status
}

# rare OPTION...: of the recording of what is rare (tests/data/corners.c).
rare()
{
	"$NVMETOOL" errors --quiet -i "$DATA/corners.nvt" "$@"
}

@test "rows of -s say whose they are: admin, retried, or not known which" {
	summary() { errors --quiet --json --no-meta -s -a | jq -c "select(.type == \"errors\") | $1"; }
	[ "$(summary 'select(.op == "identify" or .op == "get-log") | .admin' | xargs)" = 'true true' ]
	[ "$(summary 'select(.op == "read" or .op == "write") | .admin' | sort -u)" = false ]
	[ "$(summary 'select(.op == null) | [.status, .admin]')" = '[881,null]' ]
	[ "$(rare -s -a -R --json -O write | jq -c 'select(.type == "errors" and .status == 0) | [.ctrl, .event, .count]' |
		grep '"nvme64"\|retry')" = '["nvme64","retry",1]' ]
}

@test "a status without a name has none in JSON, whatever sums it up" {
	for option in '' -s; do
		# shellcheck disable=SC2086 # nothing, or an option
		[ "$(rare --json $option --status 4/01 | jq -c 'select(.status == 1025) | .status_name')" = null ]
	done
	rare -s | grep -q ' 4/01 .* Unknown Status$'
}

@test "a recording does not tell how often its host tries" {
	[ "$(rare -R --json -O write | jq -c 'select(.attempt > 1) | [.type, .attempt, .final]' | xargs)" = \
		'[error,6,null] [retry,7,true]' ]
}

@test "filters" {
	[ "$(errors --quiet --json -O read | jq -s 'map(select(.type == "error")) | [length, all(.[]; .op == "read")]' -c)" = \
		'[2,true]' ]
	[ "$(errors --quiet --json --status 2/85 | jq -r 'select(.type == "error").status_name')" = "Compare Failure" ]
	[ "$(errors --quiet --json -q admin | jq -r 'select(.type == "error").status_name')" = "Invalid Field in Command" ]
	[ -z "$(errors --quiet --no-header --status ok -q io -c 1)" ]
}

@test "where a command ran is known though its submission was not seen" {
	found() { errors --quiet --json "$@" | jq -s 'map(select(.type == "error" and .status == 881)) | length'; }
	for options in "" "-c 0" "-d nvme0" "-d nvme0n1" "-d nvme0n1 -q 2" "-q io" "--status path"; do
		# shellcheck disable=SC2086 # several options
		[ "$(found $options)" = 1 ]
	done
	for options in "-c 1" "-d nvme1n1" "-q 3" "-q admin" "-n 1" "-O read" "-p 0" "--comm *" "--size 0-" "--lba 0-" "-L 1ns"; do
		# shellcheck disable=SC2086 # several options
		[ "$(set -f; found $options)" = 0 ]
	done
}

@test "what a recording lacks is named once, on stderr and in meta" {
	run --separate-stderr errors --json
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"not in the recording: timeouts, controller resets"* ]]
	[ "$(jq -c 'select(.type == "meta").attach.missing' <<<"$output")" = '["timeouts","controller resets"]' ]
}

@test "--decode needs neither kernel nor root" {
	run "$NVMETOOL" errors --decode 0x4281 2/81 --no-header
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == "0x4281 2/81     y "*"Unrecovered Read Error"* ]]
	[ "$("$NVMETOOL" errors --json --decode 0x7a80 | jq -c '[.sct,.sc,.crd,.more,.dnr,.sct_name]')" = \
		'[2,128,3,true,true,"Media and Data Integrity Errors"]' ]
	[ "$("$NVMETOOL" errors --csv --decode 1/80 --no-header | tr -d "\r" | cut -d, -f7-9 | xargs)" = \
		"io,Command Specific Status,Conflicting Attributes fabrics,Command Specific Status,Incompatible Format" ]
	[ "$("$NVMETOOL" errors --json --decode 1/80 7/ff 5/01 | jq -c '[.set,.status_name]' | xargs)" = \
		'[io,Conflicting Attributes] [fabrics,Incompatible Format] [null,Vendor Specific] [null,null]' ]
}

@test "--decode takes what people have: a line of dmesg, a part of it, a name" {
	decoded() { "$NVMETOOL" errors --json --decode "$@" | jq -c '[.status, .set, .status_name]'; }
	line='[ 12.5] nvme0n1: Read(0x2) @ LBA 423660112, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) '
	for text in '(sct 0x2 / sc 0x81)' 'sct 0x2 / sc 0x81' "$line" 'unrecovered READ error' unrecovered-read-error; do
		[ "$(decoded "$text")" = '[641,null,"Unrecovered Read Error"]' ]
	done
	[ "$(decoded "${line}MORE DNR " | jq .[0])" = $((0x6281)) ]
	[ "$(decoded "${line}DNR cdw10=0x1" | jq .[0])" = $((0x4281)) ]
	# A name has one of its two meanings; the kernel's own names count.
	[ "$(decoded 'Incompatible Format')" = '[384,"fabrics","Incompatible Format"]' ]
	[ "$(decoded 'Keep Alive Timeout Expired')" = '[25,null,"Keep Alive Timer Expired"]' ]
}

@test "--decode - counts what the lines of dmesg say" {
	{
		echo 'nvme nvme0: 8/0/0 default/read/poll queues'
		"$NVMETOOL" errors --quiet -f kernel -i "$DATA/mixed.nvt"
		"$NVMETOOL" errors --quiet -f kernel -i "$DATA/mixed.nvt"
	} >"$out"
	[ "$(grep -c 'sct 0x' "$out")" -gt 4 ]
	"$NVMETOOL" errors --json --decode - <"$out" >"$out.rows"
	[ "$(jq -s 'map(.count) | add' "$out.rows")" = "$(grep -c 'sct 0x' "$out")" ]
	[ "$(wc -l <"$out.rows")" = "$(grep -o '(sct.*' "$out" | sort -u | wc -l)" ]
	run -5 --separate-stderr "$NVMETOOL" errors --decode - <<<'nothing of the kind'
	[[ $stderr == "error: standard input: none of 1 line is known;"* ]]
	run -5 --separate-stderr "$NVMETOOL" errors --decode - <<<$'nothing\n\nof the kind'
	[[ $stderr == "error: standard input: none of 2 lines is known;"* ]]
	run -5 --separate-stderr "$NVMETOOL" errors --decode - </dev/null
	[[ $stderr == "error: standard input: no line has a status;"* ]]
}

@test "--decode - tells each kind of line that people have, and counts the others" {
	"$NVMETOOL" errors --json --decode - >"$out" 2>"$out.err" <<'EOF'
nvme nvme0: 8/0/0 default/read/poll queues

nvme nvme0: Abort status: 0x371
nvme nvme0: Connect command failed, error wo/DNR bit: 880
nvme nvme0: failed to set APST feature (16386)
nvme nvme0: I/O 12 (Read) QID 3 timeout, aborting
nvme nvme0: I/O tag 13 (300d) opcode 0x2 (Read) QID 3 timeout, aborting req_op:READ(0) size:4096
nvme nvme0: I/O 12 QID 3 timeout, completion polled
nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10
nvme nvme0: Device not ready; aborting reset, CSTS=0x1
blk_update_request: critical medium error, dev nvme0n1, sector 423660112 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0
status_field	: 0x2002(Invalid Field in Command: A reserved coded value or an unsupported value in a defined field)
phase_tag	: 0
NVMe status: Invalid Field in Command: A reserved coded value or an unsupported value in a defined field(0x2002)
Read Self-test Log failed: NVMe Status 0x2002
  0          5     0  0x0018  0x4004      -            0     0     -  Invalid Field in Command
nvme_qpair.c: 474:spdk_nvme_print_completion: *NOTICE*: ABORTED - SQ DELETION (00/08) qid:1 cid:47 cdw0:0 sqhd:0000 p:0 m:0 dnr:0
EOF
	cat >"$out.want" <<'EOF'
["kernel",1,881,"Command Aborted By Host"]
["kernel",1,880,"Host Pathing Error"]
["kernel",1,16386,"Invalid Field in Command"]
["kernel",2,null,"Timeout, Abort Sent"]
["kernel",1,null,"Interrupt Missed"]
["kernel",1,null,"Controller Gone"]
["kernel",1,null,"Device Not Ready"]
["kernel",1,null,"BLK_STS_MEDIUM, ENODATA"]
["nvme-cli",1,8194,"Invalid Field in Command"]
["nvme-cli",1,8194,"Invalid Field in Command"]
["smartctl",1,8194,"Invalid Field in Command"]
["smartctl",1,8194,"Invalid Field in Command"]
["spdk",1,8,"Command Aborted due to SQ Deletion"]
EOF
	diff "$out.want" <(jq -c '[.source, .count, .status, .status_name]' "$out")
	jq -es 'all(.[]; .meaning != null and .reading == null) and
		(map(select(.status == null)) | length > 0 and all(.remedy != null and .dnr == null))' "$out"
	[ "$(cat "$out.err")" = "nvmetool: not understood: 1 of 16 lines" ]
}

# decoded_lines: sources, counts, statuses and names of the lines of stdin
decoded_lines()
{
	"$NVMETOOL" errors --json --quiet --decode - | jq -c '[.source, .count, .status, .status_name]'
}

@test "--decode - tells what drivers of fabrics say, of statuses, errnos and events" {
	cat >"$out.want" <<'EOF'
["kernel",3,null,"Timeout"]
["kernel",1,null,"Error Recovery"]
["kernel",1,null,"Keep Alive Failed"]
["kernel",2,null,"Reconnecting"]
["kernel",1,null,"errno 111, Connection refused"]
["kernel",1,null,"errno 104, Connection reset by peer"]
["kernel",2,null,"Reconnect Failed"]
["kernel",2,880,"Host Pathing Error"]
["kernel",1,385,"Controller Busy"]
["kernel",1,null,"No Usable Path"]
["kernel",1,null,"Connection Given Up"]
EOF
	decoded_lines >"$out" <<'EOF'
nvme nvme0: queue 0: timeout request 0x1 type 4
nvme nvme0: queue 0: timeout cid 0xb001 type 4 opcode 0x18 (Admin Cmd)
nvme nvme1: NVME-FC{0.1}: io timeout: opcode 2 fctype 0 (Read) w10/11: x00000008/x00000000
nvme nvme0: starting error recovery
nvme nvme0: keep-alive failed: -11
nvme nvme0: Reconnecting in 10 seconds...
nvme nvme1: NVME-FC{0}: Reconnect attempt in 2 seconds
nvme nvme0: failed to connect socket: -111
nvme nvme0: failed to connect socket: -104
nvme nvme0: Failed reconnect attempt 1
nvme nvme0: Failed reconnect attempt 2/60
nvme nvme0: Property Set error: 880, offset 0x14
nvme nvme0: Property Get error: 880, offset 0x0
nvme nvme0: Connect command failed: controller is busy or not available
block nvme0n1: no usable path - requeuing I/O
nvme nvme0: Removing controller...
EOF
	diff "$out.want" "$out"
}

@test "--decode - tells resets and drives that are gone from each other" {
	cat >"$out.want" <<'EOF'
["kernel",1,null,"Controller Fatal Status"]
["kernel",1,null,"NVM Subsystem Reset"]
["kernel",1,null,"Drive Did Not Wake Up"]
["kernel",1,null,"PCIe Error, Reset"]
["kernel",1,null,"Reset Asked For"]
["kernel",2,null,"Completion Of No Command"]
["kernel",1,null,"Timeout, Controller Reset"]
EOF
	decoded_lines >"$out" <<'EOF'
nvme nvme0: controller is down; will reset: CSTS=0x13, PCI_STATUS=0x10
nvme nvme0: controller is down; will reset: CSTS=0x11, PCI_STATUS=0x10
nvme 0000:01:00.0: Unable to change power state from D3cold to D0, device inaccessible
nvme nvme0: frozen state error detected, reset controller
nvme nvme0: resetting controller
nvme nvme0: invalid id 4103 completed on queue 3
nvme nvme0: request 0x7 genctr mismatch (got 0x1 expected 0x2)
nvme-apple 393cc0000.nvme: I/O 5(aq:0) timeout: resetting controller
EOF
	diff "$out.want" "$out"
}

@test "--decode - reads error logs as JSON, indented or not, and leaves out entries that are not in use" {
	cat >"$out.cli" <<'EOF'
{"errors":[{"error_count":5,"sqid":0,"status_field":8194,"phase_tag":0,"lba":0},
{"error_count":4,"sqid":0,"status_field":16388,"phase_tag":1,"lba":0},{"error_count":0,"sqid":0,"status_field":0,"phase_tag":0}]}
EOF
	cat >"$out.smart" <<'EOF'
{"table":[{"error_count":5,"status_field":{"value":24578,"do_not_retry":true,"string":"Invalid Field in Command"},"phase_tag":false},
{"error_count":4,"status_field":{"value":641,"do_not_retry":false},"phase_tag":true}],"other":{"value":3}}
EOF
	printf '%s\n' '["nvme-cli",1,8194,"Invalid Field in Command"]' '["nvme-cli",1,16388,"Data Transfer Error"]' \
		'["smartctl",1,24578,"Invalid Field in Command"]' '["smartctl",1,641,"Unrecovered Read Error"]' >"$out.want"
	for form in --indent\ 2 -c; do
		# shellcheck disable=SC2086 # an option and its argument
		jq $form . "$out.cli" "$out.smart" | decoded_lines >"$out"
		diff "$out.want" "$out"
	done
	# What old nvme-cli prints has the phase bit, and no phase_tag behind it.
	printf '%s\n' '["nvme-cli",1,8194,"Invalid Field in Command"]' '["nvme-cli",1,16388,"Data Transfer Error"]' >"$out.want"
	decoded_lines <<<'  "status_field" : 16388,' >"$out"
	diff "$out.want" "$out"

	printf 'status_field\t: 0(Successful Completion: The command completed without error)\nphase_tag\t: 0\n%.0s' 1 2 >"$out.empty"
	run -5 --separate-stderr "$NVMETOOL" errors --decode - <"$out.empty"
	[ "$stderr" = "error: standard input: entries of an error log, all empty: 2; the drive has logged no error" ]
	[ "$({ cat "$out.empty" && echo 2/81; } | decoded_lines)" = '[null,1,641,"Unrecovered Read Error"]' ]
}

@test "--decode - reads FreeBSD's lines with their flags, ftrace's, and what was copied from web pages" {
	[ "$(decoded_lines <<<'nvme0: INVALID FIELD (00/02) crd:0 m:1 dnr:1 sqid:4 cid:111 cdw0:0')" = '["freebsd",1,24578,"Invalid Field in Command"]' ]
	[ "$(decoded_lines <<<$'nvme\u00a0nvme0:\u00a0Abort\u00a0status:\u00a00x371')" = '["kernel",1,881,"Command Aborted By Host"]' ]
	line='fio-1 [001] d.h1. 1.5: nvme_complete_rq: nvme0: disk=nvme0n1, qid=1, cmdid=28, res=0x0, retries=0, flags=0x0, status=0x2002'
	[ "$(decoded_lines <<<"$line")" = '["kernel",1,8194,"Invalid Field in Command"]' ]
}

@test "--decode shows both readings of a value that has two, the likelier first, and why" {
	readings() { "$NVMETOOL" errors --json --decode "$@" | jq -c '[.status, .sct, .sc, .reading != null]' | xargs; }
	[ "$(readings 0x4004)" = '[16388,0,4,true] [8194,0,2,true]' ]
	[ "$(readings 'status_field : 0x4004(INVALID_FIELD: A reserved coded value)')" = '[8194,0,2,true] [16388,0,4,true]' ]
	[ "$(readings 0xc502)" = '[25217,2,129,false]' ] # 16 bits: one is the phase bit
	[ "$(printf 'status_field : 0x4004\nphase_tag : 0\n' | readings -)" = '[16388,0,4,false]' ]
	[ "$(printf 'status_field : 0x4004\nlba : 0\n' | readings - 2>/dev/null)" = '[8194,0,2,true] [16388,0,4,true]' ]
}

@test "--decode - reads what errors and trace print" {
	# statuses WAY: those that are errors, as --decode reads them in what this prints
	statuses()
	{
		# shellcheck disable=SC2086 # words of a command
		"$NVMETOOL" $1 -i "$DATA/mixed.nvt" --quiet | "$NVMETOOL" errors --json --quiet --decode - |
			jq -c 'select(.status > 0) | range(.count) as $i | .status' | sort -n
	}
	"$NVMETOOL" errors -i "$DATA/mixed.nvt" --json --quiet | jq -c 'select(.type == "error").status' | sort -n >"$out"
	for way in "errors" "errors --csv" "errors --json"; do
		diff "$out" <(statuses "$way")
	done
	# trace has no line for a completion without its submission, and no DNR in text.
	grep -vx 881 "$out" >"$out.whole"
	for way in "trace --csv" "trace --json"; do
		diff "$out.whole" <(statuses "$way")
	done
	diff <(jq '. % 2048' "$out.whole" | sort -n) <(statuses trace)
}

# The same block twice: once an attempt that was tried again, once, with DNR, the last one.
@test "-s joins what differs in DNR or attempt alone" {
	[ "$(errors --quiet --json -s --by opcode,status -O read | jq -c 'select(.event == "error") | [.sct, .sc, .count]')" = '[2,129,2]' ]
}

@test "-s: one code of two types is two rows" {
	[ "$("$NVMETOOL" errors --quiet -i "$DATA/alike.nvt" --json --no-meta -s | jq -c 'select(.type == "errors") | [.sct, .sc, .count]' | xargs)" = \
		'[0,129,1] [2,129,2]' ]
}

@test "values that are no status are refused" {
	for value in 2/100 8/00 0x8000 99999 2:81 '' 2/ -1 '(sct 0x2)' '(sct 0x8 / sc 0x1)' 'Read Failure'; do
		run --separate-stderr "$NVMETOOL" errors --decode "$value"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "options that contradict each other are refused" {
	for options in "-a" "-s -k" "-f kernel -s" "--by comm" "-s --by file" "--decode 2/81 -i x"; do
		# shellcheck disable=SC2086 # several options
		run --separate-stderr errors $options
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
}

@test "DNR, MORE and CRD without a status code are errors, whoever asks" {
	bits() { "$NVMETOOL" "$1" -i "$DATA/bits.nvt" --quiet --json --no-meta "${@:2}"; }
	[ "$(bits errors | jq -s 'map(select(.type == "error")) | length')" = 3 ]
	[ "$(bits errors -s -a | jq -c 'select(.type == "errors") | [.event, .status, .count]' | sort | xargs)" = \
		'[error,0,3] [success,0,1]' ]
	"$NVMETOOL" errors -i "$DATA/bits.nvt" --quiet -s -a | grep -q '^nvme0  error   read           0/00            3 '
	[ "$(bits trace --status error | jq -c 'select(.type == "summary") | [.emitted, .errors]')" = '[3,3]' ]
	[ "$(bits latency --by none --status ok | jq -c 'select(.type == "latency") | [.count, .errors]')" = '[1,0]' ]
	[ "$(bits latency --by none | jq -c 'select(.type == "latency") | [.count, .errors]')" = '[4,3]' ]
	[ "$("$NVMETOOL" trace -i "$DATA/bits.nvt" --columns lat_ns,status --no-header | awk '{ print $2 }' | xargs)" = \
		'ok 0/00 0/00 0/00' ]
}

@test "--fail-if is about an interval where there are some" {
	# Six errors in three seconds.
	for args in "errors -s" "errors -s --by comm"; do
		# shellcheck disable=SC2086 # words are wanted
		fails() { "$NVMETOOL" $args --quiet -i "$DATA/stream.nvt" --fail-if "$@"; }
		run -6 fails 'errors>5'
		run -0 fails 'errors>2' 1
		run -6 fails 'errors==2' 1
		run -0 fails 'count>1500' 1
		run -6 fails 'errors>3' 2
		run -0 fails 'errors<2' 1 3
	done
	# No intervals: the time to run.
	run -6 "$NVMETOOL" errors --quiet -i "$DATA/stream.nvt" --fail-if 'errors>5' 3
}

@test "--fail-if and --max-events" {
	run errors --quiet -q 0-3 --fail-if 'errors>0'
	[ "$status" -eq 6 ]
	run -0 errors --quiet -q 0-3 --fail-if 'errors>0' --status 7/ff --allow-none
	# One whose submission was not seen, among the printed; among the filtered, and where completions are not printed.
	run -6 errors --quiet -q 0-3 --fail-if 'errors==1 and count==0' --status 3/71
	run -6 "$NVMETOOL" trace -i "$DATA/mixed.nvt" -q 0-3 --show complete --fail-if 'errors==6'
	run -6 "$NVMETOOL" trace -i "$DATA/mixed.nvt" -q 0-3 --fail-if 'errors==5'
	[ "$(errors --quiet --json --no-meta --max-events 2 | jq -s 'map(select(.type == "error")) | length')" = 2 ]
}

@test "a run without an error says so, and of how many commands" {
	run -0 --separate-stderr "$NVMETOOL" errors -i "$DATA/latency.nvt" -q 99
	[[ $stderr == *"nvmetool: no errors that match in "* ]]
	made=$BATS_TEST_TMPDIR/clean.nvt
	"$NVMETOOL" record --quiet -i "$DATA/stream.nvt" --status ok -w "$made"
	run -0 --separate-stderr "$NVMETOOL" errors -i "$made"
	[[ -z $output && $stderr == *"nvmetool: no errors that match in 3001 commands"* ]]
	# Not of a run that found some, nor where JSON says it.
	run -0 --separate-stderr "$NVMETOOL" errors -i "$DATA/stream.nvt"
	[[ $stderr != *"no errors"* ]]
	run -0 --separate-stderr "$NVMETOOL" errors -i "$made" --json
	[[ $stderr != *"no errors"* ]]
}
