# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped binary with capabilities of its file, run by nobody where addresses are hidden: nobody chooses by a variable
# or by BTF files what memory of the kernel is read, and where anything is written.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test='6.1'
plan=13
seconds=9

guest()
{
	local caps=cap_bpf,cap_perfmon

	[ "$KERNEL" != 5.10 ] || caps+=,cap_sys_resource
	cp "$SHIPPED" /run/raised
	setcap "$caps+ep" /run/raised
	sysctl -q kernel.kptr_restrict=2
	forged
	hidden
	variables
	sysctl -q kernel.kptr_restrict=0
}

# nobody ARGS...: as nobody, of whom each command of the drive is seen; $OUT/out, $OUT/err and $status
nobody()
{
	status=0
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >"$OUT/out" 2>"$OUT/err" || status=$?
}

# copied NAME: a copy of this kernel's BTF
copied()
{
	rm -rf "/run/$1"
	cp -r /sys/kernel/btf "/run/$1"
	chmod -R a+rX,u+w "/run/$1"
}

# A member that lies elsewhere than its file says is read from there: from the pointers behind it.
forged()
{
	local other

	copied own
	copied request
	"$VM/btfedit" /sys/kernel/btf/vmlinux /run/request/vmlinux request+8
	copied driver
	if [ "$KERNEL" = 5.10 ]; then # modules have none
		printf x >>/run/driver/vmlinux
	else
		printf x >>/run/driver/nvme_core
	fi
	for other in request driver; do
		nobody env NVMETOOL_BTF=any /run/raised trace --json --btf "/run/$other" --duration 1
		check_eq "forged $other: status and lines" "$status $(wc -l <"$OUT/out")" "4 0"
		check "forged $other: $(cat "$OUT/err")" grep -q 'it is not of the running kernel' "$OUT/err"
		status=0
		"$SHIPPED" trace --json --btf "/run/$other" --duration 1 >"$OUT/out" 2>"$OUT/err" || status=$?
		check_eq "forged $other: root too is told" "$status $(wc -l <"$OUT/out")" "4 0"
	done
	nobody /run/raised trace --json --btf /run/own --duration 200ms
	check_eq "a copy is taken" "$status" 0
}

# Where the kernel does not tell whether a file is its own, it is taken of root alone.
hidden()
{
	mount -t tmpfs none /sys/kernel/btf
	nobody /run/raised trace --json --btf /run/own --duration 1
	check_eq "a file that cannot be checked: status and lines" "$status $(wc -l <"$OUT/out")" "3 0"
	check "a file that cannot be checked: $(cat "$OUT/err")" grep -q 'cannot be told here; run as root' "$OUT/err"
	umount /sys/kernel/btf
}

variables()
{
	mkdir -m 777 /run/nobody
	nobody env NVMETOOL_READY_FD=9 /run/raised trace --json --duration 200ms 9>/run/nobody/ready
	check_eq "nothing is written where a variable says" "$status $(wc -c </run/nobody/ready)" "0 0"
	nobody env TERM=xterm PAGER='touch /run/nobody/paged; cat' script -qec '/run/raised help trace' /dev/null
	check "no pager is run" test ! -e /run/nobody/paged
	nobody env TERM=xterm PAGER='touch /run/nobody/paged; cat' script -qec "$SHIPPED help trace" /dev/null
	check "where nothing is raised, it is" test -e /run/nobody/paged
	# shellcheck disable=SC2016 # for that shell
	nobody bash -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec /run/raised metrics --listen fd'
	check "no socket is taken from it: $(cat "$OUT/err")" grep -q 'takes no socket from its environment' "$OUT/err"
}
