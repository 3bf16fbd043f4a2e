# SPDX-License-Identifier: GPL-2.0-or-later
# map.py SVG [JSON]: checks that a heat map stands alone and that its cells lie within the picture, each in a place of
# its own with the shade of its number; and against the histograms of JSON, one record for each column. Prints the sum.
import json
import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Numbers of commands from which on a cell has a shade; the map takes those that its fullest cell reaches.
SHADES = (
    range(10),
    (0, 1, 2, 3, 4, 6, 9, 13, 20, 30),
    (0, 1, 2, 4, 8, 15, 30, 60, 120, 250),
    (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000),
    (0, 1, 4, 15, 60, 250, 1000, 4000, 15000, 60000),
    (0, *(10**power for power in range(9))),
)
TITLE = r"([\d:.]+) to ([\d:.]+), ([\d.]+) (?:to ([\d.]+) )?us(?: or more)?: (\d+) commands?, ([\d.]+) %"


def check(what, ok):
    if not ok:
        sys.exit(f"{what}")


source = open(sys.argv[1], encoding="utf-8").read()
tree = xml.etree.ElementTree.fromstring(source)
check("it runs or loads something", not re.search(r"<script|href|src=|url\(|@import|\son\w+=", source))
columns, height = {}, float(tree.get("viewBox").split()[3])
for rect in tree.iter(SVG + "rect"):
    title = rect.find(SVG + "title")
    if title is None:
        continue
    begin, end, low, high, count, percent = re.fullmatch(TITLE, title.text).groups()
    x, y, width, tall = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    check(f"{title.text}: outside", x >= 76 and x + width <= 1184.02 and y >= 104 and y + tall <= height - 36)
    cells = columns.setdefault((x, width, begin, end), {})
    check(f"{title.text}: two in one place", y not in cells)
    low, high = round(float(low) * 1000), round(float(high) * 1000) if high else float("inf")
    cells[y] = (low, high, int(count), float(percent), int(rect.get("class")[1:]))
check("more than 240 columns", len(columns) <= 240)
check("more than 48 rows", len({y for cells in columns.values() for y in cells}) <= 48)
fullest = max((cell[2] for cells in columns.values() for cell in cells.values()), default=0)
FROM = [shades for shades in SHADES if shades is SHADES[0] or shades[9] <= fullest][-1]
legend = [text.text for text in tree.iter(SVG + "text") if text.get("y") == "80"]
check("the title of the axis is above it", [float(text.get("y")) for text in tree.iter(SVG + "text") if text.text == "latency"] == [94])
told = [int(text.replace("k", "000").replace("M", "000000")) for text in legend[:-1]]
check(f"the legend is {legend}", told == list(FROM[1:]) and legend[-1] == "commands in a cell, or more")
for place, cells in columns.items():
    total = sum(cell[2] for cell in cells.values())
    rising = [cells[y] for y in sorted(cells, reverse=True)]
    check(f"{place}: latencies do not rise", all(a[1] <= b[0] for a, b in zip(rising, rising[1:])))
    for _, _, count, percent, shade in rising:
        check(f"{place}: {count} are not {percent} %", abs(100 * count / total - percent) < 0.051)
        right = max(level for level in range(10) if count >= FROM[level])
        check(f"{place}: shade {shade} is not {right}", shade == right)
if len(sys.argv) > 2:
    records = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    records = {r["ts"][11:23]: r for r in records if r["type"] == "latency"}
    check("other columns than intervals", {place[3] for place in columns} == set(records))
    for place, cells in columns.items():
        rest = records[place[3]]["hist"]["buckets"]
        for low, high, count, _, _ in cells.values():
            inside = [b for b in rest if low <= b[0] < high]
            check(f"{place}: {low} has other commands", sum(b[2] for b in inside) == count)
            rest = [b for b in rest if b not in inside]
        check(f"{place}: {rest} have no cell", not rest)
print(sum(cell[2] for cells in columns.values() for cell in cells.values()))
