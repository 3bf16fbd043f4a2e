# SPDX-License-Identifier: GPL-2.0-or-later
# Hosts whose administrator has switched something off that tracing uses: what cannot be had is left out and named with
# its remedy, the rest works, and nothing breaks that others use.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

kernels='* !5.10' # 5.10 and arm64 let no program attach to the driver's functions
test='6.1'
plan=29
seconds=40

guest()
{
	READ=(dd "if=/dev/$(disk_of lab0 1)" of=/dev/null bs=4k count=5 iflag=direct status=none)
	functions
	compiler
	depth
	addresses
	own_namespaces
	programs
}

# with SYSCTL VALUE COMMAND...: with that setting, which is undone; $OUT/out, $OUT/err, $status
with()
{
	local before setting=$1

	before=$(sysctl -n "$setting")
	set_to "$setting" "$2"
	status=0
	"${@:3}" >"$OUT/out" 2>"$OUT/err" || status=$?
	set_to "$setting" "$before"
}

# set_to SYSCTL VALUE: kernel.perf_event_max_stack stays as it is while there is a map of stacks, which goes some time after
# its process.
set_to()
{
	until sysctl -q "$1=$2" 2>/dev/null && [ "$(sysctl -n "$1")" = "$2" ]; do
		sleep 0.02
	done
}

# of FILTER: of what was printed
of()
{
	jq -rsc "$1" "$OUT/out"
}

# Functions are not traced: then programs on them would not be called, and detaching them later would break ftrace.
functions()
{
	with kernel.ftrace_enabled 0 "$NVMETOOL" doctor --json
	check_eq "doctor: what is lost" "$(of 'map(select(.name | IN("nvme_timeout", "nvme_change_ctrl_state")) | .verdict)')" '["degraded","degraded"]'
	check_eq "doctor: why" "$(of 'map(select(.name == "nvme_timeout"))[0].detail | contains("kernel.ftrace_enabled is 0")')" true
	sysctl -q kernel.ftrace_enabled=0
	attached errors "$NVMETOOL" errors --json
	sysctl -q kernel.ftrace_enabled=1
	detach errors
	check_eq "errors: what is missing" "$status $(jq -rc 'select(.type == "meta").attach.missing | sort' "$OUT/errors.out")" \
		'0 ["blk_insert_flush","nvme_change_ctrl_state","nvme_timeout"]'
	check "errors: why" grep -q 'functions are not traced while kernel.ftrace_enabled is 0' "$OUT/errors.err"
	attached again "$NVMETOOL" errors --json -R
	nvme reset "/dev/$(ctrl_of lab0)"
	detach again
	check "functions can be traced once it is on again" test "$(jq -s 'map(select(.type == "reset")) | length' "$OUT/again.out")" -gt 0
}

# Programs are not compiled: typed ones are refused by an error that libc has no text for.
compiler()
{
	with net.core.bpf_jit_enable 0 "$NVMETOOL" trace --json -- "${READ[@]}"
	check "without the JIT: all works, or the cause is named: $status $(cat "$OUT/err")" \
		test "$(of 'map(select(.type == "io")) | length')/$(grep -c 'net.core.bpf_jit_enable' "$OUT/err")" != 0/0
	check "no error is without a text" fails grep -q 'No error information' "$OUT/err"
}

depth()
{
	with kernel.perf_event_max_stack 16 "$NVMETOOL" trace --json -k -- "${READ[@]}"
	check_eq "16 frames at most: reads, and the most frames of one" \
		"$status $(of 'map(select(.type == "io").kstack | length) | [length, max <= 16, min > 4]')" '0 [5,true,true]'
	check "and it is said" grep -q 'stacks are cut at 16 frames: kernel.perf_event_max_stack' "$OUT/err"
	with kernel.perf_event_max_stack 16 "$NVMETOOL" stacks --json -- "${READ[@]}"
	check_eq "stacks" "$status $(of 'map(select(.type == "stack").count) | add')" '0 5'
	with kernel.perf_event_max_stack 16 "$NVMETOOL" record -w "$OUT/shallow.nvt" -- "${READ[@]}"
	check_eq "who asks for no stacks does not meet it: $(cat "$OUT/err")" "$status" 0
	with kernel.perf_event_max_stack 0 "$NVMETOOL" stacks --json -- "${READ[@]}"
	check_eq "no frames: the setting is named" "$status $(grep -c 'error: stacks: kernel.perf_event_max_stack is 0' "$OUT/err")" '4 1'
}

addresses()
{
	with kernel.kptr_restrict 2 "$NVMETOOL" stacks --json -- "${READ[@]}"
	check_eq "stacks: addresses" "$status $(of 'map(select(.type == "stack").kstack[]) | all(startswith("0x"))')" '0 true'
	check "and the remedy: $(cat "$OUT/err")" grep -q 'no names, because it hides their addresses; .*sysctl kernel.kptr_restrict=1' "$OUT/err"
	with kernel.kptr_restrict 2 "$NVMETOOL" inflight --json
	check "inflight: the remedy: $(cat "$OUT/err")" grep -q 'hides the addresses of its functions.*sysctl kernel.kptr_restrict=1' "$OUT/err"
}

own_namespaces()
{
	status=0
	unshare --mount --pid --fork --mount-proc "$NVMETOOL" trace --json -p 1 --duration 1 >"$OUT/out" 2>"$OUT/err" || status=$?
	check_eq "-p in a PID namespace: status" "$status" 5
	check "and why: $(cat "$OUT/err")" grep -q 'numbered as on the host, not as in this PID namespace' "$OUT/err"
	local from
	from=$(date +%s%N)
	unshare --time --monotonic 1000000 --fork "$NVMETOOL" trace --json -- "${READ[@]}" >"$OUT/out" 2>"$OUT/err"
	check_eq "times in a time namespace" "$(jq -rsc --argjson from "$from" --argjson to "$(date +%s%N)" \
		'map(select(.type == "io").time_ns | . >= $from and . <= $to) | [length, all]' "$OUT/out")" '[5,true]'
}

# refused WHAT COMMAND...: with a kernel that refuses these programs (strict.c); $OUT/out, $OUT/err, $status
refused()
{
	status=0
	NVMETOOL_REFUSED=$1 "${@:2}" >"$OUT/out" 2>"$OUT/err" || status=$?
}

# attach: by which method, and what is missing
attach()
{
	of 'map(select(.type == "meta"))[0].attach | [.method] + (.missing | sort) | join(" ")'
}

# Programs that the kernel refuses are left out and named where the command can do without, and no others.
programs()
{
	local command functions='blk_insert_flush nvme_change_ctrl_state nvme_timeout'

	for command in "trace --json" "stacks --json" "top --json" "record -w $OUT/refused.nvt"; do
		# shellcheck disable=SC2086 # words
		refused typed "$NVMETOOL" $command -- "${READ[@]}"
		check_eq "no typed programs: $command" "$status $(grep -c 'the kernel refuses typed tracepoints' "$OUT/err")" '0 1'
	done
	check_eq "a recording has all" "$("$NVMETOOL" trace --json -i "$OUT/refused.nvt" | jq -r 'select(.type == "io").op' | xargs)" \
		'read read read read read'
	refused typed "$NVMETOOL" errors --json -R -- "${READ[@]}"
	check_eq "no typed programs: errors" "$status $(attach)" "0 raw_tp $functions"
	check "and it is said" grep -q 'this kernel does not let nvme_change_ctrl_state be traced: resets are not seen' "$OUT/err"
	refused functions "$NVMETOOL" errors --json -R -- "${READ[@]}"
	check_eq "no programs on functions: errors" "$status $(attach)" "0 tp_btf $functions"
	refused timeout_pci_btf "$NVMETOOL" errors --json -R -- "${READ[@]}"
	check_eq "one program: errors" "$status $(attach)" '0 tp_btf nvme_timeout'
	refused complete_raw "$NVMETOOL" errors --json --attach raw_tp -- "${READ[@]}"
	check_eq "one that is needed: status" "$status" 4
	check "and no other is tried: $(cat "$OUT/err")" grep -q '^error: cannot load the programs: Invalid argument; ' "$OUT/err"
}
