# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: turns a topology file into QEMU's arguments. tests/vm/README.md lists the words.
# shellcheck shell=bash
# shellcheck disable=SC2034 # what topology_read sets is read by boot.sh
# shellcheck disable=SC2086,SC2206 # lines are split into words

# topology_read FILE SCRATCH: sets
#   ARGS        QEMU arguments of the drives       SMP, MEM     CPUs and memory of the guest
#   CMDLINE     words for the kernel               ICOUNT       1: one instruction is one nanosecond
#   NOLOG       1: no command log                  MODPROBE     modules to load before the drives
#   TURNS       1: the CPUs take turns                   AHEAD        1: QEMU goes before all else on the host
#   CTRLS       "ID SERIAL CNTLID" of each         DISKS        "ID NSID SCHEDULER" of each namespace
# Backing files are made in directory SCRATCH.
topology_read()
{
	local word rest line=0

	local -A members=()
	local scratch=$2 ctrl='' ports=0

	[ -e "$1" ] || { echo "error: no topology '${1##*/}'; one of: $(cd "${1%/*}" && echo *)" >&2 && return 1; }
	ARGS=() CTRLS=() DISKS=() SMP=2 MEM=1G CMDLINE='' ICOUNT='' NOLOG='' TURNS='' AHEAD='' MODPROBE=''
	while read -r word rest; do
		line=$((line + 1))
		case $word in
		'' | '#'*) ;;
		smp) SMP=$rest ;;
		mem) MEM=$rest ;;
		cmdline) CMDLINE+=" $rest" ;;
		modprobe) MODPROBE+=" $rest" ;;
		icount) ICOUNT=1 SMP=1 ;;
		nolog) NOLOG=1 ;;
		turns) TURNS=1 ;;
		ahead) AHEAD=1 ;;
		subsys) ARGS+=(-device "nvme-subsys,id=$rest,nqn=$rest") ;;
		ctrl) topology_ctrl $rest ;;
		ns) topology_ns $rest ;;
		qemu) ARGS+=($rest) ;;
		*)
			echo "error: $1:$line: unknown word '$word'; see tests/vm/README.md" >&2
			return 1
			;;
		esac || return 1
	done <"$1"
}

# ctrl ID [queues=N] [hotplug] [subsys=ID] [PROPERTY=VALUE...]; its serial number is its ID, or that of its subsystem
topology_ctrl()
{
	local word device serial=$1

	ctrl=$1
	device=nvme,id=$ctrl
	shift
	for word; do
		case $word in
		queues=*) device+=,max_ioqpairs=${word#*=} ;;
		hotplug)
			ports=$((ports + 1))
			ARGS+=(-device "pcie-root-port,id=port-$ctrl,chassis=$ports,slot=$ports")
			device+=,bus=port-$ctrl
			;;
		subsys=*)
			serial=${word#*=}
			device+=,$word
			;;
		*=*) device+=,$word ;;
		*) topology_unknown ctrl "$word" || return ;;
		esac
	done
	ARGS+=(-device "$device,serial=$serial")
	CTRLS+=("$ctrl $serial ${members[$serial]:-0}")
	members[$serial]=$((${members[$serial]:-0} + 1))
}

# ns NSID [null|file] [size=64M] [lba=512] [sched=none] [iops=N] [bps=N] [latency=TIME_NS] [eio=read|write[@LBA]...]
#    [PROPERTY=VALUE...]
topology_ns()
{
	local word nsid=$1 kind=file size=64M lba=512 sched=none drive='' node='' device='' rules=()

	[ -n "$ctrl" ] || { echo "error: ns $nsid: no ctrl before it" >&2 && return 1; }
	shift
	for word; do
		case $word in
		null | file) kind=$word ;;
		size=*) size=${word#*=} ;;
		lba=*) lba=${word#*=} ;;
		sched=*) sched=${word#*=} ;;
		iops=*) drive+=,throttling.iops-total=${word#*=} ;;
		bps=*) drive+=,throttling.bps-total=${word#*=} ;;
		latency=*) node+=,latency-ns=${word#*=} ;;
		eio=*) rules+=("${word#*=}") ;;
		*=*) device+=,$word ;;
		*) topology_unknown ns "$word" || return ;;
		esac
	done
	drive=id=${ctrl}n$nsid,if=none,format=raw$drive
	topology_backend
	ARGS+=(-drive "$drive" -device "nvme-ns,bus=$ctrl,drive=${ctrl}n$nsid,nsid=$nsid,logical_block_size=$lba,physical_block_size=$lba$device")
	DISKS+=("$ctrl $nsid $sched")
}

# Adds to drive (of topology_ns): raw over null or a file, with blkdebug between when there are rules.
topology_backend()
{
	local layer=file i=0 rule op at

	if [ ${#rules[@]} -gt 0 ]; then
		drive+=,file.driver=blkdebug
		layer=file.image
		for rule in "${rules[@]}"; do
			op=${rule%@*}
			drive+=,file.inject-error.$i.event=${op}_aio,file.inject-error.$i.iotype=$op
			drive+=,file.inject-error.$i.errno=5
			at=${rule#"$op"}
			[ -z "$at" ] || drive+=,file.inject-error.$i.sector=$((${at#@} * lba / 512))
			i=$((i + 1))
		done
	fi
	if [ "$kind" = null ]; then
		node=driver=null-co,size=$(numfmt --from=iec "$size"),read-zeroes=on$node
	else
		truncate -s "$size" "$scratch/${ctrl}n$nsid"
		node=driver=file,filename=$scratch/${ctrl}n$nsid
		drive+=,cache=unsafe
	fi
	drive+=,$layer.${node//,/,$layer.}
}

topology_unknown()
{
	echo "error: $1: unknown word '$2'; see tests/vm/README.md" >&2
	return 1
}
