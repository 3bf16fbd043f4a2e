# SPDX-License-Identifier: GPL-2.0-or-later
# Each signal and each option that ends a run, on each tracing command, by the list of commands: a new one is covered by
# itself. tests/cli/common.bats does the same with recordings.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test=''
plan=2
seconds=117

before()
{
	"$COMPILER" -g -O2 -static -o "$OUT/probes" "$VM/../usdt/probes.c"
}

# words COMMAND: what it needs to run
words()
{
	case $1 in
	export) echo "-f fio -w $OUT/written" ;;
	record | metrics) echo "-w $OUT/written" ;;
	spdk) echo "-p $target --probe nvmf_tgt_state" ;;
	top) echo -b ;;
	esac
}

# signals COMMAND: says which one it ends with another status than 0 by
signals()
{
	local signal

	for signal in INT TERM HUP; do
		# without INTERVAL inflight ends by itself
		# shellcheck disable=SC2046 # words
		attached "$1" "$NVMETOOL" "$1" $(words "$1") 1h
		kill -USR1 "$(pid_of "$1")"
		kill -USR2 "$(pid_of "$1")"
		kill -PIPE "$(pid_of "$1")"
		detach "$1" "$signal"
		[ "$status" = 0 ] || echo "$1 $signal: $status"
	done
}

# ends COMMAND: says which option does not end it, with the status that it should have
ends()
{
	local option want

	while read -r want option; do
		status=0
		# shellcheck disable=SC2046,SC2086 # words
		timeout 20 "$NVMETOOL" "$1" $(words "$1") $option >"$OUT/$1.out" 2>"$OUT/$1.err" || status=$?
		[ "$status" = "$want" ] || echo "$1 $option: $status, $(tail -n 1 "$OUT/$1.err")"
	done <<-END
		0 100ms 2
		0 --duration 100ms
		0 --duration 100ms --strict --self-stats --buffer 1m
		6 --duration 100ms --fail-if count>=0
		0 --probe-only
		3 -- sh -c exit\${IFS}3
	END
}

guest()
{
	local target cmd

	cp "$LAB/t/common/probes" "$OUT/probes"
	mkfifo "$OUT/in"
	"$OUT/probes" 1 <"$OUT/in" >"$OUT/log" 2>&1 &
	target=$!
	exec 7>"$OUT/in"
	while read -r cmd; do
		case $cmd in diff | info | list | doctor | completion | help) continue ;; esac
		signals "$cmd" >>"$OUT/signals" </dev/null
		ends "$cmd" >>"$OUT/ends"
		echo "$cmd" >>"$OUT/commands"
	done < <(sed -n 's/^CMD(\(.*\))$/\1/p' "$VM/../../cmd/list.def")
	exec 7>&-
	wait "$target"
	rm "$OUT/in"
}

host()
{
	check_eq "SIGUSR1, SIGUSR2 and SIGPIPE do not end a run; SIGINT, SIGTERM and SIGHUP do, with status 0" \
		"$(grep -c trace "$OUT/commands") $(cat "$OUT/signals")" "1 "
	check_eq "COUNT, --duration, --probe-only and PROGRAM do; --fail-if has its status" "$(cat "$OUT/ends")" ""
}
