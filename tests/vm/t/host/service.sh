# SPDX-License-Identifier: GPL-2.0-or-later
# The units of metrics under systemd, which is process 1 of a process namespace: the first scrape starts the service,
# which has a user of its own and no capability but two, and counts.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

kernels='* !6.12'
test='6.1'
plan=10
seconds=14
UNITS=/run/units

# Starts systemd with the units of metrics and the targets that they go by, and no others.
start_systemd()
{
	local target

	mkdir -p "$UNITS"
	cp "$VM/../../cmd/metrics/"nvmetool-metrics.s* "$UNITS"
	cp "$NVMETOOL" /usr/bin/nvmetool
	for target in sysinit basic shutdown sockets; do
		printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" >"$UNITS/$target.target"
	done
	env -i container=lab SYSTEMD_UNIT_PATH="$UNITS" unshare --fork --pid --mount --cgroup --mount-proc \
		/lib/systemd/systemd --system --unit=nvmetool-metrics.socket --log-target=console --show-status=no \
		>"$OUT/systemd" 2>&1 &
	systemd=$!
}

# unit VERB...: systemctl of that systemd, which answers to those of its own namespaces
unit()
{
	nsenter --target "$(pgrep -P "$systemd")" --mount --pid --root systemctl "$@"
}

# state UNIT: active or inactive, or nothing as long as systemd does not answer
state()
{
	unit is-active "$1" 2>>"$OUT/systemctl" || true
}

# scrape NAME: the head of the answer is not kept
scrape()
{
	curl -sS --max-time 60 http://127.0.0.1:9966/metrics >"$OUT/$1"
}

# reads FILE: how many a scrape has
reads()
{
	awk '/^nvmetool_command_duration_seconds_count\{.*operation="read"/ { n += $2 } END { print n + 0 }' "$1"
}

# has NAME: a line of the service's /proc/PID/status
has()
{
	awk -v name="$1:" '$1 == name { print $2 }' "$OUT/status"
}

guest()
{
	local disk systemd before

	disk=$(disk_of lab0 1)
	ip link set lo up
	start_systemd
	until [ "$(state nvmetool-metrics.socket)" = active ]; do
		sleep 0.05
	done
	check_eq "nothing runs before the first scrape" "$(state nvmetool-metrics.service)" inactive
	scrape first
	check_eq "the first scrape starts the service" "$(state nvmetool-metrics.service)" active
	check_eq "and is answered" "$(sed -n '/^nvmetool_complete /p' "$OUT/first")" "nvmetool_complete 1"
	dd if="/dev/$disk" of=/dev/null bs=4k count=32 iflag=direct status=none
	scrape second
	check_eq "it counts" $(($(reads "$OUT/second") - $(reads "$OUT/first"))) 32
	cat "/proc/$(pgrep -x nvmetool)/status" >"$OUT/status"
	check "its user is of those that systemd gives for the time that it runs" [ $(($(has Uid) >= 61184 && $(has Uid) <= 65519)) = 1 ]
	# CAP_PERFMON is 38, CAP_BPF 39.
	check_eq "it had two capabilities, and none more to get; attached, it has dropped them" "$(has CapBnd) $(has CapPrm) $(has CapEff)" \
		"000000c000000000 0000000000000000 0000000000000000"
	check_eq "it can gain no privileges, and has a filter of system calls" "$(has NoNewPrivs) $(has Seccomp)" "1 2"
	unit stop nvmetool-metrics.service
	check "when it stops nothing is left attached" detached_all
	scrape third
	check_eq "the next scrape starts it again" "$(reads "$OUT/third") $(state nvmetool-metrics.service)" "0 active"
	unit stop nvmetool-metrics.socket nvmetool-metrics.service
	check "with its socket it stops for good" detached_all
	kill -KILL "$(pgrep -P "$systemd")"
	wait "$systemd" || true
	rm -rf /run/systemd "$UNITS" /usr/bin/nvmetool
}
