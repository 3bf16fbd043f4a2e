# SPDX-License-Identifier: GPL-2.0-or-later
# In a container: namespaces of its own, and nothing of the host's /sys/kernel. With a copy of the BTF files all is
# as on the host.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

test='6.12'
plan=22
seconds=34

guest()
{
	local READ=(dd "if=/dev/$(disk_of lab0 1)" of=/dev/null bs=4k count=5 iflag=direct status=none)

	mkdir -p /run/btf
	cp /sys/kernel/btf/* /run/btf
	contained trace --json
	check_eq "without BTF: exit status" "$status" 4
	check "without BTF: --btf is named: $(cat "$OUT/err")" grep -q -- 'give --btf a copy' "$OUT/err"
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
	check_eq "and the layout of requests is found to be the one assumed" "$(jq -rsc 'map(select(.type == "io" and .op == "read").status) |
		unique' "$OUT/out")" "[0]"
	other_kernel
	other_layout
	refused_way
}

# edited NAME EDIT...: in /run/NAME, BTF of a kernel that differs
edited()
{
	rm -rf "/run/$1"
	mkdir "/run/$1"
	cp /sys/kernel/btf/* "/run/$1"
	"$VM/btfedit" /sys/kernel/btf/vmlinux "/run/$1/vmlinux" "${@:2}"
}

# BTF of another kernel is refused; on 5.10 the kernel itself does not tell, /sys/kernel/btf does.
other_kernel()
{
	edited other gendisk.queue=another
	status=0
	"$NVMETOOL" trace --btf /run/other --duration 1 2>"$OUT/err" || status=$?
	check_eq "BTF of another kernel: status" "$status" 4
	check "and why: $(cat "$OUT/err")" grep -q 'error: /run/other/vmlinux: it is not of the running kernel; give a copy' "$OUT/err"
	[ "$KERNEL" = 5.10 ] || contained trace --btf /run/other --duration 1
	check_eq "BTF of another kernel in the container: status" "$status" 4
}

# A driver that has no BTF, and another layout than 5.10.223: here it is read at the wrong place.
other_layout()
{
	edited layout request+64
	rm -f /run/layout/nvme*
	export NVMETOOL_BTF=any
	contained trace --btf /run/layout --json -- "${READ[@]}"
	check_eq "an unknown layout: status, result and retries are null" "$status $(jq -rsc 'map(select(.type == "io" and .op == "read") |
		[.status, .result, .retries]) | [length, unique]' "$OUT/out")" '0 [5,[[null,null,null]]]'
	check_eq "and it is said" "$(grep -c 'status, result and retries are unknown: the driver has no BTF' "$OUT/err")" 1
	contained errors --btf /run/layout --json -- "${READ[@]}"
	check_eq "errors cannot do without" "$status $(grep -c '^error: errors: the driver has no BTF' "$OUT/err")" "4 1"
	unset NVMETOOL_BTF
}

# A kernel that refuses the typed programs: these read the name of a task from the task, raw ones ask a helper.
refused_way()
{
	[ "$KERNEL" != 5.10 ] || { skip_tp_btf 3; return 0; }
	edited refused task_struct.comm=gone
	export NVMETOOL_BTF=any
	contained trace --btf /run/refused --json -- "${READ[@]}"
	check_eq "typed programs are refused: raw ones are used" "$status $(jq -rs '(map(select(.type == "meta"))[0].attach.method) + " " +
		(map(select(.type == "io" and .comm == "dd")) | length | tostring)' "$OUT/out")" "0 raw_tp 5"
	check_eq "and it is said" "$(grep -c 'the kernel refuses typed tracepoints' "$OUT/err")" 1
	contained trace --btf /run/refused --attach tp_btf --json -- "${READ[@]}"
	check_eq "who asks for typed ones gets no others" "$status" 4
	unset NVMETOOL_BTF
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
