# SPDX-License-Identifier: GPL-2.0-or-later
# doctor says what then really happens: its exit status is that of runs that trace in the same world, the method
# is the one they use, and what it calls lost is what they miss.
# shellcheck shell=bash disable=SC2034,SC2054,SC2086,SC2154 # variables of the lab; $BTF is words, capabilities have commas

plan=47
seconds=68

guest()
{
	local min=(setpriv --bounding-set=-all,+bpf,+perfmon)

	world "root" every
	missing_hooks
	functions
	world "CAP_BPF and CAP_PERFMON" every "${min[@]}"
	world "these and CAP_SYS_RESOURCE" setpriv --bounding-set=-all,+bpf,+perfmon,+sys_resource
	probing "${min[@]}"
	world "no CAP_PERFMON" setpriv --bounding-set=-perfmon,-sys_admin
	world "nobody" setpriv --reuid=65534 --regid=65534 --clear-groups
	without_btf
	umount /sys/kernel/tracing /sys/kernel/debug
	world "no tracefs"
	check_eq "no tracefs: all the same" "$(verdict tracefs)" ok
	umount /sys/fs/cgroup
	world "no cgroup v2"
	check_eq "no cgroup v2: -g is lost" "$(verdict cgroup2) $(status_of "$NVMETOOL" latency -g / --probe-only)" "degraded 5"
	modprobe -r nvme nvme_core
	world "no driver"
	check_eq "no driver: said" "$(verdict driver)" no
	modprobe nvme
	drive_wait lab0 1
}

# status_of COMMAND...
status_of()
{
	local status=0

	"$@" >"$OUT/said" 2>&1 || status=$?
	echo "$status"
}

# world NAME [every] [COMMAND...]: doctor and latency, or every subcommand that traces, run by COMMAND; three checks
world()
{
	local name=$1 want cmd got='' method commands=latency
	local -A more=([record]="-w $OUT/recording" [latency]=--json)

	shift
	if [ "${1:-}" = every ]; then
		commands='latency trace stacks errors pattern record'
		shift
	fi
	want=$(status_of "$@" "$NVMETOOL" doctor $BTF --json)
	cp "$OUT/said" "$OUT/doctor"
	for cmd in $commands; do
		got+="$cmd $(status_of "$@" "$NVMETOOL" "$cmd" $BTF --probe-only ${more[$cmd]-}) "
		[ "$cmd" != latency ] || cp "$OUT/said" "$OUT/latency"
	done
	check_eq "$name: exit status" "$got" "${commands// / $want } $want "
	check "$name: no check says no but with an exit status" said_no "$want"
	method=$(sed -n '/^{"type":"meta"/p' "$OUT/latency" | jq -r .attach.method)
	check_eq "$name: method" "$(jq -r 'select(.name == "attach").detail | match("^(tp_btf|raw_tp)?").string' "$OUT/doctor")" \
		"$method"
}

said_no()
{
	jq -es --argjson status "$1" '[.[] | select(.type == "check").verdict == "no"] | any == ($status != 0)' "$OUT/doctor"
}

# verdict CHECK: in the world looked at last
verdict()
{
	jq -r --arg name "$1" 'select(.name == $name).verdict' "$OUT/doctor"
}

# As root: hooks that doctor calls lost are those that runs miss.
missing_hooks()
{
	"$NVMETOOL" errors --json --block --probe-only 2>/dev/null >"$OUT/errors"
	"$NVMETOOL" trace --json --sq --aer --probe-only 2>/dev/null >"$OUT/trace"
	check_eq "what is missing" \
		"$(jq -rs 'map(select(.name // "" | test("^(nvme|block|blk)_.*[^f]$")) | select(.verdict != "ok").name) | sort | join(" ")' \
			"$OUT/doctor")" \
		"$(cat "$OUT/errors" "$OUT/trace" |
			jq -rs 'map(select(.type == "meta").attach.missing[]) | unique | join(" ")')"
}

functions()
{
	local name state

	for name in nvme_queue_rq nvme_complete_rq nvme_end_req nvme_core_exit blk_mq_start_request no_such_function; do
		state=$("$NVMETOOL" doctor --functions "$name" --json --no-meta | jq -r .state)
		diag "$name is $state"
		check_eq "--functions $name" "$([ "$state" = traceable ] && echo 0 || echo 4)" \
			"$(status_of "$NVMETOOL" stacks --probe "$name" --probe-only)"
	done
}

# probing COMMAND...: perf events are not for everyone
probing()
{
	[ "$(verdict attach)" != no ] || { "$@" "$NVMETOOL" doctor --json >"$OUT/doctor" || true; }
	check_eq "probes on functions" "$(verdict perf_event_paranoid) $(status_of \
		setpriv --bounding-set=-all,+bpf,+perfmon,+sys_resource "$NVMETOOL" stacks --probe nvme_queue_rq --probe-only)" \
		"degraded 3"
}

without_btf()
{
	mkdir -p /run/btf
	cp /sys/kernel/btf/* /run/btf
	mount -t tmpfs none /sys/kernel/btf
	world "no BTF"
	check_eq "no BTF: said" "$(verdict btf)" no
	BTF='--btf /run/btf'
	world "--btf DIR"
	check_eq "--btf DIR: BTF of the driver" "$(verdict nvme_btf)" \
		"$([ -e /run/btf/nvme_core ] && echo ok || echo degraded)"
	BTF=
	cp /run/btf/vmlinux /sys/kernel/btf
	world "no BTF of modules"
	check_eq "no BTF of modules: said" "$(verdict nvme_btf)" degraded
	umount /sys/kernel/btf
}

BTF=
