# SPDX-License-Identifier: GPL-2.0-or-later
# A request that cannot be met is refused with the true cause, a remedy and the exit status of its kind; what ends a run
# early leaves whole output behind; nothing stays attached.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=one
test='6.1'
plan=78
seconds=102

guest()
{
	local disk READ

	disk=$(disk_of lab0 1)
	# count=N makes it N reads of 4 KiB
	READ=(dd "if=/dev/$disk" of=/dev/null bs=4k iflag=direct status=none)
	refuse_privilege
	refuse_names
	refuse_kernel
	refuse_output
	shrink_buffer
	end_by_signal
	report_by_signal
	end_by_itself
	conditions
	programs
	attached killed "$NVMETOOL" trace
	check "programs and maps are there while it runs" fails nothing_of_ours
	detach killed KILL
	check "nothing is left attached" detached_all
	check "no map is left" nothing_of_ours
}

# A control group that has no memory for the event buffer: it gets smaller, and that is said.
shrink_buffer()
{
	local group=/sys/fs/cgroup/tight

	mkdir "$group"
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	echo 48M >"$group/memory.max"
	run bash -c 'echo $$ >"$1/cgroup.procs" && exec "${@:2}"' - "$group" "$NVMETOOL" trace --buffer 256M --max-events 1 \
		-- "${READ[@]}" count=1
	check_eq "a buffer past the memory limit" "$status" 0
	if [ "$KERNEL" = 5.10 ]; then
		skip "is made smaller, and that is said" "control groups do not pay for the memory of BPF before 5.11"
	else
		check "is made smaller, and that is said" \
			grep -q 'the event buffer has [0-9]* KiB instead of 262144: ' "$OUT/err"
	fi
	check_eq "and works" "$(wc -l <"$OUT/out")" 2
}

nothing_of_ours()
{
	! { bpftool prog list && bpftool map list; } | grep -E 'name (setup_|complete_|command_slots|claims|cells)'
}

# run COMMAND...: with its output in $OUT/out and $OUT/err and its exit status in $status
run()
{
	status=0
	"$@" >"$OUT/out" 2>"$OUT/err" || status=$?
}

# refused STATUS CAUSE COMMAND...: two checks; the message is one line, error: WHAT: WHY; WHAT TO DO
refused()
{
	local want=$1 cause=$2

	shift 2
	run "$@"
	check_eq "${*#"$NVMETOOL"}: $cause" "$status" "$want"
	check "message: $(head -n 1 "$OUT/err")" well_formed "$cause"
}

well_formed()
{
	[ "$(wc -l <"$OUT/err")" = 1 ] && grep -qE '^error: [^;]+: [^;]+; .+' "$OUT/err" && grep -qF "$1" "$OUT/err" &&
		[ ! -s "$OUT/out" ]
}

refuse_privilege()
{
	local more=''

	refused 3 "CAP_BPF and CAP_PERFMON are missing" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$NVMETOOL" latency --duration 1
	refused 3 "CAP_PERFMON is missing" \
		setpriv --bounding-set=-perfmon,-sys_admin "$NVMETOOL" trace --duration 1
	# These two capabilities are enough; before 5.11 memory of BPF counts against RLIMIT_MEMLOCK.
	[ "$KERNEL" != 5.10 ] || more=,+sys_resource
	run setpriv --bounding-set=-all,+bpf,+perfmon"$more" "$NVMETOOL" trace --json -- "${READ[@]}" count=3
	check_eq "CAP_BPF and CAP_PERFMON alone" "$status $(jq -r 'select(.type == "meta").attach.method' "$OUT/out") \
$(jq -s 'map(select(.type == "io" and .op == "read")) | length' "$OUT/out")" "0 raw_tp 3"
}

refuse_names()
{
	refused 5 "no such controller; known: " "$NVMETOOL" latency -c 77
	refused 5 "no such controller or namespace; known: " "$NVMETOOL" trace -d nvme77n1
	refused 5 "no such process" "$NVMETOOL" trace -p 4194303
	refused 5 "no such cgroup" "$NVMETOOL" trace -g /nowhere
}

refuse_kernel()
{
	mount -t tmpfs none /sys/kernel/btf
	refused 4 "this kernel has no BTF" "$NVMETOOL" trace --duration 1
	umount /sys/kernel/btf
	modprobe -r nvme
	refused 4 "the module nvme_core is not loaded" "$NVMETOOL" latency --duration 1
	modprobe nvme_core
	run "$NVMETOOL" latency --json --duration 100ms
	check_eq "a driver without controllers is no error" \
		"$status $(jq -c 'select(.type == "meta").ctrls' "$OUT/out")" "0 []"
	modprobe -r nvme_core
	await_driver
}

# load_once NAME: loads the driver when `attached NAME` has said that it waits for it
load_once()
{
	until grep -qs 'waiting for it' "$OUT/$1.err"; do
		sleep 0.02
	done
	modprobe nvme
}

# A driver that comes: trace attaches when it has brought the drive that -d names, metrics when timeouts can be seen.
await_driver()
{
	run "$NVMETOOL" inflight --absent ok --fail-if 'count>0 or oldest>1s'
	check_eq "--absent ok" "$status $(cat "$OUT/err")" "0 nvmetool: no NVMe driver is loaded: there is nothing to trace"
	load_once wait &
	attached wait "$NVMETOOL" trace --json --absent wait -d "$disk" --comm dd --max-events 5
	drive_wait lab0 1
	"${READ[@]}" count=9
	finished wait
	check_eq "--absent wait: status and reads" "$status $(jq -s 'map(select(.op == "read")) | length' "$OUT/wait.out")" "0 5"
	check "--absent wait: the account is whole" nothing_lost "$OUT/wait.out"
	modprobe -r nvme
	load_once file &
	attached file "$NVMETOOL" metrics -w "$OUT/wait.prom" 1h
	drive_wait lab0 1
	"${READ[@]}" count=9
	detach file
	check_eq "metrics waits" "$status $(grep -c waiting "$OUT/file.err")" "0 1"
	check "metrics has the drive's controller" grep -q '^nvmetool_controller_info{' "$OUT/wait.prom"
	if [ "$KERNEL" = 5.10 ]; then
		skip "metrics: timeouts are seen" "no BTF of modules"
	else
		check "metrics: timeouts are seen" grep -q '^nvmetool_timeouts_total{.*} 0$' "$OUT/wait.prom"
	fi
}

refuse_output()
{
	run to_full "$NVMETOOL" trace --json -- "${READ[@]}" count=5
	check_eq "/dev/full: status" "$status" 1
	check "/dev/full: $(head -n 1 "$OUT/err")" well_formed "No space left on device"
	run first_line "$NVMETOOL" trace --json
	check_eq "a reader that goes away: status" "$status" 0
	check_eq "it got a line, and nobody is told" "$(jq -r .type "$OUT/out") $(wc -c <"$OUT/err")" "meta 0"
	refused 1 "cannot write '/nowhere/x'" "$NVMETOOL" trace -w /nowhere/x --duration 1
}

to_full()
{
	"$@" >/dev/full
}

first_line()
{
	"$@" | head -n 1
	return "${PIPESTATUS[0]}"
}

# In the middle of an interval
end_by_signal()
{
	local signal

	for signal in TERM HUP INT; do
		attached "$signal" "$NVMETOOL" latency --json --by opcode 1h
		"${READ[@]}" count=20
		detach "$signal" "$signal"
		check_eq "SIG$signal: status and final report" \
			"$status $(jq -s 'map(select(.op == "read").count) | add' "$OUT/$signal.out")" "0 20"
		check "SIG$signal: the account is whole" nothing_lost "$OUT/$signal.out"
	done
	attached stream "$NVMETOOL" trace --json
	"${READ[@]}" count=20
	detach stream TERM
	check_eq "SIGTERM: trace prints what it had" \
		"$status $(jq -s 'map(select(.op == "read")) | length' "$OUT/stream.out")" "0 20"
}

# USR2 reports, USR1 reports and begins anew.
report_by_signal()
{
	attached report "$NVMETOOL" latency --json --by opcode
	"${READ[@]}" count=30
	report report USR2 0
	"${READ[@]}" count=20
	report report USR1 1
	"${READ[@]}" count=10
	detach report
	check_eq "SIGUSR2, SIGUSR1, end" "$status $(jq -rs 'map(select(.op == "read") | "\(.seq):\(.count)") | join(" ")' \
		"$OUT/report.out")" "0 0:30 1:50 2:10"
}

end_by_itself()
{
	run "$NVMETOOL" latency --json --duration 300ms
	check "--duration" lasted 300 3000
	run "$NVMETOOL" trace --json 200ms 2
	check "trace INTERVAL COUNT" lasted 400 3000
	run "$NVMETOOL" trace --json --max-events 5 -- "${READ[@]}" count=50
	check_eq "--max-events" "$status $(jq -s 'map(select(.type == "io")) | length' "$OUT/out")" "0 5"
	check "--max-events: the account is whole" adds_up "$OUT/out"
	# A reader that goes on until the drive is taken from it, so that no interval is empty.
	dd if="/dev/$disk" of=/dev/null bs=4k iflag=direct status=none &
	run "$NVMETOOL" latency --json --by opcode 200ms 3
	kill $!
	wait $! || true
	check_eq "latency INTERVAL COUNT" "$status $(jq -rs 'map(select(.op == "read").seq) | join(" ")' "$OUT/out")" "0 0 1 2"
}

# lasted FROM TO: milliseconds, and status 0
lasted()
{
	summary_of "$OUT/out" | jq -e --argjson from "$1" --argjson to "$2" \
		'.duration_ns >= $from * 1e6 and .duration_ns < $to * 1e6' && [ "$status" = 0 ]
}

conditions()
{
	run "$NVMETOOL" latency --json --fail-if 'read.p99>1ns' -- "${READ[@]}" count=5
	check_eq "--fail-if that holds" "$status $(summary_of "$OUT/out" | jq -c '[.fail_if[].condition]')" '6 ["read.p99>1ns"]'
	run "$NVMETOOL" latency --json --fail-if 'errors>0 or count<1' -- "${READ[@]}" count=5
	check_eq "--fail-if that does not" "$status $(summary_of "$OUT/out" | jq -c .fail_if)" "0 []"
	run "$NVMETOOL" trace --json --fail-if 'count>4' -- "${READ[@]}" count=5
	check_eq "--fail-if of trace" "$status" 6
	# errors sees no success, so its programs count those that match.
	run "$NVMETOOL" errors --json --fail-if 'errors>0' -- "${READ[@]}" count=5
	check_eq "errors: none among matching commands" "$status $(summary_of "$OUT/out" | jq -c \
		'[.fail_if, .complete, .emitted, .paired == .filtered, .filtered >= 5]')" '0 [[],true,0,true,true]'
	for cmd in errors "errors -s" latency top "pattern --at complete" trace stacks; do
		# shellcheck disable=SC2086 # words are wanted
		run "$NVMETOOL" $cmd --json -O 0x77 --fail-if 'errors>0 or lost>0' -- "${READ[@]}" count=5
		check_eq "$cmd: no command matched" "$status $(summary_of "$OUT/out" | jq -c '[.fail_if[].condition]')" \
			'6 ["no commands"]'
		# shellcheck disable=SC2086 # words are wanted
		run "$NVMETOOL" $cmd --json -O 0x77 --fail-if 'errors>0 or lost>0' --allow-none -- "${READ[@]}" count=5
		check_eq "$cmd: --allow-none" "$status" 0
	done
	# A stopped reader of a small ring loses events.
	attached strict "$NVMETOOL" trace --json --strict --buffer 4k
	kill -STOP "$(pid_of strict)"
	"${READ[@]}" count=200
	kill -CONT "$(pid_of strict)"
	detach strict
	check_eq "--strict with losses" "$status $(summary_of "$OUT/strict.out" | jq '.lost.ring_full > 100')" "7 true"
	check "--strict with losses: they are accounted for" adds_up "$OUT/strict.out"
	run "$NVMETOOL" trace --json --strict -- "${READ[@]}" count=5
	check_eq "--strict without" "$status" 0
}

programs()
{
	run "$NVMETOOL" trace --quiet -- sh -c 'exit 9'
	check_eq "the program's status is ours" "$status" 9
	run "$NVMETOOL" latency --json --fail-if 'count>0' -- sh -c "${READ[*]} count=2; exit 9"
	check_eq "but for one of our own" "$status $(summary_of "$OUT/out" | jq .program.status)" "6 9"
	refused 126 "Permission denied" "$NVMETOOL" trace -- /etc/passwd
	refused 127 "No such file or directory" "$NVMETOOL" trace -- /nowhere/program
	run "$NVMETOOL" trace --json --duration 200ms -- sleep 3600
	check_eq "--duration ends it" "$status $(summary_of "$OUT/out" | jq -c '[.program.status, .program.signal]')" \
		"0 [null,15]"
	run "$NVMETOOL" trace --quiet -- grep '^Sig[BI]' /proc/self/status
	check_eq "it inherits signals as they were" "$(grep '^Sig' "$OUT/out")" "$(grep '^Sig[BI]' /proc/self/status)"
}
