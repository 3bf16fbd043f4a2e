# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of filters, which read this file: one nvmetool for each line of $OUT/runs, all over the same load.
# shellcheck shell=bash disable=SC2034 # variables that are set for the caller

# gate FD: a gate for held; a line written to FD lets one process through
gate()
{
	rm -f "$OUT/gate"
	mkfifo "$OUT/gate"
	eval "exec $1<>\"\$OUT/gate\""
	rm "$OUT/gate" # the descriptor stays
}

# held FD COMMAND...: starts it behind the gate; $! is the process id that it will have
held()
{
	local gate=$1

	shift
	(read -r <&"$gate" && exec "$@" >/dev/null 2>&1) &
}

# start_runs: `trace --json` without a filter, named all, then with the options of each line: run1, run2, ...
start_runs()
{
	local i=0 words

	attached all "$NVMETOOL" trace --json --buffer 1M
	RUNS=(all)
	while read -ra words; do
		i=$((i + 1))
		attached "run$i" "$NVMETOOL" trace --json --buffer 512k "${words[@]}"
		RUNS+=("run$i")
	done <"$OUT/runs"
}

# end_runs [NAME...]: ends them, and what else was attached as NAME; one check
end_runs()
{
	local name status failed=''

	RUNS+=("$@")
	for name in "${RUNS[@]}"; do
		kill -INT "$(pid_of "$name")"
	done
	for name in "${RUNS[@]}"; do
		finished "$name"
		[ "$status" = 0 ] || failed+="$name: $status "
	done
	check_eq "all ${#RUNS[@]} runs end with status 0" "$failed" ""
}

# share_check ARGS...: a check for each run, see `share check`; host
share_check()
{
	"$VM/share" check --devices "$OUT/devices" "$@" >>"$TAP" || true
}
