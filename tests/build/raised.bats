#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped binary with capabilities of its file, as README has it, run by a user who has none: what is read and where it
# is written does not follow the environment, nor files that may be of another kernel. A guest traces so: tests/vm.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
	[ "$(id -u)" = 0 ] || skip "root is needed to give a file capabilities"
	DIR=$BATS_TEST_TMPDIR
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*/ "$BATS_RUN_TMPDIR"/*/*/
	mkdir -m 777 "$DIR/open"
	cp "$NVMETOOL" "$DIR/raised"
	setcap cap_bpf,cap_perfmon+ep "$DIR/raised" || skip "this file system has no capabilities of files"
}

# nobody COMMAND...
nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# verdict FILTER...: what doctor says of BTF in $DIR/btf, run by FILTER...
verdict()
{
	"$@" "$DIR/raised" doctor --btf "$DIR/btf" --json | jq -r 'select(.name == "btf") | .verdict + " " + .detail'
}

copy_btf()
{
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	mkdir "$DIR/btf"
	cp /sys/kernel/btf/vmlinux "$DIR/btf"
}

@test "BTF of another kernel is not taken, whatever a variable says" {
	copy_btf
	[[ $(verdict nobody) == 'ok '* ]]
	tests/vm/btfedit /sys/kernel/btf/vmlinux "$DIR/btf/vmlinux" request+8
	[[ $(verdict nobody env NVMETOOL_BTF=any) == 'no '*'it is not of the running kernel'* ]]
}

@test "BTF that cannot be told to be the kernel's is not taken" {
	copy_btf
	# shellcheck disable=SC2016 # for the shell there
	run unshare --mount bash -c 'mount -t tmpfs none /sys/kernel/btf; exec setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$1"/raised doctor --btf "$1/btf"' bash "$DIR"
	[[ $output == *'cannot be told here; run as root'* ]]
}

@test "no pager is run" {
	nobody env TERM=xterm PAGER="touch $DIR/open/paged; cat" script -qec "$DIR/raised help trace" /dev/null </dev/null
	[ ! -e "$DIR/open/paged" ]
	setcap -r "$DIR/raised"
	nobody env TERM=xterm PAGER="touch $DIR/open/paged; cat" script -qec "$DIR/raised help trace" /dev/null </dev/null
	[ -e "$DIR/open/paged" ]
}
