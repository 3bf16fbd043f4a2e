# SPDX-License-Identifier: GPL-2.0-or-later
# In a container: namespaces of its own, and nothing of the host's /sys/kernel. With a copy of the BTF files all is
# as on the host.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

kernels='5.10 6.1 6.12 sid'
plan=12

guest()
{
	local READ=(dd "if=/dev/$(disk_of lab0 1)" of=/dev/null bs=4k count=5 iflag=direct status=none)

	mkdir /run/btf
	cp /sys/kernel/btf/* /run/btf
	contained trace --json
	check_eq "without BTF: exit status" "$status" 4
	check "without BTF: --btf is named: $(cat "$OUT/err")" grep -q -- '--btf DIR with a copy' "$OUT/err"
	contained doctor --json
	check_eq "without BTF: doctor" "$status $(of btf)" "4 no"
	contained doctor --btf /run/btf --json
	check_eq "with --btf: doctor" "$status $(of btf)" "0 ok"
	check_eq "process ids are the host's: told" "$(of namespaces)" degraded
	check_eq "tracefs is not needed" "$(of tracefs)" ok
	for cmd in trace latency errors; do
		contained "$cmd" --btf /run/btf --json -- "${READ[@]}"
		check_eq "with --btf: $cmd" "$status $(jq -s 'map(select(.type == "summary"))[0].paired' "$OUT/out")" "0 5"
	done
	check_eq "method" "$(jq -r 'select(.type == "meta").attach.method' "$OUT/out")" \
		"$([ "$KERNEL" = 5.10 ] && echo raw_tp || echo tp_btf)"
	contained stacks --btf /run/btf --json -- "${READ[@]}"
	check_eq "stacks have names" "$(jq -rs 'map(select(.type == "stack").kstack[]) | any(contains("submit_bio"))' "$OUT/out")" true
	rm -f /run/btf/nvme*
	contained trace --btf /run/btf --json -- "${READ[@]}"
	check_eq "without the driver's BTF: controllers are known" "$(jq -rs 'map(select(.type == "io").ctrl) | unique[]' "$OUT/out")" \
		"$(ctrl_of lab0)"
}

# contained ARGS...: nvmetool in the container; $OUT/out, $OUT/err and $status
contained()
{
	status=0
	# shellcheck disable=SC2016 # for the shell in the container
	unshare --mount --pid --fork --mount-proc bash -c 'mount -t tmpfs none /sys/kernel && exec "$@"' bash \
		"$NVMETOOL" "$@" >"$OUT/out" 2>"$OUT/err" || status=$?
}

# of CHECK: what doctor said
of()
{
	jq -r --arg name "$1" 'select(.name == $name).verdict' "$OUT/out"
}
