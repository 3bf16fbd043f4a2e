# SPDX-License-Identifier: GPL-2.0-or-later
# latency --phases --by sched: requests wait in a scheduler as long as the kernel's own events say. A guest whose time goes
# by instructions: elsewhere what tracing itself takes, between setup and issue, is a part of it that varies.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tracefs.sh"

topology=held
plan=4
seconds=30

guest()
{
	local disk name

	disk=$(disk_of lab0 1)
	echo 2 >"/sys/block/$disk/queue/nomerges"
	echo 1 >"$TRACEFS/events/block/block_rq_insert/enable"
	echo 1 >"$TRACEFS/events/block/block_rq_issue/enable"
	attached phases "$NVMETOOL" latency --json --phases --by sched,pid -d "$disk"
	for name in mq-deadline kyber bfq; do
		sched "$name" "$disk"
		echo >"$TRACEFS/trace"
		fio_load "$name" --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=32 \
			--number_ios=400 --size=512M
		cp "$TRACEFS/trace" "$OUT/$name.trace"
	done
	sched none "$disk"
	drained
	detach phases
	echo 0 >"$TRACEFS/events/block/block_rq_insert/enable"
	echo 0 >"$TRACEFS/events/block/block_rq_issue/enable"
	check_eq "phases, ends well" "$status" 0
}

host()
{
	local name

	for name in mq-deadline kyber bfq; do
		check_near "time in $name" "$(waited "$name")" "$(traced "$name")" 1
	done
}

# waited SCHED: mean of nvmetool, in nanoseconds
waited()
{
	jq -s --arg sched "$1" 'map(select(.type == "latency" and .sched == $sched and .phase == "scheduler" and .count == 400)) |
		.[0].mean_ns' "$OUT/phases.out"
}

# traced SCHED: mean from insert to issue, as the kernel's trace has it
traced()
{
	awk '/block_rq_insert:|block_rq_issue:/ && / R 4096 / {
			for (i = 1; i <= NF; i++)
				if ($i ~ /^block_rq_/)
					break
			sector = $0
			sub(/.*\) /, "", sector)
			sub(/ .*/, "", sector)
			time = $(i - 1) * 1e9
			if ($i == "block_rq_insert:")
				from[sector] = time
			else if (sector in from) {
				sum += time - from[sector]
				n++
				delete from[sector]
			}
		}
		END { printf "%d\n", n ? sum / n : 0 }' "$OUT/$1.trace"
}
