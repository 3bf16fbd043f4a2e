# SPDX-License-Identifier: GPL-2.0-or-later
# browser.py SVG DIR: opens a picture in headless Chromium, alone and at three widths in a page that measures it. Fails if
# it says or requests anything, or if text is cut off, over other text, or pale, in dark mode, too. Prints the commands of
# all cells or, of a flame graph, of its bottom row. DIR is for the browser's files.
# browser.py PAGE.html DIR: the same of a page of report, also in dark mode and as it is printed, with its tables open
# and not. Text has to be in contrast to its ground, and each picture to have a name and a table. On paper no word is
# over another, at the edge or left out, and no sheet is empty. Prints the commands of its first heat map.
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
DARK = "--blink-settings=preferredColorScheme=0"
# The origin that asked for it: "not an origin" is Chromium itself, whose requests --proxy-server keeps from leaving.
ASKED = re.compile(r'"initiator":"(?!not an origin")[^\n]*')
MARGIN = 14 / 25.4 * 72 - 1.5 # of a sheet, in points: page.css has 14 mm, and boxes of letters begin a little before them
CONTRAST = """
function luminance(rgb) {
    const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function colour(text) {
    return text.match(/[\\d.]+/g).map(Number);
}
function contrast(text, ground) {
    const a = luminance(text.slice(0, 3)), b = luminance(ground.slice(0, 3));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
"""
MEASURE = CONTRAST + """
const picture = document.querySelector('svg'), edge = picture.getBoundingClientRect();
const texts = [...picture.querySelectorAll('text')].filter(text => text.textContent);
const fill = element => colour(getComputedStyle(element).fill);
const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
const wrong = [];
texts.forEach(text => {
    const box = text.closest('g[class=' + (text.parentNode.getAttribute('class') || 'none') + ']');
    const ground = box && !text.getAttribute('class') ? box.querySelector('rect') : picture.querySelector('.page');
    if (contrast(fill(text), fill(ground)) < 4.5)
        wrong.push(text.textContent + ': is pale');
});
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


PAGE = CONTRAST + """
const wrong = [], root = document.documentElement;
function ground(element) {
    for (; element; element = element.parentElement) {
        const c = colour(getComputedStyle(element).backgroundColor);
        if (c.length < 4 || c[3] == 1)
            return c.slice(0, 3);
    }
    return [255, 255, 255];
}
function texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement, range = document.createRange();
        if (!node.data.trim() || parent.closest('script,title') || !parent.checkVisibility())
            continue;
        range.selectNodeContents(node);
        const scroll = parent.closest('.scroll'), seen = scroll && scroll.getBoundingClientRect();
        for (const box of range.getClientRects())
            if (!seen || (box.bottom <= seen.bottom && box.right <= seen.right)) /* the rest is scrolled to */
                found.push({ text: node.data, box, parent });
    }
    return found;
}
function measure(state) {
    const all = texts();
    if (root.scrollWidth > innerWidth)
        wrong.push(state + ': the page is ' + root.scrollWidth + ' wide');
    all.forEach(({ text, box, parent }, i) => {
        const cut = parent.closest('.flame,.scroll'); /* boxes end in an ellipsis, tables scroll */
        if (!cut && (box.left < -0.5 || box.right > innerWidth + 0.5))
            wrong.push(state + ': ' + text + ': is cut off');
        if (contrast(colour(getComputedStyle(parent).color), ground(parent)) < 4.5)
            wrong.push(state + ': ' + text + ': is pale');
        all.slice(i + 1).forEach(other => {
            if (Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1 &&
                Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 3)
                wrong.push(state + ': ' + text + ': is over ' + other.text);
        });
    });
    return all.length;
}
const closed = measure('closed');
document.querySelectorAll('details').forEach(details => details.open = true);
const open = measure('open');
const pictures = [...document.querySelectorAll('svg[role=img],.flame')];
pictures.forEach(picture => {
    const section = picture.closest('section');
    if (!picture.computedName || picture.computedRole != 'image')
        wrong.push('a picture is ' + picture.computedRole + ' ' + picture.computedName);
    if (!section.querySelector('h2') || !section.querySelector('.hint').innerText || !section.querySelector('details table'))
        wrong.push(picture.computedName + ': no heading, hint or table');
});
document.querySelectorAll('details').forEach(details => {
    if (details.querySelector('summary').tabIndex < 0 || details.querySelector('.scroll').tabIndex < 0)
        wrong.push('a table that the keyboard does not reach');
});
document.querySelectorAll('.pair .legend').forEach(legend => {
    const lines = new Set([...legend.querySelectorAll('span')].map(span => Math.round(span.getBoundingClientRect().bottom)));
    if (innerWidth >= 1280 && lines.size > 1)
        wrong.push('a legend of ' + lines.size + ' lines');
});
document.querySelectorAll('.chart').forEach(chart => {
    const heights = [...chart.querySelectorAll('.y span')].map(span => parseFloat(span.style.top));
    if (!chart.querySelector('svg.strip') && (Math.min(...heights) > 0 || Math.max(...heights) < 100))
        wrong.push(chart.innerText + ': no label at the top or at the bottom');
});
document.querySelectorAll('.tiles').forEach(tiles => {
    const rows = new Map();
    [...tiles.children].forEach(tile => {
        const box = tile.getBoundingClientRect(), value = tile.querySelector('dd').getBoundingClientRect();
        rows.set(box.top, (rows.get(box.top) || new Set()).add(box.bottom + ' ' + value.bottom));
    });
    if (Math.max(...[...rows.values()].map(row => row.size)) > 1)
        wrong.push('cards of unequal height, or values at unequal heights');
});
const paper = getComputedStyle(document.querySelector('nav')).display == 'none';
document.querySelectorAll('.scroll').forEach(scroll => {
    const style = getComputedStyle(scroll), shadows = style.backgroundImage.split('linear-gradient').length - 1;
    if (!paper && (shadows != 4 || style.backgroundAttachment != 'local, local, scroll, scroll'))
        wrong.push('a table that scrolls and does not show it');
});
const cells = [...document.querySelector('svg.heat').querySelectorAll('rect')].map(rect => rect.querySelector('title').textContent);
document.title = JSON.stringify({
    wrong: wrong.slice(0, 20), closed, open, pictures: pictures.length,
    sum: cells.reduce((sum, text) => sum + Number(/: (\\d+) commands?, /.exec(text)[1]), 0),
});
"""


def browse(url, place, width, *more, get="--dump-dom"):
    """The document as the browser has it after loading; fails if there was a message or a request."""
    log = os.path.join(place, "net")
    options = [f"--user-data-dir={place}/profile", f"--log-net-log={log}", f"--window-size={width},900", get, *more]
    done = subprocess.run(["chromium", *OPTIONS, *options, url], capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(done.stderr)
    said = [line for line in done.stderr.split("\n") if "CONSOLE" in line]
    asked = ASKED.findall(open(log, encoding="utf-8").read())
    if said or asked:
        sys.exit("\n".join(said + asked))
    return done.stdout


def found_in(dom):
    return json.loads(html.unescape(re.search(r"<title>(\{.*?\})</title>", dom, re.S)[1]))


def look_at_page(source, place):
    """Measures copies of a page that let a script do so. The sum of its cells."""
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
    assert len(policy.findall(source)) == 1
    screen = policy.sub("", source).replace("</body>", f"<script>//<![CDATA[\n{PAGE}\n//]]></script></body>")
    copies = {"screen": screen, "print": screen.replace("@media print", "@media all").replace("details {", "nothing {")}
    sums = set()
    for copy, width, more in (
        ("screen", 390, ()), ("screen", 1280, ()), ("screen", 1920, ()), ("print", 688, ()), ("screen", 390, (DARK,)), ("screen", 1280, (DARK,)),
    ):
        page = os.path.join(place, "page.html")
        with open(page, "w", encoding="utf-8") as f:
            f.write(copies[copy])
        found = found_in(browse("file://" + page, place, width, "--enable-blink-features=ComputedAccessibilityInfo", *more))
        if found["wrong"] or found["open"] <= found["closed"] or found["closed"] < 50 or found["pictures"] < 5:
            sys.exit(f"{copy} at {width} pixels {more}: {found}")
        sums.add(found["sum"])
    assert len(sums) == 1, sums
    return sums.pop()


def read(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sheets_of(pdf):
    """Width, height and words of each sheet; a word is its text and its box, in points."""
    for sheet in re.findall(r"<page (.*?)</page>", read("pdftotext", "-bbox", pdf, "-"), re.S):
        size = re.match(r'width="([\d.]+)" height="([\d.]+)"', sheet).groups()
        words = re.findall(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>', sheet)
        yield *map(float, size), [(html.unescape(word[4]), *map(float, word[:4])) for word in words]


def look_at_paper(source, place):
    """Prints the page, and looks at each sheet."""
    wrong, page, pdf = [], os.path.join(place, "paper.html"), os.path.join(place, "paper.pdf")
    with open(page, "w", encoding="utf-8") as f:
        f.write(source)
    browse("file://" + page, place, 1280, "--no-pdf-header-footer", get="--print-to-pdf=" + pdf)
    seen = []
    for number, (width, height, words) in enumerate(sheets_of(pdf), 1):
        seen += [word for word, *_ in words]
        for i, (word, left, top, right, bottom) in enumerate(words):
            if left < MARGIN or right > width - MARGIN or top < MARGIN or bottom > height - MARGIN:
                wrong.append(f"sheet {number}: {word}: is at the edge")
            for other, its_left, its_top, its_right, its_bottom in words[i + 1 :]:
                if min(right, its_right) - max(left, its_left) > 0.75 and min(bottom, its_bottom) - max(top, its_top) > 2.25:
                    wrong.append(f"sheet {number}: {word}: is over {other}")
        subprocess.run(["pdftoppm", "-r", "20", "-gray", "-singlefile", "-f", str(number), pdf, pdf], check=True)
        if len(words) < 10 or min(open(pdf + ".pgm", "rb").read().split(b"\n", 3)[3]) > 200:
            wrong.append(f"sheet {number}: is empty")
    for line in re.findall(r"<(?:h[1-3]|dt|caption|th)\b[^>]*>([^<]+)<", re.sub(r"<details.*?</details>", "", source, flags=re.S)):
        wrong += [f"{word}: is not on paper" for word in html.unescape(line).split() if word not in seen]
    if wrong or len(seen) < 100:
        sys.exit("\n".join(wrong[:20] or ["nothing is on paper"]))


svg, place = os.path.abspath(sys.argv[1]), sys.argv[2]
read("xmllint", "--noout", "--nonet", svg)
browse("file://" + svg, place, 1280)
if svg.endswith(".html"):
    document = open(svg, encoding="utf-8").read()
    look_at_paper(document, place)
    print(look_at_page(document, place))
    sys.exit()
page = os.path.join(place, "page.html")
with open(page, "w", encoding="utf-8") as f:
    f.write('<!doctype html><meta charset="utf-8"><body style="margin:0">' + open(svg, encoding="utf-8").read())
    f.write("<script>" + MEASURE + "</script>")
sums = set()
for width, more in ((390, ()), (1280, ()), (1920, ()), (1280, (DARK,))):
    dom = browse("file://" + page, place, width, *more)
    found = found_in(dom)
    if found["wrong"] or not found["name"] or found["texts"] < 3 or not 380 < found["width"] <= 1200:
        sys.exit(f"at {width} pixels {more}: {found}")
    sums.add(found["sum"])
assert len(sums) == 1, sums
print(sums.pop())
