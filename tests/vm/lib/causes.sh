# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of what report says of a cause: stages it beside a recorder and a live report, notes when it began and ended,
# and judges the findings by one table of labels.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

# What is right of each: the kinds of finding that tell it (`-`: it is healthy, and only the other kinds may be said), the
# namespace and opcode whose commands wait, the processes that wait, those of which one has to be named, and others that may
# be. A comma separates, `-` is none, or any namespace and opcode, `*` ends a part of a name; admin:OP is an admin command.
LABELS='
neighbour_namespace slow,overload            lab0:1 read postgres      restore     -
neighbour_brief     slow                     lab0:1 read postgres      backup      -
backup              slow,overload            lab0:3 -    sqlite3,jbd2/* tar,cat    kworker*
resync              slow,overload            lab0:1 read postgres      md0_resync  md0_raid1
swap                slow,overload            lab0:4 -    postgres,awk  awk,kswapd0 kworker*,nvmetool,timeout,bash
weights             queue-wait,overload,slow lab0:1 read light         heavy       -
limit               slow                     lab0:1 read postgres      -           -
hung                hung                     lab0:1 read postgres      -           -
sqlite              -,flush-load             lab0:3 -    sqlite3       -           -
noisy               slow,overload            lab0:1 read victim        noisy       -
stall               slow,hung                lab0:1 read reader        -           -
queue               queue-wait               lab0:1 read tasks         -           tasks
fsync               flush-load               lab0:5 -    syncs         -           syncs
media               errors                   lab0:3 read dd            -           dd
reset               resets                   -      -    -             -           -
admin               slow                     lab0:1 read reader        admin:get-log-page -
offset              misaligned               lab0:1 -    reader        -           reader
namespace           uneven,slow              lab0:2 read second        -           -
buffered            writeback                lab0:5 -    -             -           kworker*,dd,writer
discard             discards                 lab0:5 -    blkdiscard    -           blkdiscard
cpu                 uneven                   lab0:1 read one           -           -
git                 -                        -      -    -             -           -
tar                 -                        -      -    -             -           -
compile             -                        -      -    -             -           -
copy                -                        -      -    -             -           -
reads               -                        -      -    -             -           -
writes              -                        -      -    -             -           -
mixed               -                        -      -    -             -           -
sequential          -                        -      -    -             -           -
deep                -                        -      -    -             -           -
batches             -                        -      -    -             -           -
both                -                        -      -    -             -           -
trickle             -                        -      -    -             -           -
busy                -                        -      -    -             -           -
streams             -                        -      -    -             -           -
full                -                        -      -    -             -           -
'

FILES=/run/files

# The guest() and host() of these tests: all of $CAUSES, each between prepare_CAUSE and clean_CAUSE, where they are
guest()
{
	local cause

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) files=$(disk_of lab0 3) swap=$(disk_of lab0 4) mirror=$(disk_of lab1 11)
	modprobe ext4
	mkdir -p "$FILES"
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$files"
	mount "/dev/$files" "$FILES"
	for cause in $CAUSES; do
		if_there "prepare_$cause"
		cold
		staged
		if_there "clean_$cause"
	done
	umount "$FILES"
}

host()
{
	local cause

	for cause in $CAUSES; do
		judged "$cause"
	done
}

if_there()
{
	if declare -F "$1" >/dev/null; then
		"$1"
	fi
}

# cold: what the files have is on the drive, and nowhere else
cold()
{
	umount "$FILES"
	mount "/dev/$files" "$FILES"
	drained
}

# staged: function stage_CAUSE beside a recorder and a live report
staged()
{
	: >"$OUT/$cause.marks"
	attached recorder "$NVMETOOL" record -Q --keys owner,syncer -w "$OUT/$cause.nvt"
	attached live "$NVMETOOL" report --json --duration 1h
	"stage_$cause"
	drained
	detach live
	check_eq "$cause: the live report ends well" "$status" 0
	detach recorder
	mv "$OUT/live.out" "$OUT/$cause.live"
}

# begins DISK COMMAND...: starts it; the time of this cause counts from its first command
begins()
{
	local sent

	sent=$(commands_of "$1")
	"${@:2}" &
	until [ "$(commands_of "$1")" != "$sent" ]; do
		sleep 0.02
	done
	began=$EPOCHREALTIME
	marked began
}

commands_of()
{
	awk '{ print $1 + $5 }' "/sys/block/$1/stat"
}

# marked WORD: notes the time
marked()
{
	echo "$1 $EPOCHREALTIME" >>"$OUT/$cause.marks"
}

# at SECONDS: waits until so much time has passed since begins()
at()
{
	local now left

	now=${EPOCHREALTIME/./}
	left=$((${began/./} + $1 * 1000000 - now))
	[ "$left" -le 0 ] || sleep "$((left / 1000000)).$(printf %06d $((left % 1000000)))"
}

# load COMM DISK ARG...: fio under this name; the latency of each command is in $OUT/CAUSE-COMM_lat.1.log
load()
{
	mkdir -p /run/loads
	ln -sf "$(command -v fio)" "/run/loads/$1"
	"/run/loads/$1" --name="$1" --filename="/dev/$2" --output-format=json --output="$OUT/$cause-$1.json" --direct=1 \
		--group_reporting --randrepeat=0 --time_based --size=120M --write_lat_log="$OUT/$cause-$1" --log_unix_epoch=1 "${@:3}"
}

# reads COMM DISK SECONDS ARG...: of 4K, a hundred a second
reads()
{
	load "$1" "$2" --rw=randread --bs=4k --ioengine=psync --rate_iops=100 --runtime="$3" "${@:4}"
}

# limit NSID BYTES COMMANDS: what the drive may do in a second for a namespace of lab0; 0: all it can
limit()
{
	qmp block_set_io_throttle "$(throttle_arguments "$@")" >/dev/null
}

# share BYTES NSID...: namespaces of lab0 share them
share()
{
	local nsid

	for nsid in "${@:2}"; do
		qmp block_set_io_throttle "$(throttle_arguments "$nsid" "$1" 0 '"group": "shared", ')" >/dev/null
	done
}

throttle_arguments()
{
	echo "{${4:-}\"device\": \"lab0n$1\", \"bps\": $2, \"bps_rd\": 0, \"bps_wr\": 0, \"iops\": $3, \"iops_rd\": 0, \"iops_wr\": 0}"
}

# commits SECONDS: sqlite3 inserts rows, a transaction each, up to 50 a second
commits()
{
	local until=$((EPOCHSECONDS + $1)) insert="INSERT INTO t VALUES((julianday('now') - 2440587.5) * 86400000);"

	rm -f "$FILES/app.db"
	{
		exec 3<> <(:)
		printf '%s\n' 'CREATE TABLE t(at REAL);' '.timer on'
		while [ "$EPOCHSECONDS" -lt "$until" ]; do
			echo "$insert"
			read -rt 0.02 -u 3 || true
		done
		printf '%s\n' '.timer off' "SELECT printf('at %d', at) FROM t;"
	} | sqlite3 "$FILES/app.db" >"$OUT/$cause-commits"
}

# label NAME: what is right of it, and what the processes measured themselves, as JSON
label()
{
	local name kinds dev op waiting causing beside

	read -r name kinds dev op waiting causing beside < <(grep "^$1 " <<<"$LABELS")
	samples "$1" "$waiting" >"$OUT/$1.samples"
	jq -n --argjson episode "$(episode "$1" "$causing")" --slurpfile samples "$OUT/$1.samples" --arg drives "$(cat "$LAB/drives")" \
		--argjson meta "$(record_of "$1" meta)" --argjson summary "$(record_of "$1" summary)" \
		--arg name "$1" --arg kinds "$kinds" --arg dev "$dev" --arg op "$op" --arg waiting "$waiting" --arg causing "$causing" \
		--arg beside "$beside" -f "$VM/lib/label.jq"
}

# record_of NAME TYPE: the first record of that type of its report
record_of()
{
	jq -cn --arg type "$2" 'first(inputs | select(.type == $type))' "$OUT/$1.json"
}

# episode NAME COMMS: "[FROM, TO]" in ms since 1970, as noted, or from the log of the first process that causes it; null: all of it
episode()
{
	local log="$OUT/$1-${2%%,*}_lat.1.log"

	if grep -q '^from' "$OUT/$1.marks"; then
		awk '{ at[$1] = $2 * 1000 } END { printf("[%.0f, %.0f]\n", at["from"], at["to"]) }' "$OUT/$1.marks"
	elif [ -e "$log" ]; then
		awk -F ', ' 'NR == 1 { from = $1 - $2 / 1e6 } { to = $1 } END { printf("[%.0f, %.0f]\n", from, to) }' "$log"
	else
		echo null
	fi
}

# samples NAME COMMS: "[MS, US]" of each command, or commit, as the first process that waits measured it
samples()
{
	local log="$OUT/$1-${2%%,*}_lat.1.log"

	if [ -e "$log" ]; then
		awk -F ', ' '{ printf("[%.0f, %.0f]\n", $1, $2 / 1000) }' "$log"
	elif [ -e "$OUT/$1-commits" ]; then
		awk '/^Run/ { took[++n] = $4 * 1e6 } /^at/ { printf("[%.0f, %.0f]\n", $2, took[++m]) }' "$OUT/$1-commits"
	fi
}

# judged NAME: the checks of its findings, five with that of staged()
judged()
{
	"$NVMETOOL" report "$OUT/$1.nvt"
	"$NVMETOOL" report --json "$OUT/$1.nvt" >"$OUT/$1.json"
	label "$1" >"$OUT/$1.label"
	verdict "$1" >"$OUT/$1.verdict"
	check "$1: what is right is the first or second finding" is "$1" 'if .sick then .right else .false | not end'
	check "$1: nobody innocent is named" is "$1" '.innocent | not'
	check_eq "$1: the live report said the same" "$(told "$1.live")" "$(told "$1.json")"
	check "$1: each command shows the figures of its sentence" shown "$1"
}

# verdict NAME: the label against the findings, by the judge of the model
verdict()
{
	jq -c --slurpfile is "$OUT/$1.label" 'select(.type == "finding") | .seed = $is[0].seed
		| select($is[0].sick or ([.kind] | inside($is[0].kinds) | not))' "$OUT/$1.json" >"$OUT/said"
	jq -c --slurpfile said "$OUT/said" -f "$VM/../model/judge.jq" "$OUT/$1.label"
}

# is NAME FILTER: does it hold for its verdict? Prints it, and what the processes measured, if not
is()
{
	[ -s "$OUT/$1.verdict" ]
	jq -e "$2" "$OUT/$1.verdict" >/dev/null || {
		jq . "$OUT/$1.verdict"
		jq -c .observed "$OUT/$1.label"
		return 1
	}
}

# told FILE: what its findings above low say of the drives, without figures and times; what was lost is each run's own. Two
# tracers time the same command a little differently, and what is low lies at a limit.
told()
{
	jq -c 'select(.type == "finding" and .kind != "lost" and .severity != "low") | [.severity, .kind, .dev, .op, .comm, [.with[] | .comm // .event]]' "$OUT/$1"
}

# shown NAME: runs the command of each finding as a shell does, and looks for its names and its main figure in the output
shown()
{
	local finding command

	mkdir -p "$OUT/bin"
	ln -sf "$NVMETOOL" "$OUT/bin/nvmetool"
	jq -c 'select(.type == "finding")' "$OUT/$1.json" >"$OUT/$1.findings"
	while read -r finding; do
		command=$(jq -r .command <<<"$finding")
		PATH=$OUT/bin:$PATH sh -c "$command" >"$OUT/shown"
		jq -r -f "$VM/lib/figures.jq" <<<"$finding" >"$OUT/figures"
		awk -f "$VM/lib/figures.awk" "$OUT/figures" "$OUT/shown" || {
			echo "$command"
			head -n 5 "$OUT/shown"
			return 1
		}
	done <"$OUT/$1.findings"
}
