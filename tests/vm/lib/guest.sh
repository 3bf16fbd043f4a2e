# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers for guest() of a test. OUT is the test's directory: what is put there lands in the results.
# shellcheck shell=bash
# shellcheck disable=SC2034 # variables that are set for the caller

. "$VM/lib/drives.sh"

# fio_load NAME ARGS...: runs fio with direct I/O; its report lands in $OUT/NAME.json
fio_load()
{
	local name=$1

	shift
	fio --name="$name" --output-format=json --output="$OUT/$name.json" --direct=1 --group_reporting \
		--clocksource=clock_gettime "$@"
}

# fio_count NAME read|write|trim: commands fio says it issued
fio_count()
{
	jq "[.jobs[].$2.total_ios] | add" "$OUT/$1.json"
}

# drained: waits until no drive has a command in flight
drained()
{
	until cat /sys/block/nvme*n*/inflight | awk '{ n += $1 + $2 } END { exit n > 0 }'; do
		sleep 0.02
	done
}

# attached NAME COMMAND...: starts COMMAND (nvmetool, or anything that writes a line to the descriptor
# NVMETOOL_READY_FD names) with its output in $OUT/NAME.out and .err, and returns once it has attached.
attached()
{
	local name=$1 fifo=$OUT/$1.ready said=''

	shift
	rm -f "$fifo"
	mkfifo "$fifo"
	NVMETOOL_READY_FD=9 "$@" >"$OUT/$name.out" 2>"$OUT/$name.err" 9>"$fifo" &
	eval "pid_$name=$!"
	read -r said <"$fifo" || true
	rm -f "$fifo"
	if [ -z "$said" ]; then
		echo "'$*' did not attach:" >&2
		tail -n 5 "$OUT/$name.err" >&2
		# The verifier's reason is not to be had later: the guest is gone by then.
		if grep -q -e '-vvv' "$OUT/$name.err"; then
			timeout -s INT 10 "$@" -vvv 2>&1 >"$OUT/$name.out" | tail -n 15 >&2
		fi
		return 1
	fi
}

# pid_of NAME: process id of what `attached NAME` started
pid_of()
{
	eval "echo \$pid_$1"
}

# detach NAME [SIGNAL]: ends it with SIGINT, waits, and leaves its exit status in $status
detach()
{
	kill -"${2:-INT}" "$(pid_of "$1")"
	finished "$1"
}

# finished NAME: waits for it to end by itself, and leaves its exit status in $status
finished()
{
	status=0
	wait "$(pid_of "$1")" || status=$?
}

# report NAME SIGNAL SEQ: has it report, and waits for the first record of that report, which has this number
report()
{
	kill -"$2" "$(pid_of "$1")"
	until grep -q "\"seq\":$3," "$OUT/$1.out"; do
		sleep 0.02
	done
}

# warm_event NAME CTRL: the controller tells of a temperature above the threshold, until attached NAME has said so
warm_event()
{
	nvme set-feature "/dev/$2" --feature-id=0x0b --value=2
	nvme set-feature "/dev/$2" --feature-id=4 --value=0x100
	until grep -q '"type":"aer"' "$OUT/$1.out"; do
		sleep 0.02
	done
	nvme set-feature "/dev/$2" --feature-id=4 --value=0x157
}

# mark DISK NUMBER: a command that is easily found on both sides, in the drive's log and in a trace: Dataset
# Management that asks for nothing (no attribute the drive knows), NUMBER (1 to 65535) in the upper half of cdw11.
mark()
{
	nvme io-passthru "/dev/$1" --opcode=9 --namespace-id="$(cat "/sys/block/$1/nsid")" \
		--cdw10=0 --cdw11=$(($2 << 16)) >/dev/null
}

# monitor COMMAND: runs a command of QEMU's monitor (`info block`, `device_del lab0`) and prints its answer
monitor()
{
	local text=${1//\\/\\\\}

	qmp human-monitor-command "{\"command-line\": \"${text//\"/\\\"}\"}" | jq -r .
}

# qmp COMMAND [ARGUMENTS]: runs a QMP command and prints what it returns, as JSON. Events that came meanwhile are
# put into $OUT/events. (QEMU's monitor listens on a port of the guest; the lab left its greeting mode at boot.)
qmp()
{
	local port word line arguments=${2:-{\}}

	for port in /sys/class/virtio-ports/*; do
		first_word "$port/name"
		[ "$word" != monitor ] || break
	done
	exec {monitor}<>"/dev/${port##*/}"
	echo "{\"execute\": \"$1\", \"arguments\": $arguments}" >&"$monitor"
	while read -r line <&"$monitor"; do
		case $line in
		'{"return"'* | '{"error"'*) break ;;
		'{"event"'*) echo "$line" >>"$OUT/events" ;;
		esac
	done
	exec {monitor}<&-
	line=${line%$'\r'}
	case $line in
	'{"return": '*)
		line=${line#'{"return": '}
		echo "${line%\}}"
		;;
	*)
		echo "QEMU: $1 $arguments: ${line:-no answer}" >&2
		return 1
		;;
	esac
}

# unplug ID: pulls a controller (word hotplug of the topology) and waits until the kernel has let it go
unplug()
{
	local ctrl

	quiet_monitor "device_del $1"
	while find_ctrl "$1"; do
		sleep 0.02
	done
}

# plug ID [PROPERTY=VALUE,...]: puts it back on its port with its namespace 1, and waits for the block device
plug()
{
	quiet_monitor "device_add nvme,id=$1,serial=$1,bus=port-$1,drive=${1}n1${2:+,$2}"
	drive_wait "$1" 1
}

# Commands of the monitor that say nothing when all is well.
quiet_monitor()
{
	local said

	said=$(monitor "$1")
	if [ -n "$said" ]; then
		echo "QEMU: $1: $said" >&2
		return 1
	fi
}

