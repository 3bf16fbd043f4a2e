#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rooms of the house, lowest first: a room includes and calls none above it. Commands are above all, and each is a
# room of its own, which includes and calls no other command.
# Calls are read off the objects in $O/obj, as far as they are built.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lint/files.sh

ROOMS='base nvme btf host event out cli record symbols usdt loader session group view cmd'

# uses: lines "FROM TO WHERE" of rooms, for each include and each symbol that is used. A room is the folder of a file,
# below lib or whole.
uses()
{
	sources c h | grep -E '^(lib|cmd)/' | xargs grep -H '^#include "\(lib\|cmd\)/' |
		sed -nE 's|^((lib/)?([^:]*)/[^/:]*):#include "(lib/)?([^"]*)/[^/"]*".*|\3 \5 \1|p'
	sources c | grep -E '^(lib|cmd)/' | sed "s|^|$O/obj/|; s|c$|o|" | xargs ls 2>/dev/null | xargs -r nm -A -g |
		sed -E "s|^$O/obj/(lib/)?(.*)/([^/:]*):[0-9a-f ]* ([A-Za-z]) |\2 \4 \2/\3 |" |
		awk '$2 != "U" { room[$4] = $1 } $2 == "U" { use[n++] = $0 }
			END { for (i = 0; i < n; i++) { split(use[i], u); if (u[4] in room) print u[1], room[u[4]], u[3] ": " u[4] } }' || true
}

uses | awk -v rooms="$ROOMS" '
	function rank_of(room) { return room ~ /^cmd\// ? rank["cmd"] : rank[room] }
	BEGIN { n = split(rooms, name); for (i = 1; i <= n; i++) rank[name[i]] = i }
	!rank_of($1) { print $3 ": no room " $1 " in tests/lint/rooms.sh"; bad = 1; next }
	rank_of($1) < rank_of($2) { print $3 " " $4 ": " $1 " is below " $2; bad = 1 }
	$1 != $2 && $1 ~ /^cmd\// && $2 ~ /^cmd\// { print $3 " " $4 ": what " $1 " shares with " $2 " belongs to lib/view"; bad = 1 }
	{ seen++ }
	END { exit bad || !seen }'
