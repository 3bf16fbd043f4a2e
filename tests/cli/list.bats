#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# list on a sysfs made up for the test: two controllers, a namespace with a partition, a path of a multipath.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

put()
{
	[ -d "$sysfs/${1%/*}" ] || mkdir -p "$sysfs/${1%/*}"
	printf '%b\n' "$2" >"$sysfs/$1"
}

# put_all DIR NAME=VALUE...
put_all()
{
	local dir=$1 pair
	shift
	for pair; do
		put "$dir/${pair%%=*}" "${pair#*=}"
	done
}

# put_ctrl NAME TRANSPORT ADDRESS MODEL SERIAL
put_ctrl()
{
	put_all "class/nvme/$1" state=live "transport=$2" "address=$3" "model=$4        " "serial=$5" firmware_rev=1.0 \
		cntlid=7 numa_node=-1 queue_count=5 sqsize=1023 subsysnqn=nqn.2019-08.org.qemu:x
}

# put_ns CTRL DISK NSID
put_ns()
{
	put_all "class/nvme/$1/$2" "nsid=$3" size=41943040 wwid=nvme.1b36-30 queue/logical_block_size=512 \
		'queue/scheduler=[none] mq-deadline' queue/nr_requests=1023
	mkdir -p "$sysfs/class/nvme/$1/$2"/mq/{0,1,2,3}
}

setup()
{
	sysfs=$BATS_TEST_TMPDIR/sys
	put_ctrl nvme0 pcie 0000:01:00.0 'Hostile \033[31m"x",y' 'S\377"1'
	put_ctrl nvme1 tcp traddr=192.0.2.1,trsvcid=4420 Fabric 42
	put_ns nvme0 nvme0n1 1
	put class/nvme/nvme0/nvme0n1/dev 259:0
	put_all class/nvme/nvme0/nvme0n1/nvme0n1p1 partition=1 start=2048 size=4096
	put_ns nvme1 nvme3c1n1 9
	put class/nvme/nvme1/nvme3c1n1/metadata_bytes 8
	put class/block/nvme3n1/dev 259:7
}

@test "text has a table of controllers and one of namespaces" {
	run -0 --separate-stderr "$NVMETOOL" list --sysfs "$sysfs"
	[ -z "$stderr" ]
	[[ ${lines[0]} == "CTRL "*" MODEL" ]]
	[[ ${lines[1]} =~ ^nvme0\ +live\ +pcie\ +0000:01:00.0\ +5\  ]]
	[[ ${lines[3]} == "DEV "*" PATH" ]]
	[[ ${lines[4]} =~ ^nvme0n1\ +nvme0\ +1\ +20.0G\ +512\ +-\ none\ +-$ ]]
	[[ ${lines[5]} =~ ^nvme3n1\ +nvme1\ +9\ .*\ nvme3c1n1$ ]]
	[ "${#lines[@]}" = 6 ]
}

@test "what a drive says is escaped" {
	run -0 "$NVMETOOL" list --sysfs "$sysfs"
	[[ ${lines[1]} == *'S\xff"1'*'Hostile \x1b[31m"x",y' ]]
	"$NVMETOOL" list --sysfs "$sysfs" --csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert rows[0]["model"] == "Hostile \\x1b[31m\"x\",y", rows[0]
assert [r["type"] for r in rows] == ["ctrl", "ctrl", "ns", "ns"]
assert all(None not in r and None not in r.values() for r in rows)'
	"$NVMETOOL" list --sysfs "$sysfs" -j | jq -es 'map(select(.ctrl_id == 0 and .model))[0].serial == "S\\xff\"1"'
}

@test "-v adds columns" {
	run -0 "$NVMETOOL" list --sysfs "$sysfs" -v
	[[ ${lines[0]} == *" ENTRIES NUMA CNTLID "*" SUBSYSNQN "* ]]
	[[ ${lines[1]} == *" 1024 "* ]]
	[[ ${lines[3]} == *" MAJ:MIN WWID "* ]]
	[[ ${lines[5]} == *" 259:7 "* ]]
}

@test "JSON begins with meta and has a record for each controller and path" {
	"$NVMETOOL" list --sysfs "$sysfs" -j >"$BATS_TEST_TMPDIR/out"
	jq -es '.[0].type == "meta" and .[0].schema == "nvmetool/1" and .[0].command == "list"' "$BATS_TEST_TMPDIR/out"
	jq -es 'map(.type) == ["meta", "ctrl", "ctrl", "ns", "ns"]' "$BATS_TEST_TMPDIR/out"
	jq -es '.[1] | .ctrl == "nvme0" and .queues == 5 and .queue_entries == 1024 and .numa_node == null and .cntlid == 7 and
		.firmware == "1.0" and .subsysnqn == "nqn.2019-08.org.qemu:x" and .state == "live" and .transport == "pcie" and
		.address == "0000:01:00.0"' "$BATS_TEST_TMPDIR/out"
	jq -es '.[3] | .dev == "nvme0n1" and .path == null and .size_bytes == 21474836480 and .metadata_bytes == null
		and .lba_bytes == 512 and .scheduler == "none" and .nr_requests == 1023 and .hw_queues == 4 and .wwid == "nvme.1b36-30"
		and .partitions == [{dev: "nvme0n1p1", start_bytes: 1048576, size_bytes: 2097152}]' "$BATS_TEST_TMPDIR/out"
	jq -es '.[4] | .dev == "nvme3n1" and .path == "nvme3c1n1" and .ctrl == "nvme1" and .dev_number == "259:7"
		and .metadata_bytes == 8' \
		"$BATS_TEST_TMPDIR/out"
	run -0 "$NVMETOOL" list --sysfs "$sysfs" -j --no-meta
	[ "${#lines[@]}" = 4 ]
}

@test "what went away while it was read is unknown, not 0" {
	rm "$sysfs/class/nvme/nvme0/cntlid" "$sysfs/class/nvme/nvme0/nvme0n1"/{nsid,size}
	"$NVMETOOL" list --sysfs "$sysfs" -j >"$BATS_TEST_TMPDIR/out"
	jq -es '.[1].cntlid == null and .[2].cntlid == 7' "$BATS_TEST_TMPDIR/out"
	jq -es '.[3] | .dev == "nvme0n1" and .nsid == null and .size_bytes == null' "$BATS_TEST_TMPDIR/out"
	run -0 "$NVMETOOL" list --sysfs "$sysfs" --columns dev,nsid,size_bytes --no-header
	[ "$(tr -s ' ' <<<"${lines[0]}")" = "nvme0n1 - -" ]
	run -0 "$NVMETOOL" list --sysfs "$sysfs" --csv --columns dev,nsid,size_bytes --no-header
	[[ $output == *$'\nns,nvme0n1,,\r\n'* ]]
}

@test "--columns chooses" {
	run -0 "$NVMETOOL" list --sysfs "$sysfs" --columns dev,nsid --no-header
	[ "$(tr -s ' ' <<<"$output")" = $'nvme0n1 1\nnvme3n1 9' ]
	run -2 "$NVMETOOL" list --sysfs "$sysfs" --columns nonsense
}

@test "a driver without controllers is no error" {
	rm -r "$sysfs"
	mkdir -p "$sysfs/class/nvme"
	run -0 --separate-stderr "$NVMETOOL" list --sysfs "$sysfs"
	[ -z "$output" ]
	[ "$stderr" = "nvmetool: no controllers" ]
	run -0 --separate-stderr "$NVMETOOL" list --sysfs "$sysfs" --csv
	[[ $output == type,ctrl_id,ctrl,* ]]
}

@test "no driver, no such directory, no room: message and exit status" {
	run -5 --separate-stderr "$NVMETOOL" list --sysfs "$BATS_TEST_TMPDIR/none"
	[[ $stderr == "error: $BATS_TEST_TMPDIR/none/class/nvme: No such file or directory; "* ]]
	run -1 --separate-stderr sh -c '"$NVMETOOL" list --sysfs "$1" >/dev/full' - "$sysfs"
	[ "$stderr" = "error: cannot write output: No space left on device" ]
	[ -d /sys/class ] || skip "/sys is not mounted here; mount -t sysfs sysfs /sys"
	[ ! -d /sys/class/nvme ] || skip "the driver is loaded here"
	run -4 --separate-stderr "$NVMETOOL" list
	[ "$stderr" = "error: no NVMe driver: the module nvme_core is not loaded; load it: modprobe nvme" ]
}

@test "without sysfs that is what is missing, not the driver" {
	no_sysfs() { unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' - "$@"; }
	no_sysfs true || skip "nothing can be mounted here"
	run -4 --separate-stderr no_sysfs "$NVMETOOL" list
	[ "$stderr" = "error: /sys: not mounted; mount -t sysfs sysfs /sys" ]
}

@test "a reader that leaves is no error" {
	run -0 --separate-stderr bash -c '"$NVMETOOL" list --sysfs "$1" | true; exit "${PIPESTATUS[0]}"' - "$sysfs"
	[ -z "$stderr" ]
}
