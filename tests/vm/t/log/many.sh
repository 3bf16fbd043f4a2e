# SPDX-License-Identifier: GPL-2.0-or-later
# More than sixteen namespaces, block formats with and without metadata, a scheduler of its own for each: every command
# has its namespace, its bytes and its submitter.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=many
test='6.1'
plan=11
seconds=13

. "$VM/lib/account.sh"

# Reads and writes on each namespace, as many as its number and ten more.
load()
{
	local id nsid name disk

	while read -r id nsid name; do
		disk=$(disk_of "$id" "$nsid")
		# One with metadata that the kernel cannot use has no room.
		[ "$(cat "/sys/block/$disk/size")" != 0 ] || continue
		printf '[ns%s]\nfilename=/dev/%s\nnumber_ios=%s\n' "$nsid" "$disk" $((nsid + 10))
		echo "$nsid $disk $(cat "/sys/block/$disk/queue/logical_block_size") $name" >&3
	done <<<"$DISKS" 3>"$OUT/disks"
}

guest()
{
	local disk name

	disk=$(disk_of lab0 1)
	load >"$OUT/job"
	attached all "$NVMETOOL" trace --json --strict
	attached latency "$NVMETOOL" latency --json --by ctrl,ns
	attached pattern "$NVMETOOL" pattern --json --by dev --comm fio
	mark "$disk" 401
	fio --direct=1 --bs=4k --rw=randrw --size=32M --ioengine=libaio --iodepth=4 --output="$OUT/fio" "$OUT/job"
	# A format with metadata is reached with commands of one's own, whatever the kernel makes of it.
	nvme read "/dev/$(disk_of lab0 3)" --start-block=9 --block-count=3 --data-size=2048 --metadata-size=32 \
		--metadata=/dev/null --data="$OUT/data" || true
	nvme read "/dev/$(disk_of lab0 4)" --start-block=9 --block-count=3 --data-size=16384 --metadata-size=32 \
		--metadata=/dev/null --data="$OUT/data" || true
	drained
	mark "$disk" 402
	for name in all latency pattern; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
}

host()
{
	drive_log 401 402
	check "more than sixteen namespaces on a controller" [ "$(grep -vc ' n*3[1-4] ' "$OUT/disks")" -gt 16 ]
	check "trace equals the drives' log" "$VM/compare" --from 401 --to 402 "$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "as many on each as fio was told" \
		"$(jq -r 'select(.type == "io" and .comm == "fio") | "\(.nsid) \(.dev) \(.bytes / .nlb)"' "$OUT/all.out" |
			sort | uniq -c | awk '{ print $2, $3, $4, $1 }')" \
		"$(awk '{ print $1, $2, $3, $1 + 10 }' "$OUT/disks" | sort)"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency") | "\(.ctrl) \(.nsid) \(.count)"' \
		"$OUT/latency.out" | sort)" \
		"$(jq -r 'select(.type == "io" and .qid > 0) | "\(.ctrl) \(.nsid)"' "$OUT/all.out" | sort | uniq -c |
			awk '{ print $2, $3, $1 }' | sort)"
	check_eq "pattern as well" "$(jq -r 'select(.type == "pattern") | "\(.dev) \(.count)"' "$OUT/pattern.out" | sort)" \
		"$(awk '{ print $2, $1 + 10 }' "$OUT/disks" | sort)"
	check_eq "no scheduler hides the submitter" \
		"$(jq -r 'select(.type == "io" and .nsid > 30) | "\(.nsid) \(.comm) \(.worker)"' "$OUT/all.out" | sort -u | xargs)" \
		"31 fio false 32 fio false 33 fio false 34 fio false"
	check_eq "commands with metadata" "$(jq -r 'select(.op == "read" and .comm == "nvme") |
		"\(.nsid) \(.slba) \(.nlb)"' "$OUT/all.out" | xargs)" "3 9 4 4 9 4"
	check "the account" nothing_lost "$OUT/all.out"
}
