# SPDX-License-Identifier: GPL-2.0-or-later
# Filters: each, and pairs of them, give exactly their share of one load on two controllers with three namespaces.
# All runs watch the same load at the same time; then the same filters are put to a recording of it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"
. "$VM/lib/share.sh"
. "$VM/lib/share_load.sh"

topology=two
test='6.1'
plan=94
seconds=118
PAIRS=12

guest()
{
	local one two eleven mixed small reader slow walked

	start_load
	walked=$(most_walked -d "$eleven")
	check "for a namespace the verifier walks $walked instructions" [ "$walked" -lt 200000 ]
	singles >"$OUT/pool"
	{
		echo "-d ${one}p1"
		cat "$OUT/pool"
		left_out
		"$VM/share" draw --seed "$SEED" --count $PAIRS --devices "$OUT/devices" "$OUT/pool"
	} >"$OUT/runs"
	diag "pairs are drawn with SEED=$SEED"
	start_runs
	attached record "$NVMETOOL" record -w "$OUT/all.nvt" --buffer 1M
	mark "$one" 31
	run_load
	drained
	mark "$one" 32
	end_runs record
	end_load
	attached metrics "$NVMETOOL" metrics -c "${eleven:4:1}" -w "$OUT/metrics.prom" 1h
	detach metrics
	check_eq "metrics lists the controller that -c selects" "$(sed -n 's/^nvmetool_commands_inflight{controller="\(.*\)"} .*/\1/p' \
		"$OUT/metrics.prom")" "nvme${eleven:4:1}"
}

# most_walked OPTION...: the most instructions that the verifier walked through for one program; at 1 000 000 it gives up.
most_walked()
{
	"$NVMETOOL" trace --probe-only -vvv "$@" 2>&1 | sed -n 's/^processed \([0-9]*\) insns.*/\1/p' | sort -n | tail -n 1
}

# One line for each filter: OPTION VALUE. The load has commands for all of them.
singles()
{
	local c0=${one:4:1} c1=${eleven:4:1}

	printf '%s\n' "--ctrl-id $c0" "--ctrl_id $c0" "-n 1,11" \
		"-d nvme$c1" "-d $two" "-d $(cat "/sys/block/$eleven/dev")" "-d /dev/$one" \
		"-O write,flush,0x08" "-O admin:identify" "-q 1" "-q admin" \
		"--size 4k" "--size 8k-64k" "--lba 100,1000-1063,65536-131071" \
		"-p $reader,$mixed" "--comm [dn]*" "-L 100ms" "--status ok" "--status error"
}

# The same with words that leave out what they stand for.
left_out()
{
	local c0=${one:4:1} c1=${eleven:4:1}

	printf '%s\n' "-d !nvme$c1" "-d !$one" "-d nvme$c0,!$two" "-c !$c0" "-n !1" "-O !write,!flush" \
		"-O read,write,!write" "-p !$reader,!$mixed" "--comm !fio*" "--status !ok" "--status !0/80" \
		"-d !$one -O !write -p !$small"
}

host()
{
	local i=0 words

	drive_log 31 32
	check "the run without a filter equals the drive's log" \
		"$VM/compare" --from 31 --to 32 "$OUT/drive.ndjson" "$OUT/all.out"
	"$NVMETOOL" trace --json -i "$OUT/all.nvt" >"$OUT/all.replay"
	share_check --all "$OUT/all.out" --last "$OUT/all.replay" "$OUT/runs" "$OUT/run%.out"
	i=$(grep -nx -m 1 -e '-d nvme[0-9]' "$OUT/runs")
	check_eq "other controllers are left out of the account" "$(summary_of "$OUT/run${i%%:*}.out" |
		jq -c '[.filtered, .submitted == .paired + .requeued, .complete]')" '[0,true,true]'
	i=0
	while read -ra words; do
		i=$((i + 1))
		"$NVMETOOL" trace --json -i "$OUT/all.nvt" "${words[@]}" >"$OUT/replay$i"
	done <"$OUT/runs"
	share_check --title 'replayed: ' --all "$OUT/all.replay" "$OUT/runs" "$OUT/replay%"
}
