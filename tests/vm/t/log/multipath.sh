# SPDX-License-Identifier: GPL-2.0-or-later
# Two controllers of one subsystem: each command has the controller and the path that it took, -d of the head selects
# all paths.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=multipath
test='6.12'
plan=15

. "$VM/lib/account.sh"

LATER='-d names a path or a partition that appeared during the run'

# taken CTRL PATH: reads and writes that the kernel counted on a path
taken()
{
	awk '{ print $1 + $5 }' "/sys/class/nvme/$1/$2/stat"
}

guest()
{
	local head id name i=0 ctrl=() path=() before=()

	head=$(disk_of lab0 1)
	for id in lab0 lab1; do
		ctrl+=("$(ctrl_of "$id")")
		path+=("$(path_of "$id" 1)")
	done
	echo round-robin | tee /sys/class/nvme-subsystem/*/iopolicy
	attached all "$NVMETOOL" trace --json --strict
	attached head "$NVMETOOL" trace --json -d "/dev/$head"
	attached path "$NVMETOOL" trace --json -d "${path[1]}"
	attached ctrl "$NVMETOOL" trace --json -c "${ctrl[0]}" -q io
	attached latency "$NVMETOOL" latency --json --by ctrl,dev
	mark "$head" 301
	before=("$(taken "${ctrl[0]}" "${path[0]}")" "$(taken "${ctrl[1]}" "${path[1]}")")
	fio_load load --filename="/dev/$head" --rw=randrw --size=64M --ioengine=libaio --iodepth=8 --number_ios=400
	drained
	for i in 0 1; do
		echo "${ctrl[i]} $head ${path[i]} $(($(taken "${ctrl[i]}" "${path[i]}") - before[i]))"
	done >"$OUT/paths"
	mark "$head" 302
	for name in all head path ctrl latency; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	path_comes
}

# A path goes in the middle: report says so, of the device whose path it was.
path_goes()
{
	attached recorder "$NVMETOOL" record -w "$OUT/goes.nvt"
	fio_load both --filename="/dev/$head" --rw=randread --size=64M --ioengine=psync --number_ios=200
	echo 1 >"$pci/remove"
	fio_load one --filename="/dev/$head" --rw=randread --size=64M --ioengine=psync --number_ios=200
	drained
	detach recorder
	"$NVMETOOL" report --json "$OUT/goes.nvt" >"$OUT/goes"
	check_eq "the path that commands have left" "$(jq -r 'select(.kind == "path-change") | .dev' "$OUT/goes")" "$head"
	check "by its controller" grep -q "no command took the path by ${ctrl[1]} from" "$OUT/goes"
}

# The programs' filter is made of the paths that are there when nvmetool begins.
path_comes()
{
	local pci

	pci=$(realpath "/sys/class/nvme/${ctrl[1]}/device")
	path_goes
	attached late "$NVMETOOL" latency --json -d "/dev/$head"
	echo 1 >/sys/bus/pci/rescan
	drive_wait lab1 1
	check "a path that comes later is told of" told_of_path
	detach late
	check_eq "once" "$(grep -c -e "$LATER" "$OUT/late.err")" 1
}

told_of_path()
{
	local tries

	for ((tries = 0; tries < 50; tries++)); do
		! grep -q -e "$LATER" "$OUT/late.err" || return 0
		sleep 0.05
	done
	return 1
}

# counts FILE: "CTRL DEV PATH COUNT" of reads and writes
counts()
{
	jq -r 'select(.op == "read" or .op == "write") | "\(.ctrl) \(.dev) \(.path)"' "$OUT/$1.out" | sort | uniq -c |
		awk '{ print $2, $3, $4, $1 }'
}

host()
{
	drive_log 301 302
	check "trace equals the drives' log" "$VM/compare" --keys cid,nsid,opcode,slba,nlb,status --from 301 --to 302 \
		"$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "each on the path that the kernel counted" "$(counts all)" "$(sort "$OUT/paths")"
	check_eq "-d of the head: all paths" "$(counts head)" "$(sort "$OUT/paths")"
	check_eq "-d of a path, -c of a controller: its part" "$(counts path) $(counts ctrl)" \
		"$(sed -n 2p "$OUT/paths") $(sed -n 1p "$OUT/paths")"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency") | "\(.ctrl) \(.dev) \(.count)"' \
		"$OUT/latency.out" | sort)" "$(jq -r 'select(.type == "io" and .qid > 0) | "\(.ctrl) \(.dev)"' "$OUT/all.out" |
		sort | uniq -c | awk '{ print $2, $3, $1 }')"
	check "the account" nothing_lost "$OUT/all.out"
}
