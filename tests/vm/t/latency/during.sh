# SPDX-License-Identifier: GPL-2.0-or-later
# --by during: the commands that a get-log or an identify meets are those that the times of all commands say.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # jq's variables, those of the lab

topology=keys
kernels='6.1 6.18 sid'
test='6.1'
plan=11
seconds=12

# Reads of 2 ms, and nvme-cli beside them.
guest()
{
	local disk ctrl name load

	disk=$(disk_of lab0 2)
	ctrl=$(ctrl_of lab0)
	attached counted "$NVMETOOL" latency --json --by during -d "$disk"
	attached drawn "$NVMETOOL" pattern --json --by during -d "$disk"
	attached admin "$NVMETOOL" latency --json -q admin --by during,opcode -d "$ctrl"
	attached meanwhile "$NVMETOOL" record --keys during -w "$OUT/meanwhile.nvt" -d "$ctrl"
	fio_load meanwhile --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=2 --number_ios=1000 &
	load=$!
	while kill -0 "$load" 2>/dev/null; do
		nvme get-log "/dev/$ctrl" --log-id=2 --log-len=512 >"$OUT/log"
		nvme id-ctrl "/dev/$ctrl" >"$OUT/log"
	done
	wait "$load"
	drained
	for name in counted drawn admin meanwhile; do
		detach "$name"
		check_eq "meanwhile, $name ends well" "$status" 0
	done
}

# The rows of --by during against the times in the recording. A task that is stopped between the look at the
# clock and the note meets an admin command there or misses it: the recording may be off by 4. Between one tool's
# programs and another's it is stopped more often.
host()
{
	local name

	"$NVMETOOL" trace --json -i "$OUT/meanwhile.nvt" >"$OUT/meanwhile.out"
	"$NVMETOOL" latency --json --by during -d "$(disk_in "$OUT/meanwhile.out")" -i "$OUT/meanwhile.nvt" >"$OUT/joined.out"
	for name in counted drawn joined; do
		check_eq "meanwhile, $name: no command is left out" "$(jq -s 'map(select(.during).count) | add' "$OUT/$name.out")" \
			"$(jq -s 'map(select(.admin == false)) | length' "$OUT/meanwhile.out")"
	done
	check_eq "admin commands, one after the other, meet none, nor themselves" "$(jq -r 'select(.op).during' "$OUT/admin.out" | sort -u)" -
	check "meanwhile, counted: the commands that the times say" as_timed counted '$met / 2'
	check "meanwhile, drawn: the commands that the times say" as_timed drawn '$met / 2'
	check "meanwhile, joined: the commands that the times say" as_timed joined 4
}

disk_in()
{
	jq -rn 'first(inputs | select(.admin == false).dev)' "$1"
}

# as_timed RUN MOST: its rows are those of the times in the recording, but for MOST commands; $met of them met one
as_timed()
{
	jq -se --slurpfile rows <(jq -c 'select(.during) | {key: .during, value: .count}' "$OUT/$1.out") '
		map(select(.type == "io") | {admin, op, from: (.mono_ns - .lat_ns), to: .mono_ns}) |
		(map(select(.admin)) | sort_by(.from)) as $admin |
		[.[] | select(.admin | not) | . as $io |
			[$admin[] | select(.from <= $io.to and .to >= $io.from)][0].op // "-"] |
		(map(select(. != "-")) | length) as $met |
		(group_by(.) | map({key: .[0], value: length}) | from_entries) as $timed |
		($rows | from_entries) as $counted |
		([$timed, $counted | keys[]] | unique) as $ops |
		$timed["get-log"] > 0 and $timed.identify > 0 and
		([$ops[] | ($timed[.] // 0) - ($counted[.] // 0) | fabs] | add / 2) <= '"$2"'' "$OUT/meanwhile.out" >"$OUT/$1.timed"
}
