# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that users make themselves: io_uring passthrough to /dev/ng*, and I/O commands of nvme-cli.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
test='6.1'
plan=11
seconds=10

. "$VM/lib/account.sh"

# /dev/ng* came with 5.13, io_uring passthrough with 5.19.
uring()
{
	if [ "$KERNEL" = 5.10 ]; then
		fio_load uring --filename="/dev/$disk" --rw=randrw --bs=4k --size=64M --ioengine=libaio --number_ios=200
		return
	fi
	fio --name=uring --output-format=json --output="$OUT/uring.json" --filename="/dev/ng${disk#nvme}" \
		--ioengine=io_uring_cmd --cmd_type=nvme --rw=randrw --bs=4k --size=64M --iodepth=8 --number_ios=200
}

guest()
{
	local disk device name

	disk=$(disk_of lab0 1)
	device=/dev/$disk
	[ "$KERNEL" = 5.10 ] || device=/dev/ng${disk#nvme}
	attached all "$NVMETOOL" trace --json --strict
	attached one "$NVMETOOL" trace --json -d "$device" -O read,write
	attached latency "$NVMETOOL" latency --json --by dev,opcode
	mark "$disk" 281
	uring
	printf 'x%.0s' $(seq 1024) >"$OUT/xs"
	nvme write "$device" --start-block=7 --block-count=1 --data-size=1024 --data="$OUT/xs"
	nvme read "$device" --start-block=7 --block-count=1 --data-size=1024 --data="$OUT/back"
	nvme compare "$device" --start-block=7 --block-count=0 --data-size=512 --data="$OUT/xs" || true
	nvme flush "$device" --namespace-id=1
	nvme write-zeroes "$device" --start-block=100 --block-count=15
	nvme dsm "$device" --namespace-id=1 --blocks=8 --slbs=200 --ad
	nvme verify "$device" --start-block=100 --block-count=3 || true
	blkdiscard --offset $((1 << 20)) --length $((1 << 16)) "/dev/$disk"
	mark "$disk" 282
	for name in all one latency; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	echo "$disk" >"$OUT/disk"
}

host()
{
	local disk

	disk=$(cat "$OUT/disk")
	drive_log 281 282
	check "trace equals the drive's log" "$VM/compare" --from 281 --to 282 "$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "all are of the namespace" "$(jq -r 'select(.type == "io" and .qid > 0) | "\(.dev) \(.nsid)"' "$OUT/all.out" |
		sort -u)" "$disk 1"
	check_eq "what nvme-cli asked for" "$(jq -c 'select(.type == "io" and .comm == "nvme" and .qid > 0) |
		[.op, .slba, .nlb, .bytes]' "$OUT/all.out" | sed -n '2,$p' | xargs)" \
		"[write,7,2,1024] [read,7,2,1024] [compare,7,1,512] [flush,null,null,0] [write-zeroes,100,16,0] \
[dsm,null,null,16] [verify,100,4,0] [dsm,null,null,16]"
	check_eq "where the kernel trims, which the command does not carry" \
		"$(jq -c 'select(.op == "dsm" and .slba) | [.op, .slba, .nlb, .bytes, .cdw10_15[27:]]' "$OUT/all.out")" \
		'["dsm",2048,128,16,"00000000 00000000 00000000"]'
	check_eq "and where the drive was asked to" "$(jq -c 'select(.range).range' "$OUT/drive.ndjson" | xargs)" "[200,8] [2048,128]"
	check_eq "-d of the character device" "$(jq -c 'select(.type == "io") | [.op, .slba, .cid]' "$OUT/one.out")" \
		"$(jq -c 'select(.op == "read" or .op == "write") | [.op, .slba, .cid]' "$OUT/all.out")"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency") | "\(.op) \(.count)"' "$OUT/latency.out" | sort)" \
		"$(jq -r 'select(.type == "io" and .qid > 0).op' "$OUT/all.out" | sort | uniq -c | awk '{ print $2, $1 }')"
	check "the account" nothing_lost "$OUT/all.out"
}
