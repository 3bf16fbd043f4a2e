# SPDX-License-Identifier: GPL-2.0-or-later
# A command that the drive holds back while nvmetool attaches, or while it ends, is no latency; it is counted.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
test='6.1'
plan=22
seconds=17

. "$VM/lib/account.sh"

# held: starts a read that the drive holds back
held()
{
	quiet_monitor 'qemu-io lab0n1 "break read_aio A"'
	dd if="/dev/$disk" of=/dev/null bs=4k skip="$1" count=1 iflag=direct &
	reader=$!
	until grep -q '^ *[1-9]' "/sys/block/$disk/inflight"; do
		sleep 0.02
	done
}

# released: lets it go, and waits for it; the monitor complains until the drive has got it
released()
{
	until quiet_monitor 'qemu-io lab0n1 "resume A"'; do
		sleep 0.02
	done
	wait "$reader"
}

# at_start HOW: held while it attaches; one more read has to be seen
at_start()
{
	held 10
	attached "$1_io" "$NVMETOOL" trace --json --strict --attach "$1"
	attached "$1_apart" "$NVMETOOL" trace --json --strict --show both --attach "$1"
	attached "$1_latency" "$NVMETOOL" latency --json --strict --attach "$1"
	released
	dd if="/dev/$disk" of=/dev/null bs=4k skip=20 count=1 iflag=direct
	for name in io apart latency; do
		detach "$1_$name"
		check_eq "$1: $name is complete" "$status" 0
	done
}

# at_end HOW: held while it ends
at_end()
{
	attached "$1_io2" "$NVMETOOL" trace --json --strict --show both --attach "$1"
	attached "$1_latency2" "$NVMETOOL" latency --json --strict --attach "$1"
	held 30
	detach "$1_io2"
	detach "$1_latency2"
	released
}

guest()
{
	local disk reader how name

	disk=$(disk_of lab0 1)
	skip_tp_btf 10
	for how in $(methods); do
		at_start "$how"
		at_end "$how"
	done
	check "nothing is left attached" detached_all
}

# counts FILE: [before_attach, inflight_at_exit, emitted]
counts()
{
	summary_of "$1" | jq -c '[.before_attach, .inflight_at_exit, .emitted]'
}

host()
{
	local how first=0

	# Where modules have no BTF, a status is known once a command was set up: its members show where it lies.
	[ "$KERNEL" != 5.10 ] || first=null
	for how in $(methods); do
		check_eq "$how: in flight at attach" "$(counts "$OUT/${how}_io.out") $(counts "$OUT/${how}_latency.out")" \
			"[1,0,1] [1,0,1]"
		check_eq "$how: only the other one is a line" "$(jq -c 'select(.type == "io") | [.op, .slba]' \
			"$OUT/${how}_io.out")" '["read",160]'
		check_eq "$how: a completion alone" "$(jq -c 'select(.type == "submit" or .type == "complete") |
			[.type, .op, .slba, .lat_ns != null, .status]' "$OUT/${how}_apart.out" | xargs)" \
			"$(echo '["complete",null,null,false,'"$first"'] ["submit","read",160,false,null] ["complete","read",160,true,0]' |
				xargs)"
		check_eq "$how: in flight at exit" "$(counts "$OUT/${how}_io2.out") $(counts "$OUT/${how}_latency2.out")" \
			"[0,1,0] [0,1,0]"
		check_eq "$how: a submission alone" "$(jq -c 'select(.slba) | [.type, .slba]' "$OUT/${how}_io2.out")" \
			'["submit",240]'
		check "$how: its age" jq -se 'last | .oldest_ns > 0 and .oldest_ns < .duration_ns' "$OUT/${how}_io2.out"
		check "$how: it is told" grep -q 'in flight at the end: 1 command,' "$OUT/${how}_latency2.err"
	done
	check "all accounts" accounts
}

accounts()
{
	local file

	for file in "$OUT"/*.out; do
		nothing_lost "$file" || return
	done
}
