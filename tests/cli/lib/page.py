# SPDX-License-Identifier: GPL-2.0-or-later
# page.py FILE [table CAPTION [N] | cells NAME [N] | axes | text | boxes]: reads a page of report, which has to be well-formed XML that
# runs and loads nothing. Prints the table whose caption begins so, a row per line; the sum of the commands of all cells
# of the heat map of that name; whether the charts that stand beside each other have equal axes; the words of the page; or the commands of the lowest boxes of its flame graphs. N: of the
# Nth recording, from 0.
import re
import sys
import xml.etree.ElementTree

HTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
LOADS = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "video", "audio", "foreignObject"}


def check(what, ok):
    if not ok:
        sys.exit(f"{what}")


def words(element):
    return "".join(element.itertext())


source = open(sys.argv[1], encoding="utf-8").read()
tree = xml.etree.ElementTree.fromstring(source)
for element in tree.iter():
    name = element.tag.split("}")[1]
    check(f"<{name}> may run or load something", name not in LOADS)
    for key, value in element.attrib.items():
        check(f"{name} {key}={value}", not key.startswith("on") and key != "src" and (not key.endswith("href") or value[0] == "#"))
        check(f"{name} {key}={value}: url", "url(" not in value)
check("the style loads something", not re.search(r"url\(|@import|@font-face", words(tree.find(f"{HTML}head/{HTML}style"))))
policy = [m.get("content") for m in tree.iter(HTML + "meta") if m.get("http-equiv") == "Content-Security-Policy"]
check("no policy", policy == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"])
ids = [e.get("id") for e in tree.iter() if e.get("id")]
check("two of one id", len(ids) == len(set(ids)))
check("a link to nowhere", all(a.get("href")[1:] in ids for a in tree.iter(HTML + "a")))
for svg in tree.iter(SVG + "svg"):
    check("a picture without a name", svg.get("aria-hidden") == "true" or svg.get("aria-label"))

what, name, number = (sys.argv[2:] + [""] * 3)[:3]
number = int(number or 0)
if what == "table":
    captions = {table: table.find(HTML + "caption") for table in tree.iter(HTML + "table")}
    found = [table for table, caption in captions.items() if caption is not None and words(caption).startswith(name)]
    for row in found[number].find(HTML + "tbody"):
        print(" ".join(words(cell) for cell in row))
elif what == "cells":
    label = re.compile(rf"Heat map(?: of [AB])?: {re.escape(name)} over time")
    found = [s for s in tree.iter(SVG + "svg") if label.fullmatch(s.get("aria-label") or "")]
    titles = [rect.find(SVG + "title").text for rect in found[number].iter(SVG + "rect")]
    print(sum(int(re.search(r": (\d+) commands?, ", title)[1]) for title in titles))
elif what == "axes":
    axes = {}
    for pair in (d for d in tree.iter(HTML + "div") if d.get("class") == "pair"):
        for chart in (d for d in pair.iter(HTML + "div") if d.get("class") == "chart"):
            svg = chart.find(SVG + "svg")
            of = axes.setdefault(re.sub("^Heat map of [AB]:", "Heat map:", svg.get("aria-label")), [])
            of.append([words(chart[0]), [s.get("style") for s in chart[0]], svg.get("viewBox")])
    for chart, of in axes.items():
        print(chart, "alone" if len(of) == 1 else "equal" if len(of) == 2 and of[0] == of[1] else of)
elif what == "boxes":
    for flame in (d for d in tree.iter(HTML + "div") if d.get("class") == "flame"):
        boxes = [(int(re.search(r"top:(\d+)px", d.get("style"))[1]), d.get("title")) for d in flame]
        lowest = max(top for top, _ in boxes)
        print(sum(int(re.search(r": (\d+) commands?, ", title)[1]) for top, title in boxes if top == lowest))
elif what == "text":
    print(words(tree))
