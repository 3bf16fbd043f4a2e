# SPDX-License-Identifier: GPL-2.0-or-later
# stacks --at error: the submissions of commands that failed, every attempt, by the process that asked. With --fail-if
# the kernel counts in buckets as fine as what is compared.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
test='6.1'
plan=8
seconds=8

. "$VM/lib/account.sh"

guest()
{
	local disk

	disk=$(disk_of lab0 1)
	attached bad "$NVMETOOL" stacks --at error -b comm,opcode --json --hist
	attached gate "$NVMETOOL" stacks -b opcode --json --hist --fail-if 'read.p99>60s'
	attached recording "$NVMETOOL" record -k -w "$OUT/bad.nvt"
	dd if="/dev/$disk" of=/dev/null bs=512 count=100 iflag=direct 2>/dev/null
	check "LBA 1000 cannot be read" fails dd if="/dev/$disk" of=/dev/null bs=512 skip=1000 count=1 iflag=direct
	drained
	detach bad
	detach recording
	detach gate
	check_eq "the gate holds" "$status $(told "$OUT/gate.err")" "0 "
	check_eq "ends well" "$status $(told "$OUT/bad.err")" "0 "
}

rows()
{
	jq -c 'select(.type == "stack") | [.comm, .op, .count, .errors, .worker, (.hist.buckets | map(.[2]) | add)]'
}

# bits NAME: of its histograms
bits()
{
	jq 'select(.hist).hist.bits' "$OUT/$1.out" | sort -u
}

host()
{
	check_eq "buckets without a condition, and with one" "$(bits bad) $(bits gate)" "3 6"
	check_eq "six attempts of dd's read" "$(rows <"$OUT/bad.out")" '["dd","read",6,6,false,6]'
	check "the account: what went well is filtered" adds_up "$OUT/bad.out"
	check "some was" jq -es '.[-1].filtered >= 100' "$OUT/bad.out"
	check_eq "the same from a recording" "$("$NVMETOOL" stacks -i "$OUT/bad.nvt" --at error -b comm,opcode --json --hist | rows)" \
		'["dd","read",6,6,false,6]'
}
