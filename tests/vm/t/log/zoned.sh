# SPDX-License-Identifier: GPL-2.0-or-later
# A zoned namespace: what nvme-cli and fio do to its zones equals the drive's log and is decoded.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=zoned
test='6.18'
plan=7

. "$VM/lib/account.sh"

guest()
{
	local zoned dev

	zoned=$(disk_of lab0 1) dev=/dev/$(disk_of lab0 1)
	head -c 8192 /dev/zero >"$OUT/zeroes"
	attached all "$NVMETOOL" trace --json --strict
	mark "$zoned" 11
	nvme zns reset-zone "$dev" --start-lba=2048
	nvme zns open-zone "$dev" --start-lba=2048
	nvme zns zone-append "$dev" --zslba=2048 --data-size=8192 --data="$OUT/zeroes"
	nvme zns zone-append "$dev" --zslba=2048 --data-size=4096 --data="$OUT/zeroes"
	nvme zns close-zone "$dev" --start-lba=2048
	nvme zns report-zones "$dev" --descs=2 --start-lba=2048 >"$OUT/report"
	nvme zns finish-zone "$dev" --start-lba=2048
	fio_load zbd --filename="$dev" --zonemode=zbd --rw=write --bs=16k --offset=12M --size=4M --ioengine=psync \
		--number_ios=50
	nvme zns reset-zone "$dev" --start-lba=2048
	nvme zns reset-zone "$dev" --start-lba=3072
	mark "$zoned" 12
	detach all
	check_eq "exit status" "$status" 0
}

host()
{
	drive_log 11 12
	check "trace equals the drive's log" "$VM/compare" --from 11 --to 12 "$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "zone actions" "$(jq -c 'select(.op == "zone-mgmt-send" and .comm == "nvme") | [.slba, .fields.zsa]' "$OUT/all.out" |
		xargs)" "[2048,4] [2048,3] [2048,1] [2048,2] [2048,4] [3072,4]"
	check_eq "appended blocks, and where the drive put them" "$(jq -c 'select(.op == "zone-append") |
		[.slba, .nlb, .bytes, .result]' "$OUT/all.out" | xargs)" "[2048,2,8192,0x800] [2048,1,4096,0x802]"
	check "zones reported" [ "$(jq -c 'select(.op == "zone-mgmt-recv" and .slba == 2048)' "$OUT/all.out" | wc -l)" -ge 1 ]
	check_eq "writes of fio" "$(jq -c 'select(.op == "write" and .comm == "fio" and .slba >= 3072)' "$OUT/all.out" | wc -l)" 50
	check "the account" nothing_lost "$OUT/all.out"
}
