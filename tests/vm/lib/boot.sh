# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: boots one guest.
# shellcheck shell=bash disable=SC2054,SC2153 # QEMU's arguments have commas; arch_set sets QEMU

# Time that a guest may take to come up, to go down, and for each test beyond its own limit.
BOOT_SECONDS=120
# A process whose code lies where that of the one before lay starts in less than half the time: QEMU keeps what it has
# translated by its address.
BOOT_CMDLINE='norandmaps panic=-1 oops=panic quiet loglevel=5 mitigations=off'

# Tells the guest its job, as shell assignments.
boot_job()
{
	printf '%s=%q\n' VM "$VM" NVMETOOL "$BINARY" KERNEL "$KERNEL" LABEL "$LABEL" KERNEL_DIR "$KERNEL_DIR" USERLAND "$USERLAND" \
		TESTS "$TESTS" COMMAND "$COMMAND" MODPROBE "$MODPROBE" ICOUNT "$ICOUNT" SEED "${SEED:-$RANDOM}" \
		SOAK_MINUTES "${SOAK_MINUTES:-60}" \
		CTRLS "$(printf '%s\n' "${CTRLS[@]}")" DISKS "$(printf '%s\n' "${DISKS[@]}")"
}

# The drives' modules and busybox come from the kernel's directory; init follows, so that it is never stale.
boot_initramfs()
{
	cat "$KERNEL_DIR/modules.cpio"
	(cd "$VM" && echo init | cpio -o -H newc -R 0:0 --quiet)
}

# Prints the steps of a boot, one per line: the file that says that it is done, and its seconds. The file of the last
# never comes: it ends with QEMU. Of a command only the way to it has a limit.
boot_steps()
{
	local entry

	echo "drives $BOOT_SECONDS"
	for entry in $TESTS; do
		echo "t/${entry%:*}/guest.status $((${entry#*:} + BOOT_SECONDS))"
	done
	[ -z "$TESTS" ] || printf '%s\n' "dmesg $BOOT_SECONDS" "end $BOOT_SECONDS"
}

# boot_watch DIR QEMU: ends a guest that hangs, so that it costs the time of one step, and fails then. DIR/seconds has
# a line "FILE SECONDS" for each step that was done.
boot_watch()
{
	local file seconds began

	while read -r file seconds; do
		began=$SECONDS
		until [ -e "$1/$file" ]; do
			kill -0 "$2" 2>/dev/null || return 0
			if [ $((SECONDS - began)) -ge "$seconds" ]; then
				echo "the guest hung: no $file after $seconds s" >&2
				kill -KILL "$2"
				return 1
			fi
			sleep 0.5
		done
		echo "$file $((SECONDS - began))"
	done < <(boot_steps) >"$1/seconds"
}

# boot DIR TOPOLOGY: boots KERNEL (in KERNEL_DIR, of the architecture given to arch_set) and lets it run TESTS or COMMAND, with results in DIR and short-lived files in VM_TMP.
# Returns QEMU's status; 124 when the guest hung.
boot()
{
	local dir=$1 scratch=$VM_TMP/${1##*/} status=0 qemu watch
	local ARGS CTRLS DISKS SMP MEM CMDLINE ICOUNT NOLOG AHEAD MODPROBE ahead=()

	mkdir "$scratch"
	topology_read "$2" "$scratch" || return
	boot_job >"$dir/job"
	boot_initramfs >"$scratch/initramfs"
	boot_common
	[ -n "$ICOUNT" ] && ARGS+=(-icount "shift=0,sleep=off")
	[ -n "$NOLOG" ] || ARGS+=(-trace "events=$VM/lib/trace-events,file=$dir/qemu.log")
	if [ -n "$COMMAND" ]; then
		ARGS+=(-chardev stdio,id=term,signal=off -device virtconsole,chardev=term)
	fi
	printf '%q ' "$QEMU" "${ARGS[@]}" >"$dir/qemu.cmd"
	# Threads of one priority wait for each other: it takes a CPU more than the guest has
	if [ -n "$AHEAD" ] && [ "$(nproc)" -gt "$SMP" ] && chrt --rr 1 true 2>/dev/null; then
		ahead=(chrt --rr 1)
	fi
	"${ahead[@]}" "$QEMU" "${ARGS[@]}" <&0 2>"$dir/qemu.err" &
	qemu=$!
	echo "$qemu" >"$scratch/pid"
	boot_watch "$dir" "$qemu" &
	watch=$!
	wait "$qemu" || status=$?
	wait "$watch" || status=124
	rm -rf "$scratch"
	return "$status"
}

# The machine without its drives. The guest's port "monitor" is wired to QEMU's own monitor, so a test can unplug
# a drive; monitor.sock is the same for a person.
boot_common()
{
	ARGS=("${MACHINE[@]}" -accel "tcg${TURNS:+,thread=single}" -nodefaults -no-reboot -display none -smp "$SMP" -m "$MEM"
		-kernel "$KERNEL_DIR/vmlinux" -initrd "$scratch/initramfs" -append "$CONSOLE $BOOT_CMDLINE$CMDLINE"
		-serial "file:$dir/console"
		-virtfs "local,path=/,mount_tag=host,security_model=none,multidevs=remap,readonly=on"
		-virtfs "local,path=$dir,mount_tag=lab,security_model=none,multidevs=remap"
		-device virtio-serial
		-chardev "socket,id=port,path=$scratch/port,server=on,wait=off"
		-device virtserialport,chardev=port,name=monitor
		-chardev "socket,id=qmp,path=$scratch/port,server=off" -mon chardev=qmp,mode=control
		-chardev "socket,id=hmp,path=$scratch/monitor,server=on,wait=off" -mon chardev=hmp
		"${ARGS[@]}")
}
