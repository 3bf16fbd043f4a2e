# SPDX-License-Identifier: GPL-2.0-or-later
# A namespace that is formatted with other blocks while it is looked at: places are counted in the new ones.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test='6.1'
plan=10
seconds=18

. "$VM/lib/account.sh"

# lba_format BYTES: the number of the format without metadata and with such blocks
lba_format()
{
	nvme id-ns "/dev/$disk" --output-format=json |
		jq --argjson bytes "$1" '[.lbafs[] | .ms == 0 and .ds == ($bytes | log2)] | index(true)'
}

# blocks BYTES: formats the namespace, reads it in order, and has both report
blocks()
{
	nvme format "/dev/$disk" --lbaf="$(lba_format "$1")" --force >/dev/null
	check_eq "the kernel knows of blocks of $1 bytes" "$(cat "/sys/block/$disk/queue/logical_block_size")" "$1"
	fio_load "load$1" --filename="/dev/$disk" --bs=8k --rw=read --offset=64k --ioengine=psync --number_ios=400
	drained
	for name in plain general; do
		report "$name" USR1 "$reports"
	done
	reports=$((reports + 1))
}

# rows NAME: what it reported of the namespace
rows()
{
	jq -c 'select(.type == "pattern")' "$OUT/$1.out"
}

guest()
{
	local disk name reports=0

	disk=$(disk_of lab0 1)
	attached plain "$NVMETOOL" pattern -A --json
	attached general "$NVMETOOL" pattern -A --json --comm fio
	blocks 4096
	blocks 512
	for name in plain general; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
		check_eq "$name: each load has its blocks" "$(rows "$name" | head -n 2 | jq -c '.limits.lba.bytes')" \
			$'4096\n512'
		check "$name: nothing is off them" test "$(rows "$name" | head -n 2 | jq -c '.limits.lba.off')" = $'0\n0'
		check "$name: in order" test "$(rows "$name" | head -n 2 | jq -c '.seq_pct > 95 and .bytes >= 400 * 8192')" = $'true\ntrue'
	done
}
