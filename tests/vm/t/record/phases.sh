# SPDX-License-Identifier: GPL-2.0-or-later
# record --phases beside latency --phases and -Q: the recording has the phases of the same commands, each once, and as long
# but for what the programs of the other run take; and of one command its phases are the total. Reads that wait for a tag
# without a scheduler and with one, flushes, a block that cannot be read, commands of nvme-cli.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tags.sh"
. "$VM/lib/account.sh"

topology=deadline
plan=33
seconds=60

by=opcode,comm

guest()
{
	local disk queue bad

	bad=$(disk_of lab0 1)
	few_tags
	recorded none five_reads none
	sched mq-deadline "$disk"
	echo 4 >"$queue/nr_requests"
	recorded deadline five_reads deadline
	sched none "$disk"
	recorded others load_of_others
}

# recorded NAME LOAD...: with a recording and two live runs beside it
recorded()
{
	local name=$1 run

	attached "${name}_phases" "$NVMETOOL" latency --json --strict --phases -A --by $by
	attached "${name}_queued" "$NVMETOOL" latency --json --strict -Q -A --by $by
	attached "${name}_record" "$NVMETOOL" record --strict --phases -w "$OUT/$name.nvt"
	"${@:2}"
	drained
	for run in phases queued record; do
		detach "${name}_$run"
		check_eq "$name, $run ends well" "$status" 0
	done
}

# Six attempts, of which the last one ends the request; an admin command, one that the drive refuses, passthrough.
load_of_others()
{
	fio_load sync --filename="/dev/$bad" --rw=randwrite --bs=4k --size=256k --ioengine=psync --fsync=1 --number_ios=40
	! dd if="/dev/$bad" of=/dev/null iflag=direct bs=4k skip=125 count=1
	nvme smart-log "/dev/$(ctrl_of lab0)"
	! nvme get-log "/dev/$(ctrl_of lab0)" --log-id=0x7f --log-len=512
	nvme read "/dev/$bad" --start-block=0 --block-count=0 --data-size=512 >"$OUT/nothing"
}

# figures FILE: what does not depend on times. Where the driver's modules have no BTF, failures have no end.
figures()
{
	jq -cS --arg kernel "$KERNEL" 'select(.type == "latency" and ($kernel != "5.10" or (.phase | . != "completion" and . != "total"))) | {phase, op, comm, count, errors, bytes}' "$1" | sort
}

# sums FILE: of each phase
sums()
{
	jq -c 'select(.type == "latency") | [.phase, .sum_ns, .count]' "$1" |
		jq -s 'group_by(.[0]) | map({(.[0][0] // "all"): {ns: (map(.[1]) | add), n: (map(.[2]) | add)}}) | add'
}

# near LIVE REPLAYED: no phase is longer or shorter than by a tenth, or by 0.3 ms a command
near()
{
	sums "$1"
	sums "$2"
	jq -ne --argjson a "$(sums "$1")" --argjson b "$(sums "$2")" '$a | to_entries | length > 0 and
		all(.[]; (.value.ns - $b[.key].ns | fabs) < ([.value.ns / 10, .value.n * 3e5] | max))' >/dev/null
}

# The parts of reads without errors are the whole, to the nanosecond.
reads_add_up()
{
	jq -se 'map(select(.type == "latency" and .op == "read" and .comm == "fio") | {(.phase): .sum_ns}) | add |
		.total > 0 and .total == .queue + (.scheduler // 0) + .device + .completion' "$1" >/dev/null
}

host()
{
	local name ends

	for name in none deadline others; do
		"$NVMETOOL" latency --json --phases -A --by $by -i "$OUT/$name.nvt" >"$OUT/$name.phases"
		"$NVMETOOL" latency --json -Q -A --by $by -i "$OUT/$name.nvt" >"$OUT/$name.queued"
		check "$name: each phase, as often as live" diff <(figures "$OUT/${name}_phases.out") <(figures "$OUT/$name.phases")
		check "$name: -Q, as often as live" diff <(figures "$OUT/${name}_queued.out") <(figures "$OUT/$name.queued")
		check "$name: nothing is lost" nothing_lost "$OUT/$name.phases"
		check "$name: the sums hold" adds_up "$OUT/$name.phases"
		check "$name: info names what was recorded" grep -q ' -Q .*--phases' <("$NVMETOOL" info "$OUT/$name.nvt")
		[ $name != others ] || continue
		check "$name: as long" near "$OUT/${name}_phases.out" "$OUT/$name.phases"
		check "$name: -Q, as long" near "$OUT/${name}_queued.out" "$OUT/$name.queued"
		check "$name: phases are the total" reads_add_up "$OUT/$name.phases"
	done
	ends=" completion=1 total=1"
	[ "$KERNEL" != 5.10 ] || ends=
	check_eq "a request that is tried again waits and ends once" "$(jq -r 'select(.comm == "dd") | "\(.phase)=\(.count)"' \
		"$OUT/others.phases" | xargs -n 1 | sort | xargs)" "$(xargs -n 1 <<<"device=6 queue=1 scheduler=1$ends" | sort | xargs)"
	check_eq "and waits in its phases for less than the whole" "$(jq -s 'map(select(.comm == "dd") | {(.phase): .sum_ns}) | add |
		.queue + .scheduler + .device + (.completion // 0) <= (.total // infinite)' "$OUT/others.phases")" true
	check "a copy keeps all" copied
}

copied()
{
	"$NVMETOOL" record -i "$OUT/others.nvt" -w "$OUT/copy.nvt"
	diff <("$NVMETOOL" latency --json --no-meta --phases -A --by $by -i "$OUT/copy.nvt" | grep -v '"type":"summary"') \
		<(grep -vE '"type":"(meta|summary)"' "$OUT/others.phases")
}
