#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rooms of the house, lowest first: a room includes and calls none above it. Commands are above all.
# Calls are read off the objects in $O/obj, as far as they are built.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

ROOMS='base nvme btf host event out cli record symbols usdt loader session row group latency cmd'

# uses: lines "FROM TO WHERE" of rooms, for each include and each symbol that is used
uses()
{
	sources c h | grep -E '^(lib|cmd)/' | xargs grep -H '^#include "\(lib\|cmd\)/' |
		sed -nE 's|^((lib/)?([a-z]+)/[^:]*):#include "(lib/)?([a-z]+)/.*|\3 \5 \1|p'
	sources c | grep -E '^(lib|cmd)/' | sed "s|^|$O/obj/|; s|c$|o|" | xargs ls 2>/dev/null | xargs -r nm -A -g |
		sed -E "s|^$O/obj/(lib/)?([a-z]+)/([^:]*):[0-9a-f ]* ([A-Za-z]) |\2 \4 \2/\3 |" |
		awk '$2 != "U" { room[$4] = $1 } $2 == "U" { use[n++] = $0 }
			END { for (i = 0; i < n; i++) { split(use[i], u); if (u[4] in room) print u[1], room[u[4]], u[3] ": " u[4] } }' || true
}

uses | awk -v rooms="$ROOMS" '
	BEGIN { n = split(rooms, name); for (i = 1; i <= n; i++) rank[name[i]] = i }
	!($1 in rank) { print $3 ": no room " $1 " in tests/lint/rooms.sh"; bad = 1; next }
	rank[$1] < rank[$2] { print $3 " " $4 ": " $1 " is below " $2; bad = 1 }
	{ seen++ }
	END { exit bad || !seen }'
