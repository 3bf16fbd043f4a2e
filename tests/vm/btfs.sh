#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes what our programs read out of kernels that no guest boots: makes tests/data/btf/VERSION of each image of a suite.
#
# usage: btfs.sh SUITE PACKAGE...    e.g. btfs.sh trixie-backports linux-binary-7.1.13+deb13-amd64
#
# From another archive than this machine's, as the versions that end in 0, with its keys:
#   APT_SOURCE='deb [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg] http://archive.ubuntu.com/ubuntu' \
#       btfs.sh noble-updates linux-image-unsigned-6.14.0-1020-oem
# A file has the members that the objects of this build ask for, 2 KiB of 5 MiB: when they ask for more, make them again.
set -euo pipefail

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DEPS=$VM/../../lib/deps
OBJECTS=${O:-$VM/../../build}/bpf
. "$DEPS/apt.sh"
. "$VM/lib/bzimage.sh"

die()
{
	echo "error: $1" >&2
	exit 1
}

suite=${1:?usage: btfs.sh SUITE PACKAGE...}
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
apt_open "$suite" amd64 || die "cannot fetch packages of $suite"
for package in "$@"; do
	apt_unpack "$scratch/$package" "$package" || die "download of $package failed"
	unpack_bzimage "$(find "$scratch/$package" -name 'vmlinuz*' -type f)" >"$scratch/vmlinux"
	llvm-objcopy --dump-section=.BTF="$scratch/btf" "$scratch/vmlinux" "$scratch/rest"
	version=${package##linux-*[a-z]-}
	bpftool gen min_core_btf "$scratch/btf" "$VM/../data/btf/${version%%[+-]*}" "$OBJECTS"/*.bpf.o
	rm -rf "${scratch:?}/$package"
done
