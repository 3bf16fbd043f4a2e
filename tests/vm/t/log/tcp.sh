# SPDX-License-Identifier: GPL-2.0-or-later
# NVMe/TCP to this machine: what the target says it was sent, nvmetool shows, from connecting on; commands in flight
# when the connection breaks are errors, as many as the kernel cancelled.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
plan=19
seconds=32

. "$VM/lib/account.sh"
. "$VM/lib/fabrics.sh"
. "$VM/lib/tracefs.sh"

# throttle IOPS: of the drive behind the target; 0: none
throttle()
{
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 $1 0 0"
}

target_events()
{
	echo "$1" >"$TRACEFS/events/nvmet/nvmet_req_init/enable"
}

# Connects with two queues, reads and writes, waits for some keep-alive commands, disconnects.
whole_life()
{
	local disk

	modprobe nvmet
	attached all "$NVMETOOL" trace --json --strict --buffer 1M
	attached latency "$NVMETOOL" latency --json --strict -A --by ctrl,qid,opcode
	target_events 1
	target_up lab "/dev/$local_disk"
	target_connect lab --nr-io-queues=2 --queue-size=16 --keep-alive-tmo=1
	target_ctrl >"$OUT/ctrl"
	disk=$(target_disk)
	attached only "$NVMETOOL" trace --json -d "$disk"
	fio_load load --filename="/dev/$disk" --rw=randrw --size=16M --bsrange=512-16k --ioengine=libaio --iodepth=8 \
		--numjobs=2 --number_ios=100
	until [ "$(grep -c keep-alive "$OUT/all.out")" -ge 3 ]; do
		read -rt 0.1 _ <><(:) || true
	done
	drained
	detach only
	nvme disconnect -n lab
	target_events 0
	detach all
	check_eq "trace ends well" "$status $(told "$OUT/all.err")" "0 "
	detach latency
	check_eq "latency ends well" "$status" 0
	grep nvmet_req_init: "$TRACEFS/trace" >"$OUT/target" || true
}

# The drive behind the target takes two commands a second, the host has sixteen in flight, the target goes away.
pulled()
{
	local disk ctrl loader i

	target_connect lab --nr-io-queues=2 --queue-size=32
	ctrl=$(target_ctrl) disk=$(target_disk)
	probes_on nvme_cancel_request
	attached errors "$NVMETOOL" errors --json -c "${ctrl#nvme}"
	throttle 2
	fio --name=stuck --filename="/dev/$disk" --rw=randread --bs=4k --direct=1 --size=16M --ioengine=libaio \
		--iodepth=16 --number_ios=64 --output="$OUT/stuck" &
	loader=$!
	until awk '{ exit !($1 >= 16) }' "/sys/class/nvme/$ctrl"/nvme*n1/inflight; do
		read -rt 0.05 _ <><(:) || true
	done
	target_gone lab
	until [ "$(cat "/sys/class/nvme/$ctrl/state")" != live ]; do
		read -rt 0.05 _ <><(:) || true
	done
	# A command of one's own does not wait for the connection to come back: it fails without being sent.
	for i in 1 2 3; do
		nvme id-ctrl "/dev/$ctrl" || true
	done
	nvme disconnect -n lab
	throttle 0
	wait "$loader" || true
	detach errors
	# The command that waits for asynchronous events is older than the run, and may be cancelled within it.
	check_eq "errors ends well" "$status $(told "$OUT/errors.err" | grep -v 'submitted before attaching' || true)" "0 "
	probes_off
}

guest()
{
	local local_disk

	local_disk=$(disk_of lab0 1)
	ip link set lo up
	modprobe nvme_tcp # before nvmetool looks: completions of TCP can be interrupted by those of the drive
	whole_life
	case $KERNEL in
	5.10) skip "errors ends well" "nvme_tcp of 5.10 crashes when its connection breaks under load" ;;
	*) pulled ;;
	esac
	target_down lab
	check "nothing is left attached" detached_all
}

# The target's lines as "QID CID OP", but what has no request in the host; the queue that a connect is for is in it.
of_target()
{
	sed -nE 's/.*qid=([0-9]+), cmdid=([0-9]+),.* cmd=\((nvme_fabrics_type|nvme_admin|nvme_cmd)_([a-z_]*), (recfmt=[0-9]+, qid=([0-9]+))?.*/\1 \2 \4 \6/p' \
		"$OUT/target" | awk '{ print (NF == 4 ? $4 : $1), $2, $3 }' |
		sed 's/get_log_page/get-log/; y/_/-/' | grep -v async-event | sort
}

of_host()
{
	jq -r --arg ctrl "$(cat "$OUT/ctrl")" 'select(.type == "io" and .ctrl == $ctrl) | "\(.qid) \(.cid) \(.op)"' \
		"$OUT/all.out" | sort
}

# counts FILTER: of the host's records
counts()
{
	of_host | awk '{ print $3 }' | sort | uniq -c | awk '{ print $2, $1 }' | grep -xE "$1" || true
}

host()
{
	local ctrl

	ctrl=$(cat "$OUT/ctrl")
	check "every command that the target got" diff <(of_target) <(of_host)
	check_eq "three connects, of queues 0, 1 and 2" "$(of_host | awk '$3 == "connect" { print $1 }' | xargs)" "0 1 2"
	check_eq "reads and writes of fio, and of the kernel's search for partitions" \
		"$(jq -s --arg ctrl "$ctrl" 'map(select(.ctrl == $ctrl and .comm == "fio" and (.qid == 1 or .qid == 2))) | length' \
			"$OUT/all.out")" "$(jq "[.jobs[] | .read.total_ios + .write.total_ios] | add" "$OUT/load.json")"
	check_eq "properties by name" "$(jq -r --arg ctrl "$ctrl" 'select(.ctrl == $ctrl and .op == "property-set" and
		.fields.ofst == 20) | .op' "$OUT/all.out" | sort -u)" property-set
	check "keep-alive" [ "$(of_host | grep -c keep-alive)" -ge 3 ]
	check "no fabrics command has a namespace" none "$OUT/all.out" '.fctype != null and .nsid != null'
	check_eq "-d of the disk: its I/O, nothing else" "$(jq -r 'select(.type == "io") | "\(.ctrl) \(.admin)"' \
		"$OUT/only.out" | sort | uniq -c | xargs)" \
		"$(jq -s --arg ctrl "$ctrl" 'map(select(.ctrl == $ctrl and .comm == "fio")) | length' "$OUT/all.out") $ctrl false"
	check_eq "latency counts the same" "$(jq -r --arg ctrl "$ctrl" 'select(.type == "latency" and .ctrl == $ctrl) |
		"\(.qid) \(.op) \(.count)"' "$OUT/latency.out" | sort)" \
		"$(of_host | awk '{ n[$1 " " $3]++ } END { for (key in n) print key, n[key] }' | sort)"
	check "the account of trace" nothing_lost "$OUT/all.out"
	check "the account of latency" nothing_lost "$OUT/latency.out"
	check_cancelled
}

check_cancelled()
{
	local i

	if [ "$KERNEL" = 5.10 ]; then
		for i in 1 2 3 4 5; do
			skip "errors of a broken connection" "nvme_tcp of 5.10 crashes under load"
		done
		return
	fi
	check "commands were cancelled" [ "$(calls nvme_cancel_request)" -ge 16 ]
	check_eq "as many errors, by name" "$(jq -r 'select(.type == "error" and .sct == 3 and .sc == 113).status_name' \
		"$OUT/errors.out" | sort | uniq -c | xargs)" "$(calls nvme_cancel_request) Command Aborted By Host"
	# Calls of nvme_host_path_error for commands never sent cannot be counted: the driver has it inline.
	check_eq "what the driver did not send is an error, too" \
		"$(jq -c 'select(.type == "error" and .sct == 3 and .sc == 112)' "$OUT/errors.out" | wc -l)" \
		"$(summary_of "$OUT/errors.out" | jq .unsent)"
	check_eq "of the process that waited" \
		"$(jq -r 'select(.type == "error" and .sc == 113 and .qid > 0).comm' "$OUT/errors.out" | sort -u)" fio
	check "the account of errors" nothing_lost "$OUT/errors.out"
}
