# SPDX-License-Identifier: GPL-2.0-or-later
# An hour (SOAK_MINUTES) of trace and latency under load while nvmetool is started and ended again and again: memory,
# descriptors, programs and maps stay what they were, nothing is lost, and the kernel's settings are as before.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

SOAK_MINUTES=${SOAK_MINUTES:-60}
STARTS_PER_MINUTE=17 # a thousand an hour
SAMPLES=20
GROWTH_KB=256

topology=calm
kernels='6.12'
plan=12
seconds=$((${SOAK_MINUTES:-60} * 60 + 300))

# Prints the settings that a person could change, without those that count by themselves.
settings()
{
	sysctl -a 2>/dev/null | grep -vE '^(fs\.(dentry-state|file-nr|inode-(nr|state))|kernel\.(ns_last_pid|pty\.nr|random)|net\.)'
}

# sample NAME: adds "RSS_KB DESCRIPTORS MAP_BYTES" to NAME.samples
sample()
{
	local pid

	pid=$(pid_of "$1")
	echo "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" \
		"$(find "/proc/$pid/fd" -mindepth 1 | wc -l)" \
		"$(cat "/proc/$pid"/fdinfo/* 2>/dev/null | awk '/^memlock/ { n += $2 } END { print n }')" >>"$OUT/$1.samples"
}

# steady NAME: the second half takes no more memory than the first did at most, which is when a reader that was kept
# waiting has made its largest buffers, and descriptors and maps are the same throughout
steady()
{
	awk -v grown="$GROWTH_KB" -v half=$((SAMPLES / 2)) 'NR == 1 { fds = $2; maps = $3 }
		NR <= half && $1 > rss { rss = $1 }
		(NR > half && $1 > rss + grown) || $2 != fds || $3 != maps { grew = 1; print "sample " NR ": " $0 }
		END { print "first half: " rss, fds, maps; exit grew || NR <= half }' "$OUT/$1.samples"
}

# began NAME COMMAND...: attaches; its last line, the summary, goes to NAME.last
began()
{
	mkfifo "$OUT/$1.pipe"
	tail -n 1 <"$OUT/$1.pipe" >"$OUT/$1.last" &
	# shellcheck disable=SC2016 # for sh
	attached "$1" sh -c 'exec "$@" >"$0"' "$OUT/$1.pipe" "$NVMETOOL" "${@:2}"
}

# starts: one after the other for the rest of this sample's time, but no more than are wanted
starts()
{
	local commands=('latency --json' 'trace --json' 'errors --json' 'pattern --json' 'stacks --json') until=$1 status

	while [ "$SECONDS" -lt "$until" ]; do
		if [ "$started" -lt "$2" ]; then
			status=0
			# shellcheck disable=SC2086 # words
			"$NVMETOOL" ${commands[started % 5]} --strict -- true >/dev/null 2>>"$OUT/starts.err" || status=$?
			started=$((started + 1))
			failed=$((failed + (status != 0)))
		else
			read -rt 1 _ <><(:) || true
		fi
	done
}

# full_load NAME: ten seconds as fast as the drive is
full_load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=8 --time_based --runtime=10
}

guest()
{
	local disk started=0 failed=0 wanted=$((SOAK_MINUTES * STARTS_PER_MINUTE)) i name before

	disk=$(disk_of lab0 1)
	settings >"$OUT/settings"
	full_load alone
	began trace trace --json --strict
	began latency latency --json --strict 1
	full_load traced
	diag "$(fio_count alone read) reads in ten seconds without a tracer, $(fio_count traced read) with two"
	SECONDS=0
	before="$(bpftool prog list | wc -l) $(bpftool map list | wc -l)"
	fio_load load --filename="/dev/$disk" --rw=randrw --size=64M --ioengine=libaio --iodepth=8 --numjobs=2 \
		--rate_iops=200 --time_based --runtime="$((SOAK_MINUTES * 60))" &
	for ((i = 1; i <= SAMPLES; i++)); do
		starts $((i * SOAK_MINUTES * 60 / SAMPLES)) $((i * wanted / SAMPLES))
		sample trace
		sample latency
	done
	wait %fio_load
	check_eq "as many programs and maps as at the beginning" \
		"$(bpftool prog list | wc -l) $(bpftool map list | wc -l)" "$before"
	for name in trace latency; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
		check "$name: $(tail -n 1 "$OUT/$name.samples") (KB, descriptors, bytes of maps) as at first" steady "$name"
	done
	wait
	check "nothing is left attached" detached_all
	check_eq "settings of the kernel" "$(diff "$OUT/settings" <(settings))" ""
	check "$started starts, of $wanted" test "$started" -gt 0
	check_eq "each of them ended well" "$failed" 0
}

host()
{
	check "the account of trace" nothing_lost "$OUT/trace.last"
	check "the account of latency" nothing_lost "$OUT/latency.last"
	check "hundreds of thousands of commands" test "$(jq .paired "$OUT/trace.last")" -gt $((SOAK_MINUTES * 60 * 200))
}
