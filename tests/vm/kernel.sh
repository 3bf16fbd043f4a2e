#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a kernel of kernels.list ready to boot and prints its directory; nothing is installed.
#
# usage: kernel.sh [--refresh] LABEL     fetch if it is not cached (--refresh: look for a newer one)
#        kernel.sh --list                labels of kernels.list
#        kernel.sh --arch LABEL          Debian's name of its architecture
#
# The directory holds root/ (the unpacked packages), release, vmlinux and modules.cpio (busybox and the
# modules a guest needs to reach the host's root). Exit: 0 ready, 4 cannot be had and may be skipped, else 1.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DEPS=$VM/../../lib/deps
CACHE=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/kernels
# In this order; the drive's own driver is loaded later, from the real root, with the options of the test.
MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)
. "$DEPS/apt.sh"
. "$VM/lib/bzimage.sh"

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

	found=$(awk -v l="$1" '$1 == l { print $2, $3, $4, $5 }' "$VM/kernels.list")
	[ -n "$found" ] || die "not in kernels.list; one of: $("$0" --list | xargs)"
	read -r suite package arch missing <<<"$found"
}

# Names the packages that make up the newest kernel: the image that the metapackage names, or the newest whose name begins
# so, and, where Debian splits it, its linux-base-*, linux-binary-* and linux-modules-* parts.
kernel_packages()
{
	local image=$package

	[[ $package != *. ]] ||
		image=$(apt_private apt-cache pkgnames "$package" | grep -E "^[^-]*-image-[^-]*-$arch\$" | sort -V | tail -n 1)
	[ -n "$image" ] || return 0
	{
		echo "$image"
		apt_private apt-cache depends --recurse --no-pre-depends --no-recommends --no-suggests \
			--no-conflicts --no-breaks --no-replaces --no-enhances "$image"
	} | grep -E '^linux-(image|binary|modules|base)-[0-9]' | sort -u
}

# The version of the kernel that apt offers, e.g. 6.1.140-1.
kernel_version()
{
	local packages

	packages=$(kernel_packages)
	apt_private apt-cache policy "${packages%%$'\n'*}" |
		awk '$1 == "Candidate:" { print $2 }'
}

# modules.cpio: busybox, and in /modules the wanted modules, unpacked, with their load order in /modules/list.
pack_initramfs()
{
	local root=$1/root release=$2 tree=$1/initramfs module ko name

	mkdir -p "$tree"/{bin,modules,proc,sys,dev,root}
	cp "$userland/bin/busybox" "$tree/bin/busybox"
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

# unpack_vmlinux VMLINUZ: prints the kernel in it that QEMU boots fastest.
unpack_vmlinux()
{
	case $arch in
	amd64) unpack_bzimage "$1" ;;
	*) cat "$1" ;;
	esac
}

# Downloads and unpacks into directory $1.
unpack()
{
	local debs release

	# Some parts of a kernel lie in /lib, some in /usr/lib; as on an installed system these are one.
	mkdir -p "$1/root/usr/lib"
	ln -s usr/lib "$1/root/lib"
	mapfile -t debs < <(kernel_packages)
	apt_unpack "$1/root" "${debs[@]}" || die "download failed"
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
	local version dir userland

	# First, for it may fetch from the same suite, which only one does at a time.
	userland=$("$VM/userland.sh" "$arch") || die "no programs for its guests"
	echo "fetching Linux $label from Debian $suite" >&2
	apt_open "$suite" "$arch" || die "cannot fetch packages"
	version=$(kernel_version)
	[ -n "$version" ] || die "$package not found in $suite ($APT_STATE/update.log says why)"
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
	awk '/^[^#]/ { print $1 }' "$VM/kernels.list"
	exit
	;;
--arch)
	label=${2:?usage: kernel.sh --arch LABEL}
	lookup "$label"
	echo "$arch"
	exit
	;;
--refresh)
	refresh=1
	shift
	;;
esac
label=${1:?usage: kernel.sh [--refresh] LABEL}
lookup "$label"
label=${label#as*-}
mkdir -p "$CACHE"
exec 9>"$CACHE/$label.lock"
flock 9
if [ -n "$refresh" ] || [ -z "$(cached)" ]; then
	fetch
fi
cached
