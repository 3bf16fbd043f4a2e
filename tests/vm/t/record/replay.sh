# SPDX-License-Identifier: GPL-2.0-or-later
# record beside the live commands over one load: replayed it gives the same rows in text, CSV and JSON. Each run takes
# its own times, so those are left out; what was not recorded is named.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=32
seconds=21

. "$VM/lib/account.sh"

all=(--show both -Q --sq --aer)
# Without the columns that hold times.
csv=(--csv "--columns=-ts,-time_ns,-mono_ns,-lat_ns,-queue_ns")
text=("--columns=-time,-lat_ns,-queue_ns")

load()
{
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=512-32k --size=64M --ioengine=libaio --iodepth=8 \
		--numjobs=2 --number_ios=60
	nvme set-feature "$ctrl" -f 0xb --value=$((config | 2))
	nvme set-feature "$ctrl" -f 4 --value=200
	until grep -q '"type":"aer"' "$OUT/json.out"; do
		sleep 0.02
	done
	nvme set-feature "$ctrl" -f 4 --value=343
	nvme set-feature "$ctrl" -f 0xb --value="$config"
	nvme smart-log "$ctrl"
	drained
}

guest()
{
	local disk ctrl config name

	disk=$(disk_of lab0 1) ctrl=/dev/$(ctrl_of lab0)
	config=$(nvme get-feature "$ctrl" -f 0xb | sed 's/.*value://')
	attached full "$NVMETOOL" record -w "$OUT/full.nvt" -k -u -Q --sq
	attached plain "$NVMETOOL" record -w "$OUT/plain.nvt"
	attached json "$NVMETOOL" trace --json "${all[@]}" -k -u
	attached joined "$NVMETOOL" trace --json
	attached csv "$NVMETOOL" trace "${csv[@]}" "${all[@]}"
	attached text "$NVMETOOL" trace "${text[@]}" "${all[@]}"
	attached latency "$NVMETOOL" latency --json -A --by ctrl,qid,cpu,opcode,flags,size,comm,status
	load
	for name in full plain json joined csv text latency; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	check "nothing is left attached" detached_all
}

# rows FILE: JSON without meta, summary and times; and without stacks, of which each run may lose others: two that fall
# into one bucket of the kernel's map are told as lost.stacks_full
rows()
{
	jq -cS 'select(.type | . != "meta" and . != "summary" and . != "lost") |
		del(.ts, .time_ns, .mono_ns, .kstack, .ustack) | .lat_ns |= (. != null) | .queue_ns |= (. != null)' "$1" | sort
}

# figures FILE: of latency, what does not depend on times
figures()
{
	jq -cS 'select(.type == "latency") | {ctrl, qid, cpu, op, flags, size, comm, status, count, errors, bytes}' "$1" | sort
}

# spans FILE: of each command, sorted by what names it in both runs: [its name, when it began, when it ended]
spans()
{
	jq -s 'map(select(.lat_ns != null)) | group_by([.ctrl_id, .qid, .cid]) | map(sort_by(.mono_ns) | to_entries |
		map([[(.value | .ctrl_id, .qid, .cid), .key], .value.mono_ns - .value.lat_ns, .value.mono_ns])) | add | sort' "$1"
}

# at_one_time A B: each command is there in both, at times that overlap: the programs of one hook run one after the other,
# and how long the others take is the guest's affair, but none takes as long as it takes the drive to answer.
at_one_time()
{
	jq -ne --slurpfile a <(spans "$1") --slurpfile b <(spans "$2") '[$a[0], $b[0]] | (.[0] | length) > 100 and
		map(length)[0] == map(length)[1] and
		(transpose | all(.[0][0] == .[1][0] and .[0][1] < .[1][2] and .[1][1] < .[0][2]))' >/dev/null
}

about()
{
	jq -c 'select(.type == "meta").ctrls' "$1"
}

# in_time_order FILE: but for losses, which are told at once, while events wait for those before them
in_time_order()
{
	jq -se 'map(select(.type != "lost").mono_ns // empty) | . == sort' "$1" >/dev/null
}

# replay NAME COMMAND OPTION...: into NAME.again
replay()
{
	"$NVMETOOL" "$2" -i "$OUT/full.nvt" "${@:3}" >"$OUT/$1.again"
}

# words FILE: lines of text; how wide columns are when a line is printed depends on how many came with it
words()
{
	tr -s ' ' <"$1" | sort
}

same()
{
	check "$1: replayed and live are the same" diff <("$2" "$OUT/$1.out") <("$2" "$OUT/$1.again")
}

# lacks NEED COMMAND OPTION...: the plain recording does not do; NEED is in the message
lacks()
{
	local status=0 said

	said=$("$NVMETOOL" "$2" -i "$OUT/plain.nvt" "${@:3}" 2>&1) || status=$?
	check_eq "$2 ${*:3}: ends with 5" "$status" 5
	check "$2 ${*:3}: names what is lacking" grep -q "$1.*not in the recording" <<<"$said"
}

host()
{
	replay json trace --json "${all[@]}" -k -u
	replay joined trace --json
	replay csv trace "${csv[@]}" "${all[@]}"
	replay text trace "${text[@]}" "${all[@]}"
	replay latency latency --json -A --by ctrl,qid,cpu,opcode,flags,size,comm,status
	same json rows
	check_eq "all kinds of rows are there" "$(jq -r .type "$OUT/json.again" | sort -u | xargs)" \
		"aer complete meta sq submit summary"
	check_eq "each is a line of text and of CSV, under a header" "$(wc -l <"$OUT/text.again") $(wc -l <"$OUT/csv.again")" \
		"$(($(rows "$OUT/json.again" | wc -l) + 1)) $(($(rows "$OUT/json.again" | wc -l) + 1))"
	check_eq "a recording names the controllers" "$(about "$OUT/json.again")" "$(about "$OUT/json.out")"
	check "all of them" jq -se '.[0].ctrls | map(.serial) | contains(["lab0"])' "$OUT/json.again"
	same joined rows
	same csv sort
	same text words
	same latency figures
	check "live rows come in time order" in_time_order "$OUT/json.out"
	check "replayed rows come in time order" in_time_order "$OUT/json.again"
	check_eq "latencies are those of the commands" "$(jq -s 'map(.sum_ns // 0) | add' "$OUT/latency.again")" \
		"$(jq -s 'map(.lat_ns // 0) | add' "$OUT/joined.again")"
	check "each command has its time in both runs" at_one_time "$OUT/joined.again" "$OUT/joined.out"
	check_eq "kernel stacks lead to the driver" "$(jq -r 'select(.type == "submit" and .comm == "fio") |
		.kstack | map(select(startswith("nvme_setup_cmd+"))) | length' "$OUT/json.again" | sort -u)" 1
	lacks 'record -k' trace -k
	lacks 'record -u' trace -u
	lacks 'record -Q' latency -Q
	lacks 'record --sq' trace --sq
	check_eq "asynchronous events are there unless told otherwise" \
		"$("$NVMETOOL" trace --json --aer -i "$OUT/plain.nvt" | grep -c '"type":"aer"')" "$(grep -c '"type":"aer"' "$OUT/json.out")"
	check "the accounts" accounts
}

only_stacks_lost()
{
	adds_up "$1" && summary_of "$1" | jq -e '.lost | del(.stacks_full) | [.[] | . // 0] | add == 0' >/dev/null
}

accounts()
{
	local name

	for name in json joined latency; do
		only_stacks_lost "$OUT/$name.out" && only_stacks_lost "$OUT/$name.again" || return
	done
}
