#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a kernel of kernels.list ready to boot and prints its directory; nothing is installed.
#
# usage: kernel.sh [--refresh] LABEL     fetch if it is not cached (--refresh: look for a newer one)
#        kernel.sh --list [WHEN]         labels of kernels.list, one per line
#
# The directory holds root/ (the unpacked packages), release, vmlinux and modules.cpio (busybox and the
# modules a guest needs to reach the host's root). Exit: 0 ready, 4 cannot be had and may be skipped, else 1.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/kernels
# In this order; the drive's own driver is loaded later, from the real root, with the options of the test.
MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)

die()
{
	local status=1

	[ "${missing:-fail}" = skip ] && status=4
	printf 'error: kernel %s: %s\n' "${label:-?}" "$1" >&2
	exit "$status"
}

# Sets suite, package, arch and missing for a label.
lookup()
{
	local found

	found=$(awk -v l="$1" '$1 == l { print $2, $3, $4, $6 }' "$VM/kernels.list")
	[ -n "$found" ] || die "not in kernels.list; one of: $("$0" --list | xargs)"
	read -r suite package arch missing <<<"$found"
}

# Writes the machine's own apt sources, rewritten for another suite, to directory $1.
write_sources()
{
	local release file

	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mkdir -p "$1"
	rm -f "$1"/*
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		awk -v RS= -v OLD="$release" -v NEW="$suite" -f "$VM/lib/sources.awk" "$file" \
			>"$1/${file##*/}"
	done
	find /etc/apt -maxdepth 2 -name '*.list' -exec cat {} + |
		sed -n "s/^\(deb \+\(\[[^]]*\] \+\)\?[^ ]\+ \+\)$release\(\(-updates\|-security\)\?\/\? .*\)/\1$suite\3/p" |
		awk -v new="$suite" 'new != "sid" || !/ sid-/' >"$1/list.list"
	find "$1" -type f -empty -delete
	[ -n "$(ls "$1")" ] || die "no apt source of Debian $release on this machine; run on Debian 12"
}

# apt-get and apt-cache on a state of our own: no root, no lock, nothing of the machine's changes.
apt_private()
{
	local tool=$1 state=$CACHE/apt/$suite-$arch

	shift
	mkdir -p "$state"/{lists,archives}/partial
	: >>"$state/status"
	"$tool" -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
		-o Dir::State="$state" -o Dir::State::status="$state/status" \
		-o Dir::State::lists="$state/lists" -o Dir::Cache="$state" \
		-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" \
		-o Acquire::Check-Valid-Until=false -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o APT::Sandbox::User=root "$@"
}

# Names the packages that make up the newest kernel: the metapackage's image and, where Debian splits it, its
# linux-base-*, linux-binary-* and linux-modules-* parts.
kernel_packages()
{
	apt_private apt-cache depends --recurse --no-pre-depends --no-recommends --no-suggests \
		--no-conflicts --no-breaks --no-replaces --no-enhances "$package" |
		grep -E '^linux-(image|binary|modules|base)-[0-9]' | sort -u
}

# The version of the kernel that apt offers, e.g. 6.1.140-1.
kernel_version()
{
	apt_private apt-cache policy "$(kernel_packages | head -n 1)" |
		awk '$1 == "Candidate:" { print $2 }'
}

# modules.cpio: busybox, and in /modules the wanted modules, unpacked, with their load order in /modules/list.
pack_initramfs()
{
	local root=$1/root release=$2 tree=$1/initramfs module ko name

	mkdir -p "$tree"/{bin,modules,proc,sys,dev,root}
	cp "$(command -v busybox)" "$tree/bin/busybox"
	for module in "${MODULES[@]}"; do
		modprobe -d "$root" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r ko; do
		name=${ko##*/}
		name=${name%%.ko*}
		case $ko in
		*.xz) xz -dc "$ko" ;;
		*.zst) zstd -dcq "$ko" ;;
		*.gz) gzip -dc "$ko" ;;
		*) cat "$ko" ;;
		esac >"$tree/modules/$name.ko"
		echo "$name" >>"$tree/modules/list"
	done
	(cd "$tree" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$1/modules.cpio"
	rm -rf "$tree"
}

# unpack_vmlinux BZIMAGE: prints the ELF kernel in it, which QEMU boots as well (PVH): to unpack it in every
# emulated boot takes 2 to 3 s. Offsets: Linux, Documentation/arch/x86/boot.rst; after xz and zstd come 4 bytes of size.
unpack_vmlinux()
{
	local sectors offset length

	sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	dd if="$1" of="$1.payload" bs=1M iflag=skip_bytes,count_bytes status=none \
		skip=$(((sectors + 1) * 512 + offset)) count=$((length - 4))
	case $(od -An -tx1 -N 4 "$1.payload") in
	' fd 37 7a 58') xz -dc "$1.payload" ;;
	' 28 b5 2f fd') zstd -dcq "$1.payload" ;;
	*) die "cannot unpack $1: neither xz nor zstd" ;;
	esac
	rm -f "$1.payload"
}

# Downloads and unpacks into directory $1.
unpack()
{
	local deb release

	# Some parts of a kernel lie in /lib, some in /usr/lib; as on an installed system these are one.
	mkdir -p "$1/deb" "$1/root/usr/lib"
	ln -s usr/lib "$1/root/lib"
	mapfile -t debs < <(kernel_packages)
	(cd "$1/deb" && apt_private apt-get download "${debs[@]}" >&2) || die "download failed"
	for deb in "$1"/deb/*.deb; do
		dpkg-deb -x "$deb" "$1/root"
	done
	rm -rf "$1/deb"
	release=$(ls "$1/root/lib/modules")
	echo "$release" >"$1/release"
	unpack_vmlinux "$(find "$1/root/" -name 'vmlinuz*' -type f)" >"$1/vmlinux"
	depmod -b "$1/root" "$release"
	pack_initramfs "$1" "$release"
}

# The newest complete kernel of this label in the cache.
cached()
{
	find "$CACHE" -maxdepth 1 -name "$label-*" ! -name '*.part' | sort -V | tail -n 1
}

fetch()
{
	local version dir

	write_sources "$CACHE/apt/$suite-$arch/sources"
	echo "fetching Linux $label from Debian $suite" >&2
	# A suite without all of its parts still serves: what counts is that the package is found.
	apt_private apt-get update >"$CACHE/apt/$suite-$arch/update.log" 2>&1 || true
	version=$(kernel_version)
	[ -n "$version" ] ||
		die "$package not found in $suite ($CACHE/apt/$suite-$arch/update.log says why)"
	dir=$CACHE/$label-$version
	if [ ! -e "$dir" ]; then
		rm -rf "$dir.part"
		unpack "$dir.part"
		mv "$dir.part" "$dir"
	fi
}

refresh=
case ${1:-} in
--list)
	awk -v w="${2:-}" '/^[^#]/ && (w == "" || $5 == w) { print $1 }' "$VM/kernels.list"
	exit
	;;
--refresh)
	refresh=1
	shift
	;;
esac
label=${1:?usage: kernel.sh [--refresh] LABEL}
lookup "$label"
mkdir -p "$CACHE/apt"
exec 9>"$CACHE/$label.lock"
flock 9
if [ -n "$refresh" ] || [ -z "$(cached)" ]; then
	fetch
fi
cached
