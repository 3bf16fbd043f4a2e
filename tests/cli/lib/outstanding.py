#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are QD, %UTIL, INFLIGHT and OLD of `top --json` those of the times that `trace --json` has?

usage: outstanding.py TRACE TOP [PERCENT]

Each is computed from its definition, for every row of TOP, and may differ by its rounding. With PERCENT, TRACE is of
another run at the same time: QD and %UTIL alone are compared, where there is load, and may differ by as much, by 0.3
commands or ten points, and one of five by more: between two runs' programs a guest can lose its CPU for tens of
milliseconds. Prints how many figures were compared, and the rows where one differs; exit 1 if too many do.
"""

import json
import sys

BESIDE = {"qd": 0.3, "util_pct": 10}  # of two runs at the same time
STALLED = 5  # with PERCENT one figure of so many may be of a moment in which the guest stood still
BUSY = 20  # commands that a row needs to be compared then
PLACES = ("pid", "comm", "cgroup_id", "dev", "ctrl_id", "qid")


def read(path, kind):
    with open(path, encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["type"] == kind]


def is_at(row, command):
    """Whether the command belongs to what the row stands for, whatever its operation."""
    return all(command[key] == row[key] for key in PLACES if key in row)


def union(spans):
    """The time that at least one of the spans covers."""
    total, until = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def expected(row, commands):
    end, length = row["time_ns"], row["interval_ns"]
    start = end - length
    there = [(c["time_ns"] - c["lat_ns"], c["time_ns"], c["op"]) for c in commands if is_at(row, c)]
    spans = [(max(begin, start), min(done, end), op) for begin, done, op in there if begin < end and done > start]
    mine = [done - begin for begin, done, op in spans if op == row["op"]]
    ages = [end - begin for begin, done, op in there if op == row["op"] and begin < end <= done]
    figures = {"qd": sum(mine) / length, "inflight": len(ages), "oldest_ns": max(ages, default=None)}
    if "util_pct" in row:
        figures["util_pct"] = 100 * union(span[:2] for span in spans) / length
    return figures


def differs(name, ours, theirs, percent):
    if ours is None or theirs is None:
        return ours is not theirs
    if percent:
        return abs(ours - theirs) > max(theirs * percent / 100, BESIDE[name])
    return abs(ours - theirs) > (0.0051 if name in BESIDE else 0)


def main():
    commands = [command for command in read(sys.argv[1], "io") if not command["admin"]]
    percent = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    compared, bad = 0, 0
    for row in read(sys.argv[2], "top"):
        for name, figure in expected(row, commands).items():
            if row[name] is None and figure is not None:
                continue
            if percent and (name not in BESIDE or row["count"] < BUSY):
                continue
            compared += 1
            if differs(name, row[name], figure, percent):
                bad += 1
                print(f"{name} is {row[name]}, the times say {figure}: {json.dumps(row)}")
    print(compared)
    sys.exit(bad > (compared / STALLED if percent else 0))


main()
