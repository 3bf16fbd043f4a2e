# SPDX-License-Identifier: GPL-2.0-or-later
# errors where the driver's modules have no BTF: what cannot be seen is named once, the rest is there.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
kernels='5.10'
plan=6

guest()
{
	attached all "$NVMETOOL" errors --json --block
	dd if="/dev/$(disk_of lab0 1)" of=/dev/null bs=512 skip=1000 count=1 iflag=direct 2>"$OUT/dd.err" || true
	drained
	detach all
	check_eq "exit status" "$status" 0
	check_eq "what is missing, in meta" "$(jq -c 'select(.type == "meta").attach.missing' "$OUT/all.out")" \
		'["nvme_timeout","nvme_change_ctrl_state"]'
	check_eq "and on stderr" "$(grep -c 'does not let nvme_.* be traced' "$OUT/all.err")" 2
	check_eq "six attempts, one block error" \
		"$(jq -r 'select(.type == "error") | "\(.attempt) \(.final) \(.blk_sts)"' "$OUT/all.out" | xargs)" \
		"1 false null 2 false null 3 false null 4 false null 5 false null 6 true BLK_STS_MEDIUM"
	status=0
	"$NVMETOOL" record --ring 4M --trigger 'timeouts>0' -w "$OUT/%t.nvt" 2>"$OUT/refused.err" || status=$?
	check_eq "a trigger that cannot be seen is refused" "$status" 4
	check "with the reason" grep -q 'does not let them be traced; name errors or lat instead' "$OUT/refused.err"
}
