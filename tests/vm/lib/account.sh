# SPDX-License-Identifier: GPL-2.0-or-later
# The summary that nvmetool gives of a run, for checks in the guest and on the host; tests that use it read this file.
# shellcheck shell=bash

# methods: the ways to attach that the kernel has, the best one first; modules of 5.10 have no BTF
methods()
{
	[ "$KERNEL" = 5.10 ] || echo tp_btf
	echo raw_tp
}

best_method()
{
	methods | head -n 1
}

# skip_tp_btf COUNT: stands for so many checks of tp_btf on a kernel that has none
skip_tp_btf()
{
	local i

	[ "$KERNEL" = 5.10 ] || return 0
	for ((i = 0; i < $1; i++)); do
		skip "tp_btf" "the modules of 5.10 have no BTF"
	done
}

# told FILE: what a run said on stderr, but for what it always says: on 5.10, where look-ups in maps need CAP_BPF, and
# where the kernel lets no program attach to a function
told()
{
	case $LABEL in
	5.10) grep -v '^nvmetool: keeps CAP_BPF while it runs, ' "$1" || true ;;
	arm64-6.1) grep -v '^nvmetool: this kernel does not let blk_insert_flush be traced: ' "$1" || true ;;
	*) cat "$1" ;;
	esac
}

# flush_hook: its name where it cannot be had
flush_hook()
{
	[ "$LABEL" != arm64-6.1 ] || echo blk_insert_flush
}

# summary_of FILE: the summary at the end of JSON output
summary_of()
{
	tail -n 1 "$1" | jq -c 'select(.type == "summary") // error("no summary")'
}

# adds_up FILE: the sums of the summary hold, for `check`
adds_up()
{
	summary_of "$1"
	summary_of "$1" | jq -e '
		.submitted == .paired + .requeued + .failed_setup + .inflight_at_exit + .lost.inflight_full and
		.completed == .paired + .before_attach + .unsent + .lost.unmatched and
		.paired == .emitted + .filtered + .lost.ring_full + .lost.output and
		.complete == ([.lost[] | . // 0] | add == 0)' >/dev/null
}

# nothing_lost FILE: they hold and nothing is in `lost`
nothing_lost()
{
	adds_up "$1" && summary_of "$1" | jq -e '.complete and (.lost | length >= 7)' >/dev/null
}

# bpf_listed: the BPF programs that bpftool lists, but for those of systemd, whose kind nvmetool has none of
bpf_listed()
{
	bpftool -j prog list | jq -c '.[] | select(.type | startswith("cgroup") | not) | [.id, .type, .name]'
}

# bpf_loaded: the same; once in a boot it shows that it sees a program while one is loaded
bpf_loaded()
{
	if [ ! -e "${SEEN:-/run/bpf_seen}" ]; then
		attached witness "$NVMETOOL" trace --json
		[ -n "$(bpf_listed)" ] || { echo "bpftool lists no program while one is loaded" >&2 && return 1; }
		detach witness
		: >"${SEEN:-/run/bpf_seen}"
	fi
	bpf_listed
}

# detached_all: waits until no BPF program is loaded any more; the kernel frees them some time after the last
# descriptor is closed
detached_all()
{
	local tries=0 left

	left=$(bpf_loaded)
	while [ -n "$left" ]; do
		tries=$((tries + 1))
		[ "$tries" -le 200 ] || { echo "$left" && return 1; }
		sleep 0.05
		left=$(bpf_loaded)
	done
}

# phases_seen FIELD...: "PHASE FIELD... COUNT" of what trace saw of fio, whose phases have PHASE_MIB of blocks each
phases_seen()
{
	jq -r --argjson blocks $((PHASE_MIB * 2048)) 'select(.type == "io" and .comm == "fio") |
		[(.slba / $blocks | floor), .[$ARGS.positional[]]] | join(" ")' "$OUT/all.out" --args "$@" |
		sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2), n }' | sort
}
