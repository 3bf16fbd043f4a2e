# SPDX-License-Identifier: GPL-2.0-or-later
# Host side: makes the TAP of a boot out of what guest and host wrote. A check that was planned and not reached fails.
# shellcheck shell=bash

NUMBER=0
FAILED=0

# report_test DIR STATUS NAME PLAN: the test's own lines, then what is missing or too much
report_test()
{
	local dir=$1 status=$2 name=$3 plan=$4 count=0 line

	while IFS= read -r line; do
		case $line in
		ok\ *) count=$((count + 1)) && echo "ok - $LABEL $name: ${line#ok - }" ;;
		not\ ok\ *) count=$((count + 1)) && echo "not ok - $LABEL $name: ${line#not ok - }" ;;
		*) echo "$line" ;;
		esac
	done <"$dir/t/$name/tap"
	if [ "$count" -gt "$plan" ]; then
		echo "not ok - $LABEL $name: plan is $plan checks, $count were made"
	fi
	[ "$count" -lt "$plan" ] || return 0
	while [ "$count" -lt "$plan" ]; do
		count=$((count + 1))
		echo "not ok - $LABEL $name: check $count of $plan was not reached"
	done
	report_why "$dir" "$status" "$name"
}

# Says as a TAP comment how far a test came that did not make all its checks.
report_why()
{
	local dir=$1 status=$2 name=$3 end log

	end=$(cat "$dir/t/$name/guest.status" 2>/dev/null || true)
	case $end in
	'') echo "# the guest ended before the test did (QEMU: status $status; 124: out of time); console:" ;;
	124 | 137) echo "# the test was out of time in the guest; its output:" ;;
	*) echo "# guest() ended with status $end; its output and host()'s:" ;;
	esac
	if [ -z "$end" ]; then
		for log in "$dir"/{boot.err,qemu.err,drives.err,console}; do
			[ ! -s "$log" ] || tail -n 20 "$log" | sed 's/^/#   /'
		done
	fi
	for log in "$dir/t/$name"/{guest,host}.log; do
		[ ! -s "$log" ] || tail -n 15 "$log" | sed 's/^/#   /'
	done
}

# kernel_log DIR: without what is the kernel's own: what it says once it powers down (a timer may wake a task of a CPU that
# is off by then), and of 5.10 that nvmet_tcp frees a queue from a work queue that must not wait.
kernel_log()
{
	{
		cat "$1/dmesg"
		tr -d '\r' <"$1/console" | sed '/reboot: Power down/q'
	} 2>/dev/null |
		if [ "$LABEL" = 5.10 ]; then grep -v 'WARNING: .* check_flush_dependency'; else cat; fi
}

# report_boot DIR STATUS TEST:LIMIT:PLAN...
report_boot()
{
	local dir=$1 status=$2 entry bad told

	shift 2
	report_times "$dir"
	[ ! -e "$dir/repeated" ] || sed 's/^/# boot repeated: /' "$dir/repeated"
	for entry; do
		report_test "$dir" "$status" "${entry%%:*}" "${entry##*:}"
	done
	bad=$(kernel_log "$dir" |
		grep -m 3 -E 'WARNING: |BUG: |Oops|Kernel panic|general protection' || true)
	told=$(kernel_log "$dir" | grep -c "lab: ${entry%%:*}\$" || true)
	if [ "$status" = 0 ] && [ "$told" -gt 0 ] && [ -z "$bad" ]; then
		echo "ok - $LABEL ${dir##*-}: the guest shut down and its kernel log has no warning"
	else
		echo "not ok - $LABEL ${dir##*-}: the guest shut down and its kernel log has no warning"
		echo "# QEMU: status $status (124: out of time), its words:"
		cat "$dir/boot.err" "$dir/qemu.err" 2>/dev/null | tail -n 5 | sed 's/^/#   /'
		echo "# more in $dir/console"
		[ -z "$bad" ] || sed 's/^/#   /' <<<"$bad"
	fi
}

# report_repeated FILE: the check of a whole run, that QEMU was to blame for one boot at most; FILE has a line for each
report_repeated()
{
	local name="at most one boot had to be repeated"

	if [ "$(wc -l <"$1")" -le 1 ]; then
		echo "ok - $name"
	else
		echo "not ok - $name"
	fi
	sed 's/^/# repeated: /' "$1"
}

# report_times DIR: one comment with the seconds until the drives were up, and those of each test
report_times()
{
	[ ! -s "$1/seconds" ] || awk -v boot="$LABEL ${1##*-}" '$1 != "dmesg" {
		sub("^t/", "", $1)
		sub("/guest.status$", "", $1)
		list = list ", " $1 " " $2
	} END { print "# seconds of " boot ": " substr(list, 3) }' "$1/seconds"
}

# report_unfetched DIR STATUS TEST:LIMIT:PLAN...: a kernel that cannot be had fails every check, or skips it where
# kernels.list says so (status 4)
report_unfetched()
{
	local dir=$1 status=$2 entry i word='not ok' skip=''

	shift 2
	[ "$status" != 4 ] || word=ok skip=" # SKIP $(tail -n 1 "$dir/kernel.err")"
	for entry; do
		for ((i = 1; i <= ${entry##*:}; i++)); do
			echo "$word - $LABEL ${entry%%:*}: check $i$skip"
		done
	done
	echo "$word - $LABEL ${dir##*-}: the kernel is at hand$skip"
	sed 's/^/#   /' "$dir/kernel.err"
}

# report_number FILE: prints TAP lines with their numbers and counts the failures
report_number()
{
	local line

	while IFS= read -r line; do
		case $line in
		ok\ * | not\ ok\ *)
			NUMBER=$((NUMBER + 1))
			line="${line/ok - /ok $NUMBER - }"
			;;
		esac
		case $line in
		not\ ok\ *) FAILED=$((FAILED + 1)) ;;
		esac
		printf '%s\n' "$line"
	done <"$1"
}
