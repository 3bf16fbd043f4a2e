#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# README.md: its command lines are right, and its figures are those that were measured. Its outputs: expected.bats.
# bats file_tags=native

# shellcheck disable=SC2154 # data.bash sets out
load lib/data.bash

ROOT=$BATS_TEST_DIRNAME/../..

# The command lines of its blocks and those in its text, without `nvmetool`.
command_lines()
{
	sed -n '/^## /,$s/^nvmetool //p' "$ROOT/README.md" | sed 's/  *# .*//'
	grep -oE '`(sudo )?nvmetool [^`]+`' "$ROOT/README.md" | sed -E 's/^`(sudo )?nvmetool //; s/`$//'
}

@test "the command lines of README are right" {
	count=0
	while read -r line; do
		line=${line%% |*}
		line=${line%% >*}
		line=${line%% -- *}
		if [[ $line =~ ^inflight\ (.*\ )?[0-9]+$ ]]; then # with INTERVAL, of this host: once
			line+=' 1'
		elif ! [[ $line =~ ^(info|diff|list|spdk|doctor|help|completion)|--decode|' -i ' ]]; then
			line+=' -i drive.nvt'
		fi
		[[ $line != inflight*' -i '* || $line == *' --at '* ]] || line+=' --at 1ms'
		line=${line//drive.nvt/$DATA/mixed.nvt}
		line=${line//before.nvt/$DATA/before.nvt}
		line=${line//after.nvt/$DATA/after.nvt}
		line=$(sed -E "/%t|\.prom/! s/ -w [^ ]+/ -w \/dev\/null/" <<<"$line")
		line=$(sed -E 's/ --listen [^ ]+/ --listen 127.0.0.1:0 --duration 1ms/' <<<"$line") # else it goes on serving
		run timeout 60 bash -c "cd '$BATS_TEST_TMPDIR'; exec '$(realpath "$NVMETOOL")' $line" </dev/null
		echo "$status: $line"
		[[ $status =~ ^[03-6]$ ]]
		count=$((count + 1))
	done < <(command_lines)
	[ "$count" -gt 25 ]
}

@test "README fits 250 lines, and the page of hosts that it names is what help prints, 80 columns wide" {
	[ "$(wc -l <"$ROOT/README.md")" -le 250 ]
	grep -q '(cmd/help/hosts.md)' "$ROOT/README.md"
	cmp <("$NVMETOOL" help hosts) "$ROOT/cmd/help/hosts.md"
	[ "$(awk 'length > 80' "$ROOT/cmd/help/hosts.md" | wc -l)" = 0 ]
}

@test "the figures of README are those of tests/bench/README.md" {
	grep -E '\| [0-9]+ \| [0-9]+ \|$' "$ROOT/README.md" >"$out"
	[ "$(grep -cFxf "$ROOT/tests/bench/README.md" "$out")" = "$(wc -l <"$out")" ]
}

@test "the line that installs a tarball copies all of it" {
	sed -n '/^define install_in/,/^endef/p' "$ROOT/Makefile" | grep -o '\$1/[a-z]*' | cut -d / -f 2 | sort -u | paste -sd , >"$out.want"
	sed -nE 's/.*cp -r nvmetool-[^{]*\{([a-z,]*)\} .*/\1/p' "$ROOT/README.md" | diff "$out.want" -
}
