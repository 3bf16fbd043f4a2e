# SPDX-License-Identifier: GPL-2.0-or-later
# Least privilege: what a run holds once it has attached, what PROGRAM holds, and that CAP_BPF and CAP_PERFMON are
# enough for every subcommand where the kernel does not ask for more.
# shellcheck shell=bash disable=SC2034,SC2054,SC2154 # variables of the lab; capabilities have commas

. "$VM/lib/account.sh"

plan=27
seconds=38

COMMANDS='latency trace stacks errors pattern record'

guest()
{
	local cmd READ=(dd "if=/dev/$(disk_of lab0 1)" of=/dev/null bs=4k iflag=direct status=none)

	for cmd in $COMMANDS; do
		held "$cmd"
	done
	users
	program
	enough
	refusals
	as_nobody
}

# arguments CMD: beside those for JSON
arguments()
{
	case $1 in
	record) echo -w "$OUT/recording" ;;
	*) echo --json ;;
	esac
}

# privileges PID|self: effective, permitted and bounding capabilities, no_new_privs, seccomp
privileges()
{
	awk '/^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):/ { printf "%s ", $2 }' "/proc/$1/status"
}

# kept: what a run keeps; before 5.19 calls of bpf() ask for CAP_BPF
kept()
{
	[ "$KERNEL" = 5.10 ] && echo 0000008000000000 || echo 0000000000000000
}

# held CMD: nothing is left of root's capabilities, but for CAP_BPF on 5.10, and it goes on working
held()
{
	local caps args

	caps=$(kept)
	read -ra args < <(arguments "$1")
	attached "$1" "$NVMETOOL" "$1" "${args[@]}"
	check_eq "$1: capabilities, no_new_privs, seccomp" "$(privileges "$(pid_of "$1")")" "$caps $caps 0000000000000000 1 2 "
	"${READ[@]}" count=5
	detach "$1"
	check_eq "$1: works" "$status $(seen "$1")" "0 5"
}

# seen CMD: commands in what it put out
seen()
{
	if [ "$1" = record ]; then
		"$NVMETOOL" trace -i "$OUT/recording" --json >"$OUT/record.out"
	fi
	jq -s 'map(select(.type == "summary"))[0].paired' "$OUT/$1.out"
}

# Two capabilities stay to read what runs in other processes, a third one for files that were removed; said once.
users()
{
	attached users "$NVMETOOL" stacks -u --json
	check_eq "stacks -u keeps what it needs" "$(jq -rc 'select(.type == "meta").attach.kept' "$OUT/users.out")" \
		"$([ "$KERNEL" = 5.10 ] && echo '["CAP_SYS_PTRACE","CAP_DAC_READ_SEARCH","CAP_CHECKPOINT_RESTORE","CAP_BPF"]' ||
			echo '["CAP_SYS_PTRACE","CAP_DAC_READ_SEARCH","CAP_CHECKPOINT_RESTORE"]')"
	detach users
	check_eq "and says so" "$(grep -c 'keeps CAP_SYS_PTRACE' "$OUT/users.err")" 1
}

# PROGRAM has the privileges of whoever typed the command, and still ends when it is told to.
program()
{
	privileges self >"$OUT/own"
	"$NVMETOOL" trace --quiet -w "$OUT/trace" -- sh -c \
		"awk '/^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):/ { printf \"%s \", \$2 }' /proc/self/status >$OUT/program"
	check_eq "PROGRAM's privileges" "$(cat "$OUT/program")" "$(cat "$OUT/own")"
	"$NVMETOOL" trace --json --duration 200ms -- sleep 3600 >"$OUT/ended"
	check_eq "PROGRAM is ended" "$(summary_of "$OUT/ended" | jq .program.signal)" 15
}

# The two capabilities alone do; 5.10 also requires CAP_SYS_RESOURCE for memory.
enough()
{
	local cmd args only=-all,+bpf,+perfmon

	[ "$KERNEL" != 5.10 ] || only+=,+sys_resource
	for cmd in $COMMANDS; do
		read -ra args < <(arguments "$cmd")
		status=0
		setpriv --bounding-set="$only" "$NVMETOOL" "$cmd" "${args[@]}" -- "${READ[@]}" count=5 \
			>"$OUT/$cmd.out" 2>"$OUT/$cmd.err" || status=$?
		check_eq "$cmd with CAP_BPF and CAP_PERFMON" "$status $(seen "$cmd")" "0 5"
	done
	check_eq "why raw_tp, said once" "$(grep -c 'attached by raw_tp, because' "$OUT/trace.err" || true)" \
		"$([ "$KERNEL" = 5.10 ] && echo 0 || echo 1)"
}

refusals()
{
	local cmd args said='' only

	for only in -perfmon,-sys_admin -bpf,-sys_admin; do
		for cmd in $COMMANDS; do
			read -ra args < <(arguments "$cmd")
			status=0
			setpriv --bounding-set="$only" "$NVMETOOL" "$cmd" "${args[@]}" --duration 1 >"$OUT/out" 2>"$OUT/err" || status=$?
			said+="$status $(grep -o 'CAP_[A-Z]* is missing' "$OUT/err") "
		done
	done
	check_eq "the missing capability is named" "$(tr ' ' '\n' <<<"$said" | grep CAP_ | sort | uniq -c | xargs)" \
		"6 CAP_BPF 6 CAP_PERFMON"
	check_eq "and the exit status is 3" "$(grep -o '[0-9] CAP_' <<<"$said" | sort -u)" "3 CAP_"
}

# A file with the two capabilities, run by nobody: nothing stays that the user did not have. It takes no variable from the
# user, so PROGRAM says that it has attached.
as_nobody()
{
	local caps=cap_bpf,cap_perfmon

	[ "$KERNEL" != 5.10 ] || caps+=,cap_sys_resource
	cp "$NVMETOOL" /run/nvmetool
	setcap "$caps+ep" /run/nvmetool
	attached nobody setpriv --reuid=65534 --regid=65534 --clear-groups /run/nvmetool trace --json \
		-- sh -c 'echo ready >&9; exec sleep 3600 9>&-'
	check_eq "as nobody, with capabilities of the file" "$(privileges "$(pid_of nobody)" | cut -d' ' -f1,2,4,5)" "$(kept) $(kept) 1 2"
	"${READ[@]}" count=5
	detach nobody
	check_eq "as nobody: works" "$status $(seen nobody)" "0 5"
}
