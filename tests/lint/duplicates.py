#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fails when too much of the code given was written twice.

usage: duplicates.py LIMIT_PERCENT FILE...

A line counts when it lies in a window of six lines that are equal, blanks and comments aside, to six lines at another
place. Lines without a letter or digit and #include lines are no code.
"""
import re
import sys
from collections import defaultdict

WINDOW = 6


def code_lines(path):
    """(line number, normalised text) of each line of code."""
    text = open(path, encoding="utf-8", errors="replace").read()
    if path.endswith((".c", ".h")):
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
        text = re.sub(r"//.*", "", text)
    else:
        text = re.sub(r"(?m)^\s*#.*", "", text)
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        line = " ".join(line.split())
        if re.search(r"\w", line) and not line.startswith("#include"):
            lines.append((number, line))
    return lines


def main():
    limit = float(sys.argv[1])
    places = defaultdict(list)
    files = {path: code_lines(path) for path in sys.argv[2:]}
    for path, lines in files.items():
        for i in range(len(lines) - WINDOW + 1):
            places[tuple(text for _, text in lines[i:i + WINDOW])].append((path, i))
    doubled = set()
    first = {}
    for found in places.values():
        # Windows of one run of equal lines overlap: that is one place.
        distinct = [p for p in found if p[0] != found[0][0] or p[1] >= found[0][1] + WINDOW]
        if not distinct:
            continue
        for path, i in found:
            doubled.update((path, n) for n in range(i, i + WINDOW))
        first.setdefault((found[0][0], distinct[0][0]), (found[0], distinct[0]))
    total = sum(len(lines) for lines in files.values())
    share = 100 * len(doubled) / max(total, 1)
    print(f"{len(doubled)} of {total} lines are written twice: {share:.1f} %, limit {limit} %")
    for (path, i), (other, j) in first.values():
        print(f"{path}:{files[path][i][0]} and {other}:{files[other][j][0]}")
    return share >= limit


sys.exit(main())
