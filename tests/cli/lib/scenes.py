#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small recordings for the findings of `report`: of each is known what is wrong with it, and when.

usage: scenes.py SCENE [WORD...] FILE

Unless a scene says otherwise, postgres (2107) reads 8K of nvme0n1 every 5 ms for 10 s, and each takes 100 us, a bit more or less.
"""

import random
import sys

sys.dont_write_bytecode = True  # tests add no file to the tree

import nvt
from nvt import ADMIN, MS, START, TIMEOUT, queue, with_names

US = 1000
S = 1_000_000_000
READ, WRITE, FLUSH, TRIM = 2, 1, 0, 9
PG = {"comm": "postgres", "pid": 2107, "bytes": 8192}
TAR = {"comm": "tar", "pid": 3406, "bytes": 131072}


def members_of(comm, pid=0, **others):
    raw = comm.encode().ljust(16, b"\0")
    both = {"comm_lo": int.from_bytes(raw[:8], "little"), "comm_hi": int.from_bytes(raw[8:], "little")}
    return both | {"pid": pid, "tid": pid, "sched": 0} | others


class Scene:
    def __init__(self):
        self.commands = []
        self.dice = random.Random(1)

    def one(self, at, lat, **members):
        """A command that is sent at so many ns, and takes so many."""
        ts = START + round(at) + round(lat)
        self.commands.append({"ts": ts, "submit_ns": START + round(at)} | members_of(**members))

    def stream(self, lat, begin=0, end=10, every=5 * MS, **members):
        """One command each `every` ns. lat: ns, or a function of the time in seconds and the number."""
        n = round((end - begin) * S / every)
        for i in range(n):
            at = begin * S + i * every
            ns = lat(at / S, i) if callable(lat) else lat
            place = {"cdw10": 16 * self.dice.randrange(1 << 17), "cdw12": 15}
            self.one(at + 1000, ns * (1 + (i * 7 % 11 - 5) / 100), **(place | members))

    def write(self, path, counters=None, **names):
        f = with_names(path, **names)
        for command in sorted(self.commands, key=lambda c: c["ts"]):
            f.add(**command)
        f.end(**(counters or {}))


def crowd(s, depth, lat, begin, end, **members):
    """So many commands in flight all the time, each of which takes so long."""
    for i in range(depth):
        s.stream(lat, begin + i * lat / depth / S, end, lat, **members)


def two_levels(slow_ns, where):
    return lambda t, i: slow_ns if where(t) else 100 * US


def quiet(path):
    s = Scene()
    s.stream(100 * US, **PG)
    s.write(path)


def slow(begin, end, us, path):
    """Reads take so many us from `begin` to `end`, and nobody did it."""
    s = Scene()
    s.stream(two_levels(float(us) * US, lambda t: float(begin) <= t < float(end)), **PG)
    s.write(path)


def scan(path):
    """One block after the other is read, and the drive is slow for a second of it."""
    s = Scene()
    s.stream(lambda t, i: (300 if 4 <= t < 5 else 100) * US, **PG)
    for i, command in enumerate(s.commands):
        command["cdw10"] = 16 * i
    s.write(path)


def first(path):
    """Reads are slow from 4 to 6 s. The first ten wait for something, too."""
    s = Scene()
    s.stream(lambda t, i: 4 * MS if i < 10 else 10 * MS if 4 <= t < 6 else 100 * US, **PG)
    s.write(path)


def neighbour(nsid, innocent, path):
    """
    tar reads from 4 to 6 s, of namespace `nsid`; meanwhile reads wait. `innocent` begins a second later, and stays; `mouse` comes and
    goes with tar, but reads little.
    """
    s = Scene()
    s.stream(two_levels(10_500 * US, lambda t: 4 <= t < 6), **PG)
    crowd(s, 16, 10_000 * US, 4, 6, **TAR, queue=int(nsid) - 1, nsid=int(nsid))
    if innocent == "mouse":
        s.stream(10_000 * US, 4, 6, 25 * MS, comm=innocent, pid=55, bytes=4096)
    elif innocent != "none":
        s.stream(100 * US, 7, 10, comm=innocent, pid=55, bytes=8192)
    s.write(path, queues=[queue(i, nsid=i + 1, dev=f"nvme0n{i + 1}") for i in range(2)])


def both(path):
    """Two come from 4 s to 7 s, the scheduler changes when they do, and reads wait."""
    s = Scene()
    s.stream(two_levels(9000 * US, lambda t: 4 <= t < 7), **PG)
    crowd(s, 16, 10_000 * US, 4, 7, **TAR)
    crowd(s, 8, 10_000 * US, 4, 7, comm="restore", pid=55, bytes=131072, opcode=WRITE)
    for command in s.commands:
        command["sched"] = int(command["submit_ns"] >= START + 4 * S)
    s.write(path)


def together(path):
    """Three processes wait at the same time."""
    s = Scene()
    for i, comm in enumerate(("postgres", "mysqld", "redis")):
        s.stream(two_levels(1000 * US, lambda t: 4 <= t < 6), i / 1000, comm=comm, pid=50 + i, bytes=8192)
    s.write(path)


def late(path):
    """The drive slows at 4.0 s; `late` begins at 7.5 s."""
    s = Scene()
    s.stream(two_levels(800 * US, lambda t: t >= 4), **PG)
    s.stream(800 * US, 7.5, 10, 4 * MS, comm="late", pid=66, bytes=8192)
    s.write(path)


def again(path):
    """Slow for a half second of each two."""
    s = Scene()
    s.stream(two_levels(1500 * US, lambda t: t % 2 >= 1.5 and t < 9), **PG)
    s.write(path)


def ramp(path):
    s = Scene()
    s.stream(lambda t, i: 100 * US * (1 + max(0, t - 4) ** 2), **PG)
    s.write(path)


def pauses(times, path):
    """Nothing ends for half a second, so many times, every two seconds; reads are one after the other."""
    s, at = Scene(), 0
    stops = [2 * S * (i + 1) for i in range(int(times))]
    while at < 10 * S:
        lat = 100 * US
        if stops and at >= stops[0]:
            stops.pop(0)
            lat = 500 * MS
        s.one(at, lat, **PG, cdw10=at // 5000000 * 16, cdw12=15)
        at += max(5 * MS, lat)
    s.write(path)


def hung(how, seconds, path):
    """One read of dd takes so long: it completes, is aborted, fails, or is in flight at the end."""
    s = Scene()
    s.stream(100 * US, end=14, **PG)
    status = {"completed": 0, "aborted": 7, "failed": 0x281}
    if how != "inflight":
        s.one(2 * S, float(seconds) * S, comm="dd", pid=77, bytes=4096, cdw10=800, cdw12=7, status=status[how])
    left = {"inflight_at_exit": 1, "oldest_ns": round(float(seconds) * S), "submitted": len(s.commands) + 1}
    s.write(path, left if how == "inflight" else None)


def overload(depth, processes, path):
    """backup keeps so many reads of 128K in flight all the time; those of webapp take as long behind them."""
    s = Scene()
    lat = int(depth) * 2 * MS
    for i in range(int(processes)):
        crowd(s, int(depth) // int(processes), lat, 0, 10, comm="backup", pid=77 + i, bytes=131072)
    s.stream(lat, every=100 * MS, comm="webapp", pid=81, bytes=4096)
    s.write(path)


def wait(ms, sched, path):
    """Reads of `capped` wait so many ms in the block layer, those of `free` do not."""
    s = Scene()
    for comm, pid, us in (("capped", 50, 1000 * float(ms)), ("free", 51, 3)):
        for i in range(400):
            at = i * 25 * MS + pid * MS + 100 * MS
            s.one(at, 100 * US, comm=comm, pid=pid, bytes=4096, queued_ns=START + at - round(us * US), sched=int(sched == "mq-deadline"))
    s.write(path)


def tail(each, ms, path):
    """One of so many reads takes so many ms."""
    s = Scene()
    s.stream(lambda t, i: float(ms) * MS if i * 31 % int(each) == 3 else 100 * US, **PG)
    s.write(path)


def spells(path):
    """One of three reads takes 20 ms, for half a second each three."""
    s = Scene()
    s.stream(lambda t, i: 20 * MS if t % 3 < 0.5 and i % 3 == 1 else 100 * US, **PG)
    s.write(path)


def stops(late, lasts, path):
    """The drive does nothing for so many ms, twice; get-log is sent when it begins to, or so many ms later, and ends with that."""
    s = Scene()
    lasts = int(lasts) / 1000
    for begin in (2.0, 7.0):
        at = round(begin * S) + int(late) * MS
        s.one(at, (begin + lasts) * S - at, comm="smartd", pid=9, flags=ADMIN, queue=1, qid=0, nsid=0, opcode=2, bytes=512)
    s.stream(lambda t, i: max(100 * US, *(((b + lasts - t) * S if b <= t < b + lasts else 0) for b in (2.0, 7.0))), **PG)
    s.write(path)


def grows(path):
    """tar has more and more reads in flight from 4 s on, and reads of all wait for them; it has read a little before."""
    s = Scene()
    s.stream(lambda t, i: 100 * US * (1 + max(0, t - 4) ** 2), **PG)
    s.stream(1 * MS, 0, 4, 100 * MS, **TAR)
    for i in range(12):
        begin = 4 + i / 2
        s.stream(lambda t, i: 1 * MS * (1 + max(0, t - 4) ** 2), begin, 10, 40 * MS, **TAR)
    s.write(path)


def joins(path):
    """A drive that slows ever more from 3 s on; late (50) reads from 6 s on, always as much, and waits as well."""
    s = Scene()
    s.stream(lambda t, i: 100 * US * (1 + max(0, t - 3)), **PG)
    s.stream(lambda t, i: 100 * US * (1 + max(0, t - 3)), 6, 10, 4 * MS, comm="late", pid=50, bytes=8192)
    s.write(path)


def queues_of(path):
    """One of four queues takes four times as long."""
    s = Scene()
    for q in range(4):
        s.stream((400 if q == 2 else 100) * US, q * 5 * MS / S, every=20 * MS, **PG, qid=q + 1, queue=q)
    s.write(path, queues=[queue(q) for q in range(4)])


def namespaces(path):
    """The same reads of two namespaces, one of which takes four times as long."""
    s = Scene()
    for nsid in (1, 2):
        s.stream((400 if nsid == 2 else 100) * US, nsid * 0.01, every=20 * MS, **PG, nsid=nsid, queue=nsid - 1)
    s.write(path, queues=[queue(i, nsid=i + 1, dev=f"nvme0n{i + 1}") for i in range(2)])


def sizes(path):
    """Healthy: 4K of n1, 512K of n2, and then n1 is read in 512K as well."""
    s = Scene()
    both = [queue(i, nsid=i + 1, dev=f"nvme0n{i + 1}") for i in range(2)]
    s.stream(100 * US, end=5, comm="fio", pid=7, bytes=4096)
    s.stream(1000 * US, begin=5, comm="fio", pid=7, bytes=524288)
    s.stream(1000 * US, comm="fio", pid=7, bytes=524288, nsid=2, queue=1)
    s.write(path, queues=both)


def admin(path):
    """Healthy: reads differ much, and get-log comes now and then without any effect."""
    s = Scene()
    s.stream(lambda t, i: 100 * US * s.dice.lognormvariate(0, 1), **PG)
    for i in range(100):
        s.one(i * 97 * MS + 1, 3 * MS, comm="smartd", pid=9, flags=ADMIN, queue=1, qid=0, nsid=0, opcode=2, bytes=512)
    s.write(path)


def got(path):
    """get-log is in flight nearly all the time from 5 s on, and reads are slow then."""
    s = Scene()
    s.stream(two_levels(900 * US, lambda t: t >= 5), **PG)
    s.stream(45 * MS, 5, 10, 50 * MS, comm="smartd", pid=9, flags=ADMIN, queue=1, qid=0, nsid=0, opcode=2, bytes=512)
    s.write(path)


def sched(path):
    s = Scene()
    s.stream(100 * US, end=5, **PG)
    s.stream(900 * US, begin=5, **PG)
    for command in s.commands:
        command["sched"] = int(command["submit_ns"] >= START + 5 * S)
    s.write(path)


def depth(path):
    """Its own wish: since 5 s it sends eight at once, and each takes longer by that."""
    s = Scene()
    s.stream(100 * US, end=5, **PG)
    crowd(s, 8, 800 * US, 5, 6.5, **PG)
    s.write(path)


def flushes(share, path):
    """So much of the time of all commands is that of flushes, by mydb."""
    s = Scene()
    s.stream(100 * US, every=10 * MS, **PG)
    s.stream(100 * US * float(share) / (1 - float(share)), every=10 * MS, comm="mydb", pid=12, opcode=FLUSH, bytes=0)
    s.write(path)


def trims(path):
    s = Scene()
    s.stream(100 * US, every=10 * MS, **PG)
    s.stream(200 * US, every=50 * MS, comm="fstrim", pid=12, opcode=TRIM, bytes=0, cdw11=4)
    s.write(path)


def writeback(path):
    s = Scene()
    s.stream(100 * US, every=10 * MS, **PG)
    s.stream(300 * US, every=50 * MS, comm="kworker/u8:1", pid=12, opcode=WRITE, bytes=65536, flags=nvt.WORKER)
    s.write(path)


def retried(count, path):
    s = Scene()
    s.stream(100 * US, **PG)
    for command in s.commands[: int(count)]:
        command["retries"] = 1
    s.write(path)


def troubles(name, path):
    """A device whose name is `name`, of which each kind of command in a sentence is said: as one would print and paste it."""
    s = Scene()
    s.stream(lambda t, i: 100 * US * (9 if t >= 5 else 1) * (4 if i % 4 == 3 else 1), **PG)
    for i, command in enumerate(s.commands):
        command |= {"queued_ns": command["submit_ns"] - 9 * MS, "retries": int(i % 5 == 0), "status": 0x281 if i % 7 == 3 else 0}
    s.stream(300 * US, every=10 * MS, comm="mydb", pid=12, opcode=FLUSH, bytes=0)
    s.stream(300 * US, every=20 * MS, comm="fstrim", pid=13, opcode=TRIM, bytes=0)
    s.write(path, queues=[queue(0, dev=name, disk=name), queue(1, ctrl=0, nsid=0, dev="nvme0", admin=1, disk="")])


def paths(name, path):
    """A device of this name, one of whose two paths is left at 2 s."""
    s = Scene()
    s.stream(100 * US, **PG)
    for i, command in enumerate(s.commands):
        command["queue"] = i % 2 if i < 400 else 1
    s.write(path, queues=[queue(i, ctrl=i, name=f"nvme{i}", dev=name, disk=name, path=f"nvme0c{i}n1") for i in range(2)])


def hosts(path):
    """Two hosts with controllers of one name; the reads of one of them become slow, and some fail."""
    s = Scene()
    s.stream(100 * US, **PG)
    s.stream(two_levels(2 * MS, lambda t: t >= 5), **PG, queue=1)
    for command in s.commands[-5:]:
        command["status"] = 0x281
    s.write(path, hosts="several", queues=[queue(i, host=f"host-{'ab'[i]}") for i in range(2)])


def timeouts(path):
    s = Scene()
    s.stream(100 * US, **PG)
    f = with_names(path)
    for command in sorted(s.commands, key=lambda c: c["ts"]):
        f.add(**command)
    f.add(START + 10 * S, kind=TIMEOUT)
    f.end()


def none(path):
    with_names(path).end()


def lacking(path):
    """A recording without -Q and --keys."""
    s = Scene()
    s.stream(100 * US, **PG)
    s.write(path, needs=nvt.NEEDS.replace(",queued", "").replace(",owner", "").replace(",sched", ""))


def whole(us, size, path):
    """Reads that all take so many us, of so many bytes."""
    s = Scene()
    s.stream(float(us) * US, every=2 * MS, **(PG | {"bytes": int(size)}))
    s.write(path)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
