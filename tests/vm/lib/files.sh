# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: what fio and nvmetool say of files.
# shellcheck shell=bash disable=SC2153 # OUT of the test

# inode_of LIST PATH: from $OUT/LIST, which has lines of `stat -c '%n %i'`
inode_of()
{
	awk -v name="$2" '$1 == name { print $2 }' "$OUT/$1"
}

# of_inode FILE OP INODE: its records in $OUT/FILE
of_inode()
{
	jq -c --arg op "$2" --argjson ino "$3" 'select(.op == $op and .ino == $ino)' "$OUT/$1"
}

# bytes: of the records on standard input
bytes()
{
	jq -s 'map(.bytes) | add // 0'
}

# did NAME read|write: bytes that fio moved
did()
{
	jq "[.jobs[].$2.io_bytes] | add" "$OUT/$1.json"
}
