#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# spdk on a program that has SPDK's probes (tests/usdt/probes.c): each hit beside what the program logs.

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash

setup_file()
{
	for build in "static:-static" "pie:-fpie -pie" "fixed:-no-pie"; do
		# shellcheck disable=SC2086 # options
		gcc -g -O2 ${build#*:} -I. tests/usdt/probes.c -o "$BATS_FILE_TMPDIR/${build%:*}"
	done
	gcc -g -O2 -fpic -shared -Dmain=probes_main -I. tests/usdt/probes.c -o "$BATS_FILE_TMPDIR/libprobes.so"
	echo 'int probes_main(int, char **); int main(int c, char **v) { return probes_main(c, v); }' |
		gcc -x c - -x none "$BATS_FILE_TMPDIR/libprobes.so" -Wl,-rpath,"$BATS_FILE_TMPDIR" -o "$BATS_FILE_TMPDIR/shared"
	gcc -g -O2 tests/usdt/late.c -o "$BATS_FILE_TMPDIR/late"
}

setup()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
	[ -e /sys/bus/event_source/devices/uprobe ] || skip "the kernel has no uprobes"
	cd "$BATS_TEST_TMPDIR" || return
	NVMETOOL=$(realpath "$OLDPWD/$NVMETOOL" 2>/dev/null || realpath "$NVMETOOL")
	# To look for leaks a sanitizer has to trace the process, which may do no such thing once it is attached.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

teardown()
{
	[ -z "${target:-}" ] || kill "$target" 2>/dev/null || true
}

# until_lines PID FILE N [PATTERN]: waits until FILE, which process PID writes, has N lines like that; fails where PID ends
# before. tail waits for the file to change.
until_lines()
{
	[ "$(grep -m "$3" -c -e "${4:-}" < <(tail -n +1 -f --pid="$1" "$2" 3>&- 5>&- 6>&-))" = "$3" ]
}

# target BUILD ROUNDS [quiet]: a target that waits; its pid is $target, its stdin fd 5.
target()
{
	target_of "$BATS_FILE_TMPDIR/$1" "${@:2}"
}

# target_of COMMAND...: one that COMMAND becomes
target_of()
{
	rm -f in
	mkfifo in
	: >ready
	LD_LIBRARY_PATH=copy:elsewhere "$@" <in >log 2>ready 3>&- 5>&- 6>&- &
	target=$!
	exec 5>in
	until_lines "$target" ready 1
}

# attach OPTION...: traces $target until it ends; $tracer is the process
attach()
{
	: >err
	"$NVMETOOL" spdk -p "$target" "$@" >out 2>err 3>&- 5>&- &
	tracer=$!
	until_lines "$tracer" err 1 '^nvmetool: tracing'
}

# ended: waits for $tracer. Sets rc.
ended()
{
	rc=0
	wait "$tracer" || rc=$?
}

# trace OPTION...: traces $target until it ends, and lets it fire its probes meanwhile. Sets rc.
trace()
{
	attach "$@"
	echo go >&5
	exec 5>&-
	ended
}

# count: what the target's semaphore is now
count()
{
	local lines

	lines=$(wc -l <ready)
	echo count >&5
	until_lines "$target" ready $((lines + 1))
	tail -n 1 ready
}

# code: the sum of the target's instructions, as they are in its memory; $1: of which mapped file
code()
{
	python3 -c '
import hashlib, sys
pid, name = sys.argv[1:]
sum = hashlib.md5()
for line in open(f"/proc/{pid}/maps"):
    if " r-xp " in line and name in line:
        start, end = (int(n, 16) for n in line.split()[0].split("-"))
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(start)
            sum.update(memory.read(end - start))
print(sum.hexdigest())' "$target" "$1"
}

# hits: those of out, as the log has them
hits()
{
	jq -cf "$BATS_TEST_DIRNAME/../usdt/hits.jq" out
}

# thread PID: the number of its first thread as a row has it: not known in a PID namespace other than the first
thread()
{
	[ "$(stat -Lc %i /proc/self/ns/pid)" = $((0xeffffffc)) ] && echo "$1" || echo null
}

ALL=nvme,timeout,nvmf,sched,wakeups,other

# bats test_tags=native
@test "each hit is what the program logged: static, PIE, not PIE, in a shared library" {
	target pie 20
	trace --json --set "$ALL"
	[ "$rc" = 0 ]
	hits | diff log -
	[ "$(wc -l <log)" = 1140 ]
	check_json spdk out
	jq -es '.[-1] | .hits == 1140 and .emitted == 1140 and .complete and .lost.ring_full == 0 and
		.processes[0].ended == "exit"' out
	jq -es --argjson pid "$target" --argjson tid "$(thread "$target")" 'map(select(.type == "spdk") |
		.pid == $pid and .tid == $tid) | all' out
	for build in static fixed shared; do # the kernel takes a seventh of a second to detach from each place
		target "$build" 20
		trace --json --probe 'nvmf_subsystem_*,by_*'
		hits | diff <(grep -E '"(nvmf_subsystem|by)_' log) -
		[ "$(wc -l <out)" -gt 200 ]
	done
}

# bats test_tags=native
@test "the target is as it was, once nvmetool has ended: by a signal, killed" {
	target pie 1
	before=$(code pie)
	[ "$(count)" = 0 ]
	for signal in INT:0 KILL:137; do
		attach --json --probe 'with_semaphore,by_*,nvmf_tgt_state'
		[ "$(count)" = 1 ]
		[ "$(code pie)" != "$before" ]
		kill -"${signal%:*}" "$tracer"
		ended
		[ "$rc" = "${signal#*:}" ]
		[ "$(count)" = 0 ]
		[ "$(code pie)" = "$before" ]
	done
	echo go >&5
	exec 5>&-
	wait "$target"
	[ "$(wc -l <log)" = 56 ]
}

@test "two runs at once see the same, and the semaphore is up until the last has ended" {
	target pie 3
	attach --json --probe with_semaphore
	mv out first
	other=$tracer
	attach --json --probe 'nvmf_tgt_state,with_semaphore'
	[ "$(count)" -ge 1 ]
	echo go >&5
	until_lines "$target" log 171
	kill -INT "$tracer"
	ended
	hits | diff <(grep -E '"(nvmf_tgt_state|with_semaphore)"' log) -
	[ "$(count)" -ge 1 ]
	kill -INT "$other"
	wait "$other"
	[ "$(count)" = 0 ]
	mv first out
	hits | diff <(grep with_semaphore log) -
	exec 5>&-
}

@test "the file is deleted, or in a mount namespace that has no such path outside" {
	for build in pie shared; do
		mkdir -p copy
		cp "$BATS_FILE_TMPDIR/$build" "$BATS_FILE_TMPDIR/libprobes.so" copy
		target_of "$PWD/copy/$build" 6
		rm -r copy
		trace --json --probe 'nvmf_subsystem_add*,with_semaphore,by_*'
		hits | diff <(grep -E '"(nvmf_subsystem_add|by|with)_' log) -
		[ "$(wc -l <log)" = 342 ]
		mkdir -p elsewhere
		# shellcheck disable=SC2016 # for sh
		target_of unshare --mount sh -c 'mount -t tmpfs none elsewhere && cp "$0/$1" "$0/libprobes.so" elsewhere &&
			exec "elsewhere/$1" 6' "$BATS_FILE_TMPDIR" "$build"
		[ ! -e "elsewhere/$build" ]
		trace --json --probe 'nvmf_subsystem_add*,with_semaphore,by_*'
		hits | diff <(grep -E '"(nvmf_subsystem_add|by|with)_' log) -
		[ "$(wc -l <log)" = 342 ]
	done
}

@test "probes of a library that is loaded once nvmetool is attached are not seen, and the help says so" {
	target late "$BATS_FILE_TMPDIR/libprobes.so" 3
	attach --json
	printf 'load\ngo\n' >&5
	exec 5>&-
	ended
	[ "$rc" = 0 ]
	[ "$(wc -l <log)" -gt 100 ]
	[ "$(hits | jq -c .)" = '{"probe":"nvmf_tgt_state","args":{"state":4}}' ]
	jq -es '.[-1] | .hits == 1 and .processes[0].probes == 1' out
	target late "$BATS_FILE_TMPDIR/libprobes.so" 3
	echo load >&5
	until_lines "$target" ready 2
	trace --json --probe 'nvmf_subsystem_*'
	[ "$(hits | wc -l)" -gt 10 ]
	hits | diff <(grep '"nvmf_subsystem_' log) -
	"$NVMETOOL" help spdk | tr -s '\n ' ' ' | grep -q 'has mapped when nvmetool attaches; those of a library that it loads later are not seen\.'
}

@test "a target that runs another program ends the run, as does one that is killed" {
	target pie 1
	attach --json --probe nvmf_tgt_state
	echo exec >&5
	ended
	[ "$rc" = 0 ]
	grep -q "^nvmetool: process $target (pie) runs another program now: start again to trace that" err
	jq -es '.[-1].processes[0].ended == "exec"' out
	kill -0 "$target"
	exec 5>&-
	wait "$target"
	target pie 1
	attach --json --probe nvmf_tgt_state
	kill -KILL "$target"
	ended
	[ "$rc" = 0 ]
	grep -q "^nvmetool: process $target (pie) has ended" err
	jq -es '.[-1].processes[0].ended == "exit"' out
}

@test "states and transports have their words, those of the release where releases differ" {
	target pie 12
	trace --json --probe 'nvmf_subsystem_change_state,nvmf_tgt_state,nvmf_subsystem_add_listener'
	words()
	{
		jq -r "select(.probe == \"$1\") | .args.$2_name" out | xargs
	}
	[ "$(words nvmf_subsystem_change_state state)" = "INACTIVE ACTIVATING ACTIVE PAUSING PAUSED RESUMING DEACTIVATING null null null null null" ]
	[ "$(words nvmf_tgt_state state)" = "INIT_NONE INIT_CREATE_TARGET INIT_CREATE_POLL_GROUPS INIT_START_SUBSYSTEMS RUNNING FINI_STOP_LISTEN FINI_STOP_SUBSYSTEMS FINI_DESTROY_SUBSYSTEMS FINI_DESTROY_POLL_GROUPS FINI_DESTROY_TARGET STOPPED ERROR" ]
	[ "$(words nvmf_subsystem_add_listener trtype)" = "RDMA FC TCP INTRA_HOST PCIE VFIOUSER CUSTOM CUSTOM_FABRICS null RDMA FC TCP" ]
}

@test "text has a line for each hit, CSV a record" {
	target pie 3
	trace --probe '*state*'
	[ "$(grep -c nvmf_tgt_state out)" = 3 ]
	grep -q 'nvmf_subsystem_change_state_done .*subnqn=nqn.2016-06.io.spdk:cnode1 state=ACTIVATING old=ACTIVE status=-22' out
	target pie 3
	trace --csv --probe 'nvmf_subsystem_add_*'
	check_csv out
	[ "$(wc -l <out)" = $((3 * 4 + 1)) ]
}

@test "--set and --probe choose, all but wakeups otherwise" {
	target pie 1
	trace --json --set timeout
	[ "$(hits | jq -r .probe | xargs)" = "bdev_nvme_ctrlr_reconnect bdev_nvme_ctrlr_reconnect_delay bdev_nvme_ctrlr_reset" ]
	target pie 2
	trace --json --probe 'nvmf_*_listener'
	hits | diff <(grep _listener log) -
	target pie 1
	trace --json
	hits | diff <(grep -vE '"(event_exec|interrupt_fd_process|msg_exec|timerfd_exec)"' log) -
}

@test "--list names the probes, their arguments and places, without tracing" {
	target pie 1
	"$NVMETOOL" spdk -p "$target" --list >out
	[ "$(awk 'NR > 1 { print $1 }' out | sort)" = "$(
		readelf -n "$BATS_FILE_TMPDIR/pie" | awk '$1 == "Name:" { print $2 }' | sort -u)" ]
	[ "$(awk '$1 == "nvmf_tgt_state" { print $2, $3, $4, $5 }' out)" = "nvmf 1 2 state" ]
	grep -Eq '^made_up +other +3 +1 -$' out # as a hit shows: which one is hidden is not known
}

@test "processes by number or name, several at once; --fail-if sees errors" {
	target pie 2
	first=$target
	exec 6>&5
	mv in first
	: >err
	mv log log1
	target fixed 2
	timeout 60 "$NVMETOOL" spdk -p "$first,$target" --json --probe '*state_done' --fail-if 'errors>1' >out 2>err 3>&- 5>&- 6>&- &
	tracer=$!
	until_lines "$tracer" err 1 "^nvmetool: tracing process $target"
	echo go >&6
	exec 6>&-
	echo go >&5
	exec 5>&-
	rc=0
	wait "$tracer" || rc=$?
	[ "$rc" = 6 ]
	[ "$(jq -s 'map(select(.type == "spdk")) | length' out)" = 8 ]
	jq -es '.[-1] | .errors == 2 and (.processes | length) == 2' out
	target fixed 1
	"$NVMETOOL" spdk --comm 'fixe?' --list | grep -q nvmf_tgt_state
}

# bats test_tags=native
@test "a million hits are counted, and each that is not printed is lost by the count" {
	target pie 1000000 quiet
	trace --json --probe nvmf_tgt_state
	[ "$rc" = 0 ]
	jq -es '.[0] | .hits == 1000000 and .emitted + .lost.ring_full == .hits and .lost.unplaced == 0 and
		.lost.miscounted == 0' <(tail -n 1 out)
	[ "$(grep -c '"type":"spdk"' out)" = "$(tail -n 1 out | jq .emitted)" ]
}

@test "with a small buffer each lost hit is counted" {
	target pie 100000 quiet
	trace --json --buffer 4k --probe nvmf_tgt_state
	[ "$rc" = 0 ]
	jq -es '(map(select(.type == "spdk")) | length) as $n | .[-1] | .hits == 100000 and .emitted == $n and .emitted > 0 and
		.emitted + .lost.ring_full == .hits and .complete == (.lost.ring_full == 0)' out
}

@test "a run ends as one of any command does, and goes on at SIGUSR1" {
	target pie 3
	"$NVMETOOL" spdk -p "$target" --json --probe nvmf_tgt_state 0.1 2 >out
	check_json spdk out
	jq -es '.[-1].duration_ns | . >= 2e8 and . < 5e9' out
	run -3 "$NVMETOOL" spdk -p "$target" --probe nvmf_tgt_state -- sh -c 'exit 3'
	run -0 --separate-stderr "$NVMETOOL" spdk -p "$target" --probe nvmf_tgt_state --probe-only
	[[ $stderr == *"nvmetool: attached by uprobe"* ]]
	attach --json --max-events 5 --probe nvmf_tgt_state,with_semaphore --self-stats
	kill -USR1 "$tracer"
	kill -USR2 "$tracer"
	echo go >&5
	exec 5>&-
	ended
	[ "$rc" = 0 ]
	check_json spdk out
	hits | diff <(grep -E '"(nvmf_tgt_state|with_semaphore)"' log | head -n 5) -
	jq -es '.[0].attach.method == "uprobe" and (.[-1] | .hits == 5 and .emitted == 5 and .complete and .self.cpu_ns > 0)' out
	target pie 100000 quiet
	trace --json --buffer 4k --probe nvmf_tgt_state --strict
	[ "$rc" = 7 ]
}

@test "what cannot be traced is refused with the remedy" {
	run --separate-stderr "$NVMETOOL" spdk
	[ "$status" = 2 ]
	[[ "$stderr" = "error: "*"-p PID"* ]]
	run -2 --separate-stderr "$NVMETOOL" spdk -p $$ -f nvt
	[[ $stderr == "error: bad value 'nvt' for --format: expected text, csv, json"* ]]
	run --separate-stderr "$NVMETOOL" spdk -p $$
	[ "$status" = 5 ]
	[[ "$stderr" = *"--with-usdt"* ]]
	cp "$NVMETOOL" /tmp/nvmetool.$$
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups /tmp/nvmetool.$$ spdk -p $$
	rm /tmp/nvmetool.$$
	[ "$status" = 3 ]
	[[ "$stderr" = *"belongs to another user"*"run as root"* ]]
}

# asked COMMAND...: what doctor says of probes on processes, run by COMMAND
asked()
{
	"$@" "$NVMETOOL" doctor --json --no-meta | jq -c 'select(.name == "uprobes")'
}

# agree STATUS COMMAND...: where doctor says no to them, spdk ends with STATUS, and both name the same remedy
agree()
{
	local said

	said=$(asked "${@:2}")
	jq -e '.verdict == "degraded" and (.detail | startswith("does not work: spdk"))' <<<"$said"
	run -"$1" --separate-stderr "${@:2}" "$NVMETOOL" spdk -p "$target"
	[[ $stderr == "error: "*"$(jq -r '.remedy | sub("^add "; "")' <<<"$said")"* ]]
}

@test "doctor says whether spdk can attach here, and the same remedy where it cannot" {
	target pie 1
	jq -e '.verdict == "ok" and .remedy == null' <<<"$(asked env)"
	# shellcheck disable=SC2016 # for sh
	agree 4 unshare --mount sh -c 'mount -t tmpfs none /sys/bus/event_source/devices && exec "$@"' sh
	agree 3 strace -qo /dev/null -e inject=perf_event_open:error=EACCES
	agree 3 setpriv --bounding-set=-bpf,-perfmon,-sys_admin
	agree 3 setpriv --bounding-set=-sys_ptrace
}

# lines: hits as JSON to PROBE VALUE...
lines()
{
	jq -r '"\(.probe) \(.args | map(tostring) | join(" "))"' | sort
}

# The program is made of what the fixture logs. bpftrace 0.17 reads no operands such as those of by_*, and one shape alone
# of a name.
@test "bpftrace sees the same events with the same arguments" {
	target pie 2
	"$BATS_FILE_TMPDIR/pie" 1 <<<go 2>/dev/null | grep -vE '"(by_.*|with_semaphore|nvmf_ctrlr_destruct)","args"' >shapes
	jq -r --arg file "$BATS_FILE_TMPDIR/pie" '.probe as $probe | .args | to_entries |
		(if .[0].key | IN("tsc", "arg0") then 0 else 1 end) as $first |
		map(if .value | type == "number" then ["%lld", ""] elif .value | startswith("0x") then ["0x%lx", ""] else ["%s", "str"] end) |
		"usdt:\($file):spdk:\($probe) { printf(\"\($probe) \(map(.[0]) | join(" "))\\n\", \(
			to_entries | map("\(.value[1])(arg\(.key + $first))") | join(", "))); }"' shapes >probes.bt
	printf '%s\n' 'interval:ms:100 { printf("ready\n"); }' >>probes.bt
	attach --json --set "$ALL"
	: >seen
	timeout -s INT 60 bpftrace -B line -p "$target" probes.bt >seen 2>said 3>&- 5>&- &
	other=$!
	until_lines "$other" seen 1 '^ready'
	echo go >&5
	until_lines "$target" log 114
	until_lines "$other" seen 104 '^[a-z_]* '
	kill -INT "$other"
	wait "$other" || true
	exec 5>&-
	ended
	[ "$(wc -l <shapes)" = 52 ]
	diff <(hits | grep -vE '"(by_.*|with_semaphore|nvmf_ctrlr_destruct)","args"' | lines) <(grep '^[a-z_]* .' seen | sort)
}
