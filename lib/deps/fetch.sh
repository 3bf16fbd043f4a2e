#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unpacks the pinned library sources: DIR/libbpf, DIR/elfutils, DIR/zlib.
#
# usage: fetch.sh DIR
#
# Archives come from DEPS_SRC when that is set (a directory; nothing is fetched), else from the cache
# ${NVMETOOL_CACHE:-~/.cache/nvmetool}/src, which is filled with apt from the machine's own Debian sources. Every
# archive must match lib/deps/pins. The machine's apt state is not touched and root is not needed.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PINS=$HERE/pins
SUMS=$(grep -E '^[0-9a-f]{64}  ' "$PINS")

die()
{
	printf 'error: library sources: %s\n' "$1" >&2
	exit 1
}

# True if directory $1 holds every pinned archive, whatever it contains.
complete()
{
	local name

	while read -r _ name; do
		[ -e "$1/$name" ] || return 1
	done <<<"$SUMS"
}

# True if every archive in directory $1 is the pinned one; names the others.
verify()
{
	(cd "$1" && sha256sum --quiet --check - <<<"$SUMS") >&2
}

# Copies the machine's apt sources to directory $1, asking for source packages instead of binary ones.
write_sources()
{
	local file

	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/${file##*/}"
	done
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$file" ] || continue
		sed '/^[[:space:]]*deb-src[[:space:]]/d; s/^[[:space:]]*deb\([[:space:]]\)/deb-src\1/' \
			"$file" >"$1/$(basename "$file" .list).list"
	done
}

# Fetches the pinned packages into the current directory, with an apt state under directory $1.
apt_source()
{
	local options=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$1/sources"
		-o Dir::State::lists="$1/lists" -o Dir::Cache="$1/cache" -o APT::Sandbox::User=
		-o Acquire::Languages=none -o Acquire::Retries=2)
	local packages

	mkdir -p "$1"/{sources,lists/partial,cache/archives/partial}
	write_sources "$1/sources"
	mapfile -t packages < <(awk '$1 == "package" { print $2 "=" $3 }' "$PINS")
	echo "fetching Debian source packages: ${packages[*]}" >&2
	# Other vendors' lists may have no sources: whether ours were found, the next command tells.
	apt-get "${options[@]}" update >"$1/log" 2>&1 || true
	apt-get "${options[@]}" source --download-only "${packages[@]}" >>"$1/log" 2>&1 || {
		cat "$1/log" >&2
		return 1
	}
}

# Fills the cache directory $1: what is there is verified, so a broken download never stays.
fill_cache()
{
	mkdir -p "$1"
	exec 9>"$1/.lock"
	flock 9
	complete "$1" && return
	"$HERE/tools.sh" --is-debian-12 || die "not on Debian 12; $("$HERE/tools.sh" --ways-out)"
	work=$(mktemp -d "$1/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/files"
	(cd "$work/files" && apt_source "$work/apt") ||
		die "apt could not fetch them; check the network, or $("$HERE/tools.sh" --ways-out)"
	verify "$work/files" || die "apt gave other archives than lib/deps/pins names"
	mv "$work"/files/* "$1"
}

# Unpacks package $1 from directory $2 to $3; dpkg-source applies Debian's patches, we have none.
unpack()
{
	local dsc

	dsc=$(awk -v p="^$1_.*[.]dsc$" '$2 ~ p { print $2 }' <<<"$SUMS")
	rm -rf "$3"
	dpkg-source -q --no-check --no-copy -x "$2/$dsc" "$3"
}

to=${1:?usage: fetch.sh DIR}
if [ -n "${DEPS_SRC:-}" ]; then
	from=$DEPS_SRC
	complete "$from" || die "DEPS_SRC=$from lacks archives that lib/deps/pins names"
else
	from=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/src
	fill_cache "$from"
fi
verify "$from" || die "archives in $from differ from lib/deps/pins; remove them"
mkdir -p "$to"
while read -r package; do
	unpack "$package" "$from" "$to/$package"
done < <(awk '$1 == "package" { print $2 }' "$PINS")
