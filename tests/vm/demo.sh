#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shows nvmetool measuring a drive: `make demo` in a guest with an emulated one, `make demo DEMO=host` the machine's own.
#
# usage: [DEMO=host] [DEMO_KERNEL=LABEL] demo.sh        a label of kernels.list [6.1]
set -euo pipefail

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$VM/../.." && pwd)
NVMETOOL=$(realpath -m "${NVMETOOL:-$ROOT/build/nvmetool}")
PATH=$PATH:/usr/sbin:/sbin
SECONDS_OF_LOAD=3

say()
{
	printf '\n%s%s%s\n' "${BOLD:-}" "$1" "${PLAIN:-}"
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# show COMMAND...: says what is run as a user would type it, and runs it as root
show()
{
	local words=$*

	words=${words//"$NVMETOOL"/nvmetool}
	say "\$ ${words/ --eta=never --output=\/dev\/null/}"
	as_root "$@"
}

# demo DISK ACCESS...: with a load that fio makes with the options ACCESS
demo()
{
	local disk=$1 load

	load=(fio --eta=never --output=/dev/null --name=load --filename="/dev/$disk" "${@:2}" --bsrange=4k-16k --direct=1
		--ioengine=libaio --iodepth=4 --time_based --runtime="$SECONDS_OF_LOAD")
	say "How long do the commands of this load take?"
	show "$NVMETOOL" latency -d "$disk" -- "${load[@]}"
	say "What is in it, command by command? The first twelve:"
	show "$NVMETOOL" trace -d "$disk" --max-events 12 -- "${load[@]}"
}

# Inside the guest.
demo_inside()
{
	say "Linux $(uname -r) in QEMU, with this drive:"
	"$NVMETOOL" list
	demo "$(disk_of lab0 1)" --rw=randrw --rwmixread=70
}

demo_guest()
{
	local kernel=${DEMO_KERNEL:-6.1} bold='' plain=''

	if [ -t 1 ]; then
		bold=$(tput bold || true) plain=$(tput sgr0 || true)
	fi
	say "Booting a guest with Debian's Linux $kernel and an emulated NVMe drive (nothing of this machine is changed)"
	NVMETOOL=$NVMETOOL "$VM/run.sh" -k "$kernel" -t one \
		-c "BOLD='$bold' PLAIN='$plain'; . '$VM/demo.sh' --inside" </dev/null
}

# Lets the user choose and agree; prints the disk.
choose_disk()
{
	local disks disk answer

	mapfile -t disks < <(lsblk -dnro NAME | grep -E '^nvme[0-9]+n[0-9]+$')
	if [ ${#disks[@]} = 0 ]; then
		echo "error: no NVMe drive on this machine; 'make demo' without DEMO=host uses an emulated one" >&2
		return 5
	fi
	lsblk -do NAME,SIZE,MODEL,SERIAL "${disks[@]/#//dev/}" >&2
	disk=${disks[0]}
	if [ ${#disks[@]} -gt 1 ]; then
		read -rp "Which one? [$disk] " answer || true
		disk=${answer:-$disk}
		[[ " ${disks[*]} " == *" $disk "* ]] || { echo "error: not in the list: $disk" >&2 && return 2; }
	fi
	read -rp "Read from /dev/$disk at random for $((2 * SECONDS_OF_LOAD)) s? Nothing is written. [y/N] " answer || true
	[[ "$answer" == [yY]* ]] || { echo "Nothing was done." >&2 && return 1; }
	echo "$disk"
}

demo_host()
{
	local disk

	disk=$(choose_disk)
	demo "$disk" --readonly --rw=randread
}

case ${1:-${DEMO:-guest}} in
--inside) demo_inside ;;
guest) demo_guest ;;
host) demo_host ;;
*) echo "error: DEMO=${DEMO:-}: choose guest or host" >&2 && exit 2 ;;
esac
