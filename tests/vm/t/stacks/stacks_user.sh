# SPDX-License-Identifier: GPL-2.0-or-later
# stacks: user stacks of a program whose functions are known; thousands of them, of which none is lost although the kernel
# has one place for several; what finds no room is counted and sums hold; functions.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='* arm64-6.1 arm64-6.12'
plan=29
seconds=45

. "$VM/lib/stacks.sh"
. "$VM/lib/account.sh"

CROWDED=$VM/../../build/crowded/nvmetool

# build NAME FLAGS...
build()
{
	"$COMPILER" -D_GNU_SOURCE -O1 "${@:2}" -o "$OUT/$1" "$VM/chain.c"
}

before()
{
	build chain -static-pie -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-shrink-wrap
	build bare -static -fomit-frame-pointer
}

# The outermost function of the kernel in a system call.
entry()
{
	case $(uname -m) in
	x86_64) echo entry_SYSCALL_64 ;;
	aarch64) echo el0t_64_sync ;;
	esac
}

# Stacks of a program without frame pointers; the C library of aarch64 has them all the same.
bare()
{
	case $(uname -m) in
	x86_64) echo '[true,"inner","[no frame pointers]"]' ;;
	aarch64) echo '[false,"inner","_start [bare]"]' ;;
	esac
}

# rows FILE: the rows of chain
rows()
{
	jq -c 'select(.type == "stack" and .comm == "'"${2:-chain}"'")' "$1"
}

# stacks_of_chain PROGRAM FORMAT OPTIONS...
stacks_of_chain()
{
	"$NVMETOOL" stacks -u -b comm -f "${@:2}" -- "$OUT/$1" "/dev/$disk" 400 >"$OUT/$1.out" 2>"$OUT/$1.err"
}

# many NAME LEVELS OPTIONS...: 2^LEVELS stacks, one read each
many()
{
	status=0
	"$NVMETOOL" stacks -u -b comm --json "${@:3}" -- "$OUT/chain" "/dev/$disk" 1 "$2" >"$OUT/$1.out" 2>"$OUT/$1.err" ||
		status=$?
}

guest()
{
	local disk hits

	disk=$(disk_of lab0 1)
	cp "$LAB/t/stacks_user"/{chain,bare} "$OUT"
	cp "$OUT/chain" "$OUT/chain.gone"
	cp "$OUT/chain" "$OUT/chain.jit"
	sysctl -q kernel.randomize_va_space=2 # as hosts have it
	stacks_of_chain chain json
	check_eq "functions of a program, innermost first" "$(rows "$OUT/chain.out" | jq -c '.ustack[:4]')" \
		'["inner [chain]","middle [chain]","outer [chain]","main [chain]"]'
	check_eq "all of its reads" "$(rows "$OUT/chain.out" | jq .count)" 400
	check "the account" nothing_lost "$OUT/chain.out"
	stacks_of_chain chain folded -k
	check_eq "folded: root first, user before kernel" "$(grep -c \
		'^comm=chain;.*main \[chain\];outer \[chain\];middle \[chain\];inner \[chain\];'"$(entry)"'.*;nvme_setup_cmd \[nvme_core\] 400$' \
		"$OUT/chain.out")" 1
	stacks_of_chain chain.gone json
	check_eq "a file that was removed" "$(rows "$OUT/chain.gone.out" chain.gone | jq -c '.ustack[:2]')" \
		'["inner [chain.gone (deleted)]","middle [chain.gone (deleted)]"]'
	stacks_of_chain chain.jit json
	check_eq "code made at run time" "$(rows "$OUT/chain.jit.out" chain.jit | jq -r '.ustack[:2] | join(" ")' |
		sed 's/-[0-9]*[.]map/-N.map/')" "inner [chain.jit] compiled code [perf-N.map]"
	stacks_of_chain bare json
	check_eq "no frame pointers" "$(rows "$OUT/bare.out" bare | jq -c '.ustack | [length <= 2, .[0][:5], .[-1]]')" "$(bare)"
	stacks_of_chain chain json --offsets --addr --depth 2
	check_eq "offsets, addresses, depth" "$(rows "$OUT/chain.out" | jq -r '.ustack | length, .[]' |
		sed -E 's/0x[0-9a-f]+/X/g' | xargs)" "2 X inner+X [chain] X middle+X [chain]"
	mark "$disk" 21
	many collide 11 --strict
	check_eq "collide ends well" "$status" 0
	mark "$disk" 22
	many overflow 15 --hist --strict
	check_eq "--strict" "$status" 7
	mark "$disk" 23
	# This one has room for one queue, and for eight of the stacks whose place another one has.
	(
		taskset -pc 0 "$BASHPID" >/dev/null
		NVMETOOL=$CROWDED many few 11
	)
	mark "$disk" 24
	"$NVMETOOL" record -k -u -w "$OUT/chain.nvt" -- "$OUT/chain" "/dev/$disk" 1 11 2>"$OUT/record.err"
	"$NVMETOOL" stacks -u -b comm --json -i "$OUT/chain.nvt" >"$OUT/recorded.out"
	functions
	sysctl -q kernel.randomize_va_space=0
}

# Calls of a function, as many as a probe of the kernel's own counts.
functions()
{
	local tracing=/sys/kernel/tracing calls

	echo 'p:nvt_setup nvme_setup_cmd' >$tracing/kprobe_events
	attached probe "$NVMETOOL" stacks --probe nvme_setup_cmd --json -b comm --offsets
	echo 1 >$tracing/events/kprobes/nvt_setup/enable
	fio_load psync --filename="/dev/$disk" --rw=randread --size=64M --ioengine=psync --number_ios=300
	drained
	echo 0 >$tracing/events/kprobes/nvt_setup/enable
	detach probe
	calls=$(awk '$1 == "nvt_setup" { print $2 }' $tracing/kprobe_profile)
	echo >$tracing/kprobe_events
	check_eq "--probe ends well" "$status $(told "$OUT/probe.err")" "0 "
	check "the kernel counted its calls" test "$calls" -ge 300
	check_eq "and so does --probe" "$(stacks_sum "$OUT/probe.out")" "$calls"
	check_eq "the function is innermost" \
		"$(jq -r 'select(.type == "stack").kstack[0]' "$OUT/probe.out" | sed 's/+0x[0-9a-f]*//' | sort -u)" 'nvme_setup_cmd [nvme_core]'
	status=0
	"$NVMETOOL" stacks --probe nvme_no_such_function --duration 1 2>"$OUT/absent.err" || status=$?
	check_eq "a function that is not there" "$status" 4
}

# kept NAME: each of the 2048 stacks has a row with its read
kept()
{
	check "$1: nothing is lost" nothing_lost "$OUT/$1.out"
	check_eq "$1: each stack has a row" "$(rows "$OUT/$1.out" | jq -c 'select(.count == 1).ustack' | sort -u | wc -l)" 2048
}

# held NAME FROM TO: sums and losses of a run that could not keep all
held()
{
	drive_log "$2" "$3"
	check_eq "$1: counts sum to the drive's log" "$(stacks_sum "$OUT/$1.out" '.comm == "chain" or .lost')" \
		"$(jq -c 'select(.op == "read")' "$OUT/drive.ndjson" | wc -l)"
	check "$1: the account adds up" adds_up "$OUT/$1.out"
	check "$1: stacks that found no room are counted" summary_says "$OUT/$1.out" '.lost.stacks_full > 0 and (.complete | not)'
}

summary_says()
{
	summary_of "$1" | jq -e "$2"
}

host()
{
	kept collide
	kept recorded
	held few 23 24
	check_eq "few: and shown as lost" \
		"$(jq -s 'map(select(.type == "stack" and (.lost | not) and .ustack == ["[lost]"]).count) | add' "$OUT/few.out")" \
		"$(summary_of "$OUT/few.out" | jq .lost.stacks_full)"
	held overflow 22 23
	check "the rest has no row" summary_says "$OUT/overflow.out" '.lost.keys_full > 0'
	check_eq "and is one row without keys" "$(jq -c 'select(.type == "stack" and .lost) | [.comm, .ustack]' "$OUT/overflow.out")" \
		'[null,["[lost]"]]'
	check_eq "which counts them" "$(jq 'select(.type == "stack" and .lost).count' "$OUT/overflow.out")" \
		"$(summary_of "$OUT/overflow.out" | jq .lost.keys_full)"
}
