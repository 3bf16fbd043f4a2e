# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel in a compressed image, for scripts that read this file; they have die().
# shellcheck shell=bash

# unpack_bzimage BZIMAGE: prints the ELF kernel in it, which QEMU boots as well (PVH): to unpack it in every
# emulated boot takes 2 to 3 s. Offsets: Linux, Documentation/arch/x86/boot.rst; after xz and zstd come 4 bytes of size.
unpack_bzimage()
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
