# SPDX-License-Identifier: GPL-2.0-or-later
# spdk on this kernel: each hit of a program that has SPDK's probes is what the program logged, its semaphore is up
# meanwhile, and doctor says that it works.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

test='6.1'
plan=5
seconds=7

before()
{
	"$COMPILER" -g -O2 -static -o "$OUT/probes" "$VM/../usdt/probes.c"
}

# semaphore: what it is now
semaphore()
{
	local lines

	lines=$(wc -l <"$OUT/ready")
	echo count >&7
	until [ "$(wc -l <"$OUT/ready")" -gt "$lines" ]; do
		read -rt 0.05 _ <><(:) || true
	done
	tail -n 1 "$OUT/ready"
}

guest()
{
	local target before during

	cp "$LAB/t/spdk/probes" /run/probes
	mkfifo /run/in
	/run/probes 3 </run/in >"$OUT/log" 2>"$OUT/ready" &
	target=$!
	exec 7>/run/in
	before=$(semaphore)
	attached spdk "$NVMETOOL" spdk -p "$target" --json --set nvme,timeout,nvmf,sched,wakeups,other
	during=$(semaphore)
	echo go >&7
	semaphore >/dev/null # it has fired them
	detach spdk
	check_eq "exit status" "$status" 0
	check_eq "the semaphore was up while spdk was attached" "$before $during $(semaphore)" "0 1 0"
	exec 7>&-
	wait "$target"
	"$NVMETOOL" doctor --json --no-meta >"$OUT/doctor"
}

host()
{
	jq -cf "$VM/../usdt/hits.jq" "$OUT/spdk.out" >"$OUT/hits"
	check "each hit is what the program logged" diff "$OUT/log" "$OUT/hits"
	check "and there are as many as the account says" jq -es '.[-1] | .type == "summary" and .hits == 171 and
		.emitted == 171 and .complete' "$OUT/spdk.out"
	check_eq "doctor says that probes on processes work" "$(jq -r 'select(.name == "uprobes").verdict' "$OUT/doctor")" ok
}
