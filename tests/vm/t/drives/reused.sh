# SPDX-License-Identifier: GPL-2.0-or-later
# A namespace is detached and one of another drive attached in its place, until a hardware queue lies where one of the
# other drive lay before: no command gets the name of the queue that was there. User space is stopped meanwhile, so
# that the programs have to notice it by themselves.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=swap
kernels='6.1' # newer ones go the same way, and hide no submitter behind a scheduler; on 5.10 the namespace that is detached stays there
plan=4
seconds=50

# leave ID NSID: the namespace goes
leave()
{
	nvme detach-ns "/dev/$(ctrl_of "$1")" --namespace-id="$2" --controllers=0
	while find_path "$1" "$2"; do
		read -rt 0.02 _ <><(:) || true
	done
}

# swap ID NSID ID NSID: the first namespace goes, the second comes
swap()
{
	leave "$1" "$2"
	nvme attach-ns "/dev/$(ctrl_of "$3")" --namespace-id="$4" --controllers=0
	drive_wait "$3" "$4"
}

# read_at ID NSID SLBA: reads there; notes which drive it is
read_at()
{
	local disk

	disk=$(disk_of "$1" "$2")
	dd if="/dev/$disk" of=/dev/null bs=4k skip="$3" count=1 iflag=direct status=none
	echo "$(($3 * 8)) $disk $(ctrl_of "$1") $2" >>"$OUT/names"
}

# Lines of bpftrace ("ADDRESS DISK"): how many addresses have had queues of two disks
reused()
{
	awk '$2 ~ /^nvme/ && $1 in of && of[$1] != $2 { n[$1] } { of[$1] = $2 } END { print length(n) }' "$OUT/hctx"
}

guest()
{
	local i=0 looking

	leave lab1 11
	bpftrace -B line -o "$OUT/hctx" -e 'kprobe:blk_mq_start_request {
		$r = (struct request *)arg0; printf("%p %s\n", $r->mq_hctx, $r->q->disk->disk_name); }
		interval:ms:100 { printf("ready\n") }' &
	looking=$!
	until grep -qs ready "$OUT/hctx"; do
		kill -0 "$looking"
		read -rt 0.1 _ <><(:) || true
	done
	attached trace "$NVMETOOL" trace --json --strict -O read --buffer 16M
	kill -STOP "$(pid_of trace)"
	until [ "$(reused)" -gt 0 ] || [ "$i" -ge 30 ]; do
		i=$((i + 1))
		read_at lab0 1 $((1000 + i))
		swap lab0 1 lab1 11
		read_at lab1 11 $((2000 + i))
		swap lab1 11 lab0 1
	done
	kill -CONT "$(pid_of trace)"
	drained
	detach trace
	check_eq "trace ends well" "$status" 0
	kill -INT "$looking"
	wait "$looking" || true
	check "queues were where others had been" [ "$(reused)" -gt 0 ]
	check "each read has the name that its drive had" diff <(sort "$OUT/names") \
		<(jq -r 'select(.comm == "dd" and .bytes == 4096) | "\(.slba) \(.dev) \(.ctrl) \(.nsid)"' \
			"$OUT/trace.out" | sort)
	check "nothing was lost" nothing_lost "$OUT/trace.out"
}
