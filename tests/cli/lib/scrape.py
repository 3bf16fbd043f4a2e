# SPDX-License-Identifier: GPL-2.0-or-later
# For bats: clients that no library would be.
#
# usage: scrape.py raw PORT [half]     sends standard input, prints what comes back; half: closes its side first
#        scrape.py idle PORT          sends nothing, prints after how many whole seconds it was closed
#        scrape.py crowd PORT PID     every kind of abuse at once, and scrapes beside it; prints what went wrong
import os
import re
import socket
import sys
import time


def connect(port):
    s = socket.create_connection(('127.0.0.1', port), 10)
    s.settimeout(10)
    return s


def read_all(s):
    parts = []
    try:
        while part := s.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b''.join(parts)


def raw(port, half):
    s = connect(port)
    try:
        s.sendall(sys.stdin.buffer.read())
    except (BrokenPipeError, ConnectionResetError):
        pass
    if half:
        s.shutdown(socket.SHUT_WR)
    sys.stdout.buffer.write(read_all(s))


def scrape(port):
    start = time.monotonic()
    s = connect(port)
    s.sendall(b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')
    answer = read_all(s)
    seconds = time.monotonic() - start
    # What the process takes changes, and with it the length.
    return seconds, re.sub(rb'\nContent-Length: [0-9]+|\nprocess_.*', b'', answer)


def resident(pid):
    with open(f'/proc/{pid}/status') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmRSS'))


def crowd(port, pid):
    seconds, good = scrape(port)
    before = resident(pid)
    fds = len(os.listdir(f'/proc/{pid}/fd'))
    held = []
    worst = seconds
    for i in range(1000):
        s = connect(port)
        s.setblocking(False)
        kind = i % 5
        try:
            if kind == 1:
                s.send(b'GET /metrics HTTP/1.1\r\nA: ')  # and never the rest
            elif kind == 2:
                s.send(b'GET /metrics HTTP/1.1\r\n\r\n')  # and reads nothing
            elif kind == 3:
                s.send(b'G' * 65536)
            elif kind == 4:
                s.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError, BlockingIOError):
            pass
        held.append(s)
        if i % 50 == 49:
            seconds, answer = scrape(port)
            worst = max(worst, seconds)
            if answer != good:
                print(f'after {i + 1} connections: {answer[:200]!r}')
    slow = held[:200]
    for _ in range(20):  # a byte at a time
        for s in slow:
            try:
                s.send(b'x')
            except OSError:
                pass
        seconds, answer = scrape(port)
        worst = max(worst, seconds)
        if answer != good:
            print(f'beside slow ones: {answer[:200]!r}')
    grown = resident(pid) - before
    more = len(os.listdir(f'/proc/{pid}/fd')) - fds
    if worst >= 1:
        print(f'a scrape took {worst:.2f} s')
    if grown > 2048:
        print(f'memory grew by {grown} KiB')
    if more > 8:
        print(f'{more} descriptors more')
    for s in held:
        s.close()


def idle(port):
    start = time.monotonic()
    if not read_all(connect(port)):
        print(int(time.monotonic() - start))


if sys.argv[1] == 'raw':
    raw(int(sys.argv[2]), len(sys.argv) > 3)
elif sys.argv[1] == 'idle':
    idle(int(sys.argv[2]))
else:
    crowd(int(sys.argv[2]), int(sys.argv[3]))
