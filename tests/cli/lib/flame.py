# SPDX-License-Identifier: GPL-2.0-or-later
# flame.py FILE: checks that a flame graph stands alone, that its boxes lie within the picture and on the one that
# called them, beside each other, and that names fit their boxes. Prints the weight of the bottom row, in commands.
import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
COLUMN = 6.65  # pixels of a character


def boxes(tree):
    for group in tree.iter(SVG + "g"):
        title, rect, text = (group.find(SVG + part) for part in ("title", "rect", "text"))
        if title is not None:
            x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            yield title.text, x, y, width, height, text


def check(what, ok):
    if not ok:
        sys.exit(f"{what}")


source = open(sys.argv[1], encoding="utf-8").read()
tree = xml.etree.ElementTree.fromstring(source)
check("it runs or loads something", not re.search(r"<script|href|src=|url\(|@import|\son\w+=", source))
rows = {}
for title, x, y, width, height, text in boxes(tree):
    rows.setdefault(y, []).append((x, x + width, title))
    check(f"{title}: outside of the picture", x >= 16 and x + width <= 1184.01 and y >= 96)
    check(f"{title}: its name is wider", text is None or len(text.text) * COLUMN <= width)
for y, row in rows.items():
    row.sort()
    for (_, end, title), (begin, _, _) in zip(row, row[1:]):
        check(f"{title}: overlaps the next", end <= begin + 0.01)
    for x, end, title in row:
        below = rows.get(y + 17, [(0, 1200, "the ground")] if y == max(rows) else [])
        check(f"{title}: has no box below", any(b <= x + 0.01 and end <= e + 0.51 for b, e, _ in below))
print(sum(int(re.search(r": (\d+) commands?,", title)[1]) for _, _, title in rows[max(rows)]))
