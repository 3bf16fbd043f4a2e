# SPDX-License-Identifier: GPL-2.0-or-later
# browser.py SVG DIR: opens a picture in headless Chromium, alone and at three widths in a page that measures it. Fails if
# it says or requests anything, or if text is cut off or over other text. Prints the commands of all cells or, of a
# flame graph, of its bottom row. DIR is for the browser's files.
import html
import json
import os
import re
import subprocess
import sys

OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars "
    "--proxy-server=127.0.0.1:9 --enable-logging=stderr --virtual-time-budget=2000"
).split()
# What asked for it: "not an origin" is Chromium itself, whose requests --proxy-server keeps from leaving.
ASKED = re.compile(r'"initiator":"(?!not an origin")[^\n]*')
MEASURE = """
const picture = document.querySelector('svg'), edge = picture.getBoundingClientRect();
const texts = [...picture.querySelectorAll('text')].filter(text => text.textContent);
const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
const wrong = [];
boxes.forEach(([text, box], i) => {
    if (!box.width)
        wrong.push(text + ': is not seen');
    if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
        wrong.push(text + ': is cut off');
    boxes.slice(i + 1).forEach(([other, its]) => {
        if (Math.min(box.right, its.right) - Math.max(box.left, its.left) > 0.5 &&
            Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top) > 0.5)
            wrong.push(text + ': is over ' + other);
    });
});
const cells = [...picture.querySelectorAll('title')].map(title => {
    const box = (title.parentNode.querySelector('rect') || title.parentNode).getBoundingClientRect();
    return [title.textContent, Math.round(box.top)];
}).filter(([text]) => / commands?, /.test(text));
const flame = picture.querySelector('g') != null, bottom = Math.max(...cells.map(cell => cell[1]));
const counted = flame ? cells.filter(cell => cell[1] == bottom) : cells;
document.title = JSON.stringify({
    name: picture.querySelector('title').textContent, width: edge.width, texts: texts.length, wrong: wrong,
    sum: counted.reduce((sum, [text]) => sum + Number(/: (\\d+) commands?, /.exec(text)[1]), 0),
});
"""


def browse(url, place, width):
    """The document as the browser has it after loading; fails if there was a message or a request."""
    log = os.path.join(place, "net")
    options = [f"--user-data-dir={place}/profile", f"--log-net-log={log}", f"--window-size={width},900", "--dump-dom"]
    done = subprocess.run(["chromium", *OPTIONS, *options, url], capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(done.stderr)
    said = [line for line in done.stderr.split("\n") if "CONSOLE" in line]
    asked = ASKED.findall(open(log, encoding="utf-8").read())
    if said or asked:
        sys.exit("\n".join(said + asked))
    return done.stdout


svg, place = os.path.abspath(sys.argv[1]), sys.argv[2]
browse("file://" + svg, place, 1280)
page = os.path.join(place, "page.html")
with open(page, "w", encoding="utf-8") as f:
    f.write('<!doctype html><meta charset="utf-8"><body style="margin:0">' + open(svg, encoding="utf-8").read())
    f.write("<script>" + MEASURE + "</script>")
sums = set()
for width in (390, 1280, 1920):
    dom = browse("file://" + page, place, width)
    found = json.loads(html.unescape(re.search(r"<title>(\{.*?\})</title>", dom, re.S)[1]))
    if found["wrong"] or not found["name"] or found["texts"] < 3 or not 380 < found["width"] <= 1200:
        sys.exit(f"at {width} pixels: {found}")
    sums.add(found["sum"])
assert len(sums) == 1, sums
print(sums.pop())
