# SPDX-License-Identifier: GPL-2.0-or-later
# heat.py FILE COLUMNS <MAP: checks each cell of a heat map of text, that wide, and prints the sum of the counts of its
# lines. FILE has latency's JSON, a record per interval; or it is a heat map as SVG, whose columns are the intervals.
#
# heat.py TRACE COLUMNS STEP <MAP: the map is one of a live run, and another run traced the same commands. Each line has
# the next ones of TRACE. A run takes its own times, so commands within STEP nanoseconds of an edge may be beyond it, and
# STRAYS of a cell anywhere: the CPU was taken away between the programs of the two runs.
import json
import re
import sys
import xml.etree.ElementTree

RAMP = " .:-=+*#%@"
FROM = (0, 1, 4, 15, 60, 250, 1000, 4000, 15000, 60000)  # commands in a cell

STRAYS = 2


def edges(per_octave, cells):
    """The lower edges of all cells but the first one."""
    return [(1024 << i // per_octave) * (per_octave + i % per_octave) // per_octave for i in range(cells - 1)]


def shade(count):
    return RAMP[max(level for level in range(10) if count >= FROM[level])]


def line(record, lows):
    counts = [0] * (len(lows) + 1)
    for lo, hi, count in record["hist"]["buckets"]:
        cell = sum(1 for low in lows if low <= lo)
        assert cell == len(lows) or hi is None or hi <= lows[cell], "a bucket is in two cells"
        counts[cell] += count
    assert sum(counts) == record["count"]
    return "".join(shade(count) for count in counts)


def rounded(text):
    number, unit = re.fullmatch(r"([\d.]+)(ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def of_json(path):
    with open(path, encoding="utf-8") as lines:
        return {record["ts"][11:23]: record for record in map(json.loads, lines) if record["type"] == "latency"}


def of_svg(path):
    """The columns of a picture as JSON has them, but for percentiles."""
    title = r"([\d:.]+) to ([\d:.]+), ([\d.]+) to ([\d.]+) us: (\d+) commands?, .*"
    found = {}
    for rect in xml.etree.ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}rect"):
        cell = re.fullmatch(title, rect.findtext("{http://www.w3.org/2000/svg}title", ""))
        if cell:
            start, end, low, high, count = cell.groups()  # the last column may end in the millisecond that it began in
            record = found.setdefault(f"{end} {start}", {"count": 0, "hist": {"buckets": []}})
            record["hist"]["buckets"].append([round(float(low) * 1000), round(float(high) * 1000), int(count)])
            record["count"] += int(count)
    return found


def latencies(path):
    """Of a trace, in the order of completion."""
    with open(path, encoding="utf-8") as lines:
        return [record["lat_ns"] for record in map(json.loads, lines) if record["type"] == "io"]


def check_live(picture, ns, lows, step):
    """Is each cell between the shades of the commands that surely and that possibly are in it?"""
    for cell, seen in enumerate(picture):
        low, high = lows[cell - 1] if cell else 0, lows[cell] if cell < len(lows) else float("inf")
        surely = max(sum(low + step <= lat < high - step for lat in ns) - STRAYS, 0)
        possibly = min(sum(low - step <= lat < high + step for lat in ns) + STRAYS, len(ns))
        least, most = RAMP.index(shade(surely)), RAMP.index(shade(possibly))
        assert least <= RAMP.index(seen) <= most, (picture, cell, seen, surely, possibly, sorted(ns))


step = int(sys.argv[3]) if len(sys.argv) > 3 else None
records = {} if step is not None else of_svg(sys.argv[1]) if sys.argv[1].endswith(".svg") else of_json(sys.argv[1])
traced = latencies(sys.argv[1]) if step is not None else []
width = int(sys.argv[2]) - 1
text = re.sub(r"\n  (?=\S)", " ", sys.stdin.read())  # lines that a narrow terminal folds
legend, shades, heading, *lines = text.split("\n")[:-1]
per_octave, low, high = re.fullmatch(r"(\d) cells? per power of two from (\S+ \w+) to (\S+ \w+); .*", legend).groups()
cells = len(re.search(r"\|(.*)\|", lines[0])[1])
lows = edges(int(per_octave), cells)
for text, edge in ((low, lows[0]), (high, lows[-1])):
    assert abs(rounded(text.replace(" ", "")) / edge - 1) < 0.005, text
at = lines[0].index("|") + 1
labels = [(m.start() - at, m[0]) for m in re.finditer(r"\S+", heading[: at + cells]) if m.start() > at]
assert len(labels) > 2, heading
for cell, text in labels:
    assert abs(rounded(text) / lows[cell - 1] - 1) < 0.005, (text, lows[cell - 1])
assert shades.split()[:5] == "commands in a cell, from:".split() and shades.split()[5::2] == list(RAMP[1:]), shades
assert [int(text.replace("k", "000")) for text in shades.split()[6::2]] == list(FROM[1:]), shades
total = 0
for text in lines:
    if text.startswith("TIME "):  # again, before it scrolls away
        continue
    time, picture, count, p99 = re.fullmatch(r"(\S+) \|(.*)\| +(\d+) +(\S+)", text).groups()
    assert len(text) <= width, text
    total += int(count)
    if step is not None:
        ns, traced = traced[: int(count)], traced[int(count) :]
        check_live(picture, ns, lows, step)
        continue
    record = records.pop(next((ts for ts in records if ts.startswith(time)), None), None)
    assert (int(count) > 0) == (record is not None), text
    if record is None:
        assert picture == " " * cells and p99 == "-", text
        continue
    assert picture == line(record, lows), (picture, line(record, lows))
    assert int(count) == record["count"], text
    if "pct_ns" in record:
        assert abs(float(p99) - record["pct_ns"]["p99"] / 1000) < 0.06, text
assert not records and not traced, (records, traced)
print(total)
