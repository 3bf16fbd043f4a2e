# SPDX-License-Identifier: GPL-2.0-or-later
# A zoned namespace: what nvme-cli and fio do to its zones equals the drive's log and is decoded. Writes that wait in the
# plug of a zone, and are sent by a worker, are those of the process.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=zoned
test='6.18'
plan=9
seconds=11

. "$VM/lib/account.sh"

# Three programs, each with a zone of its own: several writes at a time, zeroes, and writes that are split.
write_plugged()
{
	local events=/sys/kernel/tracing/events/nvme/nvme_setup_cmd

	echo none >"/sys/block/$zoned/queue/scheduler"
	echo 1 >$events/enable
	fio_load plugged --filename="$dev" --zonemode=zbd --rw=write --bs=16k --offset=20M --size=4M --ioengine=libaio \
		--iodepth=8 --number_ios=100
	blkdiscard -z -o 24M -l 4M "$dev"
	dd if=/dev/zero of="$dev" bs=1M count=4 seek=28 oflag=direct conv=notrunc
	echo 0 >$events/enable
	grep nvme_setup_cmd: /sys/kernel/tracing/trace >"$OUT/setups"
}

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
	[[ $KERNEL == 5.10 || $KERNEL == 6.1 ]] || write_plugged
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
	check_eq "writes of fio" "$(jq -c 'select(.op == "write" and .comm == "fio" and .slba >= 3072 and .slba < 4096)' "$OUT/all.out" | wc -l)" 50
	case $KERNEL in
	5.10 | 6.1)
		skip "workers sent some of the plugged writes" "zones have no plugs before 6.10"
		skip "plugged writes are those of the process" "the same"
		;;
	*)
		check "workers sent some of the plugged writes" grep -q '^ *kworker.*nvme_cmd_write' "$OUT/setups"
		check_eq "plugged writes are those of the process" "$(jq -r 'select(.type == "io" and .op != "zone-mgmt-send" and
			.slba >= 5120 and .slba < 8192) | "\(.slba / 1024 | floor) \(.comm) \(.worker)"' "$OUT/all.out" | sort -u | xargs)" \
			"5 fio false 6 blkdiscard false 7 dd false"
		;;
	esac
	check "the account" nothing_lost "$OUT/all.out"
}
