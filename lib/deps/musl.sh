#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Puts Debian's musl of another architecture into a directory, for gcc -specs DIR/musl-gcc.specs; nothing is installed.
#
# usage: musl.sh ARCH DIR        ARCH as uname -m has it
#
# The package is fetched once, into ${NVMETOOL_CACHE:-~/.cache/nvmetool}/musl; DEPS_SRC=DIRECTORY with a musl-dev_*.deb
# of that architecture spares the network.
set -euo pipefail

DEPS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$DEPS/apt.sh"

die()
{
	printf 'error: musl for %s: %s\n' "$arch" "$1" >&2
	exit 1
}

# fill_cache DIR: the package, unpacked
fill_cache()
{
	mkdir -p "${1%/*}"
	exec 9>"$1.lock"
	flock 9
	[ ! -e "$1" ] || return 0
	"$DEPS/tools.sh" --is-debian-12 || die "not on Debian 12; $ways_out"
	echo "fetching Debian package musl-dev:$debian" >&2
	rm -rf "$1.part"
	if ! apt_open "$(apt_release)" "$debian" || ! apt_unpack "$1.part" musl-dev; then
		die "apt could not fetch it; check the network, or $ways_out"
	fi
	mv "$1.part" "$1"
}

arch=${1:?usage: musl.sh ARCH DIR}
to=${2:?usage: musl.sh ARCH DIR}
debian=$(apt_arch "$arch")
ways_out="put Debian's musl-dev_*_$debian.deb into a directory and give DEPS_SRC=DIRECTORY, or MUSL_CC=COMMAND"
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
archive=$(compgen -G "${DEPS_SRC:-/nonexistent}/musl-dev_*_$debian.deb" || true)
if [ -n "$archive" ]; then
	dpkg-deb -x "$archive" "$to"
else
	from=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/musl/$debian
	fill_cache "$from"
	cp -r "$from/." "$to"
fi
sed "s,/usr/\(include\|lib\)/$arch-linux-musl,$to&,g" \
	"$to/usr/lib/$arch-linux-musl/musl-gcc.specs" >"$to/musl-gcc.specs"
