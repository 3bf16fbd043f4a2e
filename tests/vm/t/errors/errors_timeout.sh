# SPDX-License-Identifier: GPL-2.0-or-later
# errors: timeouts, aborts and resets, as often as the driver's own functions ran; a recording has them, too, metrics
# counts them, and they trigger the flight recorder.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stuck
kernels='* !5.10' # 5.10 has no BTF of the functions of modules (see errors_old), arm64 no way in
test='6.1'
plan=18

. "$VM/lib/tracefs.sh"

guest()
{
	local disk ctrl

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	probes_on nvme_timeout nvme_reset_work nvme_cancel_request
	attached all "$NVMETOOL" errors --json -R
	attached record "$NVMETOOL" record -w "$OUT/all.nvt"
	attached timeouts "$NVMETOOL" record --ring 4M --trigger 'read.timeouts>0' --max-files 1 -w "$OUT/timeout-%t.nvt"
	attached resets "$NVMETOOL" record --ring 4M --trigger 'resets>0' --max-files 1 -w "$OUT/reset-%t.nvt"
	attached metrics "$NVMETOOL" metrics -w "$OUT/live.prom" 1
	mark "$disk" 1
	fio --name=load --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=32 \
		--number_ios=32 --size=16M --output="$OUT/fio" || true
	drained
	until grep -q live "/sys/class/nvme/$ctrl/state"; do
		sleep 0.05
	done
	nvme reset "/dev/$ctrl"
	mark "$disk" 2
	for name in all record timeouts resets metrics; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	probes_off
}

# what FILE: the timeouts, resets and failures in the output of `errors`, without their times: two runs see each event one
# after the other, and on two CPUs in either order
what()
{
	jq -c 'select(.type | IN("timeout", "reset", "error")) | [.type, .ctrl, .qid, .cid, .op, .slba]' "$1" | sort
}

triggered()
{
	"$NVMETOOL" info --json --no-meta "$OUT/$1"-*.nvt | jq -r .trigger
}

# troubles FILE: what metrics says of timeouts and resets
troubles()
{
	sed -nE 's/^nvmetool_(timeouts|resets)_total\{.*\} /\1 /p' "$1" | tr '\n' ' '
}

records()
{
	jq -c "select(.type == \"$1\")" "$OUT/all.out" | wc -l
}

host()
{
	drive_log 1 2 --all
	check "commands timed out" [ "$(records timeout)" -gt 0 ]
	check_eq "timeouts equal calls of nvme_timeout" "$(records timeout)" "$(calls nvme_timeout)"
	check "there were resets" [ "$(records reset)" -gt 0 ]
	check_eq "resets equal calls of nvme_reset_work" "$(records reset)" "$(calls nvme_reset_work)"
	check_eq "commands that the host cancelled equal calls of nvme_cancel_request" \
		"$(jq -c 'select(.type == "error" and .sct == 3 and .sc == 113)' "$OUT/all.out" | wc -l)" \
		"$(calls nvme_cancel_request)"
	check_eq "aborts equal the Abort commands that the drive took" "$(records abort)" \
		"$(jq -c 'select(.admin and .opcode == 8)' "$OUT/drive.ndjson" | wc -l)"
	check_eq "each names a command that timed out" \
		"$(jq -r 'select(.type == "abort") | "\(.fields.sqid) \(.fields.cid)"' "$OUT/all.out" | sort -u)" \
		"$(jq -rs '(map(select(.type == "abort") | "\(.fields.sqid) \(.fields.cid)")) as $aborts |
			.[] | select(.type == "timeout") | "\(.qid) \(.cid)" | select(IN($aborts[]))' \
			"$OUT/all.out" | sort -u)"
	"$NVMETOOL" errors --json -i "$OUT/all.nvt" >"$OUT/replay"
	what "$OUT/all.out" >"$OUT/live.what"
	what "$OUT/replay" >"$OUT/replay.what"
	check "a recording has the same" cmp "$OUT/live.what" "$OUT/replay.what"
	check_eq "metrics counts both" "$(troubles "$OUT/live.prom")" "timeouts $(calls nvme_timeout) resets $(calls nvme_reset_work) "
	"$NVMETOOL" metrics -i "$OUT/all.nvt" -w "$OUT/replay.prom"
	check_eq "of the recording, too" "$(troubles "$OUT/replay.prom")" "$(troubles "$OUT/live.prom")"
	check_eq "a timeout triggers the flight recorder" "$(triggered timeout)" "read.timeouts = 1 > 0, $(jq -r 'select(.type == "timeout").dev' "$OUT/all.out" | head -n 1)"
	check_eq "so does a reset" "$(triggered reset)" "resets = 1 > 0, $(jq -r 'select(.type == "reset").ctrl' "$OUT/all.out" | head -n 1)"
	check_eq "nothing is lost" "$(jq 'select(.type == "summary").complete' "$OUT/all.out")" true
}
