#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of a recording that would be markup, commands or the terminal's, one of them of 64 KiB: in pictures, pages and
# exports they are text.

bats_require_minimum_version 1.5.0

setup_file()
{
	load tree.bash
	need_release_binary
	cd "$BATS_TEST_DIRNAME/../.." || return
	made "$BATS_FILE_TMPDIR/hostile.nvt"
}

setup()
{
	load tree.bash
	cd "$BATS_TEST_DIRNAME/../.." || return
	recording=$BATS_FILE_TMPDIR/hostile.nvt out=$BATS_TEST_TMPDIR/out
}

# made FILE OPTION...: a recording, compiled with these
made()
{
	make_recording "$1" -DHOSTILE "${@:2}" -Wl,--wrap=entry_put_text
}

# clean FILE: it is UTF-8 without control, bidi and format characters
clean()
{
	python3 - "$1" <<-'END'
		import sys, unicodedata
		text = open(sys.argv[1], encoding="utf-8").read()
		assert text
		bad = {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
		assert not bad, bad
	END
}

# browse FILE: the commands of its cells, seen by Chromium
browse()
{
	python3 tests/build/browser.py "$1" "$BATS_TEST_TMPDIR"
}

@test "a heat map and a flame graph" {
	"$NVMETOOL" latency -i "$recording" -f svg -w "$out.svg"
	clean "$out.svg"
	"$NVMETOOL" stacks -i "$recording" -f svg -k -u -b comm,cgroup,dev -w "$out.svg"
	clean "$out.svg"
	grep -qF '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;' "$out.svg"
}

@test "a page of report" {
	"$NVMETOOL" report -i "$recording" --utc -w "$out.html"
	clean "$out.html"
	python3 tests/cli/lib/page.py "$out.html" text >"$out.text"
	grep -qF '</title><script>alert(1)</script>' "$out.text"
	grep -qxF 'a,b\x0a\xe2\x81\xa6' "$out.text"
}

# bats test_tags=all
@test "Chromium finds all commands in them, and nothing to run or load" {
	"$NVMETOOL" latency -i "$recording" -f svg -w "$out.heat.svg"
	"$NVMETOOL" stacks -i "$recording" -f svg -k -u -b comm,cgroup,dev -w "$out.flame.svg"
	"$NVMETOOL" report -i "$recording" --utc -w "$out.html"
	for file in "$out.heat.svg" "$out.flame.svg" "$out.html"; do
		[ "$(browse "$file")" = 597 ]
	done
}

@test "Chrome's trace has the names of trace" {
	"$NVMETOOL" export -f chrome -i "$recording" -w "$out.json"
	clean "$out.json"
	jq -c '.traceEvents[] | select(.ph == "X").args.comm // empty' "$out.json" | sort >"$out.ours"
	"$NVMETOOL" trace --json -i "$recording" | jq -c 'select(.type == "io").comm // empty' | sort >"$out.theirs"
	[ "$(sort -u "$out.theirs" | wc -l)" = 3 ]
	cmp "$out.ours" "$out.theirs"
}

@test "fio: a name cannot add a line or a word" {
	"$NVMETOOL" export -f fio -i "$recording" -w "$out.log"
	clean "$out.log"
	[ "$(sed 1d "$out.log" | grep -cvE '^[0-9]+ /dev/[^ ]+ (add|open|close|(read|write|sync) [0-9]+ [0-9]+)$')" = 0 ]
	[ "$(grep -c ' add$' "$out.log")" = 2 ]
	run ! grep '/dev/.*/' "$out.log"
}

# The names of disks of several hosts begin with the host's.
@test "fio: a disk whose name it would cut is left out, and its commands are counted" {
	made "$out.nvt" -DHOST="\"$(printf 'h%.0s' {1..250})\""
	"$NVMETOOL" export -f fio -i "$out.nvt" -i tests/data/readme.nvt -w "$out.log" 2>"$out.err"
	grep -q 'not in the export: commands of disks whose name is too long for it: 597$' "$out.err"
	[ "$(grep -c ' add$' "$out.log")" = 1 ]
	[ "$(grep -cE ' (read|write|sync) ' "$out.log")" = 1199 ]
}

@test "HdrHistogram: a name cannot end its tag, and has one of its own" {
	"$NVMETOOL" export -f hdr --by comm,cgroup,dev -i "$recording" -w "$out.hlog"
	clean "$out.hlog"
	[ "$("$NVMETOOL" latency --json --by comm,cgroup,dev -i "$recording" | jq -c 'select(.type == "latency")' | wc -l)" = 30 ]
	[ "$(grep -o '^Tag=[^,]*' "$out.hlog" | sort -u | wc -l)" = 30 ]
	java -cp /usr/share/java/hdrhistogram.jar org.HdrHistogram.HistogramLogProcessor -i "$out.hlog" \
		-tag 'dev=nvme1n1;comm=\xe2\x80\xae\xe2\x81\xa6a\x7f\xc2\x9b;cgroup=/a\x20b' >"$out.read"
	grep -q 'Total count *= *20\]' "$out.read"
	[ "$(grep '^Tag=' "$out.hlog" | grep -cvE '^Tag=[^, ]+,[0-9.]+,[0-9.]+,[0-9.]+,[A-Za-z0-9+/=]+$')" = 0 ]
}

# A name is 16 bytes there, and whoever prints it has to mind what it has, as with a kernel's own.
@test "blkparse finds as many commands" {
	"$NVMETOOL" export -f blktrace -i "$recording" -w "$out.blktrace.0"
	[ "$(LC_ALL=C blkparse -q -f '%a\n' -i "$out" | grep -cx C)" = "$("$NVMETOOL" trace --json -i "$recording" | jq -c 'select(.type == "io")' | wc -l)" ]
}
