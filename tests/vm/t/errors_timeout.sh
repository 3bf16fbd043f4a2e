# SPDX-License-Identifier: GPL-2.0-or-later
# errors: timeouts, aborts and resets, as often as the driver's own functions ran.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stuck
kernels='6.1 6.12 sid !arm64-6.1' # 5.10 has no BTF of the functions of modules (see errors_old), arm64 no way in
plan=9

. "$VM/lib/tracefs.sh"

guest()
{
	local disk ctrl

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	probes_on nvme_timeout nvme_reset_work nvme_cancel_request
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
	check_eq "nothing is lost" "$(jq 'select(.type == "summary").complete' "$OUT/all.out")" true
}
