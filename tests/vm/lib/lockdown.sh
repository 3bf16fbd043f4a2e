# SPDX-License-Identifier: GPL-2.0-or-later
# For tests under kernel lockdown.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

# traced CMD ARGS...: runs it on five reads of namespace 1 of lab0; output in $OUT/CMD.out and .err, exit status in $status
traced()
{
	local name=$1

	status=0
	"$NVMETOOL" "$@" -- dd if="/dev/$(disk_of lab0 1)" of=/dev/null bs=4k count=5 iflag=direct status=none \
		>"$OUT/$name.out" 2>"$OUT/$name.err" || status=$?
}

# sums CMD: submitted, paired and whether the account is complete
sums()
{
	jq -rs 'map(select(.type == "summary"))[0] | "\(.submitted) \(.paired) \(.complete)"' "$OUT/$1.out"
}

# said_by_doctor CHECK
said_by_doctor()
{
	"$NVMETOOL" doctor --json >"$OUT/doctor.out" || true
	jq -r --arg name "$1" 'select(.name == $name) | "\(.verdict) \(.detail)"' "$OUT/doctor.out"
}
