# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Lists of the files under test; sourced by the other scripts here, from the top of the tree.

export LC_ALL=C.UTF-8
O=${O:-build}

# Every file of the project: what git tracks or would add, or in a release tarball all but the build directory.
files()
{
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . -type f ! -path './build*' -printf '%P\n'
	fi | sort -u | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

# sources EXTENSION...: files whose name ends so.
sources()
{
	local extensions

	extensions=$(IFS='|' && echo "$*")
	files | grep -E "\.($extensions)\$" || true
}

bpf_sources()
{
	sources bpf.c
}

# C that runs in user space. The table of blobs is the build's.
user_sources()
{
	sources c | grep -v '\.bpf\.c$' || true
}

# Shell scripts: by name, or by their first line.
shells()
{
	{
		sources sh bash bats
		files | grep -vE '\.[a-z]+$' | xargs -d '\n' grep -lE '^#!.*(ba|busybox )?sh$' || true
	} | sort -u
}
