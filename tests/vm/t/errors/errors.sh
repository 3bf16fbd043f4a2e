# SPDX-License-Identifier: GPL-2.0-or-later
# errors: each failed command once, as the drive's log has it; nothing for a clean run.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
kernels='* !5.10 arm64-6.1 arm64-6.12 as5.15-6.1'
test='6.1 as5.15-6.1'
plan=26
seconds=22

. "$VM/lib/account.sh"

# The errors of the commands below, each once; reads of LBA 1000 and writes to namespace 3 have six attempts.
names='Compare Failure
Invalid Command Opcode
Invalid Field in Command
Invalid Namespace or Format
LBA Out of Range'

passthrough()
{
	nvme io-passthru "/dev/$one" --namespace-id=1 "$@" >"$OUT/passthrough" 2>&1
}

wrong_commands()
{
	printf 'x%.0s' $(seq 512) >"$OUT/xs"
	check "LBA out of range" fails passthrough --opcode=2 --cdw10=0x40000000 --data-len=512 --read
	check "invalid opcode" fails passthrough --opcode=0xee
	check "compare" fails nvme compare "/dev/$one" --start-block=5 --block-count=0 --data-size=512 --data="$OUT/xs"
	check "invalid field" fails nvme admin-passthru "/dev/$ctrl" --opcode=6 --cdw10=0xff --data-len=4096 --read
	check "invalid namespace" fails nvme admin-passthru "/dev/$ctrl" --opcode=6 --namespace-id=0xfffffff0 \
		--cdw10=0 --data-len=4096 --read
}

# The kernel's own lines without the names, which kernels without verbose errors do not print.
without_names()
{
	sed -nE 's/^(\[[ 0-9.]*\] )?//; s/: [^:(]*\((0x[0-9a-f]+)\)/: (\1)/; s/, [^,(]* \(sct/ (sct/p' "$1" | sort
}

guest()
{
	local one bad ctrl untraced

	untraced=$(printf 'nvmetool: this kernel does not let %s be traced: %s are not seen\n' \
		nvme_timeout timeouts nvme_change_ctrl_state resets)
	untraced+=$'\nnvmetool: this kernel does not let blk_insert_flush be traced: flushes, and writes that wait for them, are '
	untraced+='shown as those of a kernel worker'
	one=$(disk_of lab0 1) bad=$(disk_of lab0 3) ctrl=$(ctrl_of lab0)
	attached clean "$NVMETOOL" errors -R --block
	fio_load load --filename="/dev/$one" --offset=1M --size=8M --rw=randrw --ioengine=libaio --iodepth=16 --number_ios=400
	drained
	detach clean
	check_eq "a clean run ends well" "$status" 0
	check_eq "and only says so" "$(sed 's/[0-9][0-9]*/N/' "$OUT/clean.out" <(grep -vxF "$untraced" "$OUT/clean.err"))" \
		"nvmetool: no errors in N commands"

	attached all "$NVMETOOL" errors --json
	attached block "$NVMETOOL" errors --json --block
	attached stack "$NVMETOOL" errors --json -k -O read
	attached kernel "$NVMETOOL" errors -f kernel -q io
	attached sum "$NVMETOOL" errors --json -s -a --self-stats
	attached by "$NVMETOOL" errors --json -s -a --by comm,opcode,owner,sched,during
	mark "$one" 31
	dmesg --clear
	dd if="/dev/$one" of=/dev/null bs=512 skip=1000 count=1 iflag=direct 2>"$OUT/dd.err" || true
	dd if=/dev/zero of="/dev/$bad" bs=4096 count=1 oflag=direct 2>>"$OUT/dd.err" || true
	dmesg >"$OUT/dmesg"
	detach kernel
	wrong_commands
	mark "$one" 32
	detach all
	check_eq "exit status" "$status" 0
	for name in stack block sum by; do
		detach "$name"
	done
	grep '@ LBA' "$OUT/dmesg" >"$OUT/logged" || true
	check "-f kernel prints what the kernel logs" diff <(without_names "$OUT/logged") <(without_names "$OUT/kernel.out")
	check_eq "that is two lines" "$(wc -l <"$OUT/kernel.out")" 2
	more_retries
}

# More than nvmetool knows of: three attempts that it takes for the last one are not.
more_retries()
{
	local allowed=/sys/module/nvme_core/parameters/max_retries before

	before=$(cat $allowed)
	attached raised "$NVMETOOL" errors --json --block
	echo $((before + 3)) >$allowed
	! dd if="/dev/$one" of=/dev/null bs=512 skip=1000 count=1 iflag=direct 2>>"$OUT/dd.err"
	echo "$before" >$allowed
	drained
	detach raised
	check_eq "with more retries it ends well" "$status" 0
}

only()
{
	jq -r "select(.type == \"error\") | $2" "$OUT/$1.out"
}

# reads FILE: but for what two programs that run one after the other see differently
reads()
{
	only "$1" 'select(.op == "read") | del(.ts, .time_ns, .mono_ns, .lat_ns, .kstack) | tojson'
}

host()
{
	drive_log 31 32 --all
	jq -c 'select(.status != 0 and .status != null)' "$OUT/drive.ndjson" >"$OUT/failed.ndjson"
	only all '.type = "io" | tojson' >"$OUT/records.ndjson"
	check "records equal the failures in the drive's log" \
		"$VM/compare" --all --drives "$OUT/../../drives" "$OUT/failed.ndjson" "$OUT/records.ndjson"
	check_eq "six attempts each, one of them the last" \
		"$(only all 'select(.attempt > 1 or .final == false) | "\(.op) \(.attempt) \(.final)"' | xargs)" \
		"$(for op in read write; do for i in 1 2 3 4 5; do echo "$op $i false"; done; echo "$op 6 true"; done | xargs)"
	check_eq "one block error for each" "$(only block 'select(.blk_sts and .pid != null and .retries == 5) |
		"\(.op) \(.blk_sts) \(.errno_name)"' | xargs)" "read BLK_STS_MEDIUM ENODATA write BLK_STS_MEDIUM ENODATA"
	check_eq "every failure for good has its block status" \
		"$(only block 'select(.final != (.blk_sts != null)) | .op')" ""
	check_eq "the names" "$(only all 'select(.retries == 0 and .final) | .status_name' | sort)" "$names"
	check_eq "DNR is told" "$(only all 'select(.status_name == "LBA Out of Range") | .dnr')" true
	check "its maps take at most 32 MiB" jq -se 'last.self.map_bytes <= 33554432' "$OUT/sum.out"
	check_eq "the summary counts them" \
		"$(jq -s 'map(select(.type == "errors" and .status != 0).count) | add' "$OUT/sum.out")" "$(only all .op | wc -l)"
	check_eq "and the rest of what the drive did" \
		"$(jq -s 'map(select(.type == "errors").count) | add' "$OUT/sum.out")" \
		"$(jq -s '.[-1].paired' "$OUT/sum.out")"
	check_eq "-k: the stack of each submission leads to the driver, of the first attempt to dd" \
		"$(jq -r 'select(.type == "error" and .comm == "dd") |
			[(.kstack | any(startswith("nvme_setup_cmd+"))), .retries > 0 or (.kstack | any(startswith("vfs_read+")))] |
			tojson' "$OUT/stack.out" | sort | uniq -c | xargs)" "6 [true,true]"
	check_eq "and the rest of each read is the same" "$(reads stack)" "$(reads all)"
	check "more retries than before: the account adds up" adds_up "$OUT/raised.out"
	check_eq "and what came between is lost" "$(only raised '"\(.retries) \(.final)"' | xargs) $(summary_of "$OUT/raised.out" |
		jq .lost.ring_full)" "0 false 1 false 2 false 3 false 4 false 8 true 3"
	check_eq "by process it counts the same failures" \
		"$(jq -r 'select(.event == "error") | "\(.comm) \(.op) \(.count)"' "$OUT/by.out" | sort)" \
		"$(only all '"\(.comm) \(.op)"' | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort)"
	check_eq "and all that the drive did" "$(jq -s 'map(select(.type == "errors").count) | add' "$OUT/by.out")" \
		"$(jq -s '.[-1] | select(.complete).paired' "$OUT/by.out")"
}
