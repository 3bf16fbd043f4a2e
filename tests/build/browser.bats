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
	page=$BATS_TEST_TMPDIR/page.html
}

# browse [PAGE]: the picture, or a page
browse()
{
	python3 "$BATS_TEST_DIRNAME/browser.py" "${1:-$svg}" "$BATS_TEST_TMPDIR"
}

@test "a heat map" {
	"$NVMETOOL" latency -i "$DATA/latency.nvt" -f svg >"$svg"
	[ "$(browse)" = "$("$NVMETOOL" latency -i "$DATA/latency.nvt" --json --by none | jq 'select(.type == "latency").count')" ]
}

# bats test_tags=all
@test "a flame graph, with hostile names in it" {
	"$NVMETOOL" stacks -i "$DATA/stacks.nvt" -f svg -k -u -b comm,pid,dev,ctrl,opcode,cgroup --offsets --addr >"$svg"
	[ "$(browse)" = 120 ]
}

# bats test_tags=all
@test "a page of report, of one recording and of two" {
	"$NVMETOOL" report -i "$DATA/report.nvt" --utc -w "$page"
	[ "$(browse "$page")" = 597 ]
	"$NVMETOOL" report -i "$DATA/before.nvt" -i "$DATA/after.nvt" --utc -w "$page"
	[ "$(browse "$page")" = 3000 ]
}

# bats test_tags=all
@test "a page that is too wide, pale or has a picture without a name is found" {
	"$NVMETOOL" report -i "$DATA/stacks.nvt" -w "$page.whole"
	for fault in 's|</header>|<div style="width:2000px">wide</div></header>|' 's|</header>|<p style="color:#ccc">pale</p></header>|' \
		's|aria-label="Heat map: Latency of all commands over time"||' 's|</header>|<script>console.log(1)</script></header>|' \
		's|</header>|<p style="height:0">over</p></header>|' 's|commands, at least:|commands in a cell of the picture, as many or more than the number, at least:|' \
		's|<span style="top:100%|<span style="top:99%|' 's|local, local||; s|repeat local|repeat|' 's|<dd|<dd style="margin-bottom:9px"|'; do
		sed "$fault" "$page.whole" >"$page"
		run -1 browse "$page"
	done
}

# bats test_tags=all
@test "on paper: words that are over others, at the edge or missing are found, and so is a sheet without any" {
	"$NVMETOOL" report -i "$DATA/stacks.nvt" -w "$page.whole"
	while IFS='|' read -r style fault; do
		sed "s|@media print {|&$style|" "$page.whole" >"$page"
		run -1 browse "$page"
		[[ $output == *"$fault"* ]]
	done <<-'END'
		h2 { margin-bottom: -16px }|is over
		header { margin-left: -9mm }|is at the edge
		h2 { display: none }|is not on paper
		body::after { content: ""; display: block; break-before: page; height: 9px }|is empty
	END
}

# bats test_tags=all
@test "a script, a request and text that is cut off or pale are found" {
	printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">%s</svg>' '<script>console.log("hi")</script>' >"$svg"
	run -1 browse
	[[ $output == *'CONSOLE'*'"hi"'* ]]
	sed -i 's|<script.*</script>|<image href="http://example.invalid/" width="1" height="1"/>|' "$svg"
	run -1 browse
	[[ $output == *'example.invalid'* ]]
	"$NVMETOOL" latency -i "$DATA/readme.nvt" -f svg | sed 's|</svg>|<text x="1190" y="90">cut</text></svg>|' >"$svg"
	run -1 browse
	[[ $output == *'cut: is cut off'* ]]
	"$NVMETOOL" latency -i "$DATA/readme.nvt" -f svg | sed 's|</svg>|<text x="600" y="34" style="fill:#ccc">faint</text></svg>|' >"$svg"
	run -1 browse
	[[ $output == *'faint: is pale'* ]]
}
