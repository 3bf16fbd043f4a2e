# SPDX-License-Identifier: GPL-2.0-or-later
# --by file where numbers are used again: files that are written and deleted one after the other get the number of the one
# before, on ext4 (XFS may take another); each has its row, bytes and name. A log that is renamed has its new name, and the kernel's
# writeback names a file that nobody has open any more.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/files.sh"

topology=keys
kernels='*'
test='6.1'
plan=8
seconds=9

MNT=/tmp/reused
XFS=/tmp/reused_xfs

guest()
{
	local disk second mount name

	disk=$(disk_of lab0 1) second=$(disk_of lab0 3)
	modprobe -a ext4 xfs
	mkfs.ext4 -q "/dev/$disk"
	mkfs.xfs -q -f "/dev/$second"
	mkdir -p $MNT $XFS
	mount "/dev/$disk" $MNT
	mount "/dev/$second" $XFS
	attached live "$NVMETOOL" latency --json --by file,opcode -O write -d "$disk,$second"
	attached recorded "$NVMETOOL" record --keys file -w "$OUT/reused.nvt" -d "$disk,$second"
	seq=0
	for mount in $MNT $XFS; do
		temporaries "$mount"
		rotated "$mount"
		left_behind "$mount"
	done
	drained
	for name in live recorded; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	umount $MNT $XFS
}

# written FILE: direct I/O through $file, which has it open
written()
{
	dd if=/dev/zero of=/proc/self/fd/"$file" bs=64k count=20 oflag=direct conv=notrunc 2>/dev/null
}

# shown: reports, so that the names are those of this moment
shown()
{
	report live USR2 "$seq"
	seq=$((seq + 1))
}

# noted DIRECTORY NAME ID: of the file at $file, what is expected to be its name in the end, and its ID
noted()
{
	echo "$2 $(id_of "$1")" >>"$OUT/ids"
}

# Three files, each of which is gone before the next one begins
temporaries()
{
	local name file

	for name in A B C; do
		exec {file}<>"$1/of_$name"
		written
		noted "$1/of_$name" "$1/of_$name (deleted)"
		shown
		exec {file}<&-
		rm "$1/of_$name"
	done
}

rotated()
{
	local file

	exec {file}<>"$1/log"
	written
	shown
	mv "$1/log" "$1/log.1"
	written
	noted "$1/log.1" "$1/log.1"
	exec {file}<&-
	exec {file}<>"$1/log"
	written
	noted "$1/log" "$1/log"
	exec {file}<&-
}

# Nobody has it open when the kernel writes it
left_behind()
{
	dd if=/dev/zero of="$1/left" bs=64k count=20 2>/dev/null
	noted "$1/left" "$1/left"
	sync -f "$1"
}

host()
{
	local mount

	"$NVMETOOL" latency --json --by file,opcode -O write -i "$OUT/reused.nvt" >"$OUT/replayed.out"
	check_eq "ext4: three files had one number" "$(grep "^$MNT/of_" "$OUT/ids" | awk '{ split($NF, id, "."); print id[1] }' |
		sort -u | wc -l)" 1
	for mount in $MNT $XFS; do
		check_eq "$mount: each file has its row" "$(named live "$mount")" "$(expected "$mount")"
		check_eq "$mount: and in a recording" "$(rows replayed "$mount" | cut -d ' ' -f 1,2 | sort)" \
			"$(awk '{ print $NF, ($1 ~ /log.1/ ? 2 : 1) * 1310720 }' <(grep "^$mount/" "$OUT/ids") | sort)"
	done
	check_eq "the recording has names" "$(jq -r 'select(.type == "latency").file | values | select(contains("of_"))' \
		"$OUT/replayed.out" | sort)" "$(printf '%s\n' $XFS/of_{A,B,C} $MNT/of_{A,B,C} | sort)"
}

# rows RUN DIRECTORY: ID, bytes and name of files below it, the last that it has of each
rows()
{
	jq -rs --arg below "$2/" 'map(select(.type == "latency" and .file != null and (.file | startswith($below))))
		| group_by([.ino, .ino_gen])[] | last | "\(.ino).\(.ino_gen) \(.bytes) \(.file)"' "$OUT/$1.out"
}

named()
{
	rows "$1" "$2" | sort
}

expected()
{
	grep "^$1/" "$OUT/ids" | awk '{ id = $NF; sub(/ [^ ]*$/, ""); print id, (/log.1/ ? 2 : 1) * 1310720, $0 }' | sort
}
