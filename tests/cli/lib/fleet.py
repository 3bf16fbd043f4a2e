# SPDX-License-Identifier: GPL-2.0-or-later
# fleet.py DASHBOARD PORT SILENT INSTANCE=FILE...: asks the Prometheus at PORT, which scrapes these instances and SILENT, that
# nobody serves, each query of the dashboard and of the rules that it has. Prints what is wrong: a query that it does not take, a
# series that does not name its host and drive, a figure other than in FILE, the JSON of latency --by ctrl,dev,opcode.
import json
import re
import sys
import urllib.parse
import urllib.request

SERVED = ("Latency of reads", "Latency of writes", "Commands per second", "Bytes per second")
# The recordings do not tell of controllers, nor of what was in flight; and what is wrong there is found nowhere.
EMPTY = r"inflight|oldest|controller_info|timeouts|resets|lost_total|complete|absent"


def get(what):
    return json.load(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[2]}/api/v1/{what}", timeout=10))["data"]


def ask(query):
    return [(s["metric"], float(s["value"][1])) for s in get("query?" + urllib.parse.urlencode({"query": query}))["result"]]


def since_start(query):
    """The same of all that was counted: the counters of a recording stand still."""
    return re.sub(r"(?:rate|increase)\((\w+(?:\{[^}]*\})?)\[\w+\]\)", r"\1", query)


def filled(query):
    return re.sub(r"\$__\w+", "5m", re.sub(r"\$(instance|controller)\b", ".*", query))


def rows(path):
    with open(path, encoding="utf-8") as lines:
        return [r for r in map(json.loads, lines) if r["type"] == "latency"]


def check(what, ok):
    if not ok:
        print(what)


dashboard = json.load(open(sys.argv[1], encoding="utf-8"))
served = {instance: rows(path) for instance, path in (word.split("=") for word in sys.argv[4:])}
panels = [(p["title"], filled(t["expr"])) for p in dashboard["panels"] for t in p["targets"]]

for title, query in panels:
    found = ask(query) + ask(since_start(query))
    check(f"{title}: a series of no host: {query}", all("instance" in labels for labels, _ in found))
    check(f"{title}: no series: {query}", found or re.search(EMPTY, query))
    if title in SERVED or title == "Worst drives by p99":
        check(f"{title}: not each host: {query}", {labels["instance"] for labels, _ in found} == set(served))
        check(f"{title}: a series of no drive: {query}", all({"controller", "device"} <= set(labels) for labels, _ in found))
check("the silent host", [labels["instance"] for labels, _ in ask(dict(panels)["Hosts that do not answer (job nvmetool)"])] == [sys.argv[3]])

for title, query in panels:
    if title not in SERVED:
        continue
    got = {tuple(labels.get(l) for l in ("instance", "controller", "device", "operation")): value for labels, value in ask(since_start(query))}
    p = re.match(r"histogram_quantile\(([0-9.]+),", query)
    of = [(instance, r) for instance, host in served.items() for r in host if not p or r["op"] == title[len("Latency of "):-1]]
    check(f"{title}: {len(got)} series, not {len(of)}", len(got) == len(of) > len(served))
    for instance, r in of:
        value = got.get((instance, r["ctrl"], r["dev"], None if p else r["op"]), -1)
        if p:  # edges are apart by at most a half of the lower one
            want = r["pct_ns"][f"p{float(p[1]) * 100:g}"] / 1e9
            check(f"{title} {instance} {r['dev']} p{p[1]}: {value}, not {want}", want / 1.5 <= value <= want * 1.5)
        else:
            want = r["count" if title.startswith("Commands") else "bytes"]
            check(f"{title} {instance} {r['dev']} {r['op']}: {value}, not {want}", value == want)

for rule in (r for group in get("rules")["groups"] for r in group["rules"]):
    name, query = rule["name"], rule["query"]
    found = ask(query) + ask(re.sub(r" > 0$", "", since_start(query)))
    check(f"{name}: {rule}", rule["health"] != "err")
    check(f"{name}: no series: {query}", found or re.search(EMPTY, query) or "nvmetool:" in query)
    check(f"{name}: a series of no host: {query}", all("instance" in labels for labels, _ in found))
    check(f"{name}: a series of no drive: {query}", all("controller" in labels for labels, _ in found) or re.search("Silent|Lost", name))
