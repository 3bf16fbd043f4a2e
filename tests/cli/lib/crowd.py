#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many commands of `trace --json` found at most N others outstanding on their controller?

usage: crowd.py N <TRACE        prints a line `CTRL OP COUNT` for each controller and opcode

By definition: those that were submitted before it, and had not completed then. Admin commands do not count.
"""

import collections
import json
import sys


def main():
    most = int(sys.argv[1])
    records = [record for record in map(json.loads, sys.stdin) if record["type"] == "io" and not record["admin"]]
    commands = [(record["mono_ns"] - record["lat_ns"], record["mono_ns"], record) for record in records]
    counts = collections.Counter()
    for begin, _, mine in commands:
        others = sum(
            1 for first, last, other in commands if first < begin < last and other["ctrl"] == mine["ctrl"]
        )
        if others <= most:
            counts[mine["ctrl"], mine["op"]] += 1
    for (ctrl, op), count in sorted(counts.items()):
        print(ctrl, op, count)


main()
