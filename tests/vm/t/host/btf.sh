# SPDX-License-Identifier: GPL-2.0-or-later
# Every member of the kernel's structures that our programs read is there, in the size that they read, or is one that
# this kernel is known not to have and that they do without (other tests show that they do).
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

kernels='* arm64-6.1 arm64-6.12'
test='5.10 6.1 6.12 6.18 sid arm64-6.1'
plan=3
seconds=1

guest()
{
	case $KERNEL in
	5.10) check "modules have no BTF" fails test -e /sys/kernel/btf/nvme_core ;;
	*) check "the driver's structures are in its BTF" test -e /sys/kernel/btf/nvme_core ;;
	esac
}

absent()
{
	local walk=blkdev_dio.is_sync,gendisk.part0 # of inflight

	case $KERNEL in
	5.10) # part0 and bd_device are in programs that 5.10 does not load: it has no BTF for the driver's tracepoints
		echo gendisk.diskseq,request_queue.disk,gendisk.part0,block_device.bd_device,bio.bi_bdev
		echo ,blkdev_dio.flags,io_kiocb.tctx,io_uring_task.task,iov_iter.data_source,page.compound_info
		;;
	6.1) echo "request.rq_disk,bio.bi_disk,$walk,io_kiocb.tctx,io_uring_task.task,iov_iter.type,page.compound_info" ;;
	6.12) echo "request.rq_disk,request.flush,bio.bi_disk,$walk,io_kiocb.tctx,io_uring_task.task,iov_iter.type,page.compound_info" ;;
	6.18) echo "request.rq_disk,request.flush,bio.bi_disk,bio.bi_issue,$walk,io_kiocb.task,iov_iter.type,page.compound_info" ;;
	*) echo "request.rq_disk,request.flush,bio.bi_disk,bio.bi_issue,$walk,io_kiocb.task,iov_iter.type,page.compound_head" ;;
	esac
}

# The members that programs read unasked are among those of which tests/data/btf/needed says why every kernel has them.
needed()
{
	local data=$VM/../data/btf

	"$VM/btfdrop" "$1" "${O:-$VM/../../build}"/bpf/*.bpf.o >"$OUT/needed" && [ -s "$OUT/needed" ] &&
		[ -z "$(comm -23 <(sort "$OUT/needed") <(sort "$data/needed"))" ]
}

host()
{
	local vmlinux

	vmlinux=$("$VM/kernel.sh" "$KERNEL")/vmlinux
	check "members" "$VM/btfcheck" --absent "$(absent | tr -d '\n')" "$vmlinux" \
		"${O:-$VM/../../build}"/bpf/*.bpf.o
	check "and no others are needed" needed "$vmlinux"
}
