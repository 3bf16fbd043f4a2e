# SPDX-License-Identifier: GPL-2.0-or-later
# Reads a table and fails unless each row has a value below each word of the heading: one that begins where the word
# begins, or ends where it ends. More than three words in a row of one cell (COMM, NAME) do no harm: only edges count.
import re
import sys

lines = sys.stdin.read().split("\n")[:-1]
words = [m.span() for m in re.finditer(r"\S+", lines[0])]
assert len(words) > 3 and len(lines) > 1, lines
for row in lines[1:]:
    at = " " + row + " "  # so that the character before and the one behind are there
    for begin, end in words:
        left = at[begin] == " " and at[begin + 1 : begin + 2].strip()
        right = at[end : end + 1].strip() and at[end + 1 : end + 2] == " "
        assert left or right, "%s\n%s\nnot below '%s'" % (lines[0], row, lines[0][begin:end])
