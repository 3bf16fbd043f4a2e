# SPDX-License-Identifier: GPL-2.0-or-later
# errors: zone errors by name, and a SMART temperature event.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=zoned
test='6.18'
plan=5
seconds=7

zone_command()
{
	nvme io-passthru "/dev/$zoned" --namespace-id=1 "$@" >>"$OUT/passthrough" 2>&1
}

# Zones have 1024 blocks of 4 KiB.
wrong_commands()
{
	local write=(--opcode=1 --data-len=4096 --write --input-file=/dev/zero)

	zone_command "${write[@]}" --cdw10=5 || true # not at the write pointer
	zone_command --opcode=0x79 --cdw10=1024 --cdw13=2 # finish zone 1
	zone_command "${write[@]}" --cdw10=1024 || true
	zone_command --opcode=0x79 --cdw10=1024 --cdw13=3 || true # open a full zone
	zone_command --opcode=2 --cdw10=1023 --cdw12=1 --data-len=8192 --read || true
	zone_command "${write[@]}" --cdw10=2047 || true # full to its end
	zone_command --opcode=0x79 --cdw10=1024 --cdw13=4 # reset it
}

guest()
{
	local zoned ctrl

	zoned=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	attached all "$NVMETOOL" errors --json
	mark "$zoned" 1
	wrong_commands
	warm_event all "$ctrl"
	mark "$zoned" 2
	detach all
	check_eq "exit status" "$status" 0
}

host()
{
	drive_log 1 2
	jq -c 'select(.status != 0 and .status != null)' "$OUT/drive.ndjson" >"$OUT/failed.ndjson"
	jq -c 'select(.type == "error") | .type = "io"' "$OUT/all.out" >"$OUT/records.ndjson"
	check "records equal the failures in the drive's log" \
		"$VM/compare" --drives "$OUT/../../drives" "$OUT/failed.ndjson" "$OUT/records.ndjson"
	check_eq "the names" "$(jq -r '.status_name' "$OUT/records.ndjson")" "$(printf '%s\n' 'Zone Invalid Write' \
		'Zone Is Full' 'Invalid Zone State Transition' 'Zoned Boundary Error' 'Zone Is Full')"
	check_eq "the temperature event, once" \
		"$(jq -r 'select(.type == "aer") | "\(.ctrl) \(.aen_type_name) \(.aen_name)"' "$OUT/all.out")" \
		"nvme0 smart Temperature Threshold"
	check_eq "nothing is lost" "$(jq 'select(.type == "summary").complete' "$OUT/all.out")" true
}
