# SPDX-License-Identifier: GPL-2.0-or-later
# inflight while drives move: snapshots without a pause while a controller is reset, pulled and put back, and CPUs go and
# come. No row is of a command that never was, or of a process that did not send it.
# trace has no line where the kernel skips a run of its programs, as it may in a reset: then the drive's log has one.
# 5.10 does without resets, after one or two of which the emulated drive stops answering on a queue there.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
plan=7
seconds=49

. "$VM/lib/hold.sh"

CPUS=/sys/devices/system/cpu
SNAPSHOTS=200

# load ID NSID: starts fio on a drive that serves 400 commands a second, so that it has some from here on; fio's id is in
# $loader
load()
{
	local path disk

	find_path "$1" "$2"
	quiet_monitor "block_set_io_throttle $1n$2 0 0 0 400 0 0"
	fio --name=load --filename="/dev/$disk" --rw=randrw --bs=4k --ioengine=libaio --iodepth=16 --direct=1 \
		--thread --time_based --runtime=600 --output="$OUT/$1.fio" &
	loader=$!
	disk=$path held_by 1
}

# resets: of the controller of lab0; each takes what is in flight off the drive, or cancels it
resets()
{
	local i

	[ "$LABEL" != 5.10 ] || return 0
	for ((i = 0; i < 3; i++)); do
		some_snapshots 5
		nvme reset "/dev/$(ctrl_of lab0)"
	done
}

# cpus: two of four go and come back
cpus()
{
	local cpu

	for cpu in "$CPUS"/cpu[12]; do
		echo 0 >"$cpu/online"
		some_snapshots 5
		echo 1 >"$cpu/online"
	done
}

# pulled: what is open would keep its name from the drive that comes back. Not throttled: QEMU may crash when it pulls a
# drive that it holds commands of.
pulled()
{
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
	unplug lab0
	wait "$loader" || true
	some_snapshots 5
	plug lab0 max_ioqpairs=4
}

# some_snapshots COUNT: waits for them
some_snapshots()
{
	local had

	had=$(snapshots)
	until [ "$(snapshots)" -ge $((had + $1)) ]; do
		read -rt 0.05 _ <><(:) || true
	done
}

# One summary of lab1's controller each.
snapshots()
{
	grep -c "\"type\":\"summary\".*\"ctrl\":\"$stays\"" "$OUT/snapshots.out" || true
}

guest()
{
	local stays loader other step

	stays=$(ctrl_of lab1)
	attached trace "$NVMETOOL" trace --json --show submit
	mark "$(disk_of lab1 11)" 711
	load lab1 11
	other=$loader
	load lab0 1
	"$NVMETOOL" inflight --json 20ms >"$OUT/snapshots.out" 2>"$OUT/snapshots.err" &
	pid_snapshots=$!
	for step in resets cpus pulled 'load lab0 1' resets; do
		echo "$(snapshots) $step" >>"$OUT/steps"
		$step
	done
	until [ "$(snapshots)" -ge "$SNAPSHOTS" ]; do
		some_snapshots 10
	done
	detach snapshots
	check_eq "inflight ends well" "$status" 0
	kill "$other" "$loader"
	wait "$other" "$loader" || true
	drained
	mark "$(disk_of lab1 11)" 712
	detach trace
	check_eq "trace ends well" "$status" 0
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
	quiet_monitor "block_set_io_throttle lab1n11 0 0 0 0 0 0"
}

# which FILE FILTER [MEMBER]: prints a line for each command, with MEMBER at its end
which()
{
	jq -r "select($2) | \"\(if .qid > 0 then .nsid else \"-\" end) \(.qid) \($CID) \(.opcode) \(.slba) \(${3:-null})\"" "$1" |
		sort -u
}

host()
{
	local stays

	stays=$(jq -rs 'map(select(.nsid == 11))[0].ctrl' "$OUT/snapshots.out")
	drive_log 711 712 --all
	which "$OUT/drive.ndjson" true >"$OUT/taken"
	which "$OUT/trace.out" '.type == "submit"' >"$OUT/sent"
	which "$OUT/snapshots.out" '.type == "inflight" and .opcode' >"$OUT/seen"
	check "there were snapshots enough" [ "$(snapshots)" -ge "$SNAPSHOTS" ]
	check_eq "they have commands of both drives" "$(awk '$2 { n[$1]++ } END { print (n[1] >= 50), (n[11] >= 50) }' "$OUT/seen")" "1 1"
	sort -u "$OUT/taken" "$OUT/sent" >"$OUT/were"
	check "no row is of a command that never was" within "$OUT/were" "$OUT/seen"
	check "nearly all the drive took" [ "$(comm -23 "$OUT/seen" "$OUT/taken" | wc -l)" -le 100 ]
	which "$OUT/snapshots.out" '.type == "inflight" and .pid and .opcode' .pid >"$OUT/seen_pid"
	which "$OUT/trace.out" '.type == "submit"' .pid >"$OUT/sent_pid"
	check_eq "each is of the process that sent it" "$(strangers)" ""
}

# strangers: rows of a command that trace has, but of another process
strangers()
{
	awk '{ pid = $NF; $NF = "" }
		NR == FNR { sent[$0]; by[$0 pid]; next }
		{ checked++ }
		$0 in sent && !($0 pid in by) { print $0 pid }
		END { if (!checked) print "nothing to check" }' "$OUT/sent_pid" "$OUT/seen_pid"
}
