# SPDX-License-Identifier: GPL-2.0-or-later
# Every member of the kernel's structures that our programs read is there, in the size that they read, or is one that
# this kernel is known not to have and that they do without (other tests show that they do).
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

plan=2

guest()
{
	check_eq "the driver's structures are in its BTF, but on 5.10" "$(ls /sys/kernel/btf/nvme_core 2>&1 >/dev/null |
		grep -c 'No such')" "$([ "$KERNEL" = 5.10 ] && echo 1 || echo 0)"
}

absent()
{
	case $KERNEL in
	5.10) echo gendisk.diskseq,request_queue.disk ;;
	6.1 | 6.12) echo request.rq_disk ;;
	*) echo request.rq_disk,bio.bi_issue ;;
	esac
}

host()
{
	check "members" "$VM/btfcheck" --absent "$(absent)" "$("$VM/kernel.sh" "$KERNEL")/vmlinux" \
		"${O:-$VM/../../build}"/bpf/*.bpf.o
}
