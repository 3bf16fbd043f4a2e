# SPDX-License-Identifier: GPL-2.0-or-later
# Namespaces and controllers that go and come back take no more room in a run than they took at first: nothing is lost,
# and no table is fuller than before.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
kernels='6.1 6.18 sid'
plan=7
seconds=62

. "$VM/lib/account.sh"
. "$VM/lib/fabrics.sh"

CTRLS_TCP=6
CYCLES=100

# targets_up: so many subsystems on one port, each with a namespace on a disk of its own
targets_up()
{
	local i

	modprobe null_blk nr_devices="$CTRLS_TCP"
	target_port ''
	for ((i = 0; i < CTRLS_TCP; i++)); do
		target_subsystem "lab$i" "/dev/nullb$i"
		target_shown "lab$i"
	done
}

# connect_all: connects each subsystem that has no controller, and returns once each has one that can read its disk.
# A host that asks while the target is away is told not to retry, and since 6.10 it then gives the controller up.
connect_all()
{
	local i

	until all_live; do
		for ((i = 0; i < CTRLS_TCP; i++)); do
			grep -qsx "lab$i" /sys/class/nvme-fabrics/ctl/nvme*/subsysnqn || connect "lab$i"
		done
		read -rt 0.05 _ <><(:) || true
	done
}

# connect NQN: a controller that is still being given back makes it fail
connect()
{
	nvme connect -t tcp -a 127.0.0.1 -s 4420 -n "$1" --nr-io-queues=2 --queue-size=16 \
		--reconnect-delay=1 --keep-alive-tmo=0 >/dev/null || true
}

all_live()
{
	[ "$(grep -lsx live /sys/class/nvme-fabrics/ctl/nvme*/state | wc -l)" = "$CTRLS_TCP" ] && read_all
} 2>/dev/null

# disks_tcp: the disks of the subsystems
disks_tcp()
{
	local ctrl head

	for ctrl in /sys/class/nvme-fabrics/ctl/nvme*; do
		for head in "$ctrl"/nvme*n1; do
			[ ! -e "$head" ] || { head=${head##*/} && echo "${head/c*n/n}"; }
		done
	done
}

read_all()
{
	local disk n=0

	for disk in $(disks_tcp); do
		timeout 5 dd if="/dev/$disk" of=/dev/null bs=4k count=2 iflag=direct status=none || return
		n=$((n + 1))
	done
	[ "$n" = "$CTRLS_TCP" ]
}

# All connections break, and are made again.
drop_and_return()
{
	local i

	for ((i = 0; i < CTRLS_TCP; i++)); do
		target_gone "lab$i"
	done
	until ! grep -lqx live /sys/class/nvme-fabrics/ctl/nvme*/state; do
		read -rt 0.05 _ <><(:) || true
	done
	for ((i = 0; i < CTRLS_TCP; i++)); do
		target_shown "lab$i"
	done
	connect_all
}

disconnect_all()
{
	local i

	for ((i = 0; i < CTRLS_TCP; i++)); do
		nvme disconnect -n "lab$i" >/dev/null
	done
}

# first_path: sets `path` to that of the first subsystem's namespace, if it is there
first_path()
{
	local ctrl nqn

	for ctrl in /sys/class/nvme-fabrics/ctl/nvme*; do
		read -r nqn <"$ctrl/subsysnqn"
		[ "$nqn" != lab0 ] || break
	done
	path=("$ctrl"/nvme*n1)
	[ -e "${path[0]}" ]
}

read_first()
{
	local path head

	first_path || return
	head=${path[0]##*/}
	dd if="/dev/${head/c*n/n}" of=/dev/null bs=4k count=2 iflag=direct status=none
}

# swing COUNT: so often the first namespace goes and comes back, and is read
swing()
{
	local i path enable=$TARGET/subsystems/lab0/namespaces/1/enable

	for ((i = 0; i < $1; i++)); do
		echo 0 >"$enable"
		scanned first_path_gone
		echo 1 >"$enable"
		scanned read_first 2>/dev/null
	done
}

first_path_gone()
{
	! first_path
}

# scanned COMMAND: waits until COMMAND holds. A change that comes while the kernel still scans for the one before it can
# go unseen (on 7.2, about once in some thousand): after three seconds a scan is asked for.
scanned()
{
	local ctrl i=0

	until "$@"; do
		read -rt 0.01 _ <><(:) || true
		((++i % 300)) || for ctrl in /sys/class/nvme-fabrics/ctl/nvme*; do
			echo 1 >"$ctrl/rescan_controller"
		done
	done
}

# fill: entries of the tables that the programs take from, in the order of their names
fill()
{
	local map

	for map in claims known; do
		echo "$map $(bpftool -j map dump name "$map" | jq length)"
	done
}

# A disk that comes while the one before it is still being given back gets the next number: some entries more for all cycles.
no_fuller()
{
	cat "$OUT/before" "$OUT/after"
	[ "$(wc -l <"$OUT/before") $(wc -l <"$OUT/after")" = "2 2" ]
	paste -d ' ' "$OUT/before" "$OUT/after" | awk -v more="$((CYCLES / 20))" '$2 == 0 || $4 > $2 + more { bad = 1 } END { exit bad }'
}

guest()
{
	local i

	targets_up
	connect_all
	attached trace "$NVMETOOL" trace --json --strict --buffer 32M
	swing 10
	drop_and_return
	disconnect_all
	connect_all
	fill >"$OUT/before"
	swing "$CYCLES"
	check "the namespace went and came" read_first
	for i in 1 2 3; do
		drop_and_return
		disconnect_all
		connect_all
	done
	check "all controllers are back" read_all
	fill >"$OUT/after"
	check "no table is fuller than before" no_fuller
	disconnect_all
	drained
	detach trace
	check_eq "trace ends well" "$status" 0
	targets_down
}

targets_down()
{
	local i

	for ((i = 0; i < CTRLS_TCP; i++)); do
		target_gone "lab$i"
		rmdir "$TARGET/subsystems/lab$i/namespaces/1" "$TARGET/subsystems/lab$i"
	done
	rmdir "$TARGET/ports/1"
	modprobe -r nvme_tcp nvmet_tcp null_blk
}

host()
{
	check "nothing was lost" nothing_lost "$OUT/trace.out"
	check "each cycle was read" test "$(jq -r 'select(.comm == "dd") | .type' "$OUT/trace.out" | wc -l)" -ge $((CYCLES * 2))
	check "each command has a controller" none "$OUT/trace.out" '.type == "io" and .ctrl == null'
}
