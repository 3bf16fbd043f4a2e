#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures in a browser: they say and request nothing, their text can be read, their cells add up.

bats_require_minimum_version 1.5.0

setup()
{
	load tree.bash
	need_release_binary
	DATA=$BATS_TEST_DIRNAME/../data
	svg=$BATS_TEST_TMPDIR/picture.svg
}

browse()
{
	python3 "$BATS_TEST_DIRNAME/browser.py" "$svg" "$BATS_TEST_TMPDIR"
}

@test "a heat map" {
	"$NVMETOOL" latency -i "$DATA/latency.nvt" -f svg >"$svg"
	[ "$(browse)" = "$("$NVMETOOL" latency -i "$DATA/latency.nvt" --json --by none | jq 'select(.type == "latency").count')" ]
}

@test "a flame graph, with hostile names in it" {
	"$NVMETOOL" stacks -i "$DATA/stacks.nvt" -f svg -k -u -b comm,pid,dev,ctrl,opcode,cgroup --offsets --addr >"$svg"
	[ "$(browse)" = 120 ]
}

@test "a script, a request and text that is cut off are found" {
	printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">%s</svg>' '<script>console.log("hi")</script>' >"$svg"
	run -1 browse
	[[ $output == *'CONSOLE'*'"hi"'* ]]
	sed -i 's|<script.*</script>|<image href="http://example.invalid/" width="1" height="1"/>|' "$svg"
	run -1 browse
	[[ $output == *'example.invalid'* ]]
	"$NVMETOOL" latency -i "$DATA/readme.nvt" -f svg | sed 's|</svg>|<text x="1190" y="90">cut</text></svg>|' >"$svg"
	run -1 browse
	[[ $output == *'cut: is cut off'* ]]
}
