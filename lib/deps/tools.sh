#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sees to it that the programs a goal needs are there; on Debian 12 the missing ones are installed with apt.
#
# usage: tools.sh GOAL...          build, test, vm, fuzz, bench, ci, npm, aarch64 (to build for it elsewhere)
#        tools.sh --is-debian-12   exit status tells
#        tools.sh --ways-out       what to do on another distribution, as half a sentence
set -euo pipefail

# GOAL, Debian package, and what shows that it is there: a program, or a file (or pattern) with a leading slash.
NEEDS='
build make              make
build gcc               gcc
build libc6-dev         /usr/include/stdlib.h
build linux-libc-dev    /usr/include/linux/bpf.h
build musl-tools        musl-gcc
build clang             clang
build llvm              llvm-strip
build dpkg-dev          dpkg-source
build bzip2             bzip2
build xz-utils          xz
test  clang-format      clang-format
test  clang-tidy        clang-tidy
test  libclang-rt-14-dev /usr/lib/llvm-14/lib/clang/*/include/sanitizer/lsan_interface.h
test  cppcheck          cppcheck
test  shellcheck        shellcheck
test  libcmocka-dev     /usr/include/cmocka.h
test  libbpf-dev        /usr/include/bpf/libbpf.h
test  libelf-dev        /usr/include/libelf.h
test  systemtap-sdt-dev /usr/include/*/sys/sdt.h
test  zlib1g-dev        /usr/include/zlib.h
test  bats              bats
test  jq                jq
test  tmux              tmux
test  zsh               zsh
test  fish              fish
test  bash-completion   /usr/share/bash-completion/bash_completion
test  mandoc            mandoc
test  python3           python3
test  chromium          chromium
test  poppler-utils     pdftotext
test  libxml2-utils     xmllint
test  fonts-dejavu-core /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf
test  python3-jsonschema /usr/lib/python3/dist-packages/jsonschema/__init__.py
test  strace            strace
test  bpftrace          bpftrace
test  git               git
test  qemu-user         qemu-aarch64
test  sqlite3           sqlite3
test  fio               fio
test  blktrace          blkparse
test  default-jre-headless java
test  libhdrhistogram-java /usr/share/java/hdrhistogram.jar
test  clickhouse-server clickhouse-server
test  clickhouse-client clickhouse-client
test  curl              curl
test  prometheus        promtool
test  prometheus-node-exporter prometheus-node-exporter
test  systemd           systemd-socket-activate
vm    qemu-system-x86   qemu-system-x86_64
vm    qemu-system-arm   qemu-system-aarch64
vm    busybox-static    busybox
vm    fio               fio
vm    nvme-cli          nvme
vm    bpftool           bpftool
vm    bpftrace          bpftrace
vm    libcap2-bin       setcap
vm    iproute2          ip
vm    procps            sysctl
vm    systemd           /lib/systemd/systemd
vm    e2fsprogs         mkfs.ext4
vm    xfsprogs          mkfs.xfs
vm    btrfs-progs       mkfs.btrfs
vm    kmod              modprobe
vm    mdadm             mdadm
vm    dmsetup           dmsetup
vm    lvm2              lvm
vm    cryptsetup-bin    cryptsetup
vm    cpio              cpio
vm    xz-utils          xz
vm    zstd              zstd
vm    python3           python3
vm    git               git
vm    sqlite3           sqlite3
aarch64 gcc-aarch64-linux-gnu      aarch64-linux-gnu-gcc
aarch64 linux-libc-dev-arm64-cross /usr/aarch64-linux-gnu/include/asm/types.h
aarch64 libc6-dev-arm64-cross      /usr/aarch64-linux-gnu/lib/libc.a
bench bpftrace          bpftrace
bench libbpf-tools      biolatency
bench linux-perf        perf
bench blktrace          blkparse
ci    debootstrap       debootstrap
npm   npm               npm
fuzz  libclang-rt-dev   /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
'
# Some of the programs are for root; OS_RELEASE is for the tests.
PATH=$PATH:/usr/sbin:/sbin
OS_RELEASE=${OS_RELEASE:-/etc/os-release}

is_debian_12()
{
	# shellcheck source=/dev/null
	[ -e "$OS_RELEASE" ] && (. "$OS_RELEASE" && [ "${ID:-}${VERSION_ID:-}" = debian12 ])
}

ways_out()
{
	echo "use a Debian 12 container, or install the tools by hand and give DEPS_SRC=DIR," \
		"a directory with the archives that lib/deps/pins names"
}

# Prints "PACKAGE PROBE" for each need of the goals given that is not met.
missing()
{
	local goal package probe

	while read -r goal package probe; do
		[[ -n $goal && " $* " == *" $goal "* ]] || continue
		case $probe in
		/*) compgen -G "$probe" >/dev/null ;;
		*) command -v "$probe" >/dev/null ;;
		esac || echo "$package $probe"
	done <<<"$NEEDS" | sort -u
}

# Runs a command as root.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "error: not root and no sudo; run as root: apt-get install $packages" >&2
		exit 1
	fi
}

# Its messages are shown when it fails.
apt()
{
	local said status=0

	said=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" 2>&1) || status=$?
	[ "$status" = 0 ] || echo "$said" >&2
	return "$status"
}

# Installs packages; the lists are fetched when they are absent or too old to serve.
install_packages()
{
	echo "installing Debian packages for '$goals': $packages" >&2
	# shellcheck disable=SC2086 # a list of words
	apt-cache show $packages >/dev/null 2>&1 || apt update || true
	# shellcheck disable=SC2086 # as above
	apt install -y --no-install-recommends $packages ||
		{ apt update && apt install -y --no-install-recommends $packages; } || {
		echo "error: apt-get could not install: $packages; check the network, or $(ways_out)" >&2
		exit 1
	}
}

case ${1:?usage: tools.sh GOAL...} in
--is-debian-12)
	is_debian_12
	exit
	;;
--ways-out)
	ways_out
	exit
	;;
esac
goals=$*
lacks=$(missing "$@")
[ -n "$lacks" ] || exit 0
packages=$(cut -d ' ' -f 1 <<<"$lacks" | sort -u | xargs)
if ! is_debian_12; then
	echo "error: missing: $(cut -d ' ' -f 2 <<<"$lacks" | xargs); $(ways_out)" >&2
	exit 1
fi
# One at a time: make -j may ask for the tools of two goals at once.
exec 9<"$0"
flock 9
install_packages
lacks=$(missing "$@")
[ -z "$lacks" ] || {
	echo "error: still missing after apt-get install: $lacks" >&2
	exit 1
}
