# SPDX-License-Identifier: GPL-2.0-or-later
# lockdown=confidentiality: 6.12 and newer in full but for stacks; 6.1 without status, result and retries; 5.10 refuses.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/hold.sh"
. "$VM/lib/lockdown.sh"

topology=confidential
test='6.1'
plan=25

guest()
{
	check "the kernel is locked down" grep -qF '[confidentiality]' /sys/kernel/security/lockdown
	case $KERNEL in
	5.10)
		check_eq "doctor" "$(said_by_doctor lockdown | cut -d: -f1)" "no not permitted to trace"
		for cmd in trace latency pattern errors stacks; do
			refused "$cmd" "not permitted to trace"
		done
		for ((i = 0; i < 10; i++)); do
			skip "works" "5.10 has no BTF of the driver"
		done
		;;
	*)
		refused stacks "stacks"
		works
		names
		check "selects a device" "$NVMETOOL" trace --probe-only -d "$(disk_of lab0 1)"
		event
		status_known "$([ "$KERNEL" = 6.1 ] || echo known)"
		;;
	esac
	hanging
	check "where securityfs is not mounted, too" hidden
}

# inflight: before 6.2 only how many there are, by sysfs
hanging()
{
	local disk reader

	disk=$(disk_of lab0 1)
	hold_read
	status=0
	"$NVMETOOL" inflight --json -d "$disk" >"$OUT/inflight.out" 2>"$OUT/inflight.err" || status=$?
	case $KERNEL in
	5.10 | 6.1)
		check_eq "inflight: what it cannot see is null" "$(jq -r 'select(.type == "summary") |
			"\(.inflight) \(.host_inflight) \(.complete)"' "$OUT/inflight.out")" "null 1 false"
		check_eq "inflight: said once" "$status $(grep -c 'commands in flight: kernel lockdown=confidentiality forbids' \
			"$OUT/inflight.err")" "3 1"
		;;
	*)
		check_eq "inflight: works" "$(in_flight "$OUT/inflight.out")" "read 2400 $reader"
		check_eq "inflight: without a complaint" "$status $(cat "$OUT/inflight.err")" "0 "
		;;
	esac
	let_go
}

# refused CMD WHAT [ARGS...]: two checks
refused()
{
	local cmd=$1 what=$2

	shift 2
	traced "$cmd" "$@"
	check_eq "$cmd $*: refused" "$status $(wc -l <"$OUT/$cmd.err")" "3 1"
	check "$cmd $*: named: $(cat "$OUT/$cmd.err")" \
		grep -qF "error: $what: kernel lockdown=confidentiality forbids" "$OUT/$cmd.err"
}

works()
{
	local cmd

	for cmd in trace latency pattern; do
		traced "$cmd" --json
		check_eq "$cmd: works" "$status $(sums "$cmd")" "0 5 5 true"
	done
	check_eq "method" "$(jq -r 'select(.type == "meta").attach.method' "$OUT/trace.out")" tp_btf
	traced record -w "$OUT/recording"
	check_eq "record: works" "$status $("$NVMETOOL" trace -i "$OUT/recording" --json | jq -s 'map(select(.type == "io")) | length')" "0 5"
}

# Commands of two controllers, admin commands too, are told apart.
names()
{
	local a b

	a=$(ctrl_of lab0)
	b=$(ctrl_of lab1)
	attached names "$NVMETOOL" trace --json
	for disk in "$(disk_of lab0 1)" "$(disk_of lab1 11)"; do
		dd if="/dev/$disk" of=/dev/null bs=4k count=2 iflag=direct status=none
	done
	nvme id-ctrl "/dev/$a" >"$OUT/id"
	nvme id-ctrl "/dev/$b" >"$OUT/id"
	detach names
	check_eq "commands by controller" "$(jq -rs 'map(select(.type == "io") | "\(.ctrl) \(.op)") | sort | unique | join(", ")' \
		"$OUT/names.out")" "$(printf '%s\n' "$a identify" "$a read" "$b identify" "$b read" | sort | paste -sd, | sed 's/,/, /g')"
}

# An event that a controller tells of without a command: with its name, or with none.
event()
{
	local ctrl

	ctrl=$(ctrl_of lab1)
	attached event "$NVMETOOL" trace --json --aer
	warm_event event "$ctrl"
	detach event
	[ "$KERNEL" != 6.1 ] || ctrl=null
	check_eq "whose event it is" "$(jq -r 'select(.type == "aer").ctrl' "$OUT/event.out")" "$ctrl"
}

# status_known [known]: a read that fails on lab1
status_known()
{
	attached failing "$NVMETOOL" trace --json
	dd if="/dev/$(disk_of lab1 11)" of=/dev/null bs=512 skip=1000 count=1 iflag=direct status=none 2>"$OUT/dd.err" || true
	drained
	detach failing
	if [ "$1" ]; then
		check_eq "status is known" "$(jq -rs 'map(select(.type == "io").status) | unique | join(" ")' "$OUT/failing.out")" 641
		traced errors --json
		check_eq "errors: works" "$status $(sums errors)" "0 5 5 true"
		check_eq "errors are counted" "$(jq -s 'map(select(.type == "summary").errors > 0)[0]' "$OUT/failing.out")" true
		traced trace --json --status ok
		check_eq "--status: works" "$status $(sums trace)" "0 5 5 true"
		check_eq "doctor" "$(said_by_doctor lockdown)" "degraded confidentiality: does not work: stacks"
		for ((i = 0; i < 6; i++)); do
			skip "refusals" "nothing else to refuse"
		done
		return
	fi
	check_eq "status, result and retries are null" "$(jq -rsc 'map(select(.type == "io") | [.status, .result, .retries]) | unique' \
		"$OUT/failing.out")" '[[null,null,null]]'
	check_eq "said once" "$(grep -c 'status, result and retries are unknown' "$OUT/failing.err")" 1
	check_eq "and in meta" "$(jq -rc 'select(.type == "meta").attach.missing' "$OUT/failing.out")" '["status","result","retries"]'
	check_eq "errors are not 0" "$(jq -rc 'select(.type == "summary").errors' "$OUT/failing.out")
$(jq -rcs 'map(select(.type == "latency").errors) | unique' "$OUT/latency.out")" $'null\n[null]'
	check_eq "doctor" "$(said_by_doctor lockdown)" \
		"degraded confidentiality: does not work: stacks, status, result and retries, hence errors and --status"
	refused errors errors
	refused trace --status --status error
	refused latency "--fail-if 'errors'" --fail-if 'errors>0'
}

# A container has no securityfs: then it is tried out.
hidden()
{
	umount /sys/kernel/security
	traced stacks
	grep -qF "kernel lockdown=confidentiality forbids" "$OUT/stacks.err" && [ "$status" = 3 ]
}
