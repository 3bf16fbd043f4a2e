#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs what completion offers: no option and no value of an option may be refused.

usage: offers.py NVMETOOL RECORDING ANOTHER COMMAND

Lines of the command, each with other options on it, are completed: options, then the values of
each option. Each line is then run. Where it lacks another word, the message has to say which, and
with that word the line has to run. A last part looks from the other side: an option of the help
that is not offered has to be refused.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOOL, FILE, OTHER, COMMAND = sys.argv[1:5]
DIR = tempfile.mkdtemp(prefix="offers.")
numbers = itertools.count()

# Lines to complete; a recording stands before each where the command replays.
LINES = {
    "trace": ["", "--show submit", "--status ok", "-E", "-f kernel", "--flushes", "-j", "--csv --columns ts"],
    "latency": ["", "-f svg", "-H heat", "-H heat 1", "-H rows", "-H rows --csv", "--phases", "--by dev",
                "--columns count", "-e", "--fail-if read.p99>5ms", "-j --hist-bits 4"],
    "stacks": ["", "-f svg", "-f folded", "-u", "--hist", "--by opcode", "--columns count", "--csv"],
    "errors": ["", "-s", "-s --by dev", "-k", "-f kernel", "-j", "-a"],
    "pattern": ["", "-a", "-K -j", "--at issue", "--at complete", "--by during", "--fail-if errors>0", "-L 1ms"],
    "inflight": ["--at 1s", "--at 1s -j", "--at 1s --columns ctrl"],
    "top": ["", "--view dev", "--by opcode", "-b", "-j", "--csv 1 2"],
    "record": ["-w {}/%t.nvt", "-w {}/%t.nvt -k"],
    "export": ["-f fio", "-f hdr", "-f chrome", "-f blktrace -w {}/x.blktrace.0", "-f fio -w {}/fio"],
    "metrics": ["-w {}/x.prom", "-w {}/x.prom --by dev"],
    "report": ["-w {}/x.html"],
    "diff": ["-i " + OTHER, "-j -i " + OTHER, "--by none -i " + OTHER, "--fail-if p99>1% -i " + OTHER],
    "info": ["", "--csv", "-j"],
    "list": ["", "-j", "--csv"],
    "doctor": ["", "-j", "--csv", "--functions x"],
    "help": ["", "--man", "--schema", "latency", "--man trace", "--schema trace"],
    "completion": ["", "bash"],
    "spdk": ["-p 1", "--list -p 1", "-p 1 -j"],
}
ALONE = ("list", "doctor", "help", "completion", "spdk")

# Values of options for which none is offered.
VALUES = {
    "--write": "{}/out-%t.{n}", "--input": OTHER, "--duration": "1s", "--fail-if": None, "--columns": None,
    "--listen": "127.0.0.1:0", "--map": "nvme0n1=/dev/null", "--trigger": "errors>0", "--decode": "2/81",
    "--btf": "/sys/kernel/btf", "--cgroup": "/", "--sysfs": "/sys", "--percentiles": "50", "--ring": "4m",
    "--wrap": "64g", "--buffer": "8m", "--size": "4k", "--comm": "x", "--after": "1s", "--functions": "x",
    "--probe": "nvme_setup_cmd", "--device": "nvme0", "--disk": "nvme0", "--time": "0-1",
}
EXAMPLE = {"diff": "p99>1%", "inflight": "count>0"}

# What a message that asks for a word says, and the words.
LACKS = {
    "add it to -P": ["-P", "99"],
    "add --summary": ["-s"], "add --csv or --json": ["--csv"], "add --json": ["--json"],
    "add one, for instance 1": ["1"], "add it": ["--fail-if", EXAMPLE.get(COMMAND, "count>0")],
    "name the program": ["true"], "add --at complete": ["--at", "complete"],
    "add opcode to --by": ["--by", "opcode"], "expected a command": ["trace"],
    "name bash, zsh or fish": ["bash"],
    "name the recordings": [FILE], "give one with -i": ["-i", FILE],
}


def call(words, stdin=subprocess.DEVNULL):
    try:
        done = subprocess.run([TOOL, *words], stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=3, check=False)
    except subprocess.TimeoutExpired:
        return 0, ""  # it serves
    return done.returncode, done.stderr.decode()


def offered(words):
    done = subprocess.run([TOOL, "__complete", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    if done.stderr:
        sys.exit(f"{words}: completion prints {done.stderr.decode()}")
    return [line.split("\t")[0] for line in done.stdout.decode().splitlines()]


def run(words, refused=(2,)):
    """None, or why the line is refused."""
    if COMMAND not in ALONE and "-i" not in words and "--input" not in words and FILE not in words:
        words = [*words, *(["-i", FILE] if "--time" in words else ["--probe-only"])]
    words = [word.replace("{}", DIR).replace("{n}", str(next(numbers))) for word in words]
    for _ in range(3):
        status, message = call(words)
        if status not in refused:
            return None
        lacks = [more for text, more in LACKS.items() if text in message]
        if not lacks:
            break
        end = words.index("--") if "--" in words and words[-1] != "--" else len(words)
        words = words[:end] + lacks[0] + words[end:]
    return f"{' '.join(words)}: {message.strip()}"


def values(line, option):
    """Values of the option to run the line with."""
    known = [word for word in offered([*line, option, ""]) if not word.startswith(":")]
    if option in ("--pid", "--ctrl-id", "--nsid", "--device", "--disk"):
        known = known[:2]
    # All of them behind the command alone; behind other options some, in turns.
    if len(line) < 4 and option != "--opcode":
        return known
    return known[len(line) % 4::8 if option in ("--columns", "--by") else 99] or known[:1]


def takes_value(option):
    return option != "--" and re.search(rf"{option}(, --[a-z-]+)* [A-Z]", HELP) is not None


def example(option):
    if option == "--fail-if":
        return EXAMPLE.get(COMMAND, "count>0")
    return VALUES.get(option) or "1"


HELP = subprocess.run([TOOL, "help", COMMAND], stdout=subprocess.PIPE, check=True).stdout.decode()
HELP = HELP.split("\nExamples")[0]
# Another name of an option that is on the line is not offered, but does no harm.
ALIASES = [re.search(r"--[a-z0-9-]+", entry)[0] for entry in re.split(r"\n(?= {2,6}-)", HELP)[1:] if "alias of" in entry]


def of_line(line):
    """The lines to run for what is offered behind @line, and those that must be refused."""
    wanted = [line]  # if that were refused, all would be offered
    options = offered([*line, "--"])
    for option in options:
        if takes_value(option):
            wanted += [[*line, option, value] for value in values(line, option) or [example(option)]]
        else:
            wanted.append([*line, option])
    wanted += [[*line, word] for word in offered([*line, ""]) if not word.startswith(":")]
    hidden = [name for name in re.findall(r"^ {2,6}(?:-., )*(--[a-z0-9-]+)", HELP, re.M) if name not in [*options, *ALIASES]]
    return wanted, [[*line, name] + ([example(name)] if takes_value(name) else []) for name in hidden]


def main():
    lines = [[COMMAND] + ([] if COMMAND in ALONE else ["-i", FILE]) + text.replace("{}", DIR).split()
             for text in LINES[COMMAND]]
    if COMMAND not in (*ALONE, "diff", "info", "report", "inflight"):
        lines.append([COMMAND] + LINES[COMMAND][0].replace("{}", DIR).split())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(of_line, lines))
        wanted = [words for line in found for words in line[0]]
        bad = [why for why in pool.map(run, wanted) if why]
    for line, (_, hidden) in zip(lines, found):
        # A second one of the same option would replace the first: that is not offered either. What
        # a recording does not have is refused with status 5.
        bad += [f"not offered: {' '.join(words)}" for words in hidden if run(words, (2, 5)) is None and once(line, words)]
    print("\n".join(bad))
    print(f"{COMMAND}: {len(wanted)} lines", file=sys.stderr)
    return 1 if bad or not wanted else 0


def once(line, words):
    """True unless the line has the option of the last words, or one that sets the same."""
    option = words[len(line)]
    names = re.search(rf"^ {{2,6}}(.*{option}\b.*)$", HELP, re.M).group(1)
    same = re.findall(r"(?<![\w-])--?[a-zA-Z][a-z0-9-]*", names)
    target = re.search(rf"{option}\b[^\n]*(?:\n {{10,}}.*)*?alias of\s+(--[a-z-]+)", HELP)
    aliases = re.findall(rf"^ {{2,6}}(?:(-.), )?(--[a-z-]+)[^\n]*(?:\n {{10,}}.*)*?alias of\s+{option}\b", HELP, re.M)
    same += [target.group(1)] if target else []
    return not any(word in line for word in same + [name for pair in aliases for name in pair if name])


sys.exit(main())
