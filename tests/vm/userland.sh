#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the root directory of guests of another architecture ready and prints it: what tests run in a guest, unpacked
# from Debian's packages. Prints an empty line for this machine's architecture, whose own root serves.
#
# usage: userland.sh ARCH        Debian's name, e.g. arm64
set -euo pipefail

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DEPS=$VM/../../lib/deps
. "$DEPS/apt.sh"
PACKAGES='base-files base-passwd bash bpftool busybox-static coreutils dash diffutils findutils fio grep jq kmod libc-bin libcap2-bin mawk mount
	nvme-cli sed strace util-linux'

die()
{
	printf 'error: userland for %s: %s\n' "$arch" "$1" >&2
	exit 1
}

# Names the packages and all that they depend on.
closure()
{
	# shellcheck disable=SC2086 # a list of words
	apt_private apt-get install -qq --print-uris --no-install-recommends $PACKAGES | awk '{ split($2, part, "_"); print part[1] }'
}

# fill DIR: unpacks them; what their scripts would do, as far as it matters, is done by hand.
fill()
{
	local name packages

	for name in bin sbin lib lib64; do
		mkdir -p "$1/usr/$name"
		ln -s "usr/$name" "$1/$name"
	done
	mapfile -t packages < <(closure)
	[ ${#packages[@]} -gt 0 ] && apt_unpack "$1" "${packages[@]}" || return
	ln -sf dash "$1/usr/bin/sh"
	ln -sf mawk "$1/usr/bin/awk"
	cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
	cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
}

arch=${1:?usage: userland.sh ARCH}
if [ "$arch" = "$(apt_arch "$(uname -m)")" ]; then
	echo
	exit
fi
suite=$(apt_release)
# Another list makes another directory.
dir=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/userland/$suite-$arch-$(cksum <<<"$PACKAGES" | cut -d ' ' -f 1)
mkdir -p "${dir%/*}"
exec 9>"$dir.lock"
flock 9
if [ ! -e "$dir" ]; then
	echo "fetching programs for guests of $arch from Debian $suite" >&2
	rm -rf "$dir.part"
	apt_open "$suite" "$arch" || die "cannot fetch packages"
	fill "$dir.part" || die "cannot fetch or unpack them ($APT_STATE/update.log may say why)"
	mv "$dir.part" "$dir"
fi
echo "$dir"
