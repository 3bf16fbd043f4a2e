# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages of any suite and architecture, from the machine's own apt sources but on an apt state of our own: no
# root, no lock, nothing of the machine's changes. For bash scripts to read; DEPS is the directory it lies in.
# shellcheck shell=bash disable=SC2154 # DEPS

# The suite this machine runs, e.g. bookworm.
apt_release()
{
	(. /etc/os-release && echo "${VERSION_CODENAME:-}")
}

# Debian's name for an architecture of uname -m.
apt_arch()
{
	case $1 in
	x86_64) echo amd64 ;;
	aarch64) echo arm64 ;;
	*) echo "$1" ;;
	esac
}

# apt_open SUITE ARCH: fetches the lists of a suite; those below then serve it. Fails where the machine has no source
# of Debian to go by. A suite without all of its parts still serves: what counts is that a package is found.
apt_open()
{
	local lock

	APT_ARCH=$2
	APT_STATE=${NVMETOOL_CACHE:-$HOME/.cache/nvmetool}/apt/$1-$2
	mkdir -p "$APT_STATE"/{sources,lists/partial,archives/partial}
	exec {lock}>"$APT_STATE/.lock"
	flock "$lock"
	: >>"$APT_STATE/status"
	apt_sources "$1" "$APT_STATE/sources"
	[ -n "$(ls "$APT_STATE/sources")" ] || {
		echo "no apt source of Debian on this machine; run on Debian 12" >&2
		return 1
	}
	apt_private apt-get update >"$APT_STATE/update.log" 2>&1 || true
}

# Writes the machine's own apt sources, rewritten for suite $1, to directory $2; with APT_SOURCE that line for the suite.
apt_sources()
{
	local release file

	release=$(apt_release)
	rm -f "$2"/*
	if [ -n "${APT_SOURCE:-}" ]; then
		echo "$APT_SOURCE $1 main" >"$2/list.list"
		return
	fi
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		awk -v RS= -v OLD="$release" -v NEW="$1" -f "$DEPS/sources.awk" "$file" >"$2/${file##*/}"
	done
	find /etc/apt -maxdepth 2 -name '*.list' -exec cat {} + |
		sed -n "s/^\(deb \+\(\[[^]]*\] \+\)\?[^ ]\+ \+\)$release\(\(-updates\|-security\)\?\/\? .*\)/\1$1\3/p" |
		awk -v new="$1" 'new != "sid" || !/ sid-/' >"$2/list.list"
	find "$2" -type f -empty -delete
}

# apt_private TOOL ARGS...: apt-get or apt-cache on that state
apt_private()
{
	local tool=$1

	shift
	"$tool" -q -o APT::Architecture="$APT_ARCH" -o APT::Architectures::="$APT_ARCH" \
		-o Dir::State="$APT_STATE" -o Dir::State::status="$APT_STATE/status" \
		-o Dir::State::lists="$APT_STATE/lists" -o Dir::Cache="$APT_STATE" \
		-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$APT_STATE/sources" \
		-o Acquire::Check-Valid-Until=false -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o APT::Sandbox::User=root "$@"
}

# apt_unpack DIR PACKAGE...: just these packages, not what they depend on. Links to directories that are there stay:
# with bin -> usr/bin DIR has one directory for both, as an installed system.
apt_unpack()
{
	local dir=$1 deb status=0

	shift
	mkdir -p "$dir.deb" "$dir"
	(cd "$dir.deb" && apt_private apt-get download "$@" >&2) || status=$?
	for deb in "$dir.deb"/*.deb; do
		[ "$status" != 0 ] || dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$dir" --keep-directory-symlink --no-same-owner || status=$?
	done
	rm -rf "$dir.deb"
	return "$status"
}
