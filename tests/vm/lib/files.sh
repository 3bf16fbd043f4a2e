# SPDX-License-Identifier: GPL-2.0-or-later
# What fio and nvmetool say of files, on the host, and which they are, in the guest.
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

# id_of FILE: in the guest, its inode and generation: 12.3456
id_of()
{
	echo "$(stat -c %i "$1").$(lsattr -vd "$1" | awk '{ print $1 }')"
}
