# SPDX-License-Identifier: GPL-2.0-or-later
# heat.py JSON COLUMNS <MAP: checks each cell of a heat map of text, that wide, against the histograms of JSON, a record
# per interval. Prints the sum of the counts of its lines.
import json
import re
import sys

RAMP = " .:-=+*#%@"
FROM = (1, 1, 2, 5, 10, 20, 50, 100, 200, 500)  # thousandths of the interval's commands; the first two: any command


def edges(per_octave, cells):
    """The lower edges of all cells but the first one."""
    return [(1024 << i // per_octave) * (per_octave + i % per_octave) // per_octave for i in range(cells - 1)]


def shade(count, total):
    if not count:
        return RAMP[0]
    return RAMP[max([1] + [level for level in range(2, 10) if 1000 * count >= total * FROM[level]])]


def line(record, lows):
    counts = [0] * (len(lows) + 1)
    for lo, hi, count in record["hist"]["buckets"]:
        cell = sum(1 for low in lows if low <= lo)
        assert cell == len(lows) or hi is None or hi <= lows[cell], "a bucket is in two cells"
        counts[cell] += count
    assert sum(counts) == record["count"]
    return "".join(shade(count, record["count"]) for count in counts)


def rounded(text):
    number, unit = re.fullmatch(r"([\d.]+)(ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


records = {}
for record in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    if record["type"] == "latency":
        records[record["seq"]] = record
width = int(sys.argv[2]) - 1
legend, shades, heading, *lines = sys.stdin.read().split("\n")[:-1]
per_octave, low, high = re.fullmatch(r"(\d) cells? per power of two from (\S+) to (\S+); .*", legend).groups()
cells = len(re.search(r"\|(.*)\|", lines[0])[1])
lows = edges(int(per_octave), cells)
for text, edge in ((low, lows[0]), (high, lows[-1])):
    assert abs(rounded(text) / edge - 1) < 0.005, text
at = lines[0].index("|") + 1
labels = [(m.start() - at, m[0]) for m in re.finditer(r"\S+", heading[: at + cells]) if m.start() > at]
assert len(labels) > 2, heading
for cell, text in labels:
    assert abs(rounded(text) / lows[cell - 1] - 1) < 0.005, (text, lows[cell - 1])
assert re.sub(r"[\d.> ]", "", shades) == "%oftheline'scommands:" + RAMP[1:].replace(".", ""), shades
total = 0
for seq, text in enumerate(lines):
    time, picture, count, p99 = re.fullmatch(r"(\S+) \|(.*)\| +(\d+) +(\S+)", text).groups()
    assert len(text) <= width, text
    record = records.pop(seq, None)
    assert (int(count) > 0) == (record is not None), text
    total += int(count)
    if record is None:
        assert picture == " " * cells and p99 == "-", text
        continue
    assert picture == line(record, lows), (picture, line(record, lows))
    assert int(count) == record["count"], text
    assert abs(float(p99) - record["pct_ns"]["p99"] / 1000) < 0.06, text
    assert record["ts"][11:].startswith(time), text
assert not records, records
print(total)
