# SPDX-License-Identifier: GPL-2.0-or-later
# tty.py LINES COLUMNS PROGRAM ARG...: runs it with its output on a terminal of that size and prints what came; SIGINT is
# for the program.
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios

lines, columns = int(sys.argv[1]), int(sys.argv[2])
ours, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
program = subprocess.Popen(sys.argv[3:], stdout=theirs, close_fds=False)
signal.signal(signal.SIGINT, lambda *_: program.send_signal(signal.SIGINT))
os.close(theirs)
text = b""
while True:
    try:
        piece = os.read(ours, 65536)
    except OSError:  # EIO: the last one that had it open is gone
        break
    text += piece
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(program.wait())
