# SPDX-License-Identifier: GPL-2.0-or-later
# latency and trace, side by side, agree with the drive's log command by command, whatever they attach to and
# whichever CPU submits.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='* arm64-6.1 arm64-6.12 as5.15-6.1'
test='5.10 6.1 6.12 6.18 sid arm64-6.1 as5.15-6.1'
plan=28
seconds=53

. "$VM/lib/account.sh"

# Each job on a CPU of its own: since 7.0 one may be preempted after it has chosen its CPU's queue, and set the command up
# on another CPU.
SPREAD=(--numjobs=2 --cpus_allowed=0-1 --cpus_allowed_policy=split)

# load NAME ARGS...: random reads and writes of many sizes, 32 at a time
load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randrw --bsrange=512-32k --size=256M --ioengine=libaio --iodepth=32 \
		"${@:2}"
}

# both NAME MARK LATENCY_OPTION TRACE_OPTION: attaches latency and trace as NAME-l and NAME-t
both()
{
	attached "$1_t" "$NVMETOOL" trace --json --strict "${@:2}"
	attached "$1_l" "$NVMETOOL" latency --json --strict --by ctrl,cpu,opcode "${@:2}"
}

ended()
{
	drained
	detach "$1_t"
	check_eq "$1: trace ends well" "$status $(told "$OUT/$1_t.err")" "0 "
	detach "$1_l"
	check_eq "$1: latency ends well" "$status $(told "$OUT/$1_l.err")" "0 "
}

guest()
{
	local disk cpu

	disk=$(disk_of lab0 1)
	sed -n 's|^/.*/mq/\([0-9]*\)/cpu_list:|\1 |p' <(grep . /sys/block/"$disk"/mq/*/cpu_list) >"$OUT/cpus"
	both btf --attach "$(best_method)"
	mark "$disk" 101
	load load "${SPREAD[@]}" --number_ios=10100
	mark "$disk" 102
	ended btf
	check "fio issued 20 000 commands" test $(($(fio_count load read) + $(fio_count load write))) -ge 20000
	both raw --attach raw_tp
	mark "$disk" 103
	load less "${SPREAD[@]}" --number_ios=1000
	mark "$disk" 104
	ended raw
	both cpu
	attached cpu_text "$NVMETOOL" trace --columns qid,cid,submit_cpu,complete_cpu
	for cpu in 0 1; do
		mark "$disk" $((110 + cpu))
		load "cpu$cpu" --number_ios=$((300 + 50 * cpu)) --cpus_allowed="$cpu"
	done
	mark "$disk" 114
	ended cpu
	detach cpu_text
	check "nothing is left attached" detached_all
	attached killed "$NVMETOOL" trace --json -w /dev/null
	check "a program is loaded while it runs" test -n "$(bpf_listed)"
	detach killed KILL
	check "nothing is left attached after SIGKILL" detached_all
}

# rows FILE: what latency counted, without the marks: "CTRL CPU OP COUNT ERRORS"
rows()
{
	jq -r 'select(.type == "latency" and .op != "dsm") | "\(.ctrl) \(.cpu) \(.op) \(.count) \(.errors)"' "$1" | sort
}

# rows_of_drive FILE: the same out of the drive's log; each of the four queues is that of one CPU
rows_of_drive()
{
	jq -r '"\(.qid) \(.op) \(.status)"' "$1" | sort | uniq -c |
		awk -v ctrl="$(awk '{ print $3 }' "$LAB/drives")" '
			NR == FNR { cpu[$1 + 1] = $2; next }
			{ $2 = cpu[$2] }
			{ n[$2 " " $3] += $1; bad[$2 " " $3] += $4 != 0 ? $1 : 0 }
			END { for (key in n) print ctrl, key, n[key], bad[key] }' "$OUT/cpus" - | sort
}

# same NAME FROM TO METHOD
same()
{
	drive_log "$2" "$3"
	check "$1: trace equals the drive's log" "$VM/compare" --from "$2" --to "$3" "$OUT/drive.ndjson" "$OUT/$1_t.out"
	check_eq "$1: latency equals the drive's log" "$(rows "$OUT/$1_l.out")" "$(rows_of_drive "$OUT/drive.ndjson")"
	check_eq "$1: both attached as asked" "$(jq -r 'select(.type == "meta").attach | .method, .missing[]' \
		"$OUT/$1_t.out" "$OUT/$1_l.out" | xargs)" "$(echo "$4" "$(flush_hook)" "$4" | xargs)"
	check "$1: the account of trace" nothing_lost "$OUT/$1_t.out"
	check "$1: the account of latency" nothing_lost "$OUT/$1_l.out"
}

host()
{
	same btf 101 102 "$(best_method)"
	check "log of 20 000 commands" test "$(wc -l <"$OUT/drive.ndjson")" -ge 20000
	same raw 103 104 raw_tp
	same cpu 110 114 "$(best_method)"
	check_eq "the same CPUs in text" "$(awk 'NR > 1 { print $1, $2, $3, $4 }' "$OUT/cpu_text.out" | sort)" \
		"$(jq -r 'select(.type == "io") | "\(.qid) \(.cid) \(.submit_cpu) \(.complete_cpu)"' "$OUT/cpu_t.out" | sort)"
	check_eq "load of each CPU is submitted there" "$(jq -r 'select(.comm == "fio").submit_cpu' "$OUT/cpu_t.out" |
		uniq -c | xargs)" "300 0 350 1"
}
