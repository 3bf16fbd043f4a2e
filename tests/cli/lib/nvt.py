#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes recordings that no run of nvmetool makes: lib/record/format.h has the format.

usage: nvt.py keys                          prints the names that `unknown` takes
       nvt.py unknown NAME FILE             events of every kind; NAME is not known of any of them
       nvt.py deep COMMANDS INFLIGHT FILE   commands of which so many are in flight all the time
       nvt.py back COMMANDS FILE            commands each of which completed before the one in front of it
       nvt.py times NS,NS... FILE           commands that completed so long after the start
       nvt.py hung N FILE                   ten commands, and N that are in flight when the run ends after 8 s
       nvt.py start NS WALL FILE            a recording that begins at NS, with that offset of the wall clock
       nvt.py wall SECOND... FILE           commands that completed at these seconds since 1970
       nvt.py back_an_hour FILE             two commands, between which the wall clock was set back
       nvt.py counters NAME=N... FILE       ten commands, and counters that say otherwise
       nvt.py slow NS N FILE                N commands that took NS each
       nvt.py jump NS FILE                  a hundred blocks, of which all after the 50th are so much later
       nvt.py admin FILE                    as many admin commands as reads
       nvt.py trims FILE                    trims of one range each and one of two, of a disk with two partitions
       nvt.py status N... FILE              a read for each of these statuses
       nvt.py cgroups FILE                  cgroups whose numbers fell into one slot of a table without a key
       nvt.py parts WHAT FILE               reads, of which those of one cpu, path or region are slow; or of a scan's end
       nvt.py step WHAT FILE                reads that become slow when sched changes, admin commands come, or depth rises
       nvt.py limits BYTES PHYSICAL CHUNK FILE    reads that do not keep to these limits of the drive
       nvt.py queues N FILE                 a dictionary of N queues, more than a reader takes
"""

import struct
import sys
import zlib

COLUMNS = {
    "ts_ns": 8, "submit_ns": 8, "queued_ns": 8, "kind": 1, "flags": 1, "queue": 4, "opcode": 1, "fctype": 1, "qid": 2,
    "nsid": 4, "bytes": 4, "submit_cpu": 2, "complete_cpu": 2, "cid": 2, "tag": 2, "sqe_flags": 1, "cdw10": 4,
    "cdw11": 4, "cdw12": 4, "cdw13": 4, "cdw14": 4, "cdw15": 4, "status": 2, "result": 8, "retries": 1, "cmd_flags": 4,
    "pid": 4, "tid": 4, "comm_lo": 8, "comm_hi": 8, "cgroup_id": 8, "kstack_id": 4, "ustack_id": 4, "owner_id": 8,
    "sched": 1, "during": 2, "syncers": 1, "syncer_pid": 4, "syncer_comm_lo": 8, "syncer_comm_hi": 8,
}  # fmt: skip
NEEDS = (
    "io,pid,comm,cgroup,status,result,sqe,cmd_flags,cpu,complete,queued,kstack,ustack,owner,sched,during,aer,sq,"
    "timeouts,resets,flushes,syncer"
)
HEAD, QUEUES, CGROUPS, STACKS, EVENTS, END, SCHEDS = range(1, 8)
IO, SUBMIT, COMPLETE, AER, SQ, TIMEOUT, RESET, _, FLUSH, _, INFLIGHT = range(1, 12)
ADMIN, WORKER, NO_SUBMIT, NO_STATUS, RANGE = 1, 2, 16, 32, 64
START, WALL = 4_000_000_000, 1_700_000_000_000_000_000
MS = 1_000_000
BLOCK_EVENTS = 8192
EVENT = {
    "kind": IO, "opcode": 2, "qid": 1, "nsid": 1, "bytes": 4096, "pid": 77, "tid": 77, "cgroup_id": 10, "owner_id": 11,
    "comm_lo": int.from_bytes(b"fio\0\0\0\0\0", "little"), "kstack_id": 1, "ustack_id": 2, "sched": 1, "during": 3,
}  # fmt: skip


def text(s):
    raw = s.encode()
    return struct.pack("<H", len(raw)) + raw


def queue(number, ctrl=0, nsid=1, name="nvme0", dev="nvme0n1", admin=0, disk="nvme0n1", path="", host="", limits=(512, 0, 0, 0)):
    return (
        struct.pack("<IiIIIII", number, ctrl, nsid, 259, number, 512, admin)
        + text(disk) + text(name) + text(dev) + text(path) + struct.pack("<IIII", *limits) + text(host)
    )  # fmt: skip


def stack(number, frame):
    return struct.pack("<IIQ", number, 1, 0xFFFFFFFF81000000 + number) + text(frame)


class File:
    def __init__(self, path, **head):
        self.out = open(path, "wb")
        self.out.write(b"NVMETOOL" + struct.pack("<II", 1, 0))
        lines = [f"column={name},{size}" for name, size in COLUMNS.items()]
        known = {"version": "0.1.0", "host": "host-p", "kernel": "6.1.0", "arch": "x86_64", "start_ns": START,
                 "wall_offset_ns": WALL, "needs": NEEDS, "filters": "{}", "ctrls": "[]"}  # fmt: skip
        known.update(head)
        self.wall = known["wall_offset_ns"]
        self.block(HEAD, 0, "\n".join(lines + [f"{k}={v}" for k, v in known.items() if v is not None]).encode() + b"\n")
        self.events = []
        self.commands = 0

    def block(self, kind, count, payload):
        head = struct.pack("<IIIII", 0x42564E9E, kind, len(payload), count, zlib.crc32(payload))
        self.out.write(head + struct.pack("<I", zlib.crc32(head)) + payload)

    def names(self, kind, entries):
        raw = b"".join(struct.pack("<I", len(entry)) + entry for entry in entries)
        self.block(kind, len(entries), struct.pack("<I", len(raw)) + zlib.compress(raw))

    def add(self, ts, **members):
        event = dict(EVENT, ts_ns=ts, submit_ns=max(ts - 10_000, 0)) | members
        self.commands += event["kind"] == IO
        self.events.append(event)
        if len(self.events) == BLOCK_EVENTS:
            self.flush()

    def flush(self):
        heads, bodies = b"", b""
        for name in COLUMNS:
            values = [event.get(name, 0) for event in self.events]
            if len(set(values)) == 1:
                heads += struct.pack("<BBBBIQ", 0, 0, 0, 0, 0, values[0])
                continue
            body = struct.pack(f"<{len(values)}Q", *values)
            packed = zlib.compress(body, 1)
            heads += struct.pack("<BBBBIQ", 0, 8, 1, 0, len(packed), 0)
            bodies += packed
        if self.events:
            head = struct.pack("<qII", self.wall, len(COLUMNS), 0)
            self.block(EVENTS, len(self.events), head + heads + bodies)
        self.events = []

    def end(self, **counters):
        self.flush()
        n = self.commands
        known = {"submitted": n, "completed": n, "paired": n, "emitted": n, "recursion_known": 1, "events": 1}
        known.update(counters)
        self.block(END, 0, "".join(f"{k}={v}\n" for k, v in known.items()).encode())
        self.out.close()


def with_names(path, queues=None, cgroups=True, stacks=True, scheds=True, **head):
    f = File(path, **head)
    f.names(QUEUES, [queue(0), queue(1, nsid=0, dev="nvme0", admin=1, disk="")] if queues is None else queues)
    if cgroups:
        f.names(CGROUPS, [struct.pack("<Q", 10) + text("/db"), struct.pack("<Q", 11) + text("/batch")])
    if stacks:
        f.names(STACKS, [stack(1, "submit_bio+0x10"), stack(2, "main+0x10 (/bin/db)")])
    if scheds:
        f.names(SCHEDS, [struct.pack("<I", 1) + text("mq-deadline")])
    return f


# How each thing is made unknown: names that the file has not, members of all its events.
UNKNOWN = {
    "nothing": ({}, {}),
    "queue": ({"queues": []}, {}),
    "ctrl": ({"queues": [queue(0, ctrl=-1), queue(1, ctrl=-1, nsid=0, dev="nvme0", admin=1, disk="")]}, {}),
    "ctrl-name": ({"queues": [queue(0, name=""), queue(1, name="", nsid=0, admin=1)]}, {}),
    "dev": ({"queues": [queue(0, dev="", disk=""), queue(1, dev="", disk="", nsid=0, admin=1)]}, {}),
    "disk": ({"queues": [queue(0, disk=""), queue(1, disk="", nsid=0, dev="nvme0", admin=1)]}, {}),
    "nsid": ({"queues": [queue(0, nsid=0), queue(1, nsid=0, dev="nvme0", admin=1, disk="")]}, {"nsid": 0}),
    "opcode": ({}, {"opcode": 0xC7, "fctype": 0x77}),
    "fctype": ({}, {"opcode": 0x7F, "fctype": 0x77}),
    "comm": ({}, {"comm_lo": 0}),
    "pid": ({}, {"pid": 0, "tid": 0, "flags": 2}),
    "cgroup": ({}, {"cgroup_id": 0}),
    "cgroup-name": ({"cgroups": False}, {}),
    "owner": ({}, {"owner_id": 0}),
    "sched": ({}, {"sched": 0xFF}),
    "sched-name": ({"scheds": False}, {}),
    "during": ({}, {"during": 0xFFFF}),
    "status": ({}, {"flags": NO_STATUS, "status": 0}),
    "status-name": ({}, {"status": 0x5F7}),
    "stacks": ({"stacks": False}, {}),
    "stack": ({}, {"kstack_id": 0, "ustack_id": 0}),
    "queued": ({}, {"queued_ns": 0}),
    "host": ({"host": None}, {}),
    "kernel": ({"kernel": None, "arch": None, "version": None}, {}),
    "about": ({"filters": None, "ctrls": None}, {}),
    "head": ({"filters": None, "ctrls": None, "host": None, "kernel": None, "arch": None, "version": None}, {}),
    "cpu": ({"needs": NEEDS.replace(",cpu", "")}, {}),
    "cpu": ({"needs": NEEDS.replace(",cpu", "")}, {}),
    "needs": ({"needs": "io,status,complete"}, {}),
}


def add_kinds(f, unknown):
    for i in range(40):
        ts = START + (i + 1) * MS
        event = {
            "queued_ns": ts - 20_000, "status": 0x281 if i % 10 == 3 else 0, "cdw10": 8 * i, "cdw12": 7,
            "opcode": 1 + i % 2, "tag": i, "cid": i,
        }  # fmt: skip
        if i % 5 == 4:
            event |= {"flags": ADMIN, "queue": 1, "qid": 0, "opcode": 6, "bytes": 0}
        flags = event.get("flags", 0) | unknown.get("flags", 0)
        f.add(ts, **(event | unknown | {"flags": flags}))
    ts = START + 41 * MS
    f.add(ts, kind=COMPLETE, **(unknown | {"flags": NO_SUBMIT | unknown.get("flags", 0)}))
    for kind in (AER, RESET):
        f.add(ts, kind=kind, **(unknown | {"queue": 1, "result": 0x10203}))
    for kind in (SQ, TIMEOUT, FLUSH):
        f.add(ts, kind=kind, **unknown)


def unknown(name, path):
    names, members = UNKNOWN[name]
    f = with_names(path, **names)
    add_kinds(f, members)
    f.end(completed=41, before_attach=1)


def deep(commands, inflight, path):
    f = with_names(path)
    for i in range(int(commands)):
        ts = START + (i + 1) * 1000
        f.add(ts, submit_ns=max(ts - int(inflight) * 1000 - i % 7, START), cdw10=8 * i % (1 << 32), tag=i % 4096)
    f.end()


def back(commands, path):
    f = with_names(path)
    for i in range(int(commands), 0, -1):
        f.add(START + i * 1000)
    f.end()


def times(list_of_ns, path):
    f = with_names(path)
    for ns in list_of_ns.split(","):
        f.add(START + int(ns), submit_ns=START + max(int(ns) - 10_000, 0))
    f.end()


def hung(count, path):
    f = with_names(path)
    for i in range(10):
        f.add(START + (i + 1) * MS)
    for i in range(int(count)):
        f.add(START + 8000 * MS, submit_ns=START + (20 + 10 * i) * MS, kind=INFLIGHT, tag=i, cid=i, cdw10=8 * i, bytes=4096,
              opcode=1 + i % 2, pid=100 + i)
    f.end(submitted=10 + int(count), inflight_at_exit=int(count), oldest_ns=7980 * MS if int(count) else 0)


def start(ns, wall, path):
    f = with_names(path, start_ns=int(ns), wall_offset_ns=int(wall))
    for i in range(10):
        f.add((int(ns) + (i + 1) * MS) % (1 << 64))
    f.end()


def wall(*words):
    *seconds, path = words
    first = int(seconds[0])
    f = with_names(path, wall_offset_ns=first * 10**9 - START)
    for second in seconds:
        f.add(START + (int(second) - first) * 10**9)
    f.end()


def back_an_hour(path):
    f = with_names(path)
    f.add(START + MS)
    f.flush()
    f.wall -= 3600 * 10**9
    f.add(START + 2 * MS)
    f.end()


def counters(*words):
    *pairs, path = words
    f = with_names(path)
    for i in range(10):
        f.add(START + (i + 1) * MS)
    f.end(**dict(pair.split("=") for pair in pairs))


def slow(ns, count, path):
    f = with_names(path)
    for i in range(int(count)):
        f.add(START + int(ns) + i, submit_ns=START + i)
    f.end()


def jump(ns, path):
    f = with_names(path)
    for i in range(100):
        f.add(START + (i + 1) * MS + (int(ns) if i >= 50 else 0))
        f.flush()
    f.end()


def admin(path):
    f = with_names(path)
    for i in range(20):
        f.add(START + (i + 1) * MS, **({"flags": ADMIN, "queue": 1, "qid": 0, "opcode": 6} if i % 2 else {}))
    f.end()


def trims(path):
    """Blocks 0 to 7, 1024 to 1031, 2048 to 4095; partitions from 1024 and 2048 on."""
    f = with_names(path, partitions="nvme0n1p1 259:1 0 1 1024-2047,nvme0n1p2 259:2 0 1 2048-8191")
    for i, (first, blocks) in enumerate([(0, 8), (1024, 8), (2048, 2048)]):
        f.add(START + (i + 1) * MS, opcode=9, flags=RANGE, cdw11=4, cdw12=first, cdw14=blocks * 512)
    f.add(START + 4 * MS, opcode=9, cdw10=1, cdw11=4)
    f.add(START + 5 * MS, cdw10=2050, cdw12=7)
    f.end()


def status(*words):
    *statuses, path = words
    f = with_names(path)
    for i, value in enumerate(statuses):
        f.add(START + (i + 1) * MS, status=int(value, 0))
    f.end()


def cgroups(events, path):
    """Multiplied by the inverse of what a table without a key multiplies by, numbers have one slot."""
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    ids = [inverse * (i | 5 << 32 | i << 48) % (1 << 64) for i in range(1, 32761)]
    f = with_names(path, cgroups=False)
    for at in range(0, len(ids), 8192):
        f.names(CGROUPS, [struct.pack("<Q", number) + text("/c") for number in ids[at : at + 8192]])
    for i in range(int(events)):
        f.add(START + (i + 1) * 1000, cgroup_id=ids[-1 - i % 2])
    f.end()


def queues(n, path):
    """Queues that all differ, each of another host."""
    f = with_names(path)
    for at in range(0, int(n), 4096):
        f.names(QUEUES, [queue(i % 4096, nsid=i + 1, name="n", dev="d", disk="", host=str(i)) for i in range(at, at + 4096)])
    for i in range(10):
        f.add(START + (i + 1) * MS)
    f.end()


def drives(slow, model, path):
    """Four drives, the last of MODEL, which takes SLOW times as long; and one that gets four times as many commands."""
    models = ["A", "A", "A", model, "A"]
    ctrls = "\x1e".join("\x1f".join([str(i), f"nvme{i}", "pcie", m, f"s{i}", "1"]) for i, m in enumerate(models))
    f = with_names(path, ctrls=ctrls, queues=[queue(i, ctrl=i, name=f"nvme{i}", dev=f"nvme{i}n1") for i in range(5)])
    for i in range(100 * 8):
        drive = min(i % 8, 4)
        lat = 50_000 * (int(slow) if drive == 3 else 1) + 1000 * (i % 7)
        f.add(START + (i + 1) * MS, submit_ns=START + (i + 1) * MS - lat, queue=drive, cdw10=8 * i)
    f.end()


def paths(left, path):
    """A device with two paths, which commands take in turn; one of them no more after LEFT of 200 commands."""
    f = with_names(path, queues=[queue(i, ctrl=i, name=f"nvme{i}", path=f"nvme0c{i}n1") for i in range(2)])
    for i in range(200):
        f.add(START + (i + 1) * MS, queue=i % 2 if i < int(left) else 1, cdw10=8 * i)
    f.end()


def parts(what, path):
    """400 reads, of which one of four takes 200 us, 50 us the others: those of a CPU, a region, or (of two) a path. Those of a
    scan are in the last region, but all at the end."""
    f = with_names(path, queues=[queue(i, ctrl=i, name=f"nvme{i}", path=f"nvme0c{i}n1") for i in range(2)])
    for i in range(400):
        part = i // 100 if what == "scan" else i % 4
        members = {"submit_cpu": part} if what == "cpu" else {}
        if what == "path":
            members = {"queue": int(part == 3), "qid": 1 + i // 4 % 2}
        place = part * 1_000_000 if what in ("region", "scan") else 0
        lat = (200_000 if part == 3 else 50_000) + 1000 * (i % 7)
        f.add(START + (i + 1) * MS, submit_ns=START + (i + 1) * MS - lat, cdw10=place + 8 * i, **members)
    f.end()


def step(what, path):
    """400 reads, the second half ten times as slow; from then on `what` is different: sched, admin commands, or depth."""
    f = with_names(path)
    for i in range(400):
        late = i >= 200
        lat = (4_000_000 if what == "depth" else 500_000) if late else 50_000
        at = START + (i + 1) * MS
        f.add(at, submit_ns=max(at - lat - 1000 * (i % 7), START), cdw10=8 * i, sched=int(late) if what == "sched" else 0)
        if what == "admin" and late and i % 5 == 0:
            f.add(at, submit_ns=at - 4 * MS, flags=ADMIN, queue=1, qid=0, nsid=0)
    f.end()


def limits(bytes_of_a_read, physical, chunk, path):
    """200 reads of so many bytes, one behind the other from block 4 on, of a drive with these limits."""
    size = int(bytes_of_a_read)
    f = with_names(path, queues=[queue(0, limits=(int(physical), 0, 0, int(chunk)))])
    for i in range(200):
        f.add(START + (i + 1) * MS, bytes=size, cdw10=4 + size // 512 * i, cdw12=size // 512 - 1)
    f.end()


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print("\n".join(UNKNOWN))
    else:
        globals()[sys.argv[1]](*sys.argv[2:])
