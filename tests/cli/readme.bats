#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What README shows: its command lines are right, and its outputs are what they print.

# shellcheck disable=SC2154 # data.bash sets out
load lib/data.bash

ROOT=$BATS_TEST_DIRNAME/../..

# The command lines of its examples and those in its text, without `nvmetool`.
command_lines()
{
	sed -n '/^## Examples/,/^## /s/^nvmetool //p' "$ROOT/README.md" | sed 's/  *# .*//'
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
	[ "$count" -gt 40 ]
}

# Lines of the blocks that stand below `<!-- replay: RECORDING -->`, each behind the recording and a tab.
replayed()
{
	awk '/^<!-- replay: / { file = $3 }
	/^```/ { inside = file && !inside; if (!inside) file = ""; next }
	inside { print file "\t" $0 }' "$ROOT/README.md"
}

# replay RECORDING ARG...: as words of a shell; what it prints of the recording
replay()
{
	local line="${*:2}"

	[[ $line =~ --decode|' -i ' ]] || line+=" -i '$ROOT/$1'"
	bash -c "\"\$NVMETOOL\" ${line//drive.nvt/\"$BATS_TEST_TMPDIR/drive.nvt\"}"
}

@test "the outputs of README are what the commands print" {
	count=0
	while IFS=$'\t' read -r file line; do
		echo "$line" >>"$out.shown"
		[[ $line == "\$ nvmetool "* ]] || continue
		echo "$line" >>"$out"
		replay "$file" "${line#"\$ nvmetool "}" >>"$out"
		count=$((count + 1))
	done < <(replayed)
	diff "$out.shown" "$out"
	[ "$count" -gt 5 ]
}

@test "the figures of README are those of tests/bench/README.md" {
	grep -E '\| [0-9]+ \| [0-9]+ \|$' "$ROOT/README.md" >"$out"
	[ "$(grep -cFxf "$ROOT/tests/bench/README.md" "$out")" = "$(wc -l <"$out")" ]
}

@test "the pictures of README are what the commands draw" {
	"$NVMETOOL" latency -i "$DATA/readme.nvt" -f svg --utc | cmp - "$DATA/pictures/latency.svg"
	"$NVMETOOL" stacks -i "$DATA/stacks.nvt" -k -u -f svg | cmp - "$DATA/pictures/stacks.svg"
	[ "$(grep -cE '^!\[.*\]\(tests/data/pictures/(latency|stacks)\.svg\)$' "$ROOT/README.md")" = 2 ]
}
