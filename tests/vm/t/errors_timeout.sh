# SPDX-License-Identifier: GPL-2.0-or-later
# errors: timeouts, aborts and resets, as often as the driver's own functions ran.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stuck
kernels='6.1 6.12'
plan=8

TRACEFS=/sys/kernel/tracing

# Probes of the kernel's own count the calls, from before errors attaches: nothing happens in between.
probes_on()
{
	echo 'p:lab_timeout nvme_timeout' >"$TRACEFS/kprobe_events"
	echo 'p:lab_reset nvme_reset_work' >>"$TRACEFS/kprobe_events"
	echo 1 >"$TRACEFS/events/kprobes/enable"
}

probes_off()
{
	echo 0 >"$TRACEFS/events/kprobes/enable"
	grep -o 'lab_[a-z]*:' "$TRACEFS/trace" >"$OUT/calls" || true
	echo >"$TRACEFS/kprobe_events"
}

guest()
{
	local disk ctrl

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	probes_on
	attached all "$NVMETOOL" errors --json -R
	mark "$disk" 1
	fio --name=load --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=32 \
		--number_ios=32 --size=16M --output="$OUT/fio" || true
	drained
	until grep -q live "/sys/class/nvme/$ctrl/state"; do
		sleep 0.05
	done
	nvme reset "/dev/$ctrl"
	mark "$disk" 2
	detach all
	probes_off
	check_eq "exit status" "$status" 0
}

records()
{
	jq -c "select(.type == \"$1\")" "$OUT/all.out" | wc -l
}

host()
{
	drive_log 1 2 --all
	check "commands timed out" [ "$(records timeout)" -gt 0 ]
	check_eq "timeouts equal calls of nvme_timeout" "$(records timeout)" "$(grep -c timeout "$OUT/calls")"
	check "there were resets" [ "$(records reset)" -gt 0 ]
	check_eq "resets equal calls of nvme_reset_work" "$(records reset)" "$(grep -c reset "$OUT/calls")"
	check_eq "aborts equal the Abort commands that the drive took" "$(records abort)" \
		"$(jq -c 'select(.admin and .opcode == 8)' "$OUT/drive.ndjson" | wc -l)"
	check_eq "each names a command that timed out" \
		"$(jq -r 'select(.type == "abort") | "\(.fields.sqid) \(.fields.cid)"' "$OUT/all.out" | sort -u)" \
		"$(jq -rs '(map(select(.type == "abort") | "\(.fields.sqid) \(.fields.cid)")) as $aborts |
			.[] | select(.type == "timeout") | "\(.qid) \(.cid)" | select(IN($aborts[]))' \
			"$OUT/all.out" | sort -u)"
	check_eq "nothing is lost" "$(jq 'select(.type == "summary").complete' "$OUT/all.out")" true
}
