#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are QD, %UTIL, P99, INFLIGHT and OLD of `top --json` those of the times that `trace --json` has?

usage: outstanding.py TRACE TOP [LATER]

Each is computed from its definition, for every row of TOP, and may differ by its rounding. With LATER, TOP was live
beside two recordings: the programs of TRACE ran before its own at each hook, those of LATER after. So each command began
and ended between the times that the two have, and each figure lies between those of the shortest and of the longest lives
that this allows. Prints how many figures were compared, the rows where one differs, and with LATER how far apart the
bounds of half of all QD and %UTIL are at the most, in percent. Where the guest lost its CPU between the two, some are
wider; where half are, by more than LOOSE, nothing was shown. Exit 1 if a figure differs, or then.
"""

import collections
import json
import statistics
import sys

ROUNDED = {"qd": 0.0051, "util_pct": 0.0051}
PLACES = ("pid", "comm", "cgroup_id", "dev", "ctrl_id", "qid")
LOOSE = 10
STEPS = 8  # buckets of a histogram for each power of two
SAME = ("ctrl_id", "qid", "tag", "op", "slba")


def read(path, kind):
    with open(path, encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["type"] == kind]


def read_commands(path):
    """In an order that two recordings of the same commands share."""
    commands = [command for command in read(path, "io") if not command["admin"]]
    return sorted(commands, key=lambda c: (*(c[key] for key in SAME[:3]), c["mono_ns"]))


def lives_of(begins, ends):
    """When each command began and ended, by one recording and by another."""
    if [[c[key] for key in SAME] for c in begins] != [[c[key] for key in SAME] for c in ends]:
        sys.exit("the recordings have other commands")
    times = [(b["mono_ns"] - b["lat_ns"], e["mono_ns"], b) for b, e in zip(begins, ends)]
    return [(begin, max(begin, end), command) for begin, end, command in times]


def place_of(record, row):
    """What the row names as its place, of itself or of a command, whatever the operation."""
    return tuple(record[key] for key in PLACES if key in row)


def by_place(lives, row):
    places = collections.defaultdict(list)
    for begin, done, command in lives:
        places[place_of(command, row)].append((begin, done, command["op"]))
    return places


def union(spans):
    """The time that at least one of the spans covers."""
    total, until = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def p99(latencies):
    """The upper edge of the bucket that it lies in, or the largest."""
    if not latencies:
        return None
    exact = sorted(latencies)[(99 * len(latencies) + 99) // 100 - 1]
    width = max(1 << exact.bit_length() >> 1, STEPS) // STEPS
    return min(exact // width * width + width, max(latencies))


def expected(row, end, is_last, places):
    """Figures of the interval that ended at @end; what completes then belongs to the next one, if there is one."""
    length = row["interval_ns"]
    start = end - length
    lives = places[place_of(row, row)]
    there = [(begin, done, op) for begin, done, op in lives if begin < end and done >= start]
    spans = [(max(begin, start), min(done, end), op) for begin, done, op in there if done > start]
    mine = [done - begin for begin, done, op in spans if op == row["op"]]
    ages = [end - begin for begin, done, op in there if op == row["op"] and end <= done]
    latencies = [done - begin for begin, done, op in there if op == row["op"] and start <= done < end + is_last]
    figures = {"qd": sum(mine) / length, "p99_ns": p99(latencies), "inflight": len(ages),
               "oldest_ns": max(ages, default=None)}
    if "util_pct" in row:
        figures["util_pct"] = 100 * union(span[:2] for span in spans) / length
    return figures


def is_between(name, figure, low, high):
    if figure is None or low is None or high is None:
        return figure is low is high
    return low - ROUNDED.get(name, 0) <= figure <= high + ROUNDED.get(name, 0)


def may_be_unknown(name, beside, is_last, rows):
    """What is in flight at the end of a recording is not in it; %UTIL is unknown in all rows, or in none."""
    if name == "util_pct":
        return all(row[name] is None for row in rows)
    return name in ("inflight", "oldest_ns") and is_last and not beside


def main():
    earlier = read_commands(sys.argv[1])
    later = read_commands(sys.argv[3]) if len(sys.argv) > 3 else earlier
    beside = later is not earlier
    meta = read(sys.argv[2], "meta")[0]
    rows = read(sys.argv[2], "top")
    shortest, longest = (by_place(lives_of(*pair), rows[0]) for pair in ((later, earlier), (earlier, later)))
    compared, bad, apart = 0, 0, []
    for row in rows:
        end = row["time_ns"] - meta["time_ns"] + meta["mono_ns"]
        is_last = row["seq"] == rows[-1]["seq"]
        lows = expected(row, end, is_last, shortest)
        highs = expected(row, end, is_last, longest) if beside else lows
        for name, low in lows.items():
            if row[name] is None and may_be_unknown(name, beside, is_last, rows):
                continue
            compared += 1
            if low and name in ROUNDED:
                apart.append(100 * (highs[name] - low) / low)
            if not is_between(name, row[name], low, highs[name]):
                bad += 1
                print(f"{name} is {row[name]}, the times say {low} to {highs[name]}: {json.dumps(row)}")
    middle = statistics.median(apart) if beside else 0
    print(compared, *([round(middle, 2)] if beside else []))
    sys.exit(bad > 0 or middle > LOOSE)


main()
