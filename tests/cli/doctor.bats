#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor: whatever this host allows, all formats say the same, and the exit status is that of a run that traces.

bats_require_minimum_version 1.5.0

setup()
{
	load lib/json.bash
}

# doctor ARGS...: in $output, with any of the three statuses it may have, in $status
doctor()
{
	run --separate-stderr "$NVMETOOL" doctor "$@"
	[ -z "$stderr" ]
	[[ $status =~ ^[034]$ ]]
}

# status_of ARGS...: exit status of a command that attaches and ends
status_of()
{
	local status=0

	"$NVMETOOL" trace --probe-only "$@" >"$BATS_TEST_TMPDIR/trace" 2>&1 || status=$?
	echo "$status"
}

@test "the exit status is that of a command that traces" {
	doctor
	[ "$status" = "$(status_of)" ]
	doctor --btf "$BATS_TEST_TMPDIR"
	[ "$status" = 4 ]
	[ "$(status_of --btf "$BATS_TEST_TMPDIR")" = 4 ]
}

@test "without privileges it runs, and says what is missing" {
	doctor_as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$NVMETOOL" doctor --json; }
	[ "$(id -u)" = 0 ] || skip "not root"
	run doctor_as_nobody
	[[ $status =~ ^[34]$ ]]
	jq -es 'map(select(.name == "capabilities"))[0] |
		.verdict == "no" and (.detail | contains("CAP_BPF and CAP_PERFMON are missing")) and .remedy != null' <<<"$output"
}

@test "capabilities of a user namespace are told from those of the host" {
	unshare -r true || skip "no user namespaces here"
	in_user_ns() { unshare -r "$NVMETOOL" "$@"; }
	run in_user_ns doctor --json
	[[ $status =~ ^[34]$ ]]
	jq -es 'map(select(.name == "capabilities"))[0] | .verdict == "no" and (.detail | contains("user namespace"))' <<<"$output"
	[ "$(jq -r 'select(.name == "bpf").verdict' <<<"$output")" = no ]
}

@test "JSON: meta, then checks, each with a verdict; a remedy only where something is amiss" {
	doctor --json
	jq -es '.[0].type == "meta" and .[0].command == "doctor"' <<<"$output"
	jq -es '.[1:] | length > 15 and all(.type == "check" and (.name | type) == "string" and (.detail | length) > 0 and
		(.verdict | IN("ok", "degraded", "no", "unknown")) and (.remedy == null or .verdict != "ok"))' <<<"$output"
	doctor --json --no-meta
	jq -es 'length > 15 and all(.type == "check")' <<<"$output"
}

@test "text and CSV have the checks of JSON, in the same order" {
	names=$("$NVMETOOL" doctor --json --no-meta | jq -r '.name + " " + .verdict')
	doctor --no-header
	[ "$(awk '!$0 { exit } { print $1, $2 }' <<<"$output")" = "$names" ]
	# The verdict is that of the checks, and of the exit status.
	if [ "$status" = 0 ]; then
		[[ ${output##*$'\n'} == "This host can be traced"* ]]
		[[ $names != *" no"* ]]
	else
		[ "${output##*$'\n'}" = "This host cannot be traced now: see $(grep -m 1 ' no$' <<<"$names" | cut -d ' ' -f 1)." ]
	fi
	"$NVMETOOL" doctor --csv >"$BATS_TEST_TMPDIR/csv" || true
	check_csv "$BATS_TEST_TMPDIR/csv"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/csv")" = $'name,verdict,detail,remedy\r' ]
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/csv" | cut -d, -f1,2 | tr , ' ')" = "$names" ]
}

@test "what cannot be looked at is unknown, not ok, and has no remedy" {
	doctor --json --no-meta
		[ ! -e /sys/module/nvme_core ] || skip "the driver is loaded here"
	jq -es 'map(select(.name | IN("nvme_btf", "nvme_setup_cmd", "nvme_complete_rq"))) |
		length == 3 and all(.verdict == "unknown" and .remedy == null)' <<<"$output"
}

@test "every line of text that is not ok says what is lost or what helps" {
	doctor --no-header
	run -1 grep -E '^[a-z_0-9]+ +(degraded|no) *$' <<<"$output"
}

@test "--functions: what is there, and what is not" {
	run -0 --separate-stderr "$NVMETOOL" doctor --functions 'blk_mq_start_reques?' --json --no-meta
	[ "$(jq -r '.name + " " + .state' <<<"$output")" = "blk_mq_start_request traceable" ]
	run -0 --separate-stderr "$NVMETOOL" doctor --functions no_such_function --json --no-meta
	[ "$(jq -r '.type + " " + .state' <<<"$output")" = "function absent" ]
	run -0 --separate-stderr "$NVMETOOL" doctor --functions 'no_such_*'
	[ -z "$output" ]
	run -0 "$NVMETOOL" doctor --functions 'no_such_*' --csv
	[[ $output == name,state,* ]]
}

@test "output that cannot be written is an error" {
	run -1 --separate-stderr sh -c '"$NVMETOOL" doctor >/dev/full'
	[[ $stderr == *"cannot write output"* ]]
}
