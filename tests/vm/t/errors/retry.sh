# SPDX-License-Identifier: GPL-2.0-or-later
# A block that cannot be read: the driver's six attempts are six commands, each with its status, its number and its task.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
test='6.1'
plan=23
seconds=18

. "$VM/lib/account.sh"

# read_block DISK SIZE NUMBER DD...: reads it by that command
read_block()
{
	"${@:4}" if="/dev/$1" of=/dev/null bs="$2" skip="$3" count=1 iflag=direct
}

# The same LBA under another name before, as often as a word of the kernel's bitmap of tags has bits: only then a tag is given
# again.
read_often()
{
	local i

	ln -s "$(command -v dd)" /tmp/often
	for ((i = 0; i < 64; i++)); do
		! read_block "$two" 4096 500 taskset -c 0 /tmp/often
	done
}

guest()
{
	local one two three how

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) three=$(disk_of lab0 3)
	for how in $(methods); do
		attached "$how" "$NVMETOOL" trace --json --attach "$how"
	done
	skip_tp_btf 6
	attached both "$NVMETOOL" trace --json --show both --status error
	attached latency "$NVMETOOL" latency --json --by ns,status
	attached fail "$NVMETOOL" latency --json --fail-if 'read.errors>=396'
	attached pass "$NVMETOOL" latency --json --fail-if 'read.errors>396'
	mark "$one" 201
	check "LBA 999 can be read" read_block "$one" 512 999 dd
	check "LBA 1000 cannot" fails read_block "$one" 512 1000 dd
	read_often
	check "LBA 500 of 4 KiB cannot" fails read_block "$two" 4096 500 taskset -c 0 dd
	check "nothing can be written to namespace 3" fails dd if=/dev/zero of="/dev/$three" bs=1k count=1 oflag=direct
	mark "$one" 202
	detach pass
	check_eq "a condition that does not hold" "$status" 0
	detach fail
	check_eq "a condition that holds" "$status" 6
	detach both
	detach latency
	for how in $(methods); do
		detach "$how"
		check_eq "$how: errors of the drive are none of nvmetool" "$status $(told "$OUT/$how.err")" "0 "
	done
}

# Prints of each failed command of dd: namespace, LBA, status by code and name, attempt.
attempts()
{
	jq -r 'select(.type == "io" and .status != 0 and .comm == "dd") |
		"\(.nsid):\(.slba)+\(.nlb) \(.sct)/\(.sc) dnr=\(.dnr) \(.retries)"' "$1"
}

# six TEXT: the lines that attempts() has to print
six()
{
	printf "$1 %s\n" 0 1 2 3 4 5
}

host()
{
	local how

	drive_log 201 202
	for how in $(methods); do
		check "$how: equal to the drive's log" "$VM/compare" --from 201 --to 202 "$OUT/drive.ndjson" "$OUT/$how.out"
		check_eq "$how: six attempts each" "$(attempts "$OUT/$how.out")" \
			"$(six "1:1000+1 2/129 dnr=false" && six "2:500+1 2/129 dnr=false" && six "3:0+2 2/128 dnr=false")"
		check "$how: the account" nothing_lost "$OUT/$how.out"
		check_eq "$how: those of the one before are its own" "$(jq -c 'select(.type == "io" and .comm == "often") |
			[.slba, .status, .retries]' "$OUT/$how.out" | sort | uniq -c | xargs)" \
			"$(printf '64 [500,641,%d] ' 0 1 2 3 4 5 | sed 's/ $//')"
		check_eq "$how: 402 errors" "$(summary_of "$OUT/$how.out" | jq .errors)" 402
	done
	check_eq "submissions and completions apart" "$(jq -r 'select(.slba == 1000) |
		"\(.type):\(.status):\(.retries)"' "$OUT/both.out" | xargs)" \
		"$(printf 'submit:null:null complete:641:%s\n' 0 1 2 3 4 5 | xargs)"
	check_eq "latency by status" "$(jq -r 'select(.type == "latency") | "\(.nsid) \(.status) \(.count) \(.errors)"' \
		"$OUT/latency.out" | sort)" "$(printf '%s\n' '1 0 3 0' '1 641 6 6' '2 641 390 390' '3 640 6 6')"
	check_eq "its summary" "$(summary_of "$OUT/latency.out" | jq -c '[.emitted, .errors, .requeued]')" '[405,402,0]'
	check_eq "the condition is named" "$(summary_of "$OUT/fail.out" | jq -c '[.fail_if[].condition]')" '["read.errors>=396"]'
	check "the account of latency" nothing_lost "$OUT/latency.out"
}
