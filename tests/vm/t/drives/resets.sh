# SPDX-License-Identifier: GPL-2.0-or-later
# Ten resets of a controller under load: the driver lets end what is in flight, or cancels it (3/71) and tries it again.
# QEMU's drive may stop answering on a queue after a reset: nearly always with 5.10, which is left out, seldom with others.
# The commands on that queue time out, and the driver resets once more.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
kernels='* !5.10'
test='6.18'
plan=14
seconds=15

. "$VM/lib/account.sh"

# some_reads: waits for them
some_reads()
{
	local before now

	read -r before _ <"/sys/block/$disk/stat"
	now=$before
	until [ "$now" -gt "$((before + 50))" ]; do
		sleep 0.02
		read -r now _ <"/sys/block/$disk/stat"
	done
}

# Counts the resets in the kernel's log: each ends with a line about the queues, as does the first start.
resets()
{
	dmesg | grep -c "$ctrl: .*default/read/poll queues"
}

guest()
{
	local disk ctrl i load name before

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	before=$(resets)
	echo 5000 >"/sys/block/$disk/queue/io_timeout"
	attached trace "$NVMETOOL" trace --json
	attached raw "$NVMETOOL" trace --json --attach raw_tp
	attached latency "$NVMETOOL" latency --json --by opcode
	attached errors "$NVMETOOL" errors --json --block
	mark "$(disk_of lab1 11)" 611
	fio --name=load --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --direct=1 \
		--time_based --runtime=600 --output="$OUT/fio" &
	load=$!
	for ((i = 0; i < 10; i++)); do
		some_reads
		nvme reset "/dev/$ctrl"
	done
	some_reads
	kill "$load"
	wait "$load" || true
	drained
	mark "$(disk_of lab1 11)" 612
	echo $(($(resets) - before)) >"$OUT/resets"
	echo 30000 >"/sys/block/$disk/queue/io_timeout"
	for name in trace raw latency errors; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	check_eq "the controller is there" "$(cat "/sys/class/nvme/$ctrl/state")" live
}

# reads FILE CONDITION: a line for each of lab0
reads()
{
	jq -r "select(.nsid == 1 and .op == \"read\" and ($2)) | \"\(.qid) \(.cid) \(.slba) \(.nlb)\"" "$1" | sort
}

host()
{
	local name told logged

	drive_log 611 612
	for name in trace raw; do
		reads "$OUT/$name.out" '.status == 0' >"$OUT/succeeded"
		reads "$OUT/drive.ndjson" true >"$OUT/seen"
		check "$name: what succeeded the drive has seen" within "$OUT/seen" "$OUT/succeeded"
		check "$name: what the drive has seen is there, but for runs that the kernel skipped" \
			[ "$(comm -13 <(reads "$OUT/$name.out" true) <(reads "$OUT/drive.ndjson" true) | wc -l)" -le "$(skipped "$name")" ]
	done
	check_eq "errors shows what was cancelled" "$(reads "$OUT/errors.out" '.type == "error"')" \
		"$(reads "$OUT/trace.out" '.type == "io" and .status != 0')"
	check_eq "latency counts all of them" "$(jq 'select(.type == "latency" and .op == "read").count' "$OUT/latency.out")" \
		"$(reads "$OUT/trace.out" true | wc -l)"
	told=$(jq -c 'select(.type == "reset")' "$OUT/errors.out" | wc -l)
	read -r logged <"$OUT/resets"
	check_eq "errors tells each reset of the kernel's log" "$told" "$logged"
	check "there were ten or more" [ "$logged" -ge 10 ]
	check "the accounts" accounts
}

# skipped NAME: how many runs of its programs the kernel skipped, as it may in a reset, by its own count
skipped()
{
	summary_of "$OUT/$1.out" | jq .lost.recursion
}

# The account of each adds up, and nothing is lost but runs that the kernel skipped.
accounts()
{
	local name

	for name in trace raw latency errors; do
		adds_up "$OUT/$name.out" && summary_of "$OUT/$name.out" |
			jq -e '([.lost[]] | add) == .lost.recursion' >/dev/null || return
	done
}
