# SPDX-License-Identifier: GPL-2.0-or-later
# Filters of stacks, errors and pattern: each selects as many commands, and as many failures, of one load as the
# records of an unfiltered trace say that it has.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=two
kernels='6.12'
plan=14
seconds=40

. "$VM/lib/share.sh"
. "$VM/lib/share_load.sh"

COMMANDS=(stacks errors pattern)

# One line for each filter. pattern leaves out admin commands that are not asked for.
singles()
{
	printf '%s\n' "--ctrl-id ${eleven:4:1} -q io" "-n 2,11" "-d $two" "-O write,identify" "-q admin" "--size 8k-64k" \
		"--lba 100,1000-1063" "-p $mixed,$slow" "--comm [dn]* -q io" "-p $slow -L 100ms" "--status error"
}

guest()
{
	local one two eleven mixed small reader slow command words i=0

	start_load
	singles >"$OUT/runs"
	attached all "$NVMETOOL" trace --json --buffer 1M
	RUNS=(all)
	while read -ra words; do
		i=$((i + 1))
		for command in "${COMMANDS[@]}"; do
			attached "$command$i" "$NVMETOOL" "$command" --json "${words[@]}"
			RUNS+=("$command$i")
		done
	done <"$OUT/runs"
	attached last "$NVMETOOL" trace --json --buffer 1M
	RUNS+=(last)
	run_load
	drained
	end_runs
	end_load
}

# counted COMMAND FILE: what its records sum up to
counted()
{
	jq -s --arg type "$1" 'map(select(.type == $type) | .count // 1) | add // 0' "$2"
}

# between WORDS LEAST MOST FAILED COUNT...: stacks and pattern count from LEAST to MOST, errors FAILED
between()
{
	check "$1" test "$5" -ge "$2" -a "$5" -le "$3" -a "$6" -eq "$4" -a "$7" -ge "$2" -a "$7" -le "$3"
}

host()
{
	local line least most failed i=0

	"$VM/share" count --all "$OUT/all.out" --last "$OUT/last.out" --devices "$OUT/devices" "$OUT/runs" |
		paste -d ' ' - "$OUT/runs" >"$OUT/counts"
	check "the load has something for each" awk '$2 == 0 { exit 1 }' "$OUT/counts"
	while read -r least most failed line; do
		i=$((i + 1))
		between "$line" "$least" "$most" "$failed" "$(counted stack "$OUT/stacks$i.out")" \
			"$(counted error "$OUT/errors$i.out")" "$(counted pattern "$OUT/pattern$i.out")"
	done <"$OUT/counts"
}
